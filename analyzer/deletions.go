package analyzer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// deletesByAudit says whether a line of the audit log is a delete of an object
// itself that the API server accepted from anybody but the node.
func deletesByAudit(e *timeline.Event) bool {
	if e.Component != timeline.Audit || auditField(e.Message, "verb") != "delete" || strings.HasPrefix(auditField(e.Message, "user"), "system:node:") {
		return false
	}
	if code, _ := strconv.Atoi(auditField(e.Message, "code")); code >= 400 {
		return false
	}
	sub := auditField(e.Message, "resource")
	return !strings.Contains(sub, "/") || strings.HasSuffix(sub, "/")
}

// killsPod says whether an event tells that the kubelet ends a pod's container,
// and not to start it again.
func killsPod(e *timeline.Event) bool {
	return e.Component == timeline.APIEvent && strings.HasPrefix(e.Message, "Killing") && !strings.Contains(e.Message, "restarted")
}

// syncLoop says whether a kubelet's line tells of an operation of its loop:
// ADD, DELETE, REMOVE.
func syncLoop(e *timeline.Event, op string) bool {
	return e.Component == timeline.Kubelet && strings.Contains(e.Message, "SyncLoop") && strings.Contains(e.Message, op)
}

// noteDeletions marks the lives whose deletion some line tells of: by the same
// witnesses that date a request. Of a pod whose UID nothing tells, the name is
// the life.
func (s *scene) noteDeletions(get func(uid, ns, name string) *life) {
	for i := range s.tl.Events {
		e := &s.tl.Events[i]
		if !deletesByAudit(e) && !killsPod(e) && !syncLoop(e, "DELETE") {
			continue
		}
		for _, p := range s.mentioned[i].Pods {
			uid := p.UID
			if uid == "" {
				uid = s.uidIn(i, p.Namespace, p.Name)
			}
			l := get(uid, p.Namespace, p.Name)
			if e.Component == timeline.Kubelet && l.node == "" {
				l.node = e.Node
			}
			l.deleted, l.deletedAt = true, latest(l.deletedAt, e.Time)
		}
	}
}

// lookBack moves the beginning of the lives that nothing but lines date: a pod
// may be older than the log, and the first lines about it name it without its UID.
// They are of the life that follows, unless the kubelet took the name on, or
// somebody made it, in between, or they stand beyond another life's.
func (s *scene) lookBack() {
	dated := map[string]bool{} // something else than a line tells when it began
	for uid, p := range s.pods {
		dated[uid] = !p.created.IsZero()
	}
	for i := range s.tl.Sandboxes {
		if sb := &s.tl.Sandboxes[i]; !sb.CreatedAt.IsZero() {
			dated[sb.PodUID] = true
		}
	}
	for key, list := range s.byName {
		ns, name, _ := strings.Cut(key, "/")
		before := -1 // the life of the line before in the list, whatever names it
		for at, i := range list {
			uid := s.uidNamed(i, ns, name)
			if uid == "" {
				continue
			}
			if before != at-1 && !dated[uid] {
				s.lookBackFrom(uid, list[before+1:at])
			}
			before = at
		}
	}
}

// lookBackFrom moves a beginning to the earliest of lines that bear on it.
func (s *scene) lookBackFrom(uid string, list []int) {
	born := s.bornAt[uid]
	node := s.nodeIn(s.byUID[uid])
	for n := len(list) - 1; n >= 0; n-- {
		e := &s.tl.Events[list[n]]
		if syncLoop(e, "ADD") || e.Component == timeline.Audit && auditField(e.Message, "verb") == "create" {
			return
		}
		ends := deletesByAudit(e) || (node == "" || e.Node == node) && (syncLoop(e, "DELETE") || syncLoop(e, "REMOVE"))
		if ends && !e.Time.IsZero() && e.Time.Before(born) {
			born = e.Time
			s.bornAt[uid] = born
		}
	}
}

// uidNamed is the UID that a line tells of a name.
func (s *scene) uidNamed(event int, ns, name string) string {
	m := &s.mentioned[event]
	for _, p := range m.Pods {
		if p.Namespace == ns && p.Name == name && p.UID != "" {
			return p.UID
		}
	}
	if len(m.UIDs) == 1 && len(m.Pods) == 1 {
		return m.UIDs[0]
	}
	return ""
}

// notYetAsked says whether the object was dumped after a moment and was not in
// deletion: what was asked for before was of another life, or was refused. Of a
// pod whose containers have all ended, kubectl's tables and descriptions do not
// tell that it is in deletion.
func notYetAsked(o *timeline.Object, at time.Time) bool {
	if o == nil || terminating(o) || at.After(o.AsOf) {
		return false
	}
	return !o.Partial || !slices.Contains(ended, cmp.Or(stringAt(o.Content, "status", "displayed"), stringAt(o.Content, "status", "phase")))
}

// ended are the words by which kubectl shows that all containers of a pod have.
var ended = []string{"Succeeded", "Failed", "Completed", "Error", "OOMKilled", "Evicted", "ContainerStatusUnknown"}

// heardOfNoMore says whether an event of the pod's killing is the last of it:
// that is how an ordinary end looks where nobody dumped the API afterwards.
func (q *inquest) heardOfNoMore() bool {
	if q.requestFrom != killingEvent || len(q.s.traces[q.uid]) > 0 && q.uid != "" {
		return false
	}
	for _, i := range q.events {
		if e := &q.s.tl.Events[i]; !e.Time.Before(q.requested) && !killsPod(e) {
			return false
		}
	}
	return true
}

// unheard takes back a part of an all-clear: pods that a kubelet was ending when
// the evidence heard of them last.
func (s *scene) unheard() string {
	var names []string
	for _, l := range s.lives() {
		if !l.deleted || l.name == "" || l.static || s.pods[l.uid] != nil || l.uid == "" && len(s.podsBy[l.ns+"/"+l.name]) > 0 {
			continue
		}
		q := &inquest{s: s, kind: "Pod", ns: l.ns, name: l.name, uid: l.uid, node: s.node(l.node), nameOf: map[string]string{}}
		q.attribute()
		q.dateRequest()
		q.notice()
		if q.deletionSeen() && q.heardOfNoMore() && (q.inAPI == nil || *q.inAPI) && !contains(names, l.ns+"/"+l.name) {
			names = append(names, l.ns+"/"+l.name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	more := ""
	if n := len(names) - 3; n > 0 {
		names, more = names[:3], fmt.Sprintf(" and %d more", n)
	}
	return fmt.Sprintf(" But a kubelet was ending %s%s, and whether that came to its end cannot be told.", strings.Join(names, ", "), more)
}

// rowOf is the row of a table, which tells no UID, that shows a life; nil where
// none does.
func (s *scene) rowOf(l *life) *timeline.Object {
	if l.uid != "" && s.uidOf(l.ns, l.name) != l.uid {
		return nil
	}
	for _, p := range s.podsBy[l.ns+"/"+l.name] {
		if p.object.UID == "" {
			return p.object
		}
	}
	return nil
}
