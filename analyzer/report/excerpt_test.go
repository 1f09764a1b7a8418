package report

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"podautopsy/analyzer"
)

const (
	shortISO = `2026-11-30T08:21:33+0000 worker-1 kubelet[161]: I1130 08:21:33.288027     161 operation_generator.go:779] UnmountVolume.TearDown succeeded for volume "kubernetes.io/projected/a74312cb-8cff-4e39-a7fd-b93849cb7e1d-kube-api-access-r76qv" (OuterVolumeSpecName: "kube-api-access-r76qv") pod "a74312cb-8cff-4e39-a7fd-b93849cb7e1d"`
	cniDel   = `E1130 08:38:14.545 161 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \"KillPodSandbox\" for \"54de89bc-3e18-4e57-9546-3478d12a1a85\" with KillPodSandboxError: \"rpc error: code = Unknown desc = failed to destroy network for sandbox \\\"d88461b8b58f8b973fc966ec640531433fde640c486a680d5c1d5bae097d1ec5\\\": plugin type=\\\"bridge\\\" failed (delete): failed to find plugin \\\"bridge\\\" in path [/opt/cni/bin]\"" pod="edge/ingress-0"`
)

func TestMessageDropsWhatTheHeadingSays(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 21, 33, 0, time.UTC)
	for _, c := range []struct{ component, text, want string }{
		{"kubelet", "Nov 30 08:21:33 host kubelet[123]: E1130 08:21:33.1 123 pod_workers.go:1] \"Error\"", `pod_workers.go:1] "Error"`},
		{"kubelet", "Nov  3 08:21:33.123456 host kubelet[123]: plain", "plain"},
		{"kubelet", "2026-11-30T08:21:33+0000 host kubelet[161]: I1130 08:21:33.2 161 a.go:1] x", "a.go:1] x"},
		{"systemd", "2026-11-30T09:46:50.843292+00:00 worker-3 systemd[1]: Stopped kubelet.service", "Stopped kubelet.service"},
		{"kernel", "Mon 2026-11-30 08:21:33 UTC host kernel: nfs: server not responding", "nfs: server not responding"},
		{"kubelet", "W0925 01:21:43.406057    4134 mount_linux.go:890] Warning", "mount_linux.go:890] Warning"},
		// The heading does not say these.
		{"kubelet", "Nov 30 08:21:33 host k3s[123]: E1130 x", "Nov 30 08:21:33 host k3s[123]: E1130 x"},
		{"containerd", `time="2026-11-30T08:21:33Z" level=error msg="x"`, `time="2026-11-30T08:21:33Z" level=error msg="x"`},
		{"kernel", "[86400.1] INFO: task", "[86400.1] INFO: task"},
		{"kubelet", "2026-11-30 kubelet: x", "2026-11-30 kubelet: x"},
	} {
		if got := message(&analyzer.Evidence{Component: c.component, Text: c.text, Time: &at}); got != c.want {
			t.Errorf("message(%q) = %q, want %q", c.text, got, c.want)
		}
		if got := message(&analyzer.Evidence{Component: c.component, Text: c.text}); got != c.text {
			t.Errorf("without a time in the heading: %q became %q", c.text, got)
		}
	}
}

func TestLocate(t *testing.T) {
	for _, c := range []struct{ text, match, want string }{
		{`a "SyncLoop DELETE" b`, `"SyncLoop DELETE"`, `"SyncLoop DELETE"`},
		{`{"MESSAGE":"a \"SyncLoop DELETE\" b"}`, `"SyncLoop DELETE"`, `\"SyncLoop DELETE\"`},
		{`\\\"x\\\"`, `\"x\"`, `\\\"x\\\"`},
		{`  Normal  Killing  58s  kubelet  Stopping container app`, `Killing: Stopping container app`, `Stopping container app`},
		{`{"level":"info","msg":"StopContainer for \"7b\" failed"}`, `msg="StopContainer for \"7b\" failed"`, `StopContainer for \"7b\" failed`},
		{`nothing of it`, `"SyncLoop DELETE"`, ``},
		{`nothing asked`, ``, ``},
	} {
		from, to, found := locate(c.text, c.match)
		if got := c.text[from:to]; got != c.want || found != (c.want != "") {
			t.Errorf("locate(%q, %q) = %q, %v; want %q", c.text, c.match, got, found, c.want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 21, 33, 0, time.UTC)
	const multi = "first\nsecond\nthird\numount: target is busy.\nfifth\nsixth"
	for _, c := range []struct {
		name, text, match string
		rows              int
		want              []string
	}{
		{"whole", "    - lab.example.com/cleanup", "", 2, []string{"- lab.example.com/cleanup"}},
		{"match in the middle of a long line", shortISO, "UnmountVolume.TearDown succeeded", 2, []string{
			`operation_generator.go:779] UnmountVolume.TearDown succeeded for volume`,
			`…pod "a74312cb-8cff-4e39-a7fd-b93849cb7e1d"`,
		}},
		{"ids are cut before words", cniDel, `failed to destroy network for sandbox \\\"d88461b8b58f8b973fc966ec640531433fde640c486a680d5c1d5bae097d1ec5\\\": plugin type=\\\"bridge\\\" failed (delete)`, 3, []string{
			`pod_workers.go:1324] …= Unknown desc = failed to destroy network for`,
			`sandbox \\\"d88461b8b58f8…\\\": plugin type=\\\"bridge\\\" failed`,
			`(delete): failed to find plugin \\\"bridge\\\" in path [/opt/cni/bin]\"" …`,
		}},
		{"the matching line and its neighbours", multi, "target is busy", 3, []string{"… third", "umount: target is busy.", "fifth …"}},
		{"first and last lines", multi, "", 3, []string{"first", "second", "… sixth"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := &analyzer.Evidence{Component: "kubelet", Text: c.text, Time: &at}
			if c.match != "" {
				e.Match = &c.match
			}
			if diff := cmp.Diff(c.want, excerpt(e, 74, c.rows, 3, unicodeMarks)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzExcerpt(f *testing.F) {
	f.Add(shortISO, "UnmountVolume.TearDown succeeded", 2)
	f.Add(cniDel, "failed to destroy network", 1)
	f.Add("a\nb\r\n\n\tc 東京\xff", "c 東", 3)
	f.Add(strings.Repeat("x", 5000), "xxx", 2)
	f.Fuzz(func(t *testing.T, text, match string, rows int) {
		const width, lines = 40, 3
		rows = 1 + (rows&0x7fffffff)%5
		at := time.Time{}
		e := &analyzer.Evidence{Component: "kubelet", Text: text, Match: &match, Time: &at}
		for _, m := range []marks{unicodeMarks, asciiMarks} {
			got := excerpt(e, width, rows, lines, m)
			if len(got) > lines*rows {
				t.Errorf("%d rows", len(got))
			}
			for _, row := range got {
				if w := uniseg.StringWidth(row); w > width {
					t.Errorf("%d columns: %q", w, row)
				}
			}
			all := strings.Join(got, "")
			if p := printable(match); match != "" && len(p) < width/2 && !strings.ContainsAny(match, " \n\r\t") && strings.Contains(message(e), match) &&
				!strings.Contains(match, m.ellipsis) && !strings.Contains(all, p) {
				t.Errorf("%q is not in %q", p, all)
			}
		}
	})
}
