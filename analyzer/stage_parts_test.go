package analyzer

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

// Of two containers and two volumes the one that fails is told from the one
// that has finished.
func TestStagesByPart(t *testing.T) {
	const uid = "11111111-2222-3333-4444-555555555555"
	at := func(second int) time.Time { return time.Date(2026, 11, 30, 8, 0, second, 0, time.UTC) }
	q := &inquest{
		s: &scene{tl: &timeline.Timeline{}, objects: map[string][]*timeline.Object{}}, kind: "Pod", uid: uid, requested: at(0),
		pod: &pod{
			containers: []podContainer{
				{name: "app", id: "aaaaaaaaaaaaaaaa", state: "running"}, {name: "proxy", id: "bbbbbbbbbbbbbbbb", state: "running"}, {name: "setup", init: true},
			},
			volumes: []podVolume{{name: "data"}, {name: "config"}, {name: "tmp"}},
		},
		stages: map[string]*stageState{
			StageContainers: {state: stateFailed}, StageSandbox: {state: stateNotReached}, StageVolumes: {state: stateFailed},
		},
		signals: []*signal{
			{id: "stop-failed", polarity: Failure, strength: Decisive, scope: scopeSubject, stages: []string{StageContainers}, keys: map[string]string{"container": "aaaaaaaaaaaa"}, last: at(30)},
			{id: "stopped", polarity: Success, strength: Decisive, scope: scopeSubject, stages: []string{StageContainers}, keys: map[string]string{"container": "bbbbbbbbbbbb"}, last: at(3)},
			{id: "busy", polarity: Failure, strength: Decisive, scope: scopeSubject, stages: []string{StageVolumes}, keys: map[string]string{"unique": "kubernetes.io/empty-dir/" + uid + "-data"}, last: at(40)},
			{id: "unmounted", polarity: Success, strength: Decisive, scope: scopeSubject, stages: []string{StageVolumes}, keys: map[string]string{"volume": "config"}, last: at(5)},
		},
	}
	want := map[string]string{
		"app": stateFailed, "proxy": stateDone, // setup has ended long ago
		"data": stateFailed, "config": stateDone, "tmp": stateUnknown,
	}
	got := 0
	for _, stage := range []string{StageContainers, StageSandbox, StageVolumes} {
		for _, p := range q.partsOf(stage) {
			got++
			name := p.container + p.volume
			if p.state != want[name] {
				t.Errorf("%s of %s: %s, want %s", stage, name, p.state, want[name])
			}
			if name == "proxy" && !p.at.Equal(at(3)) {
				t.Errorf("proxy stopped at %s", p.at)
			}
		}
	}
	if got != len(want) {
		t.Errorf("%d parts, want %d", got, len(want))
	}
}
