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
	m := eventMerger{
		events:   make([]*Event, 0, total),
		next:     make([]int32, 0, total),
		usedBy:   make([]int32, 0, total),
		alike:    make(map[eventKey]*likeEvents, total),
		cursors:  map[string]int{},
		apiAlike: map[apiEventKey][]int{},
		kernel:   map[eventKey]*kernelRepeats{},
		dmesg:    map[string]bool{},
	}
	for _, b := range builders {
		m.dmesg[b.Input.Path] = b.Input.Format == "dmesg"
	}
	for n, b := range builders {
		if isReversed(b) {
			// Entries of the same time stand newest first as well.
			for i := range b.Events {
				b.Events[i].Seq = len(b.Events) - 1 - i
			}
			for i := range slices.Backward(b.Events) {
				m.add(&b.Events[i], int32(n))
			}
			continue
		}
		for i := range b.Events {
			m.add(&b.Events[i], int32(n))
		}
	}
	return inOrder(m.events)
}

// eventKey is what two readings of one entry have in common. Where the message
// does not hold its own time, they lie in the same second, or nearly so.
type eventKey struct {
	node, component, message string
	second                   int64
}

// likeEvents are the entries of one key, linked through eventMerger.next, and
// how far the file that is being read has used them up.
type likeEvents struct {
	first, last int32
	file        int32
	at          int32 // the next one that this file may repeat; -1 none
}

type eventMerger struct {
	events   []*Event
	next     []int32 // of the same key; -1 none
	usedBy   []int32 // the file that was last found to hold it, too
	alike    map[eventKey]*likeEvents
	pool     []likeEvents
	cursors  map[string]int
	apiAlike map[apiEventKey][]int
	kernel   map[eventKey]*kernelRepeats
	dmesg    map[string]bool // files
}

func (m *eventMerger) add(e *Event, file int32) {
	if e.Source.Cursor != "" {
		if at, dup := m.cursors[e.Source.Cursor]; dup && m.events[at].Source.File != e.Source.File {
			m.events[at].AlsoAt = append(m.events[at].AlsoAt, e.Source)
			return
		}
	}
	if e.Component == APIEvent {
		m.addAPIEvent(e)
		return
	}
	k := eventKey{node: e.Node, component: e.Component, message: e.Message}
	if e.Component == Kernel && e.Node != "" && m.foldKernel(k, e, file) {
		return
	}
	if carriesTime(e.Message) || e.Time.IsZero() {
		if m.fold(k, e, file) {
			return
		}
	} else {
		k.second = e.Time.Unix()
		if m.fold(k, e, file) {
			return
		}
		// A dump may have cut or rounded the time into the second beside.
		for _, beside := range [...]time.Duration{-nearby(e.Precision), nearby(e.Precision)} {
			if s := e.Time.Add(beside).Unix(); s != k.second {
				if m.fold(eventKey{k.node, k.component, k.message, s}, e, file) {
					return
				}
			}
		}
	}
	at := int32(len(m.events))
	l := m.alike[k]
	if l == nil {
		if len(m.pool) == cap(m.pool) {
			m.pool = make([]likeEvents, 0, 1024)
		}
		m.pool = append(m.pool, likeEvents{first: at, last: at, file: file, at: -1})
		m.alike[k] = &m.pool[len(m.pool)-1]
	} else {
		m.next[l.last] = at
		l.last = at
	}
	m.events = append(m.events, e)
	m.next, m.usedBy = append(m.next, -1), append(m.usedBy, -1)
	if e.Source.Cursor != "" {
		m.cursors[e.Source.Cursor] = int(at)
	}
	if e.Component == Kernel && e.Node != "" {
		const plenty = 4096
		k.second = 0
		if r := m.kernel[k]; len(r.events) < plenty {
			r.events = append(r.events, at)
		}
	}
}

