package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// mostRows bounds every list: nobody reads more in a ticket.
const (
	mostRows     = 40
	mostEvidence = 20
	mostMoments  = 20
)

func (t *ticket) sections() []*section {
	var out []*section
	add := func(sections ...*section) {
		for _, s := range sections {
			if s != nil && len(s.rows) > 0 {
				out = append(out, s)
			}
		}
	}
	add(t.top())
	if len(t.ranked) > 0 {
		s := t.ranked[0]
		add(t.verdict(s))
		if t.brief {
			add(t.wayOut(s))
		}
		add(t.evidenceRows(s), t.quotes(s), t.moments(s))
		also := "Also blocking"
		if s.Outcome == analyzer.Residue {
			also = "Keeps it from being cleaned up"
		}
		add(t.listed(also, s, s.AlsoBlocking), t.listed("Consequences", s, s.Consequences), t.ruledOut(s), t.residue(s))
		if !t.brief {
			add(t.wayOut(s))
		}
		add(t.missing(missingOf(s)), t.wouldProveWrong(s), t.prevention(s), t.others(t.ranked[1:]))
	} else {
		add(t.missing(t.doc.Bundle.Missing))
	}
	add(t.limits(), t.bottom())
	return out
}

// must is a section of which nothing is ever cut.
func must(rows ...string) *section {
	return &section{rows: rows, worth: worthMust, least: len(rows)}
}

func (t *ticket) top() *section {
	title := "nothing in deletion"
	if len(t.ranked) > 0 {
		s := t.ranked[0]
		title = t.path(name(s)) + " " + t.text(s.Outcome)
	}
	s := must(t.markup.title("Pod autopsy: " + title))
	if t.doc.Partial {
		s.rows = append(s.rows, "", t.markup.paragraph(t.markup.strong("Partial report:")+" interrupted before everything was read."))
	}
	if h := t.doc.Summary.Headline; h != "" {
		s.rows = append(s.rows, "", t.markup.paragraph(t.text(h)))
	}
	s.least = len(s.rows)
	return s
}

