package analyzer

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// node ticks off what is left on the machine itself.
func (c *checklist) node(gone bool) {
	q := c.q
	young := gone && q.beingCleanedUp()
	if young {
		q.observe("being-cleaned-up", scopeSubject, q.seenLast(), nil, q.goneRefs...)
	}
	c.containers(gone && !young)
	c.processes(gone && !young)
	c.sandbox(gone && !young)
	c.cgroup()
	c.mounts(gone && !young)
	c.folder(gone && !young)
	c.logs()
}

// containers looks for those that run; ghosts says whether they should not.
func (c *checklist) containers(ghosts bool) {
	q := c.q
	b := q.s.book
	running := slices.DeleteFunc(q.signalsOf("container-running"), func(sg *signal) bool { return !q.containerRunsOn(sg.keys["container"]) })
	at, asked := c.asked("Container")
	switch {
	case len(running) > 0:
		for _, sg := range running {
			if ghosts {
				q.observe("ghost-running", scopeSubject, sg.last, sg.keys, sg.refs...)
			}
		}
		c.undated(ghosts)
		c.row(checkContainers, RowLeft, number(len(running), "container")+" still running", running[0].refs...)
	case asked:
		detail := "the runtime lists no running container of it"
		refs := []ref{at}
		if exited := q.signalsOf("container-exited"); len(exited) > 0 {
			detail += fmt.Sprintf("; %d exited, kept until the kubelet's garbage collection", len(exited))
			refs = append(refs, refsOf(exited, 2)...)
		}
		c.row(checkContainers, RowClear, detail, refs...)
	default:
		if log := q.writesOn(); log != nil {
			at := b.fact(&log.Fact, "container log")
			if ghosts {
				q.observe("ghost-writing", scopeSubject, log.Last, map[string]string{"container": log.Container}, at)
			}
			c.row(checkContainers, RowLeft, "container "+log.Container+" writes its log until the end of the evidence", at)
			return
		}
		if sg := q.finishedBy(StageContainers); sg != nil {
			c.row(checkContainers, RowClear, "the log tells of their end, and nothing of a start since", sg.refs...)
			return
		}
		c.unknown(checkContainers, "the runtime's state is not in the bundle, or is older than what is known of the pod", checkSandbox, checkProcesses)
	}
}

// undated takes note that no listing of the ghosts is dated: all may be older
// than the dump that lacks the pod. A kubelet's log that tells of its REMOVE
// would tell of the containers' end, too.
func (c *checklist) undated(ghosts bool) {
	if t := c.q.lastSeen(checkContainers, checkProcesses); ghosts && c.q.goneAt.IsZero() && t != nil && t.seen().IsZero() {
		c.q.observe("seen-undated", scopeSubject, time.Time{}, nil, c.q.s.cite(t))
	}
}

// finishedBy finds what tells that a stage of the node's work was finished; nil
// where it failed since, or where it is finished in part only.
func (q *inquest) finishedBy(stage string) *signal {
	var found *signal
	var ran time.Time
	for _, sg := range q.signalsOf("container-running") {
		ran = latest(ran, sg.last)
	}
	for _, sg := range q.signals {
		if sg.scope != scopeSubject || !contains(sg.stages, stage) || sg.strength == Weak || sg.early {
			continue
		}
		switch {
		case sg.polarity == Failure && !sg.ended:
			return nil
		case sg.polarity == Success && len(sg.refs) > 0:
			found = sg
		}
	}
	if found != nil && !found.last.After(ran) {
		return nil // it was seen to run since
	}
	return found
}

// processes looks for those of the pod's control group, and for the shim of
// its sandbox.
func (c *checklist) processes(ghosts bool) {
	q := c.q
	containers := q.has("ghost-running") || c.state(checkContainers) == RowLeft
	var running []*signal
	for _, sg := range q.signalsOf("process-running") {
		if !q.outdated(sg.last) {
			running = append(running, sg)
		}
	}
	if len(running) > 0 {
		// What the runtime does not know is told first, as nobody else ends it;
		// else what is no shim.
		sg := running[max(0, slices.IndexFunc(running, func(sg *signal) bool { return !isShim(sg.keys["command"]) }))]
		if lost := slices.IndexFunc(running, func(sg *signal) bool { return q.keptBy(sg) == "" }); lost >= 0 {
			sg = running[lost]
		}
		if ghosts && !containers {
			q.observe("ghost-process", scopeSubject, sg.last, sg.keys, sg.refs...)
			c.undated(ghosts)
		}
		detail := "process " + sg.keys["pid"] + " of it runs"
		if isShim(sg.keys["command"]) {
			detail = "the shim of its sandbox runs, process " + sg.keys["pid"]
		}
		c.process(detail, q.keptBy(sg), sg.refs...)
		return
	}
	if left := q.standing(checkProcesses); len(left) > 0 {
		t := left[0]
		at := q.s.cite(t)
		if t.what == "shim" && ghosts && !containers && q.settled(t.seen()) {
			q.observe("ghost-shim", scopeSubject, t.seen(), map[string]string{"sandbox": t.id}, at)
		}
		c.process("the "+t.what+" of it runs", q.runtimeRuns(timeline.Mentions(t.id).IDs...), at)
		return
	}
	if at, ok := c.everyProcess(); ok {
		c.row(checkProcesses, RowClear, "the process list has none in its cgroup, and no shim of it", at)
		return
	}
	c.unknown(checkProcesses, "no whole list of processes is in the bundle that tells whose they are, or none that is new enough")
}

