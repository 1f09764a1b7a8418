package parsers

import (
	"slices"
	"strings"

	"podautopsy/timeline"
)

// concatenable are the formats that people put one behind the other into one
// file (cat pods.yaml kubelet.log > all.txt), by what may follow.
func concatenable() []Parser {
	return []Parser{kubernetesJSONParser, kubernetesYAMLParser, journalExportParser, containerLogParser, journalShortParser, klogParser, kubectlDescribeParser, kubectlEventsParser, crictlTableParser, kubectlTableParser}
}

// parts cuts a file whose beginning is in a format where another one begins.
// nil: it is in one alone, or they take turns.
func (f *File) parts(format *Parser) []File {
	formats := concatenable()
	if format == nil || len(f.pieces) > 0 || !slices.ContainsFunc(formats, func(p Parser) bool { return p.Name == format.Name }) {
		return nil
	}
	var parts []File
	var seen []string // formats of the parts so far
	part, previous := *f, ""
	var looks [lastBeginning + 1]int // at lines of each kind, in vain
	for l := range f.lines() {
		kind := beginningOf(l.text)
		const most = 8
		if kind == noBeginning || l.offset == f.Offset || looks[kind] >= most {
			previous = l.text
			continue
		}
		rest := *f
		rest.Text, rest.FirstLine, rest.Offset = f.Text[l.offset-f.Offset:], l.number, l.offset
		next := claimedBy(&rest, formats)
		if next == nil || next.Name == format.Name || !follows(format, next, previous, &rest) {
			looks[kind]++
			previous = l.text
			continue
		}
		if seen = append(seen, format.Name); slices.Contains(seen, next.Name) {
			return nil
		}
		part.Text = f.Text[part.Offset-f.Offset : l.offset-f.Offset]
		parts = append(parts, part)
		part, format, previous = rest, next, l.text
		clear(looks[:])
	}
	if len(parts) == 0 {
		return nil
	}
	return append(parts, part)
}

// beginning is what a line may be the first of.
type beginning int

const (
	noBeginning beginning = iota
	ofObjects
	ofTable
	ofDescription
	ofExport
	ofSyslog
	ofKlog
	ofStamped
	lastBeginning = ofStamped
)

// beginningOf is asked of every line.
func beginningOf(text string) beginning {
	if len(text) == 0 {
		return noBeginning
	}
	switch c := text[0]; {
	case c == ' ', c == '\t', c == '}', c == ']', c == '#', c == '"':
		return noBeginning
	case c == '{', c == '[':
		if len(text) == 1 || strings.HasPrefix(text, `{"`) || strings.HasPrefix(text, `[{"`) {
			return ofObjects
		}
		return noBeginning
	case strings.HasPrefix(text, "apiVersion: "):
		return ofObjects
	case strings.HasPrefix(text, "NAME "), strings.HasPrefix(text, "NAMESPACE "), strings.HasPrefix(text, "LAST SEEN "),
		strings.HasPrefix(text, "CONTAINER "), strings.HasPrefix(text, "POD ID "):
		return ofTable
	case strings.HasPrefix(text, "Name: "):
		return ofDescription
	case strings.HasPrefix(text, "__CURSOR="):
		return ofExport
	case isMonth(text), isJournalMarker(text):
		return ofSyslog
	case strings.HasPrefix(text, "Log file created at"),
		(c == 'I' || c == 'W' || c == 'E' || c == 'F') && len(text) > 5 && isDigit(text[1]) && isDigit(text[4]) && text[5] == ' ':
		return ofKlog
	case isDigit(c) && len(text) > 4 && text[4] == '-':
		return ofStamped
	}
	return noBeginning
}

// isMonth says whether a line begins as syslog's do: "Nov 30 ".
func isMonth(text string) bool {
	return len(text) > 6 && text[3] == ' ' && text[6] == ' ' && strings.Contains("JanFebMarAprMayJunJulAugSepOctNovDec", text[:3])
}

func claimedBy(f *File, formats []Parser) *Parser {
	for i := range formats {
		if formats[i].Sniff(f) {
			return &formats[i]
		}
	}
	return nil
}

// follows says whether the next format may begin behind the line before it. A
// log may quote an object in one of its messages: only what the API server
// itself has sent, with a UID, ends a log.
func follows(format, next *Parser, previous string, rest *File) bool {
	objects := func(p *Parser) bool {
		return p.Name == kubernetesJSONParser.Name || p.Name == kubernetesYAMLParser.Name
	}
	switch {
	case format.Name == kubernetesJSONParser.Name:
		return strings.HasPrefix(previous, "}") || strings.HasPrefix(previous, "]") || strings.HasSuffix(previous, "}")
	case format.Name == journalExportParser.Name:
		return previous == "" // an entry's end
	case isLog(format) && objects(next):
		return strings.Contains(rest.head(), "uid")
	}
	return true
}

func isLog(p *Parser) bool {
	switch p.Name {
	case journalExportParser.Name, containerLogParser.Name, journalShortParser.Name, klogParser.Name:
		return true
	}
	return false
}

// parseParts reads the parts of a file each in its format, and returns the
// formats' names.
func parseParts(parts []File, b *timeline.Builder, parsers []Parser) string {
	var names []string
	for i := range parts {
		name := parseFile(&parts[i], b, parsers)
		switch {
		case name == "":
			b.Gap(timeline.GapNotUnderstood, parts[i].FirstLine, "what begins here is in no format that is read")
		case !slices.Contains(names, name):
			names = append(names, name)
		}
	}
	return strings.Join(names, "+")
}
