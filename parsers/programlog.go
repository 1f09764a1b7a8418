package parsers

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// mostLines says whether at least half of the first lines of f satisfy is; the
// others carry on a message. Blank lines do not count. One line of several is
// not enough.
func mostLines(f *File, is func(string) bool) bool {
	const look = 40
	hit, seen := 0, 0
	head := File{Text: f.head()}
	for l := range head.lines() {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if is(l.text) {
			hit++
		}
		if seen++; seen == look {
			break
		}
	}
	return (hit > 1 || hit == seen) && hit > 0 && hit*2 >= seen
}

// reserve makes room for as many events as lines are likely, going by the
// first ones: growing by and by would copy events several times over.
func reserve(b *timeline.Builder, text string) { reserveFor(b, text, "\n") }

// reserveFor makes room for one event for each time that a text is likely to
// hold what ends a record.
func reserveFor(b *timeline.Builder, text, end string) {
	const sample, shortRecord, plenty = 64 << 10, 40, 1 << 20
	head := text[:min(len(text), sample)]
	each := max(shortRecord, len(head)/(strings.Count(head, end)+1)) * 15 / 16
	b.Events = slices.Grow(b.Events, min(len(text)/each+16, plenty))
}

// skipHole passes over the zero bytes that a crash leaves in a log, where the
// file had grown and the data had not been written. The next record stands in
// the same line.
func skipHole(b *timeline.Builder, l line) line {
	if l.text == "" || l.text[0] != 0 {
		return l
	}
	rest := strings.TrimLeft(l.text, "\x00")
	size := len(l.text) - len(rest)
	b.Gap(timeline.GapTruncated, l.number, fmt.Sprintf("%d zero bytes, as a crash leaves them", size))
	return line{text: rest, number: l.number, offset: l.offset + int64(size), at: l.at + size, apart: l.apart}
}

// programLog reads the lines that one program wrote, whatever its logger: a
// line with a header begins a record, one without carries it on.
type programLog struct {
	f     *File
	b     *timeline.Builder
	votes programVote
	// program is the container that a dump names.
	program string

	// The last record, as a part of the text.
	head, end int
	lastLine  int  // 0 while it has one line
	cut       bool // the file begins in the middle of a record

	strange strangeLines
	year    int // of glog's file header; 0 unknown
	month   time.Month
}

// parseProgramLog reads a log file that nothing but the program wrote to.
func parseProgramLog(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	p := programLog{f: f, b: b, strange: strangeLines{b: b}}
	first := len(b.Events)
	for l := range f.lines() {
		if l.apart {
			p.close()
			p.head = -joinLimit // nothing carries on beyond it
		}
		l = skipHole(b, l)
		s := readSpoken(l.text)
		if name, ok := dumpMarker(l.text); ok {
			p.close()
			p.head = -joinLimit // nothing carries on beyond it
			p.program = componentOf(name, "")
			continue
		}
		switch {
		case s.kind != spokenPlain:
			p.close()
			p.begin(l, s)
		case p.glogHeader(l.text):
		case len(b.Events) > first && l.at+len(l.text)-p.head < joinLimit:
			p.end, p.lastLine = l.at+len(l.text), l.number
		case strings.TrimSpace(l.text) == "", len(b.Events) == first && p.cut:
		case len(b.Events) == first:
			p.cut = true
			b.Gap(timeline.GapTruncated, l.number, "begins in the middle of a record")
		default:
			p.strange.add(l)
		}
	}
	p.close()
	p.strange.done(f)
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no log record in it", f.Path)
	}
	p.votes.settle(b.Events[first:], f.logName())
	return nil
}

// begin adds the record that a line begins.
func (p *programLog) begin(l line, s spoken) {
	p.votes.count(&s)
	at := s.at
	if at.noYear && p.year != 0 {
		at = p.dated(at)
	}
	p.head = l.at
	p.end, p.lastLine = p.head+len(l.text), 0
	if s.component == "" {
		s.component = p.program
	}
	p.b.Add(timeline.Event{
		Time: at.time, Precision: at.precision, Stamp: timeline.Stamp{Wall: at.wall, NoYear: at.noYear},
		Node: p.f.Node, Component: s.component, PID: s.pid, Level: s.level,
		Message: s.message, Text: l.text, Source: p.b.Src(l.number, l.offset),
	})
}

// close gives the last record the lines that carried it on. They stand
// together in the file, so the text is a part of it.
func (p *programLog) close() {
	if p.lastLine == 0 {
		return
	}
	e := &p.b.Events[len(p.b.Events)-1]
	text := p.f.Text[p.head:p.end]
	if strings.IndexByte(text, '\r') >= 0 {
		text = strings.ReplaceAll(text, "\r\n", "\n")
	}
	if e.Message == e.Text {
		e.Message = text
	} else {
		e.Message += text[len(e.Text):]
	}
	e.Text = text
	e.Source.LastLine = p.lastLine
	p.lastLine = 0
}

// isGlogHeader knows the lines that glog writes at the top of a file.
func isGlogHeader(s string) bool {
	for _, start := range [...]string{"Log file created at: ", "Running on machine: ", "Binary: Built with gc ", "Log line format: [IWEF]"} {
		if strings.HasPrefix(s, start) {
			return true
		}
	}
	return false
}

// glogHeader reads the lines that glog writes at the top of a file; they tell
// the host and the year.
func (p *programLog) glogHeader(s string) bool {
	if !isGlogHeader(s) {
		return false
	}
	if created, ok := strings.CutPrefix(s, "Log file created at: "); ok {
		if at, n := isoStamp(created); n > 0 {
			p.year, p.month = at.time.Year(), at.time.Month()
		}
	} else if host, ok := strings.CutPrefix(s, "Running on machine: "); ok {
		noteHost(p.b, strings.TrimSpace(host))
	}
	return true
}

// dated gives a time the year of glog's header, or the next one once the
// months have begun anew.
func (p *programLog) dated(at printed) printed {
	if at.time.Month() < p.month {
		if p.month-at.time.Month() > 6 {
			p.year++
			p.month = at.time.Month()
		}
	} else {
		p.month = at.time.Month()
	}
	return at.inYear(p.year)
}

// strangeLines notes runs of lines that are not understood, one gap a run.
type strangeLines struct {
	b           *timeline.Builder
	first, last line
	count       int
	runs        int
}

func (s *strangeLines) add(l line) {
	if s.count > 0 && l.number > s.last.number+1 {
		s.flush()
	}
	if s.count == 0 {
		s.first = l
	}
	s.last = l
	s.count++
}

func (s *strangeLines) flush() {
	const enough = 100
	if s.count == 0 {
		return
	}
	if s.runs++; s.runs <= enough {
		s.b.Gap(timeline.GapNotUnderstood, s.first.number, plural(s.count, "line")+" not understood")
	}
	s.count = 0
}

// done notes what is left. A strange last line without an end was cut.
func (s *strangeLines) done(f *File) {
	cut := s.count > 0 && !strings.HasSuffix(f.Text, "\n") &&
		s.last.at+len(s.last.text) >= len(f.Text)
	if cut {
		s.count--
	}
	s.flush()
	if cut {
		s.b.Gap(timeline.GapTruncated, s.last.number, "the last record is cut")
	}
}
