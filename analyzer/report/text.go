package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"podautopsy/analyzer"
)

// Text writes one screen for a person at a terminal: the most severe subject
// in full, the others in groups.
func Text(w io.Writer, doc *analyzer.Document, opt Options) error {
	t := &text{view: newView(doc, opt), page: newPage(opt)}
	t.report()
	return t.written(w)
}

// How much of each list one screen has room for; --why lifts the limits.
const (
	textBecause    = 3 // lines in the verdict
	textEvidence   = 8
	textQuoteLines = 3 // of the file
	textQuoteRows  = 3 // of the page, for one line of the file
	textRuledOut   = 5
	textMissing    = 3
	textOthers     = 12
)

type text struct {
	*view
	*page
}

func (t *text) report() {
	t.header()
	if len(t.ranked) > 0 {
		t.subject(t.ranked[0])
		t.others(t.ranked[1:])
	} else {
		t.missing(t.doc.Bundle.Missing)
	}
	t.limits()
	t.footer()
}

func (t *text) limit(n int) int {
	if t.opt.Why {
		return 0
	}
	return n
}

func (t *text) header() {
	t.masthead(t.view)
	if t.doc.Partial {
		t.paragraph("", t.styles.bad.Render("PARTIAL: interrupted before everything was read; what follows may change."))
	}
	if t.doc.Summary.Headline != "" {
		t.b.WriteString("\n")
		t.paragraph("", t.styles.strong.Render(printable(t.doc.Summary.Headline)))
	}
}

// bundleLine says what was read with what.
func bundleLine(v *view, c clock) []string {
	d := v.doc
	parts := []string{printable(strings.TrimSpace(d.Tool.Name + " " + d.Tool.Version))}
	if len(d.Bundle.Paths) > 0 {
		p := printable(d.Bundle.Paths[0])
		if p == "-" {
			p = "standard input"
		}
		if n := len(d.Bundle.Paths) - 1; n > 0 {
			p += fmt.Sprintf(" +%d", n)
		}
		parts = append(parts, p)
	}
	parts = append(parts, plural(len(d.Bundle.Inputs), "input"))
	if d.Bundle.CapturedAt != nil {
		parts = append(parts, "captured "+c.full(*d.Bundle.CapturedAt))
	} else {
		parts = append(parts, "capture time unknown")
	}
	return parts
}

func (t *text) subject(s *analyzer.Subject) {
	t.b.WriteString("\n")
	if short := t.verdict(s); !short && !t.opt.Why {
		t.heading("WHY", "")
		t.paragraph("  ", printable(because(s)))
	}
	t.stages(s)
	t.evidenceLines(s)
	t.causes(s)
	t.checklist(s)
	t.wayOut(s)
	t.force(s)
	t.missing(missingOf(s))
	t.prevention(s)
}

func (t *text) outcome(outcome string) string {
	word := strings.ToUpper(printable(outcome))
	switch outcome {
	case analyzer.Stuck, analyzer.Residue:
		return t.styles.bad.Render(word)
	case analyzer.Clean:
		return t.styles.good.Render(word)
	}
	return t.styles.warn.Render(word)
}

// verdict draws the box, and says whether all of the reason went into it.
func (t *text) verdict(s *analyzer.Subject) (whole bool) {
	const label = 12
	inner := t.width - 4
	title := t.outcome(s.Outcome) + "  " + t.styles.strong.Render(name(s))
	if len(s.Nodes) > 0 {
		title += " on " + printable(strings.Join(s.Nodes, ", "))
	}
	lines := []string{hanging("", title, inner)}
	whole = true
	for _, f := range facts(s, t.opt.clock(nil)) {
		if f.label == "because" {
			f.text = shortIDs(f.text, t.marks.ellipsis)
			if rows := wrap(f.text, inner-label); len(rows) > textBecause {
				whole = false
				f.text = strings.Join(rows[:textBecause], " ")
				f.text = toGap(f.text, inner-label, t.marks.ellipsis)
			}
		}
		lines = append(lines, hanging(t.styles.faint.Render(pad(f.label, label)), clauses(f.text), inner))
	}
	t.framed(lines)
	return whole
}

