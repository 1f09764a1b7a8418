package report

import (
	"fmt"
	"io"
	"strings"

	"podautopsy/analyzer"
)

// amount is how much of each list, and of each quoted line, a table shows.
type amount struct{ rows, quote int }

var amounts = []amount{{40, 600}}

// markdown writes the tables of a timeline or an inventory; the report itself
// is a ticket.
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

// row is a row of a table.
func (m *markdown) row(cells ...string) { m.line("| " + strings.Join(cells, " | ") + " |") }

func (m *markdown) flush(w io.Writer) error {
	if _, err := io.WriteString(w, m.b.String()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
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
