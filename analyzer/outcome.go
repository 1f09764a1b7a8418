package analyzer

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// finding is the verdict on one subject, before it is written down.
type finding struct {
	q          *inquest
	candidates []*candidate
	root       *candidate
	outcome    string
	confidence string
	summary    string
	residue    []residueRow
	left       []string // ids of the residue checks that found something
	refs       []ref    // that bear the outcome
}

// hold is one inquest from beginning to end.
func (q *inquest) hold(causes []*Cause) *finding {
	q.attribute()
	q.findVolumes()
	q.dateRequest()
	q.notice()
	q.collect()
	for _, look := range looks {
		look(q)
	}
	if q.kind == "Pod" {
		q.reconstruct()
		q.settleStages()
	} else {
		q.cancel()
	}
	f := &finding{q: q}
	q.lookAtResidue(f)
	f.candidates = q.consider(causes)
	q.settleOutcome(f)
	q.holdEach(f)
	q.nameDefects(f)
	q.summarize(f)
	return f
}

// promise is how long a stage may take before its being unfinished means
// something. What lies beyond the grace period is the kubelet's own deadline
// for the runtime (grace + 2 min) and the pod workers' next try.
const promise = 2*time.Minute + 15*time.Second

// settleOutcome decides between stuck, in progress, left behind, clean and
// unknown.
func (q *inquest) settleOutcome(f *finding) {
	// A cause may be named for one outcome only: what is left behind is no
	// reason for an object that is there, and the other way round.
	present := q.inAPI == nil || *q.inAPI
	deleting := !q.requested.IsZero() || (q.object != nil && terminating(q.object))
	var fitting []*candidate
	for _, c := range f.candidates {
		switch outcome := c.outcome(); {
		case outcome == Residue && (!present || q.kind == "Node" && !deleting),
			outcome == NotDeleting && !deleting,
			outcome == Stuck && present && deleting,
			outcome == InProgress && present && deleting,
			outcome == Stuck && !present && (branchOf(c.stage) == branchAftermath || q.failsAfterRemoval(c)):
			fitting = append(fitting, c)
		case outcome == Stuck && !present && (c.stage == StageNode || branchOf(c.stage) == branchNode) && confidenceRank(c.confidence) >= confidenceRank(Medium):
			// It keeps the node from cleaning up what is left.
			c.role = RoleBlocking
		default:
			c.role, c.demoted = RoleRuledOut, "it does not fit what became of the object"
		}
	}
	f.root = q.choose(fitting)
	switch {
	case q.kind == "Node" && !deleting:
		q.conclude(f, Residue)
	case !deleting && len(q.untold) > 0:
		f.outcome = Inconclusive
		f.refs = append(f.refs, q.untold...)
	case !deleting && present:
		f.outcome, f.confidence = NotDeleting, High
		switch {
		case q.object == nil && (q.node == nil || q.node.logs[timeline.Kubelet] == nil):
			f.outcome = Inconclusive // nobody who would know was asked
		case q.object == nil:
			f.confidence = Low
		}
		if f.root != nil {
			f.confidence = f.root.confidence
		}
	case !present:
		q.concludeGone(f)
	case q.object == nil && q.forced != nil && *q.forced && f.root != nil && f.root.stage == StageNode:
		// The API waits for no node then: whether it has the pod still is not told.
		f.outcome = Inconclusive
		f.root.role, f.root.demoted = RoleRuledOut, "a force delete does not wait for the node, and nothing tells whether the API has the pod still"
		f.root = nil
	case f.root == nil:
		q.concludeUnexplained(f)
	case (f.root.outcome() == InProgress || f.root.cause.Waits) && q.overdue() <= 0:
		f.outcome, f.confidence = InProgress, f.root.confidence
	case q.tooEarly(f.root) && q.deadline.IsZero():
		f.outcome = Inconclusive
		f.root.role, f.root.demoted = RoleRuledOut, "nothing tells since when the object is in deletion, so the stage may still be inside what it is allowed"
		f.root = nil
	case q.tooEarly(f.root):
		f.outcome, f.confidence = InProgress, Medium
		f.root.role, f.root.demoted = RoleRuledOut, "the stage is still inside what it is allowed"
		f.root = nil
	default:
		q.conclude(f, Stuck)
	}
	if f.outcome == Inconclusive || f.confidence == "" || q.tableAlone(f.root) {
		f.confidence = Low
	}
	if f.confidence == High && f.outcome == Stuck && q.unmountedSince(f.root) {
		f.confidence, f.root.confidence = Medium, Medium
		f.refs = append(f.refs, refsOf(q.signalsOf("volumes-not-mounted"), 1)...)
	}
	if f.confidence == High && f.outcome == Stuck && len(q.doubted) > 0 {
		f.confidence, f.root.confidence = Medium, Medium
		f.refs = append(f.refs, q.doubted[0])
	}
	// What ended the failure may have been said where the log lost lines.
	if f.confidence == High && f.root != nil && q.blind(f.root) != nil {
		f.confidence, f.root.confidence = Medium, Medium
	}
	if f.outcome == InProgress && f.confidence == High && f.root == nil && q.node != nil && q.node.logs[timeline.Kubelet].lost(q.requested, q.vantage()) != nil {
		f.confidence = Medium
	}
	// Where nothing says when the evidence was taken, a cut log may end inside
	// the grace period of a pod that is long overdue.
	if f.outcome == InProgress && f.confidence == High && !q.captureKnown() {
		f.confidence = Medium
	}
}

