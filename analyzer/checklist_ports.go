package analyzer

import (
	"slices"
	"strconv"
	"strings"

	"podautopsy/timeline"
)

// ports ticks off what the pod holds of the host's ports. That something of it
// runs is no proof: most pods listen in a network of their own.
func (c *checklist) ports() {
	q := c.q
	spec := q.pod != nil && !q.pod.object.Partial
	if spec {
		if ports, _ := hostPorts(q.pod.object); ports == "" && !inHostNetwork(q.pod.object) {
			c.row(checkPorts, RowClear, "its spec takes no port of the host", q.s.book.object(q.pod.object, "spec"))
			return
		}
	}
	if !spec && c.networkOfItsOwn() || c.listens() || c.keepsMapping(spec) {
		return
	}
	alive := func(check string) bool { return c.state(check) == RowLeft }
	runs := alive(checkContainers) || alive(checkProcesses) || alive(checkSandbox)
	switch {
	case c.state(checkContainers) == RowClear && c.state(checkSandbox) == RowClear && !runs:
		c.row(checkPorts, RowClear, "nothing of it runs that could listen", c.refsOf(checkContainers)...)
	case c.everyListener():
	case runs && spec:
		c.row(checkPorts, RowUnknown, "something of it runs that may take ports of the host, and no list of sockets tells which processes listen")
	case runs:
		c.row(checkPorts, RowUnknown, "something of it runs; neither its spec nor a list of sockets tells whether it takes ports of the host")
	default:
		c.row(checkPorts, RowUnknown, "whether anything of it runs is not known")
	}
}

// sandboxesOf lists the subject's sandboxes.
func (q *inquest) sandboxesOf() []*timeline.Sandbox {
	var list []*timeline.Sandbox
	for i := range q.s.tl.Sandboxes {
		if sb := &q.s.tl.Sandboxes[i]; q.owns(sb.PodUID, sb.PodNamespace, sb.Pod, sb.Node) {
			list = append(list, sb)
		}
	}
	return list
}

// networkOfItsOwn writes the row where the runtime tells that its sandboxes are
// in networks of their own, and that no port of the host is mapped to them.
func (c *checklist) networkOfItsOwn() bool {
	q := c.q
	var refs []ref
	for _, sb := range q.sandboxesOf() {
		if sb.Network != "pod" || sb.HostPorts == nil || len(sb.HostPorts) > 0 {
			return false
		}
		refs = append(refs, q.s.book.fact(&sb.Fact, sb.Tool))
	}
	if len(refs) == 0 {
		return false
	}
	c.row(checkPorts, RowClear, "its sandbox has a network of its own, and no port of the host is mapped to it", refs[:1]...)
	return true
}

// listens writes the row where ss or netstat show a process of the pod that
// listens on the host.
func (c *checklist) listens() bool {
	q := c.q
	if q.node == nil {
		return false
	}
	own := q.runningPIDs()
	var refs []ref
	detail := ""
	for _, l := range q.listeners() {
		pid := slices.IndexFunc(l.PIDs, func(pid int) bool { return own[pid] })
		if pid < 0 && !q.ownsGroup(l.Cgroup) || q.outdated(l.AsOf) {
			continue
		}
		if detail == "" {
			detail = l.Protocol + " " + l.Address + ":" + strconv.Itoa(l.Port)
			if pid >= 0 {
				detail = "process " + strconv.Itoa(l.PIDs[pid]) + " of it listens on " + detail
			} else {
				detail = "a process in its control group listens on " + detail
			}
		}
		refs = append(refs, q.s.book.fact(&l.Fact, "ss"))
	}
	if len(refs) == 0 {
		return false
	}
	if more := len(refs) - 1; more > 0 {
		detail += ", and " + number(more, "socket") + " more"
	}
	c.row(checkPorts, RowLeft, detail, refs[:min(3, len(refs))]...)
	return true
}

// listeners are the sockets of the node that listen, those that a newer whole
// list does not overtake.
func (q *inquest) listeners() []*timeline.Listener {
	var list []*timeline.Listener
	for i := range q.s.tl.Listeners {
		l := &q.s.tl.Listeners[i]
		if l.Node != q.node.name {
			continue
		}
		newest := q.s.listedOn(timeline.ListenersOf(l.Protocol), l.Node)
		if newest == nil || newest.AsOf.IsZero() || !l.AsOf.Before(newest.AsOf) {
			list = append(list, l)
		}
	}
	return list
}

