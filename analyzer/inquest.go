package analyzer

import (
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// inquest is the inquiry into one subject: which evidence is about it, what
// that says, how far its deletion got, and what holds it.
type inquest struct {
	s          *scene
	kind       string
	ns, name   string
	uid        string
	object     *timeline.Object
	pod        *pod // nil for other kinds and for pods that no dump shows
	node       *node
	wanted     bool // the user asked about it
	discovered string

	ids      []string          // containers and sandboxes of the pod, longest form
	sandboxs []string          // those of ids that are sandboxes
	nameOf   map[string]string // container name by id
	volumes  []string          // names and unique names by which lines call its volumes
	events   []int             // about the subject, in order
	newest   *bool             // newestLife, once known

	requested   time.Time // zero: not known
	requestFrom string
	requestRefs []ref
	deadline    time.Time // T0
	basis       string
	grace       time.Duration
	forced      *bool
	forcedAt    time.Time
	forcedRef   []ref
	asked       *int64    // the grace that the first delete asked for, by the audit log
	goneAt      time.Time // the API object went away
	goneRefs    []ref
	// missedSurely: the API is known not to have it, and not only by a dump that
	// may be older than it.
	missedSurely bool
	// filtered: only a saved list lacks it, which may be of a selector.
	filtered bool
	// doubted are later lists that lack what a dump shows, and may be filtered.
	doubted []ref
	// untold is the dump that lacks it and may be older than it: whether the API
	// has it cannot be told.
	untold     []ref
	begun      time.Time // at the latest, by an earlier report; zero where there is none
	unwantedAt time.Time // the kubelet said that it has the pod from no source
	inAPI      *bool

	byIndex map[string]*signal
	signals []*signal
	stages  map[string]*stageState
}

// attribute finds the events that are about the subject: those that name its
// UID, its containers or sandboxes, its volumes' paths; and those that name it
// alone, unless they name another life of it.
func (q *inquest) attribute() {
	s := q.s
	in := map[int]bool{}
	if q.uid != "" {
		for _, i := range s.byUID[q.uid] {
			in[i] = true
			q.learn(i)
		}
	}
	if q.pod != nil {
		for _, c := range q.pod.containers {
			q.addID(c.id, c.name, false)
		}
	}
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if q.owns(c.PodUID, c.PodNamespace, c.PodName, c.Node) {
			q.addID(c.ID, c.Name, false)
			q.addID(c.SandboxID, "", true)
		}
	}
	for i := range s.tl.Sandboxes {
		b := &s.tl.Sandboxes[i]
		if q.owns(b.PodUID, b.PodNamespace, b.Pod, b.Node) {
			q.addID(b.ID, "", true)
		}
	}
	for _, i := range s.byName[q.ns+"/"+q.name] {
		if q.sameLife(i) {
			in[i] = true
			q.learn(i)
		}
	}
	for _, i := range s.speaking {
		if q.spokenOf(s.tl.Events[i].Message, s.tl.Events[i].Component) {
			in[i] = true
		}
	}
	for _, id := range q.ids {
		for _, i := range s.byID[id[:shortID]] {
			m := &s.mentioned[i]
			if len(m.UIDs) > 0 && !contains(m.UIDs, q.uid) && q.uid != "" {
				continue // it says itself that it is about another pod
			}
			if slices.ContainsFunc(m.IDs, func(x string) bool { return sameID(x, id) }) {
				in[i] = true
			}
		}
	}
	for i := range in {
		q.events = append(q.events, i)
	}
	slices.Sort(q.events)
}

// spokenOf says whether a controller or a person, who write names in their own
// way, mean the subject: its UID, or its name beside its namespace. In a
// person's transcript the name is enough.
func (q *inquest) spokenOf(message, component string) bool {
	if q.uid != "" && strings.Contains(message, q.uid) {
		return true
	}
	const telling = 5
	if len(q.name) < telling || !strings.Contains(message, q.name) {
		return false
	}
	return component == timeline.Command || q.ns == "" || strings.Contains(message, q.ns)
}

// owns says whether something with this identity belongs to the subject.
func (q *inquest) owns(uid, ns, name, node string) bool {
	if q.kind != "Pod" {
		return false
	}
	if uid != "" && q.uid != "" {
		return uid == q.uid || (q.pod != nil && q.pod.configHash != "" && uid == q.pod.configHash)
	}
	if node != "" && q.node != nil && node != q.node.name {
		return false // a namesake elsewhere
	}
	return name != "" && name == q.name && (ns == q.ns || ns == "")
}

