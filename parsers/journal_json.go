package parsers

import (
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// JournalJSON reads journald's JSON format.
var JournalJSON = Parser{
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
	r := journalRecorder{b: b}
	first := len(b.Events)
	strange := strangeLines{b: b}
	text := f.Text
	place := f.places()
	failures := 0
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		var e journalEntry
		size, ok := jsonObject(text[at:recordWindow(text, at, failures)], e.setJSON)
		begin, offset := place(at)
		source := b.Src(begin, offset)
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
		if last, _ := place(at + size); last != begin && len(f.pieces) == 0 {
			source.LastLine = last
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

// recordWindow is where a record that begins at a place must have ended: with
// its line, or in the pretty form within a size that no record exceeds. Junk
// would have us look to the end of the file again and again; after enough of it
// only the one-line form counts.
func recordWindow(text string, at, failures int) int {
	const prettyRecord, enough = 1 << 20, 200
	end := len(text)
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		end = at + n
	}
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
		e.set(key, jsonText(raw))
		if key == "MESSAGE" {
			e.written = asWritten(raw)
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
