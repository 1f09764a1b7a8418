package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// htmlEvent is one row of a subject's list of events, and a mark in its lanes.
type htmlEvent struct {
	ID      string
	Home    string // the row's own name in the page, "" where the evidence stands elsewhere
	Href    string
	Class   string // what the verdict makes of it: root, blocking, consequence, ruled-out, cited
	T0      string
	Clock   string
	Lane    string
	Who     string
	Count   string
	What    string
	Quote   []words
	Place   string
	Guessed bool
	Clocked string // what was done to its time, or should be

	at       *time.Time
	lane     lane
	line     bool // a moment of the deletion itself, drawn over all lanes
	state    bool // seen in a dump, not said at a time
	title    string
	evidence *analyzer.Evidence
}

// eventsOf lists what the report knows of a subject in the order of time: the
// moments of its timeline, then evidence that stands in none.
func (h *htmlPage) eventsOf(s *analyzer.Subject, most int) (events []*htmlEvent, left int) {
	v := h.view
	roles := rolesOf(s)
	day := v.dayClock(s)
	listed := map[string]bool{}
	for i := range v.doc.Timeline {
		m := &v.doc.Timeline[i]
		about := slices.IndexFunc(m.Subjects, func(x analyzer.SubjectMoment) bool { return x.ID == s.ID })
		if about < 0 && len(m.Subjects) > 0 || !v.opt.shows(m.Time) {
			continue
		}
		e := v.evidence[value(m.Evidence)]
		ev := &htmlEvent{
			What: h.cut(m.What), Who: clip(speaker(m.Node, m.Component), 120), Guessed: m.Inferred, Clock: "no time",
			at: m.Time, evidence: e, lane: laneOf(m.Component, nil), line: m.Inferred && e == nil,
		}
		ev.Clocked = strings.Trim(corrected(m), " ()")
		if about >= 0 {
			ev.T0 = fromT0(bounded(m.Subjects[about].SinceT0Seconds))
		}
		if m.Time != nil {
			ev.Clock = day.short(*m.Time, 0)
		}
		if e != nil {
			listed[e.ID] = true
			if m.Time != nil {
				ev.Clock = day.short(*m.Time, e.PrecisionSeconds)
			}
		}
		events = append(events, ev)
	}
	cited, _ := v.shownEvidence(s, 0)
	for _, e := range cited {
		if listed[e.ID] {
			continue
		}
		ev := &htmlEvent{Who: clip(speaker(e.Node, e.Component), 120), at: e.ByAPI(), evidence: e, state: observed(e.Component)}
		ev.Clock, ev.T0 = v.when(s, e, day)
		ev.Clocked = itsClock(e)
		if ev.state && ev.at == nil {
			ev.at = v.doc.Bundle.CapturedAt
		}
		events = append(events, ev)
	}
	for _, ev := range events {
		if e := ev.evidence; e != nil {
			ev.ID = clip(e.ID, 40)
			ev.lane = laneOf(e.Component, e.Signature)
			ev.Class = roles[e.ID]
			ev.Place = clip(place(e), 400)
			ev.Count = times(e)
			if ev.What == "" {
				ev.What = clip(strings.ReplaceAll(value(e.Signature), "-", " "), 100)
			}
		}
		ev.Lane = ev.lane.String()
	}
	events, left = h.most(s, events, most)
	slices.SortStableFunc(events, func(a, b *htmlEvent) int {
		switch {
		case a.at == nil && b.at == nil:
			return 0
		case a.at == nil:
			return 1
		case b.at == nil:
			return -1
		}
		return a.at.Compare(*b.at)
	})
	return events, left
}

// counts says how many events are shown, and where the others are.
func (h *htmlPage) counts(s *analyzer.Subject, shown, left int) string {
	told := 0 // by the report's timeline
	for _, m := range h.view.doc.Timeline {
		if slices.ContainsFunc(m.Subjects, func(x analyzer.SubjectMoment) bool { return x.ID == s.ID }) {
			told++
		}
	}
	of := shown + left + max(0, s.Moments-told)
	switch {
	case of == shown:
		return plural(shown, "event")
	case of == shown+left:
		return fmt.Sprintf("%d of %d events; the others are in the JSON report", shown, of)
	}
	return fmt.Sprintf("%d of %d events; podautopsy timeline BUNDLE -o ndjson writes all of them", shown, of)
}

// most keeps as many events as the page has room for: those that the verdict
// stands on, then those nearest to T0.
func (h *htmlPage) most(s *analyzer.Subject, events []*htmlEvent, n int) ([]*htmlEvent, int) {
	if len(events) <= n {
		return events, 0
	}
	far := func(e *htmlEvent) time.Duration {
		if e.at == nil || s.Anchor == nil {
			return 0
		}
		return e.at.Sub(s.Anchor.Time).Abs()
	}
	weight := map[string]int{"": 5, "cited": 4, analyzer.RoleRuledOut: 3, analyzer.RoleConsequence: 2, analyzer.RoleBlocking: 1}
	slices.SortStableFunc(events, func(a, b *htmlEvent) int {
		wa, wb := weight[a.Class], weight[b.Class]
		if a.line {
			wa = 0
		}
		if b.line {
			wb = 0
		}
		return cmp.Or(cmp.Compare(wa, wb), cmp.Compare(far(a), far(b)))
	})
	return events[:n], len(events) - n
}

// settle gives every event its place in the page, quotes it there, and names
// it for the lanes.
func (h *htmlPage) settle(events []*htmlEvent) {
	for _, ev := range events {
		e := ev.evidence
		if e == nil {
			continue
		}
		if h.homes[e.ID] == nil {
			h.homes[e.ID] = e
			ev.Home = anchorName(e.ID)
			ev.Quote = oneQuote(e, h.amount.quote)
		} else if ev.What == "" { // what a state showed needs no words but its own
			ev.Quote = oneQuote(e, min(h.amount.quote, 160))
		}
		ev.Href = h.href(e.ID)
		what := ev.What
		if what == "" {
			what = shorten(quote(firstLine(message(e))), 60, "…")
		}
		ev.title = strings.Join(strings.Fields(ev.ID+" "+cmp.Or(ev.T0, ev.Clock)+" "+ev.Who), " ") + ": " + head(what, 90)
	}
}

// itsClock warns of a time that stands as a wrong clock gave it.
func itsClock(e *analyzer.Evidence) string {
	if e.ClockAheadSeconds == 0 {
		return ""
	}
	return "its clock " + ahead(e.ClockAheadSeconds)
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}

// rolesOf is what the verdict makes of each piece of evidence; the root's
// comes before all others.
func rolesOf(s *analyzer.Subject) map[string]string {
	out := map[string]string{}
	mark := func(ids []string, role string) {
		for _, id := range ids {
			if out[id] == "" {
				out[id] = role
			}
		}
	}
	for _, role := range []string{analyzer.RoleRoot, analyzer.RoleBlocking, analyzer.RoleConsequence} {
		for _, c := range causesOf(s, role) {
			mark(c.For, role)
		}
	}
	mark(s.Evidence, "cited")
	for _, c := range causesOf(s, analyzer.RoleRuledOut) {
		mark(c.For, analyzer.RoleRuledOut)
		mark(c.Against, analyzer.RoleRuledOut)
	}
	return out
}
