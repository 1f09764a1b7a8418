package analyzer

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// Wanted is what a user asked about: a pod by name, namespace or UID.
type Wanted struct{ Namespace, Name, UID string }

// life is a pod as the node's evidence shows it: one UID.
type life struct {
	uid, ns, name, node string
	deleted             bool // the kubelet was told to end it
	deletedAt           time.Time
	running             bool // the runtime lists a running container
	readySandbox        bool
	orphaned            int // how often the kubelet found its folder without a pod
	orphanedAt          time.Time
	cleaned             bool // ... and then removed it
	process             bool // a process runs in its cgroup
	writes              bool // a container of it has a log
	removedAt           time.Time
	failing             int  // failures about it since it was removed from the API
	unstaged            bool // its volume's device cannot be released
	static              bool
	traces              []trace // of it on the node
	ghost               bool    // the kubelet found it in the runtime alone
}

// subjects finds everything to hold an inquest on: objects in deletion, pods
// that the node is ending, pods that left something behind, what was asked for.
func (s *scene) subjects(wanted []Wanted, follow []Followed) []*inquest {
	wanted = s.asTheBundle(wanted)
	var list []*inquest
	seen := map[string]bool{}
	// Who is who is what the reader of the report sees, in the bundle's own words:
	// whatever went wrong before, no UID is shown as two subjects.
	add := func(q *inquest) {
		key := q.kind + "\x00" + s.tl.StandIns.Restore(q.uid)
		if q.uid == "" {
			key = q.kind + "\x00" + s.tl.StandIns.Restore(q.ns) + "\x00" + s.tl.StandIns.Restore(q.name)
		}
		if seen[key] {
			return
		}
		seen[key] = true
		list = append(list, q)
	}
	for _, o := range s.tl.Objects {
		if o.Kind == "Event" || o.Kind == "" {
			continue
		}
		if terminating(o) || asked(wanted, o) && o.UID != "" {
			q := s.inquestOn(o)
			q.wanted = asked(wanted, o)
			add(q)
		}
	}
	lives := s.lives()
	for _, l := range lives {
		if q := s.leftBehind(l); q != nil {
			add(q)
		}
	}
	for _, o := range s.tl.Objects {
		if o.UID == "" && !terminating(o) && asked(wanted, o) { // a row of a table, unless the log tells more
			q := s.inquestOn(o)
			q.wanted = true
			add(q)
		}
	}
	for _, q := range s.unlisted(wanted, lives, list) {
		add(q)
	}
	for _, q := range s.leakingNodes() {
		add(q)
	}
	for _, q := range s.staleEndpoints() {
		add(q)
	}
	for _, q := range s.refusedEvictions() {
		add(q)
	}
	for _, q := range s.followUp(follow, list) {
		add(q)
	}
	slices.SortStableFunc(list, func(a, b *inquest) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.ns, b.ns), cmp.Compare(a.name, b.name), cmp.Compare(a.uid, b.uid))
	})
	return list
}

func asked(wanted []Wanted, o *timeline.Object) bool {
	return slices.ContainsFunc(wanted, func(w Wanted) bool {
		if w.UID != "" {
			return w.UID == o.UID
		}
		return o.Kind == "Pod" && w.Name == o.Name && (w.Namespace == "" || w.Namespace == o.Namespace)
	})
}

// asTheBundle puts what the user copied from a redacted bundle into the form
// in which it was read.
func (s *scene) asTheBundle(wanted []Wanted) []Wanted {
	out := make([]Wanted, len(wanted))
	for i, w := range wanted {
		out[i] = Wanted{s.tl.StandIns.Put(w.Namespace, ""), s.tl.StandIns.Put(w.Name, ""), s.tl.StandIns.Put(w.UID, "")}
	}
	return out
}

