package analyzer

import (
	"cmp"
	"slices"
	"time"

	"podautopsy/timeline"
)

// States of a stage.
const (
	stateDone       = "done"
	stateRunning    = "running"
	stateFailed     = "failed"
	stateNotReached = "not-reached"
	stateNotNeeded  = "not-needed"
	stateUnknown    = "unknown"
)

// stageState is how far one stage got.
type stageState struct {
	state string
	at    time.Time
	refs  []ref
}

// reconstruct works out the stages of a pod's deletion from what succeeded,
// what failed since, and what the snapshots show.
func (q *inquest) reconstruct() {
	q.stages = map[string]*stageState{}
	for _, id := range stageOrder {
		q.stages[id] = &stageState{state: stateUnknown}
	}
	// Successes, each stage by its own lines.
	for _, sg := range q.signals {
		if sg.polarity != Success || sg.scope != scopeSubject || sg.early {
			continue
		}
		for _, stage := range sg.stages {
			st := q.stages[stage]
			if st == nil {
				continue
			}
			if sg.strength == Weak {
				continue
			}
			if st.state != stateDone || sg.last.After(st.at) {
				st.at = sg.last
			}
			st.state = stateDone
			if len(st.refs) < 3 {
				st.refs = append(st.refs, sg.refs...)
			}
		}
	}
	q.cancel()
	// A stage with a failure that stands is not done, whatever else succeeded:
	// one volume of three may hang.
	for _, sg := range q.signals {
		if sg.polarity != Failure || sg.scope != scopeSubject || sg.early || sg.ended || sg.strength == Weak {
			continue
		}
		if len(sg.stages) != 1 {
			continue
		}
		st := q.stages[sg.stages[0]]
		if st == nil || st.state == stateNotNeeded {
			continue
		}
		st.state, st.at = stateFailed, sg.last
		st.refs = append(slices.Clone(sg.refs), st.refs...)
	}
	q.settleContainers()
	q.settlePreStop()
	q.implyEarlier()
	q.settleVolumes()
}

// settlePreStop marks the hook as not needed where the spec has none.
func (q *inquest) settlePreStop() {
	if q.pod != nil && !q.pod.object.Partial && !q.pod.hasPreStop() {
		q.stages[StagePreStop] = &stageState{state: stateNotNeeded}
	}
}

// settleContainers takes the stage back where one container has ended and
// another still runs.
func (q *inquest) settleContainers() {
	st := q.stages[StageContainers]
	if sg := q.find("container-running"); sg != nil && st.state == stateUnknown && !q.requested.IsZero() && q.goneAt.IsZero() && !q.tornDown() {
		st.state, st.refs = stateRunning, sg.refs
	}
	if q.pod == nil || st.state != stateDone || !q.goneAt.IsZero() {
		return
	}
	for _, c := range q.pod.containers {
		if c.init || c.state != "running" || q.ended(&c) {
			continue
		}
		st.state = stateRunning
		st.refs = q.containerStateRefs("running")
		return
	}
}

// ended says whether a log line or the runtime shows that the container, which
// the dump shows running, has ended.
func (q *inquest) ended(c *podContainer) bool {
	for _, sg := range q.signals {
		if sg.polarity != Success || sg.scope != scopeSubject || sg.early || !contains(sg.stages, StageContainers) {
			continue
		}
		// Lines that name a container or a sandbox alike call it "id".
		if id := cmp.Or(sg.keys["container"], sg.keys["id"]); id == "" && sg.strength == Decisive || sameID(id, c.id) || sg.id == "containers-gone" {
			return true
		}
	}
	for _, stage := range []string{StageSandbox, StageVolumes} {
		if st := q.stages[stage].state; st == stateDone {
			return true
		}
	}
	return false
}

