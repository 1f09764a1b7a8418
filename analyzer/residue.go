package analyzer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// residueRow is one row of the check-list with its evidence, not cited yet.
type residueRow struct {
	ResidueCheck
	refs []ref
}

// lookAtResidue ticks off what a pod may leave behind, for pods that the API
// does not have any more.
func (q *inquest) lookAtResidue(f *finding) {
	if q.kind == "Node" {
		q.lookAtAddresses()
		return
	}
	if q.kind != "Pod" || q.inAPI == nil || *q.inAPI {
		return
	}
	b := q.s.book
	row := func(check, state, detail, command string, refs ...ref) {
		f.residue = append(f.residue, residueRow{ResidueCheck{Check: check, State: state, Detail: detail, Command: command}, refs})
		if state == "left" {
			f.left = append(f.left, check)
		}
	}
	q.observe("object-gone", scopeSubject, q.goneAt, nil, q.goneRefs...)
	row("object", "clear", "the API does not have the pod", "", q.goneRefs...)
	running := slices.DeleteFunc(q.signalsOf("container-running"), func(sg *signal) bool { return !q.containerRunsOn(sg.keys["container"]) })
	switch {
	case len(running) > 0:
		for _, sg := range running {
			if q.goneAt.IsZero() || sg.last.After(q.goneAt) || q.node == nil {
				q.observe("ghost-running", scopeSubject, sg.last, sg.keys, sg.refs...)
			}
		}
		row("containers", "left", number(len(running), "container")+" still running", "", running[0].refs...)
	case q.node != nil && q.node.dumped:
		at, _ := q.emptyListing("Container")
		row("containers", "clear", "the runtime lists no running container of it", "", at)
	default:
		if log := q.writesOn(); log != nil {
			at := b.fact(&log.Fact, "container log")
			q.observe("ghost-writing", scopeSubject, log.Last, map[string]string{"container": log.Container}, at)
			row("containers", "left", "container "+log.Container+" writes its log until the end of the evidence", "", at)
			break
		}
		row("containers", "unknown", "the runtime's state is not in the bundle", "crictl ps -a -o json")
	}
	for _, sg := range q.signalsOf("process-running") {
		if len(running) == 0 && q.goneAt.Before(sg.last) {
			q.observe("ghost-process", scopeSubject, sg.last, sg.keys, sg.refs...)
			row("processes", "left", "process "+sg.keys["pid"]+" runs in the pod's cgroup", "", sg.refs...)
			break
		}
	}
	ready := 0
	for i := range q.s.tl.Sandboxes {
		sb := &q.s.tl.Sandboxes[i]
		if q.owns(sb.PodUID, sb.PodNamespace, sb.Pod, sb.Node) && sb.State == "ready" && !q.endedSince(sb.ID, StageSandbox, sb.AsOf) {
			ready++
			row("sandbox", "left", "sandbox "+sb.ID[:min(13, len(sb.ID))]+" is ready"+address(sb.IP), "", b.fact(&sb.Fact, sb.Tool))
			q.observe("ghost-sandbox", scopeSubject, q.factTime(&sb.Fact), map[string]string{"sandbox": sb.ID, "ip": sb.IP}, b.fact(&sb.Fact, sb.Tool))
		}
	}
	if ready == 0 {
		q.row(row, "sandbox", "Sandbox", "crictl pods -o json")
	}
	q.lookAtLeftMounts(row)
	q.lookAtLeftFolder(row)
	q.lookAtNamesakes()
	q.lookAtStaleEndpoints(row)
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

func address(ip string) string {
	if ip == "" {
		return ""
	}
	return " and keeps the address " + ip
}

func (q *inquest) row(row func(check, state, detail, command string, refs ...ref), check, kind, command string) {
	if q.node != nil {
		if at, ok := q.emptyListing(kind); ok {
			row(check, "clear", "the runtime lists none", "", at)
			return
		}
	}
	row(check, "unknown", "the runtime's state is not in the bundle", command)
}

func (q *inquest) lookAtLeftMounts(row func(check, state, detail, command string, refs ...ref)) {
	if q.node == nil || q.uid == "" {
		return
	}
	var refs []ref
	tables, cut := 0, false
	for _, m := range q.node.mounts {
		if m.PID > 1 {
			continue
		}
		tables++
		cut = cut || !q.s.whole(&m.Fact)
		if strings.Contains(m.Target, q.uid) {
			refs = append(refs, q.s.book.fact(&m.Fact, "mounts"))
		}
	}
	switch {
	case len(refs) > 0:
		row("mounts", "left", fmt.Sprintf("%d mounts below the pod's folder", len(refs)), "", refs[:min(3, len(refs))]...)
		q.observe("ghost-mount", scopeSubject, q.vantage(), nil, refs[:min(3, len(refs))]...)
	case cut:
		row("mounts", "unknown", "the mount table is cut short", "cat /proc/self/mountinfo")
	case tables > 5:
		row("mounts", "clear", "the mount table has none of it", "")
	default:
		row("mounts", "unknown", "no mount table of the node is in the bundle", "cat /proc/self/mountinfo")
	}
}

func (q *inquest) lookAtLeftFolder(row func(check, state, detail, command string, refs ...ref)) {
	if q.node == nil || q.uid == "" {
		return
	}
	listed, cut := false, false
	for i := range q.s.tl.Paths {
		p := &q.s.tl.Paths[i]
		if p.Node != q.node.name || !strings.Contains(p.Path, "/pods") {
			continue
		}
		listed = true
		cut = cut || !q.s.whole(&p.Fact)
		if strings.HasSuffix(strings.TrimSuffix(p.Path, "/"), "/pods/"+q.uid) {
			at := q.s.book.fact(&p.Fact, "ls")
			row("pod-directory", "left", p.Path, "", at)
			q.observe("ghost-folder", scopeSubject, q.factTime(&p.Fact), map[string]string{"path": p.Path}, at)
			return
		}
	}
	if listed && !cut {
		row("pod-directory", "clear", "the kubelet's folder has none of it", "")
		return
	}
	row("pod-directory", "unknown", "no listing of the kubelet's pods folder is in the bundle", "ls /var/lib/kubelet/pods")
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

func (q *inquest) lookAtStaleEndpoints(row func(check, state, detail, command string, refs ...ref)) {
	cite := func(o *timeline.Object, path ...string) {
		at := q.s.book.object(o, path...)
		row("endpoints", "left", o.Kind+" "+o.Name+" lists the pod", "", at)
		q.observe("endpoint-of-gone-pod", scopeSubject, o.AsOf, map[string]string{"slice": o.Kind + " " + o.Name}, at)
	}
	if q.uid == "" {
		return
	}
	for _, o := range q.s.objects["EndpointSlice"] {
		for i, e := range mapsAt(o.Content, "endpoints") {
			if stringAt(e, "targetRef", "uid") == q.uid {
				cite(o, "endpoints", strconv.Itoa(i), "targetRef", "uid")
			}
		}
	}
	for _, o := range q.s.objects["Endpoints"] {
		for i, subset := range mapsAt(o.Content, "subsets") {
			for _, field := range []string{"addresses", "notReadyAddresses"} {
				for j, a := range mapsAt(subset, field) {
					if stringAt(a, "targetRef", "uid") == q.uid {
						cite(o, "subsets", strconv.Itoa(i), field, strconv.Itoa(j), "targetRef", "uid")
					}
				}
			}
		}
	}
}

// lookAtAddresses compares the addresses that a node keeps reserved with the
// sandboxes that it has.
func (q *inquest) lookAtAddresses() {
	if q.node == nil {
		return
	}
	live := map[string]bool{}
	for _, sb := range q.node.sandboxes {
		if len(sb.ID) >= shortID {
			live[sb.ID[:shortID]] = true
		}
	}
	var leaked []ref
	n := 0
	for i := range q.s.tl.Reservations {
		r := &q.s.tl.Reservations[i]
		if r.Node != q.node.name || len(r.ContainerID) < shortID {
			continue
		}
		if len(live) > 0 && !live[r.ContainerID[:shortID]] {
			n++
			if len(leaked) < 3 {
				leaked = append(leaked, q.s.book.fact(&r.Fact, "cni"))
			}
		}
	}
	total := 0
	for i := range q.s.tl.Reservations {
		if q.s.tl.Reservations[i].Node == q.node.name {
			total++
		}
	}
	const many = 50
	if n == 0 && total > many && len(live) > 0 && total > 2*len(live) {
		q.observe("reservations-outnumber-sandboxes", scopeSubject, time.Time{}, map[string]string{"count": fmt.Sprint(total), "live": fmt.Sprint(len(live))},
			q.s.book.fact(&q.s.tl.Reservations[0].Fact, "cni"))
	}
	if n > 0 {
		q.observe("reservation-without-sandbox", scopeSubject, time.Time{}, map[string]string{"count": fmt.Sprint(n)}, leaked...)
	}
}
