package analyzer

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFleet(t *testing.T) {
	f := NewFleet()
	for n := range 300 {
		at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC).AddDate(0, 0, n%14)
		s := podSubject(fmt.Sprintf("web-%d", n), fmt.Sprintf("uid-%d", n), Stuck)
		s.Cause, s.Nodes, s.Anchor = word("mount-busy"), []string{fmt.Sprintf("worker-%d", n%3)}, &Anchor{Time: at}
		s.Causes = []CauseVerdict{{ID: "mount-busy", Role: RoleRoot, For: []string{"e1"}}, {ID: "csi-unstage", Role: RoleRuledOut, For: []string{"e2"}}}
		doc := capture(at.Add(time.Hour), s, podSubject(fmt.Sprintf("ok-%d", n), "", Clean))
		doc.ReportID = fmt.Sprintf("%012d", n)
		doc.Bundle.Nodes = []Node{{Name: s.Nodes[0], Versions: Versions{Kubelet: "v1.35.4"}}}
		doc.Evidence = []Evidence{
			{ID: "e1", Text: `UnmountVolume.TearDown failed for volume "data" (UniqueName: "kubernetes.io/csi/ebs.csi.aws.com^vol-0a1b")`},
			{ID: "e2", Text: `(UniqueName: "kubernetes.io/csi/other.example.com^x")`},
		}
		f.Add(doc)
		f.Add(doc) // the same report once more
		doc.ReportID = fmt.Sprintf("later-%d", n)
		f.Add(doc) // the same incident, captured again
	}
	week := func(w string) Count { return Count{w, 150} }
	want := &FleetSummary{
		Schema: FleetSchema, Reports: 600, Repeated: 300, Subjects: 300, SeenAgain: 300,
		Outcomes: map[string]int{Stuck: 300, Clean: 300},
		FirstT0:  moment(time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)), LastT0: moment(time.Date(2026, 12, 6, 12, 0, 0, 0, time.UTC)),
		Causes: []CauseCount{{
			Cause: "mount-busy", Title: titleOf("mount-busy"), Subjects: 300, Sure: 300, Reports: 300,
			Nodes:    []Count{{"worker-0", 100}, {"worker-1", 100}, {"worker-2", 100}},
			Versions: []Count{{"v1.35.4", 300}}, Drivers: []Count{{"ebs.csi.aws.com", 300}},
		}},
	}
	got := f.Summary()
	if n := len(got.Causes[0].Weeks); n != 2 || got.Causes[0].Weeks[0].Subjects+got.Causes[0].Weeks[1].Subjects != 300 {
		t.Errorf("weeks %v, want about %v and %v", got.Causes[0].Weeks, week("2026-W48"), week("2026-W49"))
	}
	got.Causes[0].Weeks = nil
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
