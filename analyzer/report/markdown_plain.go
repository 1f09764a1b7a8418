package report

import (
	"fmt"
	"strings"
)

// plain is text in which nothing is markup, in lines of a width if it has one.
type plain struct{ width int }

func (plain) text(s string) string          { return strings.Join(strings.Fields(printable(s)), " ") }
func (plain) name(s string) string          { return strings.TrimSpace(printable(s)) }
func (plain) strong(s string) string        { return s }
func (m plain) title(s string) string       { return m.paragraph(s) }
func (plain) heading(s string) string       { return strings.ToUpper(s) }
func (m plain) paragraph(s string) string   { return m.hang("", s) }
func (plain) facts() string                 { return "" }
func (plain) table([]string) string         { return "" }
func (m plain) row(cells []string) string   { return m.bullet(joined(cells)) }
func (m plain) bullet(s string) string      { return m.hang("- ", s) }
func (m plain) step(n int, s string) string { return m.hang(fmt.Sprintf("%d. ", n), s) }
func (m plain) under(s string) string       { return m.hang("   ", s) }

func (m plain) fact(label, s string) string {
	label = strings.TrimSuffix(label, "?") + ":"
	if m.width == 0 {
		return label + " " + s
	}
	return m.hang(pad(label, factLabel), s)
}

// factLabel is as wide as the longest label.
const factLabel = len("Force delete now: ")

func (plain) box(done bool) string {
	if done {
		return "[x]"
	}
	return "[ ]"
}

func (m plain) hang(lead, s string) string {
	if m.width == 0 {
		return lead + s
	}
	return hanging(lead, s, m.width)
}

// command and quotes keep their lines: a command that is broken is another.
func (plain) command(lines []string) string { return "   $ " + strings.Join(lines, "\n     ") }
func (plain) quotes(lines []string) string  { return "  " + strings.Join(lines, "\n  ") }

func (m plain) fold(title, body string) string { return m.heading(title) + "\n\n" + body }
