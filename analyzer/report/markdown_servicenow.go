package report

import "strings"

// servicenow is the text of a journal field. It shows HTML inside of [code]
// tags, where the instance allows that; each of ours ends on its line and holds
// no more than a label, so that the text can be read where it does not.
type servicenow struct{ plain }

func (servicenow) text(s string) string { return journal(plain{}.text(s)) }
func (servicenow) name(s string) string { return journal(plain{}.name(s)) }

// bold is for words of ours.
func (servicenow) bold(s string) string { return "[code]<b>" + s + "</b>[/code]" }

func (m servicenow) heading(s string) string { return m.bold(s) }
func (m servicenow) fact(label, s string) string {
	return m.bold(strings.TrimSuffix(label, "?")+":") + " " + s
}

// command is not shown where it would have to be changed.
func (m servicenow) command(lines []string) string {
	for _, l := range lines {
		if l != journal(l) {
			return ""
		}
	}
	return m.plain.command(lines)
}

func (m servicenow) quotes(lines []string) string {
	quoted := make([]string, len(lines))
	for i, l := range lines {
		quoted[i] = journal(l)
	}
	return m.plain.quotes(quoted)
}

func (m servicenow) fold(title, body string) string { return m.heading(title) + "\n" + body }

// journal breaks the tags that a journal field obeys: HTML and mentions.
func journal(s string) string {
	for _, tag := range []string{"[code", "[/code", "@["} {
		s = insideTag(s, tag)
	}
	return s
}