// implyEarlier marks stages as done that must have been, because a later stage
// of the same branch is: the kubelet does them in order.
func (q *inquest) implyEarlier() {
	nodeStages := []string{StageSeen, StagePreStop, StageContainers, StageSandbox, StageVolumes, StageCgroup, StageFinalStatus, StageFinalDelete}
	furthest := -1
	for i, id := range nodeStages {
		if q.stages[id].state == stateDone {
			furthest = i
		}
	}
	// Volumes and the cgroup are not touched before containers and sandbox have
	// stopped: their failure proves that as well as their success. (A sandbox
	// is tried also where a container failed.)
	for i, id := range nodeStages {
		// Nor does the kubelet send its last delete before all of it is done.
		if st := q.stages[id]; st.state == stateFailed && (id == StageVolumes && q.tornDown() || id == StageFinalDelete && q.has("kubelet-status-delete-failed")) {
			for _, earlier := range nodeStages[:i] {
				if e := q.stages[earlier]; e.state == stateUnknown {
					e.state, e.refs = stateDone, st.refs[:min(1, len(st.refs))]
				}
			}
			break
		}
	}
	for i, id := range nodeStages {
		st := q.stages[id]
		switch {
		case i < furthest && nodeStages[furthest] == StageFinalStatus && stageRank(id) >= stageRank(StageVolumes):
			// The first final status is sent right after the sandbox has
			// stopped, before any volume is touched.
		case i < furthest && st.state == stateUnknown:
			st.state = stateDone
			st.refs = q.stages[nodeStages[furthest]].refs
		case i < furthest && st.state == stateFailed && nodeStages[furthest] != StageFinalStatus:
			// A later stage went through: whatever failed here was overcome.
			st.state = stateDone
		}
	}
}

// tornDown says whether the kubelet has begun to unmount a volume of the pod:
// it fails at that, or says so.
func (q *inquest) tornDown() bool {
	return len(q.ofSubject("kubelet-unmount-started", "kubelet-teardown-failed", "kubelet-op-backoff", "kubelet-teardown-succeeded", "kubelet-reconciler-unmount-failed", "kubelet-unmap-failed",
		"kubelet-subpath-clean-failed", "kubelet-umount-target-busy", "kubelet-umount-stale", "kubelet-remove-busy", "csi-teardown-rpc-error", "csi-driver-not-registered")) > 0
}

// cancel ends the failures that a later success took back: the same key in the
// same stage, a later stage that cannot begin before, or the object's end.
func (q *inquest) cancel() {
	// Of a flood of failures each is looked at once for every success, of which
	// there are few.
	var successes []*signal
	for _, sg := range q.signals {
		if sg.polarity == Success {
			successes = append(successes, sg)
		}
	}
	boot, booted := q.lastBoot()
	for _, f := range q.signals {
		if f.polarity != Failure || f.ended {
			continue
		}
		if f.last.Before(boot) && !f.last.IsZero() && endsWithMachine(f) {
			f.ended, f.endBy = true, []ref{booted}
			continue
		}
		if f.scope == scopeNode && contains(f.stages, StageNode) && contains(f.suggests, "runtime-hung") {
			if line, ok := q.loopSince(f.last); ok {
				f.ended, f.endBy = true, []ref{q.s.book.event(line, "")}
				continue
			}
		}
		for _, ok := range successes {
			if q.takesBack(ok, f) {
				f.ended, f.endBy = true, ok.refs
				break
			}
		}
		if !f.ended && f.scope == scopeSubject && !q.goneAt.IsZero() && q.goneAt.After(f.last) && endsWithObject(f.stages) {
			f.ended, f.endBy = true, q.goneRefs
		}
		f.stale = !f.ended && q.wentQuiet(f)
	}
}

