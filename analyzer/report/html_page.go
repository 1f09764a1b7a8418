package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// htmlPage is what the template prints. Its strings are printable; the
// template escapes them for where they stand.
type htmlPage struct {
	Policy string
	Style  template.CSS
	Script template.JS

	Title    string
	Tool     string
	ReportID string
	Captured string
	Bundle   string
	Partial  bool
	Redacted string // how, if names are tokens
	Headline string // where no single subject speaks for the report
	Tally    string
	Overview []htmlOverview
	More     string // what the overview leaves out
	Subjects []*htmlSubject
	Missing  []htmlMissing // where there is no subject that asks for it
	Limits   []string
	Sources  htmlSources
	Tooled   bool // there is a timeline, and so something to control

	view    *view
	amount  htmlAmount
	homes   map[string]*analyzer.Evidence // evidence that has a place in the page
	anchors map[*analyzer.Subject]string  // places of subjects
	spread  map[string]float64            // of each node's clock, seconds
}

// htmlOverview is one subject in the list of all.
type htmlOverview struct {
	Href, Outcome, Tone, Name, Cause, Confidence, Node, Late, Force string
}

// htmlSubject is everything about one subject.
type htmlSubject struct {
	Anchor     string
	Name, Kind string
	Outcome    string
	Tone       string // of the outcome: bad, warn, good or plain
	Nodes      string
	Headline   []words
	Since      htmlAnswer
	Why        htmlAnswer
	Force      htmlAnswer
	Steps      []htmlStep
	MoreSteps  string
	Stages     []htmlStage
	Held       string
	Facts      []htmlFact
	Chart      *chart
	Proof      []htmlProof
	Causes     []htmlCause
	RuledOut   []htmlCause
	Wrong      []words // what would refute the verdict
	Left       []htmlResidue
	LeftClear  string
	Missing    []htmlMissing
	Prevention []htmlAdvice
	Events     []*htmlEvent
	Zone       string
	Counts     string // of the events
}

// htmlFact is a labelled word or two about a subject.
type htmlFact struct{ Label, Text string }

// htmlAnswer is a short answer and what it rests on.
type htmlAnswer struct {
	Short, Tone string
	Long        []words
	Notes       []string
}

type htmlStep struct {
	N                          int
	Tag, Tone, Risk            string
	Text                       []words
	First, FirstMet, FirstTone string
	Command, Then              string
	Evidence                   []words
}

type htmlStage struct {
	Number, Name, State, Mark, Title, Clock string
	Held                                    bool
}

// htmlProof is a piece of evidence quoted at length.
type htmlProof struct {
	ID, Home, Href, Class, T0, Clock, Clocked, Who, Count, Place string
	Also                                                         []string
	Before, After                                                []string // in the file
	Lines                                                        [][]words
}

type htmlCause struct {
	ID, Role, Confidence, Stage, Part string
	Because, Demoted                  []words
	For, Against                      []words
	Missing                           []string
}

type htmlResidue struct {
	Check, State, Command string
	Detail                []words
	Evidence              []words
	May, Expect, How      string
}

type htmlMissing struct{ What, Would, Command string }

type htmlAdvice struct {
	Text     []words
	Evidence []words
	Config   string
}

func newHTMLPage(v *view, a htmlAmount) *htmlPage {
	h := &htmlPage{
		Policy: policy(), Style: template.CSS(htmlStyle), Script: template.JS(htmlScript), //nolint:gosec // both are this package's own files
		view: v, amount: a, homes: map[string]*analyzer.Evidence{}, anchors: map[*analyzer.Subject]string{}, spread: map[string]float64{},
		Partial: v.doc.Partial, Redacted: redacted(v.doc), Tally: v.tally(),
	}
	for _, n := range v.doc.Bundle.Nodes {
		if n.ClockSkewSpread != nil {
			h.spread[n.Name] = *n.ClockSkewSpread
		}
	}
	h.Tool = h.cut(strings.TrimSpace(v.doc.Tool.Name + " " + v.doc.Tool.Version))
	h.ReportID = clip(v.doc.ReportID, 80)
	h.Title = "Nothing is stuck"
	if len(v.ranked) > 0 {
		s := v.ranked[0]
		h.Title = clip(name(s), 200) + " " + clip(s.Outcome, 40)
		if n := len(v.ranked) - 1; n > 0 {
			h.Title += fmt.Sprintf(" and %d more", n)
		}
	}
	if len(v.ranked) != 1 {
		h.Headline = h.cut(v.doc.Summary.Headline)
	}
	line := bundleLine(v, v.opt.clock(nil))
	h.Bundle, h.Captured = clip(strings.Join(line[1:len(line)-1], ", "), 300), line[len(line)-1]
	h.subjects()
	if len(v.ranked) == 0 {
		h.Missing = h.missing(v.doc.Bundle.Missing)
	}
	h.sources()
	return h
}

