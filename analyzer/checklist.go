package analyzer

import (
	"strings"
	"time"

	"podautopsy/timeline"
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
	q *inquest
	f *finding
}

// lookAtResidue ticks off what a pod may leave behind, for pods that the API
// does not have any more, and for those that somebody forced.
func (q *inquest) lookAtResidue(f *finding) {
	if q.kind == "Node" {
		q.lookAtLeavings(f)
		return
	}
	gone := q.inAPI != nil && !*q.inAPI
	if q.kind != "Pod" || !gone && (q.forced == nil || !*q.forced) {
		return
	}
	if q.forced != nil && *q.forced && len(q.forcedRef) > 0 {
		q.observe("force-deleted", scopeSubject, q.forcedAt, nil, q.forcedRef...)
	}
	c := &checklist{q: q, f: f}
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
	if l == nil || !l.AsOf.IsZero() && !q.goneAt.IsZero() && l.AsOf.Before(q.goneAt) {
		return 0, false
	}
	ev := evidenceAt(l.Source, nil, l.Text)
	ev.Node, ev.Component, ev.Time = word(q.node.name), "crictl", moment(l.AsOf)
	return q.s.book.put(ev), true
}

// shown says whether a fact of the node speaks for now.
func (c *checklist) shown(f *timeline.Fact) bool { return c.shownAt(f.AsOf) }

func (c *checklist) shownAt(seen time.Time) bool {
	return seen.IsZero() || c.q.goneAt.IsZero() || !seen.Before(c.q.goneAt)
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
