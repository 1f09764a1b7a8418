package parsers

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// journalShortParser reads the text forms of journalctl and the files of syslog
// daemons, which have the same grammar: a time, a host, a program, a message.
var journalShortParser = Parser{
	Name:  "journal-short",
	Doc:   "The journal as journalctl prints it (short, short-full, short-precise, short-iso, short-iso-precise, short-unix, short-monotonic) and syslog files (/var/log/messages, /var/log/syslog).",
	Sniff: isJournalShort,
	Parse: parseJournalShort,
}

func isJournalShort(f *File) bool {
	const look = 60
	hit, seen, program := 0, 0, false
	head := File{Text: f.head()}
	for l := range head.lines() {
		if l.number == 1 && strings.HasPrefix(l.text, "-- No entries") {
			return true
		}
		if l.text == "" || isIndented(l.text) || strings.HasPrefix(l.text, "-- ") || l.text == "--" {
			continue // markers, catalog entries, continuations
		}
		if l.number == 1 && isUnitStatus(l.text) {
			return false
		}
		if s, ok := shortHeader(l.text); ok && s.identifier != "" {
			hit++
			// "2025-01-01T00:00:00Z ERROR controller: ..." has the same shape; a
			// process id, or a stamp that nothing else uses, tells the difference.
			program = program || s.pid > 0 || s.at.noYear || s.identifier == timeline.Kernel ||
				componentOf(s.identifier, "") == timeline.Kubelet
		}
		if seen++; seen == look {
			break
		}
	}
	if seen == 0 { // headers only
		return isJournalMarker(f.Text)
	}
	return program && hit*2 >= seen
}

// isUnitStatus knows the first line of systemctl status, below which journal
// lines stand.
func isUnitStatus(s string) bool {
	for _, dot := range [...]string{"● ", "○ ", "× ", "↻ ", "* "} {
		if strings.HasPrefix(s, dot) {
			return true
		}
	}
	return false
}

// isJournalMarker knows what journalctl prints between records.
func isJournalMarker(s string) bool {
	if !strings.HasPrefix(s, "-- ") {
		return false
	}
	for _, marker := range [...]string{"-- Logs begin at ", "-- Journal begins at ", "-- Boot ", "-- Reboot --", "-- No entries --", "-- cursor: "} {
		if strings.HasPrefix(s, marker) {
			return true
		}
	}
	return false
}

func isIndented(s string) bool { return s != "" && (s[0] == ' ' || s[0] == '\t') }

// shortRecord is one line, taken apart.
type shortRecord struct {
	at         printed
	sinceBoot  time.Duration
	host       string
	identifier string
	pid        int
	priority   int // of a leading <PRI>; -1 none
	message    string
	indent     int // where the message begins
	lead       int // where the program begins, if it follows a host
}

// shortHeader reads the prefix of a line: time, host, program.
func shortHeader(s string) (r shortRecord, ok bool) {
	r.priority = -1
	rest := s
	if rest != "" && rest[0] == '<' {
		rest, r.priority = cutPriority(rest)
		if record, ok := strings.CutPrefix(rest, "1 "); ok && r.priority >= 0 {
			return r.syslog5424(s, record)
		}
	}
	at, n := shortStamp(rest)
	if rest != "" && rest[0] == '[' {
		r.sinceBoot, n = bootSeconds(rest)
		at.precision = time.Microsecond
	}
	if n == 0 || n >= len(rest) || rest[n] != ' ' {
		return r, false
	}
	r.at = at
	rest = rest[n+1:]
	if r.priority >= 0 && strings.HasPrefix(s, "<") && len(rest) > 0 {
		rest = strings.TrimLeft(rest, " ")
	}

	// With --no-hostname the program follows at once.
	word := strings.IndexByte(rest, ' ')
	if word < 0 {
		word = len(rest)
	}
	if word > 0 && rest[word-1] != ':' {
		if r.host = rest[:word]; !isHostName(r.host) {
			return r, false
		}
		rest = rest[min(word+1, len(rest)):]
		r.lead = len(s) - len(rest)
	}
	r.program(rest)
	r.indent = len(s) - len(r.message)
	if s[0] == '[' { // what dmesg prints has no host, seldom a process
		return r, r.host != "" && (r.pid > 0 || r.identifier == timeline.Kernel)
	}
	return r, r.host != "" || r.identifier != ""
}

