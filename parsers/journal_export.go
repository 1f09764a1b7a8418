package parsers

import (
	"encoding/binary"
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// journalExportParser reads journald's export format.
var journalExportParser = Parser{
	Name:  "journal-export",
	Doc:   "The journal as journalctl -o export writes it: one FIELD=value a line, a blank line between records.",
	Sniff: func(f *File) bool { return isJournalExport(f.head()) },
	Parse: parseJournalExport,
}

// isJournalExport wants nothing but fields in the first record, among them a
// cursor or a timestamp.
func isJournalExport(head string) bool {
	head = strings.TrimLeft(head, "\r\n")
	known := false
	for range 64 {
		l, rest, more := strings.Cut(head, "\n")
		l = strings.TrimSuffix(l, "\r")
		if l == "" {
			break
		}
		name, _, ok := strings.Cut(l, "=")
		if !isJournalField(name) {
			return false
		}
		if strings.HasPrefix(name, "__") && (name == "__CURSOR" || name == "__REALTIME_TIMESTAMP") {
			known = true
		}
		if !ok || !more { // a binary field follows
			break
		}
		head = rest
	}
	return known
}

// isJournalField knows the alphabet of field names.
func isJournalField(name string) bool {
	if name == "" || len(name) > 64 {
		return false
	}
	for _, c := range []byte(name) {
		if c != '_' && (c < 'A' || c > 'Z') && !isDigit(c) {
			return false
		}
	}
	return true
}

// exportReader walks the fields of an export.
type exportReader struct {
	f      *File
	b      *timeline.Builder
	out    journalRecorder
	at     int // in f.Text
	number int // of the line at at

	layout journalLayout

	broken, timeless     int // records with something that is no field, or without a time
	brokenAt, timelessAt int // the line of the first
}

func parseJournalExport(f *File, b *timeline.Builder) error {
	reserveFor(b, f.Text, "\n\n")
	r := exportReader{f: f, b: b, out: newJournalRecorder(b), number: max(f.FirstLine, 1)}
	first := len(b.Events)
	for r.at < len(f.Text) {
		r.record()
	}
	r.report()
	r.out.done()
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no journal record in it", f.Path)
	}
	return nil
}

// record reads the fields up to the next blank line.
func (r *exportReader) record() {
	text := r.f.Text
	source := r.b.Src(r.number, r.f.Offset+int64(r.at))
	var e journalEntry
	fields, strange, cut := 0, 0, false
	for n := 0; r.at < len(text); n++ {
		rest := text[r.at:]
		like := r.layout.at(n)
		lead := 0
		if like.lead != "" && strings.HasPrefix(rest, like.lead) {
			lead = len(like.lead)
		}
		size := strings.IndexByte(rest[lead:], '\n') + lead
		l := rest
		if size >= lead {
			l = rest[:size]
		} else {
			size = len(rest) - 1
			cut = true
		}
		if len(l) > lead && l[len(l)-1] == '\r' {
			l = l[:len(l)-1]
		}
		if lead > 0 {
			fields++
			e.put(like.place, l[lead:])
			source.LastLine = r.number
			r.at += size + 1
			r.number++
			continue
		}
		if l == "" {
			r.at += size + 1
			r.number++
			if fields+strange > 0 {
				break
			}
			source = r.b.Src(r.number, r.f.Offset+int64(r.at))
			continue
		}
		source.LastLine = r.number
		equals := strings.IndexByte(l, '=')
		switch {
		case equals > 0:
			fields++
			*like = journalLead{l[:equals+1], placeOf(l[:equals])}
			e.put(like.place, l[equals+1:])
			r.at += size + 1
			r.number++
		case isJournalField(l):
			value, ok := r.binary(r.at + size + 1)
			if ok {
				fields++
				e.set(l, value)
				source.LastLine = r.number - 1
			} else {
				strange++
				if r.at += size + 1; r.at+8 > len(text) {
					cut = true
				}
				r.number++
			}
		default:
			strange++
			r.at += size + 1
			r.number++
		}
	}
	r.at = min(r.at, len(text))
	if fields == 0 && strange == 0 {
		return
	}
	r.finish(&e, source, strange, cut)
}

// finish writes a record. One without a time of its own is the rest of one
// whose beginning is missing.
func (r *exportReader) finish(e *journalEntry, source timeline.Source, strange int, cut bool) {
	if source.LastLine == source.Line {
		source.LastLine = 0
	}
	switch {
	case cut:
		r.b.Gap(timeline.GapTruncated, source.Line, "the last record is cut")
	case strange > 0:
		if r.broken++; r.broken == 1 {
			r.brokenAt = source.Line
		}
	case e.realtime == 0:
		if r.timeless++; r.timeless == 1 {
			r.timelessAt = source.Line
		}
	}
	if e.realtime != 0 {
		r.out.entry(e, source)
	}
}

// report notes what was not understood, once for all of the file.
func (r *exportReader) report() {
	if r.broken > 0 {
		r.b.Gap(timeline.GapNotUnderstood, r.brokenAt, fmt.Sprintf("lines that are no fields, in %s of the journal", plural(r.broken, "record")))
	}
	if r.timeless > 0 {
		r.b.Gap(timeline.GapTruncated, r.timelessAt, plural(r.timeless, "record")+" of the journal without a time")
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// binary reads a value that is written as its length in eight bytes, the value
// and a line end. A length that lies is refused.
func (r *exportReader) binary(at int) (string, bool) {
	text := r.f.Text
	if at < 0 || at+8 > len(text) {
		return "", false
	}
	n := binary.LittleEndian.Uint64([]byte(text[at : at+8]))
	if n > uint64(len(text)-at-8) {
		return "", false
	}
	value := text[at+8 : at+8+int(n)]
	end := at + 8 + int(n)
	if end < len(text) && text[end] != '\n' {
		return "", false
	}
	end = min(end+1, len(text))
	r.number += strings.Count(text[r.at:end], "\n")
	r.at = end
	return value, true
}