// tableAlone says whether kubectl's tables, which show a word for a state, are
// all that a verdict on an object rests on.
func (q *inquest) tableAlone(root *candidate) bool {
	if q.kind == "Pod" || q.object == nil || !q.object.Partial || root == nil {
		return false
	}
	told := len(stringsAt(q.object.Content, "metadata", "finalizers")) > 0 || len(mapsAt(q.object.Content, "status", "conditions")) > 0
	return !told && !slices.ContainsFunc(root.signals, func(sg *signal) bool { return len(sg.events) > 0 })
}

// captureKnown says whether some file tells when the evidence was taken.
func (q *inquest) captureKnown() bool {
	return slices.ContainsFunc(q.s.tl.Inputs, func(in timeline.Input) bool { return !in.CapturedAt.IsZero() })
}

func (c *candidate) outcome() string {
	if c.proof.Outcome != "" {
		return c.proof.Outcome
	}
	if c.cause.Outcome != "" {
		return c.cause.Outcome
	}
	return Stuck
}

// failsAfterRemoval says whether what proves the candidate goes on failing
// after the object is gone.
func (q *inquest) failsAfterRemoval(c *candidate) bool {
	if q.goneAt.IsZero() || c.stage == StageNode || branchOf(c.stage) != branchNode {
		return false
	}
	for _, sg := range c.principal {
		if sg.polarity == Failure && !sg.ended && sg.scope == scopeSubject && sg.last.After(q.goneAt.Add(30*time.Second)) {
			return true
		}
	}
	return false
}

func (q *inquest) conclude(f *finding, outcome string) {
	f.outcome = outcome
	if f.root == nil && outcome == Residue && len(f.left) > 0 {
		f.confidence = Medium // what is left is named by its check alone
		return
	}
	if f.root == nil {
		f.outcome = Inconclusive
		return
	}
	f.confidence = f.root.confidence
}

// concludeGone judges a pod that the API does not have any more.
func (q *inquest) concludeGone(f *finding) {
	f.refs = append(f.refs, q.goneRefs...)
	switch {
	case f.root != nil:
		f.outcome, f.confidence = f.root.outcome(), f.root.confidence
		if f.outcome == Stuck {
			f.outcome = Residue
		}
		if !q.missedSurely && q.untied() {
			f.confidence = Low
		}
		if q.filtered && f.confidence == High {
			f.confidence = Medium
		}
	case q.has("being-cleaned-up") && q.leftFor(f, true):
		f.outcome, f.confidence = InProgress, Medium
	case q.leftFor(f, false):
		f.outcome, f.confidence = Residue, Low
		if q.missedSurely {
			f.confidence = Medium
		}
	case q.kind != "Pod" && q.kind != "Node":
		f.outcome, f.confidence = Clean, High // the object is all that there is of it
	case f.lastSeenThere(checkContainers, checkSandbox, checkProcesses, checkMounts):
		f.outcome = Inconclusive
	case q.node != nil && (q.node.dumped || len(q.goneRefs) > 0 && !q.goneAt.IsZero()):
		f.outcome, f.confidence = Clean, High
		if !q.node.dumped || !q.missedSurely || q.filtered || f.unseen(checkContainers, checkSandbox, checkMounts) {
			f.confidence = Medium
		}
		f.refs = append(f.refs, refsOf(q.ofSubject(cleanedUp...), 6)...)
	default:
		f.outcome = Inconclusive
	}
}

