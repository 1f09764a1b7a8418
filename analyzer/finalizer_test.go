package analyzer

import (
	"testing"

	"podautopsy/timeline"
)

func TestFinalizerKeys(t *testing.T) {
	o := &timeline.Object{Content: timeline.Decoded{"metadata": map[string]any{"managedFields": []any{
		map[string]any{"manager": "kubelet", "fieldsV1": map[string]any{"f:status": map[string]any{}}},
		map[string]any{"manager": "kueue", "fieldsV1": map[string]any{"f:metadata": map[string]any{"f:finalizers": map[string]any{
			".": map[string]any{}, `v:"kueue.x-k8s.io/managed"`: map[string]any{},
		}}}},
	}}}}
	for finalizer, held := range map[string]string{
		"kueue.x-k8s.io/managed": "kueue.x-k8s.io/managed (set by kueue)",
		"example.com/other":      "example.com/other",
	} {
		keys := finalizerKeys(o, 2, finalizer)
		if keys["held"] != held || keys["index"] != "2" || keys["finalizer"] != finalizer {
			t.Errorf("%s: %v", finalizer, keys)
		}
	}
	if got, want := finalizerPatch("a.b/c", "2"), `[{"op":"test","path":"/metadata/finalizers/2","value":"a.b/c"},{"op":"remove","path":"/metadata/finalizers/2"}]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
