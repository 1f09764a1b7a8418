package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// Markdown writes the report for a ticket, in the markup and within the limits
// of the profile that the options name.
func Markdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	t := &ticket{view: newView(doc, opt), Profile: opt.profile()}
	if _, err := io.WriteString(w, t.write()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// ticket is a report that has to fit. It is cut by whole rows, from the least
// valuable up; verdict, blocked stage, whether to force, next steps, limits and
// the report's id always stay.
type ticket struct {
	*view
	Profile
	say int // how much of one sentence is shown, in bytes
}

// section is a part of a ticket.
type section struct {
	title string
	intro string // below the title
	head  string // above the rows
	rows  []string
	// join puts the rows together; nil is one under the other.
	join func(rows []string) string
	fold bool

	// worth says in which order sections lose rows; least of them always stay.
	worth, least int
	// order is the rows from the most valuable down; nil is as they stand.
	order []int
	// of is how many rows there are, shown how many of them are.
	of, shown int
}

// What a row is worth. Of equals the later section loses first.
const (
	worthQuote = iota
	worthTimeline
	worthPrevention
	worthRuledOut
	worthOthers
	worthMissing
	worthRefuted
	worthDetail
	worthEvidence
	worthResidue
	worthBeside
	worthLimits
	worthStep
	worthMust
)

// shorter are the lengths of a sentence that are tried when rows alone do not
// make room.
var shorter = []int{2000, 600, 300, 160, 80, 40, 20}

func (t *ticket) write() string {
	var out string
	for _, t.say = range append([]int{t.words}, shorter...) {
		if t.say > t.words {
			continue
		}
		sections := t.sections()
		cut := t.cut(sections)
		out = t.put(sections, cut)
		if len(out) <= t.bytes {
			break
		}
	}
	return out
}

// room for the line that says what was cut.
const cutNote = 160

// cut takes rows away until the ticket fits, and says whether it took any.
func (t *ticket) cut(sections []*section) bool {
	size, total := make([]int, len(sections)), 0
	for i, s := range sections {
		s.of, s.shown = max(s.of, len(s.rows)), len(s.rows)
		size[i] = len(t.section(s))
		total += size[i]
	}
	some := false
	for total > t.bytes-cutNote {
		least := -1
		for i, s := range sections {
			if s.shown > s.least && (least < 0 || s.worth <= sections[least].worth) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		s := sections[least]
		s.shown--
		some = true
		total -= size[least]
		size[least] = len(t.section(s))
		total += size[least]
	}
	return some
}

// put writes the sections; blank lines do not pile up.
func (t *ticket) put(sections []*section, cut bool) string {
	var b strings.Builder
	shown, of := 0, 0
	for _, s := range sections {
		b.WriteString(t.section(s))
		shown, of = shown+s.shown, of+s.of
	}
	if cut {
		fmt.Fprintf(&b, "\n%s\n", t.markup.paragraph(fmt.Sprintf("Cut to fit %s, %d bytes: %d of %d rows are shown, the report has the others.", t.Name, t.bytes, shown, of)))
	}
	var out strings.Builder
	blank := true
	for line := range strings.Lines(b.String()) {
		if line == "\n" && blank {
			continue
		}
		blank = line == "\n"
		out.WriteString(line)
	}
	return out.String()
}

func (t *ticket) section(s *section) string {
	if s.shown == 0 {
		return ""
	}
	rows := s.rows
	if s.shown < len(s.rows) {
		keep := s.order
		if keep == nil {
			keep = upTo0(len(s.rows))
		}
		keep = slices.Sorted(slices.Values(keep[:s.shown]))
		rows = make([]string, 0, s.shown)
		for _, i := range keep {
			rows = append(rows, s.rows[i])
		}
	}
	var b strings.Builder
	if s.intro != "" {
		b.WriteString(s.intro + "\n\n")
	}
	if s.head != "" {
		b.WriteString(s.head + "\n")
	}
	if s.join != nil {
		b.WriteString(s.join(rows) + "\n")
	} else {
		b.WriteString(strings.Join(rows, "\n") + "\n")
	}
	if s.shown < s.of && s.title != "" {
		fmt.Fprintf(&b, "\n%d of %d shown.\n", s.shown, s.of)
	}
	switch {
	case s.title == "":
		return "\n" + b.String()
	case s.fold:
		return "\n" + t.markup.fold(s.title, b.String()) + "\n"
	}
	return "\n" + t.markup.heading(s.title) + "\n\n" + b.String()
}

func upTo0(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// text is a sentence of the report, no longer than there is room for; the ids
// of its evidence stand behind it.
func (t *ticket) text(s string, ids ...string) string {
	return t.markup.text(strings.TrimSpace(clip(s, t.say) + " " + clip(cited(ids), t.say)))
}

// path is a name that tells most at its ends.
func (t *ticket) path(s string) string {
	if len(s) > t.say {
		s = clip(shorten(quote(s), t.say, "…"), 2*t.say)
	}
	return t.markup.name(s)
}
