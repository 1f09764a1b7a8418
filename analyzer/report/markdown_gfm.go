package report

import (
	"fmt"
	"strings"
)

// gfm is the Markdown of GitHub and GitLab.
type gfm struct{ folds bool }

func (gfm) text(s string) string      { return prose(s) }
func (gfm) name(s string) string      { return span1(strings.TrimSpace(printable(s))) }
func (gfm) strong(s string) string    { return "**" + s + "**" }
func (gfm) title(s string) string     { return "### " + s }
func (gfm) heading(s string) string   { return "#### " + s }
func (gfm) paragraph(s string) string { return s }
func (gfm) facts() string             { return "| | |\n|---|---|" }

func (m gfm) fact(label, s string) string { return m.row([]string{m.strong(label), s}) }

// table aligns numbers to the right.
func (m gfm) table(columns []string) string {
	rules := make([]string, len(columns))
	for i, c := range columns {
		rules[i] = "---"
		switch c {
		case "T±", "Count", "Overdue", "Longest overdue":
			rules[i] = "---:"
		}
	}
	return m.row(columns) + "\n|" + strings.Join(rules, "|") + "|"
}

// row escapes bars: they end a cell even in code.
func (gfm) row(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = pipes(c)
	}
	return "| " + strings.Join(escaped, " | ") + " |"
}

func (gfm) bullet(s string) string       { return "- " + s }
func (gfm) step(n int, s string) string  { return fmt.Sprintf("%d. %s", n, s) }
func (gfm) under(s string) string        { return "   " + s }
func (gfm) quotes(lines []string) string { return fenced(lines) }

func (gfm) box(done bool) string { return plain{}.box(done) }

// command is a fence inside a list item, which its indent keeps it in.
func (gfm) command(lines []string) string {
	return "\n   " + strings.ReplaceAll(fenced(lines), "\n", "\n   ") + "\n"
}

func (m gfm) fold(title, body string) string {
	if !m.folds {
		return m.heading(title) + "\n\n" + body
	}
	return "<details><summary>" + title + "</summary>\n\n" + body + "\n</details>\n"
}
