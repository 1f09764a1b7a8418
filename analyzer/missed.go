package analyzer

import (
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// notice finds out whether the API object is there, and since when it is not.
// The newest evidence wins: a REMOVE in the log after the dump.
func (q *inquest) notice() {
	yes, no := true, false
	if q.object != nil {
		q.inAPI = &yes
	}
	if q.kind != "Pod" {
		q.noticeObject()
		return
	}
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if e.Component != timeline.Kubelet || !strings.Contains(e.Message, "SyncLoop") || !strings.Contains(e.Message, "REMOVE") {
			continue
		}
		if q.early(e) {
			continue
		}
		q.goneAt = e.Time
		q.goneRefs = []ref{q.s.book.event(i, "kubelet-syncloop-remove")}
	}
	if !q.goneAt.IsZero() {
		// A dump that shows the object later takes the REMOVE back: it was of
		// another life.
		if q.object != nil && !q.object.Partial && q.object.AsOf.After(q.goneAt.Add(5*time.Second)) {
			q.goneAt, q.goneRefs = time.Time{}, nil
			return
		}
		q.inAPI, q.missedSurely = &no, true
		return
	}
	if q.object != nil {
		q.noticeLater()
		return
	}
	if q.node != nil && (q.s.tl.Strangers[q.node.name] || q.s.runsOthers(q.node.name)) {
		return // the dump is of other machines, and lacks its pods for that
	}
	if q.object == nil && q.name != "" {
		if at, ok := q.s.absent("Pod", q.ns, q.name); ok {
			q.filtered = q.mayBeFiltered(q.dumpOf())
			q.missBy(at, !q.livedAfterDump() && (q.answeredNotFound() || q.beganBefore(q.dumpOf()) && !q.untied()))
		}
		// A namesake with another UID lives: this life is over, or has not begun.
		for _, p := range q.namesakes() {
			if q.inAPI == nil {
				q.missBy(q.s.book.object(p.object, "metadata", "uid"), len(q.successors()) > 0 || q.beganBefore(timeline.Listing{AsOf: p.object.AsOf}))
			}
		}
	}
	if q.object == nil && q.name == "" && q.uid != "" && !q.s.masksUIDs() {
		// Nothing tells its namespace, so the dump must have all of them.
		if l, ok := q.s.listedEverywhere("Pod"); ok {
			ev := evidenceAt(l.Source, nil, l.Text)
			ev.Time, ev.Component = moment(l.AsOf), "api-object"
			q.filtered = q.mayBeFiltered(l)
			q.missBy(q.s.book.put(ev), !q.livedAfterDump() && q.beganBefore(q.s.dated(l)) && !q.untied())
		}
	}
	if q.object == nil && (q.inAPI == nil || q.filtered) {
		q.noticeUnwanted()
	}
	if q.inAPI == nil && len(q.untold) > 0 && q.forcedByHand() {
		q.inAPI, q.goneRefs, q.untold = &no, q.untold, nil // one life of the name was, and the API has another, or none
	}
}

// noticeLater finds what tells that the API has lost since what a dump shows: a
// namesake that was made later, as a name has one life at a time; the answer that
// there is none, or a list without it, given when the pod had begun. Whichever was
// asked for first: a UID that is missing once does not come back.
func (q *inquest) noticeLater() {
	if q.s.tl.SeveralClusters {
		return
	}
	no := false
	lost := func(at ref) { q.inAPI, q.missedSurely, q.goneRefs = &no, true, []ref{at} }
	born := timeAt(q.object.Content, "status", "startTime") // a description tells no other
	if at, known := q.s.bornAt[q.uid]; known && (born.IsZero() || at.Before(born)) {
		born = at
	}
	if a := q.answer(); a != nil && a.Ref.Namespace == q.ns && !born.IsZero() && a.AsOf.After(born.Add(collecting)) {
		ev := evidenceAt(a.Source, nil, a.Text)
		ev.Time = moment(a.AsOf)
		lost(q.s.book.put(ev))
		return
	}
	if q.uid == "" || q.s.masksUIDs() {
		return
	}
	if next := q.successors(); len(next) > 0 {
		lost(q.s.book.object(next[0].object, "metadata", "uid"))
		return
	}
	for _, l := range q.s.tl.Listings {
		if l.Kind != "Pod" || l.Incomplete || !l.AllNamespaces && l.Namespace != q.ns && !contains(l.Namespaces, q.ns) ||
			q.object.MayBeIn(l.Source.File) || !q.s.madeAfter(l, q.object) {
			continue
		}
		ev := evidenceAt(l.Source, nil, l.Text)
		ev.Time, ev.Component = moment(l.AsOf), "api-object"
		if q.leftOut(l) {
			if q.s.madeLater(l, q.object) {
				q.doubted = append(q.doubted, q.s.book.put(ev))
			}
			continue
		}
		lost(q.s.book.put(ev))
		q.filtered = l.Unasked && !q.s.dumpedWith(l)
		return
	}
}