// unlisted are the pods asked for that no dump shows and that would be no
// subject by themselves: a log or the runtime knows them, each life of a name.
func (s *scene) unlisted(wanted []Wanted, lives []*life, list []*inquest) []*inquest {
	var out []*inquest
	for _, w := range wanted {
		is := func(ns, name, uid string) bool {
			return w.UID != "" && w.UID == uid || w.UID == "" && w.Name == name && (w.Namespace == "" || w.Namespace == ns)
		}
		known := false
		for _, q := range list {
			if q.kind == "Pod" && is(q.ns, q.name, q.uid) {
				known, q.wanted = true, true
			}
		}
		if known {
			continue
		}
		pod := func(ns, name, uid, node string) {
			out = append(out, &inquest{
				s: s, kind: "Pod", ns: ns, name: name, uid: uid, node: s.node(node),
				nameOf: map[string]string{}, wanted: true, discovered: "it was asked for",
			})
		}
		for _, l := range lives {
			if is(l.ns, l.name, l.uid) {
				known = true
				pod(l.ns, l.name, l.uid, l.node)
			}
		}
		if !known && (len(s.byUID[w.UID]) > 0 || len(s.byName[w.Namespace+"/"+w.Name]) > 0) {
			uid := cmp.Or(w.UID, s.uidOf(w.Namespace, w.Name))
			pod(w.Namespace, w.Name, uid, s.nodeOf(w.Namespace, w.Name, uid))
		}
	}
	return out
}

func (s *scene) inquestOn(o *timeline.Object) *inquest {
	q := &inquest{s: s, kind: o.Kind, ns: o.Namespace, name: o.Name, uid: o.UID, object: o, nameOf: map[string]string{}}
	if o.Kind == "Pod" {
		q.pod = podFrom(o)
		q.node = s.node(q.pod.node)
	}
	if o.Kind == "Pod" && q.uid == "" {
		q.uid = s.uidOf(q.ns, q.name)
	}
	if q.node == nil && o.Kind == "Pod" {
		q.node = s.node(s.nodeOf(q.ns, q.name, q.uid))
	}
	return q
}

// uidOf finds the UID of a pod that a table shows by name alone, if the logs
// know just one.
func (s *scene) uidOf(ns, name string) string {
	found := ""
	for _, i := range s.byName[ns+"/"+name] {
		m := &s.mentioned[i]
		uid := ""
		for _, p := range m.Pods {
			if p.Namespace == ns && p.Name == name && p.UID != "" {
				uid = p.UID
			}
		}
		if uid == "" && len(m.UIDs) == 1 && len(m.Pods) == 1 {
			uid = m.UIDs[0]
		}
		if uid != "" {
			found = uid // the newest life is the one that the table shows
		}
	}
	return found
}

// nodeOf is the node whose kubelet speaks of the pod.
func (s *scene) nodeOf(ns, name, uid string) string {
	return cmp.Or(s.nodeIn(s.byUID[uid]), s.nodeIn(s.byName[ns+"/"+name]))
}

// nodeIn is the node of the first kubelet among events.
func (s *scene) nodeIn(events []int) string {
	for _, i := range events {
		if e := &s.tl.Events[i]; e.Component == timeline.Kubelet && e.Node != "" {
			return e.Node
		}
	}
	return ""
}

