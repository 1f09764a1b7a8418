package report

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"podautopsy/analyzer"
)

// words is a piece of a sentence or of a quoted line: plain, a link to a piece
// of evidence, or the part of a line that matters.
type words struct {
	Text string
	Href string
	Hit  bool
}

// cut makes text printable and bounds it.
func (h *htmlPage) cut(s string) string { return clip(s, h.amount.words) }

func clip(s string, most int) string {
	if len(s) <= most { // bytes are never fewer than characters
		return printable(s)
	}
	s = strings.ToValidUTF8(s[:most], "")
	return printable(s) + "…"
}

// evidenceID is how a sentence of the analysis refers to evidence.
var evidenceID = regexp.MustCompile(`\be[0-9]{1,6}\b`)

// linked is a sentence in which the ids of evidence lead to it.
func (h *htmlPage) linked(s string) []words {
	s = h.cut(s)
	var out []words
	from := 0
	for _, at := range evidenceID.FindAllStringIndex(s, -1) {
		href := h.href(s[at[0]:at[1]])
		if href == "" {
			continue
		}
		if from < at[0] {
			out = append(out, words{Text: s[from:at[0]]})
		}
		out = append(out, words{Text: s[at[0]:at[1]], Href: href})
		from = at[1]
	}
	if from < len(s) {
		out = append(out, words{Text: s[from:]})
	}
	return out
}

// refs are ids of evidence as links; what the page does not show is no link.
func (h *htmlPage) refs(ids []string) []words {
	var out []words
	for i, id := range ids {
		if i == h.amount.list {
			out = append(out, words{Text: "+" + plural(len(ids)-i, "more")})
			break
		}
		out = append(out, words{Text: h.cut(id), Href: h.href(id)})
	}
	return out
}

func (h *htmlPage) href(id string) string {
	if h.homes[id] == nil {
		return ""
	}
	return "#" + anchorName(id)
}

// Ids as the analysis gives them; those of a converted file may be anything.
var (
	plainEvidence = regexp.MustCompile(`^e[0-9]{1,9}$`)
	plainSubject  = regexp.MustCompile(`^s[0-9]{1,9}$`)
)

// anchorName is the name of a piece of evidence's place in the page.
func anchorName(id string) string {
	if plainEvidence.MatchString(id) {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "id-" + hex.EncodeToString(sum[:6])
}

// quoteLines is how many lines of a file a quotation may have: a dump's object
// is long, and the lines beside the one that matters say the most.
const quoteLines = 24

// quotation is a piece of evidence as it stands in its file, the part that
// matters marked, with at most so many characters to a line.
func quotation(text, match string, most int) [][]words {
	return quoted(dedent(linesOf(text)), match, most)
}

func linesOf(text string) []string { return strings.Split(strings.TrimRight(text, "\r\n"), "\n") }

// inContext is a piece of evidence between the lines around it in its file.
func (h *htmlPage) inContext(e *analyzer.Evidence) (before []string, lines [][]words, after []string) {
	cited := linesOf(e.Text)
	all := slices.Clone(cited)
	if h.amount.quote > 0 {
		for _, l := range e.Before[max(0, len(e.Before)-mostAround):] {
			before = append(before, l.Text)
		}
		for _, l := range e.After[:min(len(e.After), mostAround)] {
			after = append(after, l.Text)
		}
		all = slices.Concat(before, cited, after)
	}
	dedent(all)
	near := func(lines []string) []string {
		var out []string
		for _, l := range lines {
			out = append(out, shorten(quote(l), h.amount.quote, "…"))
		}
		return out
	}
	from, to := len(before), len(all)-len(after)
	return near(all[:from]), quoted(all[from:to], value(e.Match), max(h.amount.words, 120)), near(all[to:])
}

// mostAround is how many lines before a cited one, and behind it, are shown.
const mostAround = 3

func quoted(text []string, match string, most int) [][]words {
	lines, hit, before, after := window(text, match, quoteLines)
	var out [][]words
	if before {
		out = append(out, []words{{Text: "…"}})
	}
	for i, line := range lines {
		if after && hit < 0 && i == len(lines)-1 {
			out = append(out, []words{{Text: "…"}})
		}
		p := passageOf(strings.TrimRight(line, "\r"), match)
		p.before, p.site = p.site+p.before, ""
		if p.match == "" {
			out = append(out, []words{{Text: shorten(p.before, most, "…")}})
			continue
		}
		room := max(most-len(p.match), most/4)
		row := []words{{Text: tail(p.before, room/3)}, {Text: shorten(p.match, most, "…"), Hit: true}, {Text: head(p.after, room-room/3)}}
		out = append(out, row)
	}
	if after && hit >= 0 {
		out = append(out, []words{{Text: "…"}})
	}
	return out
}

func head(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return toWord(s[:most], s) + "…"
}

func tail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	from := len(s) - most
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return "…" + fromWord(s[from:], s)
}

// oneQuote is a quotation on one line.
func oneQuote(e *analyzer.Evidence, most int) []words {
	if most == 0 {
		return nil
	}
	lines, hit, _, _ := window(strings.Split(strings.TrimRight(message(e), "\r\n"), "\n"), value(e.Match), 1)
	rows := quotation(lines[max(hit, 0)], value(e.Match), most)
	return rows[0]
}
