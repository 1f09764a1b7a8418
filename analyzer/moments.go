package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// mostMoments bounds the report's timeline; exports of everything are for the
// timeline command.
const mostMoments = 400

// moments is the report's timeline: what the signatures understood about the
// subjects and their nodes, and the moments that were worked out.
func (s *scene) moments(doc *Document, findings []*finding) []Moment {
	byEvent := map[int]*Moment{}
	var inferred []Moment
	for i, f := range findings {
		sub := &doc.Subjects[i]
		for _, sg := range f.q.signals {
			if sg.polarity == Noise || (sg.scope != scopeSubject && sg.polarity != Failure) || sg.scope == scopeNeighbours {
				continue
			}
			if sg.scope != scopeSubject && f.outcome != Stuck && f.outcome != Residue {
				continue
			}
			for _, at := range edges(sg.events) {
				m := byEvent[at]
				if m == nil {
					e := &s.tl.Events[at]
					if e.Time.IsZero() {
						continue
					}
					m = &Moment{Time: moment(e.Time), ClockAheadSeconds: e.Ahead.Seconds(), Node: word(e.Node), Component: e.Component, What: what(e.Message, sg.id, s.catalogue), Subjects: []SubjectMoment{}}
					byEvent[at] = m
					id := s.book.cite([]ref{s.book.event(at, sg.id)})
					m.Evidence = &id[0]
				}
				if sub.Anchor != nil && !slices.ContainsFunc(m.Subjects, func(x SubjectMoment) bool { return x.ID == sub.ID }) {
					m.Subjects = append(m.Subjects, SubjectMoment{ID: sub.ID, SinceT0Seconds: m.Time.Sub(sub.Anchor.Time).Seconds()})
				}
			}
		}
		inferred = append(inferred, s.inferredMoments(sub, f.q)...)
	}
	moments := make([]Moment, 0, len(byEvent)+len(inferred))
	indexes := make([]int, 0, len(byEvent))
	for at := range byEvent {
		indexes = append(indexes, at)
	}
	slices.Sort(indexes)
	for _, at := range indexes {
		moments = append(moments, *byEvent[at])
	}
	moments = append(moments, inferred...)
	slices.SortStableFunc(moments, func(a, b Moment) int { return a.Time.Compare(*b.Time) })
	if len(moments) > mostMoments {
		moments = nearest(moments)
	}
	return moments
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
func nearest(moments []Moment) []Moment {
	distance := func(m Moment) float64 {
		best := 1e18
		for _, s := range m.Subjects {
			best = min(best, max(s.SinceT0Seconds, -s.SinceT0Seconds))
		}
		return best
	}
	kept := slices.Clone(moments)
	slices.SortStableFunc(kept, func(a, b Moment) int { return cmp.Compare(distance(a), distance(b)) })
	kept = kept[:mostMoments]
	slices.SortStableFunc(kept, func(a, b Moment) int { return a.Time.Compare(*b.Time) })
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
