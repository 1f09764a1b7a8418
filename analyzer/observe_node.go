package analyzer

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

var nodeObservations = []Observation{
	{"node-ready", []string{StageNode}, Success, Supporting, "the Node object says Ready"},
	{"node-ready-unknown", []string{StageNode}, Failure, Decisive, "the node's lease has not been renewed: Ready is Unknown"},
	{"node-not-ready", []string{StageNode}, Failure, Supporting, "the kubelet reports itself not ready, so it is alive"},
	{"node-shown-not-ready", []string{StageNode}, Failure, Supporting, "kubectl shows the node as NotReady: its Ready is False or Unknown"},
	{"node-runtime-down", []string{StageNode}, Failure, Decisive, "the kubelet reports that the container runtime does not answer"},
	{"node-object-absent", []string{StageNode}, Failure, Decisive, "a complete list of nodes lacks the one that the pod is bound to"},
	{"kubelet-1.22-or-newer", []string{StageNode}, Context, Supporting, "the kubelet is 1.22 or newer, by its version"},
	{"kubelet-1.21-or-older", []string{StageNode}, Context, Supporting, "the kubelet is 1.21 or older, by its version or the form of its lines"},
	{"kubelet-unit-down", []string{StageNode}, Failure, Decisive, "the kubelet's unit does not run"},
	{"kubelet-stopped", []string{StageNode}, Failure, Decisive, "systemd stopped the kubelet and did not start it again"},
	{"kubelet-restarting", []string{StageNode}, Failure, Supporting, "systemd starts the kubelet again and again"},
	{"kubelet-log-stopped", []string{StageNode}, Failure, Supporting, "the kubelet's log stops while other programs of the node log on"},
	{"kubelet-process-absent", []string{StageNode}, Failure, Supporting, "the process list of the node has no kubelet"},
	{"kubelet-process-stopped", []string{StageNode}, Failure, Decisive, "the kubelet's process is stopped (T)"},
	{"kubelet-process-blocked", []string{StageNode}, Failure, Supporting, "the kubelet's process is in uninterruptible sleep (D)"},
	{"kubelet-alive", []string{StageNode}, Context, Supporting, "the kubelet logs until the end of the evidence"},
	{"kubelet-restarted", []string{StageNode}, Context, Supporting, "the kubelet was started after the deletion was asked for"},
	{"kubelet-never-saw-delete", []string{StageSeen}, Failure, Supporting, "the kubelet's log covers the request at a verbosity that would show it, and does not name the pod"},
	{"runtime-unit-down", []string{StageNode}, Failure, Decisive, "the container runtime's unit does not run"},
	{"runtime-process-stopped", []string{StageNode}, Failure, Decisive, "the container runtime's process is stopped (T)"},
	{"runtime-restarted", []string{StageContainers}, Context, Supporting, "the container runtime was started after the deletion was asked for"},
	{"filesystem-full", []string{StageNode}, Failure, Decisive, "a filesystem that the runtime or the kubelet writes to is full"},
}

