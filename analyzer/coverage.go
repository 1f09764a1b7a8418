package analyzer

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// nodeLogs says what the logs of a node cover, the kubelet's first.
func (n *node) nodeLogs() []NodeLog {
	list := []NodeLog{}
	for _, component := range []string{timeline.Kubelet, timeline.Containerd, timeline.CRIO, timeline.Dockerd, timeline.Kernel} {
		l := n.logs[component]
		if l == nil {
			continue
		}
		described := NodeLog{Component: component, From: moment(l.first), To: moment(l.last), Lines: l.lines, Files: l.files, Holes: []Hole{}}
		if component == timeline.Kubelet && l.verbosity >= 0 {
			described.Verbosity = &l.verbosity
		}
		for i := range l.holes {
			h := &l.holes[i]
			if h.kind == timeline.GapMasked {
				continue // told by file, as there may be one in every line
			}
			described.Holes = append(described.Holes, Hole{
				Kind: string(h.kind), From: moment(h.from), To: moment(h.to), File: h.at.File, Line: lineNumber(h.at.Line), Detail: h.detail,
			})
		}
		list = append(list, described)
	}
	return list
}

func lineNumber(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// nodeEvidence is a kind of evidence that can be collected on a node, with the
// command that does.
type nodeEvidence struct {
	kind           timeline.Carries
	command, would string
	has            func(n *node) bool
}

var nodeSide = []nodeEvidence{
	{
		timeline.KubeletLog, "journalctl -u {kubeletUnit} --since '-2h' -o export", "show whether the kubelet saw a deletion and which step fails",
		func(n *node) bool { return n.logs[timeline.Kubelet] != nil },
	},
	{
		timeline.RuntimeLog, "journalctl -u {unit} --since '-2h' -o export", "show whether containers and sandboxes were stopped",
		func(n *node) bool {
			return n.logs[timeline.Containerd] != nil || n.logs[timeline.CRIO] != nil || n.logs[timeline.Dockerd] != nil
		},
	},
	{
		timeline.RuntimeState, "crictl ps -a -o json; crictl pods -o json", "show which containers still run, and what is left of deleted pods",
		func(n *node) bool { return n.dumped },
	},
	{
		timeline.MountTable, "cat /proc/1/mountinfo", "show which volumes are still mounted",
		func(n *node) bool { return len(n.mounts) > 0 },
	},
	{
		timeline.ProcessList, "ps axo pid,ppid,stat,wchan:32,cgroup,args", "show processes that no signal reaches",
		func(n *node) bool { return len(n.processes) > 0 },
	},
	{
		timeline.KernelLog, "journalctl -k --since '-2h' -o export", "show hung tasks and failing storage",
		func(n *node) bool { return n.logs[timeline.Kernel] != nil },
	},
}

// nodeLacks is what the bundle has nothing of, of a node that matters: one
// that it has something of, or that a subject is on.
func (s *scene) nodeLacks(n *node, matters bool) []Missing {
	list := []Missing{}
	if !matters && !slices.ContainsFunc(nodeSide, func(e nodeEvidence) bool { return e.has(n) }) {
		return list
	}
	for _, e := range nodeSide {
		if e.has(n) {
			continue
		}
		command := strings.ReplaceAll(e.command, "{kubeletUnit}", s.unitOfKubelet(n))
		switch {
		case s.embedsRuntime(n):
			command = strings.ReplaceAll(command, "{unit}", s.unitOfKubelet(n))
		case strings.HasPrefix(n.runtime, "docker"):
			command = strings.ReplaceAll(command, "{unit}", "docker")
			if e.kind == timeline.RuntimeState {
				command = dockerList
			}
		case strings.HasPrefix(n.runtime, "cri-o"):
			command = strings.ReplaceAll(command, "{unit}", "crio")
		}
		list = append(list, Missing{
			What: string(e.kind) + " of " + n.name + s.whyNot(e.kind, n.name), Command: strings.ReplaceAll(command, "{unit}", "containerd"), Would: e.would,
			Collector: s.collector(e.kind, n.name, nil),
		})
	}
	if l := n.logs[timeline.Kubelet]; l != nil && l.verbosity >= 0 && l.verbosity < 2 || l != nil && l.verbosity < 0 && l.lines > 100 {
		list = append(list, Missing{
			What:    "kubelet log of " + n.name + " at -v=2 or more: no line shows that it speaks of deletions that go well",
			Command: "curl -X PUT -d 4 http://127.0.0.1:8001/api/v1/nodes/" + s.named(n.name, "NODE") + "/proxy/debug/flags/v  # beside: kubectl proxy",
			Would:   "let silence of the kubelet mean something from then on",
		})
	}
	return list
}

// named is a name as a command may carry it; otherwise what stands for it.
func (s *scene) named(name, otherwise string) string {
	if name == "" || !mayStandIn(" ", name) || strings.Contains(name, "/") {
		return otherwise
	}
	return shellWord(name)
}

// apiSide is what can be asked of the API server, with the command that does.
func (s *scene) apiLacks() []Missing {
	list := []Missing{}
	lacks := func(kind timeline.Carries, has bool, command, would string) {
		if !has {
			list = append(list, Missing{What: string(kind), Command: command, Would: would, Collector: s.collector(kind, "", nil)})
		}
	}
	whole := func(kinds ...string) bool {
		for _, kind := range kinds {
			for _, o := range s.objects[kind] {
				if !o.Partial {
					return true
				}
			}
			if slices.ContainsFunc(s.tl.Listings, func(l timeline.Listing) bool { return l.Kind == kind && !l.Incomplete }) {
				return true
			}
		}
		return false
	}
	speaks := func(component string) bool {
		return slices.ContainsFunc(s.tl.Events, func(e timeline.Event) bool { return e.Component == component })
	}
	lacks(timeline.PodObjects, whole("Pod"), "kubectl get pods -A -o yaml --show-managed-fields", "show deletionTimestamp, finalizers and container states")
	if whole("Pod") && (len(s.unmatchedContainers()) > 0 || len(s.begunSince()) > 0) {
		lacks(timeline.PodObjects, false, "kubectl get pods -A -o yaml --show-managed-fields", "tell whether the API has the pods that run on the nodes")
	}
	lacks(timeline.NodeObjects, whole("Node"), "kubectl get nodes -o yaml", "show which nodes exist and are ready")
	lacks(timeline.NamespaceObjects, whole("Namespace"), "kubectl get namespaces -o yaml", "show which namespaces are being deleted, and what is left in them")
	lacks(timeline.APIEvents, speaks(timeline.APIEvent), "kubectl get events -A -o yaml", "show what kubelet and controllers told of the last hour")
	lacks(timeline.StorageObjects, whole("PersistentVolume", "PersistentVolumeClaim", "VolumeAttachment"),
		"kubectl get pvc,pv,volumeattachments,csinodes,csidrivers -A -o yaml", "show what keeps volumes from being released")
	lacks(timeline.LeaseObjects, whole("Lease"), "kubectl get leases -A -o yaml --show-managed-fields", "show which nodes and controllers are alive, and how far clocks differ")
	lacks(timeline.OtherObjects, whole("ValidatingWebhookConfiguration", "MutatingWebhookConfiguration", "APIService", "CustomResourceDefinition"),
		"kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations,apiservices,crds -o yaml", "show what may refuse or delay a deletion")
	lacks(timeline.ControllerLogs, speaks(timeline.KCM), "kubectl -n kube-system logs -l component=kube-controller-manager --timestamps --since=24h --tail=-1", "show what garbage collection, PodGC and the attach/detach controller did")
	lacks(timeline.AuditLines, speaks(timeline.Audit), "grep '\"verb\":\"delete' /var/log/kubernetes/audit/audit.log  # on the control plane; see --audit-log-path", "prove who asked for a deletion, and when")
	return append(list, s.nodesLack()...)
}

// nodesLack tells of bundles that hold nothing of any node.
func (s *scene) nodesLack() []Missing {
	for _, n := range s.nodes {
		if slices.ContainsFunc(nodeSide, func(e nodeEvidence) bool { return e.has(n) }) {
			return nil
		}
	}
	return []Missing{{
		What:      "kubelet log, runtime state and mounts of the nodes",
		Command:   "journalctl -u kubelet --since '-24h' -o export; crictl ps -a -o json; crictl pods -o json; cat /proc/1/mountinfo",
		Would:     "show what deleted pods have left behind",
		Collector: s.collector(timeline.KubeletLog, "", nil),
	}}
}

// collector is how a collector among those that made the bundle brings a kind
// of evidence, one that has been on the node if there is one; "" where none can.
func (s *scene) collector(kind timeline.Carries, node string, vars map[string]string) string {
	best, on := "", false
	for i := range s.tl.Layouts {
		l := &s.tl.Layouts[i]
		how := l.Fills[kind]
		if how == "" {
			continue
		}
		here := node != "" && slices.ContainsFunc(s.tl.Inputs, func(in timeline.Input) bool {
			return in.Node == node && strings.HasPrefix(in.Path, l.Root)
		})
		if best == "" || here && !on {
			best, on = how, here
		}
	}
	for _, word := range []struct{ standsFor, name string }{{"NODE", node}, {"NS", vars["ns"]}, {"POD", vars["name"]}} {
		best = replaceWord(best, word.standsFor, s.named(word.name, word.standsFor))
	}
	return best
}

// replaceWord replaces a word that stands alone.
func replaceWord(text, word, with string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, word)
		if i < 0 {
			return out.String() + text
		}
		end := i + len(word)
		alone := (i == 0 || !isAlnum(text[i-1])) && (end == len(text) || !isAlnum(text[end]))
		out.WriteString(text[:i])
		if alone {
			out.WriteString(with)
		} else {
			out.WriteString(word)
		}
		text = text[end:]
	}
}

