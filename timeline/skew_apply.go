package timeline

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// clocks are the node clocks of a bundle, with the eras of each.
type clocks struct {
	eras map[string]nodeEras
}

// measureClocks finds out how far each node's clock was ahead of the API
// server's, and since when.
func measureClocks(builders []*Builder) *clocks {
	c := &clocks{eras: findEras(builders)}
	lines := linesOfNodes(builders)
	samples := clockSamples(builders)
	for _, node := range slices.Sorted(maps.Keys(samples)) {
		if c.eras[node] == nil {
			c.eras[node] = nodeEras{{}}
		}
		c.eras[node] = c.eras[node].measured(samples[node], lines[node])
	}
	for node := range c.eras {
		c.eras[node].derive()
	}
	return c
}

// linesOfNodes are the times of each node's log lines.
func linesOfNodes(builders []*Builder) map[string][]time.Time {
	lines := map[string][]time.Time{}
	for _, b := range builders {
		for i := range b.Events {
			if e := &b.Events[i]; e.Node != "" && !e.Time.IsZero() && e.Component != Audit && e.Component != APIEvent && e.Component != Command {
				lines[e.Node] = append(lines[e.Node], e.Time)
			}
		}
	}
	return lines
}

// measured gives each era what its samples tell, and divides those that
// nothing but samples shows to be several.
func (n nodeEras) measured(samples []*ClockSample, lines []time.Time) nodeEras {
	of := make([][]*ClockSample, len(n))
	for _, s := range samples {
		i := n.at(s.At)
		of[i] = append(of[i], s)
	}
	var out nodeEras
	for i, er := range n {
		list := thin(of[i])
		if len(list) == 0 {
			out = append(out, er)
			continue
		}
		const depth = 4
		if er.boot != "" {
			list = samplesOfBoot(list, lines)
		}
		parts := []stretch{{measure(list), list}}
		if er.boot == "" {
			parts = stretches(list, depth)
		}
		for k, p := range parts {
			part := er
			if k > 0 {
				part = era{first: settingBetween(parts[k-1], p, lines)}
			}
			if p.holds(p.samples) {
				part.known, part.ahead, part.spread = true, p.ahead(), p.spread()
				part.how, part.agree = sampleWords[p.surest()], p.agree
			}
			out = append(out, part)
		}
	}
	return out
}

// samplesOfBoot leaves aside what lies before the log: the journal shows that
// the clock was not set since it began, not before. Where nothing else is
// there it has to do.
func samplesOfBoot(samples []*ClockSample, lines []time.Time) []*ClockSample {
	if len(lines) == 0 {
		return samples
	}
	began := slices.MinFunc(lines, time.Time.Compare)
	i, _ := slices.BinarySearchFunc(samples, began, func(s *ClockSample, t time.Time) int { return s.At.Compare(t) })
	if i == len(samples) {
		return samples
	}
	return samples[i:]
}

// settingBetween is when, by the node's clock, the clock was set between two
// stretches: after the gap that this tore into the log, else before the first
// that tells of it.
func settingBetween(before, after stretch, lines []time.Time) time.Time {
	from, to := before.samples[len(before.samples)-1].At, after.samples[0].At
	step := after.ahead() - before.ahead()
	if step < Noticeable {
		return to
	}
	slices.SortFunc(lines, time.Time.Compare)
	i, _ := slices.BinarySearchFunc(lines, from, time.Time.Compare)
	widest, at := step-Noticeable, to
	for i++; i < len(lines) && !lines[i-1].After(to); i++ {
		if gap := lines[i].Sub(lines[i-1]); gap > widest {
			widest, at = gap, lines[i]
		}
	}
	return at
}

