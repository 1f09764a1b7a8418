package analyzer

import (
	"slices"
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

// placeOf is a finalizer's place in the object's list; "" if it is not there.
func (q *inquest) placeOf(finalizer string) string {
	if q.object == nil || finalizer == "" {
		return ""
	}
	if i := slices.Index(stringsAt(q.object.Content, "metadata", "finalizers"), finalizer); i >= 0 {
		return strconv.Itoa(i)
	}
	return ""
}

// mostEach is how many finalizers are told of one by one; honest objects have two
// or three.
const mostEach = 8

// holdEach makes a candidate of each finalizer that holds the object: each has
// an owner of its own, and taking off one leaves the others.
func (q *inquest) holdEach(f *finding) {
	for _, c := range slices.Clone(f.candidates) {
		if c.cause.ID != "finalizer-held" || c.role != RoleRoot && c.role != RoleBlocking {
			continue
		}
		var names []string
		for _, sg := range c.principal {
			if name := sg.keys["finalizer"]; name != "" {
				names = appendOnce(names, name)
			}
		}
		if len(names) < 2 {
			continue
		}
		whole := *c
		names = names[:min(len(names), mostEach)]
		for i, name := range names {
			one := c // the first stays what the candidate is
			if i > 0 {
				other := whole
				other.role, other.known = RoleBlocking, nil
				one = &other
				f.candidates = append(f.candidates, one)
			}
			others := func(sg *signal) bool {
				of := sg.keys["finalizer"]
				return of != "" && of != name && (i > 0 || contains(names, of)) // the first speaks for those without a candidate, too
			}
			one.principal = slices.DeleteFunc(slices.Clone(whole.principal), others)
			one.signals = slices.DeleteFunc(slices.Clone(whole.signals), others)
			one.because = expand(one.proof.Because, q.words(one))
		}
	}
}

// holding is the candidate of a finalizer that holds the object, else the root.
func (f *finding) holding(finalizer string) *candidate {
	for _, c := range f.candidates {
		if c.cause.ID == "finalizer-held" && (c.role == RoleRoot || c.role == RoleBlocking) && finalizer != "" && c.principal[0].keys["finalizer"] == finalizer {
			return c
		}
	}
	return f.root
}
