package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// chart is a subject's timeline in swim lanes. Lengths along the time are in
// percent, so that the page's width decides, and a wider page is a closer look.
type chart struct {
	ID      string
	Height  int
	Body    int // below the axis
	Summary string
	Counts  string
	Zone    string
	Lines   []chartLine
	Bands   []chartBand
	Ticks   []tick
	Lanes   []chartLane
	Arrows  []chartArrow
	Chain   string // what the arrows say, in words
	Hatched bool
	Unsure  bool
}

// chartLine is a moment of the deletion itself, over all lanes.
type chartLine struct {
	X, Class, Label, Anchor string
	Y                       int
	Dx                      int
}

// chartBand is a span of the deletion: its grace, and what it is overdue.
type chartBand struct{ X, Width, Class, Title string }

type chartLane struct {
	Name   string
	Y      int
	Height int
	Text   int // baseline of the name
	Note   string
	Marks  []chartMark
	Spans  []chartSpan
	Hatch  []chartBand
}

// chartMark is one event.
type chartMark struct {
	X, Href, Class, Shape, Title, Label string
	Anchor                              string // of the label
	Dx, Y                               int
}

// chartSpan is how long something went on, or how sure its time is.
type chartSpan struct {
	From, To, Class, Title string
	Y                      int
}

// chartArrow leads from a mark to the next in the chain of proof.
type chartArrow struct {
	X1, X2   string
	Y1, Y2   int
	From, To string // lanes
}

const (
	chartHead   = 84 // the deletion's moments, the band of its spans, the axis
	chartBandY  = 46
	laneRow     = 15
	lanePad     = 7
	laneRows    = 5
	markRoom    = 1.5 // percent that a mark takes on a wide page
	labelRoom   = 4.2 // with its id beside it
	unsureFrom  = 0.4 // percent from which an uncertainty can be seen
	tooShort    = 0.6 // percent below which a gap cannot be seen
	arrowsAtAll = 6
)

// newChart draws the events of a subject; nil where nothing is known but what
// stood in the dump, all at one time.
func (h *htmlPage) newChart(s *analyzer.Subject, events []*htmlEvent) *chart {
	var timed []*htmlEvent
	var times []time.Time
	told := false
	for _, e := range events {
		if e.at != nil {
			timed = append(timed, e)
			times = append(times, *e.at)
			told = told || !e.state
		}
	}
	if !told {
		return nil
	}
	add := func(t *time.Time) {
		if t != nil {
			times = append(times, *t)
		}
	}
	if s.Deletion != nil {
		add(s.Deletion.RequestedAt)
	}
	if s.Anchor != nil {
		add(&s.Anchor.Time)
	}
	add(h.view.doc.Bundle.CapturedAt)
	sc := newScale(times)
	day := h.view.dayClock(s)
	c := &chart{ID: "lanes-" + h.anchors[s], Zone: strings.TrimSpace(day.zone() + " " + day.day)}
	c.lines(h, s, sc)
	if s.Anchor != nil {
		c.Ticks = slices.DeleteFunc(sc.ticks(s.Anchor.Time, day, fromT0), func(t tick) bool { return t.zero }) // T0 has a line of its own
	} else {
		c.Ticks = sc.ticks(sc.at[0], day, func(d time.Duration) string { return "+" + span(d) })
	}
	y := chartHead
	placed := map[string]placedMark{}
	for l := lane(0); l < laneCount; l++ {
		drawn := c.lane(h, s, l, timed, sc, placed)
		drawn.Y = y
		for id, p := range placed {
			if p.lane == l {
				p.y += y
				placed[id] = p
			}
		}
		y += drawn.Height
		c.Lanes = append(c.Lanes, drawn)
	}
	c.Height, c.Body = y, y-chartHead
	c.arrows(h, s, placed)
	c.describe(s, timed)
	return c
}

// lines are the moments and spans of the deletion itself.
func (c *chart) lines(h *htmlPage, s *analyzer.Subject, sc scale) {
	day := h.view.dayClock(s)
	line := func(t time.Time, class, label string) {
		p := sc.percent(t)
		l := chartLine{X: percentage(p), Class: class, Label: label + " " + day.short(t, 1), Y: 11 + 14*len(c.Lines), Anchor: "start", Dx: 5}
		if p > 55 {
			l.Anchor, l.Dx = "end", -5
		}
		c.Lines = append(c.Lines, l)
	}
	band := func(from, to time.Time, class, title string) {
		a, b := sc.percent(from), sc.percent(to)
		if to.After(from) {
			c.Bands = append(c.Bands, chartBand{percentage(a), percentage(b - a), class, title + " " + span(to.Sub(from))})
		}
	}
	var requested, t0 *time.Time
	if s.Deletion != nil {
		requested = s.Deletion.RequestedAt
	}
	if s.Anchor != nil {
		t0 = &s.Anchor.Time
	}
	if requested != nil && (t0 == nil || !requested.Equal(*t0)) {
		line(*requested, "req", "requested")
	}
	if t0 != nil {
		line(*t0, "t0", "T0")
		if requested != nil {
			band(*requested, *t0, "grace", "grace")
		}
	}
	if captured := h.view.doc.Bundle.CapturedAt; captured != nil {
		line(*captured, "cap", "captured")
		if t0 != nil && overdue(s) > 0 {
			band(*t0, *captured, "late", "overdue")
		}
	}
}