// keptBy names what the runtime has a process in, and ends it with: a container
// or a sandbox. "" where it has neither, or where that is not known.
func (q *inquest) keptBy(sg *signal) string {
	pid, err := strconv.Atoi(sg.keys["pid"])
	if err != nil || q.node == nil {
		return ""
	}
	for seen := 0; pid > 1 && seen < len(q.node.processes); seen++ {
		p := q.process(pid)
		if p == nil {
			return ""
		}
		ids := timeline.Mentions(p.Cgroup).IDs
		if isShim(p.Command) {
			ids = timeline.Mentions(p.Command).IDs
		}
		if keeper := q.runtimeRuns(ids...); keeper != "" {
			return keeper
		}
		for _, ct := range q.node.containers {
			if ct.PID == pid && ct.State == "running" {
				return "container " + ct.ID[:min(13, len(ct.ID))]
			}
		}
		for _, sb := range q.node.sandboxes {
			if sb.PID == pid && sb.State == "ready" {
				return "sandbox " + sb.ID[:min(13, len(sb.ID))]
			}
		}
		pid = p.PPID
	}
	return ""
}

// runtimeRuns names the running container or the ready sandbox of the first id
// that has one; "" where there is none.
func (q *inquest) runtimeRuns(ids ...string) string {
	if q.node == nil {
		return ""
	}
	for _, id := range ids {
		for _, sb := range q.node.sandboxes {
			if sb.State == "ready" && sameID(sb.ID, id) {
				return "sandbox " + sb.ID[:min(13, len(sb.ID))]
			}
		}
		for _, ct := range q.node.containers {
			if ct.State == "running" && sameID(ct.ID, id) {
				return "container " + ct.ID[:min(13, len(ct.ID))]
			}
		}
	}
	return ""
}

// process writes the row of a process that is left. Only where the runtime was
// asked for everything, and does not have it, is it out of the runtime's reach.
func (c *checklist) process(detail, keeper string, refs ...ref) {
	if keeper != "" {
		detail += ", in " + keeper + ", which the runtime has"
	}
	c.row(checkProcesses, RowLeft, detail, refs...)
	r := &c.f.residue[len(c.f.residue)-1]
	_, containers := c.asked("Container")
	_, sandboxes := c.asked("Sandbox")
	switch {
	case keeper != "":
		what, _, _ := strings.Cut(keeper, " ")
		r.May = "works on until the runtime stops that " + what
		r.Clearing.How = "Stop that " + what + "; the process ends with it, if it is not in state D."
	case !containers || !sandboxes:
		r.May = "works on; whether the runtime knows it, so that a stop of its container reaches it, is not in the bundle"
	}
}

// state is that of a row that was written.
func (c *checklist) state(check string) string {
	for i := range c.f.residue {
		if r := &c.f.residue[i]; r.Check == check {
			return r.State
		}
	}
	return ""
}

// everyProcess finds a whole process list of the node that would show the pod's
// processes: by control group, or as children of the shims that it shows.
func (c *checklist) everyProcess() (ref, bool) {
	q := c.q
	if q.node == nil {
		return 0, false
	}
	var first *timeline.Process
	telling := false
	for _, p := range q.node.processes {
		if p.PID == 1 && p.Command != "" && q.s.whole(&p.Fact) && c.tells(p.AsOf, checkContainers, checkSandbox, checkProcesses) {
			first = p
		}
		telling = telling || strings.Contains(p.Cgroup, "kubepods") || isShim(p.Command)
	}
	// Without a shim or a pod's group in it the list may be of another kind, or
	// of a node where nothing runs: then the ids of the pod would show it.
	if first == nil || !telling && len(q.ids) == 0 {
		return 0, false
	}
	return q.s.book.fact(&first.Fact, "ps"), true
}

