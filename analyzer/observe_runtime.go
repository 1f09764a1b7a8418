package analyzer

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

var runtimeObservations = []Observation{
	{"container-running", []string{StageContainers}, Context, Supporting, "the runtime lists a container of the pod as running"},
	{"container-exited", []string{StageContainers}, Success, Supporting, "the runtime lists the container as exited"},
	{"containers-gone", []string{StageContainers}, Success, Supporting, "a complete list of the runtime has no container of the pod"},
	{"sandbox-gone", []string{StageSandbox}, Success, Supporting, "a complete list of the runtime has no sandbox of the pod"},
	{"sandbox-not-ready", []string{StageSandbox}, Context, Supporting, "the sandbox's process has ended; its network may be there still"},
	{"container-without-process", []string{StageContainers}, Failure, Decisive, "the runtime calls the container running, and its process does not exist"},
	{"container-state-unknown", []string{StageContainers}, Failure, Supporting, "the runtime does not know the container's state"},
	{"process-d-state", []string{StageContainers}, Failure, Supporting, "a process is in uninterruptible sleep: a signal does not reach it"},
	{"process-d-state-frozen", []string{StageContainers}, Failure, Supporting, "the process sleeps because its cgroup is frozen"},
	{"cgroup-frozen", []string{StageContainers}, Failure, Decisive, "a cgroup of the pod is frozen"},
	{"pod-hung-task", []string{StageContainers}, Failure, Decisive, "the kernel reports a process of the pod blocked for minutes"},
	{"kubelet-hung-task", []string{StageNode}, Failure, Supporting, "the kernel reports the kubelet blocked for minutes"},
	{"processes-known-not-blocked", []string{StageContainers}, Context, Supporting, "the process list shows the pod's processes, and none of them is blocked"},
	{"process-zombie", []string{StageContainers}, Failure, Supporting, "a process has ended and its parent has not collected it"},
	{"process-zombies-under-shim", []string{StageContainers}, Failure, Supporting, "ended processes pile up below a shim that does not collect them"},
	{"process-zombie-with-blocked-child", []string{StageContainers}, Failure, Decisive, "the main process is defunct and a child of it cannot end"},
	{"process-running", []string{StageContainers}, Context, Supporting, "a process of the pod runs"},
}

func (q *inquest) lookAtRuntime() {
	if q.kind != "Pod" {
		return
	}
	b := q.s.book
	seen, sandboxes := false, false
	for i := range q.s.tl.Containers {
		c := &q.s.tl.Containers[i]
		if !q.owns(c.PodUID, c.PodNamespace, c.PodName, c.Node) && !q.hasID(c.ID) {
			continue
		}
		if q.isSandbox(c.ID) {
			sandboxes = true
			continue
		}
		seen = true
		keys := map[string]string{"container": c.ID, "name": c.Name, "pid": strconv.Itoa(c.PID)}
		at := b.fact(&c.Fact, c.Tool)
		switch c.State {
		case "running":
			q.observe("container-running", scopeSubject, latest(c.AsOf, q.factTime(&c.Fact)), keys, at)
		case "exited":
			q.observe("container-exited", scopeSubject, latest(c.FinishedAt, c.AsOf), keys, at)
		case "unknown":
			q.observe("container-state-unknown", scopeSubject, c.AsOf, keys, at)
		}
		if c.State == "running" && c.PID > 0 {
			if gone, ok := q.processGone(c.PID, c.AsOf); ok {
				q.observe("container-without-process", scopeSubject, c.AsOf, keys, at, gone)
			}
		}
	}
	for i := range q.s.tl.Sandboxes {
		sb := &q.s.tl.Sandboxes[i]
		if !q.owns(sb.PodUID, sb.PodNamespace, sb.Pod, sb.Node) && !q.hasID(sb.ID) {
			continue
		}
		sandboxes = true
		if sb.State == "notready" {
			q.observe("sandbox-not-ready", scopeSubject, sb.AsOf, map[string]string{"sandbox": sb.ID}, b.fact(&sb.Fact, sb.Tool))
		}
	}
	if q.node != nil && q.pod != nil && q.asOfRuntime().After(q.requested) {
		if at, ok := q.emptyListing("Container"); ok && !seen {
			q.observe("containers-gone", scopeSubject, q.asOfRuntime(), nil, at)
		}
		if at, ok := q.emptyListing("Sandbox"); ok && !sandboxes {
			q.observe("sandbox-gone", scopeSubject, q.asOfRuntime(), nil, at)
		}
	}
}