// cleanedUp are the lines by which a kubelet tells that it ended a pod which
// the API did not have any more.
var cleanedUp = []string{
	"kubelet-ghost-unknown-pod", "kubelet-ghost-legacy", "kubelet-killing-container", "kubelet-killing-container-legacy",
	"kubelet-orphan-volumes-dir-cleaned", "kubelet-teardown-succeeded",
}

// ofSubject are the signals with one of the ids that are about the subject itself:
// what became of its neighbours says nothing of it.
func (q *inquest) ofSubject(ids ...string) []*signal {
	return slices.DeleteFunc(q.signalsOf(ids...), func(sg *signal) bool { return sg.scope != scopeSubject })
}

// unseen says whether one of the rows of the check-list is unknown.
func (f *finding) unseen(checks ...string) bool {
	return slices.ContainsFunc(f.residue, func(r residueRow) bool { return r.State == RowUnknown && contains(checks, r.Check) })
}

// lastSeenThere says whether something of these rows was there when it was seen
// last, and nothing newer tells of it.
func (f *finding) lastSeenThere(checks ...string) bool {
	return slices.ContainsFunc(f.residue, func(r residueRow) bool {
		return r.State == RowUnknown && len(r.refs) > 0 && contains(checks, r.Check)
	})
}

// leftFor says whether a row of the check-list shows something left that makes
// the pod's end unfinished: what the kubelet is just clearing (young), or what
// it should have cleared. How controllers count the pod, and its data, is told,
// and is no residue.
func (q *inquest) leftFor(f *finding, young bool) bool {
	for i := range f.residue {
		r := &f.residue[i]
		if r.State != RowLeft {
			continue
		}
		switch r.Check {
		case checkContainers, checkSandbox, checkProcesses, checkMounts, checkEndpoints:
			return true
		case checkCgroup, checkFolder, checkLogs, checkNetNS, checkAddress:
			if young || q.settled(q.seenLast()) {
				return true
			}
		case checkAttachment:
			if since := q.missedSince(); !young && !since.IsZero() && q.vantage().Sub(since) > 6*time.Minute {
				return true
			}
		}
	}
	return false
}

// concludeUnexplained judges a pod in deletion that no cause fits.
func (q *inquest) concludeUnexplained(f *finding) {
	over := q.overdue()
	alive := q.has("kubelet-alive") || (q.node != nil && q.has("node-ready"))
	switch {
	case q.deadline.IsZero(), q.nowUnknown():
		f.outcome = Inconclusive
	case over <= 0:
		f.outcome, f.confidence = InProgress, Medium
		if alive && q.stages != nil && (q.stages[StageSeen].state == stateDone || q.has("event-stopping-container", "pod-killing-event-only")) {
			f.confidence = High
		}
	case over <= 30*time.Second && alive:
		f.outcome, f.confidence = InProgress, Low
	default:
		f.outcome = Inconclusive
	}
}

// nowUnknown says whether nothing tells when the evidence was taken: the pod's
// own object alone, which may have been dumped long after its deadline.
func (q *inquest) nowUnknown() bool {
	if q.node != nil && len(q.node.logs) > 0 {
		return false
	}
	if q.captureKnown() {
		return false
	}
	return q.overdue() <= 0 && !slices.ContainsFunc(q.events, func(i int) bool { return q.s.tl.Events[i].Time.After(q.requested) })
}

// tooEarly says whether a failure may still mend itself in the time that its
// stage is allowed: an error or two is not a cause. What time alone cannot
// mend is a cause at once.
func (q *inquest) tooEarly(root *candidate) bool {
	over := q.overdue()
	// Whoever takes off a finalizer, detaches or empties gets a moment.
	const moment = 20 * time.Second
	if !q.deadline.IsZero() && over < moment && q.captureKnown() && (root.stage == StageFinalizers || branchOf(root.stage) == branchAPI || root.stage == StageDetached || root.stage == StageNamespace) {
		return true
	}
	if root.cause.AtOnce || q.kind != "Pod" {
		return false
	}
	if root.outcome() == InProgress {
		return false
	}
	if over > promise {
		return false
	}
	switch root.stage {
	case StageSeen, StagePreStop, StageContainers:
		// A deadline of the runtime call has passed if the line says so.
		return over <= 0 && !q.spans(root, promise)
	}
	// The containers have ended, so the grace period is of no account: repeats
	// beyond the first back-offs count.
	return !q.spans(root, 10*time.Second) && over <= promise
}

