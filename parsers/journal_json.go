package parsers

import (
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// journalJSONParser reads journald's JSON format.
var journalJSONParser = Parser{
	Name:  "journal-json",
	Doc:   "The journal as journalctl -o json writes it, one object a line, and its pretty, sequence and event stream forms.",
	Sniff: func(f *File) bool { return isJournalJSON(f.head()) },
	Parse: parseJournalJSON,
}

// isJournalJSON looks into the first record for the fields that every journal
// record has.
func isJournalJSON(head string) bool {
	start := strings.IndexByte(head, '{')
	if start < 0 || strings.Trim(head[:start], "\x1e \t\r\n[") != "" && strings.TrimSpace(head[:start]) != "data:" {
		return false
	}
	known := false
	_, _ = jsonObject(head[start:], func(key, _ string) {
		known = known || key == "__REALTIME_TIMESTAMP" || key == "__CURSOR"
	})
	return known
}

func parseJournalJSON(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	r := newJournalRecorder(b)
	first := len(b.Events)
	strange := strangeLines{b: b}
	text := f.Text
	place := f.places()
	failures, end := 0, 0 // of the line
	var flat flatJSON
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		begin, offset := place(at)
		source := b.Src(begin, offset)
		if at >= end {
			end = endOfText(text, at)
		}
		var e journalEntry
		size, flatly := flat.read(text[at:end], &e)
		ok := flatly
		if !flatly {
			e = journalEntry{}
			size, ok = jsonObject(text[at:recordWindow(text, at, end, failures)], e.setJSON)
		}
		if !ok {
			// Go on with the next line that begins a record.
			failures++
			next := strings.Index(text[at:], "\n{")
			if next < 0 {
				next = len(text) - at
			}
			strange.add(line{number: begin, offset: source.Offset, text: text[at : at+next], at: at})
			at = min(at+next+1, len(text))
			continue
		}
		if !flatly && len(f.pieces) == 0 {
			if last, _ := place(at + size); last != begin {
				source.LastLine = last
			}
		}
		if e.realtime == 0 {
			strange.add(line{number: begin, offset: source.Offset, text: text[at : at+size], at: at})
		} else {
			r.entry(&e, source)
		}
		at += size
	}
	strange.done(f)
	r.done()
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no journal record in it", f.Path)
	}
	return nil
}

// flatJSON reads records as journalctl -o json writes nearly all of them: in one
// line, of strings alone, without spaces between them.
type flatJSON struct {
	layout   journalLayout
	unpacked textSlab
}

// read reads the record that s begins with and returns its length; of a record
// that is not flat, ok is false and the entry holds a part of it.
func (f *flatJSON) read(s string, e *journalEntry) (size int, ok bool) {
	n, slash := 0, 0 // where the next backslash is
	for i := 1; i < len(s); i++ {
		like := f.layout.at(n)
		n++
		if like.lead == "" || !strings.HasPrefix(s[i:], like.lead) {
			if *like, ok = flatLead(s[i:]); !ok {
				break
			}
		}
		i += len(like.lead)
		if slash < i {
			if slash = strings.IndexByte(s[i:], '\\') + i; slash < i {
				slash = len(s)
			}
		}
		end := strings.IndexByte(s[i:], '"')
		escaped := slash < i+end
		if escaped {
			end = flatString(s[i:])
		}
		if end < 0 || i+end+1 >= len(s) {
			break
		}
		if like.place != nowhere && end > 0 {
			value := s[i : i+end]
			switch {
			case !escaped:
				e.put(like.place, value)
			case like.place == placeMessage:
				e.say(f.unpacked.unquoteJSON(value), value)
			default:
				return 0, false // which a journal has no reason to
			}
		}
		switch i += end + 1; s[i] {
		case '}':
			return i + 1, true
		case ',':
		default:
			return 0, false
		}
	}
	return 0, false
}

// flatLead reads what is before the text of a field's value: "NAME":".
func flatLead(s string) (journalLead, bool) {
	const between = len(`":"`)
	size := strings.IndexByte(s[1:], '"')
	end := 1 + size + between
	if s[0] != '"' || size <= 0 || end > len(s) || s[size] == '\\' || s[1+size:end] != `":"` {
		return journalLead{}, false
	}
	return journalLead{s[:end], placeOf(s[1 : 1+size])}, true
}

// flatString is where a JSON string with escapes, of which this is the rest,
// ends; -1 if it does not.
func flatString(s string) (end int) {
	for at := 0; ; at++ {
		quote := strings.IndexByte(s[at:], '"')
		if quote < 0 {
			return -1
		}
		at += quote
		slashes := 0
		for slashes < at && s[at-slashes-1] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return at
		}
	}
}

// textSlab holds texts that had to be decoded, many in one piece of memory.
type textSlab struct{ piece strings.Builder }

func (t *textSlab) unquoteJSON(s string) string {
	const size = 64 << 10
	if t.piece.Cap()-t.piece.Len() < len(s) {
		t.piece.Reset()
		t.piece.Grow(max(size, len(s)))
	}
	from := t.piece.Len()
	writeUnquoted(&t.piece, s)
	return t.piece.String()[from:]
}

// endOfText is where the line's text ends that holds a place.
func endOfText(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// recordWindow is where a record that begins at a place must have ended: with
// its line, at end, or in the pretty form within a size that no record exceeds. Junk
// would have us look to the end of the file again and again; after enough of it
// only the one-line form counts.
func recordWindow(text string, at, end, failures int) int {
	const prettyRecord, enough = 1 << 20, 200
	if failures < enough {
		end = max(end, min(at+prettyRecord, len(text)))
	}
	return end
}

// setJSON puts a field in its place, decoding only those that have one.
func (e *journalEntry) setJSON(key, raw string) {
	if len(raw) > 2 && raw[0] == '"' && strings.IndexByte(raw, '\\') < 0 {
		e.set(key, raw[1:len(raw)-1])
		return
	}
	switch key {
	case "MESSAGE", "SYSLOG_IDENTIFIER", "_COMM", "_SYSTEMD_UNIT", "UNIT", "_HOSTNAME", "__CURSOR", "_PID", "SYSLOG_PID", "PRIORITY":
		if isDigit(raw[0]) { // some writers turn numbers into JSON numbers
			e.set(key, raw)
			return
		}
		if key == "MESSAGE" {
			e.say(jsonText(raw), asWritten(raw))
		} else {
			e.set(key, jsonText(raw))
		}
	case "__REALTIME_TIMESTAMP", "__MONOTONIC_TIMESTAMP":
		e.set(key, raw)
	}
}

// asWritten is a JSON string as the file has it, without its quotes: evidence
// is cited so, since that is what stands there.
func asWritten(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return raw
	}
	return raw[1 : len(raw)-1]
}
