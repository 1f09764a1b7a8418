package analyzer

import (
	"crypto/sha1" //nolint:gosec // what CNI plugins name interfaces by, no secret
	"encoding/hex"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// trace is something on a node that bears a pod's identity: its UID, or the id
// of one of its containers or sandboxes. What a pod left behind is the traces
// of a UID that the API does not have; names do not count, as a name lives
// again.
type trace struct {
	check string // the row of the check-list that it belongs to
	what  string // for a reader: "the folder", "a mount"
	uid   string // of the pod; "" where nothing ties it to one
	node  string
	id    string         // path, runtime id, address or name of it
	fact  *timeline.Fact // nil where an object of the API tells of it
	tool  string
	// object and field tell of it instead.
	object *timeline.Object
	field  []string
	began  time.Time // at the latest; zero where nothing tells
	pid    int       // of a mount: in whose mount namespace, where that is another's
	owner  string    // sandbox of an address, network namespace of an interface
}

// Rows of the check-list, by their ids in the report.
const (
	checkObject      = "object"
	checkContainers  = "containers"
	checkSandbox     = "sandbox"
	checkProcesses   = "processes"
	checkCgroup      = "cgroup"
	checkMounts      = "mounts"
	checkFolder      = "pod-directory"
	checkLogs        = "logs"
	checkNetNS       = "netns"
	checkAddress     = "ip"
	checkEndpoints   = "endpoints"
	checkVolume      = "persistent-volume"
	checkLocalVolume = "local-volume"
	checkAttachment  = "volume-attachment"
	checkIdentity    = "identity"
	checkJobs        = "jobs"
	checkReplicas    = "replicas"
	checkPorts       = "ports"
)

// findTraces sorts everything on the nodes by the pod that it is of, once for
// all inquests. What names a container or sandbox is of that one's pod; what
// names one that nothing ties to a pod is astray.
func (s *scene) findTraces() {
	s.traces = map[string][]trace{}
	s.astray = map[string][]trace{}
	s.netnsOf = map[string]string{}
	for i := range s.tl.Sandboxes {
		if sb := &s.tl.Sandboxes[i]; sb.NetNS != "" && sb.PodUID != "" {
			s.netnsOf[sb.Node+"\x00"+path.Base(sb.NetNS)] = sb.PodUID
		}
	}
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if c.State == "running" && !s.isSandboxID(c.ID) {
			s.trace(trace{check: checkContainers, what: "container", uid: c.PodUID, node: c.Node, id: c.ID, fact: &c.Fact, tool: c.Tool, began: c.CreatedAt})
		}
	}
	for i := range s.tl.Sandboxes {
		sb := &s.tl.Sandboxes[i]
		if sb.State == "ready" {
			s.trace(trace{check: checkSandbox, what: "sandbox", uid: sb.PodUID, node: sb.Node, id: sb.ID, fact: &sb.Fact, tool: sb.Tool, began: sb.CreatedAt})
		}
	}
	s.traceProcesses()
	s.tracePaths()
	s.traceMounts()
	for i := range s.tl.PodLogs {
		log := &s.tl.PodLogs[i]
		s.trace(trace{check: checkLogs, what: "log folder", uid: log.PodUID, node: log.Node, id: log.Source.File, fact: &log.Fact, tool: "container log", began: log.First})
	}
	for i := range s.tl.Reservations {
		r := &s.tl.Reservations[i]
		uid := r.PodUID
		if uid == "" {
			uid = s.uidOfID(r.ContainerID)
		}
		if uid == "" && len(r.ContainerID) < shortID {
			continue // a file's name alone tells no owner
		}
		s.trace(trace{check: checkAddress, what: "address", uid: uid, node: r.Node, id: r.IP, fact: &r.Fact, tool: "cni", began: r.ReservedAt, owner: r.ContainerID})
	}
	s.traceClaims()
	s.traceInterfaces()
	for _, list := range s.traces {
		for i := range list {
			t := &list[i]
			if born, known := s.bornAt[t.uid]; !t.began.IsZero() && (!known || t.began.Before(born)) {
				s.bornAt[t.uid] = t.began
			}
		}
	}
}