// verdict is what a person wants to know first. What only describes the object
// goes before anything else of it does.
func (t *ticket) verdict(s *analyzer.Subject) *section {
	out := &section{head: t.markup.facts(), worth: worthDetail}
	var first, rest []int
	add := func(must bool, label, markup string) {
		if must {
			first = append(first, len(out.rows))
		} else {
			rest = append(rest, len(out.rows))
		}
		out.rows = append(out.rows, t.markup.fact(label, markup))
	}
	on := ""
	if len(s.Nodes) > 0 {
		on = " on " + t.path(strings.Join(s.Nodes, ", "))
	}
	add(true, "Verdict", t.markup.strong(t.text(s.Outcome))+on)
	for _, f := range facts(s, t.opt.clock(nil)) {
		add(slices.Contains([]string{causeLabel(s), "confidence", "because", "T0"}, f.label), capital(f.label), t.text(f.text))
	}
	if left := leftOnly(s.Residue); len(left) > 0 {
		// However few of the rows fit, how many there are stays.
		var names []string
		for _, r := range left[:min(len(left), mostRows)] {
			names = append(names, r.Check)
		}
		add(true, "Left", t.text(fmt.Sprintf("%d of %d on the check-list: %s", len(left), len(s.Residue), strings.Join(names, ", "))))
	}
	states := bar(s)
	if held := heldAt(s, states); len(held) > 0 {
		add(true, "Blocked at", t.text(strings.Join(held, ", ")))
	}
	if len(states) > 0 && s.Outcome != analyzer.NotDeleting && !t.brief {
		add(false, "Stages", t.stages(states))
	}
	if s.ForceDelete.Because != "" || s.ForceDelete.Safe != nil {
		answer, because := forceAnswer(s)
		add(true, "Force delete now?", t.markup.strong(capital(answer)+":")+" "+t.text(because))
	}
	out.least, out.order = len(first), append(first, rest...)
	return out
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func (t *ticket) stages(states []stageState) string {
	var parts []string
	for _, st := range states {
		p := st.short + " " + unicodeMarks.of(st.state)
		if st.state == stateFailed || st.state == stateRunning {
			p = t.markup.strong(st.number + " " + st.id + " " + st.state)
		}
		parts = append(parts, p)
	}
	return strings.Join(parts, ", ")
}

func (t *ticket) mostEvidence() int {
	if t.brief {
		return 3
	}
	return mostEvidence
}

func (t *ticket) evidenceRows(s *analyzer.Subject) *section {
	shown, more := t.shownEvidence(s, t.mostEvidence())
	if len(shown) == 0 {
		return nil
	}
	c := t.dayClock(s)
	out := &section{
		title: strings.TrimSpace("Evidence (" + strings.TrimSpace(c.zone()+" "+c.day) + ")"),
		head:  t.markup.table([]string{"#", "Time", "T±", "Where", "File", "Count"}),
		worth: worthEvidence, of: len(shown) + more,
	}
	if t.brief {
		out.worth = worthQuote // where a line stands helps less in a chat than what it says
	}
	if s.Anchor != nil && !t.brief {
		out.intro = t.markup.paragraph("T counts from " + t.text(s.Anchor.Basis) + ", " + c.full(s.Anchor.Time) + ".")
	}
	for _, e := range shown {
		when, since := t.when(s, e, c)
		out.rows = append(out.rows, t.markup.row([]string{t.text(e.ID), when, since, t.text(speaker(e.Node, e.Component)), t.path(place(e)), times(e)}))
	}
	return out
}

func (t *ticket) quotes(s *analyzer.Subject) *section {
	shown, _ := t.shownEvidence(s, t.mostEvidence())
	out := &section{worth: worthQuote, join: func(rows []string) string {
		var lines []string
		for _, r := range rows {
			lines = append(lines, strings.Split(r, "\n")...)
		}
		return t.markup.quotes(lines)
	}}
	if t.brief {
		out.worth = worthEvidence
	}
	for _, e := range shown {
		lead := clip(e.ID, t.say) + "  "
		var lines []string
		for _, line := range excerpt(e, max(40, min(600, t.say)), 1, textQuoteLines, unicodeMarks) {
			lines = append(lines, lead+clip(line, 2*max(40, min(600, t.say))))
			lead = strings.Repeat(" ", len(lead))
		}
		if len(lines) > 0 {
			out.rows = append(out.rows, strings.Join(lines, "\n"))
		}
	}
	return out
}

// moments is the timeline around the verdict: of many, those that prove most.
func (t *ticket) moments(s *analyzer.Subject) *section {
	if t.brief {
		return nil
	}
	weights := weigh([]*analyzer.Subject{s})
	c := t.dayClock(s)
	type entry struct{ index, relevance int }
	var mine []*analyzer.Moment
	var ranked []entry
	all := t.view.moments()
	for i := range all {
		m := &all[i]
		if m.Time == nil || !slices.ContainsFunc(m.Subjects, func(x analyzer.SubjectMoment) bool { return x.ID == s.ID }) {
			continue
		}
		e := entry{index: len(mine), relevance: relevanceOther}
		if w := weights[value(m.Evidence)]; w != nil {
			e.relevance = w.relevance
		} else if m.Inferred {
			e.relevance = relevanceRoot // T0 and the request
		}
		mine, ranked = append(mine, m), append(ranked, e)
	}
	slices.SortStableFunc(ranked, func(a, b entry) int { return cmp.Compare(b.relevance, a.relevance) })
	ranked = ranked[:min(len(ranked), mostMoments)]
	kept := make([]int, 0, len(ranked))
	for _, e := range ranked {
		kept = append(kept, e.index)
	}
	slices.Sort(kept)
	out := &section{
		title: "Timeline (" + strings.TrimSpace(c.zone()+" "+c.day) + ")", fold: true,
		head:  t.markup.table([]string{"Time", "T±", "Where", "What", "Evidence"}),
		worth: worthTimeline, of: len(mine),
	}
	for _, i := range kept {
		m := mine[i]
		what := t.text(m.What)
		if m.Inferred {
			what += " (inferred)"
		}
		out.rows = append(out.rows, t.markup.row([]string{
			c.short(*m.Time, 0), t.sinceT0(m), t.text(speaker(m.Node, m.Component)), what + corrected(m), t.text(value(m.Evidence)),
		}))
	}
	for _, e := range ranked {
		at, _ := slices.BinarySearch(kept, e.index)
		out.order = append(out.order, at)
	}
	return out
}

func (t *ticket) listed(title string, s *analyzer.Subject, ids []string) *section {
	out := &section{title: title, worth: worthBeside, of: len(ids)}
	for _, id := range ids[:min(len(ids), mostRows)] {
		out.rows = append(out.rows, labelled(t.markup, s, id, func(s string) string { return clip(s, t.say) }))
	}
	return out
}

func (t *ticket) ruledOut(s *analyzer.Subject) *section {
	causes := causesOf(s, analyzer.RoleRuledOut)
	out := &section{title: "Ruled out", worth: worthRuledOut, of: len(causes)}
	for _, c := range causes[:min(len(causes), mostRows)] {
		out.rows = append(out.rows, t.markup.bullet(t.markup.strong(t.text(c.ID))+": "+t.text(c.Because, c.Against...)))
	}
	return out
}

func (t *ticket) residue(s *analyzer.Subject) *section {
	checks := s.Residue
	if t.brief {
		checks = leftOnly(checks)
	}
	out := &section{title: "Check-list", worth: worthResidue, of: len(checks)}
	told := ""
	for _, r := range checks[:min(len(checks), mostRows)] {
		l := t.markup.box(r.State == analyzer.RowClear) + " " + t.text(r.Check) + " " + t.markup.strong(t.text(r.State)) + ": " + t.text(r.Detail, r.Evidence...)
		if r.State == analyzer.RowLeft && r.May != "" {
			l += ". " + t.text("It "+r.May) + "."
		}
		if c := r.Clearing; c != nil {
			if c.Expect != told {
				told = c.Expect
				l += " " + t.text(c.Expect)
			}
			l += " " + t.text(c.How)
		}
		if r.Command != "" && r.State == analyzer.RowUnknown && len(r.Command) <= t.longest() && !strings.Contains(r.Command, "\n") {
			l += " (check: " + t.markup.name(r.Command) + ")"
		}
		out.rows = append(out.rows, t.markup.bullet(l))
	}
	return out
}

// longest is how long a command may be. One that is cut would be another.
func (t *ticket) longest() int { return 4 * t.say }

// command is a block to copy, or where it stands.
func (t *ticket) command(command string) string {
	if command == "" {
		return ""
	}
	if len(command) <= t.longest() {
		var lines []string
		for l := range strings.Lines(command) {
			lines = append(lines, printable(strings.TrimRight(l, "\r\n")))
		}
		if c := t.markup.command(lines); c != "" {
			return "\n" + c
		}
	}
	return "\n" + t.markup.under("The command stands in the report: it is not for this page.")
}

func (t *ticket) wayOut(s *analyzer.Subject) *section {
	out := &section{title: "Safe way out", intro: "In this order; nothing was run.", worth: worthStep, least: min(2, len(s.Remediation)), of: len(s.Remediation)}
	for i, r := range s.Remediation[:min(len(s.Remediation), mostRows)] {
		changes := strings.Trim(tag(s, r), "[]")
		if r.Risk != "" && r.Risk != "none" {
			changes += ", risk " + r.Risk
		}
		l := t.markup.step(i+1, t.markup.strong(t.text(changes)+":")+" "+t.text(r.Step, r.Evidence...))
		if r.Precondition != "" {
			l += "\n" + t.markup.under("First: "+t.text(r.Precondition)+" ("+met(r.PreconditionMet)+").")
		}
		l += t.command(r.Command)
		if r.Then != nil {
			l += "\n" + t.markup.under("Then: "+t.text(*r.Then)+".")
		}
		out.rows = append(out.rows, l)
	}
	return out
}

func (t *ticket) missing(list []analyzer.Missing) *section {
	out := &section{title: "Missing evidence", worth: worthMissing, of: len(list)}
	for _, x := range list[:min(len(list), mostRows)] {
		l := t.text(x.What)
		if x.Would != "" {
			l += "; would " + t.text(x.Would)
		}
		l = t.markup.bullet(l)
		if !t.brief {
			l += t.command(x.Command)
		}
		out.rows = append(out.rows, l)
	}
	return out
}

func (t *ticket) wouldProveWrong(s *analyzer.Subject) *section {
	if s.WouldProveWrong == nil {
		return nil
	}
	return &section{title: "Would prove it wrong", worth: worthRefuted, rows: []string{t.markup.paragraph(capital(t.text(*s.WouldProveWrong)) + ".")}}
}

func (t *ticket) prevention(s *analyzer.Subject) *section {
	out := &section{title: "Prevention", worth: worthPrevention, of: len(s.Prevention)}
	for _, p := range s.Prevention[:min(len(s.Prevention), mostRows)] {
		l := t.markup.bullet(t.text(p.Advice, p.Evidence...))
		if p.Config != "" {
			l += t.command(p.Config)
		}
		out.rows = append(out.rows, l)
	}
	return out
}

// others is a row for each of the other subjects; of many, one for each cause
// and node.
func (t *ticket) others(others []*analyzer.Subject) *section {
	if len(others) == 0 {
		return nil
	}
	out := &section{title: "Others", worth: worthOthers}
	if len(others) <= textOthers {
		out.head = t.markup.table([]string{"Outcome", "Subject", "Cause", "Confidence", "Overdue"})
		for _, s := range others {
			late := ""
			if o := overdue(s); o > 0 {
				late = seconds(o)
			}
			out.rows = append(out.rows, t.markup.row([]string{t.text(s.Outcome), t.path(name(s)), t.text(cmp.Or(value(s.Cause), "–")), t.text(s.Confidence), late}))
		}
		return out
	}
	out.head = t.markup.table([]string{"Outcome", "Cause", "Node", "Confidence", "Longest overdue", "Subjects"})
	groups := t.groups(others)
	out.of = len(groups)
	for _, g := range groups[:min(len(groups), mostRows)] {
		late := ""
		if g.longest > 0 {
			late = seconds(g.longest)
		}
		var names []string
		for _, n := range g.names() {
			names = append(names, t.path(n))
		}
		if n := len(g.subjects) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("and %d more", n))
		}
		out.rows = append(out.rows, t.markup.row([]string{t.text(g.outcome), t.text(cmp.Or(g.cause, "–")), t.text(g.node), t.text(g.confidence), late, strings.Join(names, ", ")}))
	}
	return out
}

func (t *ticket) limits() *section {
	lines := []string{strings.Join(bundleLine(t.view, t.opt.clock(nil)), ", ")}
	out := &section{title: "Sources, clocks, limits", worth: worthLimits, least: 1}
	for _, l := range append(lines, limits(t.view)...) {
		out.rows = append(out.rows, t.markup.bullet(t.text(l)))
	}
	if in := t.doc.Bundle.Inputs; len(in) == 1 && in[0].SHA256 != "" {
		out.rows = slices.Insert(out.rows, 1, t.markup.bullet(t.path(in[0].Path)+" sha256 "+t.path(in[0].SHA256)))
	}
	out.least = min(2, len(out.rows))
	if r := redacted(t.doc); r != "" {
		out.rows = slices.Insert(out.rows, 0, t.markup.bullet(t.text(r)))
		out.least++
	}
	return out
}

func (t *ticket) bottom() *section {
	return must(t.markup.paragraph(t.text(t.tally()) + " Report " + t.path(t.doc.ReportID) + "."))
}