func (c *checklist) sandbox(ghosts bool) {
	q := c.q
	for i := range q.s.tl.Sandboxes {
		sb := &q.s.tl.Sandboxes[i]
		if sb.State != "ready" || !q.owns(sb.PodUID, sb.PodNamespace, sb.Pod, sb.Node) || q.endedSince(sb.ID, StageSandbox, sb.AsOf) {
			continue
		}
		at, ip := q.s.book.fact(&sb.Fact, sb.Tool), q.address()
		if ghosts {
			q.observe("ghost-sandbox", scopeSubject, q.factTime(&sb.Fact), map[string]string{"sandbox": sb.ID, "ip": ip}, at)
		}
		detail := "sandbox " + sb.ID[:min(13, len(sb.ID))] + " is ready"
		if ip != "" {
			detail += " and keeps the address " + ip
		}
		c.row(checkSandbox, RowLeft, detail, at)
		return
	}
	if at, ok := c.asked("Sandbox"); ok {
		detail := "the runtime lists none that is ready"
		if q.has("sandbox-not-ready") {
			detail += "; one that has stopped is kept until the kubelet's garbage collection"
		}
		c.row(checkSandbox, RowClear, detail, at)
		return
	}
	if sg := q.finishedBy(StageSandbox); sg != nil {
		c.row(checkSandbox, RowClear, "the log tells that it was stopped", sg.refs...)
		return
	}
	c.unknown(checkSandbox, "the runtime's state is not in the bundle, or is older than what is known of the pod", checkContainers, checkProcesses)
}

func (c *checklist) cgroup() {
	q := c.q
	if left := q.standing(checkCgroup); len(left) > 0 {
		c.row(checkCgroup, RowLeft, "the control group "+left[0].id+" is there", q.s.cite(left[0]))
		return
	}
	// What a process is in is there, even if nobody listed the tree.
	for _, t := range q.tracesOf(checkProcesses) {
		if t.what == "process" && !q.outdated(t.seen()) {
			c.row(checkCgroup, RowLeft, "a process is in the control group "+t.id, q.s.cite(t))
			return
		}
	}
	if at, ok := c.listing(func(p *timeline.Path) bool {
		return strings.HasPrefix(p.Path, "/sys/fs/cgroup") && strings.HasPrefix(path.Base(p.Path), "kubepods")
	}, checkCgroup, checkProcesses); ok {
		c.row(checkCgroup, RowClear, "the tree of control groups has none of it", at)
		return
	}
	if sg := q.finishedBy(StageCgroup); sg != nil {
		c.row(checkCgroup, RowClear, "the log tells that it was removed", sg.refs...)
		return
	}
	c.unknown(checkCgroup, "no tree of the node's control groups is in the bundle, or none that is new enough")
}

// listing finds what ls or find printed of a place, whole, and since these rows
// were seen.
func (c *checklist) listing(of func(*timeline.Path) bool, rows ...string) (ref, bool) {
	q := c.q
	if q.node == nil {
		return 0, false
	}
	var at *timeline.Path
	for _, p := range q.node.paths {
		if of(p) {
			if !q.s.whole(&p.Fact) {
				return 0, false
			}
			if (at == nil || p.AsOf.After(at.AsOf)) && c.tells(p.AsOf, rows...) {
				at = p
			}
		}
	}
	if at == nil {
		return 0, false
	}
	return q.s.book.fact(&at.Fact, "ls"), true
}

