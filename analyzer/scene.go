package analyzer

import (
	"path"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// scene is everything known of the bundle, indexed for the inquests.
type scene struct {
	tl        *timeline.Timeline
	catalogue *Catalogue
	defects   []*Defect
	matches   []Match
	book      *book
	now       time.Time // the newest moment that the bundle vouches for
	dumped    time.Time // ... that an object of a dump does

	cut map[string]int // files that are not whole, by the line after which; 0 where nobody tells

	mentioned []timeline.Mentioned // by event
	byUID     map[string][]int     // events that mention a pod UID
	byID      map[string][]int     // ... a container or sandbox, by the first 12 digits
	byName    map[string][]int     // ... a pod, by "namespace/name"
	matchesOf map[int][]int        // matches by event
	unwanted  []int                // matches in which a kubelet tells of a pod that it has from no source
	speaking  []int                // events of controllers and people, whose forms of names Mentions does not know

	bornAt  map[string]time.Time // the earliest sign of each UID
	podOf   map[string]string    // UID by runtime id (first 12 digits), where some evidence ties them
	pods    map[string]*pod      // by UID
	podsBy  map[string][]*pod    // by "namespace/name"
	uidsBy  map[string][]string  // that such a name is shown with, where it was asked for
	nodes   map[string]*node     // by name
	objects map[string][]*timeline.Object

	traces      map[string][]trace           // of pods, by UID
	astray      map[string][]trace           // of no pod that is known, by node
	netnsOf     map[string]string            // UID by node and network namespace
	sandboxIDs  map[string]bool              // by the first 12 digits
	listings    map[string]*timeline.Listing // complete ones of a node, by kind and node; nil: none
	nodeOfFile  map[string]string
	folderOf    map[string]string    // by file
	newestIn    map[string]time.Time // that the dumps of a folder show
	newestAbove map[string]time.Time // ... those of the folders in one
	forced      map[string]bool      // UIDs, once asked
}

// Scene is a timeline with what is found in it whoever is asked about: what each
// line mentions and means, the pods, the nodes. It is asked whom the timeline is
// about, and then judged, without all being found again.
type Scene struct{ scene *scene }

// Scene finds it.
func (c *Catalogue) Scene(tl *timeline.Timeline) *Scene { return &Scene{newScene(tl, c)} }

// of is the scene of a timeline; a new one if that is another's.
func (seen *Scene) of(tl *timeline.Timeline, catalogue *Catalogue) *scene {
	if seen == nil || seen.scene.tl != tl || seen.scene.catalogue != catalogue {
		return newScene(tl, catalogue)
	}
	return seen.scene.uncited()
}

// uncited is the scene with a book of its own, so that no report has what another
// one cited.
func (s *scene) uncited() *scene {
	own := *s
	own.book = newBook(s.tl)
	own.book.fits = s.fits
	return &own
}

// fits is the text of an event that a signature fits.
func (s *scene) fits(event int, signature string) string {
	for _, m := range s.matchesOf[event] {
		if s.matches[m].Signature.ID == signature {
			return s.matches[m].Text
		}
	}
	return ""
}

// shortID is how short a runtime id may get in tools' tables.
const shortID = 12

func newScene(tl *timeline.Timeline, catalogue *Catalogue) *scene {
	s := &scene{
		tl: tl, catalogue: catalogue, book: newBook(tl), now: tl.CapturedAt,
		mentioned: make([]timeline.Mentioned, len(tl.Events)),
		byUID:     map[string][]int{}, byID: map[string][]int{}, byName: map[string][]int{},
		matchesOf: map[int][]int{}, podOf: map[string]string{}, bornAt: map[string]time.Time{}, pods: map[string]*pod{}, podsBy: map[string][]*pod{}, uidsBy: map[string][]string{},
		nodes: map[string]*node{}, objects: map[string][]*timeline.Object{},
		sandboxIDs: map[string]bool{}, listings: map[string]*timeline.Listing{}, nodeOfFile: map[string]string{},
		folderOf: map[string]string{}, newestIn: map[string]time.Time{}, newestAbove: map[string]time.Time{},
	}
	for i := range tl.Inputs {
		s.folderOf[tl.Inputs[i].Path] = tl.Inputs[i].Folder
		s.nodeOfFile[tl.Inputs[i].Path] = tl.Inputs[i].Node
	}
	for i := range tl.Sandboxes {
		if id := tl.Sandboxes[i].ID; len(id) >= shortID {
			s.sandboxIDs[id[:shortID]] = true
		}
	}
	for i := range tl.Events {
		e := &tl.Events[i]
		m := timeline.Mentions(e.Message)
		if of := e.Object(); of.Kind == "Pod" {
			if of.UID != "" && !contains(m.UIDs, of.UID) {
				m.UIDs = append(m.UIDs, of.UID)
			}
			if of.Name != "" {
				m.Pods = append(m.Pods, timeline.PodName{Namespace: of.Namespace, Name: of.Name, UID: of.UID})
			}
		}
		s.mentioned[i] = m
	}
	s.matches = catalogue.Match(tl.Events)
	for i := range s.matches {
		at := s.matches[i].Event
		s.matchesOf[at] = append(s.matchesOf[at], i)
		if contains(unwanted, s.matches[i].Signature.ID) {
			s.unwanted = append(s.unwanted, i)
		}
	}
	for _, o := range tl.Objects {
		s.objects[o.Kind] = append(s.objects[o.Kind], o)
		s.dumped = latest(s.dumped, o.AsOf)
		if folder := s.folderOf[o.Source.File]; !o.Partial { // a table is dated by a guess
			s.newestIn[folder] = latest(s.newestIn[folder], o.AsOf)
			above := path.Dir(folder)
			s.newestAbove[above] = latest(s.newestAbove[above], o.AsOf)
		}
		if o.Kind == "Pod" {
			p := podFrom(o)
			if o.UID != "" {
				s.pods[o.UID] = p
			}
			name := o.Namespace + "/" + o.Name
			s.podsBy[name] = append(s.podsBy[name], p)
		}
	}
	s.book.fits = s.fits
	s.indexMentions()
	s.tieIDs()
	s.dateBirths()
	s.readNodes()
	s.findTraces()
	s.findHoles()
	return s
}

// indexMentions finds the events of each pod, container and sandbox. Volumes
// and other objects have UUIDs in their names, too: only those count that some
// evidence shows to be a pod's.
func (s *scene) indexMentions() {
	pods := map[string]bool{}
	for uid := range s.pods {
		pods[uid] = true
	}
	for i := range s.tl.Containers {
		pods[s.tl.Containers[i].PodUID] = true
	}
	for i := range s.tl.Sandboxes {
		pods[s.tl.Sandboxes[i].PodUID] = true
	}
	for i := range s.matches {
		pods[s.matches[i].Keys["uid"]] = true
	}
	for i := range s.mentioned {
		for _, p := range s.mentioned[i].Pods {
			pods[p.UID] = true
		}
		if len(s.mentioned[i].UIDs) > 0 && strings.Contains(s.tl.Events[i].Message, "podUID=") {
			pods[s.mentioned[i].UIDs[0]] = true
		}
	}
	for i := range s.tl.Events {
		if freeSpeech(s.tl.Events[i].Component) {
			s.speaking = append(s.speaking, i)
		}
	}
	for i := range s.mentioned {
		m := &s.mentioned[i]
		m.UIDs = slices.DeleteFunc(m.UIDs, func(uid string) bool { return !pods[uid] })
		for _, uid := range m.UIDs {
			s.byUID[uid] = append(s.byUID[uid], i)
		}
		for _, id := range m.IDs {
			s.byID[id[:shortID]] = append(s.byID[id[:shortID]], i)
		}
		for _, p := range m.Pods {
			name := p.Namespace + "/" + p.Name
			s.byName[name] = append(s.byName[name], i)
		}
	}
}

// tieIDs finds out which pod each container and sandbox is of. A runtime id is
// of one pod for ever, so one witness is enough for every row and line that
// names the id alone.
func (s *scene) tieIDs() {
	tie := func(id, uid string) {
		if len(id) >= shortID && uid != "" && s.podOf[id[:shortID]] == "" {
			s.podOf[id[:shortID]] = uid
		}
	}
	for uid, p := range s.pods {
		for _, c := range p.containers {
			tie(c.id, uid)
		}
	}
	for i := range s.tl.Sandboxes {
		tie(s.tl.Sandboxes[i].ID, s.tl.Sandboxes[i].PodUID)
	}
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		tie(c.ID, c.PodUID)
		tie(c.SandboxID, c.PodUID)
	}
	for i := range s.mentioned {
		m := &s.mentioned[i]
		if len(m.UIDs) == 1 && (len(m.IDs) == 1 || len(m.IDs) == 2) {
			for _, id := range m.IDs {
				tie(id, m.UIDs[0])
			}
		}
	}
	// Rows without a UID get their sandbox's, and the other way round.
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if c.PodUID == "" {
			c.PodUID = s.uidOfID(c.ID, c.SandboxID)
		}
		tie(c.ID, c.PodUID)
	}
	for i := range s.tl.Sandboxes {
		sb := &s.tl.Sandboxes[i]
		if sb.PodUID == "" {
			sb.PodUID = s.uidOfID(sb.ID)
		}
	}
}

