package analyzer

import "time"

// stagePart is a stage as one container or one volume of the pod goes through
// it.
type stagePart struct {
	container, volume string
	stageState
}

// partsOf tells the stage container by container or volume by volume. A part
// is finished where the whole is, or where its own end is shown.
func (q *inquest) partsOf(stage string) []stagePart {
	if q.pod == nil {
		return nil
	}
	var parts []stagePart
	switch stage {
	case StageContainers:
		for i := range q.pod.containers {
			if c := &q.pod.containers[i]; !c.init && c.name != "" {
				parts = append(parts, stagePart{container: c.name, stageState: q.containerState(c)})
			}
		}
	case StageVolumes:
		for i := range q.pod.volumes {
			if v := &q.pod.volumes[i]; v.name != "" {
				parts = append(parts, stagePart{volume: v.name, stageState: q.volumeState(v)})
			}
		}
	}
	return parts
}

// exitOf is when a container ended. The runtime dates it by the node's clock;
// an end that would then lie before the request was dated by another.
func (q *inquest) exitOf(c *podContainer) time.Time {
	at := q.s.tl.ByAPI(q.pod.node, c.finished)
	if at.Before(q.requested) && !c.finished.Before(q.requested) {
		return c.finished
	}
	return at
}

func (q *inquest) containerState(c *podContainer) stageState {
	about := func(sg *signal) bool {
		return c.id != "" && sameID(sg.keys["container"], c.id) || sg.keys["name"] == c.name
	}
	whole := q.stages[StageContainers]
	if failed, ok := q.partFailure(StageContainers, about); ok && whole.state != stateDone {
		return failed
	}
	switch {
	case whole.state == stateDone:
		return stageState{state: stateDone, at: q.partEnd(StageContainers, about)}
	case c.state == "terminated":
		return stageState{state: stateDone, at: q.exitOf(c)}
	case !q.requested.IsZero() && q.ended(c):
		return stageState{state: stateDone, at: q.partEnd(StageContainers, about)}
	case c.state == "running" && (whole.state == stateRunning || whole.state == stateFailed):
		return stageState{state: stateRunning}
	case whole.state == stateFailed:
		return stageState{state: stateUnknown}
	}
	return stageState{state: whole.state}
}

func (q *inquest) volumeState(v *podVolume) stageState {
	about := q.aboutVolume(v)
	whole := q.stages[StageVolumes]
	end := q.partEnd(StageVolumes, about)
	if failed, ok := q.partFailure(StageVolumes, about); ok && whole.state != stateDone && !end.After(failed.at) {
		return failed
	}
	switch {
	case whole.state == stateDone || !end.IsZero():
		return stageState{state: stateDone, at: end, refs: q.partRefs(StageVolumes, about)}
	case whole.state == stateFailed:
		return stageState{state: stateUnknown}
	}
	return stageState{state: whole.state}
}

// partFailure is a standing failure of the stage about the part.
func (q *inquest) partFailure(stage string, about func(*signal) bool) (stageState, bool) {
	for _, sg := range q.signals {
		if sg.polarity == Failure && sg.scope == scopeSubject && !sg.early && !sg.ended && sg.strength != Weak &&
			len(sg.stages) == 1 && sg.stages[0] == stage && about(sg) {
			return stageState{state: stateFailed, at: sg.last, refs: sg.refs}, true
		}
	}
	return stageState{}, false
}

// partEnd is when the part's end was logged; zero if that is not told.
func (q *inquest) partEnd(stage string, about func(*signal) bool) time.Time {
	var end time.Time
	for _, sg := range q.signals {
		if sg.polarity == Success && sg.scope == scopeSubject && !sg.early && sg.strength != Weak && contains(sg.stages, stage) && about(sg) {
			end = latest(end, sg.last)
		}
	}
	return end
}

// partRefs cites the newest line that tells the part's end, if one does.
func (q *inquest) partRefs(stage string, about func(*signal) bool) []ref {
	var newest *signal
	for _, sg := range q.signals {
		if sg.polarity == Success && sg.scope == scopeSubject && !sg.early && sg.strength != Weak && contains(sg.stages, stage) && len(sg.refs) > 0 && about(sg) &&
			(newest == nil || sg.last.After(newest.last)) {
			newest = sg
		}
	}
	if newest == nil {
		return nil
	}
	return newest.refs
}
