package parsers

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// asPrinted turns what was written to a terminal (colours, corrected typing,
// progress bars, window titles, as script and kubectl leave them in files) into
// what could be read on the screen. Line numbers stay as they are. Zeros, which
// PowerShell's >> leaves between letters, show nothing, and no more does the
// byte order mark of a file that was appended to another.
func asPrinted(text string) string {
	if !strings.Contains(text, "\n") {
		if strings.IndexByte(text, 0) >= 0 {
			return text // as /proc separates arguments
		}
		text = strings.ReplaceAll(text, "\r", "\n") // the line ends of old Macs
	}
	if !hasControls(text) && !strings.HasPrefix(text, scriptStarted) {
		return text
	}
	terminal := strings.IndexByte(text, escape) >= 0 || strings.IndexByte(text, '\b') >= 0 || strings.HasPrefix(text, scriptStarted)
	var out strings.Builder
	out.Grow(len(text))
	s := screenLine{blanks: len(text)}
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		returns := strings.Count(line, "\r") > 1 || !strings.HasSuffix(line, "\r\n") && strings.Contains(line, "\r")
		if !hasControls(body) && !(terminal && returns) {
			out.WriteString(line)
			continue
		}
		hole := crashHole(body)
		out.WriteString(body[:hole])
		s.clear()
		s.write(body[hole:])
		s.appendTo(&out)
		switch end := line[len(body):]; { // script writes \r\r\n
		case strings.HasSuffix(end, "\r\n"):
			out.WriteString("\r\n")
		case strings.HasSuffix(end, "\n"):
			out.WriteByte('\n')
		}
	}
	return out.String()
}

const (
	escape        = '\x1b'
	scriptStarted = "Script started on "
)

// hasControls says whether text holds what is never seen on a screen.
func hasControls(text string) bool {
	for _, c := range [...]byte{escape, '\b', 0, '\a'} {
		if strings.IndexByte(text, c) >= 0 {
			return true
		}
	}
	return strings.Contains(text, byteOrderMark)
}

// crashHole is how many zeros stand before a log's record: the readers of logs
// tell what is missing there.
func crashHole(line string) int {
	rest := strings.TrimLeft(line, "\x00")
	kind := beginningOf(rest)
	hole := len(line) - len(rest)
	if hole > 1 && (kind == ofSyslog || kind == ofKlog || kind == ofStamped || strings.HasPrefix(rest, "time=")) {
		return hole
	}
	return 0
}

// zeroSeparated knows the files of /proc in which zeros part the words, and
// lines may be part of a word.
func zeroSeparated(f *File) bool {
	name := f.base()
	return name == "cmdline" || name == "environ"
}

const byteOrderMark = "\ufeff"

// longestRow bounds the columns that a row may be drawn in out of order: what
// is longer was never on a screen, and is taken in the order it stands in.
const longestRow = 2 << 10

// screenLine is a row of a terminal as it is being drawn.
type screenLine struct {
	done   strings.Builder // of a row too long to go back in
	cells  []rune
	cursor int
	blanks int // that the file may still draw without writing them
}

func (s *screenLine) clear() {
	s.done.Reset()
	s.cells, s.cursor = s.cells[:0], 0
}

func (s *screenLine) appendTo(out *strings.Builder) {
	s.flush()
	out.WriteString(s.done.String())
}

// write draws one line of the file.
func (s *screenLine) write(text string) {
	for text != "" {
		switch c := text[0]; {
		case c == escape:
			text = s.sequence(text)
			continue
		case c == '\b':
			s.cursor = max(s.cursor-1, 0)
		case c == '\r':
			// Where a command goes on in the next row, readline writes a blank
			// and goes to the row's beginning.
			const narrowest = 40
			if at := len(s.cells); at > narrowest && s.cursor == at && s.cells[at-1] == ' ' && text != "\r" {
				s.cells, s.cursor = s.cells[:at-1], at-1
			} else if !s.stamped() {
				s.cursor = 0
			}
		case c == '\t' || c >= ' ' && c < utf8.RuneSelf && c != 0x7f:
			s.put(rune(c))
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRuneInString(text)
			if r != '\ufeff' {
				s.put(r)
			}
			text = text[size:]
			continue
		}
		text = text[1:]
	}
}

// stamped says that the row is a log's: a program's own carriage return must
// not cost the time that its line begins with.
func (s *screenLine) stamped() bool {
	return s.done.Len() > 0 || len(s.cells) > 4 && s.cells[4] == '-' && string(s.cells[:2]) == "20"
}

// put draws a character at the cursor.
func (s *screenLine) put(r rune) {
	if s.cursor < len(s.cells) {
		s.cells[s.cursor] = r
	} else {
		s.cells = append(s.cells, r)
	}
	s.cursor++
	if len(s.cells) > longestRow && s.cursor == len(s.cells) {
		s.flush()
	}
}

// flush makes final what has been drawn.
func (s *screenLine) flush() {
	for _, r := range s.cells {
		s.done.WriteRune(r)
	}
	s.cells, s.cursor = s.cells[:0], 0
}

// sequence carries out the escape sequence that text begins with, as far as it
// moves or deletes, and returns what follows it.
func (s *screenLine) sequence(text string) string {
	if len(text) < 2 {
		return ""
	}
	switch text[1] {
	case '[':
		return s.control(text)
	case ']', 'P', '^', '_': // a title or the like, up to a bell or ESC \
		for i := 2; i < len(text); i++ {
			if text[i] == '\a' {
				return text[i+1:]
			}
			if text[i] == escape {
				if i+1 < len(text) && text[i+1] == '\\' {
					i++
				}
				return text[i+1:]
			}
		}
		return ""
	case '(', ')', '*', '+', '#', '%': // character sets
		return text[min(3, len(text)):]
	default:
		if text[1] >= utf8.RuneSelf || text[1] < ' ' {
			return text[1:]
		}
		return text[2:]
	}
}

// control carries out a sequence that begins with ESC [.
func (s *screenLine) control(text string) string {
	i := 2
	for i < len(text) && text[i] >= 0x20 && text[i] < 0x40 {
		i++
	}
	if i == len(text) {
		return ""
	}
	n, known := decimal(text[2:i])
	if !known {
		n = 1 // what most sequences mean without a number
	}
	n = min(n, longestRow)
	switch text[i] {
	case 'C': // forward
		s.pad(s.cursor + n)
	case 'D': // back
		s.cursor = max(s.cursor-n, 0)
	case 'G': // to a column
		s.pad(max(n-1, 0))
	case 'K': // erase
		switch {
		case !known || n == 0:
			s.cells = s.cells[:min(s.cursor, len(s.cells))]
		case n == 2:
			s.cells = s.cells[:0]
			s.pad(s.cursor)
		}
	case 'P': // delete characters
		if s.cursor < len(s.cells) {
			s.cells = append(s.cells[:s.cursor], s.cells[min(s.cursor+n, len(s.cells)):]...)
		}
	case '@': // insert blanks
		if s.cursor < len(s.cells) && n <= s.blanks && len(s.cells)+n <= longestRow {
			s.blanks -= n
			s.cells = slices.Insert(s.cells, s.cursor, slices.Repeat([]rune{' '}, n)...)
		}
	}
	return text[i+1:]
}

// pad moves the cursor, over blanks where nothing has been drawn.
func (s *screenLine) pad(column int) {
	column = min(column, longestRow)
	for len(s.cells) < column && s.blanks > 0 {
		s.cells = append(s.cells, ' ')
		s.blanks--
	}
	s.cursor = min(column, len(s.cells))
}
