package report

import (
	"regexp"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"podautopsy/analyzer"
)

// What journald and klog put before a message. The heading of a piece of
// evidence says the same: when it was, on which node, which program.
var (
	journalPrefix = regexp.MustCompile(`^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d(?:\.\d+)?` + // short
		`|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)` + // short-iso, syslog
		`|[A-Z][a-z]{2} \d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)? \S+` + // short-full
		`) \S+ ([^\s\[\]:]+)(?:\[\d+\])?: `)
	klogPrefix = regexp.MustCompile(`^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ `)
	klogSite   = regexp.MustCompile(`^[\w.-]+\.go:\d+\] `)
)

// message is the text of evidence without what its heading says.
func message(e *analyzer.Evidence) string {
	text := e.Text
	if e.Time == nil {
		return text
	}
	if m := journalPrefix.FindStringSubmatchIndex(text); m != nil && strings.EqualFold(text[m[2]:m[3]], e.Component) {
		text = text[m[1]:]
	}
	return text[len(klogPrefix.FindString(text)):]
}

// enough is more of a text than any reader wants on either side of a match: a
// dump on a single line may be megabytes.
const enough = 2 << 10

// passage is a text around the part that matters, made printable. Where no
// part does, it is all before.
type passage struct{ site, before, match, after string }

// passageOf parts one line. The site is the place in the source that klog
// names; it is worth keeping where the line is cut.
func passageOf(line, match string) passage {
	var p passage
	if p.site = klogSite.FindString(line); p.site != "" && len(p.site) < len(line) {
		line = line[len(p.site):]
	} else {
		p.site = ""
	}
	from, to, found := locate(line, match)
	if !found {
		p.before = quote(line)
		return p
	}
	for to < len(line) && isWordByte(line[to]) && isWordByte(line[to-1]) {
		to++ // a signature may end within an id
	}
	before, after := line[:from], line[to:]
	p.before = printable(before[max(0, len(before)-enough):])
	p.match = quote(line[from:to])
	p.after = printable(after[:min(len(after), enough)])
	return p
}

func isWordByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// locate finds a match in a text as it stands in the file. There the message
// may be inside a JSON string, or its parts in other columns.
func locate(text, match string) (from, to int, found bool) {
	if match == "" {
		return 0, 0, false
	}
	forms := []string{match}
	if _, rest, ok := strings.Cut(match, `msg="`); ok { // logfmt made from JSON
		forms = append(forms, strings.TrimSuffix(rest, `"`))
	}
	if _, rest, ok := strings.Cut(match, ": "); ok { // an event's reason and message
		forms = append(forms, rest)
	}
	for _, form := range forms {
		for range 3 {
			if i := strings.Index(text, form); i >= 0 && form != "" {
				return i, i + len(form), true
			}
			form = jsonEscapes.Replace(form)
		}
	}
	return 0, 0, false
}

var jsonEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// within is the passage in at most width columns: whole if it fits, else with
// the match whole and as much around it as there is room for.
func (p passage) within(width int, ellipsis string) string {
	if all := p.site + p.before + p.match + p.after; uniseg.StringWidth(all) <= width {
		return all
	}
	p = p.withShortIDs(ellipsis)
	if all := p.site + p.before + p.match + p.after; uniseg.StringWidth(all) <= width {
		return all
	}
	if p.match == "" {
		return shorten(p.site+p.before, width, ellipsis)
	}
	mark := uniseg.StringWidth(ellipsis)
	room := width - uniseg.StringWidth(p.match)
	if room < 10*mark {
		return p.ends(width, ellipsis)
	}
	head := p.site
	if w := uniseg.StringWidth(head); w > room/2 || room-w < 10*mark {
		head = ""
	}
	room -= uniseg.StringWidth(head)
	// What follows a match is more often the reason than what precedes it.
	forBefore, forAfter := uniseg.StringWidth(p.before), uniseg.StringWidth(p.after)
	if head == "" && p.site != "" {
		forBefore += mark
	}
	switch {
	case forBefore <= room/5:
		forAfter = room - forBefore
	case forAfter <= room-room/5:
		forBefore = room - forAfter
	default:
		forBefore, forAfter = room/5, room-room/5
	}
	before := p.before
	if head == "" && p.site != "" || uniseg.StringWidth(before) > forBefore {
		before = ellipsis + fromWord(last(before, forBefore-mark), before)
	}
	return head + before + p.match + p.following(forAfter, ellipsis)
}

// following is what comes after the match in at most width columns. With room
// for it the end of the line is kept too, for an error names its origin last.
func (p passage) following(width int, ellipsis string) string {
	if uniseg.StringWidth(p.after) <= width {
		return p.after
	}
	room := width - uniseg.StringWidth(ellipsis)
	after := klogIdentity.ReplaceAllString(p.after, " ")
	switch {
	case len(after) < len(p.after) && uniseg.StringWidth(after) <= room:
		return after + ellipsis
	case room < 3*nearGap:
		return toWord(first(after, room), after) + ellipsis
	}
	return toWord(first(after, room/3), after) + ellipsis + fromWord(last(after, room-room/3), after)
}

// klogIdentity is the end of a structured line, which says whom it is about:
// the first to go, for the report is about the same.
var klogIdentity = regexp.MustCompile(`(?: (?:pod|podUID|containerName|containerID|sandboxID|node)=(?:"[^"]*"|[^\s"]+))+$`)