// carriedBy says which kind of evidence a command brings; "" if none is known.
func carriedBy(command string) timeline.Carries {
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(command, w) })
	}
	switch {
	case has("audit"):
		return timeline.AuditLines
	case asksKubelet(command):
		return timeline.KubeletLog
	case has("journalctl -u "):
		return timeline.RuntimeLog
	case has("journalctl -k", "dmesg"):
		return timeline.KernelLog
	case has("crictl", "docker ps", "docker inspect", "ctr "):
		return timeline.RuntimeState
	case has("mountinfo", "findmnt"):
		return timeline.MountTable
	case has("ps ax", "ps -e", "/stack", "/wchan"):
		return timeline.ProcessList
	case !has("kubectl"):
		return ""
	case has(" logs "):
		return timeline.ControllerLogs
	case has("get lease"):
		return timeline.LeaseObjects
	case has("get pvc", "get pv", "volumeattachment", "csinode", "csidriver"):
		return timeline.StorageObjects
	case has("get node"):
		return timeline.NodeObjects
	case has("get pod"):
		return timeline.PodObjects
	case has("get event"):
		return timeline.APIEvents
	case has(" get "):
		return timeline.OtherObjects
	}
	return ""
}

// asksKubelet says whether a command prints the journal of a unit that runs a
// kubelet.
func asksKubelet(command string) bool {
	return slices.ContainsFunc(kubeletUnits, func(unit string) bool {
		name := strings.TrimSuffix(unit, ".service")
		_, after, ok := strings.Cut(command, "journalctl -u "+name)
		return ok && (after == "" || after[0] == ' ' || strings.HasPrefix(after, ".service"))
	})
}

