package parsers

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCollectorConsole(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"EKS": {
			"\n\tThis is version 0.7.9. New versions can be found at https://github.com/awslabs/amazon-eks-ami/blob/main/log-collector-script/\n\n" +
				"Trying to collect common operating system logs... \nTrying to collect kernel logs... \n" +
				"Trying to collect CNI Configuration Variables from Containerd... \tTimed out, ignoring \"cni configuration variables output \" \n",
			[]string{"timed out: cni configuration variables output"},
		},
		"EKS without the API": {
			"======== Unable to find KUBECONFIG, IGNORING POD DATA =========\n",
			[]string{"Unable to find KUBECONFIG, IGNORING POD DATA"},
		},
		"Rancher": {
			"2026-11-30 09:59:13: Created /tmp/tmp.kAt4nARdo3\n2026-11-30 09:59:13: Detecting OS... debian 12\n[!] Unsupported OS: debian\n" +
				"E1130 09:59:08.248752   40436 memcache.go:265] \"Unhandled Error\" err=\"x\"\n" +
				"The connection to the server localhost:8080 was refused - did you specify the right host or port?\n" +
				"The connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
			[]string{"[!] Unsupported OS: debian", "The connection to the server localhost:8080 was refused - did you specify the right host or port? (2 times)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := readCollected(t, collectorConsoleParser, &File{Path: "archive.tar.gz.console.txt", Text: c.text, FirstLine: 1})
			var got []string
			for _, g := range b.Input.Gaps {
				got = append(got, g.Detail)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("gaps (-want +got):\n%s", d)
			}
		})
	}
}

func FuzzCollectorConsole(f *testing.F) {
	fuzzNodeTool(f, collectorConsoleParser, "", "Trying to collect kernel logs... \nTrying to collect mount points... \tTimed out, ignoring \"df\"\n2026-11-30 09:59:13: Finished\nx: command not found\n")
}