// isHostName knows the alphabet of host names and addresses.
func isHostName(s string) bool {
	if len(s) > 253 {
		return false
	}
	named := false
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', isDigit(c), c >= 0x80, c == '*':
			named = true // a line of dashes names nobody
		case c == '.', c == '-', c == '_', c == ':', c == '%', c == '<', c == '>':
			// The last two, and the asterisk, are what redactors leave.
		default:
			return false
		}
	}
	return named
}

// program reads "kubelet[3543]: message" and "kernel: message".
func (r *shortRecord) program(s string) {
	const longest = 120
	near := s[:min(len(s), longest)]
	end := colonSpace(near)
	if end < 0 {
		if !strings.HasSuffix(s, ":") || len(s) > longest {
			r.message = s
			return
		}
		end = len(s) - 1
	}
	name := s[:end]
	pid := 0
	if strings.HasSuffix(name, "]") {
		if open := strings.LastIndexByte(name, '['); open >= 0 {
			if n, err := strconv.ParseUint(name[open+1:len(name)-1], 10, 31); err == nil {
				pid = int(n)
			}
			name = name[:open]
		}
	} else if strings.IndexByte(name, ' ') >= 0 {
		r.message = s // a colon in the message of a line without a program
		return
	}
	r.identifier, r.pid = name, pid
	r.message = s[min(end+2, len(s)):]
}

// colonSpace is where the first ": " is; -1 if there is none.
func colonSpace(s string) int {
	for at := 0; ; at++ {
		colon := strings.IndexByte(s[at:], ':')
		if at += colon; colon < 0 || at+1 >= len(s) {
			return -1
		}
		if s[at+1] == ' ' {
			return at
		}
	}
}

// syslog5424 reads what follows "<30>1 ": time, host, program, process, the
// message's id, structured data, the message itself. "-" is for what is not
// there.
func (r shortRecord) syslog5424(s, record string) (shortRecord, bool) {
	at, n := isoStamp(record)
	if n == 0 || n >= len(record) || record[n] != ' ' {
		return r, false
	}
	r.at = at
	rest := record[n+1:]
	var fields [4]string // host, program, process, id
	for i := range fields {
		word, after, ok := strings.Cut(rest, " ")
		if !ok || word == "" {
			return r, false
		}
		if word != "-" {
			fields[i] = word
		}
		rest = after
	}
	r.host, r.identifier = fields[0], fields[1]
	if pid, ok := decimal(fields[2]); ok {
		r.pid = pid
	}
	if after, ok := strings.CutPrefix(rest, "-"); ok {
		rest = after
	} else {
		for strings.HasPrefix(rest, "[") {
			end := structuredEnd(rest)
			if end < 0 {
				break
			}
			rest = rest[end:]
		}
	}
	r.message = strings.TrimPrefix(strings.TrimLeft(rest, " "), byteOrderMark)
	r.indent = len(s) - len(r.message)
	return r, isHostName(r.host) && r.identifier != ""
}

// structuredEnd is where an element of structured data ends, in which quotes
// and brackets may be escaped.
func structuredEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case ']':
			return i + 1
		}
	}
	return -1
}

// cutPriority reads "<30>".
func cutPriority(s string) (rest string, priority int) {
	end := strings.IndexByte(s[:min(len(s), 5)], '>')
	if end < 0 {
		return s, -1
	}
	n, err := strconv.Atoi(s[1:end])
	if err != nil {
		return s, -1
	}
	return s[end+1:], n & 7
}

// shortStamp reads the time of a line in any of the forms.
func shortStamp(s string) (p printed, n int) {
	if s == "" {
		return p, 0
	}
	switch c := s[0]; {
	case isDigit(c):
		if p, n = isoStamp(s); n > 0 && s[10] == 'T' {
			return p, n
		}
		return unixStamp(s)
	case c >= 'A' && c <= 'Z':
		if p, n = syslogStamp(s); n > 0 {
			if y, ok := figures(s, n+1, 4); ok && n+5 < len(s) && s[n] == ' ' && s[n+5] == ' ' {
				return p.inYear(y), n + 5
			}
			return p, n
		}
		return fullStamp(s)
	}
	return p, 0
}

// unixStamp reads "1796027525.546509", as -o short-unix prints it.
func unixStamp(s string) (p printed, n int) {
	const seconds, micros = 10, 6
	sec, ok1 := figures(s, 0, seconds)
	usec, ok2 := figures(s, seconds+1, micros)
	if !ok1 || !ok2 || s[seconds] != '.' {
		return p, 0
	}
	return printed{time: time.Unix(int64(sec), int64(usec)*1000).UTC(), precision: time.Microsecond}, seconds + 1 + micros
}