// calledSo is how people call the files that they put evidence into.
var calledSo = map[timeline.Carries][]string{
	timeline.KubeletLog:   {"kubelet.log", "kubelet-log", "kubelet_log", "journal-kubelet", "journalctl-kubelet"},
	timeline.RuntimeLog:   {"containerd.log", "containerd-log", "journal-containerd", "journalctl-containerd", "crio.log", "docker.log"},
	timeline.RuntimeState: {"crictl-ps", "crictl-pods", "crictl_ps", "crictl_pods", "docker-ps"},
	timeline.ProcessList:  {"ps.txt", "ps-", "ps_"},
	timeline.MountTable:   {"mount"},
}

// whyNot tells of files that should hold the evidence and are empty.
func (s *scene) whyNot(kind timeline.Carries, node string) string {
	for i := range s.tl.Inputs {
		in := &s.tl.Inputs[i]
		if !in.Empty || node != "" && in.Node != node {
			continue
		}
		name := strings.ToLower(path.Base(in.Path))
		if strings.Contains(name, "stderr") {
			continue
		}
		match := carriedBy(in.Command) == kind || slices.ContainsFunc(calledSo[kind], func(part string) bool { return strings.Contains(name, part) })
		if match {
			return " (" + in.Path + " is empty)"
		}
	}
	return ""
}

// unseen is what the logs of the subject's node cannot show of its deletion,
// with the gap's place and time, and what would show it.
func (q *inquest) unseen() []Missing {
	if q.node == nil || q.requested.IsZero() {
		return nil
	}
	var list []Missing
	for _, component := range []string{timeline.Kubelet, timeline.Containerd, timeline.CRIO, timeline.Dockerd} {
		l := q.node.logs[component]
		if l == nil {
			continue
		}
		list = append(list, q.unseenIn(component, l)...)
	}
	return list
}

