package analyzer

import (
	"strings"
	"testing"

	"podautopsy/timeline"
)

func causeByID(t *testing.T, id string) *Cause {
	t.Helper()
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no cause %s", id)
	return nil
}

func (q *inquest) candidateOf(t *testing.T, id, role, stage string) *candidate {
	t.Helper()
	return &candidate{cause: causeByID(t, id), proof: &Proof{}, role: role, stage: stage, confidence: High}
}

func TestAfterwards(t *testing.T) {
	stuck := func(q *inquest, list ...*candidate) *finding {
		return &finding{q: q, outcome: Stuck, candidates: list, root: list[0]}
	}
	withFinalizer := func(q *inquest) *inquest {
		q.object = &timeline.Object{Kind: "Pod", Content: timeline.Decoded{"metadata": map[string]any{"finalizers": []any{"example.com/a"}}}}
		return q
	}
	n := &node{name: "worker-1", logs: map[string]*logSpan{}}

	t.Run("nothing else", func(t *testing.T) {
		q := on(n)
		root := q.candidateOf(t, "mount-busy", RoleRoot, StageVolumes)
		want(t, q.afterwards(stuck(q, root), root, "systemctl restart agent"), "nothing else in the evidence holds it")
	})
	t.Run("kubelet and finalizer", func(t *testing.T) {
		q := withFinalizer(on(n))
		q.pod.specGrace = 45
		q.reconstruct()
		root := q.candidateOf(t, "kubelet-down", RoleRoot, StageNode)
		also := q.candidateOf(t, "finalizer-held", RoleBlocking, StageFinalizers)
		also.signals = []*signal{{keys: map[string]string{"finalizer": "example.com/a"}}}
		f := stuck(q, root, also)
		want(t, q.afterwards(f, root, "systemctl start kubelet"), "grace of 45 s", "still in the way: the finalizer example.com/a")
		want(t, q.afterwards(f, also, `kubectl patch ... "value":"example.com/a"`), "still in the way: the kubelet of the node does not run")
		want(t, q.afterwards(f, root, "kubectl taint node worker-1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"), "PodGC", "example.com/a")
		want(t, q.afterwards(f, root, "kubectl delete pod x --grace-period=0 --force"), "does not clear finalizers")
	})
	t.Run("its controller acts again", func(t *testing.T) {
		q := withFinalizer(on(n))
		root := q.candidateOf(t, "webhook-blocking", RoleRoot, StageFinalizers)
		want(t, q.afterwards(stuck(q, root), root, "kubectl edit ..."), "its controller can then take off the finalizer example.com/a")
	})
	t.Run("what follows goes with its cause", func(t *testing.T) {
		q := on(n)
		root := q.candidateOf(t, "subpath-teardown", RoleRoot, StageVolumes)
		follows := q.candidateOf(t, "mount-busy", RoleConsequence, StageVolumes)
		want(t, q.afterwards(stuck(q, root, follows), root, "umount ..."), "nothing else")
		later := q.candidateOf(t, "cgroup-teardown", RoleConsequence, StageCgroup)
		want(t, q.afterwards(stuck(q, root, later), root, "umount ..."), "still in the way", "cgroup")
	})
	t.Run("a force delete leaves the container", func(t *testing.T) {
		q := on(n)
		q.sees("container-running", Context, scopeSubject, 1, "")
		root := q.candidateOf(t, "d-state", RoleRoot, StageContainers)
		want(t, q.afterwards(stuck(q, root), root, "kubectl delete pod x --grace-period=0 --force"), "goes on running on worker-1")
	})
	t.Run("no object, nothing held", func(t *testing.T) {
		q := on(n)
		root := q.candidateOf(t, "ghost-container", RoleRoot, StageClean)
		if got := q.afterwards(&finding{q: q, outcome: Residue, root: root}, root, "crictl stop"); got != nil {
			t.Errorf("%q", *got)
		}
	})
}

func want(t *testing.T, got *string, parts ...string) {
	t.Helper()
	if got == nil {
		t.Fatalf("nothing, want %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(*got, p) {
			t.Errorf("%q, want %q in it", *got, p)
		}
	}
}

func TestAgainst(t *testing.T) {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	q.reconstruct()
	cite := func(line int, text string) ref {
		return q.s.book.put(evidenceAt(timeline.Source{File: "kubelet.log", Line: line}, nil, text))
	}
	// A failure that a success took back.
	failed := q.sees("kubelet-teardown-failed", Failure, scopeSubject, 3, "", StageVolumes)
	failed.ended, failed.endBy = true, []ref{cite(9, "UnmountVolume.TearDown succeeded")}
	// What the cause says speaks against it.
	running := q.sees("process-running", Context, scopeSubject, 1, "")
	running.refs = []ref{cite(3, "123 Ssl app")}

	c := q.candidateOf(t, "runtime-lost-exit", RoleRoot, StageContainers)
	c.proof = &Proof{All: []Clause{{Any: Words{"kubelet-teardown-failed"}}}}
	got := q.against(c)
	if len(got) != 2 || got[0] != failed.endBy[0] || got[1] != running.refs[0] {
		t.Errorf("%v, want the success and the process", got)
	}
	// A cause whose stage is finished.
	q.stages[StageVolumes] = &stageState{state: stateDone, refs: []ref{failed.endBy[0]}}
	c = q.candidateOf(t, "mount-busy", RoleRuledOut, StageVolumes)
	if got := q.against(c); len(got) != 1 || got[0] != failed.endBy[0] {
		t.Errorf("%v, want what finished the stage", got)
	}
}

// Each cause says in one sentence what would refute it.
func TestEveryCauseCanBeRefuted(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		if len(c.RefutedBy) < 20 || strings.HasSuffix(c.RefutedBy, ".") || strings.Contains(c.RefutedBy, "\n") {
			t.Errorf("%s: %q is no sentence of its own", c.ID, c.RefutedBy)
		}
	}
}