type placedMark struct {
	lane  lane
	at    time.Time
	x     string
	y     int
	state bool
}

// lane draws the events of one lane, in as many rows as they need.
func (c *chart) lane(h *htmlPage, s *analyzer.Subject, l lane, events []*htmlEvent, sc scale, placed map[string]placedMark) chartLane {
	out := chartLane{Name: l.String()}
	var free [laneRows]float64
	for i := range free {
		free[i] = -1
	}
	rows := 0
	files := map[string]bool{}
	for _, e := range events {
		if e.lane != l || e.line {
			continue
		}
		p := sc.percent(*e.at)
		row := 0
		for i := range free {
			if free[i] <= p {
				row = i
				break
			}
			if free[i] < free[row] {
				row = i
			}
		}
		room := markRoom
		m := chartMark{X: percentage(p), Y: lanePad + laneRow/2 + row*laneRow, Href: e.Href, Class: e.Class, Shape: "dot", Title: e.title}
		if e.Class != "" {
			m.Label, m.Anchor, m.Dx, room = e.ID, "start", 8, labelRoom
			if p > 92 { // a phone has no room beyond
				m.Anchor, m.Dx = "end", -8
			}
		}
		switch {
		case e.state:
			m.Shape = "square"
		case e.Class == "root", e.Class == "blocking", e.Class == "consequence":
			m.Shape = "diamond"
		}
		free[row] = p + room
		rows = max(rows, row+1)
		out.Marks = append(out.Marks, m)
		if e.evidence != nil {
			files[e.evidence.File] = true
			if _, ok := placed[e.evidence.ID]; !ok {
				placed[e.evidence.ID] = placedMark{l, *e.at, m.X, m.Y, e.state}
			}
			c.spans(h, e, &out, m.Y, sc)
		}
	}
	out.Height = 2*lanePad + max(rows, 1)*laneRow
	out.Text = lanePad + laneRow/2 + 4
	if rows == 0 {
		note, blind := h.view.unheard(s, l)
		out.Note = note
		if blind {
			out.Hatch = append(out.Hatch, chartBand{"0%", "100%", "gap", note})
		}
	}
	if rows > 0 {
		out.Hatch = h.silence(files, sc)
	}
	out.Hatch = append(out.Hatch, h.holes(s, l, files, sc)...)
	c.Hatched = c.Hatched || len(out.Hatch) > 0
	return out
}

// spans are how long an event went on, and between which times it may have
// been: the clock's spread, and what its stamp is rounded to.
func (c *chart) spans(h *htmlPage, e *htmlEvent, out *chartLane, y int, sc scale) {
	ev := e.evidence
	if ev.Count > 1 && ev.FirstTime != nil && ev.LastTime != nil && ev.LastTime.After(*ev.FirstTime) {
		ahead := bounded(ev.ClockAheadSeconds)
		a, b := sc.percent(ev.FirstTime.Add(-ahead)), sc.percent(ev.LastTime.Add(-ahead))
		if e.Class != "" {
			out.Spans = append(out.Spans, chartSpan{percentage(a), percentage(b), "run " + e.Class, times(ev) + " in " + span(ev.LastTime.Sub(*ev.FirstTime)), y})
		}
	}
	spread := bounded(h.spread[value(ev.Node)])
	from, to := e.at.Add(-spread), e.at.Add(spread)
	if ev.PrecisionSeconds >= 1 {
		to = to.Add(bounded(ev.PrecisionSeconds))
	}
	a, b := sc.percent(from), sc.percent(to)
	if e.Class != "" && !e.state && b-a >= unsureFrom && (spread > 0 || ev.PrecisionSeconds >= 1) {
		c.Unsure = true
		out.Spans = append(out.Spans, chartSpan{percentage(a), percentage(b), "unsure", fmt.Sprintf("%s: the time may be %s earlier or %s later", e.ID, span(spread), span(to.Sub(*e.at))), y})
	}
}

