package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"podautopsy/analyzer"
)

// ticketBytes is what issue trackers take for certain: GitHub refuses more than
// 65,536 characters.
const ticketBytes = 60_000

// amount is how much of each list, and of each quoted line, is shown.
type amount struct{ evidence, rows, quote int }

// amounts are tried in turn until a ticket takes the report.
var amounts = []amount{{20, 40, 600}, {12, 20, 300}, {6, 10, 160}, {3, 5, 100}}

// Markdown writes the report for a ticket: what the terminal shows, as tables
// and fenced quotes.
func Markdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	var m *markdown
	for _, a := range amounts {
		m = &markdown{view: v, amount: a}
		m.report()
		if m.b.Len() <= ticketBytes {
			break
		}
	}
	return m.flush(w)
}

type markdown struct {
	*view
	amount
	b strings.Builder
}

// line writes a line; blank ones do not pile up.
func (m *markdown) line(s string) {
	if s == "" && strings.HasSuffix(m.b.String(), "\n\n") {
		return
	}
	m.b.WriteString(s + "\n")
}

// section starts a heading with the blank lines that Markdown wants.
func (m *markdown) section(title string) {
	m.line("")
	m.line("#### " + title)
	m.line("")
}

func (m *markdown) row(cells ...string) { m.line("| " + strings.Join(cells, " | ") + " |") }