// subjects shows the most severe in full, within the page's amount of events.
func (h *htmlPage) subjects() {
	ranked := h.view.ranked
	full := ranked[:min(len(ranked), h.amount.subjects)]
	h.name(full)
	// The first to want room gets it, but nobody is left without.
	const least = 20
	room := h.amount.events
	type listed struct {
		events []*htmlEvent
		left   int
		proof  []*analyzer.Evidence
	}
	var lists []listed
	for i, s := range full {
		var l listed
		l.events, l.left = h.eventsOf(s, max(least, room-least*(len(full)-1-i)))
		room -= len(l.events)
		l.proof = h.proofOf(s)
		lists = append(lists, l)
	}
	// Every piece of evidence has one place, which all sentences link to: the
	// quotation of the first subject whose verdict rests on it, else a row.
	proofs := make([][]htmlProof, len(full))
	for i, s := range full {
		for _, e := range lists[i].proof {
			proofs[i] = append(proofs[i], h.prove(s, e))
		}
	}
	for _, l := range lists {
		h.settle(l.events)
	}
	for i, s := range full {
		h.Subjects = append(h.Subjects, h.subject(s, proofs[i], lists[i].events, lists[i].left))
	}
	if len(ranked) < 2 {
		return
	}
	for i, s := range ranked {
		if i == h.amount.overview {
			h.More = fmt.Sprintf("and %d more, which are in the JSON report", len(ranked)-i)
			break
		}
		row := htmlOverview{
			Outcome: clip(s.Outcome, 40), Tone: tone(s.Outcome), Name: clip(name(s), 300), Cause: clip(value(s.Cause), 100),
			Confidence: clip(s.Confidence, 40), Node: clip(strings.Join(s.Nodes, ", "), 200),
		}
		if i < len(full) {
			row.Href = "#" + h.anchors[s]
		}
		if o := overdue(s); o > 0 {
			row.Late = seconds(o)
		}
		row.Force, _ = forceAnswer(s)
		h.Overview = append(h.Overview, row)
	}
}

// name gives every subject its own place in the page, also where a converted
// file has the same id twice.
func (h *htmlPage) name(subjects []*analyzer.Subject) {
	taken := map[string]bool{}
	for i, s := range subjects {
		a := s.ID
		if taken[a] || !plainSubject.MatchString(a) {
			a = fmt.Sprintf("subject-%d", i+1)
		}
		taken[a] = true
		h.anchors[s] = a
	}
}

// tone is the colour of an outcome.
func tone(outcome string) string {
	switch outcome {
	case analyzer.Stuck, analyzer.Residue:
		return "bad"
	case analyzer.Clean:
		return "good"
	case analyzer.NotDeleting:
		return "plain"
	}
	return "warn"
}

func (h *htmlPage) subject(s *analyzer.Subject, proof []htmlProof, events []*htmlEvent, left int) *htmlSubject {
	day := h.view.dayClock(s)
	out := &htmlSubject{
		Anchor: h.anchors[s], Name: clip(bareName(s), 300), Kind: clip(cmp.Or(s.Kind, "object"), 60), Outcome: clip(s.Outcome, 40), Tone: tone(s.Outcome),
		Nodes: clip(strings.Join(s.Nodes, ", "), 200), Headline: h.linked(lead(s)),
		Since: h.since(s), Why: h.why(s), Force: h.force(s),
		Chart: h.newChart(s, events), Proof: proof, Events: events,
		Missing: h.missing(missingOf(s)), Zone: strings.TrimSpace(day.zone() + " " + day.day),
	}
	h.Tooled = h.Tooled || out.Chart != nil
	out.Counts = h.counts(s, len(events), left)
	h.stages(s, out)
	h.facts(s, out)
	for i, r := range s.Remediation {
		if i == h.amount.list {
			out.MoreSteps = fmt.Sprintf("and %d more", len(s.Remediation)-i)
			break
		}
		out.Steps = append(out.Steps, h.step(i+1, s, r))
	}
	for i := range s.Causes {
		if len(out.Causes)+len(out.RuledOut) == h.amount.list {
			break
		}
		c := h.cause(&s.Causes[i])
		if s.Causes[i].Role == analyzer.RoleRuledOut {
			out.RuledOut = append(out.RuledOut, c)
		} else {
			out.Causes = append(out.Causes, c)
		}
	}
	if s.WouldProveWrong != nil {
		out.Wrong = h.linked(*s.WouldProveWrong)
	}
	h.left(s, out)
	for i, p := range s.Prevention {
		if i == h.amount.list {
			break
		}
		out.Prevention = append(out.Prevention, htmlAdvice{h.linked(p.Advice), h.refs(p.Evidence), command(p.Config)})
	}
	return out
}