// runningPIDs are the processes of the node that are surely the pod's: what the
// runtime says that runs, what is in its control group, and their children.
func (q *inquest) runningPIDs() map[int]bool {
	own := map[int]bool{}
	for _, c := range q.node.containers {
		if c.PID > 1 && c.State == "running" && q.owns(c.PodUID, c.PodNamespace, c.PodName, c.Node) {
			own[c.PID] = true
		}
	}
	for _, p := range q.node.processes {
		if p.PID > 1 && !p.Gone && q.ownsGroup(p.Cgroup) {
			own[p.PID] = true
		}
	}
	q.node.addChildren(own)
	return own
}

// ownsGroup says whether a control group is the pod's.
func (q *inquest) ownsGroup(group string) bool {
	return group != "" && q.uid != "" && q.s.uidOfGroup(group) == q.uid
}

// keepsMapping writes the row where the spec or the runtime tells of ports of
// the host that are the pod's as long as it runs: the network plugin maps them
// to its sandbox until CNI DEL; in the host's network its own processes listen.
func (c *checklist) keepsMapping(spec bool) bool {
	q := c.q
	b := q.s.book
	var refs []ref
	ports := ""
	if c.state(checkSandbox) == RowLeft {
		for _, sb := range q.sandboxesOf() {
			if sb.State == "ready" && len(sb.HostPorts) > 0 && sb.Network != "node" {
				ports, refs = joinInts(sb.HostPorts), append(refs, b.fact(&sb.Fact, sb.Tool))
				break
			}
		}
	}
	host := false
	if spec && ports == "" {
		host = inHostNetwork(q.pod.object)
		var at []string
		if ports, at = hostPorts(q.pod.object); ports != "" {
			refs = append(refs, b.object(q.pod.object, at...))
		}
	}
	switch {
	case ports == "":
		return false
	case host:
		// What its spec names need not be what it listens on.
		if c.state(checkContainers) != RowLeft || c.everyListenerKnown() {
			return false
		}
		c.row(checkPorts, RowLeft, "a container of it runs in the host's network, and its spec takes "+ports, slices.Concat(c.refsOf(checkContainers), refs)...)
		return true
	case c.state(checkSandbox) != RowLeft:
		return false
	}
	c.row(checkPorts, RowLeft, "its sandbox is ready, so the network plugin still maps "+ports+" of the host to it", slices.Concat(c.refsOf(checkSandbox), refs)...)
	return true
}

// everyListenerKnown says whether a whole list of the sockets that listen tells
// the processes of each.
func (c *checklist) everyListenerKnown() bool {
	if _, ok := c.asked(timeline.ListenersOf("tcp")); !ok {
		return false
	}
	_, ok := c.asked(timeline.ListenersOf("udp"))
	return ok && !slices.ContainsFunc(c.q.listeners(), func(l *timeline.Listener) bool { return len(l.PIDs) == 0 })
}

// everyListener writes the row where such a list has none of the pod's. The
// processes must be known as well, to tell whose they are.
func (c *checklist) everyListener() bool {
	if c.q.node == nil || !c.everyListenerKnown() {
		return false
	}
	if _, whole := c.everyProcess(); !whole {
		return false
	}
	tcp, _ := c.asked(timeline.ListenersOf("tcp"))
	udp, _ := c.asked(timeline.ListenersOf("udp"))
	c.row(checkPorts, RowClear, "no process of it listens on the host", tcp, udp)
	return true
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}

// hostPorts lists the ports of the host that a spec names, and where the first
// stands. In the host's network the API server makes a host port of each.
func hostPorts(o *timeline.Object) (ports string, at []string) {
	var list []string
	for _, kind := range []string{"containers", "initContainers"} {
		for i, c := range mapsAt(o.Content, "spec", kind) {
			for j, p := range mapsAt(c, "ports") {
				n := intAt(p, "hostPort")
				if n == nil || *n <= 0 {
					continue
				}
				if list = append(list, strconv.FormatInt(*n, 10)); at == nil {
					at = []string{"spec", kind, strconv.Itoa(i), "ports", strconv.Itoa(j), "hostPort"}
				}
			}
		}
	}
	return strings.Join(list, ", "), at
}

// inHostNetwork says whether a spec puts the pod into the network of its node.
func inHostNetwork(o *timeline.Object) bool {
	in, _ := valueAt(o.Content, "spec", "hostNetwork").(bool)
	return in
}

// refsOf is the evidence of a row that was written.
func (c *checklist) refsOf(check string) []ref {
	for i := range c.f.residue {
		if r := &c.f.residue[i]; r.Check == check {
			return r.refs
		}
	}
	return nil
}