func (s *scene) trace(t trace) {
	switch {
	case t.uid == "" && t.node == "", t.node == "" && t.object == nil:
	case t.uid != "":
		s.traces[t.uid] = append(s.traces[t.uid], t)
	default:
		s.astray[t.node] = append(s.astray[t.node], t)
	}
}

func (s *scene) isSandboxID(id string) bool {
	return len(id) >= shortID && s.sandboxIDs[id[:shortID]]
}

// traceProcesses finds processes in a pod's control group, and the shims, each
// of which serves one sandbox.
func (s *scene) traceProcesses() {
	for i := range s.tl.Processes {
		p := &s.tl.Processes[i]
		if p.Gone || strings.HasPrefix(p.State, "Z") {
			continue
		}
		if isShim(p.Command) {
			if ids := timeline.Mentions(p.Command).IDs; len(ids) > 0 {
				s.trace(trace{check: checkProcesses, what: "shim", uid: s.uidOfID(ids...), node: p.Node, id: ids[0], fact: &p.Fact, tool: "ps"})
			}
			continue
		}
		if uid := s.uidOfGroup(p.Cgroup); uid != "" {
			s.trace(trace{check: checkProcesses, what: "process", uid: uid, node: p.Node, id: p.Cgroup, fact: &p.Fact, tool: "ps"})
		}
	}
}

// isShim says whether a command line is of the process that stands between a
// runtime and the containers of a sandbox.
func isShim(command string) bool {
	name := program(command)
	return strings.HasPrefix(name, "containerd-shim") || name == "conmon" || name == "conmonrs"
}

// uidOfGroup is the pod that a control group is of, by its UID or by the
// container in it.
func (s *scene) uidOfGroup(group string) string {
	m := timeline.Mentions(group)
	if len(m.UIDs) > 0 {
		return m.UIDs[0]
	}
	return s.uidOfID(m.IDs...)
}

// tracePaths finds folders, control groups, logs and network namespaces among
// what ls and find printed. Of a tree only the top counts.
func (s *scene) tracePaths() {
	groups := map[string]bool{}
	for i := range s.tl.Paths {
		p := &s.tl.Paths[i]
		t := trace{node: p.Node, id: p.Path, fact: &p.Fact, tool: "ls", began: p.Modified}
		switch parent, base := path.Dir(p.Path), path.Base(p.Path); {
		case strings.HasPrefix(p.Path, "/sys/fs/cgroup"):
			m := timeline.Mentions(base)
			if len(m.UIDs) == 0 || groups[p.Node+m.UIDs[0]] {
				continue
			}
			groups[p.Node+m.UIDs[0]] = true
			t.check, t.what, t.uid = checkCgroup, "control group", m.UIDs[0]
		case parent == "/var/log/pods":
			if m := timeline.Mentions(base); len(m.UIDs) > 0 {
				t.check, t.what, t.uid = checkLogs, "log folder", m.UIDs[0]
			}
		case parent == "/var/log/containers":
			name := strings.TrimSuffix(base, ".log")
			if id := name[strings.LastIndexByte(name, '-')+1:]; len(id) == 64 {
				t.check, t.what, t.uid = checkLogs, "log", s.uidOfID(id)
			}
		case strings.HasSuffix(parent, "/pods"):
			if m := timeline.Mentions(base); len(m.UIDs) > 0 {
				t.check, t.what, t.uid = checkFolder, "folder", m.UIDs[0]
			}
		case strings.HasSuffix(parent, "/netns"):
			if !p.Dir {
				t.check, t.what, t.uid = checkNetNS, "network namespace", s.netnsOf[p.Node+"\x00"+base]
			}
		}
		if t.check != "" {
			s.trace(t)
		}
	}
	for i := range s.tl.Units {
		u := &s.tl.Units[i]
		if m := timeline.Mentions(u.Name); u.Active == "active" && strings.HasSuffix(u.Name, ".slice") && len(m.UIDs) > 0 && !groups[u.Node+m.UIDs[0]] {
			groups[u.Node+m.UIDs[0]] = true
			s.trace(trace{check: checkCgroup, what: "control group", uid: m.UIDs[0], node: u.Node, id: u.Name, fact: &u.Fact, tool: "systemctl", began: u.Since})
		}
	}
}