// lastBoot is when the node booted last, as the kernel says; zero where it does not
// say, or where its time is a guess.
func (q *inquest) lastBoot() (at time.Time, line ref) {
	if q.node == nil {
		return time.Time{}, 0
	}
	event := -1
	for _, i := range q.node.events {
		e := &q.s.tl.Events[i]
		if e.Component == timeline.Kernel && e.Precision < time.Minute && e.Time.After(at) &&
			slices.ContainsFunc(q.s.matchesOf[i], func(n int) bool { return q.s.matches[n].Signature.ID == "kernel-boot" }) {
			at, event = e.Time, i
		}
	}
	if event < 0 {
		return time.Time{}, 0
	}
	return at, q.s.book.event(event, "kernel-boot")
}

// endsWithMachine says whether a failure is over once the machine has booted anew:
// no process, mount or control group outlives it, and the kubelet tries all again.
func endsWithMachine(f *signal) bool {
	if f.scope != scopeSubject {
		return false
	}
	onNode := false
	for _, id := range f.stages {
		switch id {
		case StagePreStop, StageContainers, StageSandbox, StageVolumes, StageCgroup:
			onNode = true
		case StageDetached: // the node's part in it
		default:
			return false
		}
	}
	return onNode
}

// endsWithObject says whether a failure of these stages is over once the
// object is gone: what cleans up and detaches goes on after it.
func endsWithObject(stages []string) bool {
	for _, st := range stages {
		if branchOf(st) == branchAftermath || st == StageNode {
			return false
		}
	}
	return true
}

// takesBack says whether success ok, later, ends failure f.
func (q *inquest) takesBack(ok, f *signal) bool {
	if !ok.last.After(f.last) || ok.strength == Weak {
		return false
	}
	if f.scope == scopeNode || f.scope == scopeCluster {
		// Node trouble ends with a success about the same thing.
		return ok.scope == f.scope && ok.key == f.key && contains(ok.stages, StageNode) == contains(f.stages, StageNode) && slices.ContainsFunc(f.stages, func(s string) bool { return contains(ok.stages, s) })
	}
	if ok.scope != f.scope || f.scope != scopeSubject {
		return false
	}
	for _, fs := range f.stages {
		for _, os := range ok.stages {
			if fs == os && sameKey(ok, f) {
				return true
			}
			// The kubelet begins to unmount only after containers and sandbox
			// have stopped, and sends its last delete only after all volumes.
			if branchOf(fs) == branchNode && branchOf(os) == branchNode && fs != StageNode && os != StageNode && stageRank(os) > lastRank(f.stages) &&
				os != StageFinalStatus && os != StageCgroup {
				return true
			}
			if branchOf(fs) == branchNode && os == StageGone {
				return true
			}
		}
	}
	return false
}

// lastRank is the rank of the latest of the stages: what may be about several
// is over only beyond all of them.
func lastRank(stages []string) int {
	last := -1
	for _, id := range stages {
		last = max(last, stageRank(id))
	}
	return last
}

// sameKey says whether two signals are about the same container, sandbox or
// volume; a signal without a key speaks for the whole pod.
func sameKey(a, b *signal) bool {
	if a.key == "" || b.key == "" || a.key == b.key {
		return true
	}
	for _, f := range []string{"volume", "unique", "container", "sandbox", "path"} {
		x, y := a.keys[f], b.keys[f]
		if x == "" || y == "" {
			continue
		}
		return x == y || sameID(x, y)
	}
	return false
}

// backOff is the longest that the volume manager and the pod workers wait
// between tries: 2m2s (nestedpendingoperations), and the try itself.
const backOff = 2*time.Minute + 2*time.Second

// wentQuiet says whether a failure that repeats has stopped repeating for much
// longer than any back-off, while its log went on.
func (q *inquest) wentQuiet(f *signal) bool {
	if q.node == nil || f.count < 2 || f.last.IsZero() {
		return false
	}
	// The end of an unmount is logged at any verbosity, so its absence is no
	// sign that all is well again.
	if f.count > 2 && contains(f.stages, StageVolumes) && f.scope == scopeSubject {
		return false
	}
	l := q.node.logs["kubelet"]
	return l != nil && l.last.Sub(f.last) > 4*backOff
}
