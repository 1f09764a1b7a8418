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
	const smallRecord = 700
	reserveEvents(b, len(f.Text)/smallRecord)
	r := journalRecorder{b: b}
	first := len(b.Events)
	strange := strangeLines{b: b}
	text := f.Text
	number, counted := max(f.FirstLine, 1), 0
	lineAt := func(at int) int {
		number += strings.Count(text[counted:at], "\n")
		counted = at
		return number
	}
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			break
		}
		at += open
		var e journalEntry
		size, ok := jsonObject(text[at:], func(key, raw string) { e.setJSON(key, raw) })
		begin := lineAt(at)
		if !ok {
			// Go on with the next line that begins a record.
			next := strings.Index(text[at:], "\n{")
			l := line{number: begin, offset: f.Offset + int64(at), text: text[at:]}
			if next >= 0 {
				l.text = text[at : at+next]
			} else {
				next = len(text) - at - 1
			}
			strange.add(l)
			at += next + 1
			continue
		}
		source := b.Src(begin, f.Offset+int64(at))
		if last := lineAt(at + size); last != begin {
			source.LastLine = last
		}
		at += size
		if e.realtime == 0 {
			strange.add(line{number: begin, offset: source.Offset, text: text[at-size : at]})
			continue
		}
		r.entry(&e, source)
	}
	strange.done(f)
	r.done()
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no journal record in it", f.Path)
	}
	return nil
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
	case "__REALTIME_TIMESTAMP", "__MONOTONIC_TIMESTAMP":
		e.set(key, raw)
	}
}