// fold looks for the entry that e is another reading of. What one file repeats
// are several entries; each may stand once in each other file.
func (m *eventMerger) fold(k eventKey, e *Event, file int32) bool {
	l := m.alike[k]
	if l == nil {
		return false
	}
	if l.file != file {
		l.file, l.at = file, l.first
	}
	// Files are in order, so that the counterpart is near the last one's.
	const reach = 64
	i := l.at
	for range reach {
		if i < 0 {
			return false
		}
		kept := m.events[i]
		passed := m.usedBy[i] == file || kept.Source.File == e.Source.File
		fits := !passed
		if fits && !carriesTime(e.Message) {
			near := nearby(max(kept.Precision, e.Precision))
			apart := kept.Time.Sub(e.Time)
			passed = apart < -near
			// Two entries of one journal are told apart by their numbers.
			fits = apart.Abs() <= near && !sameJournal(kept.Source.Cursor, e.Source.Cursor)
		}
		if fits {
			keepBetter(kept, e)
			m.usedBy[i] = file
			if e.Source.Cursor != "" {
				m.cursors[e.Source.Cursor] = int(i)
			}
			return true
		}
		if passed && i == l.at {
			l.at = m.next[i]
		}
		i = m.next[i]
	}
	return false
}

// foldKernel looks for the reading of a kernel message that dmesg shows and a
// journal has, too. What is counted from the boot is a wall clock's time only
// roughly, so that of what is repeated the order tells which is which.
func (m *eventMerger) foldKernel(k eventKey, e *Event, file int32) bool {
	r := m.kernel[k]
	if r == nil {
		r = &kernelRepeats{}
		m.kernel[k] = r
	}
	if r.file != file {
		r.file, r.next = file, 0
	}
	const reach = 64
	best := -1
	for at := r.next; at < min(len(r.events), r.next+reach); at++ {
		i := r.events[at]
		kept := m.events[i]
		if kept.Source.File == e.Source.File {
			break
		}
		if m.usedBy[i] == file || !m.sameKernelMoment(kept, e) {
			continue
		}
		if best < 0 || kept.Time.Sub(e.Time).Abs() < m.events[r.events[best]].Time.Sub(e.Time).Abs() {
			best = at
		}
	}
	if best >= 0 {
		i := r.events[best]
		kept := m.events[i]
		if m.rough(kept) && !m.rough(e) {
			*kept, *e = *e, *kept // its time is the clock's
			kept.AlsoAt, e.AlsoAt = e.AlsoAt, nil
			kept.AlsoAt = append(kept.AlsoAt, e.Source)
		} else {
			keepBetter(kept, e)
		}
		m.usedBy[i] = file
		r.next = best + 1
		return true
	}
	return false
}

// kernelRepeats are the entries of one kernel message, and how far the file
// that is being read has used them up.
type kernelRepeats struct {
	events []int32
	file   int32
	next   int
}

// sameKernelMoment says whether two readings of a kernel message may be one.
func (m *eventMerger) sameKernelMoment(a, b *Event) bool {
	if a.Stamp.HasSinceBoot && b.Stamp.HasSinceBoot {
		return (a.Stamp.SinceBoot - b.Stamp.SinceBoot).Abs() <= time.Millisecond
	}
	slack := nearby(max(a.Precision, b.Precision))
	if m.rough(a) || m.rough(b) {
		const drift = 5 * time.Minute // of the clock that counts from the boot, in weeks
		slack = max(drift, slack)
	}
	return !a.Time.IsZero() && !b.Time.IsZero() && a.Time.Sub(b.Time).Abs() <= slack && !sameJournal(a.Source.Cursor, b.Source.Cursor)
}

// rough says whether the time was worked out from seconds since boot, by us or
// by dmesg -T.
func (m *eventMerger) rough(e *Event) bool { return e.Stamp.HasSinceBoot || m.dmesg[e.Source.File] }

// nearby is how far two readings of one moment lie apart: journald's time of
// receipt and the program's own differ by some milliseconds.
func nearby(precision time.Duration) time.Duration {
	return max(precision, 20*time.Millisecond)
}

// sameJournal says whether two cursors number the entries of one journal file:
// they begin with the id of the sequence.
func sameJournal(a, b string) bool {
	s, _, ok := strings.Cut(a, ";")
	t, _, _ := strings.Cut(b, ";")
	return ok && s == t && strings.HasPrefix(s, "s=")
}

