package parsers

import (
	"strconv"
	"time"

	"podautopsy/timeline"
)

// journalEntry is one record of a journal, as far as we read it. The readers
// of journald's three encodings (export, JSON, binary) fill it and so make the
// same events of the same journal.
type journalEntry struct {
	cursor                                string
	realtime, monotonic                   uint64 // microseconds
	bootID, machineID, hostname           string
	message, comm, syslogIdentifier, unit string
	aboutUnit                             string // the unit that systemd speaks of
	pid, priority, transport              string
	written                               string // the message as the file has it, where it is encoded there
}

// journalPlace is where an entry keeps a field.
type journalPlace uint8

const (
	nowhere journalPlace = iota
	placeMessage
	placePriority
	placeIdentifier
	placeComm
	placeUnit
	placeAboutUnit
	placePID
	placeHostname
	placeBoot
	placeMachine
	placeTransport
	placeCursor
	placeRealtime
	placeMonotonic
)

func placeOf(name string) journalPlace {
	switch name {
	case "MESSAGE":
		return placeMessage
	case "PRIORITY":
		return placePriority
	case "SYSLOG_IDENTIFIER":
		return placeIdentifier
	case "_COMM":
		return placeComm
	case "_SYSTEMD_UNIT":
		return placeUnit
	case "UNIT":
		return placeAboutUnit
	case "_PID", "SYSLOG_PID":
		return placePID
	case "_HOSTNAME":
		return placeHostname
	case "_BOOT_ID":
		return placeBoot
	case "_MACHINE_ID":
		return placeMachine
	case "_TRANSPORT":
		return placeTransport
	case "__CURSOR":
		return placeCursor
	case "__REALTIME_TIMESTAMP":
		return placeRealtime
	case "__MONOTONIC_TIMESTAMP":
		return placeMonotonic
	}
	return nowhere
}

// journalLayout are the fields of the last record that was read, in their order:
// those of most records are the same, so that one need not look for their ends.
type journalLayout [48]journalLead

// journalLead is a field's name, and all else that is written before its value.
type journalLead struct {
	lead  string
	place journalPlace
}

// at is where the n-th field stands.
func (l *journalLayout) at(n int) *journalLead { return &l[min(n, len(l)-1)] }

// set puts a field in its place, if it has one. Of a field given several times
// the first counts.
func (e *journalEntry) set(name, value string) { e.put(placeOf(name), value) }

func (e *journalEntry) put(at journalPlace, value string) {
	var place *string
	switch at {
	case placeMessage:
		place = &e.message
	case placePriority:
		place = &e.priority
	case placeIdentifier:
		place = &e.syslogIdentifier
	case placeComm:
		place = &e.comm
	case placeUnit:
		place = &e.unit
	case placeAboutUnit:
		place = &e.aboutUnit
	case placePID:
		place = &e.pid
	case placeHostname:
		place = &e.hostname
	case placeBoot:
		place = &e.bootID
	case placeMachine:
		place = &e.machineID
	case placeTransport:
		place = &e.transport
	case placeCursor:
		place = &e.cursor
	case placeRealtime:
		setMicroseconds(&e.realtime, value)
		return
	case placeMonotonic:
		setMicroseconds(&e.monotonic, value)
		return
	case nowhere:
		return
	}
	if *place == "" {
		*place = value
	}
}

// say puts the message, and how it is written in the file where that differs: of
// several the first holds.
func (e *journalEntry) say(message, written string) {
	if e.message == "" && message != "" {
		e.message, e.written = message, written
	}
}

func setMicroseconds(place *uint64, value string) {
	if *place == 0 {
		*place, _ = microseconds(value)
	}
}