// derive works out what no sample tells from the neighbours and the steps in
// between. With nothing to compare it with, a clock that was set forward by a
// time server, or by more than clocks drift, was set right: its time before was
// none.
func (n nodeEras) derive() {
	for i := len(n) - 2; i >= 0; i-- {
		if !n[i].known && n[i+1].known && n[i+1].linked {
			n[i].from(&n[i+1], n[i+1].ahead-n[i+1].step)
		}
	}
	for i := 1; i < len(n); i++ {
		if !n[i].known && n[i-1].known && n[i].linked {
			n[i].from(&n[i-1], n[i-1].ahead+n[i].step)
		}
	}
	const unset = time.Hour
	for i := len(n) - 2; i >= 0; i-- {
		if next := &n[i+1]; !n[i].known && !next.known && next.linked && (next.step >= unset || next.attested && next.step > 0 || next.relative) {
			n[i].ahead, n[i].relative = next.ahead-next.step, true
		}
	}
}

func (e *era) from(other *era, ahead time.Duration) {
	e.known, e.derived = true, true
	e.ahead, e.spread = ahead, other.spread+time.Second
	e.how, e.agree = other.how+", and the step by which the clock was set", other.agree
	if ahead == other.ahead {
		e.how, e.spread = other.how, other.spread
	}
}

// applied is by how much times of the era are put right.
func (e *era) applied() time.Duration {
	if !e.known && !e.relative || e.ahead.Abs() < Noticeable || e.ahead.Abs() <= e.spread {
		return 0
	}
	return e.ahead
}

// byAPI is a moment of a node's clock by the API server's.
func (c *clocks) byAPI(node string, t time.Time) time.Time {
	n := c.eras[node]
	if len(n) == 0 || t.IsZero() {
		return t
	}
	return t.Add(-n[n.at(t)].applied())
}

// wrong says whether any time has to be put right.
func (c *clocks) wrong() bool {
	for _, n := range c.eras {
		if slices.ContainsFunc(n, func(e era) bool { return e.applied() != 0 }) {
			return true
		}
	}
	return false
}

// setRight puts what nodes dated into the API server's time.
func (c *clocks) setRight(builders []*Builder) {
	if !c.wrong() {
		return
	}
	for _, b := range builders {
		reversed := isReversed(b)
		for i := range b.Events {
			e := &b.Events[i]
			n := c.eras[e.Node]
			if len(n) == 0 || e.Time.IsZero() || e.Component == Audit {
				continue
			}
			e.Ahead = n[n.of(e, writtenAs(b, e, reversed))].applied()
			e.Time = e.Time.Add(-e.Ahead)
			if e.API != nil {
				e.API.First = c.byAPI(e.Node, e.API.First)
			}
		}
	}
	for _, b := range builders {
		at := b.Input.CapturedAt
		b.Input.CapturedAt = c.byAPI(b.on, at)
		for _, f := range b.Facts() {
			f.AsOf = c.byAPI(f.Node, f.AsOf)
		}
		for i := range b.Containers {
			x := &b.Containers[i]
			x.CreatedAt, x.StartedAt, x.FinishedAt = c.byAPI(x.Node, x.CreatedAt), c.byAPI(x.Node, x.StartedAt), c.byAPI(x.Node, x.FinishedAt)
		}
		for i := range b.Sandboxes {
			b.Sandboxes[i].CreatedAt = c.byAPI(b.Sandboxes[i].Node, b.Sandboxes[i].CreatedAt)
		}
		for i := range b.Listings {
			if l := &b.Listings[i]; l.ofRuntime() && !l.AsOf.Equal(at) {
				l.AsOf = c.byAPI(b.Input.Node, l.AsOf) // redate does the others
			}
		}
		for i := range b.Units {
			b.Units[i].Since = c.byAPI(b.Units[i].Node, b.Units[i].Since)
		}
		c.redate(b, at)
	}
}

