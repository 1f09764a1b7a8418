package report

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"podautopsy/analyzer"
)

// shownEvidence picks at most limit pieces of a subject's evidence, in the
// order that the analysis gives them: what proves most comes first. more is
// how many are left out. A limit of 0 is none.
func (v *view) shownEvidence(s *analyzer.Subject, limit int) (shown []*analyzer.Evidence, more int) {
	seen := map[string]bool{}
	add := func(ids []string) {
		for _, id := range ids {
			e := v.evidence[id]
			if e == nil || seen[id] || !v.opt.shows(e.ByAPI()) {
				continue
			}
			seen[id] = true
			if limit > 0 && len(shown) >= limit {
				more++
				continue
			}
			shown = append(shown, e)
		}
	}
	add(s.Evidence)
	for _, role := range []string{analyzer.RoleRoot, analyzer.RoleBlocking} {
		for _, c := range causesOf(s, role) {
			add(c.For)
			add(c.Against)
		}
	}
	for i := range s.Residue {
		if r := &s.Residue[i]; r.State == "left" || v.opt.Why {
			add(r.Evidence)
		}
	}
	if v.opt.Why {
		for i := range s.Causes {
			add(s.Causes[i].For)
			add(s.Causes[i].Against)
		}
		for i := range s.Stages {
			add(s.Stages[i].Evidence)
		}
		for i := range s.Remediation {
			add(s.Remediation[i].Evidence)
		}
		for i := range s.Prevention {
			add(s.Prevention[i].Evidence)
		}
	}
	return shown, more
}

// observed says whether a component shows a state when it is asked, instead of
// logging what happens. Its evidence is as old as the dump.
func observed(component string) bool {
	tool, _, _ := strings.Cut(component, " ")
	switch tool {
	case "api-object", "kubectl", "crictl", "ctr", "docker", "cni", "command",
		"ps", "proc", "mounts", "mountinfo", "findmnt", "df", "ls", "fuser", "lsof", "systemctl":
		return true
	}
	return false
}

// when is the time of a piece of evidence, and its distance from T0.
func (v *view) when(s *analyzer.Subject, e *analyzer.Evidence, c clock) (at, since string) {
	switch {
	case e.Time == nil && v.doc.Bundle.CapturedAt != nil && observed(e.Component):
		return "at capture", ""
	case e.Time == nil:
		return "no time", ""
	case observed(e.Component):
		at = "seen " + c.short(*e.Time, 1)
	default:
		at = c.short(*e.Time, e.PrecisionSeconds)
	}
	if s.Anchor != nil {
		since = fromT0(e.ByAPI().Sub(s.Anchor.Time))
	}
	return at, since
}

// repeated says how often a line stands in the bundle, and how far it goes.
func (v *view) repeated(e *analyzer.Evidence, c clock) string {
	n := times(e)
	if n == "" {
		return ""
	}
	if v.opt.ASCII {
		n = strings.ReplaceAll(n, "×", "x")
	}
	switch {
	case e.LastTime != nil && (e.Time == nil || e.LastTime.After(*e.Time)):
		n += " until " + c.short(*e.LastTime, 1)
	case e.FirstTime != nil && e.Time != nil && e.FirstTime.Before(*e.Time):
		n += " since " + c.short(*e.FirstTime, 1)
	}
	return n
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
	short := shorthand(shown)
	for _, a := range short {
		t.paragraph("  "+a.name+" is ", t.styles.faint.Render(printable(a.prefix)))
	}
	var idWidth, atWidth, sinceWidth int
	for _, e := range shown {
		at, since := t.when(s, e, c)
		idWidth = max(idWidth, ansi.StringWidth(printable(e.ID)))
		atWidth = max(atWidth, len(at))
		sinceWidth = max(sinceWidth, len(since))
	}
	idWidth = min(idWidth, 4)
	// One date among times of day would push every other row aside.
	const timeOfDay = len("seen 15:04:05")
	atWidth = min(atWidth, timeOfDay)
	for _, e := range shown {
		at, since := t.when(s, e, c)
		cells := []string{unbroken(pad(at, atWidth))}
		if sinceWidth > 0 {
			cells = append(cells, pad(since, sinceWidth))
		}
		cells = append(cells, t.styles.strong.Render(unbroken(speaker(e.Node, e.Component))))
		if n := t.repeated(e, c); n != "" {
			cells = append(cells, unbroken(n))
		}
		if e.ClockAheadSeconds != 0 {
			cells = append(cells, unbroken("its clock "+ahead(e.ClockAheadSeconds)))
		}
		lead := "  " + pad(printable(e.ID), idWidth) + "  "
		indent := strings.Repeat(" ", ansi.StringWidth(lead))
		lead = t.styles.faint.Render(lead)
		line := strings.Join(cells, "  ")
		from := t.styles.faint.Render(short.of(place(e)))
		if ansi.StringWidth(lead+line+"  "+from) <= t.width {
			t.paragraph(lead, line+"  "+from)
		} else {
			t.paragraph(lead, line)
			t.paragraph(indent, from)
		}
		rows, lines := textQuoteRows, textQuoteLines
		if t.opt.Why {
			rows, lines = rows*5, lines*5
		}
		for _, row := range excerpt(e, t.width-len(indent), rows, lines, t.marks) {
			t.verbatim(strings.TrimRight(indent+row, " "))
		}
	}
	if more > 0 {
		t.paragraph("  ", t.styles.faint.Render(fmt.Sprintf("and %d more: --why shows all", more)))
	}
}

// shortNames are letters for archives whose paths would fill the page.
type shortNames []shortName

type shortName struct{ name, prefix string }

// shorthand names the archives that several pieces of evidence are from, with
// the folder that all of them are in.
func shorthand(shown []*analyzer.Evidence) shortNames {
	const worthIt = 24 // columns; below that the whole path is no burden
	var archives []string
	inside := map[string][]string{}
	for _, e := range shown {
		i := strings.LastIndexByte(e.File, '!')
		if i < 0 {
			continue
		}
		archive := e.File[:i+1]
		if inside[archive] == nil {
			archives = append(archives, archive)
		}
		inside[archive] = append(inside[archive], e.File[i+1:])
	}
	var out shortNames
	for _, archive := range archives {
		paths := inside[archive]
		folder, _, ok := strings.Cut(paths[0], "/")
		folder += "/"
		for _, p := range paths {
			ok = ok && strings.HasPrefix(p, folder)
		}
		prefix := archive
		if ok {
			prefix += folder
		}
		if len(paths) > 1 && len(prefix) >= worthIt && len(out) < 26 {
			out = append(out, shortName{string(rune('A'+len(out))) + "!", prefix})
		}
	}
	return out
}

// of is the place with its archive's short name.
func (s shortNames) of(place string) string {
	for _, a := range s {
		if rest, ok := strings.CutPrefix(place, printable(a.prefix)); ok {
			return a.name + rest
		}
	}
	return place
}