// learn takes container ids from a line that names this UID and no other.
func (q *inquest) learn(i int) {
	m := &q.s.mentioned[i]
	if len(m.UIDs) > 1 || (len(m.UIDs) == 0 && len(m.Pods) != 1) {
		return
	}
	message := q.s.tl.Events[i].Message
	for _, id := range m.IDs {
		if uid := q.s.uidOfID(id); uid != "" && q.uid != "" && uid != q.uid {
			continue
		}
		q.addID(id, nameBeside(message), strings.Contains(message, `odSandbox`) && !strings.Contains(message, "containerID="))
	}
}

// nameBeside is the container that a kubelet line names.
func nameBeside(message string) string {
	_, rest, ok := strings.Cut(message, `containerName="`)
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, `"`)
	return name
}

func (q *inquest) addID(id, name string, sandbox bool) {
	if len(id) < shortID {
		return
	}
	at := slices.IndexFunc(q.ids, func(x string) bool { return sameID(x, id) })
	switch {
	case at < 0:
		q.ids = append(q.ids, id)
	case len(id) > len(q.ids[at]):
		q.ids[at] = id
	}
	key := id[:shortID]
	if name != "" {
		q.nameOf[key] = name
	}
	if sandbox && !contains(q.sandboxs, key) {
		q.sandboxs = append(q.sandboxs, key)
	}
}

// sameLife says whether a line that names the subject by name means this life
// of it: it names no other UID of that name, and lies not before its creation.
func (q *inquest) sameLife(i int) bool {
	e := &q.s.tl.Events[i]
	m := &q.s.mentioned[i]
	stranger := q.node != nil && q.s.tl.Strangers[q.node.name]
	if (stranger || q.s.tl.Strangers[e.Node]) && (q.node == nil || q.node.name != e.Node) {
		return false // a namesake in another cluster
	}
	if q.uid != "" {
		for _, p := range m.Pods {
			if p.Namespace == q.ns && p.Name == q.name && p.UID != "" && p.UID != q.uid {
				return false
			}
		}
		if len(m.UIDs) > 0 && !contains(m.UIDs, q.uid) && len(m.Pods) == 1 {
			return false
		}
	}
	if e.Time.IsZero() {
		return true
	}
	if q.pod != nil && !q.pod.created.IsZero() {
		if e.Time.Before(q.pod.created.Add(-5 * time.Second)) {
			return false
		}
		// What removes a name as its next life is created is about the life
		// before; creationTimestamp is cut to whole seconds.
		if strings.Contains(e.Message, "SyncLoop") && !strings.Contains(e.Message, "ADD") && e.Time.Before(q.pod.created.Add(2*time.Second)) {
			return false
		}
	}
	if born, ok := q.s.bornAt[q.uid]; ok && q.pod == nil && len(m.UIDs) == 0 && (e.Time.Before(born) || q.s.addedAfter(i, q.ns, q.name, born)) {
		return false
	}
	// The other way round: a life that the API does not have ended before its
	// namesake was created.
	if q.pod == nil && q.uid != "" && !stranger {
		for _, p := range q.s.podsBy[q.ns+"/"+q.name] {
			if p.object.UID == "" && q.newestLife() {
				continue // a table tells no UID: the row is of this life
			}
			if p.object.UID != q.uid && !p.created.IsZero() && e.Time.After(p.created.Add(2*time.Second)) {
				return false
			}
		}
	}
	return true
}

// addedAfter says whether a kubelet took on a pod of this name, which began at a
// moment, only after the line that tells of the end of such a pod: that was the
// life before. API times are cut to whole seconds, in which a StatefulSet ends one
// life and begins the next.
func (s *scene) addedAfter(i int, ns, name string, born time.Time) bool {
	const cut = 2 * time.Second
	e := &s.tl.Events[i]
	if e.Component != timeline.Kubelet || !strings.Contains(e.Message, "SyncLoop") || strings.Contains(e.Message, "ADD") || e.Time.After(born.Add(cut)) {
		return false
	}
	list := s.byName[ns+"/"+name]
	at, _ := slices.BinarySearch(list, i+1)
	for _, j := range list[at:] {
		later := &s.tl.Events[j]
		if later.Time.After(born.Add(cut)) {
			break
		}
		if later.Component == timeline.Kubelet && later.Node == e.Node && strings.Contains(later.Message, "SyncLoop") && strings.Contains(later.Message, "ADD") {
			return true
		}
	}
	return false
}

