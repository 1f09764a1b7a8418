package analyzer

import (
	"cmp"
	"slices"
	"time"

	"podautopsy/timeline"
)

// hole is a time in which a log has lost lines, or does not reach: what it
// does not say there may have been said.
type hole struct {
	span
	kind   timeline.GapKind
	detail string
	at     timeline.Source
	end    bool // the log is cut where it ends
}

// findHoles finds where the logs of the nodes have lost lines: what daemons say
// that they dropped, what was cut out or is no text, and lines of which a
// redactor took a part.
func (s *scene) findHoles() {
	byFile := map[string]map[*logSpan]string{} // with the program whose log it is
	for _, n := range s.nodes {
		for component, l := range n.logs {
			for _, f := range l.files {
				if byFile[f] == nil {
					byFile[f] = map[*logSpan]string{}
				}
				byFile[f][l] = component
			}
			slices.Sort(l.files)
		}
	}
	masked := map[string]bool{}
	s.cut = map[string]int{}
	for i := range s.tl.Inputs {
		if line, cut := s.tl.Inputs[i].CutAt(); cut {
			s.cut[s.tl.Inputs[i].Path] = line
		}
		for _, g := range s.tl.Inputs[i].Gaps {
			switch {
			case g.Kind == timeline.GapMasked:
				masked[s.tl.Inputs[i].Path] = true
			case g.To.IsZero() && (g.From.IsZero() || g.Kind != timeline.GapTruncated): // not inside a log
			case g.Kind == timeline.GapSuppressed:
				s.dropped(g)
			case excerpts(s.tl.Inputs[i].Format):
			case g.Kind == timeline.GapCommandFailed && g.Of == "": // of a command beside the log
			default:
				to := g.To
				if to.IsZero() { // cut at its end
					to = latest(s.now, g.From).Add(time.Second)
				}
				for l, component := range byFile[s.tl.Inputs[i].Path] {
					if g.Of != "" && g.Of != component {
						continue
					}
					l.lose(hole{span{g.From, to}, g.Kind, g.Detail, g.Source, g.To.IsZero()})
				}
			}
		}
	}
	if len(masked) > 0 {
		s.findMaskedLines(masked)
	}
	for _, n := range s.nodes {
		for _, l := range n.logs {
			slices.SortStableFunc(l.holes, func(a, b hole) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
		}
	}
}

// cutShort says whether something may be missing after a place in a file: what
// a list does not show there is not known to be absent.
func (s *scene) cutShort(at timeline.Source) bool {
	cut, ok := s.cut[at.File]
	return ok && (cut == 0 || cut >= at.Line)
}

// whole says whether a snapshot stands in a file of which nothing is missing
// after it.
func (s *scene) whole(f *timeline.Fact) bool {
	return !s.cutShort(f.Source) || slices.ContainsFunc(f.AlsoAt, func(at timeline.Source) bool { return !s.cutShort(at) })
}

// lose notes a hole. What stands in several files of a bundle is told once.
func (l *logSpan) lose(h hole) {
	if last := len(l.holes) - 1; last >= 0 && l.holes[last].span == h.span && l.holes[last].kind == h.kind {
		return
	}
	l.holes = append(l.holes, h)
}

// dropped notes lines that a daemon did not keep, of one program or of any.
func (s *scene) dropped(g timeline.Gap) {
	n := s.nodes[g.Node]
	if n == nil {
		return
	}
	from := g.From
	if from.IsZero() {
		const interval = 30 * time.Second // journald's, unless it is told otherwise
		from = g.To.Add(-interval)
	}
	n.unheard[g.Of] = latest(n.unheard[g.Of], g.To)
	for component, l := range n.logs {
		if g.Of == "" || g.Of == component {
			l.lose(hole{span: span{from, g.To}, kind: g.Kind, detail: g.Detail, at: g.Source})
		}
	}
}

// findMaskedLines notes the lines of which a part was taken out.
func (s *scene) findMaskedLines(files map[string]bool) {
	for i := range s.tl.Events {
		e := &s.tl.Events[i]
		if !files[e.Source.File] || e.Time.IsZero() || e.Node == "" || s.nodes[e.Node] == nil {
			continue
		}
		l := s.nodes[e.Node].logs[e.Component]
		if l == nil {
			continue
		}
		if at, _ := timeline.Masked(e.Message); at >= 0 {
			l.lose(hole{span: span{e.Time, e.Time}, kind: timeline.GapMasked, detail: "a part of the line is masked", at: e.Source})
		}
	}
}

// hole is the first one between two times; nil if the log would have shown
// all that the program said in between.
func (l *logSpan) hole(from, to time.Time) *hole {
	if l == nil {
		return &hole{span: span{from, to}, kind: timeline.GapTruncated, detail: "there is no log"}
	}
	reach := slices.Clone(l.covers)
	slices.SortFunc(reach, func(a, b span) int { return a.from.Compare(b.from) })
	covered := from
	for _, s := range reach {
		// Between two pieces of a log as little may be said as within one.
		if s.from.After(covered) && (covered.Equal(from) || s.from.Sub(covered) > quiet) {
			break
		}
		if s.to.After(covered) {
			covered = s.to
		}
	}
	if covered.Before(to) {
		return &hole{span: span{covered, to}, kind: timeline.GapTruncated, detail: "the log does not reach"}
	}
	return l.lost(from, to)
}

// lost is the first hole inside the log between two times, nil if none.
func (l *logSpan) lost(from, to time.Time) *hole {
	if l == nil {
		return nil
	}
	for i := range l.holes {
		h := &l.holes[i]
		point := h.from.Equal(h.to)
		if h.to.After(from) && h.from.Before(to) || point && !h.to.Before(from) && !h.from.After(to) {
			return h
		}
	}
	return nil
}

// excerpts says whether a file in this format holds pieces of logs and not
// logs: the last lines of each unit.
func excerpts(format string) bool { return format == "systemctl" }