func (q *inquest) lookAtNode() {
	if q.node == nil {
		return
	}
	b := q.s.book
	n := q.node
	name := map[string]string{"node": n.name}
	switch minor := n.minorOf(); {
	case minor >= 22:
		q.observe("kubelet-1.22-or-newer", scopeNode, q.vantage(), nil)
	case minor > 0, n.oldStyle:
		q.observe("kubelet-1.21-or-older", scopeNode, q.vantage(), nil)
	}
	if o := n.object; o != nil {
		status, reason, message, since, i, ok := condition(o, "Ready")
		keys := map[string]string{"node": n.name, "reason": reason, "message": strings.TrimSuffix(message, ".")}
		at := b.object(o, "status", "conditions", strconv.Itoa(i), "status")
		why := b.object(o, "status", "conditions", strconv.Itoa(i), "message")
		switch {
		case !ok:
			if slices.Contains(strings.Split(stringAt(o.Content, "status", "displayed"), ","), "NotReady") {
				q.observe("node-shown-not-ready", scopeNode, o.AsOf, name, b.object(o, "status", "displayed"))
			}
		case status == "True":
			q.observe("node-ready", scopeNode, o.AsOf, keys, at)
		case status == "Unknown":
			q.observe("node-ready-unknown", scopeNode, since, keys, at, why)
		case status == "False":
			q.observe("node-not-ready", scopeNode, since, keys, at, why)
			if _, over := q.loopSince(o.AsOf); !over && (strings.Contains(message, "runtime is down") || strings.Contains(message, "PLEG is not healthy")) {
				q.observe("node-runtime-down", scopeNode, since, keys, why)
			}
		}
	} else if at, ok := q.s.absent("Node", "", n.name); ok && !q.s.tl.Strangers[n.name] {
		q.observe("node-object-absent", scopeNode, q.vantage(), name, at)
	}
	q.lookAtRuntimeUnits()
	q.lookAtDisks()
}

// lookAtRuntimeUnits finds a runtime that was stopped, by systemd's state and
// the process list.
func (q *inquest) lookAtRuntimeUnits() {
	b := q.s.book
	for _, unit := range []string{"containerd.service", "crio.service", "docker.service"} {
		if u := q.node.units[unit]; u != nil && (u.Active == "inactive" || u.Active == "failed") && u.Load != "not-found" && q.runs(unit) && !q.reportedSince(cmp.Or(u.Since, u.AsOf), runtimeNoticed) && !q.runtimeSince(cmp.Or(u.AsOf, u.Since)) {
			q.observe("runtime-unit-down", scopeNode, u.Since, map[string]string{"unit": unit}, b.fact(&u.Fact, "systemctl"))
		}
	}
	for _, p := range q.node.processes {
		if program(p.Command) != "containerd" && program(p.Command) != "dockerd" && program(p.Command) != "crio" {
			continue
		}
		if strings.HasPrefix(p.State, "T") && !q.reportedSince(p.AsOf, runtimeNoticed) && !q.runtimeSince(p.AsOf) {
			q.observe("runtime-process-stopped", scopeNode, p.AsOf, map[string]string{"pid": strconv.Itoa(p.PID), "command": program(p.Command)}, b.fact(&p.Fact, "ps"))
		}
	}
	for _, i := range q.node.events {
		e := &q.s.tl.Events[i]
		if !q.early(e) && !q.requested.IsZero() && startsRuntime(e) {
			q.observe("runtime-restarted", scopeNode, e.Time, nil, b.event(i, ""))
		}
	}
}

// runs says whether the unit is the runtime that this node uses, as far as the
// Node object or the unit's own log tells.
func (q *inquest) runs(unit string) bool {
	program, _, _ := strings.Cut(unit, ".")
	if q.node.runtime != "" {
		used := strings.ReplaceAll(strings.ToLower(q.node.runtime), "-", "")
		return strings.HasPrefix(used, strings.TrimSuffix(program, "d")) || strings.HasPrefix(used, program)
	}
	return q.node.logs[program] != nil
}

// lookAtDisks finds filesystems without room that a runtime or kubelet needs.
func (q *inquest) lookAtDisks() {
	for _, d := range q.node.disks {
		if d.UsePercent < 100 {
			continue
		}
		switch d.Mount {
		case "/", "/run", "/var", "/var/run", "/var/lib", "/var/lib/kubelet", "/var/lib/docker", "/var/lib/containerd", "/var/lib/containers", "/var/log", "/tmp":
			keys := map[string]string{"path": d.Mount, "dev": d.Device}
			if d.Inodes {
				keys["inodes"] = "inodes"
			}
			q.observe("filesystem-full", scopeNode, d.AsOf, keys, q.s.book.fact(&d.Fact, "df"))
		}
	}
}

// program is the base name of a command line's first word.
func program(command string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	return word[strings.LastIndexByte(word, '/')+1:]
}

