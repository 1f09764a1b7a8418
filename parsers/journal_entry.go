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

// set puts a field in its place and says whether it has one. Of a field given
// several times the first counts.
func (e *journalEntry) set(name, value string) bool {
	var place *string
	switch name {
	case "MESSAGE":
		place = &e.message
	case "PRIORITY":
		place = &e.priority
	case "SYSLOG_IDENTIFIER":
		place = &e.syslogIdentifier
	case "_COMM":
		place = &e.comm
	case "_SYSTEMD_UNIT":
		place = &e.unit
	case "UNIT":
		place = &e.aboutUnit
	case "_PID", "SYSLOG_PID":
		place = &e.pid
	case "_HOSTNAME":
		place = &e.hostname
	case "_BOOT_ID":
		place = &e.bootID
	case "_MACHINE_ID":
		place = &e.machineID
	case "_TRANSPORT":
		place = &e.transport
	case "__CURSOR":
		place = &e.cursor
	case "__REALTIME_TIMESTAMP":
		return setMicroseconds(&e.realtime, value)
	case "__MONOTONIC_TIMESTAMP":
		return setMicroseconds(&e.monotonic, value)
	default:
		return false
	}
	if *place == "" {
		*place = value
	}
	return true
}

func setMicroseconds(place *uint64, value string) bool {
	n, err := strconv.ParseUint(value, 10, 64)
	if err == nil && *place == 0 {
		*place = n
	}
	return err == nil
}

// event is the entry as a fact. Its Source is the caller's to fill.
func (e *journalEntry) event() timeline.Event {
	identifier := e.syslogIdentifier
	switch {
	case e.transport == "kernel" && (identifier == "" || identifier == "kernel"):
		identifier = timeline.Kernel
	case identifier == "":
		identifier = e.comm
	}
	event, _ := programEvent(identifier, e.message)
	if e.written != "" {
		event.Text = e.written
	}
	event.Time, event.Precision = e.time(), time.Microsecond
	if e.bootID != "" && e.monotonic > 0 && e.monotonic < e.realtime {
		event.Boot, event.Uptime = e.bootID, time.Duration(e.monotonic)*time.Microsecond
	}
	event.Node = e.hostname
	event.Unit = e.unit
	if event.Component == timeline.Systemd && e.aboutUnit != "" {
		event.Unit = e.aboutUnit
	}
	if pid, err := strconv.Atoi(e.pid); err == nil && pid > 0 {
		event.PID = pid
	}
	if event.Level == timeline.LevelUnknown && len(e.priority) == 1 {
		event.Level = syslogLevel(int(e.priority[0]) - '0')
	}
	return event
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
	b     *timeline.Builder
	host  string          // of the last record
	boots map[string]bool // seen
	last  struct{ boot, machine string }
	local map[string]bool // hosts whose local zone a klog header has told
}

// entry writes one entry of a journal that carries absolute times.
func (r *journalRecorder) entry(e *journalEntry, source timeline.Source) {
	event := e.event()
	source.Cursor = e.cursor
	event.Source = source
	r.boot(e, source)
	if e.bootID != r.last.boot || e.machineID != r.last.machine {
		r.last.boot, r.last.machine = e.bootID, e.machineID
		r.b.Identify(timeline.Identity{MachineID: e.machineID, BootIDs: []string{e.bootID}})
	}
	r.klogZone(&event)
	r.add(event)
}

// add writes an event and what it says of its surroundings.
func (r *journalRecorder) add(event timeline.Event) {
	r.b.Add(event)
	if event.Node != r.host {
		r.host = event.Node
		noteHost(r.b, event.Node)
	}
	if event.Component == timeline.Journald || event.Component == "rsyslogd" {
		noteLost(r.b, event)
	}
}

// done joins the records that belong together. Call it once, at the end.
func (r *journalRecorder) done() { joinContinuations(r.b) }

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
	if e.bootID == "" || e.monotonic == 0 || r.boots[e.bootID] || len(r.boots) > plausible {
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
	r.b.Boots = append(r.b.Boots, timeline.BootHint{
		At: time.Duration(e.monotonic) * time.Microsecond, Time: at, Source: source,
	})
}

// klogZone takes a klog header inside a record of known time as a word on the
// host's local zone, once for each host.
func (r *journalRecorder) klogZone(event *timeline.Event) {
	if event.Component != timeline.Kubelet || event.Time.IsZero() || r.local[event.Node] || len(r.local) > 64 {
		return
	}
	k, ok := klogHeader(event.Message)
	if !ok || !sameMoment(k.at.time, event.Time) {
		return
	}
	if r.local == nil {
		r.local = map[string]bool{}
	}
	r.local[event.Node] = true
	r.b.Clocks = append(r.b.Clocks, timeline.ClockHint{Local: k.at.time, UTC: event.Time, Host: event.Node})
}
