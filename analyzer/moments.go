package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// mostMoments bounds a report's timeline; what it leaves out is in the whole
// one, which exports are given.
const mostMoments = 2000

// told is one line of a log as a moment of some subjects.
type told struct {
	event     int
	signature string // "" of a line that only names the subject
	subjects  []int
}

// tells says whether a signal is a part of its subject's story.
func (f *finding) tells(sg *signal) bool {
	switch {
	case sg.polarity == Noise, sg.scope == scopeNeighbours:
		return false
	case sg.scope == scopeSubject:
		return true
	}
	return sg.polarity == Failure && (f.outcome == Stuck || f.outcome == Residue)
}

// stories are the lines that findings rest on: of those that repeat the first
// and the last few, or all of them and whatever else names a subject.
func (s *scene) stories(findings []*finding, all bool) []*told {
	byEvent := map[int]*told{}
	var out []*told
	for i, f := range findings {
		tell := func(events []int, signature string) {
			for _, at := range events {
				t := byEvent[at]
				if t == nil {
					if s.tl.Events[at].Time.IsZero() {
						continue
					}
					t = &told{event: at, signature: signature}
					byEvent[at] = t
					out = append(out, t)
				}
				if n := len(t.subjects); n == 0 || t.subjects[n-1] != i {
					t.subjects = append(t.subjects, i)
				}
			}
		}
		for _, sg := range f.q.signals {
			switch {
			case !f.tells(sg):
			case all:
				tell(sg.events, sg.id)
			default:
				tell(edges(sg.events), sg.id)
			}
		}
		if all {
			tell(f.q.events, "")
		}
	}
	return out
}

// moments is the report's timeline: what the signatures understood about the
// subjects and their nodes, and the moments that were worked out.
func (s *scene) moments(doc *Document, findings []*finding) []Moment {
	s.count(doc, findings)
	stories := s.stories(findings, false)
	entries := s.inOrder(doc, findings, stories)
	if len(entries) > mostMoments {
		entries = nearest(entries)
	}
	// Ids follow the order in which the stories were found.
	kept := make(map[*told]*entry, len(entries))
	for i := range entries {
		kept[entries[i].told] = &entries[i]
	}
	for _, t := range stories {
		if e := kept[t]; e != nil {
			e.Evidence = s.citing(t)
		}
	}
	return momentsOf(entries)
}

// wholeStory is every line that concerns the subjects.
func (s *scene) wholeStory(doc *Document, findings []*finding) *Whole {
	entries := s.inOrder(doc, findings, s.stories(findings, true))
	for i := range entries {
		if t := entries[i].told; t != nil {
			entries[i].Evidence = s.citing(t)
		}
	}
	more := Document{Timeline: momentsOf(entries), Evidence: s.book.list()[len(doc.Evidence):]}
	more.restore(s.tl.StandIns)
	return &Whole{more.Timeline, slices.Concat(doc.Evidence, more.Evidence)}
}

// entry is a moment and the line that tells it; nil where it was worked out.
type entry struct {
	Moment
	*told
}

func momentsOf(entries []entry) []Moment {
	out := make([]Moment, len(entries))
	for i := range entries {
		out[i] = entries[i].Moment
	}
	return out
}

// inOrder are stories as moments, without their evidence, and what was worked
// out, in the order of time.
func (s *scene) inOrder(doc *Document, findings []*finding, stories []*told) []entry {
	out := make([]entry, 0, len(stories)+2*len(findings))
	for _, t := range stories {
		out = append(out, entry{s.moment(doc, t), t})
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Compare(a.event, b.event) })
	for i, f := range findings {
		for _, m := range s.inferredMoments(&doc.Subjects[i], f.q) {
			out = append(out, entry{m, nil})
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return a.Time.Compare(*b.Time) })
	return out
}

// moment is what a line tells.
func (s *scene) moment(doc *Document, t *told) Moment {
	e := &s.tl.Events[t.event]
	m := Moment{
		Time: moment(e.Time), ClockAheadSeconds: e.Ahead.Seconds(), Node: word(e.Node), Component: e.Component,
		What: what(e.Message, t.signature, s.catalogue), Subjects: []SubjectMoment{},
	}
	for _, i := range t.subjects {
		if sub := &doc.Subjects[i]; sub.Anchor != nil {
			m.Subjects = append(m.Subjects, SubjectMoment{ID: sub.ID, SinceT0Seconds: m.Time.Sub(sub.Anchor.Time).Seconds()})
		}
	}
	return m
}

func (s *scene) citing(t *told) *string {
	return &s.book.cite([]ref{s.book.event(t.event, t.signature)})[0]
}

// count says of every subject how many moments the whole timeline has.
func (s *scene) count(doc *Document, findings []*finding) {
	counted := make([]int, len(s.tl.Events)) // for which subject, from 1
	for i, f := range findings {
		n := len(s.inferredMoments(&doc.Subjects[i], f.q))
		add := func(events []int) {
			for _, at := range events {
				if counted[at] != i+1 && !s.tl.Events[at].Time.IsZero() {
					counted[at] = i + 1
					n++
				}
			}
		}
		for _, sg := range f.q.signals {
			if f.tells(sg) {
				add(sg.events)
			}
		}
		add(f.q.events)
		doc.Subjects[i].Moments = n
	}
}

// edges are the first and the last few of a run of equal lines.
func edges(events []int) []int {
	const head, tail = 2, 3
	if len(events) <= head+tail {
		return events
	}
	return append(slices.Clone(events[:head]), events[len(events)-tail:]...)
}

// inferredMoments are T0 and the request, which no line says.
func (s *scene) inferredMoments(sub *Subject, q *inquest) []Moment {
	var out []Moment
	add := func(t time.Time, text string) {
		if t.IsZero() || sub.Anchor == nil {
			return
		}
		out = append(out, Moment{
			Time: moment(t), Component: "podautopsy", What: text, Inferred: true,
			Subjects: []SubjectMoment{{ID: sub.ID, SinceT0Seconds: t.Sub(sub.Anchor.Time).Seconds()}},
		})
	}
	add(q.requested, "deletion of "+q.title()+" requested (from "+q.requestFrom+")")
	if !q.deadline.Equal(q.requested) {
		add(q.deadline, "T0: deadline of "+q.title()+" ("+q.basis+")")
	}
	return out
}

// nearest keeps the moments that lie nearest to a T0.
func nearest(entries []entry) []entry {
	distance := func(m *Moment) float64 {
		best := 1e18
		for _, s := range m.Subjects {
			best = min(best, max(s.SinceT0Seconds, -s.SinceT0Seconds))
		}
		return best
	}
	kept := slices.Clone(entries)
	slices.SortStableFunc(kept, func(a, b entry) int { return cmp.Compare(distance(&a.Moment), distance(&b.Moment)) })
	kept = kept[:mostMoments]
	slices.SortStableFunc(kept, func(a, b entry) int { return a.Time.Compare(*b.Time) })
	return kept
}

// what says in a few words what a line means; the line itself is evidence.
func what(message, signature string, c *Catalogue) string {
	if sg := c.Lookup(signature); sg != nil {
		meaning, _, _ := strings.Cut(sg.Meaning, ". ")
		return strings.TrimSuffix(oneLine(meaning), ".")
	}
	return oneLine(message)
}
