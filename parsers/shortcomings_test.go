package parsers

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podautopsy/timeline"
)

func TestLostLines(t *testing.T) {
	for _, c := range []struct {
		message string
		kind    timeline.GapKind
		of      string
	}{
		{"Suppressed 31 messages from kubelet.service", timeline.GapSuppressed, timeline.Kubelet},
		{"Suppressed 7124 messages from /system.slice/docker.service", timeline.GapSuppressed, timeline.Dockerd},
		{"Suppressed 12 messages from containerd.service", timeline.GapSuppressed, timeline.Containerd},
		{"Suppressed 5 messages from crio.service", timeline.GapSuppressed, timeline.CRIO},
		{"Suppressed 18 messages from snap.kubelet.daemon.service", timeline.GapSuppressed, timeline.Kubelet},
		{"Suppressed 97 messages from /", timeline.GapSuppressed, ""},
		{"Suppressed 40 messages from rke2-server.service", timeline.GapSuppressed, ""},
		{"Missed 1427 kernel messages", timeline.GapSuppressed, timeline.Kernel},
		{"/dev/kmsg buffer overrun, some messages lost.", timeline.GapSuppressed, timeline.Kernel},
		{"imjournal: 84667 messages lost due to rate-limiting", timeline.GapSuppressed, ""},
		{"imuxsock[pid: 57, name: /usr/bin/orchagent]: 1024472 messages lost due to rate-limiting (20000 allowed within 300 seconds)", timeline.GapSuppressed, ""},
		{"imuxsock lost 516 messages from pid 159386 due to rate-limiting", timeline.GapSuppressed, "pid 159386"},
		{"Vacuuming done, freed 128.0M of archived journals from /var/log/journal/edcb934864221a0abd2d18a86ffa6028.", timeline.GapRotated, ""},
		{"Vacuuming done, freed 0B of archived journals from /run/log/journal.", "", ""},
		{"Suppressed nothing at all", "", ""},
		{"Journal started", "", ""},
	} {
		kind, of, ok := lostLines(c.message)
		if ok != (c.kind != "") || ok && (kind != c.kind || of != c.of) {
			t.Errorf("%q: %q %q %v, want %q %q", c.message, kind, of, ok, c.kind, c.of)
		}
	}
}