func (m *markdown) flush(w io.Writer) error {
	if _, err := io.WriteString(w, m.b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func (m *markdown) report() {
	ranked := m.ranked
	title := "nothing in deletion"
	if len(ranked) > 0 {
		title = code(name(ranked[0])) + " " + prose(ranked[0].Outcome)
	}
	m.line("### Pod autopsy: " + title)
	m.line("")
	if m.doc.Partial {
		m.line("**Partial report:** interrupted before everything was read.")
		m.line("")
	}
	if m.doc.Summary.Headline != "" {
		m.line(prose(m.doc.Summary.Headline))
	}
	if len(ranked) > 0 {
		m.subject(ranked[0])
		m.others(ranked[1:])
	} else {
		m.missing(m.doc.Bundle.Missing)
	}
	m.sources()
	m.line("")
	m.line(prose(m.tally()) + " Report `" + strings.Trim(code(m.doc.ReportID), "`") + "`.")
}

func (m *markdown) subject(s *analyzer.Subject) {
	m.line("")
	m.line("| | |")
	m.line("|---|---|")
	m.row("**Verdict**", strings.TrimSpace("**"+prose(s.Outcome)+"**"+onNodes(s)))
	for _, f := range facts(s, m.opt.clock(nil)) {
		m.row("**"+capital(f.label)+"**", cell(f.text))
	}
	if len(s.Stages) > 0 && s.Outcome != analyzer.NotDeleting {
		m.row("**Stages**", m.stages(s))
	}
	if s.ForceDelete.Because != "" || s.ForceDelete.Safe != nil {
		answer, because := forceAnswer(s)
		m.row("**Force delete now?**", "**"+capital(answer)+":** "+cell(because))
	}
	m.quotes(s)
	also := "Also blocking"
	if s.Outcome == analyzer.Residue {
		also = "Keeps it from being cleaned up"
	}
	m.listed(also, s, s.AlsoBlocking)
	m.listed("Consequences", s, s.Consequences)
	m.ruledOut(s)
	m.residue(s)
	m.wayOut(s)
	m.missing(missingOf(s))
	m.wouldProveWrong(s)
	m.prevention(s)
}

func onNodes(s *analyzer.Subject) string {
	if len(s.Nodes) == 0 {
		return ""
	}
	return " on " + code(strings.Join(s.Nodes, ", "))
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (m *markdown) stages(s *analyzer.Subject) string {
	var parts []string
	for _, st := range bar(s) {
		p := st.short + " " + unicodeMarks.of(st.state)
		if st.state == stateFailed || st.state == stateRunning {
			p = "**" + st.number + " " + st.id + " " + st.state + "**"
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ", ")
}

func (m *markdown) quotes(s *analyzer.Subject) {
	shown, more := m.shownEvidence(s, m.amount.evidence)
	if len(shown) == 0 {
		return
	}
	c := m.dayClock(s)
	m.section(strings.TrimSpace("Evidence (" + strings.TrimSpace(c.zone()+" "+c.day) + ")"))
	if s.Anchor != nil {
		m.line("T counts from " + prose(s.Anchor.Basis) + ", " + c.full(s.Anchor.Time) + ".")
		m.line("")
	}
	m.line("| # | Time | T± | Where | File | Count |")
	m.line("|---|---|---:|---|---|---:|")
	var quotes []string
	for _, e := range shown {
		when, since := m.when(s, e, c)
		m.row(cell(e.ID), when, since, cell(speaker(e.Node, e.Component)), code(place(e)), fmt.Sprint(max(e.Count, 1)))
		lead := printable(e.ID) + "  "
		for _, line := range excerpt(e, m.quote, 1, textQuoteLines, unicodeMarks) {
			quotes = append(quotes, lead+line)
			lead = strings.Repeat(" ", len(lead))
		}
	}
	m.line("")
	m.line(fenced(quotes))
	if more > 0 {
		m.line("")
		m.line(fmt.Sprintf("%d of %d pieces of evidence shown.", len(shown), len(shown)+more))
	}
}

func (m *markdown) listed(title string, s *analyzer.Subject, ids []string) {
	if len(ids) == 0 {
		return
	}
	m.section(title)
	for _, id := range ids {
		l := "- **" + prose(id) + "**"
		if b := cause(s, id); b != "" {
			l += ": " + prose(b)
		}
		m.line(l)
	}
}

func (m *markdown) ruledOut(s *analyzer.Subject) {
	out := causesOf(s, analyzer.RoleRuledOut)
	if len(out) == 0 {
		return
	}
	m.section("Ruled out")
	for i, c := range out {
		if i == m.rows {
			m.line(fmt.Sprintf("- and %d more", len(out)-i))
			break
		}
		m.line("- **" + prose(c.ID) + "**: " + prose(c.Because+" "+cited(c.Against)))
	}
}

func (m *markdown) residue(s *analyzer.Subject) {
	rows := s.Residue
	if s.Outcome != analyzer.Residue && s.Outcome != analyzer.Clean {
		rows = leftOnly(rows)
	}
	if len(rows) == 0 {
		return
	}
	m.section("Left behind")
	for _, r := range rows {
		box := "[ ]"
		if r.State == "clear" {
			box = "[x]"
		}
		l := "- " + box + " " + prose(r.Check) + " **" + prose(r.State) + "**: " + prose(r.Detail+" "+cited(r.Evidence))
		if r.Command != "" && r.State != "clear" {
			l += " (check: " + code(r.Command) + ")"
		}
		m.line(l)
	}
}

func (m *markdown) wayOut(s *analyzer.Subject) {
	if len(s.Remediation) == 0 {
		return
	}
	m.section("Safe way out")
	m.line("In this order; nothing was run.")
	m.line("")
	for i, r := range s.Remediation {
		l := fmt.Sprintf("%d. **%s** ", i+1, strings.Trim(tag(r.Changes), "[]"))
		if r.Risk != "" && r.Risk != "none" {
			l += "(risk " + prose(r.Risk) + ") "
		}
		m.line(l + prose(r.Step+" "+cited(r.Evidence)))
		if r.Precondition != "" {
			m.line("   First: " + prose(r.Precondition) + " (" + met(r.PreconditionMet) + ").")
		}
		m.command("   ", r.Command)
		if r.Then != nil {
			m.line("   Then: " + prose(*r.Then) + ".")
		}
	}
}

// command is a block to copy, inside a list item of that indent.
func (m *markdown) command(indent, command string) {
	if command == "" {
		return
	}
	var lines []string
	for l := range strings.Lines(command) {
		lines = append(lines, printable(strings.TrimRight(l, "\r\n")))
	}
	m.line("")
	for l := range strings.SplitSeq(fenced(lines), "\n") {
		m.line(indent + l)
	}
	m.line("")
}

func (m *markdown) missing(list []analyzer.Missing) {
	if len(list) == 0 {
		return
	}
	m.section("Missing evidence")
	for i, x := range list {
		if i == m.rows {
			m.line(fmt.Sprintf("- and %d more", len(list)-i))
			break
		}
		l := "- " + prose(x.What)
		if x.Would != "" {
			l += "; would " + prose(x.Would)
		}
		m.line(l)
		m.command("  ", x.Command)
	}
}

func (m *markdown) prevention(s *analyzer.Subject) {
	if len(s.Prevention) == 0 {
		return
	}
	m.section("Prevention")
	for _, p := range s.Prevention {
		m.line("- " + prose(p.Advice+" "+cited(p.Evidence)))
	}
}

func (m *markdown) others(others []*analyzer.Subject) {
	if len(others) == 0 {
		return
	}
	m.section("Others")
	if len(others) <= min(textOthers, m.rows) {
		m.line("| Outcome | Subject | Cause | Confidence | Overdue |")
		m.line("|---|---|---|---|---:|")
		for _, s := range others {
			late := ""
			if o := overdue(s); o > 0 {
				late = seconds(o)
			}
			m.row(cell(s.Outcome), code(name(s)), cell(cmp.Or(value(s.Cause), "–")), cell(s.Confidence), late)
		}
		return
	}
	groups := m.groups(others)
	m.line("| Outcome | Cause | Node | Confidence | Longest overdue | Subjects |")
	m.line("|---|---|---|---|---:|---|")
	for i, g := range groups {
		if i == m.rows {
			m.row("…", fmt.Sprintf("and %d more groups", len(groups)-i), "", "", "", "")
			break
		}
		late := ""
		if g.longest > 0 {
			late = seconds(g.longest)
		}
		var names []string
		for _, n := range g.names() {
			names = append(names, code(n))
		}
		if n := len(g.subjects) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("and %d more", n))
		}
		m.row(cell(g.outcome), cell(cmp.Or(g.cause, "–")), cell(g.node), cell(g.confidence), late, strings.Join(names, ", "))
	}
}

func (m *markdown) sources() {
	m.section("Sources, clocks, limits")
	m.line("- " + prose(strings.Join(bundleLine(m.view, m.opt.clock(nil)), ", ")))
	for _, in := range m.doc.Bundle.Inputs {
		if len(m.doc.Bundle.Inputs) > 1 || in.SHA256 == "" {
			break
		}
		m.line("- " + code(in.Path) + " sha256 " + code(in.SHA256))
	}
	for _, l := range limits(m.view) {
		m.line("- " + prose(l))
	}
}