// lives lists the pods that node-side evidence shows, in order of UID.
func (s *scene) lives() []*life {
	byUID := map[string]*life{}
	get := func(uid string) *life {
		l := byUID[uid]
		if l == nil {
			l = &life{uid: uid}
			byUID[uid] = l
		}
		return l
	}
	fill := func(l *life, ns, name, node string) {
		l.ns, l.name, l.node = cmp.Or(l.ns, ns), cmp.Or(l.name, name), cmp.Or(l.node, node)
	}
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if c.PodUID == "" {
			continue
		}
		l := get(c.PodUID)
		fill(l, c.PodNamespace, c.PodName, c.Node)
		l.running = l.running || c.State == "running"
	}
	for i := range s.tl.Sandboxes {
		sb := &s.tl.Sandboxes[i]
		if sb.PodUID == "" {
			continue
		}
		l := get(sb.PodUID)
		fill(l, sb.PodNamespace, sb.Pod, sb.Node)
		l.readySandbox = l.readySandbox || sb.State == "ready"
		l.static = l.static || (sb.ConfigSource != "" && sb.ConfigSource != "api")
	}
	for i := range s.tl.PodLogs {
		log := &s.tl.PodLogs[i]
		l := get(log.PodUID)
		fill(l, log.PodNamespace, log.Pod, log.Node)
		l.writes = true
	}
	for i := range s.matches {
		m := &s.matches[i]
		e := &s.tl.Events[m.Event]
		switch m.Signature.ID {
		case "kubelet-ghost-unknown-pod", "kubelet-ghost-legacy", "kubelet-ghost-syncruntime":
			for _, uid := range s.mentioned[m.Event].UIDs {
				l := get(uid)
				fill(l, "", "", e.Node)
				l.ghost = true
			}
		default:
			if contains(m.Signature.Suggests, "orphaned-pod-dir") {
				for _, uid := range s.mentioned[m.Event].UIDs {
					l := get(uid)
					fill(l, "", "", e.Node)
					l.orphaned++
					l.orphanedAt = latest(l.orphanedAt, e.Time)
				}
			}
			if contains(m.Signature.Suggests, "csi-unstage") && m.Signature.Polarity == Failure {
				for _, uid := range s.usersOf(m) {
					l := get(uid)
					fill(l, "", "", e.Node)
					l.unstaged = true
				}
			}
		}
	}
	for i := range s.matches {
		m := &s.matches[i]
		if m.Signature.ID == "kubelet-orphan-volumes-dir-cleaned" {
			for _, uid := range s.mentioned[m.Event].UIDs {
				if l := byUID[uid]; l != nil && !s.tl.Events[m.Event].Time.Before(l.orphanedAt) {
					l.cleaned = true
				}
			}
		}
	}
	for i := range s.tl.Processes {
		p := &s.tl.Processes[i]
		if p.Gone || p.State == "" || p.State[0] == 'Z' {
			continue
		}
		for _, uid := range timeline.Mentions(p.Cgroup).UIDs {
			l := get(uid)
			fill(l, "", "", p.Node)
			l.process = true
		}
	}
	for uid, list := range s.traces {
		if s.pods[uid] == nil {
			l := get(uid)
			fill(l, "", "", list[0].node)
			l.traces = list
		}
	}
	for uid := range s.forcedAway() {
		get(uid)
	}
	s.failuresAfterRemoval(get)
	byName := map[string]*life{} // whose UID nothing tells
	s.noteDeletions(func(uid, ns, name string) *life {
		if uid != "" {
			l := get(uid)
			fill(l, ns, name, "")
			return l
		}
		l := byName[ns+"/"+name]
		if l == nil {
			l = &life{ns: ns, name: name}
			byName[ns+"/"+name] = l
		}
		return l
	})
	lives := slices.Collect(maps.Values(byName))
	for uid, l := range byUID {
		if ns, name := s.nameOf(uid); l.name == "" || l.name == name {
			l.ns, l.name = cmp.Or(l.ns, ns), name
		}
		if l.node == "" && uid != "" { // by its name it could be a namesake's
			l.node = s.nodeIn(s.byUID[uid])
		}
		lives = append(lives, l)
	}
	slices.SortFunc(lives, func(a, b *life) int {
		return cmp.Or(strings.Compare(a.uid, b.uid), strings.Compare(a.ns, b.ns), strings.Compare(a.name, b.name))
	})
	return lives
}