// newestLife says whether no later life of the subject's name is known.
func (q *inquest) newestLife() bool {
	if q.newest == nil {
		newest := q.s.uidOf(q.ns, q.name) == q.uid
		q.newest = &newest
	}
	return *q.newest
}

// early says whether an event lies before the deletion was asked for, by the
// API server's clock.
func (q *inquest) early(e *timeline.Event) bool {
	return !q.requested.IsZero() && q.requestFrom != shownTerminating && !e.Time.IsZero() && e.Time.Before(q.requested.Add(-2*time.Second))
}

// collect turns everything that bears on the subject into signals, or what some
// signatures say of it.
func (q *inquest) collect(of ...string) {
	s := q.s
	q.byIndex = map[string]*signal{}
	wanted := func(m *Match) bool { return len(of) == 0 || slices.Contains(of, m.Signature.ID) }
	about := map[int]bool{}
	for _, i := range q.events {
		about[i] = true
		for _, m := range s.matchesOf[i] {
			if wanted(&s.matches[m]) {
				q.gather(&s.matches[m], scopeSubject)
			}
		}
	}
	for i := range s.matches {
		m := &s.matches[i]
		if about[m.Event] || !wanted(m) {
			continue
		}
		if sc := q.scopeOf(m); sc != "" {
			q.gather(m, sc)
		}
	}
	q.seal()
}

// scopeOf says what a match that does not name the subject is to it.
func (q *inquest) scopeOf(m *Match) scope {
	s := q.s
	e := &s.tl.Events[m.Event]
	mentioned := &s.mentioned[m.Event]
	if len(mentioned.UIDs) == 0 && q.mentionsVolume(m, e.Message) {
		return scopeSubject
	}
	if name := m.Keys["node"]; name != "" && q.kind == "Node" {
		if name == q.name {
			return scopeSubject // whoever says it, of whichever pod
		}
		return ""
	}
	switch {
	case e.Node != "" && q.node != nil && e.Node == q.node.name:
		if len(mentioned.UIDs) > 0 || len(mentioned.IDs) > 0 || len(mentioned.Pods) > 0 {
			return scopeNeighbours
		}
		return scopeNode
	case e.Node == "":
		if e.Object().Kind == "Node" {
			if q.node != nil && e.Object().Name == q.node.name {
				return scopeNode
			}
			return ""
		}
		if e.Object().Name != "" || len(mentioned.Pods) > 0 || len(mentioned.UIDs) > 0 {
			return "" // about something else
		}
		return scopeCluster
	}
	return ""
}

// findVolumes collects the names by which lines without a UID call the pod's
// volumes: the persistent volumes behind its claims, and what the kubelet
// called them when it unmounted them.
func (q *inquest) findVolumes() {
	if q.pod != nil {
		for _, v := range q.pod.volumes {
			if v.claim == "" {
				continue
			}
			if pvc := q.s.object("PersistentVolumeClaim", q.ns, v.claim); pvc != nil {
				q.addVolume(stringAt(pvc.Content, "spec", "volumeName"))
			}
		}
	}
	for _, i := range q.events {
		for _, m := range q.s.matchesOf[i] {
			q.addVolume(q.s.matches[m].Keys["volume"])
			q.addVolume(q.s.matches[m].Keys["unique"])
		}
	}
}

// addVolume takes a name that means one volume of the cluster: not "data",
// which any pod may have.
func (q *inquest) addVolume(name string) {
	const telling = 20
	if len(name) >= telling && !strings.Contains(name, q.uid) && !contains(q.volumes, name) && q.uid != "" &&
		!strings.HasPrefix(name, "kube-api-access") && !strings.HasPrefix(name, "default-token") {
		q.volumes = append(q.volumes, name)
	}
}

// mentionsVolume says whether a line is about a volume of the subject.
func (q *inquest) mentionsVolume(m *Match, message string) bool {
	for _, v := range q.volumes {
		if m.Keys["volume"] == v || strings.Contains(message, v) {
			return true
		}
	}
	return false
}
