package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"podautopsy/analyzer"
)

func TestLaneOf(t *testing.T) {
	for _, c := range []struct {
		component, signature string
		want                 lane
	}{
		{"audit", "", laneAPI},
		{"event", "kubelet-umount-busy", laneAPI}, // the API told of it
		{"kube-controller-manager", "", laneControllers},
		{"acme-operator", "", laneControllers},
		{"kubelet", "", laneKubelet},
		{"kubelet", "kubelet-umount-busy", laneStorage},
		{"kubelet", "kubelet-cni-teardown", laneCNI},
		{"containerd", "containerd-stopcontainer", laneRuntime},
		{"crictl inspect", "", laneRuntime},
		{"containerd-shim-runc-v2", "", laneRuntime},
		{"acme-csi", "", laneStorage},
		{"calico-node", "", laneCNI},
		{"kernel", "kernel-nfs-mount", laneKernel}, // it speaks for itself
		{"systemd", "", laneNode},
		{"", "", laneNode},
	} {
		var signature *string
		if c.signature != "" {
			signature = &c.signature
		}
		if got := laneOf(c.component, signature); got != c.want {
			t.Errorf("%q, %q: lane %s, want %s", c.component, c.signature, got, c.want)
		}
	}
}

// Later is further right, a burst is seen beside an hour of silence, and what
// is outside is at the edge.
func TestScale(t *testing.T) {
	t0 := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	var times []time.Time
	for i := range 10 {
		times = append(times, t0.Add(time.Duration(i)*100*time.Millisecond))
	}
	burst := times[9]
	times = append(times, t0.Add(time.Hour), t0, t0.Add(2*time.Hour)) // unsorted, one twice
	s := newScale(times)
	last := -1.0
	for at := t0.Add(-time.Minute); at.Before(t0.Add(3 * time.Hour)); at = at.Add(7 * time.Second) {
		p := s.percent(at)
		if p < last || p < 0 || p > 100 {
			t.Fatalf("%s lies at %v %%, after %v", at, p, last)
		}
		last = p
	}
	if w := s.percent(burst) - s.percent(t0); w < 20 {
		t.Errorf("a second of work has only %v %% of three hours", w)
	}
	if s.percent(t0.Add(-time.Hour)) != 0 || s.percent(t0.Add(9*time.Hour)) != 100 {
		t.Error("what is outside is not at the edge")
	}
	if p := newScale([]time.Time{t0}).percent(t0); p < 40 || p > 60 {
		t.Errorf("a single event lies at %v %%", p)
	}
	ticks := s.ticks(t0, Options{}.clock(&t0), fromT0)
	if !slices.ContainsFunc(ticks, func(x tick) bool { return x.T0 == "T+1h00m" }) || len(ticks) > 45 {
		t.Errorf("ticks: %v", ticks)
	}
}

// What a log is known to lack is hatched where it lacks it, in the lane of
// whoever would have spoken.
func TestHolesAreHatched(t *testing.T) {
	at := func(s int) *time.Time { x := time.Date(2026, 11, 30, 8, 0, s, 0, time.UTC); return &x }
	node, id := "worker-1", "e1"
	doc := &analyzer.Document{
		Bundle: analyzer.Bundle{CapturedAt: at(50), Inputs: []analyzer.Input{{
			Path: "journal.txt", Format: "journal-short", Node: &node, FirstTime: at(5), LastTime: at(49),
			Gaps: []analyzer.Gap{{Kind: "suppressed", Detail: "Suppressed 99 messages", Of: "containerd", From: at(20), To: at(30)}, {Kind: "masked", Detail: "nobody knows where"}},
		}, {
			Path: "journal-of-another.txt", Node: new(string), Gaps: []analyzer.Gap{{Kind: "truncated", Of: "kernel", From: at(10)}},
		}}},
		Subjects: []analyzer.Subject{{ID: "s1", Nodes: []string{node}, Anchor: &analyzer.Anchor{Time: *at(10)}}},
		Evidence: []analyzer.Evidence{{ID: id, Time: at(10), Node: &node, Component: "kubelet", File: "journal.txt", Count: 1, Text: "x"}},
		Timeline: []analyzer.Moment{
			{Time: at(0), Component: "audit", Subjects: []analyzer.SubjectMoment{{ID: "s1"}}},
			{Time: at(10), Node: &node, Component: "kubelet", Evidence: &id, Subjects: []analyzer.SubjectMoment{{ID: "s1"}}},
		},
	}
	*doc.Bundle.Inputs[1].Node = "worker-2"
	c := newHTMLPage(newView(doc, Options{}), htmlAmounts[0]).Subjects[0].Chart
	hatched := map[string]string{}
	for _, l := range c.Lanes {
		for _, b := range l.Hatch {
			hatched[l.Name] += b.Title + ";"
		}
	}
	if !strings.Contains(hatched["runtime"], "suppressed: Suppressed 99 messages") {
		t.Errorf("the dropped lines are not in the runtime's lane: %v", hatched)
	}
	if !strings.Contains(hatched["kubelet"], "the log begins here") {
		t.Errorf("the kubelet's log begins late: %v", hatched)
	}
	if hatched["kernel"] != "" {
		t.Errorf("another node's gap: %v", hatched)
	}
}
