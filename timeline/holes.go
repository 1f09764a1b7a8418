package timeline

import (
	"slices"
	"time"
)

// placeGaps finds out between which times of a log its gaps lie: those of the
// lines around them, once clocks are known. What a daemon says it dropped lies
// between the last line of the program and the note.
func placeGaps(b *Builder) {
	var inside []*Gap
	for i := range b.Input.Gaps {
		g := &b.Input.Gaps[i]
		g.Node = b.Input.Node
		if g.Kind != GapRotated && g.Kind != GapMasked && (g.Source.Line > 0 || g.Source.Cursor != "") {
			inside = append(inside, g)
		}
	}
	if len(inside) == 0 || len(b.Events) == 0 {
		return
	}
	slices.SortStableFunc(inside, func(x, y *Gap) int { return x.Source.Line - y.Source.Line })
	spoke := map[string]time.Time{} // each component's last line; "" is any
	var open []*Gap                 // passed, and waiting for the next line
	next := 0
	for i := range b.Events {
		e := &b.Events[i]
		if e.Time.IsZero() || e.Component == APIEvent || e.Component == Audit || e.Component == Command {
			continue
		}
		for next < len(inside) && inside[next].before(e) {
			g := inside[next]
			next++
			g.From = spoke[g.Of]
			if g.Kind == GapSuppressed {
				g.To = e.Time
				if e.Node != "" {
					g.Node = e.Node
				}
			} else {
				open = append(open, g)
			}
		}
		for _, g := range open {
			g.To = e.Time
		}
		open = open[:0]
		spoke[e.Component], spoke[""] = e.Time, e.Time
	}
	for _, g := range inside {
		if g.To.Before(g.From) && !g.To.IsZero() { // newest first
			g.From, g.To = g.To, g.From
		}
	}
}

// before says whether the gap lies before the end of the event, in the file's
// own order. A note of lost lines is an event itself.
func (g *Gap) before(e *Event) bool {
	if g.Source.Line == 0 {
		return g.Source.Cursor == e.Source.Cursor
	}
	return g.Source.Line <= max(e.Source.Line, e.Source.LastLine)
}

// CutAt says whether something is missing of a file for good, and after which
// line; 0 is all of it, where nobody tells the line.
func (in *Input) CutAt() (line int, cut bool) {
	for _, g := range in.Gaps {
		switch {
		case g.Of != "": // one program's lines
		case g.Kind == GapTruncated, g.Kind == GapUnreadable, g.Kind == GapCommandFailed && g.Source.Line == 0:
			if g.Source.Line == 0 {
				return 0, true
			}
			line, cut = max(line, g.Source.Line), true
		}
	}
	return line, cut
}

// doubtListings takes back that a list is whole where its file is not: the one
// that the file is cut in, or all where nobody tells where.
func doubtListings(b *Builder) {
	line, cut := b.Input.CutAt()
	if !cut {
		return
	}
	last := 0
	for i := range b.Listings {
		if at := b.Listings[i].Source.Line; at <= line {
			last = max(last, at)
		}
	}
	for i := range b.Listings {
		if l := &b.Listings[i]; line == 0 || l.Source.Line == last {
			l.Incomplete = true
		}
	}
}