// madeAfter says whether a list of pods was made when a pod had begun: it shows
// another at a version that is newer than one of the pod, or one that was made
// later, or its collector dates it, which did not collect the other. It is of the
// same cluster: it has a pod of the same node.
func (s *scene) madeAfter(l timeline.Listing, o *timeline.Object) bool {
	same := false
	made, node := timeAt(o.Content, "metadata", "creationTimestamp"), stringAt(o.Content, "spec", "nodeName")
	if made.IsZero() || node == "" {
		return false
	}
	newer := !l.Shown && s.folderOf[l.Source.File] != s.folderOf[o.Source.File] && l.AsOf.After(made.Add(collecting))
	for _, other := range s.objects["Pod"] {
		if !other.MayBeIn(l.Source.File) || other.Partial {
			continue
		}
		same = same || stringAt(other.Content, "spec", "nodeName") == node
		newer = newer || timeAt(other.Content, "metadata", "creationTimestamp").After(made.Add(10*time.Second)) ||
			other.Source.File == l.Source.File && other.Version() > o.Version() && o.Version() > 0
	}
	return newer && same
}

// madeLater says whether a list was made after the dump that has an object: it
// shows a version that is newer than all in that, or its collector dates it later.
func (s *scene) madeLater(l timeline.Listing, o *timeline.Object) bool {
	var shown, before uint64
	for _, other := range s.objects["Pod"] {
		switch other.Source.File {
		case l.Source.File:
			shown = max(shown, other.Version())
		case o.Source.File:
			before = max(before, other.Version())
		}
	}
	return before > 0 && shown > before || !l.Shown && l.AsOf.After(s.dumpedAt(o).Add(collecting))
}

// noticeUnwanted finds the kubelet's own word that the API does not have a pod
// that it found on its node; that it ended one is told where a dump lacks the pod.
func (q *inquest) noticeUnwanted() {
	no := false
	unsure := len(q.untold) > 0 || q.filtered
	say := func(m *Match) bool {
		if e := &q.s.tl.Events[m.Event]; !q.early(e) {
			q.inAPI, q.goneRefs, q.missedSurely, q.untold = &no, []ref{q.s.book.event(m.Event, m.Signature.ID)}, true, nil
			q.unwantedAt = e.Time
			q.filtered = false
			return true
		}
		return false
	}
	for _, i := range q.events {
		for _, n := range q.s.matchesOf[i] {
			if m := &q.s.matches[n]; (contains(m.Signature.Suggests, "orphaned-pod-dir") || unsure && contains(unwanted, m.Signature.ID)) && say(m) {
				return
			}
		}
	}
	for _, n := range q.s.unwanted { // old kubelets write the name alone
		m := &q.s.matches[n]
		if unsure && m.Keys["pod"] == q.name && q.node != nil && q.s.tl.Events[m.Event].Node == q.node.name && say(m) {
			return
		}
	}
}

// unwanted are the lines by which a kubelet tells that it found a pod in the
// runtime that it has from no source.
var unwanted = []string{"kubelet-ghost-unknown-pod", "kubelet-ghost-legacy", "kubelet-ghost-syncruntime"}

// ending are the lines by which a kubelet tells that it ends a pod, or that the
// API does not have it any more.
var ending = append([]string{
	"kubelet-killing-container", "kubelet-killing-container-legacy", "kubelet-syncloop-remove", "kubelet-syncloop-remove-legacy",
}, unwanted...)

// forcedByHand says whether somebody was seen to force delete the pod, by the
// answer of kubectl, which tells no UID.
func (q *inquest) forcedByHand() bool {
	return slices.ContainsFunc(q.events, func(i int) bool {
		return slices.ContainsFunc(q.s.matchesOf[i], func(m int) bool { return q.s.matches[m].Signature.ID == "kubectl-force-deleted" })
	})
}

// namesakes are the other lives of the subject's name that the API has.
func (q *inquest) namesakes() []*pod {
	if q.uid == "" || q.name == "" {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(q.s.podsBy[q.ns+"/"+q.name]), func(p *pod) bool { return p.object.UID == "" || p.object.UID == q.uid })
}