func (q *inquest) unseenIn(component string, l *logSpan) []Missing {
	var list []Missing
	whose := "the kubelet's log"
	if component != timeline.Kubelet {
		whose = component + "'s log"
	}
	whose += " of " + q.node.name
	kind, unit := timeline.RuntimeLog, component
	switch {
	case component == timeline.Kubelet:
		kind, unit = timeline.KubeletLog, q.s.unitOfKubelet(q.node)
	case component == timeline.Containerd && q.s.embedsRuntime(q.node):
		unit = q.s.unitOfKubelet(q.node)
	}
	add := func(what, command, would string) {
		list = append(list, Missing{What: what, Command: command, Would: would, Collector: q.s.collector(kind, q.node.name, nil)})
	}
	begins, ends := l.reach()
	if begins.After(q.requested) {
		add(fmt.Sprintf("%s before %s, where %s begins, %s after the request", whose, q.clockTime(begins), l.fileAt(begins), round(begins.Sub(q.requested))),
			fmt.Sprintf("journalctl -u %s --since '%s UTC' --until '%s UTC' -o export", unit, stamp(q.requested.Add(-time.Minute)), stamp(begins.Add(time.Second))),
			"show how the deletion began")
	}
	if now := q.vantage(); now.Sub(ends) > quiet && q.unitRuns(component) {
		add(fmt.Sprintf("%s after %s, where %s ends, %s before the rest of the evidence", whose, q.clockTime(ends), l.fileAt(ends), round(now.Sub(ends))),
			fmt.Sprintf("journalctl -u %s --since '%s UTC' -o export", unit, stamp(ends)),
			"show what goes on since")
	}
	masked := 0
	var first *hole
	const most = 2
	for i := range l.holes {
		h := &l.holes[i]
		switch {
		case !h.to.After(q.requested):
		case h.kind == timeline.GapMasked:
			if first == nil {
				first = h
			}
			masked++
		case len(list) < most+2:
			add(fmt.Sprintf("%s between %s and %s: %s (%s)", whose, q.clockTime(h.from), q.clockTime(h.to), oneLine(h.detail), h.at),
				"journalctl -u "+unit+" --since '-15min' -o export", lossWords(h.kind))
		}
	}
	if first != nil {
		add(fmt.Sprintf("what a redactor took out of %s, in %s, the first at %s", whose, number(masked, "line"), first.at),
			fmt.Sprintf("journalctl -u %s --since '%s UTC' -o export", unit, stamp(q.requested.Add(-time.Minute))),
			"show the text that a signature may need")
		list[len(list)-1].Collector = q.s.collector(timeline.Unmasked, q.node.name, nil)
	}
	return list
}

// lossWords say what a new log would bring where lines are lost.
func lossWords(kind timeline.GapKind) string {
	if kind == timeline.GapSuppressed {
		return "show what repeats; the lines that were dropped are lost"
	}
	return "show the lines, if the node still has them"
}

// reach is when the log begins and ends, by the files that hold it.
func (l *logSpan) reach() (begins, ends time.Time) {
	begins, ends = l.first, l.last
	for _, s := range l.covers {
		if s.from.Before(begins) {
			begins = s.from
		}
		ends = latest(ends, s.to)
	}
	return begins, ends
}

// fileAt is the file that begins or ends at a time.
func (l *logSpan) fileAt(t time.Time) string {
	for i, s := range l.covers {
		if s.from.Equal(t) || s.to.Equal(t) {
			return l.coverFiles[i]
		}
	}
	return "it"
}

// unitRuns says whether systemd shows the program's unit as active.
func (q *inquest) unitRuns(component string) bool {
	u := q.node.units[component+".service"]
	return u != nil && u.Active == "active"
}

// stamp prints a time as journalctl takes it.
func stamp(t time.Time) string { return t.UTC().Format(time.DateTime) }

// blind is a hole in the log that proves a cause, after its last line: what
// ended the failure may be in it. Nil where state proves the cause as well, and
// where the log just ends, as every log does.
func (q *inquest) blind(c *candidate) *hole {
	if q.node == nil {
		return nil
	}
	last := map[string]time.Time{}
	for _, sg := range c.principal {
		if sg.polarity != Failure {
			continue
		}
		if len(sg.events) == 0 {
			return nil // seen in state
		}
		for _, i := range sg.events {
			e := &q.s.tl.Events[i]
			if e.Node != q.node.name {
				return nil
			}
			last[e.Component] = latest(last[e.Component], e.Time)
		}
	}
	for _, component := range []string{timeline.Kubelet, timeline.Containerd, timeline.CRIO, timeline.Dockerd} {
		l := q.node.logs[component]
		t, ok := last[component]
		if l == nil || !ok {
			continue
		}
		for i := range l.holes {
			if h := &l.holes[i]; h.kind != timeline.GapMasked && !h.end && h.to.After(t) {
				return h
			}
		}
	}
	return nil
}
