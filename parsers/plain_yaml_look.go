package parsers

import "strings"

// plainYAMLLook looks through an object in plain YAML as readPlainYAML does,
// but decodes nothing, so that it is several times faster: it notes where the
// fields are. What it refuses is for those that decode; it refuses a little
// more than readPlainYAML.
type plainYAMLLook struct {
	text   string
	indent int    // of the line at hand; -1: there is none
	line   string // at hand, without blanks around it
	start  int    // of line in text
	next   int    // of the line after it in text
	fields []fieldPlace
	top    int // the field right in the object that we are in, in fields
	wide   bool
	bad    bool
}

// lookPlainYAML looks through one object that may be left in its text; column
// is that of the dash before it, or -1. The fields are appended to scratch.
func lookPlainYAML(text string, column int, scratch []fieldPlace) (fields []fieldPlace, ok bool) {
	const longest = 1 << 31
	if len(text) > longest {
		return scratch, false
	}
	l := plainYAMLLook{text: text, fields: scratch}
	l.step()
	if column >= 0 && l.indent == column && isDash(l.line) {
		l.enter(strings.TrimLeft(l.line[1:], " "))
	}
	if l.line == "" || l.indent <= column || isDash(l.line) {
		return scratch, false
	}
	l.mapping(l.indent, 0)
	if l.bad || l.indent >= 0 {
		return scratch, false
	}
	if l.wide {
		for _, breaks := range unicodeBreaks {
			if strings.Contains(text, breaks) {
				return scratch, false
			}
		}
	}
	return l.fields, true
}

// step goes to the next line that says something.
func (l *plainYAMLLook) step() {
	text := l.text
	for at := l.next; at < len(text); at = l.next {
		end := len(text)
		if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
			end = at + n
		}
		l.next = end + 1
		from := at
		for from < end && text[from] == ' ' {
			from++
		}
		if from == end {
			continue
		}
		for text[end-1] == ' ' {
			end--
		}
		l.indent, l.start, l.line = from-at, from, text[from:end]
		clean, ascii := printableBytes(l.line)
		l.wide = l.wide || !ascii
		l.bad = l.bad || !clean || text[from] == '#'
		return
	}
	l.indent, l.line = -1, ""
}

// enter goes on with the rest of the line: what stands behind a dash.
func (l *plainYAMLLook) enter(rest string) {
	skipped := len(l.line) - len(rest)
	l.indent, l.start, l.line = l.indent+skipped, l.start+skipped, rest
}

// key splits a line that begins with a plain key.
func (l *plainYAMLLook) key() (key, value string, ok bool) {
	text := l.line
	switch text[0] {
	case '"', '\'', '{', '[', '&', '*', '!', '|', '>', '%', '@', '`', ',', ']', '}', '#', '?', ':':
		return "", "", false
	case '-', '.':
		if isDash(text) || l.indent == 0 { // "---", "..."
			return "", "", false
		}
	}
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case ' ':
			// No key of an object has a blank in it: those who decode may see.
			l.bad = l.bad || strings.Contains(text, ": ") || text[len(text)-1] == ':'
			return "", "", false
		case ':':
			if i+1 == len(text) {
				return text[:i], "", i < longestKey && text[:i] != "<<"
			}
			if text[i+1] == ' ' {
				return text[:i], strings.TrimLeft(text[i+2:], " "), i < longestKey && text[:i] != "<<"
			}
		}
	}
	return "", "", false
}

// longestKey is more than any key of an object has.
const longestKey = 1000

func (l *plainYAMLLook) mapping(indent, depth int) {
	for !l.bad && l.indent >= indent {
		key, value, ok := l.key()
		if !ok || l.indent != indent || depth > deepestYAML || key == "deletionTimestamp" {
			l.bad = true
			return
		}
		switch {
		case depth == 0:
			l.top = len(l.fields)
			l.note(key, topField)
			if key == "kind" && !leftInText(value) {
				l.bad = true
				return
			}
		case depth == 1 && key == "managedFields" && l.fields[l.top].key(l.text) == "metadata":
			if value == "" {
				l.skipBelow(indent)
				continue
			}
		case depth == 1:
			l.note(key, subfield)
		}
		if value != "" {
			l.scalar(value, indent)
			continue
		}
		l.step()
		switch {
		case l.indent == indent && isDash(l.line), l.indent > indent && isDash(l.line):
			l.sequence(l.indent, depth+1)
		case l.indent > indent:
			l.mapping(l.indent, depth+1)
			if depth == 0 {
				l.fields[l.top].level = withSubfields
				l.bad = l.bad || l.top == len(l.fields)-1 // nothing but managed fields
			}
		}
	}
}