// failuresAfterRemoval counts what goes on failing for a pod whose object is
// gone: a force delete takes the object and leaves the node's work undone.
func (s *scene) failuresAfterRemoval(get func(string) *life) {
	removed := map[string]time.Time{}
	for i := range s.matches {
		m := &s.matches[i]
		if m.Signature.ID != "kubelet-syncloop-remove" && m.Signature.ID != "kubelet-syncloop-remove-legacy" {
			continue
		}
		e := &s.tl.Events[m.Event]
		for _, p := range s.mentioned[m.Event].Pods {
			if uid := cmp.Or(p.UID, s.uidIn(m.Event, p.Namespace, p.Name)); uid != "" {
				removed[uid] = latest(removed[uid], e.Time)
			}
		}
	}
	for i := range s.matches {
		m := &s.matches[i]
		if m.Signature.Polarity != Failure || m.Signature.Strength == Weak {
			continue
		}
		e := &s.tl.Events[m.Event]
		uids := s.mentioned[m.Event].UIDs
		if len(uids) == 0 {
			for _, id := range s.mentioned[m.Event].IDs {
				if uid := s.uidOfID(id); uid != "" {
					uids = []string{uid}
				}
			}
		}
		for _, uid := range uids {
			const settling = 30 * time.Second // the last tries of an ordinary end
			if at, ok := removed[uid]; ok && e.Time.After(at.Add(settling)) {
				l := get(uid)
				l.node = cmp.Or(l.node, e.Node)
				l.failing++
				l.removedAt = at
			}
		}
	}
}

// uidAt is the UID that a name meant at t: of the lives that the evidence
// shows, the newest that had begun by then.
func (s *scene) uidAt(ns, name string, t time.Time) string {
	return s.newestUID(ns, name, func(born time.Time) bool { return !born.After(t) })
}

// uidIn is the UID that a name meant in a line.
func (s *scene) uidIn(event int, ns, name string) string {
	t := s.tl.Events[event].Time
	return s.newestUID(ns, name, func(born time.Time) bool { return !born.After(t) && !s.addedAfter(event, ns, name, born) })
}

func (s *scene) newestUID(ns, name string, begun func(born time.Time) bool) string {
	found := ""
	for _, uid := range s.uidsOf(ns, name) {
		born, ok := s.bornAt[uid]
		if ok && !begun(born) {
			continue
		}
		if found == "" || s.bornAt[found].Before(born) {
			found = uid
		}
	}
	return found
}

// uidsOf are the UIDs that a name is shown with, each once: a log may say the
// same of one pod without end.
func (s *scene) uidsOf(ns, name string) []string {
	key := ns + "/" + name
	if uids, ok := s.uidsBy[key]; ok {
		return uids
	}
	uids := []string{}
	seen := map[string]bool{"": true}
	add := func(uid string) {
		if !seen[uid] {
			seen[uid] = true
			uids = append(uids, uid)
		}
	}
	for _, i := range s.byName[key] {
		if m := &s.mentioned[i]; len(m.UIDs) == 1 && len(m.Pods) == 1 {
			add(m.UIDs[0])
		}
	}
	for _, p := range s.podsBy[key] {
		add(p.object.UID)
	}
	for i := range s.tl.Sandboxes {
		if sb := &s.tl.Sandboxes[i]; sb.Pod == name && sb.PodNamespace == ns {
			add(sb.PodUID)
		}
	}
	for i := range s.tl.PodLogs {
		if log := &s.tl.PodLogs[i]; log.Pod == name && log.PodNamespace == ns {
			add(log.PodUID)
		}
	}
	s.uidsBy[key] = uids
	return uids
}

// nameOf finds the name of a UID in the objects and lines that tell both.
func (s *scene) nameOf(uid string) (ns, name string) {
	if p := s.pods[uid]; p != nil {
		return p.object.Namespace, p.object.Name
	}
	for _, i := range s.byUID[uid] {
		m := &s.mentioned[i]
		for _, p := range m.Pods {
			if p.UID == uid || (len(m.UIDs) == 1 && len(m.Pods) == 1) {
				return p.Namespace, p.Name
			}
		}
	}
	for i := range s.tl.PodLogs {
		if log := &s.tl.PodLogs[i]; log.PodUID == uid {
			return log.PodNamespace, log.Pod
		}
	}
	return "", ""
}