// factTime is when a snapshot was taken at the earliest that is known.
func (q *inquest) factTime(f *timeline.Fact) time.Time {
	if !f.AsOf.IsZero() {
		return f.AsOf
	}
	return q.vantage()
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// asOfRuntime is when the node's runtime was asked; its own folder tells.
func (q *inquest) asOfRuntime() time.Time {
	var at time.Time
	for i := range q.s.tl.Inputs {
		in := &q.s.tl.Inputs[i]
		if q.node != nil && in.Node == q.node.name {
			at = latest(at, in.CapturedAt)
		}
	}
	if at.IsZero() {
		return q.vantage()
	}
	return at
}

// emptyListing cites a complete listing of the pod's node: what is not in it
// was not there.
func (q *inquest) emptyListing(kind string) (ref, bool) {
	for _, l := range q.s.tl.Listings {
		if l.Kind != kind || l.Incomplete {
			continue
		}
		for i := range q.s.tl.Inputs {
			if in := &q.s.tl.Inputs[i]; in.Path == l.Source.File && in.Node == q.node.name {
				ev := evidenceAt(l.Source, nil, l.Text)
				ev.Node, ev.Component = word(q.node.name), "crictl"
				ev.Time = moment(l.AsOf)
				return q.s.book.put(ev), true
			}
		}
	}
	return 0, false
}

func (q *inquest) hasID(id string) bool {
	return slices.ContainsFunc(q.ids, func(x string) bool { return sameID(x, id) })
}

func (q *inquest) isSandbox(id string) bool {
	return len(id) >= shortID && contains(q.sandboxs, id[:shortID])
}

// processGone says whether the process list shows that a PID does not exist at a
// moment: one of another moment tells nothing, as processes come and go.
func (q *inquest) processGone(pid int, at time.Time) (ref, bool) {
	if q.node == nil {
		return 0, false
	}
	whole, found := false, false
	var witness *timeline.Process
	for _, p := range q.node.processes {
		switch {
		case !at.IsZero() && !p.AsOf.IsZero() && p.AsOf.Sub(at).Abs() > collecting:
		case p.PID == pid && p.Gone:
			return q.s.book.fact(&p.Fact, "proc"), true
		case p.PID == pid:
			found = true
		case p.PID == 1:
			whole, witness = true, p
		}
	}
	if whole && !found && len(q.node.processes) > 20 && q.s.whole(&witness.Fact) {
		return q.s.book.fact(&witness.Fact, "ps"), true
	}
	return 0, false
}

// lookAtProcesses finds processes that no signal reaches: the pod's own where
// that can be told, else those of the node.
func (q *inquest) lookAtProcesses() {
	if q.node == nil || q.kind != "Pod" {
		return
	}
	b := q.s.book
	own := q.ownProcesses()
	frozen := q.lookAtFreezers()
	q.lookAtHungTasks(own)
	seen, blocked := false, false
	for _, p := range q.node.processes {
		if p.State == "" || p.Gone || kernelThread(p) {
			continue
		}
		sc := scopeNode
		if own[p.PID] {
			sc = scopeSubject
			seen = seen || !strings.Contains(p.Command, "shim")
			blocked = blocked || p.State[0] == 'D'
		} else if q.foreign(p) || p.PPID == 1 {
			continue // of another pod, or a service of the machine
		}
		keys := map[string]string{"pid": strconv.Itoa(p.PID), "comm": program(p.Command), "wchan": p.WChan, "command": p.Command}
		at := b.fact(&p.Fact, "ps")
		when := q.factTime(&p.Fact)
		switch p.State[0] {
		case 'D':
			id := "process-d-state"
			if frozen || strings.Contains(p.WChan, "refrigerator") || strings.Contains(p.Stack, "refrigerator") {
				id = "process-d-state-frozen"
			}
			q.observe(id, sc, when, keys, at)
		case 'Z':
			q.observe("process-zombie", sc, when, keys, at)
			q.lookBelowZombie(p, sc, when)
			if parent := q.process(p.PPID); parent != nil && strings.Contains(parent.Command, "containerd-shim") && !own[p.PID] {
				q.observe("process-zombies-under-shim", q.shimScope(parent), when, keys, at, b.fact(&parent.Fact, "ps"))
			}
		default:
			if sc == scopeSubject {
				q.observe("process-running", sc, when, keys, at)
			}
		}
	}
	if seen && !blocked {
		q.observe("processes-known-not-blocked", scopeSubject, q.vantage(), nil)
	}
}

// lookAtHungTasks ties the kernel's reports of hung tasks to the pod, by PID;
// where no whole process list tells which PIDs are there, by the program that a
// process of the pod runs.
func (q *inquest) lookAtHungTasks(own map[int]bool) {
	programs := map[string]bool{}
	whole := slices.ContainsFunc(q.node.processes, func(p *timeline.Process) bool { return p.PID == 1 })
	for _, p := range q.node.processes {
		if whole {
			break
		}
		if own[p.PID] && p.Command != "" && !strings.Contains(p.Command, "shim") {
			programs[program(p.Command)] = true
		}
	}
	for _, sg := range q.signalsOf("kernel-hung-task", "kernel-task-d-state") {
		pid, _ := strconv.Atoi(sg.keys["pid"])
		comm := sg.keys["comm"]
		switch {
		case own[pid] || programs[comm]:
			q.observe("pod-hung-task", scopeSubject, sg.last, sg.keys, sg.refs...)
		case comm == "kubelet":
			q.observe("kubelet-hung-task", scopeNode, sg.last, sg.keys, sg.refs...)
		}
	}
}

// lookAtFreezers finds a cgroup of the pod that somebody saw frozen.
func (q *inquest) lookAtFreezers() bool {
	found := false
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if e.Component == timeline.Command && strings.HasSuffix(e.Message, ": FROZEN") {
			q.observe("cgroup-frozen", scopeSubject, q.vantage(), map[string]string{"path": strings.TrimSuffix(e.Message, ": FROZEN")}, q.s.book.event(i, ""))
			found = true
		}
	}
	return found
}