// addAPIEvent adds an Event object, which differs from its repeats in nothing
// but count and time. Tables round the time and may lack the namespace.
func (m *eventMerger) addAPIEvent(e *Event) {
	k := apiKey(e)
	for _, at := range m.apiAlike[k] {
		kept := m.events[at]
		if kept.Source.File == e.Source.File {
			continue
		}
		apart := kept.Time.Sub(e.Time).Abs()
		slack := max(kept.Precision, e.Precision)
		if kept.Stamp.HasAge || e.Stamp.HasAge {
			slack += time.Second // both ends of an age are rounded
		}
		if kept.Time.IsZero() != e.Time.IsZero() || apart > slack || kept.Time != e.Time && slices.ContainsFunc(kept.AlsoAt, func(s Source) bool { return s.File == e.Source.File }) {
			continue
		}
		keepBetterAPIEvent(kept, e)
		return
	}
	const plenty = 64 // of a hostile dump's repeats only so many are compared
	if len(m.apiAlike[k]) < plenty {
		m.apiAlike[k] = append(m.apiAlike[k], len(m.events))
	}
	m.events = append(m.events, e)
	m.next, m.usedBy = append(m.next, -1), append(m.usedBy, -1)
}

// keepBetterAPIEvent folds the same API event, read twice, into the one whose
// time is told in full, and keeps what only the other knows.
func keepBetterAPIEvent(kept, other *Event) {
	exact := func(e *Event) int {
		n := 0
		if !e.Time.IsZero() && !e.Stamp.HasAge {
			n += 2
		}
		if e.Object().UID != "" {
			n++
		}
		return n
	}
	less := *other
	if exact(other) > exact(kept) {
		less = *kept
		source, also := kept.Source, kept.AlsoAt
		*kept = *other
		kept.AlsoAt = append(also, source)
	} else {
		kept.AlsoAt = append(kept.AlsoAt, other.Source)
	}
	if kept.API == nil {
		kept.API = less.API
	} else if less.API != nil {
		kept.API.Count = max(kept.API.Count, less.API.Count)
		if kept.API.First.IsZero() {
			kept.API.First = less.API.First
		}
		kept.API.Object.UID = cmp.Or(kept.API.Object.UID, less.API.Object.UID)
	}
	kept.Node = cmp.Or(kept.Node, less.Node)
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

// inOrder sorts events by time. They are large, so each is moved only once.
func inOrder(events []*Event) []Event {
	slices.SortStableFunc(events, compareEvents)
	out := make([]Event, len(events))
	for i, e := range events {
		out[i] = *e
	}
	return out
}

func compareEvents(a, b *Event) int {
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
// describe shows by name alone belongs to the life of that name that is as
// old, else to the newest; what was listed without its namespace to the only
// namespace that has the name.
func mergeObjects(builders []*Builder) []*Object {
	type name struct{ kind, ns, name string }
	at := map[string]int{} // by kind and uid
	livesOf := map[name]*lives{}
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
			if livesOf[n] == nil {
				livesOf[n] = &lives{}
			}
			livesOf[n].add(o, i)
		}
	}
	namespaces := map[name]map[string]bool{} // by kind and name
	told := func(n name) {
		short := name{n.kind, "", n.name}
		if namespaces[short] == nil {
			namespaces[short] = map[string]bool{}
		}
		namespaces[short][n.ns] = true
	}
	for n := range livesOf {
		told(n)
	}
	slices.SortStableFunc(nameless, func(a, b *Object) int {
		return -cmp.Compare(min(len(a.Namespace), 1), min(len(b.Namespace), 1))
	})
	for _, o := range nameless {
		n := name{o.Kind, o.Namespace, o.Name}
		if o.Namespace == "" {
			n.ns = only(namespaces[n])
		} else {
			told(n)
		}
		if of := livesOf[n]; of != nil {
			i := of.shownBy(o)
			objects[i] = newerObject(objects[i], o)
			continue
		}
		livesOf[n] = &lives{}
		livesOf[n].add(o, len(objects))
		objects = append(objects, o)
	}
	return objects
}