// ends is what can be shown where not even the match fits: how it begins and
// ends, and how the line ends.
func (p passage) ends(width int, ellipsis string) string {
	start, end := "", p.after
	if p.site+p.before != "" {
		start = ellipsis
	}
	if tail := width / 3; uniseg.StringWidth(end) > tail {
		end = ellipsis + fromWord(last(end, tail-uniseg.StringWidth(ellipsis)), end)
	}
	return start + shorten(p.match, width-uniseg.StringWidth(start+end), ellipsis) + end
}

// runtimeIDs are ids of containers and sandboxes. The runtime's tools show the
// first 13 digits, and take them.
var runtimeIDs = regexp.MustCompile(`(^|[\s"'(=]|://)([0-9a-f]{13})[0-9a-f]{51}\b`)

func shortIDs(s, ellipsis string) string { return runtimeIDs.ReplaceAllString(s, "${1}${2}"+ellipsis) }

func (p passage) withShortIDs(ellipsis string) passage {
	return passage{p.site, shortIDs(p.before, ellipsis), shortIDs(p.match, ellipsis), shortIDs(p.after, ellipsis)}
}

// A cut a few letters into a word moves to the gap beside it.
const nearGap = 20

func fromWord(cut, whole string) string {
	if i := strings.IndexByte(cut, ' '); len(cut) < len(whole) && i >= 0 && i < nearGap && i+1 < len(cut) {
		return cut[i+1:]
	}
	return cut
}

func toWord(cut, whole string) string {
	if i := strings.LastIndexByte(cut, ' '); len(cut) < len(whole) && i > 0 && len(cut)-i <= nearGap {
		return cut[:i+1]
	}
	return cut
}

// excerpt is the rows that quote a piece of evidence: a line on at most rows
// rows, of a text with more lines the one that matters and those beside it.
func excerpt(e *analyzer.Evidence, width, rows, lines int, m marks) []string {
	match := value(e.Match)
	all := strings.Split(strings.TrimRight(message(e), "\r\n"), "\n")
	shown, hit, before, after := window(all, match, lines)
	shown = dedent(shown)
	var out []string
	for i, line := range shown {
		room, lead, trail := rows, "", ""
		if i != hit {
			room = max(1, rows+1-len(shown))
		}
		if i == 0 && before || i == len(shown)-1 && after && hit < 0 {
			lead = m.ellipsis + " "
		}
		if i == len(shown)-1 && after && hit >= 0 {
			trail = " " + m.ellipsis
		}
		p := passageOf(strings.TrimRight(line, "\r"), match)
		if lead != "" {
			p.before, p.site = lead+p.site+p.before, ""
		}
		if p.match == "" {
			p.before += trail
		} else {
			p.after += trail
		}
		out = append(out, p.rows(width, room, m.ellipsis)...)
	}
	return out
}

// rows folds the passage into at most n rows.
func (p passage) rows(width, n int, ellipsis string) []string {
	for budget := n * width; ; {
		lines := fold(p.within(budget, ellipsis), width)
		if len(lines) <= n || budget <= width {
			return lines[:min(n, len(lines))]
		}
		over := 0
		for _, l := range lines[n:] {
			over += max(1, uniseg.StringWidth(l))
		}
		budget = max(width, budget-over)
	}
}

// fold breaks what is quoted at gaps and signs near the end of a row, else
// where the row ends.
func fold(s string, width int) []string {
	var rows []string
	for uniseg.StringWidth(s) > width {
		row := first(s, width)
		if row == "" {
			break
		}
		near := max(0, len(row)-nearGap)
		switch i := strings.LastIndexByte(row[near:], ' '); {
		case strings.HasPrefix(s[len(row):], " "):
		case i >= 0:
			row = row[:near+i+1]
		default:
			if i := strings.LastIndexAny(row[near:], `/,;:=&|)]}`); i >= 0 {
				row = row[:near+i+1]
			}
		}
		rows = append(rows, strings.TrimRight(row, " "))
		s = strings.TrimLeft(s[len(row):], " ")
	}
	return append(rows, s)
}

// window picks at most n lines: the one with the match and its neighbours; of
// a text without one, the first and the last. hit is the index of the match's
// line in it, or -1.
func window(lines []string, match string, n int) (shown []string, hit int, before, after bool) {
	hit = slices.IndexFunc(lines, func(l string) bool {
		_, _, found := locate(l, match)
		return found
	})
	switch {
	case len(lines) <= n:
		return slices.Clone(lines), hit, false, false
	case hit < 0:
		return append(slices.Clone(lines[:n-1]), lines[len(lines)-1]), hit, false, true
	}
	from := max(0, min(hit-n/2, len(lines)-n))
	return slices.Clone(lines[from : from+n]), hit - from, from > 0, from+n < len(lines)
}

// dedent takes off the indentation that all lines share.
func dedent(lines []string) []string {
	shared := -1
	for _, l := range lines {
		if rest := strings.TrimLeft(l, " \t"); rest != "" {
			if n := len(l) - len(rest); shared < 0 || n < shared {
				shared = n
			}
		}
	}
	for i, l := range lines {
		lines[i] = l[min(max(shared, 0), len(l)):]
	}
	return lines
}