// redate dates a dump anew: by its capture, or by the newest time that it
// shows, which may be by the clock of any node.
func (c *clocks) redate(b *Builder, captured time.Time) {
	shown := c.newestShown(b)
	right := func(t *time.Time) {
		switch {
		case t.IsZero():
		case t.Equal(captured):
			*t = b.Input.CapturedAt
		case t.Equal(b.dated):
			*t = shown
		}
	}
	for _, o := range b.Objects {
		right(&o.AsOf)
	}
	for i := range b.Listings {
		right(&b.Listings[i].AsOf)
	}
	for i := range b.Absents {
		right(&b.Absents[i].AsOf)
	}
}

// newestShown is the newest time that a dump shows.
func (c *clocks) newestShown(b *Builder) time.Time {
	var newest time.Time
	for _, o := range b.Objects {
		newest = later(newest, c.newestIn(o))
		// An object in deletion was seen after that was asked for.
		newest = later(newest, requestTime(o))
	}
	for i := range b.Events {
		if e := &b.Events[i]; e.Component == APIEvent && !e.Stamp.Wall {
			newest = later(newest, e.Time)
		}
	}
	return newest
}

// newestIn is the newest time in an object. A kubelet writes the status of its
// node, of its pods and its Lease by its own clock.
func (c *clocks) newestIn(o *Object) time.Time {
	node := ""
	switch {
	case o.Kind == "Node", o.Kind == "Lease" && o.Namespace == "kube-node-lease":
		node = o.Name
	case o.Kind == "Pod":
		node = o.textAt("spec", "nodeName")
	}
	var newest time.Time
	for _, key := range o.keys() {
		if key != "status" && !aside(key) {
			newest = newestTime(map[string]any{key: o.Field(key)}, newest)
		}
	}
	return later(later(newest, c.byAPI(node, newestTime(o.Field("status"), time.Time{}))), c.byAPI(node, leaseTime(o, time.Time{})))
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// told is what readers of the timeline learn of the clocks; applied says
// whether times were put right.
func (c *clocks) told(applied bool) []NodeClock {
	var out []NodeClock
	for _, node := range slices.Sorted(maps.Keys(c.eras)) {
		n := NodeClock{Node: node}
		for _, e := range c.eras[node] {
			s := ClockSpan{From: e.first, Known: e.known, Ahead: e.ahead, Spread: e.spread, How: e.how, Applied: applied && e.applied() != 0}
			if k := len(n.Spans); k > 0 && n.Spans[k-1].sameAs(&s) {
				continue
			}
			s.Cited = e.cite()
			n.Spans = append(n.Spans, s)
		}
		out = append(out, n)
	}
	return out
}

func (s *ClockSpan) sameAs(next *ClockSpan) bool {
	return s.Known == next.Known && s.Applied == next.Applied && (s.Ahead-next.Ahead).Abs() < time.Second
}

// cite picks the surest of the samples that agree, of those the last.
func (e *era) cite() []Citation {
	var best *ClockSample
	for _, s := range e.agree {
		if s.Cite != nil && (best == nil || s.How >= best.How) {
			best = s
		}
	}
	if best == nil {
		return nil
	}
	return best.Cite()
}

// Span is the stretch that a moment of the node's clock lies in.
func (c *NodeClock) Span(t time.Time) *ClockSpan {
	for i := len(c.Spans) - 1; i > 0; i-- {
		if !t.Before(c.Spans[i].From) {
			return &c.Spans[i]
		}
	}
	return &c.Spans[0]
}

// Clock is what is known of a node's clock; nil if nothing is.
func (tl *Timeline) Clock(node string) *NodeClock {
	i, ok := slices.BinarySearchFunc(tl.Clocks, node, func(c NodeClock, node string) int { return strings.Compare(c.Node, node) })
	if !ok {
		return nil
	}
	return &tl.Clocks[i]
}

// ByAPI is a moment that a node dated by the API server's clock, as far as it
// is known how the two differ and that matters.
func (tl *Timeline) ByAPI(node string, t time.Time) time.Time {
	c := tl.Clock(node)
	if c == nil || t.IsZero() {
		return t
	}
	if s := c.Span(t); s.Applied {
		return t.Add(-s.Ahead)
	}
	return t
}
