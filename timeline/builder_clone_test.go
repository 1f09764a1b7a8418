package timeline

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Assembled, a clone leaves the builder as it was, so that a second one gives
// the same timeline.
func TestCloneIsAssembledApart(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	dump := NewBuilder("pods.txt")
	dump.AddObject(&Object{
		Kind: "Pod", Namespace: "shop", Name: "web-0", Partial: true, Content: Decoded{"metadata": map[string]any{"name": "web-0"}},
		Ages: map[string]time.Duration{"metadata.creationTimestamp": time.Hour},
	})
	dump.Input.CapturedAt = at
	log := NewBuilder("kubelet.log")
	log.Host("worker-1")
	for i := range 3 {
		log.Add(Event{
			Time: time.Date(0, 11, 30, 9, i, 0, 0, time.UTC), Stamp: Stamp{Wall: true, NoYear: true}, Node: "worker-1", Component: "kubelet",
			Message: `"SyncLoop DELETE" source="api" pods=["shop/web-0"]`, Source: log.Src(i+1, 0),
		})
	}
	assembled := func() *Timeline { return Assemble([]*Builder{dump.Clone(), log.Clone()}, Options{}) }
	first := assembled()
	if log.Events[0].Time.Year() != 0 || dump.Objects[0].Field("metadata").(map[string]any)["creationTimestamp"] != nil {
		t.Fatal("the builders were changed")
	}
	if diff := cmp.Diff(first, assembled(), cmpopts.IgnoreUnexported(Object{}, NodeClock{}), cmp.AllowUnexported(Input{})); diff != "" {
		t.Errorf("(-first +second):\n%s", diff)
	}
	if got, want := first.Objects[0].Field("metadata").(map[string]any)["creationTimestamp"], "2026-11-30T07:00:00Z"; got != want {
		t.Errorf("created %v, want %s", got, want)
	}
}
