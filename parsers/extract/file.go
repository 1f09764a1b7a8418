package extract

import (
	"cmp"
	"slices"
	"strings"
)

// File is one file of a bundle, as text.
type File struct {
	Path   string
	Format string // that it was read in
	Text   string
	// Cited are the lines that must stay, from 1.
	Cited []Range
}

// Range is a run of lines.
type Range struct{ First, Last int }

// Level is how much of a file is kept.
type Level int

// Levels, from nothing to everything.
const (
	Nothing Level = iota
	Cited         // cited lines and what is around them, or whole objects
	Mention       // and all that speaks of the subjects
	Whole
)

// Cut is what a level leaves of the file. A log may lose lines, a dump objects;
// a snapshot of a state is kept whole or not at all, for what is missing in it
// would say that it was not there.
func (f *File) Cut(level Level, about []string) string {
	switch {
	case level == Nothing:
		return ""
	case level == Whole:
		return f.Text
	case isLog(f.Format):
		return f.cutLog(level, about)
	case f.Format == "kubernetes-yaml":
		return f.cutItems(yamlItems(f.Text), "", about)
	case f.Format == "kubernetes-json":
		return f.cutItems(jsonItems(f.Text), ",", about)
	}
	return f.Text
}

func isLog(format string) bool {
	switch format {
	case "journal-export", "journal-json", "journal-short", "klog", "json-log", "logfmt", "plain-log", "audit-log", "container-log", "talos-log", "dmesg", "cloud-logging":
		return true
	}
	return false
}

// around is how many lines or entries before and behind a cited one stay.
const around = 3

// cutLog keeps entries: lines, or of journald's export format paragraphs. The
// first and the last tell what time the log covers.
func (f *File) cutLog(level Level, about []string) string {
	entries := entriesOf(f.Text, f.Format == "journal-export")
	keep := make([]bool, len(entries))
	mark := func(i, margin int) {
		for n := max(0, i-margin); n <= min(len(entries)-1, i+margin); n++ {
			keep[n] = true
		}
	}
	if n := len(entries); n > 0 {
		mark(0, 1)
		mark(n-1, 1)
	}
	for _, c := range f.Cited {
		at, _ := slices.BinarySearchFunc(entries, c.First, func(e entry, line int) int { return cmp.Compare(e.line+e.lines-1, line) })
		for i := at; i < len(entries) && entries[i].line <= max(c.First, c.Last); i++ {
			mark(i, around)
		}
	}
	if level == Mention {
		for i, e := range entries {
			if !keep[i] && mentions(e.text, about) {
				keep[i] = true
			}
		}
	}
	var out strings.Builder
	for i, e := range entries {
		if keep[i] {
			out.WriteString(e.text)
		}
	}
	return out.String()
}

// entry is one line of a log, or several that are one.
type entry struct {
	text        string
	line, lines int
	at          int // in the file
}

func entriesOf(text string, paragraphs bool) []entry {
	var out []entry
	line, from, first := 1, 0, 1
	for at := 0; at < len(text); {
		end := strings.IndexByte(text[at:], '\n') + 1
		if end == 0 {
			end = len(text) - at
		}
		blank := strings.TrimRight(text[at:at+end], "\r\n") == ""
		at += end
		line++
		if !paragraphs || blank || at == len(text) {
			out = append(out, entry{text[from:at], first, line - first, from})
			from, first = at, line
		}
	}
	return out
}

func mentions(text string, about []string) bool {
	return slices.ContainsFunc(about, func(word string) bool { return strings.Contains(text, word) })
}

// list is a dump of several objects: what is before them, they, and the rest.
type list struct {
	head  string
	items []entry
	tail  string
}

// cutItems keeps the objects that are cited or that are of the subjects.
func (f *File) cutItems(l *list, separator string, about []string) string {
	if l == nil {
		return f.Text
	}
	var kept []string
	for _, item := range l.items {
		cited := slices.ContainsFunc(f.Cited, func(c Range) bool {
			return c.First < item.line+item.lines && max(c.First, c.Last) >= item.line
		})
		if cited || mentions(item.text, about) {
			kept = append(kept, item.text)
		}
	}
	if len(kept) == 0 && len(l.items) > 0 {
		kept = []string{l.items[0].text} // an empty list would say more than it knows
	}
	return l.head + strings.Join(kept, separator) + l.tail
}

// yamlItems cuts a List apart; nil if it is none, or several documents.
func yamlItems(text string) *list {
	if strings.Contains(text, "\n---") {
		return nil
	}
	lines := entriesOf(text, false)
	at := slices.IndexFunc(lines, func(e entry) bool { return strings.TrimRight(e.text, "\r\n ") == "items:" })
	if at < 0 || at+1 == len(lines) {
		return nil
	}
	first := lines[at+1].text
	dash := first[:len(first)-len(strings.TrimLeft(first, " "))] + "- "
	if !strings.HasPrefix(first, dash) {
		return nil
	}
	out := &list{head: text[:lines[at+1].at]}
	deeper := strings.Repeat(" ", len(dash))
	end := len(lines)
	for i := at + 1; i < end; i++ {
		switch line := lines[i].text; {
		case strings.HasPrefix(line, dash):
			out.items = append(out.items, lines[i])
		case strings.HasPrefix(line, deeper) || strings.TrimSpace(line) == "":
			item := &out.items[len(out.items)-1]
			item.lines++
			item.text = text[item.at : lines[i].at+len(line)]
		default:
			out.tail = text[lines[i].at:]
			end = i
		}
	}
	return out
}

// jsonItems cuts a List apart; nil if it is none.
func jsonItems(text string) *list {
	const key = `"items"`
	at := strings.Index(text, key)
	if at < 0 || strings.Count(text[:at], "{") != 1 {
		return nil
	}
	open := strings.IndexByte(text[at:], '[')
	if open < 0 || strings.Trim(text[at+len(key):at+open], " :\n\r\t") != "" {
		return nil
	}
	start := at + open + 1
	out := &list{head: text[:start]}
	line := 1 + strings.Count(text[:start], "\n")
	depth, from := 0, start
	for i := start; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // of the list
				if strings.TrimSpace(text[from:i]) != "" {
					out.items = append(out.items, itemAt(text, from, i, &line))
				}
				out.tail = text[i:]
				return out
			}
			depth--
		case ',':
			if depth == 0 {
				out.items = append(out.items, itemAt(text, from, i, &line))
				from = i + 1
			}
		}
	}
	return nil // cut off
}

func itemAt(text string, from, to int, line *int) entry {
	n := strings.Count(text[from:to], "\n")
	e := entry{text[from:to], *line, n + 1, from}
	*line += n
	return e
}