// spans says whether the failures that prove a candidate go back so long.
func (q *inquest) spans(c *candidate, d time.Duration) bool {
	v := q.vantage()
	for _, sg := range c.signals {
		if sg.polarity == Failure && sg.count > 1 && sg.last.Sub(sg.first) >= d {
			return true
		}
		if sg.polarity == Failure && !sg.first.IsZero() && v.Sub(sg.first) >= d {
			return true
		}
	}
	return false
}

// settleStages fills in what the snapshots and the outcome of other stages
// say, so that each stage has a word.
func (q *inquest) settleStages() {
	st := q.stages
	set := func(id, state string, at time.Time, refs ...ref) {
		if s := st[id]; s.state == stateUnknown {
			s.state, s.at = state, at
			s.refs = append(s.refs, refs...)
		}
	}
	if !q.requested.IsZero() {
		set(StageRequested, stateDone, q.requested, q.requestRefs...)
		set(StageMarked, stateDone, q.requested, q.requestRefs...)
	}
	if q.has("pod-killing-event-only") {
		st[StagePreStop].state = stateRunning
	}
	if sg := q.find("container-running", "process-running", "kubelet-killing-container", "kubelet-killing-container-legacy", "containerd-stop-signal", "crio-stopping-container"); sg != nil && !sg.early && st[StageContainers].state == stateUnknown && q.deletionSeen() {
		st[StageContainers].state = stateRunning
		st[StageContainers].refs = sg.refs
	}
	if !q.goneAt.IsZero() || (q.inAPI != nil && !*q.inAPI) {
		st[StageGone].refs = append(st[StageGone].refs, q.goneRefs...)
		if !q.filtered {
			st[StageGone].state, st[StageGone].at = stateDone, q.goneAt
			set(StageFinalizers, stateDone, q.goneAt, q.goneRefs...)
		}
		q.settleAftermath()
		if q.goneAt.IsZero() || q.forcedAway() {
			// A force delete takes the object away and leaves the node to work on.
			return
		}
		for _, id := range []string{StageSeen, StagePreStop, StageContainers, StageSandbox, StageVolumes, StageCgroup, StageFinalStatus, StageFinalDelete} {
			set(id, stateDone, q.goneAt, q.goneRefs...)
		}
		return
	}
	if q.pod != nil {
		if len(q.pod.finalizers) == 0 && !q.pod.object.Partial {
			set(StageFinalizers, stateNotNeeded, time.Time{})
		} else if len(q.pod.finalizers) > 0 {
			st[StageFinalizers].state = stateFailed
			for _, sg := range q.signals {
				if sg.id == "pod-finalizer" || sg.id == "pod-foreground-deletion" {
					st[StageFinalizers].refs = append(st[StageFinalizers].refs, sg.refs...)
				}
			}
		}
	}
	q.settleAftermath()
	// What comes after the first unfinished stage of the node has not begun.
	reached := true
	for _, id := range []string{StageSeen, StagePreStop, StageContainers, StageSandbox, StageVolumes, StageCgroup, StageFinalStatus, StageFinalDelete} {
		s := st[id]
		if !reached && s.state == stateUnknown {
			s.state = stateNotReached
		}
		if s.state == stateFailed || s.state == stateRunning {
			reached = false
		}
	}
	set(StageGone, stateNotReached, time.Time{})
}

// settleAftermath judges what follows the object's end. Single containers and
// volumes are cleaned up on the way, which proves nothing of the rest.
func (q *inquest) settleAftermath() {
	clean, detached := q.stages[StageClean], q.stages[StageDetached]
	if clean.state == stateDone && (q.inAPI == nil || *q.inAPI) {
		*clean = stageState{state: stateUnknown}
	}
	if clean.state == stateDone && q.has("container-running", "volume-mounted") {
		clean.state = stateFailed
	}
	if detached.state == stateDone && q.stages[StageVolumes].state != stateDone {
		*detached = stageState{state: stateUnknown}
	}
}

// deletionSeen says whether anything tells that a deletion was asked for.
func (q *inquest) deletionSeen() bool { return !q.requested.IsZero() }

