package analyzer

import (
	"strings"
	"testing"

	"podautopsy/timeline"
)

// Each finalizer of an object holds it by itself, and is taken off at its own
// place in the list.
func TestEachFinalizerHolds(t *testing.T) {
	names := []string{"batch.kubernetes.io/job-tracking", "lab.example.com/backup-before-delete"}
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	q.ns, q.name = "db", "backup-0"
	q.object = &timeline.Object{Kind: "Pod", Content: timeline.Decoded{"metadata": map[string]any{"finalizers": []any{names[0], names[1]}}}}
	for i, name := range names {
		q.sees("pod-finalizer-only", Failure, scopeSubject, 1, "", StageFinalizers).keys = finalizerKeys(q.object, i, name)
	}
	held := causeByID(t, "finalizer-held")
	var c *candidate
	for i := range held.Proof {
		if c = q.try(held, &held.Proof[i]); c != nil {
			break
		}
	}
	if c == nil {
		t.Fatal("not named")
	}
	c.role = RoleRoot
	f := &finding{q: q, outcome: Stuck, confidence: Medium, candidates: []*candidate{c}, root: c}
	q.holdEach(f)
	if len(f.candidates) != 2 || f.candidates[1].role != RoleBlocking || !strings.Contains(f.candidates[1].because, names[1]) {
		t.Fatalf("%+v, want the second finalizer beside the first", f.candidates)
	}
	d := defectByID(t, "kcm-job-finalizer-left")
	if k, ok := q.recognize(d); !ok || k.finalizer != names[0] || k.advice().Risk != "high" {
		t.Errorf("%+v: to take off a finalizer is as risky on a defect's account", k)
	}
	if got := f.holding(names[1]); got != f.candidates[1] {
		t.Errorf("%+v holds it by %s", got, names[1])
	}
	steps := 0
	for _, r := range q.remedies(f) {
		if !strings.Contains(r.Command, "patch") {
			continue
		}
		place, other := []string{"/metadata/finalizers/0", "/metadata/finalizers/1"}[steps], names[1-steps]
		if !strings.Contains(r.Command, place) || !strings.Contains(r.Command, names[steps]) || r.Risk != "high" {
			t.Errorf("%s, risk %s: want %s at %s", r.Command, r.Risk, names[steps], place)
		}
		want(t, r.Then, "still in the way: the finalizer "+other)
		steps++
	}
	if steps != 2 {
		t.Errorf("%d steps take off a finalizer", steps)
	}
}

// The end of the last pod that uses a claim releases its data.
func TestEndingTheUsersOfAClaim(t *testing.T) {
	for _, c := range []struct{ policy, then string }{
		{"Delete", "reclaim policy Delete"}, {"Retain", "keeps its data"}, {"", "with the reclaim policy Delete"},
	} {
		q := on(nil)
		q.kind, q.ns, q.name, q.pod = "PersistentVolumeClaim", "db", "data", nil
		q.object = &timeline.Object{Kind: q.kind, Content: timeline.Decoded{"spec": map[string]any{"volumeName": "pv-1"}}}
		use := func(name string) *timeline.Object {
			return &timeline.Object{Kind: "Pod", Namespace: "db", Name: name, Content: timeline.Decoded{
				"spec":   map[string]any{"volumes": []any{map[string]any{"persistentVolumeClaim": map[string]any{"claimName": "data"}}}},
				"status": map[string]any{"phase": "Running"},
			}}
		}
		q.s.objects = map[string][]*timeline.Object{"Pod": {use("db-0"), use("report-7")}}
		if c.policy != "" {
			q.s.objects["PersistentVolume"] = []*timeline.Object{{Kind: "PersistentVolume", Name: "pv-1", Content: timeline.Decoded{"spec": map[string]any{"persistentVolumeReclaimPolicy": c.policy}}}}
		}
		q.lookAtClaim()
		q.sees("protection-finalizer", Failure, scopeSubject, 1, "", StageFinalizers).keys = map[string]string{"finalizer": "kubernetes.io/pvc-protection"}
		cause := causeByID(t, "volume-protection")
		root := q.try(cause, &cause.Proof[0])
		if root == nil || !strings.Contains(root.because, "pod db-0 (Running) and pod report-7 (Running)") {
			t.Fatalf("%+v, want both pods", root)
		}
		root.role = RoleRoot
		f := &finding{q: q, outcome: Stuck, candidates: []*candidate{root}, root: root}
		retains := false
		for _, r := range q.remedies(f) {
			retains = retains || strings.Contains(r.Command, "Retain")
			if !strings.Contains(r.Command, "delete pod") {
				continue
			}
			if r.Risk != "high" || !strings.HasSuffix(r.Command, "delete pod db-0 report-7") || r.Precondition == "" || retains == (c.policy == "Retain") {
				t.Errorf("%s: %+v, after the volume was set to Retain: %v", c.policy, r, retains)
			}
			want(t, r.Then, c.then)
		}
		if asked := len(q.missingFor(root)) > 0; asked != (c.policy == "") {
			t.Errorf("%q: the volume is asked for: %v", c.policy, asked)
		}
	}
}
