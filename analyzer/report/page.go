package report

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// page is a sheet of text of a fixed width.
type page struct {
	b      strings.Builder
	width  int
	marks  marks
	styles styles
	border lipgloss.Border
}

// styles are colours by meaning; none is the only sign of what it means.
type styles struct {
	frame, strong, bad, warn, good, faint lipgloss.Style
}

func newPage(opt Options) *page {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(termenv.Ascii)
	if opt.Color {
		r.SetColorProfile(termenv.ANSI)
	}
	p := &page{width: opt.width(), marks: opt.marks(), border: lipgloss.RoundedBorder()}
	if opt.ASCII {
		p.border = lipgloss.ASCIIBorder()
	}
	p.styles = styles{
		frame:  r.NewStyle(),
		strong: r.NewStyle().Bold(true),
		bad:    r.NewStyle().Bold(true).Foreground(lipgloss.ANSIColor(1)),
		warn:   r.NewStyle().Foreground(lipgloss.ANSIColor(3)),
		good:   r.NewStyle().Foreground(lipgloss.ANSIColor(2)),
		faint:  r.NewStyle().Faint(true),
	}
	return p
}

// heading starts a section.
func (p *page) heading(title, note string) {
	p.b.WriteString("\n")
	lead := p.styles.strong.Render(title)
	if note != "" {
		lead += "  "
		note = p.styles.faint.Render(note)
	}
	p.paragraph(lead, note)
}

// paragraph wraps text behind a lead-in, under which later lines are indented.
func (p *page) paragraph(lead, text string) { p.b.WriteString(hanging(lead, text, p.width) + "\n") }

// masthead says what was read with what.
func (p *page) masthead(v *view) {
	parts := bundleLine(v, v.opt.clock(nil))
	for i := range parts {
		parts[i] = unbroken(parts[i])
	}
	p.paragraph("", strings.Join(parts, noBreak+p.marks.dot+" "))
	if r := redacted(v.doc); r != "" {
		p.paragraph("", r)
	}
}

// verbatim writes a line that must not be wrapped, such as a command to copy.
func (p *page) verbatim(s string) { p.b.WriteString(s + "\n") }

// framed draws a box around lines that fit in width-4 columns.
func (p *page) framed(lines []string) {
	box := p.styles.frame.Border(p.border).Padding(0, 1).Width(p.width - 2)
	p.b.WriteString(box.Render(strings.Join(lines, "\n")) + "\n")
}

func hanging(lead, text string, width int) string {
	indent := ansi.StringWidth(lead)
	lines := wrap(text, max(width-indent, 20))
	text = strings.TrimRight(lead+strings.Join(lines, "\n"+strings.Repeat(" ", indent)), " ")
	return strings.ReplaceAll(text, noBreak, " ")
}

// noBreak is a space at which no line ends. Text of the bundle has none that
// is not escaped.
const noBreak = "\u00a0"

// unbroken keeps words together on one line.
func unbroken(s string) string { return strings.ReplaceAll(s, " ", noBreak) }

// longestWord is how many columns of a word are written. Kubernetes has no name
// or path that is longer, and a hostile one costs the square of its length.
const longestWord = 8 << 10

// wrap breaks text at spaces only: names, times and paths are full of hyphens.
// A word wider than a line, such as a path, is broken behind a separator, or
// else where the line ends.
func wrap(text string, width int) []string {
	var lines []string
	var line strings.Builder
	used := 0
	flush := func() {
		lines = append(lines, strings.TrimRight(line.String(), " "+noBreak))
		line.Reset()
		used = 0
	}
	for word := range strings.SplitSeq(strings.TrimRight(text, " "), " ") {
		w := ansi.StringWidth(word)
		if w > longestWord {
			// A screen tells nothing that so long a name does not tell by its ends.
			word = ansi.Truncate(word, longestWord/2, "…") + ansi.TruncateLeft(word, w-longestWord/4, "")
			w = ansi.StringWidth(word)
		}
		if line.Len() > 0 && used+1+w > width { // what is there may be of no width
			flush()
		}
		if line.Len() > 0 {
			line.WriteByte(' ')
			used++
		}
		for w > width {
			part := separated(word, width)
			line.WriteString(ansi.Truncate(word, part, ""))
			word = ansi.TruncateLeft(word, part, "")
			w = ansi.StringWidth(word)
			flush()
		}
		line.WriteString(word)
		used += w
	}
	flush()
	return lines
}

// separated is how many columns of a word go on a line of that width. A line
// is left half empty only where that keeps the rest in one piece.
func separated(word string, width int) int {
	plain := ansi.Strip(word)
	if i := strings.LastIndexAny(ansi.Truncate(plain, width, ""), "/!"); i >= 0 {
		if w := ansi.StringWidth(plain[:i+1]); w > width/2 || ansi.StringWidth(plain)-w <= width {
			return w
		}
	}
	return width
}

// toGap cuts text at a word so that it and an ellipsis take no more rows than
// the text did.
func toGap(text string, width int, ellipsis string) string {
	rows := len(wrap(text, width))
	for {
		cut := text + " " + ellipsis
		i := strings.LastIndexByte(text, ' ')
		if i < 0 || len(wrap(cut, width)) <= rows {
			return cut
		}
		text = strings.TrimRight(text[:i], " ,;:")
	}
}

// pad fills s with spaces to n columns.
func pad(s string, n int) string {
	if w := ansi.StringWidth(s); w < n {
		return s + strings.Repeat(" ", n-w)
	}
	return s
}
