package report

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"podautopsy/analyzer"
)

// why prints the chain from the evidence to the verdict: every cause that was
// considered, what speaks for it and against, what is missing, and why the
// root is upstream of the others.
func (t *text) why(s *analyzer.Subject) {
	if len(s.Causes) == 0 {
		return
	}
	t.heading("WHY", plural(len(s.Causes), "cause")+" considered, the root first; each line says what to doubt")
	for i := range s.Causes {
		t.candidate(s, i+1, &s.Causes[i])
	}
	if s.WouldProveWrong != nil {
		t.heading("WOULD PROVE IT WRONG", "")
		t.paragraph("  ", printable(*s.WouldProveWrong))
	}
}

// candidate is one cause with its evidence.
func (t *text) candidate(s *analyzer.Subject, n int, c *analyzer.CauseVerdict) {
	about := printable(c.Role) + ", " + printable(c.Confidence)
	if c.Stage != "" {
		about += ", at " + printable(c.Stage)
	}
	if v := value(c.Container); v != "" {
		about += ", container " + printable(v)
	}
	if v := value(c.Volume); v != "" {
		about += ", volume " + printable(v)
	}
	t.paragraph(fmt.Sprintf("  %d. ", n), t.styles.strong.Render(printable(c.ID))+" ("+about+")")
	t.paragraph("     because  ", printable(reason(c)))
	t.cite("for", c.For)
	t.cite("against", c.Against)
	for _, m := range c.Missing {
		t.paragraph("     missing  ", printable(m.What))
	}
	switch {
	case c.Role == analyzer.RoleRoot:
		t.paragraph("     root     ", upstream(s))
	case c.Demoted != nil:
		t.paragraph("     demoted  ", printable(*c.Demoted))
	}
}

// reason is why a cause was considered, without why it is not the root.
func reason(c *analyzer.CauseVerdict) string {
	if c.Demoted == nil {
		return c.Because
	}
	return strings.TrimSuffix(c.Because, " ("+*c.Demoted+")")
}

// upstream says what the root is before the others for: what follows from it,
// what stands beside it, what is ruled out.
func upstream(s *analyzer.Subject) string {
	var parts []string
	for _, role := range []struct{ id, words string }{
		{analyzer.RoleConsequence, "after it: "}, {analyzer.RoleBlocking, "beside it: "}, {analyzer.RoleRuledOut, "ruled out: "},
	} {
		var ids []string
		for _, c := range causesOf(s, role.id) {
			ids = append(ids, printable(c.ID))
		}
		if len(ids) > 0 {
			parts = append(parts, role.words+strings.Join(ids, ", "))
		}
	}
	if len(parts) == 0 {
		return "no other cause fits the evidence"
	}
	return "nothing upstream of it is shown; " + strings.Join(parts, "; ")
}

// cite lists evidence with the part of each line that matters.
func (t *text) cite(label string, ids []string) {
	const quoted = 20 // columns that the quotation gets at least
	lead := "     " + pad(label, 9)
	for _, id := range ids {
		line := lead + pad(printable(id), 4) + " "
		if e := t.evidence[id]; e != nil {
			if who := printable(e.Component); ansi.StringWidth(line+who)+1+quoted <= t.width {
				line += t.styles.faint.Render(who) + " "
			}
			if rows := excerpt(e, max(quoted, t.width-ansi.StringWidth(line)), 1, 1, t.marks); len(rows) > 0 {
				line += strings.TrimSpace(rows[0])
			}
		}
		t.verbatim(strings.TrimRight(line, " "))
		lead = strings.Repeat(" ", ansi.StringWidth(lead))
	}
}