// lookAtKubelet decides whether the kubelet runs, by systemd's lines and
// state, the process list, and silence where the log covers the time.
func (q *inquest) lookAtKubelet() {
	n := q.node
	if n == nil {
		return
	}
	b := q.s.book
	if u := n.kubeletUnit(); u != nil {
		switch {
		case q.reportedSince(cmp.Or(u.Since, u.AsOf), kubeletReports), q.wroteSince(cmp.Or(u.AsOf, u.Since), timeline.Kubelet): // it runs again
		case u.Active == "inactive" || u.Active == "failed":
			q.observe("kubelet-unit-down", scopeNode, u.Since, map[string]string{"unit": u.Name, "state": u.Active}, b.fact(&u.Fact, "systemctl"))
		}
	}
	q.lookAtKubeletUnitLines()

	listed, kubelet := 0, false
	for _, p := range n.processes {
		if p.PID > 0 && !p.Gone {
			listed++
		}
		switch program(p.Command) {
		case "kubelet", "hyperkube", "k3s", "rke2", "kubelite":
			kubelet = true
			switch {
			case q.reportedSince(p.AsOf, kubeletReports), q.wroteSince(p.AsOf, timeline.Kubelet):
			case strings.HasPrefix(p.State, "T"), strings.HasPrefix(p.State, "t"):
				q.observe("kubelet-process-stopped", scopeNode, p.AsOf, map[string]string{"pid": strconv.Itoa(p.PID)}, b.fact(&p.Fact, "ps"))
			case strings.HasPrefix(p.State, "D"):
				q.observe("kubelet-process-blocked", scopeNode, p.AsOf, map[string]string{"pid": strconv.Itoa(p.PID), "wchan": p.WChan}, b.fact(&p.Fact, "ps"))
			}
		}
	}
	// A whole process list holds PID 1; a filtered one proves nothing, nor does
	// one of which the collector kept only a part.
	if !kubelet && listed > 5 {
		for _, p := range n.processes {
			if p.PID == 1 && q.s.whole(&p.Fact) && !q.wroteSince(p.AsOf, timeline.Kubelet) {
				q.observe("kubelet-process-absent", scopeNode, p.AsOf, nil, b.fact(&p.Fact, "ps"))
				break
			}
		}
	}
	q.lookAtKubeletLog()
}

const (
	// A kubelet renews its Lease every 10 s (nodeLeaseDurationSeconds / 4).
	kubeletReports = 15 * time.Second
	// It takes three minutes to notice a runtime that does not answer (PLEG),
	// and reports what has not changed every five (nodeStatusReportFrequency).
	runtimeNoticed = 5 * time.Minute
)

// wroteSince says whether a program of the node wrote to its log later than the
// collection in which it was seen not to run.
func (q *inquest) wroteSince(t time.Time, component string) bool {
	l := q.node.logs[component]
	return l != nil && !t.IsZero() && l.last.After(t.Add(collecting))
}

// runtimeSince says whether the runtime ran again later than the collection in
// which it was seen not to: it wrote, systemd started it, or the kubelet's loop,
// which waits for it, took up what was asked.
func (q *inquest) runtimeSince(t time.Time) bool {
	if t.IsZero() {
		return false
	}
	for _, component := range []string{timeline.Containerd, timeline.CRIO, timeline.Dockerd} {
		if q.wroteSince(t, component) {
			return true
		}
	}
	_, ok := q.loopSince(t)
	return ok
}

// loopSince finds the line that tells that the runtime answers the kubelet again
// after a moment: systemd started it, or the kubelet's loop took up what was asked.
// The kubelet went on logging, so that it would have told of a runtime that does
// not answer.
func (q *inquest) loopSince(t time.Time) (event int, ok bool) {
	if q.node == nil || !q.wroteSince(t, timeline.Kubelet) {
		return 0, false
	}
	for _, i := range q.node.events {
		e := &q.s.tl.Events[i]
		if e.Time.After(t) && (syncLoop(e, "DELETE") || syncLoop(e, "ADD") || syncLoop(e, "REMOVE") || startsRuntime(e)) {
			return i, true
		}
	}
	return 0, false
}

