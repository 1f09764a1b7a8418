package parsers

import (
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// containerLogParser reads the files in which a container runtime keeps what its
// containers print.
var containerLogParser = Parser{
	Name:  "container-log",
	Doc:   "Container logs as the runtime keeps them, Docker's json-file ({\"log\":...,\"stream\":...,\"time\":...}) and CRI's \"2016-10-06T00:17:09.669794202Z stdout F ...\", or as kubectl logs --timestamps prints them.",
	Sniff: isContainerLog,
	Parse: parseContainerLog,
}

func isContainerLog(f *File) bool {
	if mostLines(f, func(s string) bool { _, ok := keptLine(s); return ok }) {
		return true
	}
	// A stamp alone is any program's; before another logger's header it is
	// kubectl's.
	header := false
	return mostLines(f, func(s string) bool {
		c, ok := stampedLine(s)
		header = header || ok && readSpoken(c.text).kind != spokenPlain
		return ok
	}) && header
}

// containerLine is one entry of a container's log.
type containerLine struct {
	at      printed
	stream  string
	text    string
	partial bool   // the runtime cut the line here; the next entry carries it on
	written string // the text as the file has it, with JSON's escapes; "" where the whole line is that
}

// criLine reads "2016-10-06T00:17:09.669794202Z stdout F message".
func criLine(s string) (c containerLine, ok bool) {
	at, n := isoStamp(s)
	if n == 0 || at.wall || n+9 > len(s) || s[n] != ' ' {
		return c, false
	}
	c.stream = s[n+1 : n+7]
	if c.stream != "stdout" && c.stream != "stderr" || s[n+7] != ' ' {
		return c, false
	}
	tag, text, _ := strings.Cut(s[n+8:], " ")
	if len(tag) == 0 || tag[0] != 'F' && tag[0] != 'P' || len(tag) > 1 && tag[1] != ':' {
		return c, false
	}
	c.at, c.text, c.partial = at, text, tag[0] == 'P'
	return c, true
}

// dockerLine reads {"log":"message\n","stream":"stderr","time":"..."}.
func dockerLine(s string) (c containerLine, ok bool) {
	if s == "" || s[0] != '{' {
		return c, false
	}
	hasLog := false
	_, ok = jsonObject(s, func(key, raw string) {
		switch key {
		case "log":
			c.text, hasLog = unquoteJSON(raw), raw[0] == '"'
			c.written = asWritten(raw)
		case "stream":
			c.stream = unquoteJSON(raw)
		case "time":
			c.at, _ = jsonTime(raw)
		}
	})
	if !ok || !hasLog || c.at.time.IsZero() {
		return c, false
	}
	c.partial = !strings.HasSuffix(c.text, "\n")
	c.text = strings.TrimSuffix(strings.TrimSuffix(c.text, "\n"), "\r")
	c.written = strings.TrimSuffix(strings.TrimSuffix(c.written, `\n`), `\r`)
	return c, true
}

// keptLine reads a line of a file that a runtime keeps.
func keptLine(s string) (containerLine, bool) {
	if c, ok := criLine(s); ok {
		return c, true
	}
	return dockerLine(s)
}

// stampedLine reads "2016-10-06T00:17:09.669794202Z message", as kubectl logs
// --timestamps prints it.
func stampedLine(s string) (c containerLine, ok bool) {
	at, n := isoStamp(s)
	if n == 0 || at.wall || s[10] != 'T' || n < len(s) && s[n] != ' ' {
		return c, false
	}
	c.at, c.text = at, strings.TrimPrefix(s[n:], " ")
	return c, true
}

// dumpMarker reads what kubectl cluster-info dump writes around a log:
// "==== START logs for container web of pod shop/web-0 ====".
func dumpMarker(s string) (container string, ok bool) {
	rest, ok := strings.CutPrefix(s, "==== START logs for container ")
	if !ok {
		rest, ok = strings.CutPrefix(s, "==== END logs for container ")
	}
	container, _, of := strings.Cut(rest, " of pod ")
	return container, ok && of
}

// containerReader joins what the runtime cut, and the lines of one klog
// message.
type containerReader struct {
	b       *timeline.Builder
	f       *File
	first   int
	votes   programVote
	hints   clockHints
	program string                    // the container that a dump names
	partial map[string]*containerPart // by stream
	tail    map[string]*openRecord    // the last klog record of a stream
}

// containerPart is a line of which the end is still to come.
type containerPart struct {
	text, raw strings.Builder
	at        printed
	source    timeline.Source
}

func parseContainerLog(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	r := containerReader{b: b, f: f, first: len(b.Events), partial: map[string]*containerPart{}, tail: map[string]*openRecord{}}
	strange := strangeLines{b: b}
	for l := range f.lines() {
		if l.apart {
			r.end()
		}
		l = skipHole(b, l)
		if name, ok := dumpMarker(l.text); ok {
			r.program = componentOf(name, "")
			continue
		}
		c, ok := keptLine(l.text)
		if !ok {
			c, ok = stampedLine(l.text)
		}
		if !ok {
			if strings.TrimSpace(l.text) != "" {
				strange.add(l)
			}
			continue
		}
		r.line(l, &c)
	}
	r.end()
	strange.done(f)
	if len(b.Events) == r.first {
		return fmt.Errorf("reading %s: no container log entry in it", f.Path)
	}
	r.votes.settle(b.Events[r.first:], f.logName())
	if log, ok := podLogOf(f.logName()); ok {
		if log.First, log.Last, log.Fact = lastWord(b.Events[r.first:]); !log.Last.IsZero() {
			keepFact(b, &b.PodLogs, log)
		}
	}
	return nil
}

// end completes what the next lines do not carry on.
func (r *containerReader) end() {
	for _, stream := range [...]string{"stdout", "stderr", ""} {
		r.flush(stream)
	}
	for _, o := range r.tail {
		o.close(r.b, false)
	}
	clear(r.tail)
}

func (r *containerReader) line(l line, c *containerLine) {
	raw := l.text
	if c.written != "" {
		raw = c.written
	}
	source := r.b.Src(l.number, l.offset)
	if c.stream != "stdout" && c.stream != "stderr" {
		c.stream = ""
	}
	part := r.partial[c.stream]
	if part == nil && !c.partial {
		r.record(c.stream, c.at, c.text, raw, source)
		return
	}
	if part == nil {
		part = &containerPart{at: c.at, source: source}
		r.partial[c.stream] = part
	} else if part.text.Len()+len(c.text) > joinLimit {
		r.flush(c.stream)
		r.line(l, c)
		return
	} else {
		part.raw.WriteByte('\n')
		part.source.LastLine = l.number
	}
	part.text.WriteString(c.text)
	part.raw.WriteString(raw)
	if !c.partial {
		r.flush(c.stream)
	}
}

// flush writes a line that came in parts.
func (r *containerReader) flush(stream string) {
	part := r.partial[stream]
	if part == nil {
		return
	}
	delete(r.partial, stream)
	r.record(stream, part.at, part.text.String(), part.raw.String(), part.source)
}

func (r *containerReader) record(stream string, at printed, text, raw string, source timeline.Source) {
	s := readSpoken(text)
	e := timeline.Event{
		Time: at.time, Precision: at.precision, Stamp: timeline.Stamp{Wall: at.wall},
		Node: r.f.Node, Component: s.component, PID: s.pid, Level: s.level,
		Message: s.message, Text: raw, Source: source,
	}
	if e.Component == "" {
		e.Component = r.program
	}
	o := r.tail[stream]
	if o != nil && s.kind == spokenPlain && carriesOn(&r.b.Events[o.index], &e) && o.add(e.Message, e.Text, source) {
		return
	}
	if o != nil {
		o.close(r.b, false)
	}
	r.votes.count(&s)
	r.b.Add(e)
	if s.kind != spokenKlog {
		delete(r.tail, stream)
		return
	}
	if o == nil {
		o = &openRecord{}
		r.tail[stream] = o
	}
	o.open(len(r.b.Events)-1, len(e.Text))
	if !at.wall && s.at.wall {
		r.hints.note(r.b, s.at.time, at.time, "")
	}
}