// shortReader reads one journal or syslog file.
type shortReader struct {
	f     *File
	b     *timeline.Builder
	out   journalRecorder
	hints clockHints

	first int // index of its first event

	lead string      // time and host of the last record
	last shortRecord // ... which has them

	open     openRecord // what an indented line carries on
	begun    bool       // there is such a record
	indent   int        // of its message
	lastLine int

	begin   time.Time // of the range in the header; zero unknown
	top     int       // line of that header
	end     time.Time
	utc     bool // the header gives its times in UTC
	markers int  // how many of the last events are markers that wait for a time
	none    bool // "-- No entries --"
	strange strangeLines
}

func parseJournalShort(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	r := shortReader{f: f, b: b, out: newJournalRecorder(b), first: len(b.Events), strange: strangeLines{b: b}}
	for l := range f.lines() {
		if l.text != "" && l.text[0] == 0 {
			l = skipHole(b, l)
		}
		r.line(&l)
	}
	r.close()
	r.strange.done(f)
	r.out.done()
	r.noteRotated()
	if len(b.Events) == r.first && !r.none {
		return fmt.Errorf("reading %s: no journal record in it", f.Path)
	}
	return nil
}

func (r *shortReader) line(l *line) {
	if r.header(l.text) {
		r.record(l, &r.last)
		return
	}
	switch {
	case strings.HasPrefix(l.text, "-- ") || l.text == "--":
		r.marker(l)
	case r.begun && (l.text == "" || isIndented(l.text) || r.follows(l)) && r.carryOn(l):
	case strings.TrimSpace(l.text) != "":
		r.strange.add(*l)
	}
}

// header reads a line's prefix like shortHeader. Most lines are of the same host
// and second as the one before.
func (r *shortReader) header(s string) bool {
	if r.lead != "" && strings.HasPrefix(s, r.lead) {
		r.last.identifier, r.last.pid = "", 0
		r.last.program(s[len(r.lead):])
		r.last.indent = len(s) - len(r.last.message)
		return true
	}
	record, ok := shortHeader(s)
	if !ok {
		return false
	}
	r.last, r.lead = record, ""
	if c := s[0]; c != '<' && c != '[' && s[:record.lead] != "" && s[record.lead-1] == ' ' {
		r.lead = s[:record.lead]
	}
	return true
}

// follows says whether a line without a prefix stands right below the last
// record: a message with line ends that syslog wrote as they came.
func (r *shortReader) follows(l *line) bool {
	return l.number == r.lastLine+1
}

// carryOn adds a physical line to the last record. journalctl indents it to
// where the message began.
func (r *shortReader) carryOn(l *line) bool {
	text := l.text
	if strings.TrimLeft(text[:min(len(text), r.indent)], " ") == "" {
		text = text[min(len(text), r.indent):]
	}
	if !r.open.add(text, l.text, r.b.Src(l.number, l.offset)) {
		return false
	}
	r.lastLine = l.number
	return true
}

func (r *shortReader) record(l *line, s *shortRecord) {
	var inside spoken
	inside.read(s.message)
	component := componentOf(s.identifier, inside.file)
	message := inside.message
	if component == timeline.Kernel || s.identifier == "" {
		message = kernelMessage(message)
	}
	at := s.at
	switch {
	case at.noYear && !r.end.IsZero():
		at = at.notAfter(r.end)
		at.wall = !r.utc
	case at.wall && r.utc:
		at.wall = false
	}
	at = refine(at, inside.at)
	if spoke := &inside.at; !spoke.time.IsZero() && !at.time.IsZero() && at.wall != spoke.wall {
		if at.wall {
			r.hints.note(r.b, at.time, spoke.time, s.host)
		} else if component == timeline.Kubelet {
			r.hints.note(r.b, spoke.time, at.time, s.host)
		}
	}
	r.close()
	e := r.b.Begin()
	e.Component, e.Level = component, inside.level
	e.Time, e.Precision = at.time, at.precision
	e.Stamp = timeline.Stamp{Wall: at.wall, NoYear: at.noYear, SinceBoot: s.sinceBoot, HasSinceBoot: at.time.IsZero()}
	e.Quote(message, l.text)
	e.Node, e.PID = s.host, s.pid
	if e.Node == "" {
		e.Node = r.f.Node
	}
	if e.Level == timeline.LevelUnknown && s.priority >= 0 {
		e.Level = syslogLevel(s.priority)
	}
	e.Source = r.b.Src(l.number, l.offset)
	for ; r.markers > 0; r.markers-- {
		m := &r.b.Events[e.Seq-r.markers]
		m.Time, m.Precision, m.Stamp, m.Node = e.Time, e.Precision, e.Stamp, e.Node
	}
	kind := inside.kind
	if message != s.message { // rewritten
		kind = spokenUnsure
	}
	r.out.added(e, kind)
	r.open.open(e.Seq, len(l.text))
	r.begun, r.indent, r.lastLine = true, s.indent, l.number
}