// traceMounts finds mounts below pods' folders, in the host's mount namespace
// and in those of other processes.
func (s *scene) traceMounts() {
	for i := range s.tl.Mounts {
		m := &s.tl.Mounts[i]
		uids := timeline.Mentions(m.Target).UIDs
		if len(uids) == 0 || !strings.Contains(m.Target, "/pods/"+uids[0]) {
			continue
		}
		t := trace{check: checkMounts, what: "mount", uid: uids[0], node: m.Node, id: m.Target, fact: &m.Fact, tool: "mounts"}
		if m.PID > 1 {
			t.pid, t.tool = m.PID, "mountinfo"
		}
		s.trace(t)
	}
}

// traceInterfaces ties the host's ends of pods' interfaces to them: by the
// network namespace of the other end, or by the plugins' way of naming them
// after the pod.
func (s *scene) traceInterfaces() {
	if len(s.tl.Interfaces) == 0 {
		return
	}
	named := map[string]string{} // UID by the digits that stand in the name
	for _, p := range s.pods {
		named[interfaceDigits(p.object.Namespace, p.object.Name)] = p.object.UID
	}
	for uid := range s.traces {
		if ns, name := s.nameOf(uid); name != "" {
			if digits := interfaceDigits(ns, name); named[digits] == "" {
				named[digits] = uid
			}
		}
	}
	for i := range s.tl.Interfaces {
		n := &s.tl.Interfaces[i]
		t := trace{check: checkNetNS, what: "interface", node: n.Node, id: n.Name, fact: &n.Fact, tool: "ip", owner: n.NetNS}
		if n.NetNS != "" {
			t.uid = s.netnsOf[n.Node+"\x00"+n.NetNS]
		} else if digits, ok := namedAfterPod(n.Name); ok {
			t.uid = named[digits]
		}
		s.trace(t)
	}
}

// interfaceDigits are what Calico and the AWS VPC CNI put behind "cali" and
// "eni" to name the host's end of a pod's interface.
func interfaceDigits(namespace, name string) string {
	sum := sha1.Sum([]byte(namespace + "." + name)) //nolint:gosec // see above
	return hex.EncodeToString(sum[:])[:11]
}

// namedAfterPod gives the digits of an interface that is named after its pod.
func namedAfterPod(name string) (string, bool) {
	for _, prefix := range [...]string{"cali", "eni"} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && len(digits) == 11 && isHexWord(digits) {
			return digits, true
		}
	}
	return "", false
}

func isHexWord(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}

// cite makes evidence of a trace.
func (s *scene) cite(t *trace) ref {
	if t.object != nil {
		return s.book.object(t.object, t.field...)
	}
	return s.book.fact(t.fact, t.tool)
}

// seen is when the trace was seen; zero where nothing dates that.
func (t *trace) seen() time.Time {
	if t.object != nil {
		return t.object.AsOf
	}
	return t.fact.AsOf
}

// of lists the subject's traces of one row of the check-list.
func (q *inquest) tracesOf(check string) []*trace {
	var out []*trace
	for _, uid := range []string{q.uid, q.configHash()} {
		if uid == "" {
			continue
		}
		list := q.s.traces[uid]
		for i := range list {
			if list[i].check == check && (q.node == nil || list[i].node == q.node.name || list[i].node == "") {
				out = append(out, &list[i])
			}
		}
	}
	return out
}

func (q *inquest) configHash() string {
	if q.pod == nil {
		return ""
	}
	return q.pod.configHash
}

