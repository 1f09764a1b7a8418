package analyzer

import (
	"time"

	"podautopsy/timeline"
)

var defectObservations = []Observation{
	{"kubelet-silent-on-pod", []string{StageFinalDelete}, Context, Supporting, "the kubelet's log goes on for minutes without another word of the pod"},
}

// silence is how long the kubelet must say nothing more of a pod before that
// means something: its status loop runs every 10 s, and a failure is told
// again at every try, which is at most 2m2s later.
const silence = 5 * time.Minute

// lookAtSilence sees a kubelet whose log goes on without another word of the
// pod.
func (q *inquest) lookAtSilence() {
	l := q.node.logs[timeline.Kubelet]
	if l == nil {
		return
	}
	if last := q.lastLine(timeline.Kubelet); !last.IsZero() && l.last.Sub(last) > silence {
		q.observe("kubelet-silent-on-pod", scopeSubject, l.last, nil, q.lastKubeletLine())
	}
}

// lastLine is when a component last spoke of the subject.
func (q *inquest) lastLine(component string) time.Time {
	var last time.Time
	for _, i := range q.events {
		if e := &q.s.tl.Events[i]; e.Component == component {
			last = latest(last, e.Time)
		}
	}
	return last
}
