package parsers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

func TestSosreportPlaces(t *testing.T) {
	const root = "sosreport-w1-2026-11-30-abcdefg/"
	bundles := recognise([]string{root + "sos_commands/host/hostname", root + "sos_strings/logs/journalctl_--no-pager.tailed"})
	for rel, want := range map[string]Place{
		"sos_strings/logs/journalctl_--no-pager.tailed":                          {Command: "journalctl --no-pager", Cut: true},
		"sos_strings/kubernetes/journalctl_--no-pager_--unit_kubelet.tailed":     {Command: "journalctl --no-pager --unit kubelet", Cut: true},
		"sos_strings/logs/var.log.messages.tailed":                               {Cut: true}, // a file, not an output
		"sos_strings/networking/note":                                            {},
		"sos_commands/logs/journalctl_--all_--this-boot_--no-pager":              {Command: "journalctl --all --this-boot --no-pager"}, // 3.x
		"sos_commands/general/date":                                              {Command: "date"},
		"sos_commands/crio/containers/logs/crictl_logs_-t_0a1b2c3d4e5f6":         {Command: "crictl logs -t 0a1b2c3d4e5f6"},
		"sos_commands/microk8s/journalctl_--no-pager_--unit_snap.microk8s":       {Command: "journalctl --no-pager --unit snap.microk8s"},
		"sos_commands/openshift/namespaces/shop/oc_get_--namespace_shop_pods":    {Command: "oc get --namespace shop pods"},
		"sos_commands/openshift/namespaces/shop/pods/web-0.yaml":                 {},
		"sos_commands/kubernetes/pods/kubectl_get_-o_json_--namespace_shop_pods": {Command: "kubectl get -o json --namespace shop pods"}, // 4.0
	} {
		want.Folder, want.Node = root, "w1"
		if diff := cmp.Diff(want, bundles.Place(root+rel)); diff != "" {
			t.Errorf("%s:\n%s", rel, diff)
		}
	}
}

// A folder's name may tell more than the machine's: sos collect labels the
// nodes of a cluster, and people add the number of a ticket.
func TestSosreportOfALabelledHost(t *testing.T) {
	const root = "sosreport-worker-3-node-01234567-2026-11-30-abcdefg/"
	tl := readTree(t, map[string]string{
		root + "sos_commands/host/hostname": "worker-3\n",
		root + "sos_commands/process/ps_auxwwwm": "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" +
			"root           1  0.0  0.0  20000  9000 ?        Ss   09:00   0:01 /sbin/init\n",
	})
	for i := range tl.Processes {
		if got := tl.Processes[i].Node; got != "worker-3" {
			t.Errorf("a process of node %q", got)
		}
	}
	if len(tl.Processes) == 0 {
		t.Error("no process")
	}
}

// sos collect packs the reports of several machines, and is itself of none.
func TestSosCollection(t *testing.T) {
	const top = "sos-collector-shop-2026-11-30-abcde.tar.xz!sos-collector-shop-2026-11-30-abcde/"
	const cp = top + "sosreport-cp-1-control-plane-2026-11-30-aaaaaaa.tar.xz!sosreport-cp-1-control-plane-2026-11-30-aaaaaaa/"
	bundles := recognise([]string{
		top + "sos_logs/sos.log", top + "sos_reports/manifest.json", top + "checksums/sosreport-cp-1-control-plane-2026-11-30-aaaaaaa.tar.xz.sha256",
		cp + "sos_commands/host/hostname", cp + "sos_reports/manifest.json",
	})
	if got := bundles.Name(); got != "sosreport" {
		t.Errorf("layout %q", got)
	}
	bundles.ReadIndex(cp+"sos_commands/host/hostname", []byte("cp-1\n"))
	for path, want := range map[string]Place{
		top + "sos_logs/sos.log": {},
		cp + "sos_commands/kernel/dmesg": {
			Folder: cp, Node: "cp-1", Command: "dmesg",
		},
	} {
		if diff := cmp.Diff(want, bundles.Place(path)); diff != "" {
			t.Errorf("%s:\n%s", path, diff)
		}
	}
}

func TestHostNameIn(t *testing.T) {
	for text, want := range map[string]string{
		"worker-3\n": "worker-3", "w1.example.com": "w1.example.com", "": "", "localhost.localdomain\n": "",
		"hostname: command not found\n": "", strings.Repeat("a", 300): "", "\x00\xff": "",
	} {
		if got := hostNameIn([]byte(text)); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What was cut is said once, whoever says it.
func TestSosreportCutOnce(t *testing.T) {
	const root = "sosreport-w1-2026-11-30-abcdefg/"
	const tailed = root + "sos_strings/containerd/journalctl_--no-pager_--unit_containerd.tailed"
	tl := readTree(t, map[string]string{
		root + "sos_commands/host/hostname":    "w1\n",
		root + "sos_reports/manifest.json":     sosManifest41,
		root + "sos_commands/crio/crictl_pods": "POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT             RUNTIME\n",
		tailed:                                 "Nov 30 09:50:00 w1 containerd[99]: time=\"2026-11-30T09:50:00.000000001Z\" level=info msg=\"StopPodSandbox for \\\"a\\\"\"\n",
	})
	for i := range tl.Inputs {
		in := &tl.Inputs[i]
		var cut, failed int
		for _, g := range in.Gaps {
			switch g.Kind {
			case timeline.GapTruncated:
				cut++
			case timeline.GapCommandFailed:
				failed++
			}
		}
		switch {
		case strings.HasSuffix(in.Path, "containerd.tailed"):
			if cut != 1 || in.CapturedAt.IsZero() {
				t.Errorf("%s: %d times cut, captured at %v: %v", in.Path, cut, in.CapturedAt, in.Gaps)
			}
		case strings.HasSuffix(in.Path, "crictl_pods"):
			if failed != 1 {
				t.Errorf("%s: %d times failed: %v", in.Path, failed, in.Gaps)
			}
		}
	}
}