// lives are the objects that bore one name, by when they were made. A hostile
// list has no end of them.
type lives struct {
	made   []life
	sorted bool
}

type life struct {
	created time.Time
	object  int
}

func (l *lives) add(o *Object, i int) {
	l.made, l.sorted = append(l.made, life{created(o), i}), false
}

// shownBy finds the life that o shows without its UID: the one that is as old,
// else the newest. There is one.
func (l *lives) shownBy(o *Object) int {
	const round = time.Minute // what an age loses, and the time of the capture
	if !l.sorted {
		slices.SortStableFunc(l.made, func(a, b life) int { return a.created.Compare(b.created) })
		l.made = slices.CompactFunc(l.made, func(a, b life) bool { return a.created.Equal(b.created) })
		l.sorted = true
	}
	newest := l.made[len(l.made)-1].object
	shown := created(o)
	if age, ok := o.Ages["metadata.creationTimestamp"]; ok && agePrecision(age) > round || shown.IsZero() {
		return newest
	}
	next, _ := slices.BinarySearchFunc(l.made, shown, func(x life, t time.Time) int { return x.created.Compare(t) })
	nearest, distance := newest, round+1
	for i := max(0, next-1); i < min(next+1, len(l.made)); i++ {
		if d := l.made[i].created.Sub(shown).Abs(); d < distance {
			nearest, distance = l.made[i].object, d
		}
	}
	return nearest
}

func created(o *Object) time.Time {
	t, _ := time.Parse(time.RFC3339, o.textAt("metadata", "creationTimestamp"))
	return t
}

// mostPlaces are kept of one object. More tell nothing, and a list that shows it
// without end would cost its square.
const mostPlaces = 100

// MayBeIn says whether a file shows the object, as far as its places are kept.
func (o *Object) MayBeIn(file string) bool {
	return o.Source.File == file || len(o.AlsoAt) >= mostPlaces || slices.ContainsFunc(o.AlsoAt, func(at Source) bool { return at.File == file })
}

func newerObject(a, b *Object) *Object {
	newer, older := a, b
	if better(b, a) {
		newer, older = b, a
	}
	kept := *newer
	if len(newer.AlsoAt) < mostPlaces {
		kept.AlsoAt = slices.Concat(newer.AlsoAt, []Source{older.Source}, older.AlsoAt)
		kept.AlsoAt = slices.Clip(kept.AlsoAt[:min(len(kept.AlsoAt), mostPlaces)])
	}
	if kept.AsOf.Before(older.AsOf) {
		kept.AsOf = older.AsOf
	}
	kept.Ending = earliestEnding(newer, older)
	return &kept
}

// earliestEnding is the first of the showings of an object in deletion, if the
// last one is of it, too.
func earliestEnding(newer, older *Object) *Object {
	if !showsEnding(newer) {
		return nil
	}
	var first *Object
	for _, o := range [...]*Object{newer.Ending, older.Ending, newer, older} {
		if o != nil && showsEnding(o) && !o.AsOf.IsZero() && (first == nil || o.AsOf.Before(first.AsOf)) {
			first = o
		}
	}
	if first == newer {
		return nil
	}
	return first
}

// showsEnding says whether a table shows the object in deletion, or all of it
// does.
func showsEnding(o *Object) bool {
	return o.Field("metadata", "deletionTimestamp") != nil || o.Field("status", "displayed") == "Terminating"
}

// better says whether a says more of the object, or later, than b.
func better(a, b *Object) bool {
	if a.Partial != b.Partial {
		return !a.Partial
	}
	if va, vb := a.Version(), b.Version(); va != vb && va != 0 && vb != 0 {
		return va > vb
	}
	if !a.AsOf.Equal(b.AsOf) {
		return a.AsOf.After(b.AsOf)
	}
	return size(map[string]any(a.Whole())) > size(map[string]any(b.Whole()))
}

// Version is the object's resourceVersion as etcd counts it; 0 if not a number.
func (o *Object) Version() uint64 {
	text := o.textAt("metadata", "resourceVersion")
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
