package analyzer

import (
	"slices"
	"strings"
	"time"
)

// The kubelet tells the end of each volume in a line of its own, those of
// secrets and emptyDirs included: one line speaks for one volume. That all are
// unmounted is known where each volume of the spec has its line, where a mount
// table shows none, or where the kubelet itself says so.

// volumeNames are the names by which lines may call a volume of the pod: its
// own, its PersistentVolume's, and the volume's handle.
func (q *inquest) volumeNames(v *podVolume) []string {
	names := []string{v.name}
	if v.claim == "" {
		return names
	}
	pvc := q.s.object("PersistentVolumeClaim", q.ns, v.claim)
	if pvc == nil {
		return names
	}
	name := stringAt(pvc.Content, "spec", "volumeName")
	if name == "" {
		return names
	}
	names = append(names, name)
	if pv := q.s.object("PersistentVolume", "", name); pv != nil {
		if handle := stringAt(pv.Content, "spec", "csi", "volumeHandle"); handle != "" {
			names = append(names, stringAt(pv.Content, "spec", "csi", "driver")+"^"+handle)
		}
	}
	return names
}

// aboutVolume tells the signals that are about a volume of the pod.
func (q *inquest) aboutVolume(v *podVolume) func(*signal) bool {
	names := q.volumeNames(v)
	return func(sg *signal) bool {
		return slices.ContainsFunc(names, func(name string) bool {
			return sg.keys["volume"] == name ||
				strings.HasSuffix(sg.keys["unique"], q.uid+"-"+name) || strings.HasSuffix(sg.keys["unique"], "/"+name) ||
				strings.Contains(sg.keys["path"]+"/", "/"+name+"/")
		})
	}
}

// ofOneVolume says whether a success of the stage is that of one volume.
func ofOneVolume(sg *signal) bool {
	for _, key := range []string{"volume", "unique", "path", "dev", "server"} {
		if sg.keys[key] != "" {
			return true
		}
	}
	return sg.id == "volumes-torn-down"
}

// eachUnmounted says whether every volume of the pod's spec has a line that
// tells its end. A spec that is not in the bundle has volumes that nobody knows.
func (q *inquest) eachUnmounted() bool {
	if q.pod == nil || q.pod.object == nil || q.pod.object.Partial {
		return false
	}
	each := true
	for i := range q.pod.volumes {
		each = each && !q.partEnd(StageVolumes, q.aboutVolume(&q.pod.volumes[i])).IsZero()
	}
	if each {
		return true
	}
	// Where a line lacks the name in the spec (kubelets since 1.35), their
	// number tells: each is of another volume of the spec.
	done := map[string]bool{}
	for _, sg := range q.signals {
		if unique := sg.keys["unique"]; sg.id == "kubelet-teardown-succeeded" && sg.scope == scopeSubject && !sg.early && unique != "" {
			done[unique] = true
		}
	}
	return len(done) >= len(q.pod.volumes)
}

// settleVolumes takes the stage back where only some volumes are known to be
// unmounted: of the others nothing is told. What the first one tells of the
// stages before stays, and what the kubelet did afterwards tells of them all.
func (q *inquest) settleVolumes() {
	st := q.stages[StageVolumes]
	if st.state != stateDone || q.stages[StageCgroup].state == stateDone || q.stages[StageFinalDelete].state == stateDone || q.toldUnmounted() {
		return
	}
	q.stages[StageVolumes] = &stageState{state: stateUnknown}
}

// toldUnmounted says whether all volumes of the pod are known to be unmounted:
// by the kubelet's word on the pod, each by its own line, or by a mount table.
func (q *inquest) toldUnmounted() bool {
	for _, sg := range q.signals {
		if sg.polarity != Success || sg.scope != scopeSubject || sg.early || sg.strength == Weak {
			continue
		}
		if contains(sg.stages, StageVolumes) && !ofOneVolume(sg) || sg.id == "kubelet-orphan-volumes-dir-cleaned" {
			return true
		}
	}
	return q.eachUnmounted() || q.mountsShowNone()
}

// someUnmounted says whether the end of at least one volume is told.
func (q *inquest) someUnmounted() bool {
	return slices.ContainsFunc(q.signals, func(sg *signal) bool {
		return sg.id == "kubelet-teardown-succeeded" && sg.scope == scopeSubject && !sg.early
	})
}

// unmountedSince says whether a mount table that was made later than the next try
// after all failures of a cause has no mount of the pod any more.
func (q *inquest) unmountedSince(root *candidate) bool {
	if root == nil || root.stage != StageVolumes || q.node == nil || q.uid == "" {
		return false
	}
	const whole = 10 // lines of a mount table that was not filtered
	var failed time.Time
	for _, sg := range root.signals {
		if sg.polarity == Failure && len(sg.events) > 0 {
			failed = latest(failed, sg.last)
		}
	}
	lines := 0
	for _, m := range q.node.mounts {
		switch {
		case m.PID > 1 || failed.IsZero() || m.AsOf.Sub(failed) <= backOff:
		case strings.Contains(m.Target, q.uid):
			return false
		case q.s.whole(&m.Fact):
			lines++
		}
	}
	return lines >= whole
}

// mountsShowNone says whether a whole mount table of the node, newer than the
// request, has no mount of the pod.
func (q *inquest) mountsShowNone() bool {
	if q.node == nil || q.uid == "" || q.has("volume-mounted") {
		return false
	}
	const whole = 10 // lines of a mount table that was not filtered
	lines := 0
	for _, m := range q.node.mounts {
		if m.PID > 1 || m.AsOf.IsZero() || q.requested.IsZero() || !m.AsOf.After(q.requested) || !q.s.whole(&m.Fact) {
			continue
		}
		lines++
	}
	return lines >= whole
}