// lead is the summary without the reason, which has a place of its own.
func lead(s *analyzer.Subject) string {
	sum, why := strings.TrimRight(s.Summary, "."), strings.TrimRight(because(s), ".")
	if at := len(sum) - len(why); at > 0 && why != "" && strings.EqualFold(sum[at:], why) && strings.HasSuffix(sum[:at], ". ") {
		return strings.TrimRight(sum[:at], " ")
	}
	return s.Summary
}

// bareName is the subject's name without its kind.
func bareName(s *analyzer.Subject) string {
	return strings.TrimPrefix(name(s), printable(s.Kind)+" ")
}

// since answers "since when".
func (h *htmlPage) since(s *analyzer.Subject) htmlAnswer {
	a := htmlAnswer{Tone: "plain"}
	c := h.view.opt.clock(nil)
	switch o := overdue(s); {
	case o > 0:
		a.Short, a.Tone = seconds(o)+" overdue", tone(s.Outcome)
	case o < 0:
		a.Short = "due in " + seconds(-o)
	case s.Deletion != nil && s.Deletion.RequestedAt != nil && h.view.doc.Bundle.CapturedAt != nil && h.view.doc.Bundle.CapturedAt.After(*s.Deletion.RequestedAt):
		a.Short = span(h.view.doc.Bundle.CapturedAt.Sub(*s.Deletion.RequestedAt)) + " since the request"
	case s.Anchor != nil:
		a.Short = c.full(s.Anchor.Time)
	default:
		a.Short = "not known"
	}
	if r := requested(s, c); r != "" {
		a.Notes = append(a.Notes, "requested "+h.cut(r))
	}
	if s.Anchor != nil {
		a.Notes = append(a.Notes, "T0 "+c.full(s.Anchor.Time)+" ("+h.cut(basis(s))+")")
	}
	if captured := h.view.doc.Bundle.CapturedAt; captured != nil {
		a.Notes = append(a.Notes, "captured "+c.full(*captured))
	}
	return a
}

// why answers "why", in the cause's words.
func (h *htmlPage) why(s *analyzer.Subject) htmlAnswer {
	a := htmlAnswer{Short: clip(value(s.Cause), 100), Tone: "plain", Long: h.linked(shortIDs(because(s), "…"))}
	if a.Short == "" {
		a.Short = "no cause found"
	}
	if sub := value(s.Subcause); sub != "" {
		a.Notes = append(a.Notes, h.cut(sub))
	}
	for i, id := range s.AlsoBlocking {
		if i == h.amount.list {
			break
		}
		a.Notes = append(a.Notes, "also blocking: "+h.cut(id))
	}
	a.Notes = append(a.Notes, "confidence: "+h.cut(s.Confidence))
	return a
}

// force answers "may I force-delete it now".
func (h *htmlPage) force(s *analyzer.Subject) htmlAnswer {
	answer, because := forceAnswer(s)
	a := htmlAnswer{Short: answer, Tone: "warn", Long: h.linked(because)}
	switch answer {
	case "yes", "not needed":
		a.Tone = "good"
	case "no":
		a.Tone = "bad"
	}
	if because == "" {
		a.Long = []words{{Text: "the evidence does not tell"}}
	}
	return a
}

func (h *htmlPage) facts(s *analyzer.Subject, out *htmlSubject) {
	for _, f := range facts(s, h.view.opt.clock(nil)) {
		switch f.label {
		case "because", "root cause", "waits for", "reason", "confidence", "requested", "T0":
			continue // answered above
		}
		out.Facts = append(out.Facts, htmlFact{f.label, clip(f.text, h.amount.words)})
	}
}

func (h *htmlPage) step(n int, s *analyzer.Subject, r analyzer.Remedy) htmlStep {
	st := htmlStep{N: n, Tag: strings.Trim(tag(s, r), "[]"), Tone: "read", Text: h.linked(r.Step), Command: command(r.Command), Evidence: h.refs(r.Evidence)}
	st.Tag = h.cut(st.Tag)
	if r.Changes != "nothing" {
		st.Tone = "change"
	}
	if r.Risk != "" && r.Risk != "none" {
		st.Risk = "risk " + h.cut(r.Risk)
	}
	if r.Precondition != "" {
		st.First, st.FirstMet, st.FirstTone = h.cut(r.Precondition), met(r.PreconditionMet), "warn"
		if r.PreconditionMet != nil {
			st.FirstTone = "good"
			if !*r.PreconditionMet {
				st.FirstTone = "bad"
			}
		}
	}
	if r.Then != nil {
		st.Then = h.cut(*r.Then)
	}
	return st
}

// command is what to copy. A part of a command may do more harm than the
// whole, so it is never cut.
func command(c string) string {
	const longest = 4 << 10
	if len(c) > longest {
		return "# too long to be shown; the JSON report has it"
	}
	var lines []string
	for l := range strings.Lines(c) {
		lines = append(lines, printable(strings.TrimRight(l, "\r\n")))
	}
	return strings.Join(lines, "\n")
}

