package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// DifferenceJSON writes a comparison of two captures for machines.
func DifferenceJSON(w io.Writer, d *analyzer.Difference, _ Options) error { return writeJSON(w, d) }

// DifferenceText writes a comparison of two captures for a person: whether it
// worked, then what remains, what is not known, what is new, what was released.
func DifferenceText(w io.Writer, d *analyzer.Difference, opt Options) error {
	p := newPage(opt)
	c := opt.clock(nil)
	p.paragraph("before  ", sideLine(d.Old, c))
	apart := ""
	if d.ElapsedSeconds != nil {
		apart = fmt.Sprintf(", %s later", seconds(*d.ElapsedSeconds))
		if *d.ElapsedSeconds < 0 {
			apart = fmt.Sprintf(", %s earlier", seconds(-*d.ElapsedSeconds))
		}
	}
	p.paragraph("after   ", sideLine(d.New, c)+apart)
	p.b.WriteString("\n")
	p.paragraph("", p.styles.strong.Render(printable(d.Headline)))
	for _, part := range []struct{ change, title, note string }{
		{analyzer.Remains, "REMAINS", "stuck or left behind as before"},
		{analyzer.Lost, "UNKNOWN", "the new capture does not tell"},
		{analyzer.Appeared, "NEW", "not in the old capture"},
		{analyzer.Released, "RELEASED", "gone, with nothing left"},
	} {
		p.differences(d, part.change, part.title, part.note)
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the comparison: %w", err)
	}
	return nil
}

func sideLine(s analyzer.Side, c clock) string {
	line := printable(strings.Join(s.Paths, ", "))
	if s.CapturedAt != nil {
		line += ", captured " + c.full(*s.CapturedAt)
	}
	if s.ReportID != "" {
		line += ", report " + printable(s.ReportID)
	}
	return line
}

// differences lists the subjects with one kind of change.
func (p *page) differences(d *analyzer.Difference, change, title, note string) {
	n := 0
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if s.Change != change {
			continue
		}
		if n++; n == 1 {
			p.heading(title, note)
		}
		p.difference(s)
	}
}

func (p *page) difference(s *analyzer.SubjectDifference) {
	who := name(&analyzer.Subject{Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, UID: s.UID})
	if len(s.Nodes) > 0 {
		who += " on " + printable(s.Nodes[0])
	}
	p.paragraph("  "+p.marks.bullet+" ", p.styles.strong.Render(who)+"  "+stateWords(s.Old, s.New))
	for _, part := range []struct {
		label string
		list  []string
	}{{"released: ", s.Released}, {"as before: ", s.Remaining}, {"new: ", s.Arisen}} {
		if len(part.list) > 0 {
			p.paragraph("    "+part.label, printable(strings.Join(part.list, ", ")))
		}
	}
	if s.Because != "" {
		p.paragraph("    ", printable(s.Because))
	}
	told := map[string]bool{}
	for _, m := range s.Timeline {
		at, where := "", ""
		if m.Time != nil {
			at = m.Time.UTC().Format(time.TimeOnly) + "  "
		}
		for i := range s.Evidence {
			if m.Evidence != nil && s.Evidence[i].ID == *m.Evidence {
				told[*m.Evidence] = true
				where = "  " + p.styles.faint.Render(place(&s.Evidence[i]))
			}
		}
		p.paragraph("    "+p.marks.bullet+" ", at+speaker(m.Node, m.Component)+": "+printable(m.What)+where)
	}
	for i := range s.Evidence {
		e := &s.Evidence[i]
		if told[e.ID] {
			continue
		}
		at := ""
		if e.Time != nil {
			at = e.Time.UTC().Format(time.TimeOnly) + "  "
		}
		p.paragraph("    "+p.marks.dot+" ", at+place(e)+"  "+p.styles.faint.Render(shorten(quote(e.Text), 160, "…")))
	}
	if s.Change != analyzer.Lost {
		return
	}
	for _, m := range s.Missing {
		p.verbatim("     $ " + printable(m.Command))
	}
}

// stateWords are the two verdicts side by side.
func stateWords(before, after *analyzer.SubjectState) string {
	words := func(s *analyzer.SubjectState) string {
		if s == nil {
			return "not there"
		}
		w := printable(s.Outcome)
		if s.Cause != nil {
			w += " (" + printable(*s.Cause) + ", " + printable(s.Confidence) + ")"
		} else {
			w += " (" + printable(s.Confidence) + ")"
		}
		return unbroken(w)
	}
	return words(before) + ", then " + words(after)
}
