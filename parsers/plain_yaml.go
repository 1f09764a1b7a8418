package parsers

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// plainYAML reads the part of YAML that Kubernetes' own tools write: block
// mappings and sequences, scalars of one line or folded, literal text, and
// empty {} and []. It is several times faster than the library, which reads
// whatever this refuses.
type plainYAML struct {
	text string
	at   int // of the next line
	line yamlLine
	have bool // line is not used up
	bad  bool // something that only the library understands
}

// yamlLine is a line that is neither blank nor a comment.
type yamlLine struct {
	indent int
	text   string // without indentation
}

// unicodeBreaks are ends of lines to YAML, or a mark that it passes over.
var unicodeBreaks = [...]string{"\u0085", "\u2028", "\u2029", "\ufeff"}

// readPlainYAML reads one document, or says that it cannot.
func readPlainYAML(text string) (map[string]any, bool) {
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' || c == 0x7f {
			if c != '\r' || i+1 >= len(text) || text[i+1] != '\n' {
				return nil, false
			}
		}
	}
	for _, breaks := range unicodeBreaks {
		if strings.Contains(text, breaks) {
			return nil, false
		}
	}
	p := plainYAML{text: text}
	l, ok := p.peek()
	if !ok || strings.HasPrefix(l.text, "- ") {
		return nil, false
	}
	content := p.mapping(l.indent, 0)
	if _, more := p.peek(); more || p.bad {
		return nil, false
	}
	return content, true
}

// raw is the next line as it stands, and where the one after it begins.
func (p *plainYAML) raw() (text string, next int) {
	rest := p.text[p.at:]
	n := lineLength(rest)
	return strings.TrimSuffix(strings.TrimSuffix(rest[:n], "\n"), "\r"), p.at + n
}

// peek is the next line that says something.
func (p *plainYAML) peek() (yamlLine, bool) {
	for !p.have && p.at < len(p.text) {
		text, next := p.raw()
		p.at = next
		bare := strings.TrimLeft(text, " ")
		if bare == "" || bare[0] == '#' {
			continue
		}
		if strings.HasPrefix(text, "---") || strings.HasPrefix(text, "...") {
			p.bad = true
		}
		p.line, p.have = yamlLine{len(text) - len(bare), strings.TrimRight(bare, " ")}, true
	}
	return p.line, p.have
}

// node reads what stands below a key or dash.
func (p *plainYAML) node(indent, depth int) any {
	l, _ := p.peek()
	if isDash(l.text) {
		return p.sequence(indent, depth)
	}
	if _, _, ok := p.key(l.text); !ok {
		p.bad = true // a scalar on a line of its own
		return nil
	}
	return p.mapping(indent, depth)
}

func isDash(text string) bool { return text == "-" || strings.HasPrefix(text, "- ") }

// key splits "key: value".
func (p *plainYAML) key(text string) (key, value string, ok bool) {
	switch text[0] {
	case '"', '\'', '{', '[', '&', '*', '!', '|', '>', '%', '@', '`', ',', ']', '}', '#', '?', ':':
		return "", "", false
	}
	if isDash(text) {
		return "", "", false
	}
	i := strings.Index(text, ": ")
	if i < 0 {
		if text[len(text)-1] != ':' {
			return "", "", false
		}
		i = len(text) - 1
	}
	key = strings.TrimRight(text[:i], " ")
	if strings.Contains(key, " #") || key == "<<" || len(key) > 1000 {
		return "", "", false
	}
	return key, strings.TrimLeft(text[i+1:], " "), true
}

func (p *plainYAML) mapping(indent, depth int) map[string]any {
	content := map[string]any{}
	for !p.bad {
		l, ok := p.peek()
		if !ok || l.indent < indent {
			return content
		}
		key, value, ok := p.key(l.text)
		if !ok || l.indent != indent || depth > deepestYAML {
			p.bad = true
			return content
		}
		content[key] = p.value(value, indent, depth)
	}
	return content
}

// value reads what a key on the line at hand has: what stands behind it, or
// below.
func (p *plainYAML) value(text string, indent, depth int) any {
	p.have = false
	if text != "" {
		return p.scalar(text, indent)
	}
	below, ok := p.peek()
	switch {
	case ok && below.indent > indent:
		return p.node(below.indent, depth+1)
	case ok && below.indent == indent && isDash(below.text):
		return p.sequence(indent, depth+1)
	}
	return nil
}

func (p *plainYAML) sequence(indent, depth int) []any {
	items := []any{}
	for !p.bad {
		l, ok := p.peek()
		if !ok || l.indent < indent || l.indent == indent && !isDash(l.text) {
			return items
		}
		if l.indent != indent || depth > deepestYAML || l.text == "-" {
			p.bad = true
			return items
		}
		rest := strings.TrimLeft(l.text[1:], " ")
		if isDash(rest) {
			p.bad = true
			return items
		}
		if _, _, ok := p.key(rest); ok {
			p.line = yamlLine{indent + len(l.text) - len(rest), rest}
			items = append(items, p.mapping(p.line.indent, depth+1))
			continue
		}
		p.have = false
		items = append(items, p.scalar(rest, indent))
	}
	return items
}