// lookBelowZombie finds a child or thread that keeps a defunct process.
func (q *inquest) lookBelowZombie(z *timeline.Process, sc scope, when time.Time) {
	for _, c := range q.node.processes {
		if c.PPID == z.PID && c.PID != z.PID && strings.HasPrefix(c.State, "D") {
			q.observe("process-zombie-with-blocked-child", sc, when,
				map[string]string{"pid": strconv.Itoa(z.PID), "child": strconv.Itoa(c.PID), "wchan": c.WChan},
				q.s.book.fact(&z.Fact, "ps"), q.s.book.fact(&c.Fact, "ps"))
			return
		}
	}
}

// shimScope is the subject's if the shim serves one of its sandboxes.
func (q *inquest) shimScope(shim *timeline.Process) scope {
	for _, id := range q.ids {
		if strings.Contains(shim.Command, id[:shortID]) {
			return scopeSubject
		}
	}
	return scopeNode
}

func (q *inquest) process(pid int) *timeline.Process {
	for _, p := range q.node.processes {
		if p.PID == pid && p.Command != "" {
			return p
		}
	}
	return nil
}

// ownProcesses are the processes of the pod: by cgroup, by the PID that the
// runtime tells, by the shim of its sandbox, and everything below those.
func (q *inquest) ownProcesses() map[int]bool {
	own := map[int]bool{}
	underscored := strings.ReplaceAll(q.uid, "-", "_")
	for _, c := range q.node.containers {
		if c.PID > 0 && (q.owns(c.PodUID, c.PodNamespace, c.PodName, c.Node) || q.hasID(c.ID)) {
			own[c.PID] = true
		}
	}
	for _, p := range q.node.processes {
		switch {
		case q.uid != "" && (strings.Contains(p.Cgroup, q.uid) || strings.Contains(p.Cgroup, underscored)):
			own[p.PID] = true
		case strings.Contains(p.Command, "shim") && q.shimScope(p) == scopeSubject:
			own[p.PID] = true
		}
	}
	for _, i := range q.events { // a line about the pod that names the PID
		for _, m := range q.s.matchesOf[i] {
			if pid, err := strconv.Atoi(q.s.matches[m].Keys["pid"]); err == nil && pid > 1 {
				own[pid] = true
			}
		}
	}
	q.node.addChildren(own)
	return own
}

// addChildren adds to some processes of the node all that are below them.
func (n *node) addChildren(own map[int]bool) {
	for grown := true; grown; {
		grown = false
		for _, p := range n.processes {
			if p.PPID > 1 && own[p.PPID] && !own[p.PID] {
				own[p.PID], grown = true, true
			}
		}
	}
}

// foreign says whether a process is known to be of another pod.
func (q *inquest) foreign(p *timeline.Process) bool {
	m := timeline.Mentions(p.Cgroup)
	return len(m.UIDs) > 0 && !contains(m.UIDs, q.uid)
}

// kernelThread says whether ps shows a thread of the kernel, which may sleep
// in D for its own reasons.
func kernelThread(p *timeline.Process) bool {
	return strings.HasPrefix(p.Command, "[") && !strings.Contains(p.Command, "defunct") || p.PID == 2 || p.PPID == 2
}