// listedOn finds a complete list of containers or sandboxes on a node, the
// newest; nil where there is none.
func (s *scene) listedOn(kind, node string) *timeline.Listing {
	key := kind + "\x00" + node
	if l, known := s.listings[key]; known {
		return l
	}
	var best *timeline.Listing
	for i := range s.tl.Listings {
		l := &s.tl.Listings[i]
		if l.Kind != kind || l.Incomplete || s.nodeOfFile[l.Source.File] != node {
			continue
		}
		if best == nil || l.AsOf.After(best.AsOf) {
			best = l
		}
	}
	s.listings[key] = best
	return best
}

// leavings are the traces astray on a node that belong to nothing that the
// runtime has: nobody can name their pod.
func (s *scene) leavings(node string) []trace {
	sandboxes, containers := s.listedOn("Sandbox", node), s.listedOn("Container", node)
	if s.tl.Strangers[node] || s.nodes[node] == nil {
		return nil
	}
	var out []trace
	for _, t := range s.astray[node] {
		if t.object != nil {
			out = append(out, t)
		}
	}
	if sandboxes == nil {
		return out
	}
	netnsKnown := !slices.ContainsFunc(s.nodes[node].sandboxes, func(sb *timeline.Sandbox) bool { return sb.NetNS == "" && sb.PID == 0 })
	for _, t := range s.astray[node] {
		if t.object != nil {
			continue
		}
		// It may have begun since the runtime was asked.
		if !t.seen().IsZero() && !sandboxes.AsOf.IsZero() && t.seen().Sub(sandboxes.AsOf) > time.Minute &&
			(t.began.IsZero() || t.began.After(sandboxes.AsOf)) {
			continue
		}
		// It may have gone before the runtime was asked, with its sandbox.
		if !t.seen().IsZero() && sandboxes.AsOf.Sub(t.seen()) > collecting {
			continue
		}
		switch t.what {
		case "shim":
			if containers != nil && !s.runtimeHas(node, t.id) {
				out = append(out, t)
			}
		case "address":
			if len(t.owner) >= shortID && !s.runtimeHas(node, t.owner) {
				out = append(out, t)
			}
		case "network namespace":
			if netnsKnown && strings.HasPrefix(path.Base(t.id), "cni-") {
				out = append(out, t)
			}
		case "interface":
			digits, after := namedAfterPod(t.id)
			if after && digits != "" && s.sawEveryPod() || !after && netnsKnown && strings.HasPrefix(t.owner, "cni-") {
				out = append(out, t)
			}
		}
	}
	return out
}

// runtimeHas says whether the runtime lists a container or sandbox.
func (s *scene) runtimeHas(node, id string) bool {
	n := s.nodes[node]
	return slices.ContainsFunc(n.sandboxes, func(sb *timeline.Sandbox) bool { return sameID(sb.ID, id) }) ||
		slices.ContainsFunc(n.containers, func(c *timeline.Container) bool { return sameID(c.ID, id) })
}

// sawEveryPod says whether a complete dump has every pod of the cluster, so
// that what is named after none of them is of none of them.
func (s *scene) sawEveryPod() bool {
	_, ok := s.listedEverywhere("Pod")
	return ok && !s.masksUIDs()
}

// listedEverywhere finds a complete listing of all namespaces, the newest.
func (s *scene) listedEverywhere(kind string) (timeline.Listing, bool) {
	var best timeline.Listing
	found := false
	for _, l := range s.tl.Listings {
		if l.Kind == kind && !l.Incomplete && l.AllNamespaces && (!found || l.AsOf.After(best.AsOf)) {
			best, found = l, true
		}
	}
	return best, found
}

