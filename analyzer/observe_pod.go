package analyzer

import (
	"strconv"
	"strings"
	"time"
)

var podObservations = []Observation{
	{"pod-finalizer", []string{StageFinalizers}, Failure, Supporting, "the pod carries a finalizer: the API server keeps the object until its owner takes it off"},
	{"pod-finalizer-only", []string{StageFinalizers}, Failure, Decisive, "the pod has a finalizer and grace 0: nothing but the finalizer keeps the object"},
	{"foreground-deletion", []string{StageFinalizers}, Failure, Decisive, "foregroundDeletion keeps the object until its blocking dependents are gone"},
	{"pod-containers-exited", []string{StageContainers}, Success, Supporting, "the API shows every container as ended"},
	{"pod-phase-terminal", []string{StageFinalStatus}, Success, Supporting, "the phase is Succeeded or Failed"},
	{"pod-final-delete-sent", []string{StageFinalDelete}, Success, Decisive, "grace 0 in the object: the kubelet has sent its last delete, or there was nothing for it to do"},
	{"pod-inside-grace", []string{StageMarked}, Context, Supporting, "the newest evidence lies before the deadline"},
	{"pod-overdue", []string{StageMarked}, Context, Supporting, "the deadline has passed"},
	{"pod-prestop-hook", []string{StagePreStop}, Context, Supporting, "a container has a preStop hook"},
	{"pod-killing-event-only", []string{StagePreStop}, Failure, Supporting, "the Killing event was sent and no StopContainer followed, though the kubelet's log would show it: the preStop hook still runs"},
	{"pod-sidecar-left", []string{StageContainers}, Context, Supporting, "one container has ended and another still runs"},
	{"pod-container-running", []string{StageContainers}, Context, Supporting, "the API shows a container running"},
	{"pod-unscheduled", []string{StageSeen}, Context, Supporting, "the pod is bound to no node"},
	{"pod-kubelet-not-confirmed", []string{StageVolumes}, Context, Supporting, "the phase is final and the kubelet has not sent its last delete"},
}

func (q *inquest) lookAtPod() {
	p := q.pod
	if p == nil {
		q.lookAtGrace()
		return
	}
	b := q.s.book
	o := p.object
	asOf := o.AsOf
	for i, f := range p.finalizers {
		at := b.object(o, "metadata", "finalizers", strconv.Itoa(i))
		switch f {
		case "foregroundDeletion":
			q.observe("foreground-deletion", scopeSubject, asOf, map[string]string{"finalizer": f}, at)
		default:
			q.observe("pod-finalizer", scopeSubject, asOf, finalizerKeys(o, i, f), at)
		}
	}
	confirmed := p.grace != nil && *p.grace == 0 && !p.deletion.IsZero()
	if confirmed {
		at := b.object(o, "metadata", "deletionGracePeriodSeconds")
		if p.phaseTerminal() || p.exited() || p.node == "" {
			q.observe("pod-final-delete-sent", scopeSubject, asOf, nil, at)
		}
		for i, f := range p.finalizers {
			if f != "foregroundDeletion" {
				q.observe("pod-finalizer-only", scopeSubject, asOf, finalizerKeys(o, i, f),
					b.object(o, "metadata", "finalizers", strconv.Itoa(i)), at)
			}
		}
	}
	if p.exited() {
		q.observe("pod-containers-exited", scopeSubject, asOf, nil, q.containerStateRefs("terminated")...)
	}
	if p.phaseTerminal() {
		at := b.object(o, "status", "phase")
		q.observe("pod-phase-terminal", scopeSubject, asOf, map[string]string{"phase": p.phase}, at)
		if !confirmed && !p.deletion.IsZero() {
			q.observe("pod-kubelet-not-confirmed", scopeSubject, asOf, nil, at, b.object(o, "metadata", "deletionGracePeriodSeconds"))
		}
	}
	running, ended := "", ""
	for _, c := range p.containers {
		if c.init {
			continue
		}
		switch c.state {
		case "running":
			running = c.name
		case "terminated":
			ended = c.name
		}
	}
	if running != "" {
		q.observe("pod-container-running", scopeSubject, asOf, map[string]string{"name": running}, q.containerStateRefs("running")...)
	}
	if running != "" && ended != "" {
		q.observe("pod-sidecar-left", scopeSubject, asOf, map[string]string{"sidecar": running, "ended": ended}, q.containerStateRefs("running")...)
	}
	if p.hasPreStop() {
		for _, c := range p.containers {
			if c.preStop != "" {
				q.observe("pod-prestop-hook", scopeSubject, asOf, map[string]string{"name": c.name, "hook": c.preStop},
					b.object(o, append([]string{"spec"}, q.specPath(c.name, "lifecycle", "preStop")...)...))
			}
		}
	}
	if p.node == "" && !o.Partial {
		q.observe("pod-unscheduled", scopeSubject, asOf, nil, b.object(o))
	}
	q.lookAtGrace()
	q.lookAtPreStop()
}