func (h *htmlPage) stages(s *analyzer.Subject, out *htmlSubject) {
	if s.Outcome == analyzer.NotDeleting {
		return
	}
	states := bar(s)
	held := heldAt(s, states)
	day := h.view.dayClock(s)
	for _, st := range states {
		row := htmlStage{Number: st.number, Name: st.short, State: strings.ReplaceAll(st.state, "-", " "), Mark: unicodeMarks.of(st.state)}
		var parts []string
		for _, x := range s.Stages {
			if x.ID != st.id {
				continue
			}
			if x.At != nil {
				row.Clock = day.short(*x.At, 1)
			}
			if part := cmp.Or(value(x.Container), value(x.Volume)); part != "" && len(parts) < 8 {
				parts = append(parts, h.cut(part)+" "+h.cut(x.State))
			}
		}
		row.Title = st.number + " " + st.id
		if len(parts) > 0 {
			row.Title += ": " + strings.Join(parts, ", ")
		}
		row.Held = slices.ContainsFunc(held, func(x string) bool { return strings.HasPrefix(x, st.number+" ") })
		out.Stages = append(out.Stages, row)
	}
	out.Held = strings.Join(held, ", ")
}

// proofOf is what a subject's verdict stands on, to be quoted at length.
func (h *htmlPage) proofOf(s *analyzer.Subject) []*analyzer.Evidence {
	brief := *h.view
	brief.opt.Why = false
	shown, _ := brief.shownEvidence(s, min(12, h.amount.list))
	return shown
}

func (h *htmlPage) prove(s *analyzer.Subject, e *analyzer.Evidence) htmlProof {
	day := h.view.dayClock(s)
	p := htmlProof{ID: clip(e.ID, 40), Class: rolesOf(s)[e.ID], Who: clip(speaker(e.Node, e.Component), 120), Count: h.view.repeated(e, day), Place: clip(place(e), 600)}
	p.Clock, p.T0 = h.view.when(s, e, day)
	p.Clocked = itsClock(e)
	if h.homes[e.ID] == nil {
		h.homes[e.ID] = e
		p.Home = anchorName(e.ID)
		p.Before, p.Lines, p.After = h.inContext(e)
	}
	p.Href = h.href(e.ID)
	for i, a := range e.AlsoAt {
		if i == 3 {
			p.Also = append(p.Also, plural(len(e.AlsoAt)-i, "more place"))
			break
		}
		p.Also = append(p.Also, clip(fmt.Sprintf("%s:%d", a.File, a.Line), 300))
	}
	return p
}

func (h *htmlPage) cause(c *analyzer.CauseVerdict) htmlCause {
	out := htmlCause{
		ID: clip(c.ID, 100), Role: clip(c.Role, 40), Confidence: clip(c.Confidence, 40), Stage: clip(c.Stage, 60),
		Because: h.linked(reason(c)), For: h.refs(c.For), Against: h.refs(c.Against),
	}
	if x := value(c.Container); x != "" {
		out.Part = "container " + h.cut(x)
	} else if x := value(c.Volume); x != "" {
		out.Part = "volume " + h.cut(x)
	}
	if c.Demoted != nil {
		out.Demoted = h.linked(*c.Demoted)
	}
	for i, m := range c.Missing {
		if i == h.amount.list {
			break
		}
		out.Missing = append(out.Missing, h.cut(m.What))
	}
	return out
}

func (h *htmlPage) left(s *analyzer.Subject, out *htmlSubject) {
	var clear []string
	for i, r := range s.Residue {
		if i == h.amount.list {
			break
		}
		if r.State == analyzer.RowClear && len(r.Evidence) == 0 {
			clear = append(clear, clip(r.Check, 60))
			continue
		}
		row := htmlResidue{Check: clip(r.Check, 60), State: clip(r.State, 40), Command: command(r.Command), Detail: h.linked(r.Detail), Evidence: h.refs(r.Evidence)}
		if r.State == analyzer.RowLeft && r.May != "" {
			row.May = h.cut("It " + r.May + ".")
		}
		if c := r.Clearing; c != nil {
			row.Expect, row.How, row.Command = h.cut(c.Expect), h.cut(c.How), command(c.Command)
		}
		out.Left = append(out.Left, row)
	}
	out.LeftClear = strings.Join(clear, ", ")
}

func (h *htmlPage) missing(list []analyzer.Missing) []htmlMissing {
	var out []htmlMissing
	for i, m := range list {
		if i == h.amount.list {
			break
		}
		out = append(out, htmlMissing{h.cut(m.What), h.cut(m.Would), command(m.Command)})
	}
	return out
}
