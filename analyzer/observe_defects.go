package analyzer

import (
	"time"

	"podautopsy/timeline"
)

var defectObservations = []Observation{
	{"defect-finished-not-deleted", []string{StageFinalDelete}, Failure, Decisive, "kubelet 1.22 to 1.26: everything of the pod has ended across a restart of the kubelet, and the last delete is never sent"},
	{"defect-kills-absent-container", []string{StageContainers}, Failure, Decisive, "kubelet 1.21 and older: it kills containers that do not exist, for ever"},
}

// lookAtDefects recognises known defects of kubelets by their pattern and the
// version that has them.
func (q *inquest) lookAtDefects() {
	if q.pod == nil || q.node == nil {
		return
	}
	minor := q.node.minorOf()
	l := q.node.logs[timeline.Kubelet]

	// kubernetes#116954, fixed by #113145 in 1.27: the pod worker forgets a
	// terminated pod when the kubelet restarts in the middle.
	if minor >= 22 && minor <= 26 && l != nil && q.has("pod-kubelet-not-confirmed") && len(q.pod.finalizers) == 0 && q.kubeletRestarted() && !q.failing(StageVolumes) {
		last := q.lastLine(timeline.Kubelet)
		const enough = 5 * time.Minute // the status loop runs every 10 s
		if !last.IsZero() && l.last.Sub(last) > enough {
			refs := []ref{q.s.book.object(q.object, "", "status", "phase")}
			for _, sg := range q.signals {
				if sg.id == "kubelet-started" && !sg.early || sg.id == "volumes-torn-down" {
					refs = append(refs, sg.refs[:min(1, len(sg.refs))]...)
				}
			}
			q.observe("defect-finished-not-deleted", scopeSubject, l.last, nil, append(refs, q.lastKubeletLine())...)
		}
	}
	// kubernetes#106711: housekeeping kills what PLEG no longer knows.
	// Without a version the style of its lines says that it is 1.20 or older.
	if (minor > 0 && minor <= 21) || (minor == 0 && q.node.oldStyle) {
		for _, sg := range q.signalsOf("kubelet-no-such-container") {
			const often = 5
			if sg.scope == scopeSubject && !sg.early && sg.count >= often && !sg.stale {
				o := q.observe("defect-kills-absent-container", scopeSubject, sg.last, sg.keys, sg.refs...)
				o.count, o.first = sg.count, sg.first
			}
		}
	}
}

// kubeletRestarted says whether the kubelet began anew after the request.
func (q *inquest) kubeletRestarted() bool {
	for _, sg := range q.signals {
		if (sg.id == "kubelet-restarted" || sg.id == "kubelet-started" || sg.id == "systemd-kubelet-started") && !sg.early {
			return true
		}
	}
	return false
}

// failing says whether a failure of exactly this stage stands.
func (q *inquest) failing(stage string) bool {
	for _, sg := range q.signals {
		if sg.polarity == Failure && sg.scope == scopeSubject && !sg.ended && !sg.early && len(sg.stages) == 1 && sg.stages[0] == stage {
			return true
		}
	}
	return false
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