// silence is where none of the files that speak in a lane has anything: before
// the first and after the last line of all of them, and whole where a file is
// known to have holes.
func (h *htmlPage) silence(files map[string]bool, sc scale) []chartBand {
	var first, last *time.Time
	var why []string
	for i := range h.view.doc.Bundle.Inputs {
		in := &h.view.doc.Bundle.Inputs[i]
		if !files[in.Path] || in.FirstTime == nil || in.LastTime == nil || in.Format == "audit-log" {
			continue // an audit log has nothing to say while nobody asks
		}
		if first == nil || in.FirstTime.Before(*first) {
			first = in.FirstTime
		}
		if last == nil || in.LastTime.After(*last) {
			last = in.LastTime
		}
		for _, g := range in.Gaps {
			if text := clip(g.Kind+": "+g.Detail, 120); len(why) < 3 && !slices.Contains(why, text) {
				why = append(why, text)
			}
		}
	}
	if first == nil {
		return nil
	}
	var out []chartBand
	known := ""
	if len(why) > 0 {
		known = " (" + strings.Join(why, "; ") + ")"
	}
	if p := sc.percent(*first); p > tooShort {
		out = append(out, chartBand{"0%", percentage(p), "gap", "the log begins here" + known})
	}
	// A log that was taken with the rest ends with its last line; only a long
	// silence before the capture is one of which nothing is known.
	captured := h.view.doc.Bundle.CapturedAt
	if p := sc.percent(*last); captured != nil && p < 100-tooShort && captured.Sub(*last) > captured.Sub(sc.at[0])/10 {
		out = append(out, chartBand{percentage(p), percentage(100 - p), "gap", "the log ends here" + known})
	}
	return out
}

// holes are spans in which lines are known to be missing from a log: dropped,
// cut out, unreadable. Those of one program are in its lane.
func (h *htmlPage) holes(s *analyzer.Subject, l lane, files map[string]bool, sc scale) []chartBand {
	var out []chartBand
	for i := range h.view.doc.Bundle.Inputs {
		in := &h.view.doc.Bundle.Inputs[i]
		if node := value(in.Node); node != "" && len(s.Nodes) > 0 && !slices.Contains(s.Nodes, node) {
			continue
		}
		for _, g := range in.Gaps {
			if g.From == nil && g.To == nil || g.Of != "" && laneOf(g.Of, nil) != l || g.Of == "" && !files[in.Path] {
				continue
			}
			from, to := 0.0, 100.0
			if g.From != nil {
				from = sc.percent(*g.From)
			}
			if g.To != nil {
				to = sc.percent(*g.To)
			}
			if to < from || from == 100 || to == 0 || len(out) == h.amount.list {
				continue
			}
			// A hole too small to be seen is shown all the same.
			out = append(out, chartBand{percentage(from), percentage(max(to-from, tooShort)), "gap", clip(g.Kind+": "+g.Detail+" ("+in.Path+")", 200)})
		}
	}
	return out
}

// arrows follow the proof in the order of time: where the root cause shows in
// each lane, then where each consequence does.
func (c *chart) arrows(h *htmlPage, s *analyzer.Subject, placed map[string]placedMark) {
	var chain []placedMark
	var ids []string
	for _, role := range []string{analyzer.RoleRoot, analyzer.RoleConsequence} {
		var stops []string
		for _, cause := range causesOf(s, role) {
			for _, id := range cause.For {
				if _, ok := placed[id]; ok && !slices.Contains(stops, id) && !slices.Contains(ids, id) {
					stops = append(stops, id)
				}
			}
		}
		slices.SortStableFunc(stops, func(a, b string) int { return placed[a].at.Compare(placed[b].at) })
		for _, id := range stops {
			p := placed[id]
			last := len(chain) - 1
			if last >= 0 && (chain[last].lane == p.lane || p.at.Before(chain[last].at) || chain[last].state && p.state) {
				continue // what a dump shows is all of one time
			}
			if len(chain) > arrowsAtAll {
				break
			}
			chain, ids = append(chain, p), append(ids, id)
		}
	}
	for i := 1; i < len(chain); i++ {
		a, b := chain[i-1], chain[i]
		c.Arrows = append(c.Arrows, chartArrow{a.x, b.x, a.y, b.y, a.lane.String(), b.lane.String()})
	}
	if len(c.Arrows) > 0 {
		for i, id := range ids {
			ids[i] = h.cut(id) + " (" + chain[i].lane.String() + ")"
		}
		c.Chain = "Arrows follow the proof in time: " + strings.Join(ids, " → ") + "."
	}
}

// describe says in words what the picture shows.
func (c *chart) describe(s *analyzer.Subject, timed []*htmlEvent) {
	count := map[lane]int{}
	for _, e := range timed {
		if !e.line {
			count[e.lane]++
		}
	}
	var parts []string
	for l := lane(0); l < laneCount; l++ {
		if n := count[l]; n > 0 {
			parts = append(parts, l.String()+" "+strconv.Itoa(n))
		}
	}
	first, last := timed[0].at, timed[len(timed)-1].at
	c.Counts = strings.Join(parts, ", ")
	c.Summary = fmt.Sprintf("Timeline of %s: %s in %s. Every event is a row of the table below.",
		clip(name(s), 200), plural(len(timed), "event"), span(time.Duration(math.Abs(float64(last.Sub(*first))))))
	c.Counts = cmp.Or(c.Counts, "no events")
}