// clauses keeps the short clauses of a sentence on one line each.
func clauses(s string) string {
	const short = 24
	parts := strings.Split(s, ", ")
	for i, p := range parts {
		if len(p) <= short {
			parts[i] = unbroken(p)
		}
	}
	return strings.Join(parts, ", ")
}

// fact is one labelled line of a verdict.
type fact struct{ label, text string }

// facts are what a person wants to know first of a subject, in this order.
func facts(s *analyzer.Subject, c clock) []fact {
	var out []fact
	add := func(label, text string) {
		if text != "" {
			out = append(out, fact{label, text})
		}
	}
	if title := causeTitle(s); title != "" {
		if s.Outcome == analyzer.InProgress {
			title += ", still allowed"
		}
		add(causeLabel(s), title+", confidence "+printable(s.Confidence))
	} else {
		add("confidence", printable(s.Confidence))
	}
	add("because", printable(because(s)))
	add("requested", requested(s, c))
	add("T0", anchored(s, c))
	if s.Deletion != nil {
		add("finalizers", printable(strings.Join(s.Deletion.Finalizers, ", ")))
	}
	add("owner", printable(value(s.Owner)))
	if s.InAPI != nil && !*s.InAPI {
		add("in the API", "no, the object is gone")
	}
	add("UID", printable(value(s.UID)))
	return out
}