// note notes the key that the line at hand begins with. One that comes twice is
// for those who decode.
func (l *plainYAMLLook) note(key string, level fieldLevel) {
	f := fieldPlace{at: uint32(l.start), size: uint16(len(key)), level: level}
	l.bad = l.bad || placed(l.text, l.fields, l.top, f)
	l.fields = append(l.fields, f)
}

// skipBelow goes to the next line that does not belong to the key at hand.
func (l *plainYAMLLook) skipBelow(indent int) {
	text := l.text
	for at := l.next; at < len(text); at = l.next {
		// Nearly every line is deeper.
		if n := at + indent; n < len(text) && text[n] == ' ' && strings.Count(text[at:n], " ") == indent {
			l.next = len(text)
			if end := strings.IndexByte(text[n:], '\n'); end >= 0 {
				l.next = n + end + 1
			}
			continue
		}
		before := l.bad
		l.step()
		if l.indent < indent || l.indent == indent && l.line[0] != '-' {
			return
		}
		l.bad = before
	}
	l.indent, l.line = -1, ""
}

func (l *plainYAMLLook) sequence(indent, depth int) {
	for !l.bad && l.indent >= indent {
		if l.indent == indent && !isDash(l.line) {
			return
		}
		if l.indent != indent || depth > deepestYAML || l.line == "-" {
			l.bad = true
			return
		}
		rest := strings.TrimLeft(l.line[1:], " ")
		if isDash(rest) {
			l.bad = true
			return
		}
		l.enter(rest)
		if _, _, ok := l.key(); ok {
			l.mapping(l.indent, depth+1)
		} else if !l.bad {
			l.scalar(rest, indent)
		}
	}
}

// scalar looks at a value that begins on the line of its key or dash, whose
// indentation is given, and goes to the line after it.
func (l *plainYAMLLook) scalar(value string, indent int) {
	from := l.next
	p := plainYAML{text: l.text, at: from}
	switch value[0] {
	case '"':
		if end := strings.IndexByte(value[1:], '"'); end >= 0 && end+2 == len(value) && strings.IndexByte(value, '\\') < 0 {
			break
		}
		p.doubleQuoted(value)
	case '\'':
		p.singleQuoted(value, indent)
	case '|':
		p.literal(value, indent)
	case '{', '[':
		p.bad = value != "{}" && value != "[]"
	case '>', '&', '*', '!', '%', '@', '`', ',', ']', '}', '#', '?', ':':
		p.bad = true
	default:
		if strings.IndexByte(value, ' ') >= 0 || value[len(value)-1] == ':' {
			p.isPlain(value)
		}
		l.step()
		if l.indent > indent {
			for _, text := range p.continued(indent) {
				p.isPlain(text)
			}
			l.passed(from, p.at)
			l.step()
		}
		l.bad = l.bad || p.bad || isDash(value)
		return
	}
	if p.at > from {
		l.passed(from, p.at)
	}
	l.bad = l.bad || p.bad
	l.step()
}

// passed takes lines that belong to a scalar.
func (l *plainYAMLLook) passed(from, to int) {
	l.next = to
	text := l.text[from:min(to, len(l.text))]
	for line := range strings.Lines(text) {
		clean, ascii := printableBytes(strings.TrimSuffix(line, "\n"))
		l.bad, l.wide = l.bad || !clean, l.wide || !ascii
	}
	// Who wrote an object last is kept where this stands anywhere in it.
	l.bad = l.bad || strings.Contains(text, "deletionTimestamp:")
}

// printableBytes says whether there is no control character in s, and whether
// it is all ASCII. It looks at eight bytes at a time.
func printableBytes(s string) (ok, ascii bool) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	var control, wide uint64
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := word(s, i)
		low := w &^ highs
		// Added to seven bits, 0x60 sets the eighth from ' ' on, and 1 that of DEL.
		control |= (^(low + ones*0x60) | (low + ones)) & highs &^ w
		wide |= w & highs
	}
	for ; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c == 0x7f {
			control = 1
		}
		wide |= uint64(c & 0x80)
	}
	return control == 0, wide == 0
}

// word is eight bytes of s, the first of them lowest.
func word(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// plainYAMLField decodes a field that lookPlainYAML has found.
func plainYAMLField(text string, f fieldPlace) any {
	start := strings.LastIndexByte(text[:f.at], '\n') + 1
	p := plainYAML{text: text, at: start}
	_, p.at = p.raw()
	line := strings.TrimRight(text[f.at:p.at], " \n")
	return p.value(strings.TrimLeft(line[f.size+1:], " "), int(f.at)-start, 1)
}
