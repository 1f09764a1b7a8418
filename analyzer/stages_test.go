package analyzer

import (
	"testing"
	"time"
)

// What the kubelet unmounts of other pods says nothing of this one, also where
// its line names no pod.
func TestTornDownIsOfThePod(t *testing.T) {
	for scope, want := range map[scope]string{scopeNode: stateRunning, scopeNeighbours: stateRunning, scopeSubject: stateUnknown} {
		q := on(&node{name: "n", logs: map[string]*logSpan{}})
		q.requested = time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
		q.stages = map[string]*stageState{StageContainers: {state: stateUnknown}}
		q.sees("container-running", Context, scopeSubject, 1, "")
		q.sees("kubelet-op-backoff", Failure, scope, 3, "", StageVolumes)
		q.settleContainers()
		if got := q.stages[StageContainers].state; got != want {
			t.Errorf("%s: containers %s, want %s", scope, got, want)
		}
	}
}
