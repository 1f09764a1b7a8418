package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// patrol is the groups of what is in deletion or left behind, the gravest and
// then the largest first, and how many subjects a limit leaves out.
func patrol(v *view) (groups []*group, younger int) {
	var subjects []*analyzer.Subject
	for _, s := range v.ranked {
		switch s.Outcome {
		case analyzer.NotDeleting, analyzer.Clean:
			continue
		}
		// Of those with no known T0 nothing tells that they are young.
		if since, ok := v.doc.SinceT0(s); ok && v.opt.LongerThan > 0 && since < v.opt.LongerThan {
			younger++
			continue
		}
		subjects = append(subjects, s)
	}
	groups = v.groups(subjects)
	order := []string{analyzer.Stuck, analyzer.Residue, analyzer.Inconclusive, analyzer.InProgress}
	slices.SortStableFunc(groups, func(a, b *group) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.outcome), slices.Index(order, b.outcome)), -cmp.Compare(len(a.subjects), len(b.subjects)))
	})
	for _, g := range groups {
		slices.SortStableFunc(g.subjects, func(a, b *analyzer.Subject) int {
			x, _ := v.doc.SinceT0(a)
			y, _ := v.doc.SinceT0(b)
			return -cmp.Compare(x, y)
		})
	}
	return groups, younger
}

// patrolText writes what is in deletion or left behind, by node and cause.
func patrolText(w io.Writer, doc *analyzer.Document, opt Options) error {
	v, p := newView(doc, opt), newPage(opt)
	groups, younger := patrol(v)
	p.masthead(v)
	if doc.Partial {
		p.paragraph("", p.styles.bad.Render("PARTIAL: interrupted before everything was read."))
	}
	total := 0
	for _, g := range groups {
		total += len(g.subjects)
	}
	note := plural(total, "object") + " in deletion or left behind, in " + plural(len(groups), "finding")
	if younger > 0 {
		note += fmt.Sprintf("; %d with T0 less than %s before the capture not shown", younger, span(opt.LongerThan))
	}
	p.heading("PODS", note)
	for _, g := range groups {
		p.b.WriteString("\n")
		where := "on no known node"
		if g.node != "" {
			where = "on node " + printable(g.node)
		}
		cause := cmp.Or(printable(g.cause), "no cause shown")
		p.paragraph("  "+p.marks.bullet+" ", p.styles.strong.Render(plural(len(g.subjects), "object")+" "+printable(g.outcome)+" "+where+": "+cause)+", confidence "+g.confidence)
		for n, s := range g.subjects {
			if n == fewEnough && !opt.Why {
				p.paragraph("      ", fmt.Sprintf("and %d more", len(g.subjects)-n))
				break
			}
			p.paragraph("    "+pad(sinceT0(v, s), 9)+" ", unbroken(name(s))+atStage(s))
		}
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	return nil
}

// sinceT0 is the time since a subject's T0.
func sinceT0(v *view, s *analyzer.Subject) string {
	since, ok := v.doc.SinceT0(s)
	if !ok {
		return "T0 ?"
	}
	return fromT0(since)
}

// atStage is the stage that a subject does not get beyond.
func atStage(s *analyzer.Subject) string {
	for _, st := range s.Stages {
		if st.State == "failed" || st.State == "running" {
			return "  " + printable(strings.TrimSpace(st.ID+" "+st.State))
		}
	}
	return ""
}

// patrolRow is one object of the list for machines.
type patrolRow struct {
	ID        string  `json:"id"`
	Kind      string  `json:"kind"`
	Namespace *string `json:"namespace"`
	Name      *string `json:"name"`
	UID       *string `json:"uid"`
	// SinceT0Seconds is null where no T0 or no capture time is known.
	SinceT0Seconds *int64 `json:"sinceT0Seconds"`
	Confidence     string `json:"confidence"`
}

// patrolGroup is one finding of the list for machines.
type patrolGroup struct {
	Outcome string      `json:"outcome"`
	Cause   *string     `json:"cause"`
	Node    *string     `json:"node"`
	Objects []patrolRow `json:"objects"`
}

// patrolJSON writes the same for machines.
func patrolJSON(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	groups, younger := patrol(v)
	list := make([]patrolGroup, 0, len(groups))
	for _, g := range groups {
		out := patrolGroup{Outcome: g.outcome, Cause: orNull(g.cause), Node: orNull(g.node)}
		for _, s := range g.subjects {
			row := patrolRow{ID: s.ID, Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, UID: s.UID, Confidence: s.Confidence}
			if since, ok := doc.SinceT0(s); ok {
				seconds := int64(since.Seconds())
				row.SinceT0Seconds = &seconds
			}
			out.Objects = append(out.Objects, row)
		}
		list = append(list, out)
	}
	return writeJSON(w, struct {
		Schema   string        `json:"schema"`
		Tool     analyzer.Tool `json:"tool"`
		ReportID string        `json:"reportID"`
		Younger  int           `json:"younger"`
		Groups   []patrolGroup `json:"groups"`
	}{doc.Schema, doc.Tool, doc.ReportID, younger, list})
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// patrolMarkdown writes the same as a table for a ticket.
func patrolMarkdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	m := &markdown{view: newView(doc, opt), amount: amounts[0]}
	groups, _ := patrol(m.view)
	m.line("### In deletion or left behind")
	m.line("")
	m.line("| Objects | Outcome | Cause | Node | Since T0 | Confidence | Names |")
	m.line("|---|---|---|---|---|---|---|")
	for _, g := range groups {
		names := g.names()
		if n := len(g.subjects) - len(names); n > 0 {
			names = append(names, fmt.Sprintf("and %d more", n))
		}
		m.row(cell(fmt.Sprint(len(g.subjects))), cell(g.outcome), cell(cmp.Or(g.cause, "–")), cell(cmp.Or(g.node, "–")),
			cell(sinceT0(m.view, g.subjects[0])), cell(g.confidence), cell(strings.Join(names, ", ")))
	}
	return m.flush(w)
}