func (c *checklist) mounts(ghosts bool) {
	q := c.q
	if q.node == nil || q.uid == "" {
		c.row(checkMounts, RowUnknown, "nothing tells on which node it was, or its UID")
		return
	}
	var host, elsewhere []*trace
	subpaths := 0
	for _, t := range q.tracesOf(checkMounts) {
		switch {
		case q.outdated(t.seen()):
		case t.pid > 1:
			elsewhere = append(elsewhere, t)
		default:
			host = append(host, t)
			if strings.Contains(t.id, "/volume-subpaths/") {
				subpaths++
			}
		}
	}
	var table *timeline.Mount
	tables, cut := 0, false
	for _, m := range q.node.mounts {
		if m.PID > 1 || !c.tells(m.AsOf, checkMounts) {
			continue
		}
		tables++
		cut = cut || !q.s.whole(&m.Fact)
		if table == nil {
			table = m
		}
	}
	const whole = 5 // lines of a mount table that was not filtered
	switch {
	case len(host) > 0:
		detail := number(len(host), "mount") + " below the pod's folder"
		if subpaths > 0 {
			detail += fmt.Sprintf(", %d of them of subPaths", subpaths)
		}
		if len(elsewhere) > 0 {
			detail += "; other mount namespaces see it, too (process " + fmt.Sprint(elsewhere[0].pid) + ")"
		}
		refs := q.some(host)
		c.row(checkMounts, RowLeft, detail, refs...)
		if ghosts && !q.mayYetGo(newestOf(host)) {
			q.observe("ghost-mount", scopeSubject, q.vantage(), map[string]string{"path": host[0].id}, refs...)
		}
	case len(elsewhere) > 0:
		refs := q.some(elsewhere)
		c.row(checkMounts, RowLeft, fmt.Sprintf("process %d has a mount of it in its own mount namespace", elsewhere[0].pid), refs...)
		if ghosts && !q.mayYetGo(newestOf(elsewhere)) {
			q.observe("ghost-mount", scopeSubject, q.vantage(), map[string]string{"path": elsewhere[0].id, "pid": fmt.Sprint(elsewhere[0].pid)}, refs...)
		}
	case cut:
		c.row(checkMounts, RowUnknown, "the mount table is cut short")
	case tables > whole:
		c.row(checkMounts, RowClear, "the host's mount table has none of it, subPaths included", q.s.book.fact(&table.Fact, "mounts"))
	default:
		if sg := q.finishedBy(StageVolumes); sg != nil && q.has("volumes-torn-down") && q.toldUnmounted() {
			c.row(checkMounts, RowClear, "the log tells that the volumes were unmounted", sg.refs...)
			return
		}
		c.unknown(checkMounts, "no mount table of the node is in the bundle, or none that is new enough")
	}
}

func (c *checklist) folder(ghosts bool) {
	q := c.q
	if q.node == nil || q.uid == "" {
		c.row(checkFolder, RowUnknown, "nothing tells on which node it was, or its UID")
		return
	}
	if left := q.standing(checkFolder); len(left) > 0 {
		t := left[0]
		at := q.s.cite(t)
		c.row(checkFolder, RowLeft, t.id, at)
		if ghosts && !q.mayYetGo(t.seen()) {
			q.observe("ghost-folder", scopeSubject, q.seenOr(t), map[string]string{"path": t.id}, at)
		}
		return
	}
	if at, ok := c.listing(func(p *timeline.Path) bool {
		return strings.HasSuffix(p.Path, "/pods") && !strings.HasPrefix(p.Path, "/var/log/") && p.Listed || strings.HasSuffix(path.Dir(p.Path), "/kubelet/pods")
	}, checkFolder, checkMounts); ok {
		c.row(checkFolder, RowClear, "the kubelet's folder has none of it", at)
		return
	}
	c.unknown(checkFolder, "no listing of the kubelet's pods folder is in the bundle, or none that is new enough", checkMounts)
}

func (c *checklist) logs() {
	q := c.q
	for _, t := range q.standing(checkLogs) {
		if t.tool != "container log" {
			c.row(checkLogs, RowLeft, t.id, q.s.cite(t))
			return
		}
	}
	if at, ok := c.listing(func(p *timeline.Path) bool {
		return p.Path == "/var/log/pods" && p.Listed || path.Dir(p.Path) == "/var/log/pods"
	}, checkLogs); ok {
		c.row(checkLogs, RowClear, "the folder of logs has none of it", at)
		return
	}
	c.row(checkLogs, RowUnknown, "no listing of /var/log/pods is in the bundle, or none that is new enough")
}

// writesOn finds a container's log that goes on although the object is gone: it
// began before, and its last line is one of the last things that are known.
func (q *inquest) writesOn() *timeline.PodLog {
	const lastWords = time.Minute
	if q.goneAt.IsZero() {
		return nil
	}
	for i := range q.s.tl.PodLogs {
		log := &q.s.tl.PodLogs[i]
		if log.PodUID == q.uid && log.First.Before(q.goneAt) && log.Last.After(q.goneAt.Add(lastWords)) && q.vantage().Sub(log.Last) < quiet {
			return log
		}
	}
	return nil
}

// lookAtNamesakes finds another life of the same name.
func (q *inquest) lookAtNamesakes() {
	if q.name == "" {
		return
	}
	for _, p := range q.s.podsBy[q.ns+"/"+q.name] {
		if p.object.UID != "" && p.object.UID != q.uid {
			q.observe("namesake-lives", scopeSubject, p.object.AsOf, map[string]string{"other": p.object.UID, "othernode": p.node},
				q.s.book.object(p.object, "metadata", "uid"))
		}
	}
}