// usersOf are the pods that used the volume that a line about a device names:
// those whose unmounting of it the log shows.
func (s *scene) usersOf(m *Match) []string {
	volume := cmp.Or(m.Keys["unique"], m.Keys["volume"])
	if len(volume) < 8 {
		return nil
	}
	var uids []string
	for i := range s.matches {
		o := &s.matches[i]
		if o.Signature.ID != "kubelet-teardown-succeeded" && o.Signature.ID != "kubelet-unmount-started" {
			continue
		}
		same := o.Keys["unique"] == volume || o.Keys["volume"] == volume ||
			(m.Keys["volume"] != "" && strings.Contains(s.tl.Events[o.Event].Message, m.Keys["volume"]))
		if uid := o.Keys["uid"]; same && uid != "" && !contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// leftBehind decides whether a pod that the node's evidence shows is a subject:
// nil where the API has it and it is not in deletion, or where nothing of it
// is left.
func (s *scene) leftBehind(l *life) *inquest {
	if l.static || l.uid != "" && s.mirrored(l.uid) {
		return nil
	}
	forced := l.ghost || s.forcedAway()[l.uid]
	if !l.running && !l.readySandbox && !l.process && !l.writes && l.failing < 2 && l.orphaned < 2 && !l.unstaged && !l.deleted && len(l.traces) == 0 && !forced {
		return nil
	}
	p := s.pods[l.uid]
	if l.uid == "" {
		if named := s.podsBy[l.ns+"/"+l.name]; len(named) > 0 {
			p = named[0]
		}
	}
	if p != nil {
		if terminating(p.object) || !l.deleted || notYetAsked(p.object, l.deletedAt) {
			return nil // a subject already, just a pod, or a line about an earlier life
		}
	}
	q := &inquest{s: s, kind: "Pod", ns: l.ns, name: l.name, uid: l.uid, node: s.node(l.node), nameOf: map[string]string{}}
	if p != nil {
		q.pod, q.object = p, p.object
	}
	q.attribute()
	q.dateRequest()
	q.notice()
	absent := q.inAPI != nil && !*q.inAPI
	switch {
	case absent && q.beingCleanedUp():
		return nil
	case absent && !s.tooNew(q, l) && q.runsOn():
		q.discovered = "the runtime has a container of a pod that the API does not know"
	case absent && len(q.standing(checkProcesses)) > 0 && l.process:
		q.discovered = "a process runs in the cgroup of a pod that the API does not have"
	case l.writes && absent && q.writesOn() != nil:
		q.discovered = "a container of a pod that the API does not have goes on writing its log"
	case l.failing > 1 && absent:
		q.discovered = "the node goes on failing to end a pod that the API does not have any more"
	case l.orphaned > 1 && p == nil && !l.cleaned && s.goesOn(l.node, l.orphanedAt):
		q.discovered = "the kubelet found the folder of a pod that the API does not know"
	case l.unstaged && (absent || p == nil):
		q.discovered = "the device of a volume that it used is not released"
	case absent && q.missedSurely && !s.tooNew(q, l) && q.leavesTraces(l.traces):
		q.discovered = "the node keeps something that bears the UID of a pod that the API does not have"
	case absent && q.missedSurely && forced && q.node != nil && (q.node.dumped || !q.goneAt.IsZero()) && (s.forcedAway()[l.uid] || q.missedByDate()):
		q.discovered = "it was force deleted"
	case len(q.untold) > 0 && !q.livedAfterDump() && !q.deletionSeen() && q.runsOn():
		q.discovered = "the runtime has a container of a pod that a dump of the API lacks, and nothing tells which of the two is newer"
	case l.deleted && !absent && q.deletionSeen() && !q.heardOfNoMore():
		q.discovered = "its deletion was asked for, and no end is seen"
		if row := s.rowOf(l); q.object == nil && row != nil && (terminating(row) || notYetAsked(row, l.deletedAt)) {
			return nil // a subject already, or not in deletion
		}
	default:
		return nil
	}
	return &inquest{s: s, kind: "Pod", ns: q.ns, name: q.name, uid: q.uid, node: q.node, pod: q.pod, object: q.object, nameOf: map[string]string{}, discovered: q.discovered}
}

// missedByDate says whether what lacks the pod tells by itself when it was taken:
// that nothing is left of a pod is not to be told by less.
func (q *inquest) missedByDate() bool {
	l, ok := q.s.listed("Pod", q.ns)
	return !q.goneAt.IsZero() || q.answeredNotFound() || !ok || !l.AsOf.IsZero()
}

// tooNew says whether the container began after the API was dumped: then its
// absence from the dump says nothing.
func (s *scene) tooNew(q *inquest, l *life) bool {
	listing, ok := s.listed("Pod", l.ns)
	if !ok || listing.AsOf.IsZero() || !q.goneAt.IsZero() {
		return false
	}
	var began time.Time
	earlier := func(uid string, at time.Time) {
		if uid == l.uid && !at.IsZero() && (began.IsZero() || at.Before(began)) {
			began = at
		}
	}
	for i := range s.tl.Containers {
		earlier(s.tl.Containers[i].PodUID, s.tl.Containers[i].CreatedAt)
	}
	for i := range s.tl.Sandboxes {
		earlier(s.tl.Sandboxes[i].PodUID, s.tl.Sandboxes[i].CreatedAt)
	}
	if !began.After(listing.AsOf) {
		return false
	}
	// A dump that nothing changed in is newer than it looks. A namesake that
	// began later was made after this life was gone.
	return !slices.ContainsFunc(s.podsBy[l.ns+"/"+l.name], func(p *pod) bool { return p.created.After(began) })
}

// mirrored says whether a UID is what the runtime calls a static pod: its
// mirror in the API has another.
func (s *scene) mirrored(uid string) bool {
	for _, p := range s.pods {
		if p.configHash != "" && p.configHash == uid {
			return true
		}
	}
	return !strings.Contains(uid, "-") // a hash of a manifest
}

// goesOn says whether something that the kubelet says every two seconds was
// said until its log ends.
func (s *scene) goesOn(node string, last time.Time) bool {
	const gap = 5 * time.Minute
	for i := range slices.Backward(s.tl.Events) {
		if e := &s.tl.Events[i]; e.Component == timeline.Kubelet && e.Node == node && !e.Time.IsZero() {
			return e.Time.Sub(last) < gap
		}
	}
	return true
}

// staleEndpoints are pods that an endpoint names and a complete dump of the
// pods lacks.
func (s *scene) staleEndpoints() []*inquest {
	var list []*inquest
	for _, kind := range []string{"EndpointSlice", "Endpoints"} {
		for _, o := range s.objects[kind] {
			for _, t := range endpointTargets(o) {
				if t.Kind != "Pod" || t.UID == "" || timeline.Anonymous(t.UID) || s.pods[t.UID] != nil {
					continue
				}
				ns := cmp.Or(t.Namespace, o.Namespace)
				listing, ok := s.listed("Pod", ns)
				if !ok || listing.AsOf.Add(time.Minute).Before(o.AsOf) {
					continue
				}
				list = append(list, &inquest{s: s, kind: "Pod", ns: ns, name: t.Name, uid: t.UID, node: s.node(s.nodeOf(ns, t.Name, t.UID)), nameOf: map[string]string{}, discovered: "an endpoint names it"})
			}
		}
	}
	return list
}

// endpointTargets are the objects that an EndpointSlice or Endpoints names.
func endpointTargets(o *timeline.Object) []timeline.Ref {
	var refs []timeline.Ref
	take := func(m timeline.Decoded) {
		refs = append(refs, timeline.Ref{
			Kind: stringAt(m, "targetRef", "kind"), Namespace: stringAt(m, "targetRef", "namespace"),
			Name: stringAt(m, "targetRef", "name"), UID: stringAt(m, "targetRef", "uid"),
		})
	}
	for _, e := range mapsAt(o.Content, "endpoints") {
		take(e)
	}
	for _, subset := range mapsAt(o.Content, "subsets") {
		for _, field := range []string{"addresses", "notReadyAddresses"} {
			for _, a := range mapsAt(subset, field) {
				take(a)
			}
		}
	}
	return refs
}

// leavesTraces says whether something of the pod is left longer than a kubelet
// that runs needs to remove it.
func (q *inquest) leavesTraces(traces []trace) bool {
	for i := range traces {
		t := &traces[i]
		if t.tool == "container log" || q.node != nil && t.node != q.node.name {
			continue // the log of a container is a copy of its folder's
		}
		if q.settled(t.seen()) && !q.outdated(t.seen()) {
			return true
		}
	}
	return false
}

// forcedAway are the pods that somebody force deleted, by UID, as far as the
// audit log tells.
func (s *scene) forcedAway() map[string]bool {
	if s.forced != nil {
		return s.forced
	}
	s.forced = map[string]bool{}
	for i := range s.tl.Events {
		e := &s.tl.Events[i]
		if e.Component != timeline.Audit || auditField(e.Message, "verb") != "delete" || auditField(e.Message, "grace") != "0" ||
			strings.HasPrefix(auditField(e.Message, "user"), "system:") {
			continue // the kubelet's last delete, and what controllers collect
		}
		for _, p := range s.mentioned[i].Pods {
			if uid := cmp.Or(p.UID, s.uidAt(p.Namespace, p.Name, e.Time)); uid != "" {
				s.forced[uid] = true
			}
		}
	}
	return s.forced
}

// leakingNodes are nodes whose address range is used up by reservations of
// sandboxes that do not exist, and those that keep what nobody can tell the pod
// of.
func (s *scene) leakingNodes() []*inquest {
	var list []*inquest
	leaks := map[string]bool{}
	for i := range s.matches {
		if m := &s.matches[i]; contains(m.Signature.Suggests, "ip-leak") {
			leaks[cmp.Or(m.Keys["node"], s.tl.Events[m.Event].Node)] = true
		}
	}
	for name, n := range s.nodes {
		switch {
		case leaks[name], s.reserved(name):
			list = append(list, &inquest{s: s, kind: "Node", name: name, node: n, object: n.object, nameOf: map[string]string{}, discovered: "no address is left in the node's range"})
		case len(s.leavings(name)) > 0:
			list = append(list, &inquest{s: s, kind: "Node", name: name, node: n, object: n.object, nameOf: map[string]string{}, discovered: "the node keeps something of pods that nobody can name"})
		}
	}
	return list
}

// reserved says whether the node keeps far more addresses reserved than it has
// sandboxes.
func (s *scene) reserved(name string) bool {
	total := 0
	for i := range s.tl.Reservations {
		if s.tl.Reservations[i].Node == name {
			total++
		}
	}
	live := len(s.nodes[name].sandboxes)
	const many = 50
	return total > many && live > 0 && total > 2*live
}

// refusedEvictions are pods that a disruption budget kept: not a deletion.
func (s *scene) refusedEvictions() []*inquest {
	var list []*inquest
	for i := range s.matches {
		m := &s.matches[i]
		if !contains(m.Signature.Suggests, "eviction-blocked") {
			continue
		}
		e := &s.tl.Events[m.Event]
		pods := s.mentioned[m.Event].Pods
		name, ns := m.Keys["pod"], m.Keys["ns"]
		if e.Object().Kind == "Pod" {
			name, ns = e.Object().Name, e.Object().Namespace
		} else if len(pods) == 1 {
			name, ns = pods[0].Name, pods[0].Namespace
		}
		for _, o := range s.objects["Pod"] {
			if o.Name == name && (ns == "" || o.Namespace == ns) && !terminating(o) {
				list = append(list, s.inquestOn(o))
			}
		}
	}
	return list
}