// gapsOf reads the files as a bundle and says what is missing of one of them.
func gapsOf(t *testing.T, files map[string]string, of string) []timeline.Gap {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tl, err := Read(context.Background(), []string{dir}, nil, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range tl.Inputs {
		if in.Path == of {
			return in.Gaps
		}
	}
	t.Fatalf("no input %q", of)
	return nil
}

const (
	kubeletLine = "Nov 30 08:22:03 worker-1 kubelet[161]: I1130 08:22:03.467679     161 kubelet.go:2593] \"SyncLoop ADD\" source=\"api\" pods=[\"shop/cart-0\"]\n"
	podsYAML    = "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Pod\n  metadata:\n    name: cart-0\n    namespace: shop\n    uid: a74312cb-8cff-4e39-a7fd-b93849cb7e1d\nkind: List\nmetadata:\n  resourceVersion: \"\"\n"
)

func TestShortcomings(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		of    string
		want  []string // kind, a space, and a part of the detail
	}{
		{"whole", map[string]string{"kubelet.log": kubeletLine}, "kubelet.log", nil},
		{"cut in the last line", map[string]string{"kubelet.log": kubeletLine + strings.TrimSuffix(kubeletLine, "\"]\n")}, "kubelet.log", []string{"truncated no end"}},
		{"dump cut", map[string]string{"pods.yaml": strings.TrimSuffix(podsYAML, "resourceVersion: \"\"\n")}, "pods.yaml", []string{"truncated no end"}},
		{
			"journal begins where it is rotated",
			map[string]string{"kubelet.log": "-- Logs begin at Mon 2026-11-30 08:22:01 UTC, end at Mon 2026-11-30 09:00:00 UTC. --\n" + kubeletLine},
			"kubelet.log",
			[]string{"rotated not kept"},
		},
		{
			"journal begins with the boot",
			map[string]string{"kubelet.log": "-- Journal begins at Mon 2026-11-30 08:22:01 UTC, ends at Mon 2026-11-30 09:00:00 UTC. --\nNov 30 08:22:01 worker-1 kernel: Linux version 6.1.0\n" + kubeletLine},
			"kubelet.log", nil,
		},
		{
			"journal begins long before the unit",
			map[string]string{"kubelet.log": "-- Logs begin at Sun 2026-11-01 08:22:01 UTC, end at Mon 2026-11-30 09:00:00 UTC. --\n" + kubeletLine},
			"kubelet.log", nil,
		},
		{
			"klog's own file without its header",
			map[string]string{"kubelet.worker-1.root.log.INFO.20261130-082201.161": "I1130 08:22:03.467679     161 kubelet.go:2593] \"SyncLoop ADD\" source=\"api\" pods=[\"shop/cart-0\"]\nI1130 08:22:04.467679     161 kubelet.go:2593] \"SyncLoop ADD\" source=\"api\" pods=[\"shop/cart-1\"]\n"},
			"kubelet.worker-1.root.log.INFO.20261130-082201.161",
			[]string{"truncated header"},
		},
		{
			"klog's own file",
			map[string]string{"kubelet.INFO": "Log file created at: 2026/11/30 08:22:01\nRunning on machine: worker-1\nBinary: Built with gc go1.22.4 for linux/amd64\nLog line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\nI1130 08:22:03.467679     161 kubelet.go:2593] \"SyncLoop ADD\" source=\"api\" pods=[\"shop/cart-0\"]\n"},
			"kubelet.INFO", nil,
		},
		{
			"masked",
			map[string]string{"kubelet.log": kubeletLine + "Nov 30 08:22:05 worker-1 kubelet[161]: E1130 08:22:05.467679     161 mount.go:1] mount failed: password=***HIDDEN***\n" +
				"Nov 30 08:22:06 worker-1 kubelet[161]: E1130 08:22:06.467679     161 mount.go:1] token ***HIDDEN*** and ***HIDDEN***\n"},
			"kubelet.log",
			[]string{"masked 2 lines masked: ***HIDDEN***"},
		},
		{
			"scrubbed by sos",
			map[string]string{"kubelet.log": kubeletLine + "Nov 30 08:22:05 worker-1 kubelet[161]: passwd=******** x\nNov 30 08:22:06 worker-1 kubelet[161]: **************\n"},
			"kubelet.log",
			[]string{"masked 1 line masked: ********"},
		},
		{
			"replaced by must-gather-clean",
			map[string]string{"kubelet.log": kubeletLine + "Nov 30 08:22:05 worker-1 kubelet[161]: dial tcp x-ipv4-0000000001-x:6443\n"},
			"kubelet.log",
			[]string{"masked 1 line replaced alike everywhere: x-ipv4-…"},
		},
		{"empty beside errors", map[string]string{"a.log": kubeletLine, "crictl-ps-a.json": "", "crictl-ps-a.json.stderr.txt": "FATA[0002] connect: connection timed out\n"}, "crictl-ps-a.json", []string{"command-failed crictl-ps-a.json.stderr.txt"}},
		{"empty beside no errors", map[string]string{"a.log": kubeletLine, "pods.yaml": "", "pods.stderr": ""}, "pods.yaml", []string{"command-failed nothing to pods.stderr"}},
		{"empty", map[string]string{"a.log": kubeletLine, "pods.yaml": "\n\n"}, "pods.yaml", []string{"command-failed nothing here tells which"}},
		{"no errors", map[string]string{"a.log": kubeletLine, "pods.stderr.txt": ""}, "pods.stderr.txt", nil},
		{"empty configuration", map[string]string{"a.log": kubeletLine, "etc/cni/net.d/x.json": ""}, "etc/cni/net.d/x.json", nil},
		{"a middle piece lacks", map[string]string{"kubelet.log": kubeletLine, "kubelet.log.1": strings.ReplaceAll(kubeletLine, "08:", "07:"), "kubelet.log.4": strings.ReplaceAll(kubeletLine, "08:", "04:")}, "kubelet.log.4", []string{"rotated pieces 3 to 2"}},
		{"the newest piece lacks", map[string]string{"messages-20261130": kubeletLine}, "messages-20261130", []string{"rotated follows (messages)"}},
		{"all pieces", map[string]string{"messages-20261130": kubeletLine, "messages": strings.ReplaceAll(kubeletLine, "08:", "09:")}, "messages-20261130", nil},
		{"not a piece", map[string]string{"syslog-wrk-2": kubeletLine}, "syslog-wrk-2", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			gaps := gapsOf(t, c.files, c.of)
			for _, want := range c.want {
				kind, part, _ := strings.Cut(want, " ")
				if !slices.ContainsFunc(gaps, func(g timeline.Gap) bool { return string(g.Kind) == kind && strings.Contains(g.Detail, part) }) {
					t.Errorf("no gap %q in %+v", want, gaps)
				}
			}
			if len(gaps) > len(c.want) {
				t.Errorf("more than %q: %+v", c.want, gaps)
			}
		})
	}
}

// What journald dropped lies between the unit's last line and the note.
func TestGapsHaveTheirTime(t *testing.T) {
	line := func(at, program, message string) string {
		return "2026-11-30T" + at + "+0000 worker-1 " + program + ": " + message + "\n"
	}
	gaps := gapsOf(t, map[string]string{"journal.txt": line("08:22:00", "kubelet[161]", "one") +
		line("08:22:01", "containerd[9]", "two") +
		line("08:22:30", "systemd-journald[80]", "Suppressed 31 messages from kubelet.service") +
		line("08:22:31", "kubelet[161]", "three") +
		strings.Repeat("\x00", 64) + line("08:23:00", "kubelet[161]", "four")}, "journal.txt")
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, "2026-11-30T"+s+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	if len(gaps) != 2 {
		t.Fatalf("%+v", gaps)
	}
	for i, want := range [][2]time.Time{{at("08:22:00"), at("08:22:30")}, {at("08:22:31"), at("08:23:00")}} {
		if g := gaps[i]; !g.From.Equal(want[0]) || !g.To.Equal(want[1]) || g.Node != "worker-1" {
			t.Errorf("%+v, want %v", g, want)
		}
	}
}

// Whatever a text is, what is said to be missing of it stands at its lines.
func FuzzShortcomings(f *testing.F) {
	f.Add(kubeletLine, "journal-short")
	f.Add(podsYAML, "kubernetes-yaml")
	f.Add("a ***HIDDEN***\r\nb ********* c ******** x-mac-1 obfuscateduser", "klog")
	f.Fuzz(func(t *testing.T, text, format string) {
		b := timeline.NewBuilder("kubelet.INFO")
		b.Input.Format = format
		noteShortcomings(text, nil, b)
		lines := strings.Count(text, "\n") + 1
		for _, g := range b.Input.Gaps {
			if g.Source.Line < 1 || g.Source.Line > lines {
				t.Errorf("a gap in line %d of %d", g.Source.Line, lines)
			}
		}
	})
}
