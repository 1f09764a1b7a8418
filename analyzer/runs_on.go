package analyzer

import (
	"cmp"
	"slices"
	"time"
)

// Of a pod that the API does not have, what was seen on the node is only left
// behind if it is there still: it may have ended between that moment and the one
// at which the pod was missed. And that something is not there any more is told
// only by a whole list that was made after both.

// runsOn says whether a container or sandbox of the pod is left.
func (q *inquest) runsOn() bool {
	for i := range q.s.tl.Containers {
		if c := &q.s.tl.Containers[i]; c.PodUID == q.uid && c.State == "running" && q.containerRunsOn(c.ID) {
			return true
		}
	}
	for i := range q.s.tl.Sandboxes {
		if sb := &q.s.tl.Sandboxes[i]; sb.PodUID == q.uid && sb.State == "ready" && !q.endedSince(sb.ID, StageSandbox, sb.AsOf) {
			return true
		}
	}
	return false
}

// containerRunsOn says whether the runtime was seen to run a container later
// than anything that tells of its end.
func (q *inquest) containerRunsOn(id string) bool {
	for i := range q.s.tl.Containers {
		if c := &q.s.tl.Containers[i]; sameID(c.ID, id) && c.State == "running" && !q.endedSince(id, StageContainers, c.AsOf) {
			return true
		}
	}
	return false
}

// endedSince says whether something may have ended after it was seen: a log
// tells of its end, or the API lost the pod only later.
func (q *inquest) endedSince(id, stage string, seen time.Time) bool {
	for _, i := range q.events {
		for _, n := range q.s.matchesOf[i] {
			m := &q.s.matches[n]
			about := cmp.Or(m.Keys["container"], m.Keys["sandbox"], m.Keys["id"])
			if m.Signature.Polarity == Success && m.Signature.Strength != Weak && contains(m.Signature.Stage, stage) &&
				about != "" && sameID(about, id) && !seen.After(q.s.tl.Events[i].Time) {
				return true
			}
		}
	}
	return q.outdated(seen)
}

// collecting is how long one collection takes: what was seen within it was seen
// at once.
const collecting = time.Minute

// outdated says whether what was seen of the pod on its node, whoever listed it,
// may be gone in the ordinary way: it was seen before the API is known not to
// have had the pod, or before the dump that has it. That it was there then is
// all that it proves.
func (q *inquest) outdated(seen time.Time) bool {
	switch {
	case seen.IsZero():
		return false
	case !q.goneAt.IsZero():
		return seen.Before(q.goneAt)
	case q.cleanedSince(seen):
		return true
	}
	return q.judgedAt().After(seen.Add(collecting))
}

// cleanedSince says whether the kubelet found a pod in the runtime alone, and began
// to end it, after what was seen of it.
func (q *inquest) cleanedSince(seen time.Time) bool {
	for _, i := range q.events {
		for _, n := range q.s.matchesOf[i] {
			if at := q.s.tl.Events[i].Time; contains(unwanted, q.s.matches[n].Signature.ID) && !q.early(&q.s.tl.Events[i]) {
				return at.After(seen) // the first: what it goes on ending is there still
			}
		}
	}
	return false
}

// judgedAt is the moment of the API's that the node's state is held against: the
// earliest at which it is known not to have had the pod, else the last at which
// it was asked; zero where nothing dates that.
func (q *inquest) judgedAt() time.Time {
	if since := q.missedSince(); !since.IsZero() {
		return since
	}
	if q.object != nil {
		return q.object.AsOf
	}
	return q.s.collected(q.dumpOf())
}

// standing are the subject's traces of one row of the check-list that were seen
// after the API had lost the pod.
func (q *inquest) standing(check string) []*trace {
	return slices.DeleteFunc(q.tracesOf(check), func(t *trace) bool {
		if t.object != nil {
			return q.outdated(q.s.dumpedAt(t.object))
		}
		return q.outdated(t.seen())
	})
}

// lastSeen is the newest of the traces of these rows, dated ones first; nil where
// there is none.
func (q *inquest) lastSeen(checks ...string) *trace {
	var last *trace
	for _, check := range checks {
		for _, t := range q.tracesOf(check) {
			if last == nil || t.seen().After(last.seen()) {
				last = t
			}
		}
	}
	return last
}