// microseconds reads a decimal number.
func microseconds(s string) (n uint64, ok bool) {
	const safe = 19 // digits always fit
	if s == "" || len(s) > safe {
		n, err := strconv.ParseUint(s, 10, 64)
		return n, err == nil
	}
	for _, c := range []byte(s) {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// event is the entry as a fact. Its Source is the caller's to fill.
func (e *journalEntry) event() timeline.Event {
	var event timeline.Event
	e.fill(&event)
	return event
}

// fill makes an event the entry as a fact, and says what kind of message it is.
func (e *journalEntry) fill(event *timeline.Event) spokenKind {
	identifier := e.syslogIdentifier
	switch {
	case e.transport == "kernel" && (identifier == "" || identifier == "kernel"):
		identifier = timeline.Kernel
	case identifier == "":
		identifier = e.comm
	}
	var said spoken
	said.hear(e.message, &klogLine{})
	event.Component, event.Level = componentOf(identifier, said.file), said.level
	text := e.message
	if e.written != "" {
		text = e.written
	}
	event.Quote(said.message, text)
	event.Time, event.Precision = e.time(), time.Microsecond
	if e.bootID != "" && e.monotonic > 0 && e.monotonic < e.realtime {
		event.Boot, event.Uptime = e.bootID, time.Duration(e.monotonic)*time.Microsecond
	}
	event.Node = e.hostname
	event.Unit = e.unit
	if e.aboutUnit != "" && event.Component == timeline.Systemd {
		event.Unit = e.aboutUnit
	}
	if e.pid != "" {
		if pid, err := strconv.Atoi(e.pid); err == nil && pid > 0 {
			event.PID = pid
		}
	}
	if event.Level == timeline.LevelUnknown && len(e.priority) == 1 {
		event.Level = syslogLevel(int(e.priority[0]) - '0')
	}
	if said.message != e.message { // rewritten
		return spokenUnsure
	}
	return said.kind
}

// time is when journald received the entry; zero if that is no sane time.
func (e *journalEntry) time() time.Time {
	const year2200 = 7258118400e6
	if e.realtime == 0 || e.realtime > year2200 {
		return time.Time{}
	}
	return time.UnixMicro(int64(e.realtime)).UTC()
}

// programEvent begins an event with what the program inside tells: message,
// component and level. identifier is its syslog identifier.
func programEvent(identifier, message string) (timeline.Event, spoken) {
	s := readSpoken(message)
	return timeline.Event{
		Component: componentOf(identifier, s.file),
		Level:     s.level,
		Message:   s.message,
		Text:      message,
	}, s
}

// syslogLevel is what PRIORITY and the low bits of <PRI> say.
func syslogLevel(priority int) timeline.Level {
	switch priority {
	case 0, 1, 2, 3:
		return timeline.LevelError
	case 4:
		return timeline.LevelWarning
	case 5, 6:
		return timeline.LevelInfo
	case 7:
		return timeline.LevelDebug
	}
	return timeline.LevelUnknown
}

// journalRecorder writes the records of one journal in any encoding, with the
// side facts that records carry: host names, boots, local zones, losses.
type journalRecorder struct {
	b      *timeline.Builder
	host   string          // of the last record
	boots  map[string]bool // seen
	booted string          // the last of them
	last   struct{ boot, machine string }
	local  map[string]bool // hosts whose local zone a klog header has told
	told   string          // the last of them
	voices journalVoices
}

func newJournalRecorder(b *timeline.Builder) journalRecorder {
	return journalRecorder{b: b, voices: journalVoices{mixed: len(b.Events) > 0}}
}

// entry writes one entry of a journal that carries absolute times.
func (r *journalRecorder) entry(e *journalEntry, source timeline.Source) {
	event := r.b.Begin()
	kind := e.fill(event)
	source.Cursor = e.cursor
	event.Source = source
	r.boot(e, source)
	if e.bootID != r.last.boot || e.machineID != r.last.machine {
		r.last.boot, r.last.machine = e.bootID, e.machineID
		r.b.Identify(timeline.Identity{MachineID: e.machineID, BootIDs: []string{e.bootID}})
	}
	if kind == spokenKlog || kind == spokenUnsure {
		r.klogZone(event)
	}
	r.added(event, kind)
}

// added takes note of what the last event says of its surroundings.
func (r *journalRecorder) added(event *timeline.Event, kind spokenKind) {
	r.voices.note(event, kind)
	if event.Node != r.host {
		r.host = event.Node
		noteHost(r.b, event.Node)
	}
	if event.Component == timeline.Journald || event.Component == "rsyslogd" {
		noteLost(r.b, event)
	}
}

// done joins the records that belong together. Call it once, at the end.
func (r *journalRecorder) done() {
	if r.voices.mixed {
		joinContinuations(r.b)
	}
}

// noteHost notes a host name. A file of junk may name thousands.
func noteHost(b *timeline.Builder, name string) {
	const plausible = 64
	if len(b.Input.Hosts) < plausible {
		b.Host(name)
	}
}

// boot ties the monotonic clock of each boot to wall time, once.
func (r *journalRecorder) boot(e *journalEntry, source timeline.Source) {
	const plausible = 1000
	if e.bootID == "" || e.bootID == r.booted || e.monotonic == 0 || r.boots[e.bootID] || len(r.boots) > plausible {
		return
	}
	at := e.time()
	if at.IsZero() || e.monotonic > e.realtime {
		return
	}
	if r.boots == nil {
		r.boots = map[string]bool{}
	}
	r.boots[e.bootID] = true
	r.booted = e.bootID
	r.b.Boots = append(r.b.Boots, timeline.BootHint{
		At: time.Duration(e.monotonic) * time.Microsecond, Time: at, Source: source,
	})
}

// klogZone takes a klog header inside a record of known time as a word on the
// host's local zone, once for each host.
func (r *journalRecorder) klogZone(event *timeline.Event) {
	if event.Component != timeline.Kubelet || event.Time.IsZero() || r.told != "" && r.told == event.Node || r.local[event.Node] || len(r.local) > 64 {
		return
	}
	k, ok := klogHeader(event.Message)
	if !ok {
		return
	}
	var told printed
	k.at(&told)
	local := told.time
	if !sameMoment(local, event.Time) {
		return
	}
	if r.local == nil {
		r.local = map[string]bool{}
	}
	r.local[event.Node] = true
	r.told = event.Node
	r.b.Clocks = append(r.b.Clocks, timeline.ClockHint{Local: local, UTC: event.Time, Host: event.Node})
}
