package analyzer

import (
	"strconv"

	"podautopsy/timeline"
)

// finalizerKeys tell of a finalizer its place in the list and, by
// metadata.managedFields, who put it there.
// https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management
func finalizerKeys(o *timeline.Object, index int, finalizer string) map[string]string {
	keys := map[string]string{"finalizer": finalizer, "held": finalizer, "index": strconv.Itoa(index)}
	for _, m := range mapsAt(o.Content, "metadata", "managedFields") {
		fields, _ := m["fieldsV1"].(map[string]any)
		meta, _ := fields["f:metadata"].(map[string]any)
		set, _ := meta["f:finalizers"].(map[string]any)
		if _, ok := set[`v:"`+finalizer+`"`]; !ok {
			continue
		}
		if manager, _ := m["manager"].(string); manager != "" {
			keys["held"] = finalizer + " (set by " + oneLine(manager) + ")"
		}
	}
	return keys
}
