package analyzer

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

// minute is a time in one hour.
func minute(m int) time.Time { return time.Date(2026, 11, 30, 8, m, 0, 0, time.UTC) }

func TestHole(t *testing.T) {
	l := &logSpan{
		covers: []span{{minute(30), minute(40)}, {minute(0), minute(20)}, {minute(21), minute(25)}},
		holes: []hole{
			{span: span{minute(5), minute(7)}, kind: timeline.GapSuppressed},
			{span: span{minute(15), minute(15)}, kind: timeline.GapMasked},
		},
	}
	for _, c := range []struct {
		from, to int
		want     timeline.GapKind // "" for none
	}{
		{0, 4, ""},
		{0, 5, ""},
		{7, 14, ""},
		{0, 6, timeline.GapSuppressed},
		{6, 10, timeline.GapSuppressed},
		{4, 8, timeline.GapSuppressed},
		{15, 16, timeline.GapMasked},
		{14, 15, timeline.GapMasked},
		{16, 24, ""},                    // two pieces of one log
		{16, 26, timeline.GapTruncated}, // it ends before
		{16, 35, timeline.GapTruncated}, // and goes on later
		{26, 35, timeline.GapTruncated}, // begins in between
		{31, 39, ""},                    // the newest piece
		{50, 55, timeline.GapTruncated}, // after all
		{-10, 3, timeline.GapTruncated}, // before all
	} {
		h := l.hole(minute(c.from), minute(c.to))
		switch {
		case h == nil && c.want != "", h != nil && h.kind != c.want:
			t.Errorf("%d to %d: %+v, want %q", c.from, c.to, h, c.want)
		}
	}
	if h := (*logSpan)(nil).hole(minute(0), minute(1)); h == nil {
		t.Error("no log covers nothing")
	}
}

func TestCarriedBy(t *testing.T) {
	for command, want := range map[string]timeline.Carries{
		"journalctl -u kubelet --since '-2h' -o export":                timeline.KubeletLog,
		"journalctl -u containerd --since '-2h' -o export":             timeline.RuntimeLog,
		"journalctl -k --since '-2h' -o export":                        timeline.KernelLog,
		"dmesg -T":                                                     timeline.KernelLog,
		"crictl ps -a -o json; crictl pods -o json":                    timeline.RuntimeState,
		"docker ps -a --no-trunc":                                      timeline.RuntimeState,
		"cat /proc/1/mountinfo":                                        timeline.MountTable,
		"ps axo pid,ppid,stat,wchan:32,cgroup,args":                    timeline.ProcessList,
		"cat /proc/4711/stack":                                         timeline.ProcessList,
		"kubectl -n shop get pod cart-0 -o yaml --show-managed-fields": timeline.PodObjects,
		"kubectl get node worker-1 -o yaml":                            timeline.NodeObjects,
		"kubectl get pv,volumeattachments -o yaml":                     timeline.StorageObjects,
		"kubectl get lease -n kube-node-lease worker-1 -o yaml":        timeline.LeaseObjects,
		"kubectl get events -A -o yaml":                                timeline.APIEvents,
		"kubectl -n kube-system logs deploy/x --since=2h":              timeline.ControllerLogs,
		"kubectl get validatingwebhookconfigurations -o yaml":          timeline.OtherObjects,
		"grep '\"verb\":\"delete' /var/log/kubernetes/audit/audit.log": timeline.AuditLines,
		"ls -la /var/lib/kubelet/pods":                                 "",
		"":                                                             "",
	} {
		if got := carriedBy(command); got != want {
			t.Errorf("%q brings %q, want %q", command, got, want)
		}
	}
}

// What a collector's option says of names is filled in where they are known, as
// one word each: they come from the bundle and may be anything.
func TestCollector(t *testing.T) {
	s := &scene{tl: &timeline.Timeline{
		Layouts: []timeline.FoundLayout{
			{Name: "must-gather", Root: "mg/", Fills: map[timeline.Carries]string{timeline.KubeletLog: "oc adm node-logs NODE -u kubelet", timeline.PodObjects: "oc adm inspect ns/NS"}},
			{Name: "sosreport", Root: "sos/", Fills: map[timeline.Carries]string{timeline.KubeletLog: "sos report -o kubernetes"}},
		},
		Inputs: []timeline.Input{{Path: "sos/x", Node: "worker-3"}},
	}}
	for _, c := range []struct {
		kind       timeline.Carries
		node, want string
		vars       map[string]string
	}{
		{timeline.KubeletLog, "worker-1", "oc adm node-logs worker-1 -u kubelet", nil},
		{timeline.KubeletLog, "worker-3", "sos report -o kubernetes", nil}, // was on it
		{timeline.KubeletLog, "", "oc adm node-logs NODE -u kubelet", nil},
		{timeline.KubeletLog, "$(reboot)", "oc adm node-logs '$(reboot)' -u kubelet", nil},
		{timeline.KubeletLog, "-x", "oc adm node-logs NODE -u kubelet", nil},
		{timeline.PodObjects, "", "oc adm inspect ns/shop", map[string]string{"ns": "shop"}},
		{timeline.PodObjects, "", "oc adm inspect ns/NS", map[string]string{"ns": "a/../b"}},
		{timeline.AuditLines, "", "", nil},
	} {
		if got := s.collector(c.kind, c.node, c.vars); got != c.want {
			t.Errorf("%s of %q: %q, want %q", c.kind, c.node, got, c.want)
		}
	}
}