// forcedAway says whether the object went without the kubelet having finished:
// no SyncLoop DELETE before the REMOVE, or a delete with grace 0.
func (q *inquest) forcedAway() bool {
	if q.forced != nil && *q.forced {
		return true
	}
	return q.has("container-running") || q.has("kubectl-force-deleted")
}

// summarize writes two or three sentences.
func (q *inquest) summarize(f *finding) {
	var s []string
	over := q.overdue()
	switch f.outcome {
	case Stuck:
		s = append(s, fmt.Sprintf("%s does not finish its deletion: %s.", q.title(), f.root.cause.Title))
		if since := q.sinceWhen(); since != "" {
			s = append(s, since)
		}
		s = append(s, sentence(f.root.because))
		if !q.forcedAt.IsZero() && q.forcedAt.After(q.requested.Add(time.Second)) {
			s = append(s, fmt.Sprintf("It was force deleted as well, at %s, which changed nothing.", q.forcedAt.UTC().Format("15:04:05")))
		} else if q.has("kubectl-force-deleted") {
			s = append(s, "It was force deleted as well, which changed nothing.")
		}
	case Residue:
		if f.root != nil {
			s = append(s, fmt.Sprintf("%s left something behind: %s.", q.title(), f.root.cause.Title), sentence(f.root.because))
		} else {
			s = append(s, fmt.Sprintf("%s left something behind: %s.", q.title(), strings.Join(f.left, ", ")))
		}
	case InProgress:
		s = append(s, fmt.Sprintf("The deletion of %s is running inside what it is allowed.", q.title()))
		if over < 0 {
			s = append(s, fmt.Sprintf("Its deadline is %s after the newest evidence.", round(-over)))
		}
		if f.root != nil {
			s = append(s, sentence(f.root.because))
		}
	case Clean:
		s = append(s, fmt.Sprintf("The deletion of %s has finished, and the evidence shows nothing left of it.", q.title()))
		if found := q.ofSubject("kubelet-ghost-unknown-pod", "kubelet-ghost-legacy"); len(found) > 0 {
			sg := found[0]
			s = append(s, fmt.Sprintf("The kubelet%s found it in the runtime alone and ended it at %s.", q.onNode(), q.clockTime(sg.last)))
		}
	case NotDeleting:
		s = append(s, fmt.Sprintf("No deletion of %s was asked for.", q.title()))
		if f.root != nil {
			s = append(s, sentence(f.root.because))
		}
	default:
		if q.object == nil && q.inAPI == nil && q.forced != nil && *q.forced {
			s = append(s, fmt.Sprintf("%s was force deleted, and no dump tells whether the API has it still.", q.title()))
			break
		}
		if len(q.untold) > 0 && !q.deletionSeen() {
			s = append(s, fmt.Sprintf("Whether the API has %s cannot be told: a dump lacks it, and nothing tells that the dump was taken after the pod had begun.", q.title()))
			break
		}
		if q.inAPI != nil && !*q.inAPI && q.kind == "Pod" {
			s = append(s, fmt.Sprintf("The API does not have %s; whether anything of it is left%s cannot be told.", q.title(), q.onNode()))
			break
		}
		if q.object == nil && !q.deletionSeen() && q.kind == "Pod" && q.wanted {
			s = append(s, fmt.Sprintf("The evidence does not tell whether a deletion of %s was asked for.", q.title()))
			break
		}
		s = append(s, fmt.Sprintf("The evidence does not tell what holds %s.", q.title()))
		if since := q.sinceWhen(); since != "" {
			s = append(s, since)
		}
	}
	f.summary = strings.Join(s, " ")
}

// sinceWhen says how long it has been overdue. Only pods have a deadline; other
// objects are marked with grace 0, and their timestamp is the request.
func (q *inquest) sinceWhen() string {
	over := q.overdue()
	switch {
	case over <= 0:
		return ""
	case q.requestFrom == shownTerminating:
		return fmt.Sprintf("It is shown in deletion for %s at least.", round(q.s.now.Sub(q.requested)))
	case q.kind == "Pod":
		return fmt.Sprintf("It is %s past its deadline.", round(over))
	}
	return fmt.Sprintf("It has been in deletion for %s.", round(over))
}

// sentence makes a clause a sentence.
func sentence(clause string) string {
	if clause == "" {
		return ""
	}
	return strings.ToUpper(clause[:1]) + clause[1:] + "."
}

func round(d time.Duration) time.Duration {
	if d > time.Hour {
		return d.Truncate(time.Minute)
	}
	return d.Truncate(time.Second)
}
