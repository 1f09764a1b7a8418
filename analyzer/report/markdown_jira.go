package report

import (
	"fmt"
	"strings"
)

// jira is the wiki markup of Jira Server and Data Center, which its cloud takes
// too where a text is sent by the older API.
type jira struct{}

// jiraEscapes are the signs that a backslash takes the meaning from.
const jiraEscapes = "#*_+?^~|%{}[]()!@"

// text escapes what the renderer would take for markup, a mention, an issue's
// key, a link or an emoticon. What a backslash does not help against stands as
// an entity.
func (jira) text(s string) string {
	words := strings.Fields(printable(s))
	for i, w := range words {
		words[i] = jiraWord(w, i == 0)
	}
	return strings.Join(words, " ")
}

func jiraWord(w string, first bool) string {
	var b strings.Builder
	key := issueKey.MatchString(w)
	for i, r := range w {
		next := byte(0)
		if i+1 < len(w) {
			next = w[i+1]
		}
		switch {
		case r == '\\':
			b.WriteString("&#92;")
		case r == '&' && next != 0 && next != '&':
			b.WriteString("&amp;")
		case r == ':' && next != 0 && !digitsAround(w, i):
			b.WriteString("&#58;")
		case r == ';' && next == ')':
			b.WriteString("&#59;")
		case r == '.' && first && (w[:i] == "bq" || len(w[:i]) == 2 && w[0] == 'h' && next == 0):
			b.WriteString("&#46;")
		case r == '-' && (key || i == 0 || next == 0 || next == '-' || w[i-1] == '-'):
			b.WriteString(`\-`)
		case r < 0x80 && strings.IndexByte(jiraEscapes, byte(r)) >= 0:
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (m jira) name(s string) string {
	if s = m.text(s); s == "" {
		return ""
	}
	return "{{" + s + "}}"
}

func (jira) strong(s string) string      { return "*" + s + "*" }
func (jira) title(s string) string       { return "h3. " + s }
func (jira) heading(s string) string     { return "h4. " + s }
func (jira) paragraph(s string) string   { return s }
func (jira) facts() string               { return "" }
func (jira) fact(label, s string) string { return "||" + label + "| " + s + " |" }

func (m jira) table(columns []string) string {
	escaped := make([]string, len(columns))
	for i, c := range columns {
		escaped[i] = m.text(c)
	}
	return "||" + strings.Join(escaped, "||") + "||"
}

func (jira) row(cells []string) string   { return "| " + strings.Join(cells, " | ") + " |" }
func (jira) bullet(s string) string      { return "* " + s }
func (jira) step(n int, s string) string { return fmt.Sprintf("%d. %s", n, s) }
func (jira) under(s string) string       { return s }

func (jira) box(done bool) string {
	if done {
		return `\[x\]`
	}
	return `\[ \]`
}

// command is not shown where it would have to be changed to stay inside.
func (m jira) command(lines []string) string {
	for _, l := range lines {
		if l != noformat(l) {
			return ""
		}
	}
	return m.quotes(lines)
}

func (jira) quotes(lines []string) string {
	quoted := make([]string, len(lines))
	for i, l := range lines {
		quoted[i] = noformat(l)
	}
	return "{noformat}\n" + strings.Join(quoted, "\n") + "\n{noformat}"
}

// noformat keeps a line inside the block that it stands in: the block knows no
// escape, so a blank goes into the tag.
func noformat(s string) string {
	for _, tag := range []string{"{noformat", "{code"} {
		s = insideTag(s, tag)
	}
	return s
}

// insideTag puts a blank behind the first sign of every such tag, in whatever
// case it is written.
func insideTag(s, tag string) string {
	var b strings.Builder
	for from := 0; ; {
		at := indexFold(s[from:], tag)
		if at < 0 {
			b.WriteString(s[from:])
			return b.String()
		}
		b.WriteString(s[from:from+at+1] + " ")
		from += at + 1
	}
}

// indexFold finds an ASCII word in whatever case it is written.
func indexFold(s, word string) int {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return i
		}
	}
	return -1
}

func (m jira) fold(title, body string) string { return m.heading(title) + "\n\n" + body }