// dateBirths finds the earliest sign of each UID: a line that names a pod by
// name alone, before that, is about an earlier life of the name.
func (s *scene) dateBirths() {
	note := func(uid string, t time.Time) {
		if uid == "" || t.IsZero() {
			return
		}
		if old, ok := s.bornAt[uid]; !ok || t.Before(old) {
			s.bornAt[uid] = t
		}
	}
	for uid, list := range s.byUID {
		for _, i := range list {
			note(uid, s.tl.Events[i].Time)
		}
	}
	s.lookBack()
	for i := range s.tl.Containers {
		note(s.tl.Containers[i].PodUID, s.tl.Containers[i].CreatedAt)
	}
	for i := range s.tl.Sandboxes {
		note(s.tl.Sandboxes[i].PodUID, s.tl.Sandboxes[i].CreatedAt)
	}
	for i := range s.tl.PodLogs {
		note(s.tl.PodLogs[i].PodUID, s.tl.PodLogs[i].First)
	}
	for uid, p := range s.pods {
		note(uid, p.created)
	}
}

// uidOfID is the pod that one of the ids is of; "" if nothing tells.
func (s *scene) uidOfID(ids ...string) string {
	for _, id := range ids {
		if len(id) >= shortID {
			if uid := s.podOf[id[:shortID]]; uid != "" {
				return uid
			}
		}
	}
	return ""
}

