package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// mergeEvents puts the events of all files in order, each entry once. The same
// journal exported twice, or as text and as export, is one entry with two
// sources.
func mergeEvents(builders []*Builder) []Event {
	total := 0
	for _, b := range builders {
		total += len(b.Events)
	}
	events := make([]Event, 0, total)
	if len(builders) == 0 {
		return events
	}
	type key struct {
		node, component, message string
		second                   int64
		nth                      int
	}
	seen := make(map[key]int, total)
	cursors := map[string]int{}
	for _, b := range builders {
		repeats := map[key]int{}
		for i := range b.Events {
			e := &b.Events[i]
			if e.Source.Cursor != "" {
				if at, dup := cursors[e.Source.Cursor]; dup && events[at].Source.File != e.Source.File {
					events[at].AlsoAt = append(events[at].AlsoAt, e.Source)
					continue
				}
			}
			k := key{node: e.Node, component: e.Component, message: e.Message}
			if !carriesTime(e.Message) {
				k.second = e.Time.Unix()
			}
			if e.Component == APIEvent {
				// Repeats of an API event differ in nothing but count and time.
				k.node = e.Object.Kind + "/" + e.Object.Namespace + "/" + e.Object.Name
			}
			repeats[k]++
			k.nth = repeats[k]
			if at, dup := seen[k]; dup && events[at].Source.File != e.Source.File {
				keepBetter(&events[at], e)
				continue
			}
			seen[k] = len(events)
			if e.Source.Cursor != "" {
				cursors[e.Source.Cursor] = len(events)
			}
			events = append(events, *e)
		}
	}
	slices.SortStableFunc(events, compareEvents)
	return events
}

// keepBetter folds the same entry, read twice, into the one that says more.
func keepBetter(kept, other *Event) {
	if other.Precision != 0 && (kept.Precision == 0 || other.Precision < kept.Precision) && !other.Time.IsZero() {
		source, also := kept.Source, kept.AlsoAt
		*kept = *other
		kept.AlsoAt = append(also, source)
		return
	}
	kept.AlsoAt = append(kept.AlsoAt, other.Source)
}

// carriesTime says whether a message holds its own time of high precision, so
// that equal text means the same moment: a klog header or logrus' time=.
func carriesTime(m string) bool {
	if len(m) > 21 && strings.IndexByte("IWEF", m[0]) >= 0 && m[5] == ' ' && m[8] == ':' && m[14] == '.' {
		return true
	}
	return strings.HasPrefix(m, "time=")
}

func compareEvents(a, b Event) int {
	if a.Time.IsZero() != b.Time.IsZero() {
		if a.Time.IsZero() {
			return 1
		}
		return -1
	}
	return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Seq, b.Seq))
}

// mergeObjects keeps each object once. Two dumps of the same object are the
// same fact if nothing changed between them; else the newer one stands and
// the older is kept beside it only as a source. What a table or kubectl
// describe shows by name alone belongs to the newest life of that name.
func mergeObjects(builders []*Builder) []*Object {
	type name struct{ kind, ns, name string }
	at := map[string]int{} // by kind and uid
	newest := map[name]int{}
	var objects, nameless []*Object
	for _, b := range builders {
		for _, o := range b.Objects {
			if o.UID == "" {
				nameless = append(nameless, o)
				continue
			}
			key := o.Kind + "/" + o.UID
			i, dup := at[key]
			if dup {
				objects[i] = newerObject(objects[i], o)
				continue
			}
			i = len(objects)
			at[key] = i
			objects = append(objects, o)
			n := name{o.Kind, o.Namespace, o.Name}
			if j, ok := newest[n]; !ok || createdLater(o, objects[j]) {
				newest[n] = i
			}
		}
	}
	for _, o := range nameless {
		n := name{o.Kind, o.Namespace, o.Name}
		if i, ok := newest[n]; ok {
			objects[i] = newerObject(objects[i], o)
			continue
		}
		newest[n] = len(objects)
		objects = append(objects, o)
	}
	return objects
}

func createdLater(a, b *Object) bool {
	created := func(o *Object) string {
		meta, _ := o.Content["metadata"].(map[string]any)
		t, _ := meta["creationTimestamp"].(string)
		return t
	}
	return created(a) > created(b)
}

func newerObject(a, b *Object) *Object {
	newer, older := a, b
	if better(b, a) {
		newer, older = b, a
	}
	kept := *newer
	kept.AlsoAt = append(slices.Clone(newer.AlsoAt), older.Source)
	kept.AlsoAt = append(kept.AlsoAt, older.AlsoAt...)
	if kept.AsOf.Before(older.AsOf) {
		kept.AsOf = older.AsOf
	}
	return &kept
}

// better says whether a says more of the object, or later, than b.
func better(a, b *Object) bool {
	if a.Partial != b.Partial {
		return !a.Partial
	}
	if va, vb := version(a), version(b); va != vb && va != 0 && vb != 0 {
		return va > vb
	}
	if !a.AsOf.Equal(b.AsOf) {
		return a.AsOf.After(b.AsOf)
	}
	return size(a.Content) > size(b.Content)
}

// version is the object's resourceVersion as etcd counts it; 0 if not a number.
func version(o *Object) uint64 {
	meta, _ := o.Content["metadata"].(map[string]any)
	text, _ := meta["resourceVersion"].(string)
	var n uint64
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return 0
		}
		n = n*10 + uint64(text[i]-'0')
	}
	return n
}

func size(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, x := range v {
			n += size(x)
		}
	case []any:
		for _, x := range v {
			n += size(x)
		}
	}
	return n
}

// newestTime is the latest RFC 3339 time below v, skipping managed fields'
// content but not their times.
func newestTime(v any, newest time.Time) time.Time {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if k == "deletionTimestamp" || k == "fieldsV1" || k == "spec" {
				continue
			}
			newest = newestTime(x, newest)
		}
	case []any:
		for _, x := range v {
			newest = newestTime(x, newest)
		}
	case string:
		if len(v) >= 20 && len(v) <= 35 && v[4] == '-' && v[10] == 'T' {
			if t, err := time.Parse(time.RFC3339Nano, v); err == nil && t.After(newest) {
				newest = t
			}
		}
	}
	return newest
}