// missBy takes note that something lacks the pod. Unless that is known to be
// newer than the pod's beginning, it tells nothing.
func (q *inquest) missBy(at ref, newer bool) {
	no := false
	switch {
	case newer:
		q.inAPI, q.goneRefs, q.missedSurely, q.untold = &no, []ref{at}, true, nil
	case q.untied():
		q.inAPI, q.goneRefs = &no, []ref{at} // the verdict says that it may be another cluster's
	case len(q.untold) == 0:
		q.untold = []ref{at}
	}
}

// dumpOf is the complete dump that would have the pod; the zero Listing where
// none would.
func (q *inquest) dumpOf() timeline.Listing {
	if q.name == "" {
		l, _ := q.s.listedEverywhere("Pod")
		return q.s.dated(l)
	}
	l, _ := q.s.listed("Pod", q.ns)
	return q.s.dated(l)
}

// answer is the API's direct answer, to somebody who asked for the very pod, that
// there is none, the newest; nil where there is none that was given after the pod
// had begun. That is no dump.
func (q *inquest) answer() *timeline.Absent {
	var found *timeline.Absent
	for i := range q.s.tl.Absents {
		a := &q.s.tl.Absents[i]
		if !strings.EqualFold(a.Ref.Kind, "Pod") || a.Ref.Name != q.name || q.name == "" || a.Ref.Namespace != "" && q.ns != "" && a.Ref.Namespace != q.ns {
			continue
		}
		if born, known := q.s.bornAt[q.uid]; known && !a.AsOf.IsZero() && born.After(a.AsOf) {
			continue
		}
		if found == nil || a.AsOf.After(found.AsOf) {
			found = a
		}
	}
	return found
}

// answeredNotFound says whether the API was asked for the very pod and said
// that there is none.
func (q *inquest) answeredNotFound() bool { return q.answer() != nil }

// livedAfterDump says whether the kubelet heard of the pod's deletion, or the
// pod began, only after the API was dumped: the dump cannot have what came
// later. A direct answer that there is none is no dump.
func (q *inquest) livedAfterDump() bool {
	if q.answeredNotFound() {
		return false
	}
	listing := q.dumpOf()
	if listing.AsOf.IsZero() || q.uid == "" {
		return false
	}
	born, known := q.s.bornAt[q.uid]
	return q.requested.After(listing.AsOf) || known && born.After(listing.AsOf)
}

// beganBefore says whether the pod is known to have begun before a dump was
// taken, so that its absence from it means something: a sign of it is dated
// before, or it was seen on the node before, or no pod began there in between.
func (q *inquest) beganBefore(dump timeline.Listing) bool {
	if dump.AsOf.IsZero() {
		return false
	}
	if !q.begun.IsZero() && !q.begun.After(dump.AsOf) {
		return true
	}
	if born, known := q.s.bornAt[q.uid]; known {
		return !born.After(dump.AsOf)
	}
	list := q.s.traces[q.uid]
	for i := range list {
		at := list[i].seen()
		if at.IsZero() {
			continue
		}
		if !at.After(dump.AsOf) || q.s.nothingBegan(list[i].node, dump.AsOf, at) {
			return true
		}
	}
	return false
}

// nothingBegan says whether the kubelet of a node took on no pod in a time that
// its log covers, at a verbosity at which it would say so.
func (s *scene) nothingBegan(name string, from, to time.Time) bool {
	n := s.nodes[name]
	if n == nil {
		return false
	}
	l := n.logs[timeline.Kubelet]
	if l == nil || l.verbosity < 2 || !l.covered(from) || l.last.Before(to.Add(-quiet)) || l.lost(from, to) != nil {
		return false
	}
	for _, i := range n.events {
		e := &s.tl.Events[i]
		if e.Component == timeline.Kubelet && e.Time.After(from) && !e.Time.After(to) && strings.Contains(e.Message, "SyncLoop") && strings.Contains(e.Message, "ADD") {
			return false
		}
	}
	return true
}

// missedSince is a moment at which the API did not have the pod any more, the
// earliest that is known; zero where none is.
func (q *inquest) missedSince() time.Time {
	if !q.goneAt.IsZero() {
		return q.goneAt
	}
	if q.inAPI != nil && *q.inAPI {
		return time.Time{}
	}
	var since time.Time
	note := func(t time.Time) {
		if !t.IsZero() && (since.IsZero() || t.Before(since)) {
			since = t
		}
	}
	if q.forced != nil && *q.forced {
		note(q.forcedAt)
	}
	if q.missedSurely {
		note(q.unwantedAt)
		if dump := q.dumpOf(); q.object == nil && q.beganBefore(dump) {
			note(q.s.collected(dump))
		}
		if a := q.answer(); a != nil {
			note(a.AsOf)
		}
		for _, p := range q.successors() {
			note(p.created)
		}
	}
	return since
}

