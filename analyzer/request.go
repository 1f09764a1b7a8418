package analyzer

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// shownTerminating is the poorest witness of a request: it was asked for by
// then.
const shownTerminating = "shown as Terminating"

// killingEvent is the witness that a kubelet began to end the containers.
const killingEvent = "Killing event"

// dateRequest works out when the deletion was asked for, and T0.
//
// deletionTimestamp is request + grace until the kubelet's last delete rewrites
// it (deletion-pipeline §1), so the request is taken from the best witness: the
// audit log, arithmetic while grace is positive, the kubelet's SyncLoop DELETE,
// the Killing event.
func (q *inquest) dateRequest() {
	b := q.s.book
	var timestamp time.Time
	if q.object != nil {
		timestamp = timeAt(q.object.Content, "metadata", "deletionTimestamp")
		if !timestamp.IsZero() {
			q.deadline, q.basis = timestamp, "deletionTimestamp"
			q.requestRefs = append(q.requestRefs, b.object(q.object, "metadata", "deletionTimestamp"))
			if grace := intAt(q.object.Content, "metadata", "deletionGracePeriodSeconds"); grace != nil && *grace > 0 {
				q.grace = time.Duration(*grace) * time.Second
				q.requested, q.requestFrom = timestamp.Add(-q.grace), "deletionTimestamp - grace"
			}
		}
	}
	if at, ok := q.auditDelete(); ok {
		q.requested, q.requestFrom = at, "audit"
	}
	if q.kind != "Pod" {
		if q.requested.IsZero() && !timestamp.IsZero() {
			q.requested, q.requestFrom = timestamp, "deletionTimestamp" // grace 0: stored at the request
		}
		return
	}
	if q.requested.IsZero() {
		q.requestFromLog(timestamp)
	}
	if q.requested.IsZero() && timestamp.IsZero() && q.object != nil && q.object.Ending != nil {
		first := q.object.Ending
		q.requested, q.requestFrom = first.AsOf, shownTerminating
		q.requestRefs = append(q.requestRefs, b.object(first, "status", "displayed"))
	}
	if q.requested.IsZero() && !timestamp.IsZero() {
		// The timestamp was rewritten, or the pod was marked with grace 0.
		q.requested, q.requestFrom = timestamp, "deletionTimestamp"
	}
	if !q.requested.IsZero() && notYetAsked(q.object, q.requested) {
		q.requested, q.requestFrom, q.requestRefs = time.Time{}, "", nil
	}
	if q.deadline.IsZero() && !q.requested.IsZero() {
		q.deadline, q.basis = q.requested, q.requestFrom
		if q.pod != nil && q.requestFrom != "SyncLoop REMOVE" {
			q.deadline = q.requested.Add(time.Duration(q.pod.specGrace) * time.Second)
			q.basis = "request + terminationGracePeriodSeconds"
		}
	}
}

// requestFromLog takes the kubelet's first notice of the deletion, at most so
// much before a rewritten timestamp as a long grace allows.
func (q *inquest) requestFromLog(timestamp time.Time) {
	for _, want := range []struct{ text, also, from string }{
		{"SyncLoop", "DELETE", "SyncLoop DELETE"},
		{"Killing", "", killingEvent},
		{"SyncLoop", "REMOVE", "SyncLoop REMOVE"},
	} {
		for _, i := range q.events {
			e := &q.s.tl.Events[i]
			if e.Time.IsZero() || !strings.Contains(e.Message, want.text) || !strings.Contains(e.Message, want.also) {
				continue
			}
			if want.from == killingEvent && !killsPod(e) {
				continue
			}
			if want.from != killingEvent && e.Component != timeline.Kubelet {
				continue
			}
			if !timestamp.IsZero() && (timestamp.Sub(e.Time) > 2*time.Hour) {
				continue
			}
			at := e.Time
			if !e.First().IsZero() {
				at = e.First()
			}
			q.requested, q.requestFrom = at, want.from
			q.requestRefs = append(q.requestRefs, q.s.book.event(i, ""))
			return
		}
	}
}

// auditDelete finds the first delete of the subject that the API server
// accepted from anybody but the node, and whether it was forced.
func (q *inquest) auditDelete() (time.Time, bool) {
	var at time.Time
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if !deletesByAudit(e) {
			continue
		}
		grace := auditField(e.Message, "grace")
		if grace == "0" && q.kind == "Pod" {
			yes := true
			q.forced, q.forcedAt, q.forcedRef = &yes, e.Time, append(q.forcedRef, q.s.book.event(i, ""))
		}
		if at.IsZero() {
			at = e.Time
			q.requestRefs = append(q.requestRefs, q.s.book.event(i, ""))
			if n, err := strconv.ParseInt(grace, 10, 64); err == nil {
				q.asked = &n
			}
		}
	}
	return at, !at.IsZero()
}

// requestedBy is the audit user of the first delete.
func (q *inquest) requestedBy() string {
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if e.Component == timeline.Audit && auditField(e.Message, "verb") == "delete" && !strings.HasPrefix(auditField(e.Message, "user"), "system:node:") {
			return auditField(e.Message, "user")
		}
	}
	return ""
}

// auditField reads key=value from the one-line form of an audit entry.
func auditField(message, key string) string {
	for _, f := range strings.Fields(message) {
		if k, v, ok := strings.Cut(f, "="); ok && k == key {
			return strings.Trim(v, `"`)
		}
	}
	return ""
}

// masksUIDs says whether the API's pods are shown without their UIDs, so that
// none can be missed by its UID.
func (s *scene) masksUIDs() bool {
	return slices.ContainsFunc(s.objects["Pod"], func(o *timeline.Object) bool {
		return !o.Partial && (o.UID == "" || timeline.Anonymous(o.UID))
	})
}

// overdue is how long after T0 the newest evidence lies; negative before it.
func (q *inquest) overdue() time.Duration {
	if q.deadline.IsZero() {
		return 0
	}
	return q.vantage().Sub(q.deadline)
}

// title is how people name the subject.
func (q *inquest) title() string {
	name := q.name
	if name == "" {
		name = "uid " + q.uid
	}
	if q.ns != "" {
		name = q.ns + "/" + name
	}
	return fmt.Sprintf("%s %s", q.kind, name)
}