// startsRuntime says whether systemd tells that it started the runtime.
func startsRuntime(e *timeline.Event) bool {
	return e.Component == timeline.Systemd && strings.HasPrefix(e.Message, "Started ") &&
		(strings.Contains(e.Message, "containerd") || strings.Contains(e.Message, "Docker Application Container Engine") || strings.Contains(e.Message, "CRI-O") || strings.Contains(e.Message, "Container Runtime Interface for OCI"))
}

// reportedSince says whether the kubelet told the API server that all is well
// for so long after t that what the node's own evidence shows of t is over.
func (q *inquest) reportedSince(t time.Time, after time.Duration) bool {
	if t.IsZero() {
		return false
	}
	var reported time.Time
	if after <= kubeletReports {
		for _, o := range q.s.objects["Lease"] {
			if o.Name == q.node.name && (o.Namespace == "kube-node-lease" || o.Namespace == "") {
				reported = latest(reported, q.s.tl.ByAPI(o.Name, timeAt(o.Content, "spec", "renewTime")))
			}
		}
	}
	if o := q.node.object; o != nil {
		for _, c := range mapsAt(o.Content, "status", "conditions") {
			if c["type"] == "Ready" && c["status"] == "True" {
				reported = latest(reported, q.s.tl.ByAPI(o.Name, timeAt(c, "lastHeartbeatTime")))
			}
		}
	}
	return reported.After(t.Add(after))
}

// kubeletUnit matches the units, by name or description, that run a kubelet;
// distributions put it into a process of their own.
// https://github.com/k3s-io/k3s/blob/master/install.sh (Lightweight Kubernetes),
// https://github.com/rancher/rke2/tree/master/bundle/lib/systemd/system
var kubeletUnit = regexp.MustCompile(`(?i)kubelet|\bk3s\b|Lightweight Kubernetes|\brke2\b|Rancher Kubernetes Engine|\bk0s|kubelite|(?:origin|atomic-openshift)-node`)

// runsKubelet says whether systemd speaks of a unit that runs a kubelet. Of
// those that it speaks of most, mounts and the scopes of containers, none does,
// though their names may have it.
func runsKubelet(message string) bool {
	unit, _, _ := strings.Cut(message, ": ")
	switch path.Ext(unit) {
	case ".mount", ".scope", ".slice":
		return false
	}
	return kubeletUnit.MatchString(message)
}

// lookAtKubeletUnitLines reads what systemd said of the kubelet's unit.
func (q *inquest) lookAtKubeletUnitLines() {
	b := q.s.book
	var stopped, started []int
	restarts := 0
	for _, i := range q.node.events {
		e := &q.s.tl.Events[i]
		if e.Component != timeline.Systemd {
			continue
		}
		// Of all that systemd says little is of units that start or end, and of
		// that little of the kubelet's: the pattern comes last.
		switch {
		case strings.HasPrefix(e.Message, "Stopped "), strings.Contains(e.Message, "Failed with result"), strings.Contains(e.Message, "Main process exited"),
			strings.Contains(e.Message, "Deactivated successfully"):
			if runsKubelet(e.Message) {
				stopped = append(stopped, i)
			}
		case strings.HasPrefix(e.Message, "Started "):
			if runsKubelet(e.Message) {
				started = append(started, i)
			}
		case strings.Contains(e.Message, "Scheduled restart job"), strings.Contains(e.Message, "scheduling restart"): // systemd before 236
			if runsKubelet(e.Message) {
				restarts++
			}
		}
	}
	last := func(list []int) time.Time {
		if len(list) == 0 {
			return time.Time{}
		}
		return q.s.tl.Events[list[len(list)-1]].Time
	}
	down := last(stopped)
	kubeletSpoke := time.Time{}
	if l := q.node.logs[timeline.Kubelet]; l != nil {
		kubeletSpoke = l.last
	}
	kubeletSpoke = latest(kubeletSpoke, q.node.unheard[timeline.Kubelet])
	startLost := q.node.logs[timeline.Systemd].lost(down, q.vantage()) != nil // the line that tells of it
	if restarts >= 3 && len(started) > 0 {
		q.observe("kubelet-restarting", scopeNode, last(started), map[string]string{"restarts": strconv.Itoa(restarts)}, b.event(started[len(started)-1], ""), b.event(stopped[max(0, len(stopped)-1)], ""))
	} else if len(stopped) > 0 && down.After(last(started)) && !startLost && !kubeletSpoke.After(down.Add(2*time.Second)) && !q.reportedSince(down, kubeletReports) {
		how := "stopped by systemd"
		for _, i := range stopped {
			if m := q.s.tl.Events[i].Message; strings.Contains(m, "Failed with result") {
				how = oneLine(m)
			}
		}
		q.observe("kubelet-stopped", scopeNode, down, map[string]string{"how": how}, b.event(stopped[len(stopped)-1], ""))
	}
	if t := last(started); !q.requested.IsZero() && t.After(q.requested) {
		q.observe("kubelet-restarted", scopeNode, t, nil, b.event(started[len(started)-1], ""))
	}
}