// scalar reads a value that begins on the line of its key or dash, whose
// indentation is given.
func (p *plainYAML) scalar(value string, indent int) any {
	switch value[0] {
	case '"':
		return p.doubleQuoted(value)
	case '\'':
		return p.singleQuoted(value, indent)
	case '|':
		return p.literal(value, indent)
	case '{', '[':
		if value == "{}" {
			return map[string]any{}
		}
		if value == "[]" {
			return []any{}
		}
		p.bad = true
		return nil
	case '>', '&', '*', '!', '%', '@', '`', ',', ']', '}', '#', '?', ':':
		p.bad = true
		return nil
	}
	if !p.isPlain(value) || isDash(value) {
		return nil
	}
	if more := p.continued(indent); more != nil {
		for _, text := range more {
			if !p.isPlain(text) {
				return nil
			}
		}
		return value + " " + strings.Join(more, " ")
	}
	if c := value[0]; c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
		switch value {
		case "true":
			return true
		case "false":
			return false
		}
		if c != 'n' && c != 'N' && c != 't' && c != 'T' && c != 'f' && c != 'F' {
			return value
		}
	}
	return yamlScalar(&yaml.Node{Kind: yaml.ScalarNode, Value: value})
}

// isPlain refuses what ends a plain scalar or is not allowed in one.
func (p *plainYAML) isPlain(text string) bool {
	if strings.Contains(text, ": ") || strings.Contains(text, " #") || text[len(text)-1] == ':' {
		p.bad = true
	}
	return !p.bad
}

// continued takes the lines that go on with a scalar: those that are deeper.
// Blank lines among them stand for line breaks and are left to the library.
func (p *plainYAML) continued(indent int) []string {
	var lines []string
	for p.at < len(p.text) {
		text, next := p.raw()
		bare := strings.TrimLeft(text, " ")
		if bare == "" {
			// What follows decides whether this blank line counts.
			rest := strings.TrimLeft(p.text[p.at:], "\r\n ")
			start := strings.LastIndexByte(p.text[:len(p.text)-len(rest)], '\n') + 1
			if rest != "" && len(p.text)-len(rest)-start > indent {
				p.bad = true
			}
			return lines
		}
		if len(text)-len(bare) <= indent {
			return lines
		}
		if bare[0] == '#' {
			p.bad = true
			return lines
		}
		lines = append(lines, strings.TrimRight(bare, " "))
		p.at = next
	}
	return lines
}

func (p *plainYAML) singleQuoted(value string, indent int) any {
	text := value[1:]
	for {
		end := quoteEnd(text)
		if end >= 0 {
			if end != len(text)-1 {
				p.bad = true
				return nil
			}
			return strings.ReplaceAll(text[:end], "''", "'")
		}
		if p.at >= len(p.text) {
			p.bad = true
			return nil
		}
		line, next := p.raw()
		bare := strings.Trim(line, " ")
		if bare == "" || len(line)-len(strings.TrimLeft(line, " ")) <= indent || len(text) > 8<<10 {
			p.bad = true
			return nil
		}
		p.at = next
		text = strings.TrimRight(text, " ") + " " + bare
	}
}

// quoteEnd is where a single quote stands that is not doubled, or -1.
func quoteEnd(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] != '\'' {
			continue
		}
		if i+1 < len(text) && text[i+1] == '\'' {
			i++
			continue
		}
		return i
	}
	return -1
}

func (p *plainYAML) doubleQuoted(value string) any {
	end := stringEnd(value, 0)
	if end != len(value)-1 {
		p.bad = true // goes on in the next line, or something follows
		return nil
	}
	text := value[1:end]
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			out.WriteByte(text[i])
			continue
		}
		i++
		switch text[i] {
		case '"', '\\', '/':
			out.WriteByte(text[i])
		case 'n':
			out.WriteByte('\n')
		case 't':
			out.WriteByte('\t')
		default:
			p.bad = true
			return nil
		}
	}
	return out.String()
}

// literal reads a block of text as it stands.
func (p *plainYAML) literal(header string, indent int) any {
	if header != "|" && header != "|-" {
		p.bad = true
		return nil
	}
	var out strings.Builder
	column := -1
	blank := 0
	for p.at < len(p.text) {
		text, next := p.raw()
		bare := strings.TrimLeft(text, " ")
		depth := len(text) - len(bare)
		if bare == "" {
			if column < 0 && depth > 0 || column >= 0 && depth > column {
				p.bad = true // blanks that may count
				return nil
			}
			blank++
			p.at = next
			continue
		}
		if column < 0 {
			column = depth
		}
		if depth <= indent || depth < column {
			break
		}
		for ; blank > 0; blank-- {
			out.WriteByte('\n')
		}
		out.WriteString(text[column:])
		out.WriteByte('\n')
		p.at = next
	}
	if out.Len() == 0 || p.at >= len(p.text) && !strings.HasSuffix(p.text, "\n") {
		p.bad = true
		return nil
	}
	if header == "|-" {
		return strings.TrimSuffix(out.String(), "\n")
	}
	return out.String()
}
