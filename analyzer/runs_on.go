package analyzer

import (
	"cmp"
	"time"
)

// Of a pod that the API does not have, a container that was seen to run is only
// left behind if it runs on: it may have ended between that moment and the one
// at which the pod was missed.

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
// tells of its end, or the dump that lacks the pod is the newer one.
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
	const collecting = time.Minute // one collection takes as long
	listing, ok := q.s.listed("Pod", q.ns)
	return ok && q.goneAt.IsZero() && !seen.IsZero() && listing.AsOf.After(seen.Add(collecting))
}
