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
		t.paragraph("     not root ", printable(*c.Demoted))
	}
}

// reason is why a cause was considered, without why it is not the root.
func reason(c *analyzer.CauseVerdict) string {
	if c.Demoted == nil {
		return c.Because
	}
	return strings.TrimSuffix(c.Because, " ("+*c.Demoted+")")
}

// upstream says what the root is before the others for: what it explains, what
// comes later, what stands beside it.
func upstream(s *analyzer.Subject) string {
	var others []string
	for _, role := range []struct{ id, words string }{
		{analyzer.RoleConsequence, "follows"}, {analyzer.RoleBlocking, "blocks as well"}, {analyzer.RoleRuledOut, "ruled out"},
	} {
		if n := len(causesOf(s, role.id)); n > 0 {
			others = append(others, fmt.Sprintf("%d %s", n, role.words))
		}
	}
	if len(others) == 0 {
		return "no other cause fits the evidence"
	}
	return "nothing upstream of it is shown; of the others " + strings.Join(others, ", ")
}

// cite lists evidence with the beginning of each line.
func (t *text) cite(label string, ids []string) {
	lead := "     " + pad(label, 9)
	for _, id := range ids {
		line := pad(printable(id), 4)
		if e := t.evidence[id]; e != nil {
			line += " " + t.styles.faint.Render(printable(e.Component)) + " "
			indent := ansi.StringWidth(lead) + ansi.StringWidth(line)
			if rows := excerpt(e, max(20, t.width-indent), 1, 1, t.marks); len(rows) > 0 {
				line += strings.TrimSpace(rows[0])
			}
		}
		t.verbatim(strings.TrimRight(lead+line, " "))
		lead = strings.Repeat(" ", ansi.StringWidth(lead))
	}
}

func (m *markdown) wouldProveWrong(s *analyzer.Subject) {
	if s.WouldProveWrong == nil {
		return
	}
	m.section("Would prove it wrong")
	m.line(capital(prose(*s.WouldProveWrong)) + ".")
}
