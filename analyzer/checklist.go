package analyzer

import (
	"fmt"
	"strings"
	"time"
)

// States of a row of the check-list.
const (
	RowClear   = "clear"
	RowLeft    = "left"
	RowUnknown = "unknown"
)

// residueRow is one row of the check-list with its evidence, not cited yet.
type residueRow struct {
	ResidueCheck
	refs []ref
}

// checklist ticks off what a pod may leave behind. It gathers rows in the order
// in which engineers go: the object, the node, the network, storage, who
// speaks for the name, and who counts it.
type checklist struct {
	q    *inquest
	f    *finding
	told map[askedOf]bool // what tells was asked: a table has thousands of rows of one moment
}

// askedOf is what tells was asked of a whole list.
type askedOf struct {
	at   time.Time
	rows string
}

// lookAtResidue ticks off what a pod may leave behind, for pods that the API
// does not have any more, and for those that somebody forced.
func (q *inquest) lookAtResidue(f *finding) {
	if q.kind == "Node" {
		q.lookAtLeavings(f)
		return
	}
	gone := q.inAPI != nil && !*q.inAPI
	c := &checklist{q: q, f: f}
	if q.kind == "Pod" && len(q.untold) > 0 && !q.deletionSeen() {
		c.row(checkObject, RowUnknown, "a dump lacks it, and nothing tells that the dump was taken after the pod had begun", q.untold...)
		return
	}
	if q.kind != "Pod" || !gone && (q.forced == nil || !*q.forced) {
		return
	}
	if q.forced != nil && *q.forced && len(q.forcedRef) > 0 {
		q.observe("force-deleted", scopeSubject, q.forcedAt, nil, q.forcedRef...)
	}
	c.object(gone)
	c.node(gone)
	c.network()
	c.endpoints()
	c.storage()
	c.identity()
	c.workload()
	c.ports()
	if gone {
		q.lookAtNamesakes()
	}
}

func (c *checklist) row(check, state, detail string, refs ...ref) {
	r := residueRow{ResidueCheck{Check: check, State: state, Detail: detail}, refs}
	q := c.q
	words := q.residueWords()
	told := checks[check]
	switch state {
	case RowUnknown:
		r.Command, _ = q.commandLine(q.askFor(check), words)
	case RowLeft:
		c.f.left = append(c.f.left, check)
		r.May = told.may
		r.Clearing = q.clearing(check, words)
	}
	c.f.residue = append(c.f.residue, r)
}

// residueWords are what commands of the check-list may name.
func (q *inquest) residueWords() map[string]string {
	words := map[string]string{"ns": q.ns, "name": q.name, "uid": q.uid, "slice": strings.ReplaceAll(q.uid, "-", "_"), "ip": q.address()}
	if q.node != nil {
		words["node"] = q.node.name
	}
	if len(q.sandboxs) > 0 {
		words["sandbox"] = q.sandboxs[0]
	}
	words["container"] = q.containerToStop()
	return words
}

// address is the pod's own, where anything tells.
func (q *inquest) address() string {
	if q.pod != nil && q.pod.ip != "" {
		return q.pod.ip
	}
	for i := range q.s.tl.Sandboxes {
		if sb := &q.s.tl.Sandboxes[i]; sb.IP != "" && q.owns(sb.PodUID, sb.PodNamespace, sb.Pod, sb.Node) {
			return sb.IP
		}
	}
	for _, t := range q.tracesOf(checkAddress) {
		return t.id
	}
	return ""
}

func (c *checklist) object(gone bool) {
	q := c.q
	if !gone && q.object == nil {
		c.row(checkObject, RowUnknown, "somebody force deleted it; no dump tells whether the API has it still")
		return
	}
	if !gone {
		refs := []ref{q.s.book.object(q.object)}
		detail := "the API has the pod still, though it was force deleted"
		if held := stringsAt(q.object.Content, "metadata", "finalizers"); len(held) > 0 {
			detail += ": " + strings.Join(held, ", ") + " holds it"
			refs = []ref{q.s.book.object(q.object, "metadata", "finalizers")}
		}
		c.row(checkObject, RowLeft, detail, refs...)
		return
	}
	q.observe("object-gone", scopeSubject, q.goneAt, nil, q.goneRefs...)
	if !q.missedSurely {
		q.observe("missed-loosely", scopeSubject, q.vantage(), nil, q.goneRefs...)
		detail := "the dump lacks it, and nothing tells that the dump was taken after the pod had begun"
		if q.untied() {
			detail = "the dump lacks it and its node, and nothing ties the node to the cluster of the dump"
		}
		c.row(checkObject, RowUnknown, detail, q.goneRefs...)
		return
	}
	if q.filtered {
		q.observe("list-may-be-filtered", scopeSubject, q.vantage(), nil, q.goneRefs...)
		c.row(checkObject, RowUnknown, "a saved list lacks it, and nothing tells that the list is of all pods: a selector may have left it out", q.goneRefs...)
		return
	}
	c.row(checkObject, RowClear, "the API does not have the pod", q.goneRefs...)
}

