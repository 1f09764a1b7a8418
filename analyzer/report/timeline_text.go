package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// TimelineText writes the moments in the window, one line each.
func TimelineText(w io.Writer, doc *analyzer.Document, opt Options) error {
	v, p := newView(doc, opt), newPage(opt)
	moments := v.moments()
	c := opt.clock(nil)
	p.masthead(v)
	for _, s := range v.anchored() {
		p.paragraph("", fmt.Sprintf("T counts from %s of %s, %s", printable(s.Anchor.Basis), name(s), c.full(s.Anchor.Time)))
	}
	p.heading("TIMELINE", fmt.Sprintf("%s, %d of %s", c.zone(), len(moments), plural(len(doc.Timeline), "moment")))
	for _, m := range moments {
		if m.Time != nil && m.Time.In(c.loc).Format(time.DateOnly) != c.day {
			c = opt.clock(m.Time)
			p.verbatim("  " + p.styles.faint.Render(c.day))
		}
		lead, what := v.momentLine(p, &m, c)
		p.paragraph("  "+lead, what)
	}
	if slices.ContainsFunc(v.ranked, func(s *analyzer.Subject) bool { return s.Moments > 0 }) {
		p.paragraph("", p.styles.faint.Render("Lines that repeat or only name a subject are left out: -o ndjson and -o csv have all of them."))
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

func firstTime(moments []analyzer.Moment) *time.Time {
	for _, m := range moments {
		if m.Time != nil {
			return m.Time
		}
	}
	return nil
}

// anchored is the subjects that the moments' T count from.
func (v *view) anchored() []*analyzer.Subject {
	const enough = 5
	var out []*analyzer.Subject
	for _, s := range v.ranked {
		if s.Anchor != nil && len(out) < enough {
			out = append(out, s)
		}
	}
	return out
}

// momentLine is when a moment was, and what happened.
func (v *view) momentLine(p *page, m *analyzer.Moment, c clock) (lead, what string) {
	when := "no time"
	if m.Time != nil {
		when = c.short(*m.Time, 0)
	}
	lead = pad(when, len("15:04:05.000")) + " " + pad(v.sinceT0(m), 9) + " "
	what = p.styles.strong.Render(speaker(m.Node, m.Component)) + "  " + quote(m.What)
	if m.Inferred {
		what += " (inferred)"
	}
	what += corrected(m)
	if m.Evidence != nil {
		what += " " + p.styles.faint.Render("["+printable(*m.Evidence)+"]")
	}
	return lead, what
}

// corrected marks a time that is not the one in the file.
func corrected(m *analyzer.Moment) string {
	if m.ClockAheadSeconds == 0 {
		return ""
	}
	return " (time corrected " + ahead(-m.ClockAheadSeconds) + ")"
}

// sinceT0 is the moment's distance from the T0 of the subject it is about; of
// several, that of the one the report puts first.
func (v *view) sinceT0(m *analyzer.Moment) string {
	if len(m.Subjects) == 0 {
		return ""
	}
	for _, s := range v.ranked {
		for _, sm := range m.Subjects {
			if sm.ID == s.ID {
				return fromT0(bounded(sm.SinceT0Seconds))
			}
		}
	}
	return fromT0(bounded(m.Subjects[0].SinceT0Seconds))
}

// TimelineMarkdown writes the moments in the window as a table.
func TimelineMarkdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	m := &markdown{view: v, amount: amounts[0]}
	moments := v.moments()
	c := opt.clock(firstTime(moments))
	m.line("### Timeline (" + strings.TrimSpace(c.zone()+" "+c.day) + ")")
	m.line("")
	m.line("| Time | T± | Where | What | Evidence |")
	m.line("|---|---:|---|---|---|")
	for i := range moments {
		mo := &moments[i]
		when := "no time"
		if mo.Time != nil {
			when = c.short(*mo.Time, 0)
		}
		what := cell(shorten(quote(mo.What), m.quote, "…"))
		if mo.Inferred {
			what += " *(inferred)*"
		}
		what += corrected(mo)
		m.row(when, v.sinceT0(mo), cell(speaker(mo.Node, mo.Component)), what, cell(value(mo.Evidence)))
	}
	return m.flush(w)
}