func causeLabel(s *analyzer.Subject) string {
	switch s.Outcome {
	case analyzer.InProgress:
		return "waits for"
	case analyzer.NotDeleting:
		return "reason"
	}
	return "root cause"
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// requested tells when and how the deletion was asked for.
func requested(s *analyzer.Subject, c clock) string {
	d := s.Deletion
	if d == nil || d.RequestedAt == nil {
		return ""
	}
	p := c.full(*d.RequestedAt)
	if d.RequestedAtSource != "" {
		p += " (" + printable(d.RequestedAtSource) + ")"
	}
	if d.RequestedBy != nil && *d.RequestedBy != "" {
		p += ", by " + printable(*d.RequestedBy)
	}
	if d.GracePeriodSeconds != nil {
		p += fmt.Sprintf(", grace %ds", *d.GracePeriodSeconds)
	}
	if d.Forced != nil && *d.Forced {
		if gone := s.InAPI != nil && !*s.InAPI; gone {
			p += ", forced"
		} else {
			p += ", force deleted as well"
		}
	}
	return p
}

// anchored tells T0 and by how much the deletion is late.
func anchored(s *analyzer.Subject, c clock) string {
	var parts []string
	if s.Anchor != nil {
		parts = append(parts, c.full(s.Anchor.Time)+" ("+basis(s)+")")
	}
	if o := overdue(s); o > 0 {
		parts = append(parts, "overdue "+seconds(o))
	}
	return strings.Join(parts, ", ")
}

// basis is what T0 rests on. Of a pod, deletionTimestamp is the end of the grace.
func basis(s *analyzer.Subject) string {
	if s.Kind == "Pod" && s.Anchor.Basis == "deletionTimestamp" {
		return "deletionTimestamp, the deadline"
	}
	return printable(s.Anchor.Basis)
}

func (t *text) stages(s *analyzer.Subject) {
	states := bar(s)
	if len(states) == 0 || s.Outcome == analyzer.NotDeleting {
		return
	}
	var cells []string
	for _, st := range states {
		cell := st.short + " " + t.marks.of(st.state)
		switch st.state {
		case stateFailed:
			cell = t.styles.bad.Render(strings.ToUpper(st.short) + " " + t.marks.failed)
		case stateRunning:
			cell = t.styles.warn.Render(cell)
		case stateDone:
			cell = t.styles.good.Render(cell)
		}
		// A cell must not be torn from its mark at the end of a line.
		cells = append(cells, unbroken(cell))
	}
	m := t.marks
	var legend []string
	for _, l := range []string{m.done + " done", m.failed + " failed", m.running + " running", m.notReached + " not reached", m.notNeeded + " not needed", m.unknown + " unknown"} {
		legend = append(legend, unbroken(l))
	}
	t.heading("STAGES", strings.Join(legend, "  "))
	t.paragraph("  ", strings.Join(cells, "  "))
	if open := heldAt(s, states); len(open) > 0 {
		t.paragraph("  held at ", strings.Join(open, ", "))
	}
	if t.opt.Why {
		t.everyStage(s)
	}
}

func (t *text) everyStage(s *analyzer.Subject) {
	c := t.dayClock(s)
	for _, st := range s.Stages {
		what := st.ID
		if v := cmp.Or(value(st.Container), value(st.Volume)); v != "" {
			what += " " + v
		}
		line := printable(what) + ": " + printable(st.State)
		if st.At != nil {
			line += " " + c.short(*st.At, 0)
		}
		t.paragraph("    ", line+" "+t.styles.faint.Render(cited(st.Evidence)))
	}
}

// dayClock leaves out the date on the day of the subject's T0.
func (v *view) dayClock(s *analyzer.Subject) clock {
	switch {
	case s.Anchor != nil:
		return v.opt.clock(&s.Anchor.Time)
	default:
		return v.opt.clock(v.doc.Bundle.CapturedAt)
	}
}

func (t *text) causes(s *analyzer.Subject) {
	if t.opt.Why {
		t.why(s)
		return
	}
	if len(s.AlsoBlocking) > 0 {
		if s.Outcome == analyzer.Residue {
			t.heading("KEEPS IT FROM BEING CLEANED UP", "")
		} else {
			t.heading("ALSO BLOCKING", "clearing the root cause alone will not free it")
		}
		for _, id := range s.AlsoBlocking {
			t.listed(id, cause(s, id))
		}
	}
	if len(s.Consequences) > 0 {
		t.heading("CONSEQUENCES", "these follow from the root cause")
		for _, id := range s.Consequences {
			t.listed(id, cause(s, id))
		}
	}
	ruledOut := causesOf(s, analyzer.RoleRuledOut)
	if len(ruledOut) > 0 {
		t.heading("RULED OUT", "")
		for i, c := range ruledOut {
			if i == textRuledOut {
				t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more: --why shows all", len(ruledOut)-i)))
				break
			}
			t.paragraph("  "+t.marks.dash+" ", printable(c.ID)+": "+printable(c.Because))
		}
	}
}

func (t *text) listed(id, because string) {
	line := printable(id)
	if because != "" {
		line += ": " + printable(because)
	}
	t.paragraph("  "+t.marks.bullet+" ", line)
}

func leftOnly(rows []analyzer.ResidueCheck) []analyzer.ResidueCheck {
	var out []analyzer.ResidueCheck
	for _, r := range rows {
		if r.State == "left" {
			out = append(out, r)
		}
	}
	return out
}

func (t *text) wayOut(s *analyzer.Subject) {
	if len(s.Remediation) == 0 {
		return
	}
	t.heading("SAFE WAY OUT", "in this order; nothing was run")
	for i, r := range s.Remediation {
		line := tag(s, r)
		if r.Changes != "nothing" {
			line = t.styles.warn.Render(line)
		}
		if r.Risk != "" && r.Risk != "none" {
			line += " risk " + printable(r.Risk)
		}
		t.paragraph(fmt.Sprintf("  %d. ", i+1), line+" "+printable(r.Step)+" "+t.styles.faint.Render(cited(r.Evidence)))
		if r.Precondition != "" {
			t.paragraph("     first: ", printable(r.Precondition)+" ("+met(r.PreconditionMet)+")")
		}
		t.command(r.Command)
		if r.Then != nil {
			t.paragraph("     then: ", printable(*r.Then))
		}
	}
}

// met says whether a step's precondition holds in the bundle.
func met(b *bool) string {
	switch {
	case b == nil:
		return "to be checked"
	case *b:
		return "met"
	}
	return "NOT met"
}

func (t *text) command(c string) {
	if c == "" {
		return
	}
	for line := range strings.Lines(c) {
		t.verbatim("     $ " + printable(strings.TrimRight(line, "\r\n")))
	}
}

func (t *text) force(s *analyzer.Subject) {
	if s.ForceDelete.Because == "" && s.ForceDelete.Safe == nil {
		return
	}
	answer, because := forceAnswer(s)
	style := t.styles.warn
	switch answer {
	case "yes", "not needed":
		style = t.styles.good
	case "no":
		style = t.styles.bad
	}
	t.b.WriteString("\n")
	t.paragraph("", t.styles.strong.Render("FORCE DELETE NOW?")+"  "+style.Render(strings.ToUpper(answer))+": "+printable(because))
}

func (t *text) missing(list []analyzer.Missing) {
	if len(list) == 0 {
		return
	}
	t.heading("MISSING EVIDENCE", "")
	for i, m := range list {
		if i == textMissing && !t.opt.Why {
			t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more: --why shows all", len(list)-i)))
			break
		}
		line := printable(m.What)
		if m.Would != "" {
			line += "; would " + printable(m.Would)
		}
		t.paragraph("  "+t.marks.bullet+" ", line)
		t.command(m.Command)
		if m.Collector != "" && t.opt.Why {
			t.verbatim("    or " + printable(m.Collector))
		}
	}
}

func (t *text) prevention(s *analyzer.Subject) {
	if len(s.Prevention) == 0 {
		return
	}
	t.heading("PREVENTION", "")
	for _, p := range s.Prevention {
		t.paragraph("  "+t.marks.bullet+" ", printable(p.Advice)+" "+t.styles.faint.Render(cited(p.Evidence)))
		for l := range strings.Lines(p.Config) {
			if !t.opt.Why {
				break
			}
			t.verbatim("      " + printable(strings.TrimRight(l, "\n")))
		}
	}
}

// others is a line for each of the other subjects; of many, one for each
// cause and node.
func (t *text) others(others []*analyzer.Subject) {
	if len(others) == 0 {
		return
	}
	if len(others) > textOthers && !t.opt.Why {
		t.heading("OTHERS", plural(len(others), "subject")+", by cause and node")
		groups := t.groups(others)
		for i, g := range groups {
			if i == textOthers {
				t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more groups: --why shows all", len(groups)-i)))
				break
			}
			t.paragraph("  "+t.marks.bullet+" ", t.outcome(g.outcome)+" "+g.line())
		}
		return
	}
	t.heading("OTHERS", plural(len(others), "subject")+", with cause and confidence")
	// Columns, while they fit.
	var width [3]int
	for _, s := range others {
		for i, cell := range otherCells(s) {
			width[i] = max(width[i], ansi.StringWidth(cell))
		}
	}
	fits := 2+width[0]+2+width[1]+2+width[2] <= t.width
	for _, s := range others {
		cells := otherCells(s)
		lead := "  " + pad(t.outcome(s.Outcome), width[0]) + "  "
		if fits {
			cells[1] = pad(cells[1], width[1])
		}
		t.paragraph(lead, cells[1]+"  "+cells[2])
	}
}

func otherCells(s *analyzer.Subject) [3]string {
	verdict := printable(s.Confidence)
	if title := printable(value(s.Cause)); title != "" {
		verdict = title + ", " + verdict
	}
	return [3]string{strings.ToUpper(printable(s.Outcome)), unbroken(name(s)), unbroken(verdict)}
}

func (t *text) limits() {
	lines := limits(t.view)
	if len(lines) == 0 {
		return
	}
	t.heading("CLOCKS AND LIMITS", "")
	for _, l := range lines {
		t.paragraph("  "+t.marks.bullet+" ", l)
	}
}

func (t *text) footer() {
	t.b.WriteString("\n")
	line := t.tally() + " " + unbroken("Report "+printable(t.doc.ReportID)) + "."
	if len(t.ranked) > 0 && t.ranked[0].Cause != nil {
		line += " More on the cause: " + unbroken("podautopsy explain "+printable(*t.ranked[0].Cause))
	}
	t.paragraph("", t.styles.faint.Render(line))
}