// quiet is how long a kubelet may say nothing while all is well: at -v=0 on an
// idle node minutes pass between lines.
const quiet = 2 * time.Minute

// lookAtKubeletLog judges the kubelet's silence.
func (q *inquest) lookAtKubeletLog() {
	n := q.node
	l := n.logs[timeline.Kubelet]
	b := q.s.book
	if l == nil {
		return
	}
	end, witness := q.outlived()
	silent := end.Sub(l.last) > quiet
	var blind *hole // where it may have spoken
	if silent {
		blind = l.lost(l.last, end)
	}
	switch {
	case silent && blind != nil && blind.kind != timeline.GapSuppressed:
	case silent && blind == nil:
		q.observe("kubelet-log-stopped", scopeNode, l.last, map[string]string{"silent": end.Sub(l.last).Round(time.Second).String()}, q.lastKubeletLine(), b.event(witness, ""))
	case !q.requested.IsZero() && l.last.After(q.requested):
		q.observe("kubelet-alive", scopeNode, l.last, nil, q.lastKubeletLine())
		if q.pod != nil && l.verbosity >= 2 && l.hole(q.requested, l.last) == nil && l.last.Sub(q.requested) > 30*time.Second && q.kind == "Pod" && !q.saidAnything(timeline.Kubelet) {
			q.observe("kubelet-never-saw-delete", scopeSubject, l.last, nil, q.lastKubeletLine())
		}
	}
}

// outlived is the last line that another program of the node wrote where the
// kubelet's would stand as well.
func (q *inquest) outlived() (end time.Time, witness int) {
	l := q.node.logs[timeline.Kubelet]
	for _, i := range q.node.events {
		e := &q.s.tl.Events[i]
		if e.Component == timeline.Kubelet || e.Component == timeline.Command || !l.covered(e.Time) || strings.TrimSpace(e.Text) == "" {
			continue
		}
		if e.Time.After(end) {
			end, witness = e.Time, i
		}
	}
	return end, witness
}

func (q *inquest) lastKubeletLine() ref {
	for j := len(q.node.events) - 1; j >= 0; j-- {
		if i := q.node.events[j]; q.s.tl.Events[i].Component == timeline.Kubelet && strings.TrimSpace(q.s.tl.Events[i].Text) != "" {
			return q.s.book.event(i, "")
		}
	}
	return 0
}

// saidAnything says whether a component named the subject since the request.
func (q *inquest) saidAnything(component string) bool {
	for _, i := range q.events {
		if e := &q.s.tl.Events[i]; e.Component == component && !q.early(e) {
			return true
		}
	}
	return false
}
