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
	if _, err := io.WriteString(w, t.b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// How much of each list one screen has room for; --why lifts the limits.
const (
	textEvidence   = 6
	textQuoteLines = 2
	textRuledOut   = 6
	textMissing    = 3
	textGroups     = 12
)

type text struct {
	*view
	*page
}

func (t *text) report() {
	t.header()
	ranked := t.ranked()
	if len(ranked) > 0 {
		t.subject(ranked[0])
		t.others(ranked)
	} else {
		t.missing(t.doc.Bundle.Missing)
	}
	t.limits()
	t.footer(ranked)
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
	t.verdict(s)
	t.stages(s)
	t.evidenceLines(s)
	t.causes(s)
	t.residue(s)
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

func (t *text) verdict(s *analyzer.Subject) {
	const label = 12
	inner := t.width - 4
	title := t.outcome(s.Outcome) + "  " + t.styles.strong.Render(name(s))
	if len(s.Nodes) > 0 {
		title += " on " + printable(strings.Join(s.Nodes, ", "))
	}
	lines := []string{hanging("", title, inner)}
	for _, f := range facts(s, t.opt.clock(nil)) {
		lines = append(lines, hanging(t.styles.faint.Render(pad(f.label, label)), f.text, inner))
	}
	t.framed(lines)
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
	if d.Forced != nil && *d.Forced {
		p += ", forced"
	}
	if d.GracePeriodSeconds != nil {
		p += fmt.Sprintf(", grace %ds", *d.GracePeriodSeconds)
	}
	return p
}

// anchored tells T0 and by how much the deletion is late.
func anchored(s *analyzer.Subject, c clock) string {
	var parts []string
	if s.Anchor != nil {
		parts = append(parts, c.full(s.Anchor.Time)+" ("+printable(s.Anchor.Basis)+")")
	}
	if o := overdue(s); o > 0 {
		parts = append(parts, "overdue "+seconds(o))
	}
	return strings.Join(parts, ", ")
}

func (t *text) stages(s *analyzer.Subject) {
	states := bar(s)
	if len(states) == 0 {
		return
	}
	var cells, open []string
	for _, st := range states {
		cell := st.short + " " + t.marks.of(st.state)
		switch st.state {
		case stateFailed:
			cell = t.styles.bad.Render(strings.ToUpper(st.short) + " " + t.marks.failed)
			open = append(open, st.number+" "+st.id+" failed")
		case stateRunning:
			cell = t.styles.warn.Render(cell)
			open = append(open, st.number+" "+st.id+" running")
		case stateDone:
			cell = t.styles.good.Render(cell)
		}
		// A cell must not be torn from its mark at the end of a line.
		cells = append(cells, strings.ReplaceAll(cell, " ", "\u00a0"))
	}
	m := t.marks
	t.heading("STAGES", fmt.Sprintf("%s done  %s failed  %s running  %s not reached  %s not needed  %s unknown",
		m.done, m.failed, m.running, m.notReached, m.notNeeded, m.unknown))
	var b strings.Builder
	b.WriteString(hanging("  ", strings.Join(cells, "  "), t.width))
	t.verbatim(strings.ReplaceAll(b.String(), "\u00a0", " "))
	if len(open) > 0 {
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

func (t *text) evidenceLines(s *analyzer.Subject) {
	shown, more := t.shownEvidence(s, t.limit(textEvidence))
	if len(shown) == 0 {
		return
	}
	c := t.dayClock(s)
	note := c.zone()
	if c.day != "" {
		note += " " + c.day
	}
	if s.Anchor != nil {
		note += ", T counts from " + printable(s.Anchor.Basis)
	}
	t.heading("EVIDENCE", note)
	for _, e := range shown {
		t.evidenceLine(s, e, c)
	}
	if more > 0 {
		t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more: --why shows all", more)))
	}
}

func (t *text) evidenceLine(s *analyzer.Subject, e *analyzer.Evidence, c clock) {
	when := "no time"
	if e.Time != nil {
		when = c.short(*e.Time, e.PrecisionSeconds)
		if s.Anchor != nil {
			when += "  " + pad(fromT0(e.Time.Sub(s.Anchor.Time)), 8)
		}
	}
	head := []string{t.styles.faint.Render(pad(printable(e.ID), 4)), when, t.styles.strong.Render(speaker(e.Node, e.Component)), t.styles.faint.Render(place(e))}
	if n := times(e); n != "" {
		if t.opt.ASCII {
			n = strings.ReplaceAll(n, "×", "x")
		}
		if e.LastTime != nil {
			n += " until " + c.short(*e.LastTime, 1)
		}
		head = append(head, n)
	}
	t.paragraph("  ", strings.Join(head, "  "))
	const indent = "       "
	room := t.width - len(indent)
	rows := textQuoteLines
	if t.opt.Why {
		rows *= 5
	}
	text := shorten(quote(e.Text), rows*room, t.marks.ellipsis)
	for line := range strings.SplitSeq(ansi.Hardwrap(text, room, true), "\n") {
		t.verbatim(strings.TrimRight(indent+line, " "))
	}
}

func (t *text) causes(s *analyzer.Subject) {
	if t.opt.Why {
		t.everyCause(s)
		return
	}
	if len(s.AlsoBlocking) > 0 {
		t.heading("ALSO BLOCKING", "clearing the root cause alone will not free it")
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
			line := printable(c.ID) + ": " + printable(c.Because)
			t.verbatim("  " + t.marks.dash + " " + shorten(line, t.width-4, t.marks.ellipsis))
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

func (t *text) everyCause(s *analyzer.Subject) {
	if len(s.Causes) == 0 {
		return
	}
	t.heading("WHY", "every cause that was considered")
	for _, c := range s.Causes {
		about := printable(c.Role) + ", " + printable(c.Confidence)
		if c.Stage != "" {
			about += ", " + printable(c.Stage)
		}
		if v := value(c.Container); v != "" {
			about += ", container " + printable(v)
		}
		if v := value(c.Volume); v != "" {
			about += ", volume " + printable(v)
		}
		t.paragraph("  "+t.marks.bullet+" ", t.styles.strong.Render(printable(c.ID))+" ("+about+"): "+printable(c.Because))
		if len(c.For) > 0 {
			t.paragraph("      for      ", printable(strings.Join(c.For, " ")))
		}
		if len(c.Against) > 0 {
			t.paragraph("      against  ", printable(strings.Join(c.Against, " ")))
		}
	}
}

func (t *text) residue(s *analyzer.Subject) {
	var rows []analyzer.ResidueCheck
	clear := 0
	for _, r := range s.Residue {
		if r.State == "clear" && !t.opt.Why {
			clear++
			continue
		}
		rows = append(rows, r)
	}
	if s.Outcome != analyzer.Residue && s.Outcome != analyzer.Clean && !t.opt.Why {
		rows = leftOnly(rows)
		if len(rows) == 0 {
			return
		}
	}
	if len(rows) == 0 && clear == 0 {
		return
	}
	note := ""
	if clear > 0 {
		note = plural(clear, "check") + " clear"
	}
	t.heading("LEFT BEHIND", note)
	for _, r := range rows {
		state := printable(r.State)
		switch r.State {
		case "left":
			state = t.styles.bad.Render(state)
		case "clear":
			state = t.styles.good.Render(state)
		}
		t.paragraph("  "+t.marks.bullet+" ", printable(r.Check)+" "+state+": "+printable(r.Detail)+" "+t.styles.faint.Render(cited(r.Evidence)))
	}
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
		line := tag(r.Changes)
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
	}
}

// met says whether a step's precondition holds in the bundle.
func met(b *bool) string {
	switch {
	case b == nil:
		return "not known from this bundle"
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
	answer := forceAnswer(s)
	style := t.styles.warn
	switch answer {
	case "yes":
		style = t.styles.good
	case "no":
		style = t.styles.bad
	}
	t.b.WriteString("\n")
	t.paragraph("", t.styles.strong.Render("FORCE DELETE NOW?")+"  "+style.Render(strings.ToUpper(answer))+": "+printable(s.ForceDelete.Because))
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
	}
}

func (t *text) prevention(s *analyzer.Subject) {
	if len(s.Prevention) == 0 || !t.opt.Why {
		return
	}
	t.heading("PREVENTION", "")
	for _, p := range s.Prevention {
		t.paragraph("  "+t.marks.bullet+" ", printable(p.Advice)+" "+t.styles.faint.Render(cited(p.Evidence)))
	}
}

// others sums up everything but the first subject, by cause and node.
func (t *text) others(ranked []*analyzer.Subject) {
	groups := t.groups(ranked[1:])
	if len(groups) == 0 {
		return
	}
	t.heading("OTHERS", plural(len(ranked)-1, "subject"))
	for i, g := range groups {
		if i == textGroups && !t.opt.Why {
			t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more groups: --why shows all", len(groups)-i)))
			break
		}
		t.paragraph("  "+t.marks.bullet+" ", t.outcome(g.outcome)+" "+g.line())
	}
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

func (t *text) footer(ranked []*analyzer.Subject) {
	t.b.WriteString("\n")
	line := t.tally(ranked) + " Report " + printable(t.doc.ReportID) + "."
	if len(ranked) > 0 && ranked[0].Cause != nil {
		line += " More on the cause: podautopsy explain " + printable(*ranked[0].Cause)
	}
	t.paragraph("", t.styles.faint.Render(line))
}