// successors are the namesakes that were made after this life had begun: of one
// name there is one at a time.
func (q *inquest) successors() []*pod {
	born, known := q.s.bornAt[q.uid]
	return slices.DeleteFunc(q.namesakes(), func(p *pod) bool { return !known || !p.created.After(born) })
}

// settling is how long a kubelet that runs may take to end and remove what is
// left of a pod: the next try after a failed one, and the garbage collection of
// sandboxes and logs once a minute.
const settling = 2 * time.Minute

// settled says whether what was seen at a moment had time enough to be cleaned
// up: the pod was missed long before, or nobody cleans up on the node. What a
// kubelet that saw the pod go had no time to collect before it stopped itself is
// no more than what every kubelet leaves for a minute.
func (q *inquest) settled(seen time.Time) bool {
	since := q.missedSince()
	if since.IsZero() || seen.IsZero() || q.node == nil {
		return false
	}
	if q.kubeletIsDown() {
		l := q.node.logs[timeline.Kubelet]
		return q.goneAt.IsZero() || l != nil && l.last.Sub(q.goneAt) > settling
	}
	return seen.Sub(since) > settling
}

// kubeletIsDown says whether the kubelet of the node is known not to run.
func (q *inquest) kubeletIsDown() bool {
	if q.node == nil {
		return false
	}
	if q.node.down == nil {
		probe := &inquest{s: q.s, kind: "Node", name: q.node.name, node: q.node, nameOf: map[string]string{}}
		probe.lookAtKubelet()
		down := probe.has("kubelet-stopped", "kubelet-unit-down", "kubelet-process-stopped")
		q.node.down = &down
	}
	return *q.node.down
}

// beingCleanedUp says whether the kubelet has just begun to end what the API
// does not have any more, and nothing of that has failed: that is no ghost yet.
func (q *inquest) beingCleanedUp() bool {
	const just = time.Minute
	if q.node == nil || q.kubeletIsDown() {
		return false
	}
	l := q.node.logs[timeline.Kubelet]
	if l == nil {
		return false
	}
	seen := q.seenLast()
	var begun time.Time
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		for _, n := range q.s.matchesOf[i] {
			m := &q.s.matches[n]
			switch {
			case contains(ending, m.Signature.ID):
				if begun.IsZero() {
					begun = e.Time
				}
			case m.Signature.Polarity == Failure && m.Signature.Strength == Decisive && !begun.IsZero():
				return false
			}
		}
	}
	return !begun.IsZero() && seen.Sub(begun) < just
}

// seenLast is when the node's state was seen last, else the newest evidence.
func (q *inquest) seenLast() time.Time {
	var seen time.Time
	list := q.s.traces[q.uid]
	for i := range list {
		seen = latest(seen, list[i].seen())
	}
	if seen.IsZero() {
		return q.asOfRuntime()
	}
	return seen
}

// mayYetGo says whether a kubelet that runs has not had the time to remove what
// was seen.
func (q *inquest) mayYetGo(seen time.Time) bool {
	since := q.missedSince()
	return q.kubeletIsAlive() && !since.IsZero() && !seen.IsZero() && seen.Sub(since) <= settling
}

// runsOthers says whether a node runs other pods than those that the API has
// running there, and none of them: a machine of the same name in another
// cluster, or one that was installed anew.
func (s *scene) runsOthers(name string) bool {
	n := s.nodes[name]
	if n == nil || s.listedOn("Container", name) == nil {
		return false
	}
	runs := map[string]bool{}
	for _, c := range n.containers {
		runs[c.PodUID] = true
	}
	expected := 0
	for uid, p := range s.pods {
		if p.node != name || p.static || p.object.Partial || len(p.containers) == 0 || p.containers[0].state != "running" {
			continue
		}
		if runs[uid] {
			return false
		}
		expected++
	}
	return expected > 1 && len(runs) > 0
}

// untied says whether nothing ties the pod's node to the cluster of the dump: a
// complete dump lacks the Node, and no pod that the API has left a trace there.
func (q *inquest) untied() bool {
	if q.node == nil || q.node.object != nil {
		return false
	}
	if _, ok := q.s.listed("Node", ""); !ok {
		return false
	}
	for uid, list := range q.s.traces {
		if q.s.pods[uid] != nil && list[0].node == q.node.name {
			return false
		}
	}
	for _, p := range q.s.pods {
		if p.node == q.node.name {
			return false
		}
	}
	return true
}