// lookAtGrace places the newest evidence before or after the deadline.
func (q *inquest) lookAtGrace() {
	if q.deadline.IsZero() {
		return
	}
	refs := q.requestRefs
	if !q.vantage().After(q.deadline) {
		q.observe("pod-inside-grace", scopeSubject, q.vantage(), nil, refs...)
		return
	}
	q.observe("pod-overdue", scopeSubject, q.vantage(), map[string]string{
		"overdue": q.vantage().Sub(q.deadline).Round(time.Second).String(),
	}, refs...)
}

// vantage is the newest moment at which the evidence about the subject speaks:
// of its node and of the API. A clock that runs ahead on another node says
// nothing of it.
func (q *inquest) vantage() time.Time {
	newest := q.requested
	if q.node == nil || len(q.node.logs) == 0 {
		newest = latest(newest, q.s.now)
	}
	newest = latest(newest, q.s.dumped)
	if q.node != nil {
		for _, l := range q.node.logs {
			newest = latest(newest, l.last)
		}
	}
	for _, i := range q.events {
		newest = latest(newest, q.s.tl.Events[i].Time)
	}
	for i := range q.s.tl.Inputs {
		in := &q.s.tl.Inputs[i]
		if in.Node == "" || q.node != nil && in.Node == q.node.name {
			newest = latest(newest, in.CapturedAt)
		}
	}
	if newest.IsZero() {
		newest = q.s.now
	}
	return newest
}

// lookAtPreStop finds a hook that still runs. Nothing is logged while it does,
// below verbosity 3: the Killing event is sent before the hook, the line
// "Killing container" and the runtime's StopContainer come after it.
func (q *inquest) lookAtPreStop() {
	if !q.pod.hasPreStop() || q.node == nil {
		return
	}
	l := q.node.logs["kubelet"]
	if l == nil || l.verbosity < 2 || !l.last.After(q.requested) {
		return
	}
	var seen, killed []ref
	from := q.requested // since when the log must show what the kubelet does
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if q.early(e) {
			continue
		}
		switch {
		case e.Component == "event" && strings.HasPrefix(e.Message, "Killing"),
			e.Component == "kubelet" && strings.Contains(e.Message, "SyncLoop") && strings.Contains(e.Message, "DELETE"):
			seen = append(seen, q.s.book.event(i, ""))
			// The log may begin with it, but not with a second one.
			const atOnce = 5 * time.Second
			if e.Component == "kubelet" && from.Equal(q.requested) && e.Time.Sub(q.requested) < atOnce {
				from = e.Time
			}
		case e.Component == "kubelet" && strings.Contains(e.Message, "Killing container"),
			strings.Contains(e.Message, "StopContainer for"):
			killed = append(killed, q.s.book.event(i, ""))
		}
	}
	// A kubelet that has fallen silent kills nothing.
	end, _ := q.outlived()
	if end.Sub(l.last) > quiet || l.hole(from, l.last) != nil || l.lost(from, q.vantage()) != nil {
		return
	}
	if len(seen) > 0 && len(killed) == 0 && !q.pod.exited() {
		q.observe("pod-killing-event-only", scopeSubject, l.last, nil, seen...)
	}
}

// telling is the field of a container's state that is worth citing.
var telling = map[string]string{"running": "startedAt", "terminated": "finishedAt", "waiting": "reason"}

// containerStateRefs cites the states of the containers that are in state.
func (q *inquest) containerStateRefs(state string) []ref {
	var refs []ref
	for _, c := range q.pod.containers {
		if c.state == state && c.index >= 0 {
			refs = append(refs, q.s.book.object(q.pod.object, "status", c.list, strconv.Itoa(c.index), "state", state, telling[state]))
		}
	}
	return refs
}

// specPath is where a container stands in the spec.
func (q *inquest) specPath(container string, field ...string) []string {
	for _, list := range []string{"containers", "initContainers"} {
		for i, m := range mapsAt(q.pod.object.Content, "spec", list) {
			if m["name"] == container {
				return append([]string{list, strconv.Itoa(i)}, field...)
			}
		}
	}
	return field
}