// freeSpeech says whether a component writes names in a way of its own: a
// controller, or a person.
func freeSpeech(component string) bool {
	switch component {
	case timeline.Kubelet, timeline.Containerd, timeline.CRIO, timeline.Dockerd, timeline.Kernel, timeline.Systemd, timeline.Journald, timeline.APIEvent, timeline.Audit:
		return false
	}
	return true
}

// sameID compares runtime ids, either of which may be shortened.
func sameID(a, b string) bool {
	if len(a) < shortID || len(b) < shortID {
		return false
	}
	n := min(len(a), len(b))
	return a[:n] == b[:n]
}

// object finds an object by kind and name; nil if the bundle lacks it.
func (s *scene) object(kind, namespace, name string) *timeline.Object {
	for _, o := range s.objects[kind] {
		if o.Name == name && (o.Namespace == namespace || namespace == "") {
			return o
		}
	}
	return nil
}

// listed says whether a complete listing of kind covers the namespace ("" for
// objects without one) and when it was taken at the latest.
func (s *scene) listed(kind, namespace string) (timeline.Listing, bool) {
	var best timeline.Listing
	found := false
	for _, l := range s.tl.Listings {
		if l.Kind != kind || l.Incomplete {
			continue
		}
		if namespace != "" && !l.AllNamespaces && l.Namespace != namespace && !slices.Contains(l.Namespaces, namespace) {
			continue
		}
		if !found || l.AsOf.After(best.AsOf) {
			best, found = l, true
		}
	}
	return best, found
}

// dated gives a dump that shows no time, as an empty one, the newest that those
// show which were taken with it: in its folder, else in the folders beside that.
func (s *scene) dated(l timeline.Listing) timeline.Listing {
	if l.AsOf.IsZero() && l.Kind != "" {
		folder := s.folderOf[l.Source.File]
		if l.AsOf = s.newestIn[folder]; l.Items == 0 && folder != "" {
			l.AsOf = latest(l.AsOf, s.newestAbove[path.Dir(folder)])
		}
	}
	return l
}

// collected is when a dump had been taken: no earlier than the newest that it
// shows, and those that lie beside it, which were taken with it. Zero: not known.
func (s *scene) collected(l timeline.Listing) time.Time {
	if l.AsOf.IsZero() {
		return time.Time{}
	}
	return latest(l.AsOf, s.newestIn[s.folderOf[l.Source.File]])
}

// dumpedAt is when the dump that has an object had been taken: the object itself
// shows only that it is no older.
func (s *scene) dumpedAt(o *timeline.Object) time.Time {
	at := o.AsOf
	for _, l := range s.tl.Listings {
		if l.Source.File == o.Source.File {
			at = latest(at, l.AsOf)
		}
	}
	return s.collected(timeline.Listing{AsOf: at, Source: o.Source})
}

// absent says whether the API was asked and answered that the object does not
// exist, and what shows it.
func (s *scene) absent(kind, namespace, name string) (ref, bool) {
	for i := range s.tl.Absents {
		a := &s.tl.Absents[i]
		if strings.EqualFold(a.Ref.Kind, kind) && a.Ref.Name == name && (a.Ref.Namespace == "" || namespace == "" || a.Ref.Namespace == namespace) {
			ev := evidenceAt(a.Source, nil, a.Text)
			ev.Time, ev.Component = moment(a.AsOf), "kubectl"
			return s.book.put(ev), true
		}
	}
	if s.object(kind, namespace, name) != nil {
		return 0, false
	}
	if l, ok := s.listed(kind, namespace); ok {
		ev := evidenceAt(l.Source, nil, l.Text)
		ev.Time, ev.Component = moment(l.AsOf), "api-object"
		return s.book.put(ev), true
	}
	return 0, false
}