// traceClaims finds what Calico and Cilium keep in objects of the API: addresses
// for sandboxes and pods.
func (s *scene) traceClaims() {
	for _, o := range s.objects["IPAMBlock"] {
		for i, a := range mapsAt(o.Content, "spec", "attributes") {
			handle, _ := a["handle_id"].(string)
			_, id, ok := strings.Cut(handle, "k8s-pod-network.")
			ns, name := stringAt(a, "secondary", "namespace"), stringAt(a, "secondary", "pod")
			if !ok || len(id) < shortID {
				continue
			}
			t := trace{
				check: checkAddress, what: "address", uid: s.uidOfID(id), node: stringAt(a, "secondary", "node"), id: blockAddress(o, i), owner: id,
				object: o, field: []string{"spec", "attributes", strconv.Itoa(i), "handle_id"},
			}
			if at, err := time.Parse("2006-01-02 15:04:05.999999999 -0700 MST", stringAt(a, "secondary", "timestamp")); err == nil {
				t.began = at.UTC()
			}
			if t.uid == "" {
				if t.what = claimed; !s.missedByName(ns, name, t.began, o.AsOf) {
					continue
				}
			}
			s.trace(t)
		}
	}
	s.traceHandles()
	for _, o := range s.objects["CiliumEndpoint"] {
		for i, owner := range mapsAt(o.Content, "metadata", "ownerReferences") {
			uid, _ := owner["uid"].(string)
			if owner["kind"] != "Pod" || uid == "" {
				continue
			}
			ip := ""
			for _, a := range mapsAt(o.Content, "status", "networking", "addressing") {
				if v, _ := a["ipv4"].(string); ip == "" {
					ip = v
				}
			}
			s.trace(trace{
				check: checkAddress, what: "address", uid: uid, id: ip, began: timeAt(o.Content, "metadata", "creationTimestamp"),
				object: o, field: []string{"metadata", "ownerReferences", strconv.Itoa(i), "uid"},
			})
		}
	}
	for _, o := range s.objects["CiliumNode"] {
		used, _ := valueAt(o.Content, "status", "ipam", "used").(map[string]any)
		for _, ip := range sortedKeys(used) {
			entry, _ := used[ip].(map[string]any)
			owner, _ := entry["owner"].(string)
			ns, name, ok := strings.Cut(owner, "/")
			if ok && s.missedByName(ns, name, time.Time{}, o.AsOf) {
				s.trace(trace{
					check: checkAddress, what: claimed, node: o.Name, id: ip, owner: owner,
					object: o, field: []string{"status", "ipam", "used", ip, "owner"},
				})
			}
		}
	}
}

// traceHandles finds the other objects of Calico that name a sandbox with its
// address: a handle stands for what it has of a block, the endpoint of a pod is
// what calicoctl prints.
func (s *scene) traceHandles() {
	for _, o := range s.objects["IPAMHandle"] {
		_, id, ok := strings.Cut(stringAt(o.Content, "spec", "handleID"), "k8s-pod-network.")
		if uid := s.uidOfID(id); ok && uid != "" {
			blocks, _ := valueAt(o.Content, "spec", "block").(map[string]any)
			s.trace(trace{
				check: checkAddress, what: "address", uid: uid, id: "of " + strings.Join(sortedKeys(blocks), ", "), owner: id, began: timeAt(o.Content, "metadata", "creationTimestamp"),
				object: o, field: []string{"spec", "handleID"},
			})
		}
	}
	for _, o := range s.objects["WorkloadEndpoint"] {
		id := stringAt(o.Content, "spec", "containerID")
		if uid := s.uidOfID(id); uid != "" {
			ip := ""
			for _, network := range stringsAt(o.Content, "spec", "ipNetworks") {
				if address, _, _ := strings.Cut(network, "/"); ip == "" {
					ip = address
				}
			}
			s.trace(trace{
				check: checkAddress, what: "address", uid: uid, node: stringAt(o.Content, "spec", "node"), id: ip, owner: id, began: timeAt(o.Content, "metadata", "creationTimestamp"),
				object: o, field: []string{"spec", "containerID"},
			})
		}
	}
}

// claimed is what an address is called that an object of the API keeps for a
// pod which only that object names.
const claimed = "claimed address"

// missedByName says whether a complete dump lacks a pod of this name, and was
// taken after it had begun, or after somebody was seen to keep something for it.
func (s *scene) missedByName(ns, name string, began, seen time.Time) bool {
	if began.IsZero() {
		began = seen
	}
	l, ok := s.listed("Pod", ns)
	return ok && ns != "" && name != "" && len(s.podsBy[ns+"/"+name]) == 0 && !began.IsZero() && !began.After(l.AsOf) && !s.masksUIDs()
}
