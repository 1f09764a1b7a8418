package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"podautopsy/analyzer"
)

// ChecklistFormats are the renderings of what removed pods left behind.
var ChecklistFormats = []Format{
	{"text", "each row with what tells, what it may do and how to clear it", ChecklistText, false},
	{"markdown", "the same as a list with boxes, for a ticket", ChecklistMarkdown, false},
	{"json", "schema, tool, the subjects' rows and their evidence", ChecklistJSON, false},
}

// checklist is the section of a report on a pod that was removed or forced:
// what is left in full, the rest by name.
func (t *text) checklist(s *analyzer.Subject) {
	if len(s.Residue) == 0 {
		return
	}
	if t.opt.Why {
		t.heading("CHECK-LIST", "")
		t.checkRows(s)
		return
	}
	t.heading("CHECK-LIST", "")
	t.leftRows(s)
	t.named("clear", t.styles.good.Render("clear"), s)
	if t.named("unknown", t.styles.warn.Render("unknown"), s) {
		t.paragraph("  ", "podautopsy checklist tells what shows the unknown ones")
	}
}

// leftRows writes what is left, and once what several rows wait for.
func (t *text) leftRows(s *analyzer.Subject) {
	told := ""
	for _, r := range s.Residue {
		if r.State != analyzer.RowLeft {
			continue
		}
		if r.Clearing != nil && r.Clearing.Expect != told && r.Clearing.Expect != "" {
			told = r.Clearing.Expect
			t.paragraph("  ", t.styles.strong.Render(printable(told)))
		}
		t.paragraph("  "+t.marks.failed+" ", printable(r.Check)+" "+t.styles.bad.Render(r.State)+": "+printable(r.Detail)+" "+t.styles.faint.Render(cited(r.Evidence)))
		if r.May != "" {
			t.paragraph("      ", "it "+printable(r.May))
		}
		if r.Clearing != nil && r.Clearing.How != "" {
			t.paragraph("      ", printable(r.Clearing.How))
		}
	}
}

// named lists the rows of one state by name; false if there is none.
func (t *text) named(state, shown string, s *analyzer.Subject) bool {
	var names []string
	for _, r := range s.Residue {
		if r.State == state {
			names = append(names, unbroken(printable(r.Check)))
		}
	}
	if len(names) > 0 {
		t.paragraph("  ", shown+": "+strings.Join(names, ", "))
	}
	return len(names) > 0
}

// checkRows writes every row with everything that is known of it; what several
// in a row wait for is said once.
func (t *text) checkRows(s *analyzer.Subject) {
	told := ""
	for i := range s.Residue {
		r := &s.Residue[i]
		mark, state := t.marks.unknown, t.styles.warn.Render(printable(r.State))
		switch r.State {
		case analyzer.RowLeft:
			mark, state = t.marks.failed, t.styles.bad.Render(r.State)
		case analyzer.RowClear:
			mark, state = t.marks.done, t.styles.good.Render(r.State)
		}
		t.paragraph("  "+mark+" ", printable(r.Check)+" "+state+": "+printable(r.Detail)+" "+t.styles.faint.Render(cited(r.Evidence)))
		if r.State == analyzer.RowLeft && r.May != "" {
			t.paragraph("      ", "it "+printable(r.May))
		}
		if c := r.Clearing; c != nil {
			if c.Expect != "" && c.Expect != told {
				told = c.Expect
				t.paragraph("      ", t.styles.strong.Render(printable(told)))
			}
			t.paragraph("      ", printable(c.How))
			t.command(c.Command)
		} else if r.State == analyzer.RowUnknown {
			t.command(r.Command)
		}
	}
}

// removed are the subjects that have a check-list.
func (v *view) removed() []*analyzer.Subject {
	var list []*analyzer.Subject
	for _, s := range v.ranked {
		if len(s.Residue) > 0 {
			list = append(list, s)
		}
	}
	return list
}

// noneRemoved is what a bundle without removed pods says.
const noneRemoved = "No pod is known to have been removed with something left, or by force. --pod NAMESPACE/NAME asks about one."

// ChecklistText writes the check-list of every pod that was removed or forced.
func ChecklistText(w io.Writer, doc *analyzer.Document, opt Options) error {
	t := &text{view: newView(doc, opt), page: newPage(opt)}
	t.masthead(t.view)
	list := t.removed()
	if len(list) == 0 {
		t.b.WriteString("\n")
		t.paragraph("", noneRemoved)
	}
	for _, s := range list {
		t.b.WriteString("\n")
		title := t.outcome(s.Outcome) + "  " + t.styles.strong.Render(name(s))
		if len(s.Nodes) > 0 {
			title += " on " + printable(strings.Join(s.Nodes, ", "))
		}
		t.paragraph("", title)
		t.paragraph("  ", printable(s.Summary))
		t.checkRows(s)
	}
	if len(list) > 0 {
		t.checklistEvidence(list)
	}
	return t.written(w)
}

