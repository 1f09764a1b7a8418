package analyzer

import (
	"slices"
	"time"

	"podautopsy/timeline"
)

// clockNow is what is known of the node's clock at its newest evidence, and
// since when its clock ran like that; nil if nothing is.
func (s *scene) clockNow(name string) (span *timeline.ClockSpan, set bool) {
	c := s.tl.Clock(name)
	if c == nil {
		return nil, false
	}
	last := len(c.Spans) - 1
	for i := last; i >= 0; i-- {
		if c.Spans[i].Known {
			return &c.Spans[i], i > 0
		}
	}
	return nil, false
}

// clockRefs are the places that show a clock's offset.
func (s *scene) clockRefs(name string, span *timeline.ClockSpan) []ref {
	var refs []ref
	for _, c := range span.Cited {
		ev := evidenceAt(c.Source, nil, c.Text)
		ev.Time, ev.Component, ev.Node = moment(c.Time), c.Component, word(name)
		refs = append(refs, s.book.put(ev))
	}
	return refs
}

// describeClock writes what is known of a node's clock.
func (s *scene) describeClock(d *Node) {
	span, set := s.clockNow(d.Name)
	if span == nil {
		if e := d.Evidence; e.KubeletLog || e.RuntimeLog || e.RuntimeState || e.Mounts || e.Processes {
			d.ClockSkewAsk = clockCommand(d.Name)
		}
		if c := s.tl.Clock(d.Name); c != nil {
			d.ClockSkewApplied = slices.ContainsFunc(c.Spans, func(s timeline.ClockSpan) bool { return s.Applied })
			d.ClockSkewSince = moment(c.Spans[len(c.Spans)-1].From)
		}
		return
	}
	ahead, spread := span.Ahead.Round(time.Millisecond).Seconds(), span.Spread.Round(time.Millisecond).Seconds()
	d.ClockSkewSeconds, d.ClockSkewSpread = &ahead, &spread
	d.ClockSkewFrom = s.book.cite(s.clockRefs(d.Name, span))
	d.ClockSkewMethod, d.ClockSkewApplied = span.How, span.Applied
	if set {
		d.ClockSkewSince = moment(span.From)
	}
}

// stamped is an event's time as it stands in the file, by its node's clock.
func stamped(e *timeline.Event) time.Time {
	if e.Time.IsZero() {
		return e.Time
	}
	return e.Time.Add(e.Ahead)
}

// clockCommand shows a node's clock beside the API server's.
func clockCommand(node string) string {
	return "kubectl get lease -n kube-node-lease " + shellWord(node) + " -o yaml --show-managed-fields"
}