// dumped finds a complete dump of a kind that speaks for now: taken after the
// pod was missed, as far as both are dated.
func (c *checklist) dumped(kind, namespace string) (ref, bool) {
	q := c.q
	l, ok := q.s.listed(kind, namespace)
	if !ok || !l.AsOf.IsZero() && !q.goneAt.IsZero() && l.AsOf.Before(q.goneAt.Add(-settling)) {
		return 0, false
	}
	ev := evidenceAt(l.Source, nil, l.Text)
	ev.Time, ev.Component = moment(l.AsOf), "api-object"
	return q.s.book.put(ev), true
}

// asked cites a complete list of the runtime that speaks for now.
func (c *checklist) asked(kind string) (ref, bool) {
	q := c.q
	if q.node == nil {
		return 0, false
	}
	l := q.s.listedOn(kind, q.node.name)
	if l == nil || !c.tells(l.AsOf, checkContainers, checkSandbox, checkProcesses) {
		return 0, false
	}
	ev := evidenceAt(l.Source, nil, l.Text)
	ev.Node, ev.Component, ev.Time = word(q.node.name), "crictl", moment(l.AsOf)
	return q.s.book.put(ev), true
}

// tells says whether a whole list that was made at a moment, and that has nothing
// of the pod, tells that nothing is there any more: it was made after the pod had
// begun, after the API had lost it, and after the newest proof, in these rows,
// that something of it was there.
func (c *checklist) tells(at time.Time, rows ...string) bool {
	key := askedOf{at, strings.Join(rows, " ")}
	is, asked := c.told[key]
	if !asked {
		is = c.q.nothingSince(at, rows...)
		if c.told == nil {
			c.told = map[askedOf]bool{}
		}
		c.told[key] = is
	}
	return is
}

func (q *inquest) nothingSince(at time.Time, rows ...string) bool {
	last := q.lastSeen(rows...)
	if at.IsZero() {
		return last == nil || last.seen().IsZero() || !q.outdated(last.seen())
	}
	if born, known := q.s.bornAt[q.uid]; known && at.Before(born) {
		return false
	}
	return !q.outdated(at) && (last == nil || !last.seen().After(at.Add(collecting)))
}

// lastSeenThere tells what of the pod was seen last where nothing newer tells
// whether it is there still; ok is false where nothing of it was seen.
func (c *checklist) lastSeenThere(rows ...string) (detail string, at ref, ok bool) {
	q := c.q
	t := q.lastSeen(rows...)
	if t == nil || t.seen().IsZero() || !q.outdated(t.seen()) {
		return "", 0, false
	}
	since := q.judgedAt()
	return fmt.Sprintf("the %s %s was there at %s; the API is known to lack the pod only as of %s, and nothing newer tells of it",
		t.what, t.id[:min(len(t.id), longestShown)], q.clockTime(t.seen()), q.clockTime(since)), q.s.cite(t), true
}

// longestShown is how much of a path or an id the detail of a row shows.
const longestShown = 120

// unknown writes a row that nothing decides: with what was seen last, where that
// is too old to tell, else with what lacks.
func (c *checklist) unknown(check, lacks string, rows ...string) {
	if detail, at, ok := c.lastSeenThere(append(rows, check)...); ok {
		c.row(check, RowUnknown, detail, at)
		return
	}
	c.row(check, RowUnknown, lacks)
}

// seenOr is when a trace was seen, at the latest when the evidence ends.
func (q *inquest) seenOr(t *trace) time.Time {
	if at := t.seen(); !at.IsZero() {
		return at
	}
	return q.vantage()
}

// some cites the first few traces.
func (q *inquest) some(traces []*trace) []ref {
	const enough = 3
	var refs []ref
	for _, t := range traces[:min(enough, len(traces))] {
		refs = append(refs, q.s.cite(t))
	}
	return refs
}

// newestOf is when the newest of the traces was seen; zero where none is dated.
func newestOf(traces []*trace) time.Time {
	var at time.Time
	for _, t := range traces {
		at = latest(at, t.seen())
	}
	return at
}