// checklistEvidence quotes what the rows cite.
func (t *text) checklistEvidence(list []*analyzer.Subject) {
	seen := map[string]bool{}
	var ids []string
	for _, s := range list {
		for _, r := range s.Residue {
			for _, id := range r.Evidence {
				if !seen[id] {
					seen[id] = true
					ids = append(ids, id)
				}
			}
		}
	}
	if len(ids) == 0 {
		return
	}
	t.heading("EVIDENCE", "")
	for _, id := range ids {
		e := t.evidence[id]
		if e == nil {
			continue
		}
		t.paragraph("  "+printable(id)+"  ", place(e)+"  "+speaker(e.Node, e.Component))
		const enough = 200
		t.paragraph("      ", shorten(firstLine(quote(e.Text)), enough, t.marks.ellipsis))
	}
}

// written hands the page over.
func (t *text) written(w io.Writer) error {
	if _, err := io.WriteString(w, t.b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// ChecklistMarkdown writes the check-lists with boxes to tick.
func ChecklistMarkdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	m := &markdown{view: v, amount: amounts[0]}
	m.line("### What removed pods left behind")
	list := v.removed()
	if len(list) == 0 {
		m.line("")
		m.line(prose(noneRemoved))
	}
	for _, s := range list {
		m.section(prose(name(s)))
		m.line(prose(s.Summary))
		m.line("")
		told := ""
		for _, r := range s.Residue {
			box := "- [ ] "
			if r.State == analyzer.RowClear {
				box = "- [x] "
			}
			l := box + "**" + prose(r.Check) + "** " + prose(r.State) + ": " + prose(r.Detail)
			if ids := cited(r.Evidence); ids != "" {
				l += " " + prose(ids)
			}
			if r.State == analyzer.RowLeft {
				l += ". It " + prose(r.May) + "."
			}
			command := r.Command
			if c := r.Clearing; c != nil {
				if c.Expect != told {
					told = c.Expect
					l += " " + prose(c.Expect)
				}
				l += " " + prose(c.How)
				command = cmp.Or(c.Command, command)
			}
			if command != "" && r.State != analyzer.RowClear {
				l += " " + code(command)
			}
			m.line(l)
		}
	}
	return m.flush(w)
}

// ChecklistJSON writes the subjects that have a check-list, and the evidence
// that its rows cite.
func ChecklistJSON(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	type subject struct {
		ID         string                  `json:"id"`
		Kind       string                  `json:"kind"`
		Namespace  *string                 `json:"namespace"`
		Name       *string                 `json:"name"`
		UID        *string                 `json:"uid"`
		Nodes      []string                `json:"nodes"`
		Outcome    string                  `json:"outcome"`
		Cause      *string                 `json:"cause"`
		Confidence string                  `json:"confidence"`
		Summary    string                  `json:"summary"`
		Residue    []analyzer.ResidueCheck `json:"residue"`
	}
	subjects := []subject{}
	used := map[string]bool{}
	for _, s := range v.removed() {
		subjects = append(subjects, subject{s.ID, s.Kind, s.Namespace, s.Name, s.UID, s.Nodes, s.Outcome, s.Cause, s.Confidence, s.Summary, s.Residue})
		for _, r := range s.Residue {
			for _, id := range r.Evidence {
				used[id] = true
			}
		}
	}
	return writeJSON(w, struct {
		Schema   string              `json:"schema"`
		ReportID string              `json:"reportID"`
		Tool     analyzer.Tool       `json:"tool"`
		Partial  bool                `json:"partial"`
		Subjects []subject           `json:"subjects"`
		Evidence []analyzer.Evidence `json:"evidence"`
	}{doc.Schema, doc.ReportID, doc.Tool, doc.Partial, subjects, evidenceAmong(doc, used)})
}

// ChecklistForm writes the check-list for a pod of which nothing is known yet:
// the questions, and the commands that answer them.
func ChecklistForm(w io.Writer, opt Options) error {
	t := &text{view: newView(&analyzer.Document{}, opt), page: newPage(opt)}
	t.paragraph("", "What a pod may leave behind once it is gone from the API. <ns>, <name> and <uid> are the pod's; the node's commands run on the node where it was.")
	for _, id := range analyzer.CheckOrder {
		t.b.WriteString("\n")
		t.paragraph("  [ ] ", analyzer.CheckTitle(id)+" ("+id+")")
		t.command(analyzer.CheckCommand(id))
	}
	return t.written(w)
}