// close joins the lines of the last record.
func (r *shortReader) close() {
	if e := r.open.close(r.b, false); e != nil {
		var said spoken
		said.hear(e.Message, &klogLine{})
		r.out.voices.note(e, said.kind)
	}
}

// marker reads what journalctl prints between records. What its catalog says
// of a record is no news and is passed over.
func (r *shortReader) marker(l *line) {
	switch {
	case strings.HasPrefix(l.text, "-- Logs begin at "), strings.HasPrefix(l.text, "-- Journal begins at "):
		r.span(l)
		r.begun = false
	case strings.HasPrefix(l.text, "-- No entries"):
		r.none = true
		r.begun = false
	case strings.HasPrefix(l.text, "-- Boot "), strings.HasPrefix(l.text, "-- Reboot --"):
		e := r.b.Begin()
		e.Component, e.Source = timeline.Journald, r.b.Src(l.number, l.offset)
		e.Quote(l.text, l.text)
		r.out.voices.note(e, spokenPlain)
		r.markers++
		r.begun = false
	}
}

// span reads the first and last time of the journal from its header: they
// tell the year, and the zone where it has a name that tells.
func (r *shortReader) span(l *line) {
	s := l.text
	from, to, ok := strings.Cut(s, ", end")
	if !ok {
		return
	}
	to = strings.TrimPrefix(strings.TrimPrefix(to, "s"), " at ")
	begin := strings.Index(from, " at ") + len(" at ")
	for _, text := range [...]string{from[begin:], to} {
		p, n := fullStamp(text)
		if n == 0 {
			continue
		}
		offset, known := zoneNamed(p.zone)
		if !p.wall && known {
			local := p.time.Add(time.Duration(offset) * time.Second)
			if p.zone == "UTC" {
				r.utc = true
				r.b.Input.Zone, r.b.Input.ZoneKnown = "UTC", timeline.Given
			} else {
				r.b.Clocks = append(r.b.Clocks, timeline.ClockHint{Local: local, UTC: p.time, Host: ""})
			}
			p.time = local
		}
		if r.top == 0 {
			r.begin, r.top = p.time, l.number
		}
		if p.time.After(r.end) {
			r.end = p.time
		}
		r.b.Input.YearKnown = timeline.Given
	}
}

// noteRotated notes that the records begin where the journal does: what was
// logged before is rotated away, unless the machine was booted then.
func (r *shortReader) noteRotated() {
	if r.top == 0 || len(r.b.Events) == r.first {
		return
	}
	e := &r.b.Events[r.first]
	booted := e.Component == timeline.Kernel && strings.HasPrefix(e.Message, "Linux version ") ||
		e.Component == timeline.Journald && e.Message == "Journal started"
	if apart := e.Time.Sub(r.begin); !booted && apart >= 0 && apart < time.Minute {
		r.b.Gap(timeline.GapRotated, r.top, "begins where the journal begins; what was logged before is not kept")
	}
}

// refine takes the finer figures of the time inside a message where it is the
// record's own moment: within seconds once any zone is taken off. Hour and day
// stay the record's, so that zones cannot disagree.
func refine(record, inside printed) printed {
	if inside.time.IsZero() || record.time.IsZero() || inside.precision >= record.precision {
		return record
	}
	const quarter = int64(zoneStep)
	of := func(t time.Time) int64 {
		return (t.Unix()%900+900)%900*int64(time.Second) + int64(t.Nanosecond())
	}
	apart := of(inside.time) - of(record.time)
	if apart > quarter/2 {
		apart -= quarter
	} else if apart < -quarter/2 {
		apart += quarter
	}
	const disagree = 3 * time.Second
	d := time.Duration(apart)
	if d.Abs() > disagree {
		return record
	}
	record.time = record.time.Add(d)
	record.precision = inside.precision
	return record
}

// kernelMessage cuts off the seconds since boot that syslog leaves before a
// kernel message; journald does not have them.
func kernelMessage(s string) string {
	if s == "" || s[0] != '[' {
		return s
	}
	if _, n := bootSeconds(s); n > 0 {
		return strings.TrimPrefix(s[n:], " ")
	}
	return s
}
