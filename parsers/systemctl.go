package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// systemctlParser reads the state of systemd's units.
var systemctlParser = Parser{
	Name:  "systemctl",
	Doc:   "systemctl status (with the journal lines below it), show, list-units and is-active.",
	Sniff: sniffSystemctl,
	Parse: parseSystemctl,
}

func sniffSystemctl(f *File) bool {
	if f.blank() {
		return f.ran("systemctl")
	}
	for i, s := range f.firstLines(12) {
		if _, ok := statusTitle(s); ok && strings.Contains(f.head(), "Loaded: ") || strings.Contains(s, "could not be found.") && strings.HasPrefix(s, "Unit ") {
			return true
		}
		if isUnitTable(s) || i == 0 && isShow(f) {
			return true
		}
	}
	return f.ran("systemctl", "is-active") && isUnitState(strings.TrimSpace(f.firstLines(1)[0]))
}

func parseSystemctl(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	if v, ok := f.invocation("systemctl", "is-active"); ok {
		unitStates(f, b, v)
		return nil
	}
	if isShow(f) {
		parseShow(f, b)
		return nil
	}
	r := statusReader{file: f, b: b}
	for l := range f.lines() {
		r.line(l)
	}
	r.endUnit()
	r.rest.report(b)
	return nil
}

// unitStates reads systemctl is-active: one state a line, in the order of the
// units asked for.
func unitStates(f *File, b *timeline.Builder, v invocation) {
	units := v.operands()[1:]
	var rest leftovers
	for l := range f.lines() {
		state := strings.TrimSpace(l.text)
		if !isUnitState(state) || len(units) == 0 {
			rest.add(f, b, l)
			continue
		}
		keepFact(b, &b.Units, timeline.Unit{Name: unitName(units[0]), Active: state, Fact: factAt(f, b, l)})
		units = units[1:]
	}
	rest.report(b)
}

func isUnitState(s string) bool {
	switch s {
	case "active", "inactive", "failed", "activating", "deactivating", "reloading", "unknown":
		return true
	}
	return false
}

// unitName gives a name without a suffix the one systemctl means.
func unitName(s string) string {
	if strings.Contains(s, ".") {
		return s
	}
	return s + ".service"
}

// statusReader reads systemctl status and list-units, line by line.
type statusReader struct {
	file *File
	b    *timeline.Builder
	unit *timeline.Unit

	table bool
	group string // control group of the unit
	log   map[string]printedLine
	rest  leftovers
}

// printedLine is a line of the log below a unit. status --all prints one that
// is about two units below both.
type printedLine struct {
	event int // of the builder
	below *timeline.Unit
}

// repeats says whether a line stood below another unit already.
func (r *statusReader) repeats(l line) bool {
	p, known := r.log[l.text]
	if known && p.below != r.unit {
		e := &r.b.Events[p.event]
		e.AlsoAt = append(e.AlsoAt, r.b.Src(l.number, l.offset))
		return true
	}
	if r.log == nil {
		r.log = map[string]printedLine{}
	}
	r.log[l.text] = printedLine{len(r.b.Events), r.unit}
	return false
}

func (r *statusReader) line(l line) {
	s := strings.TrimSpace(l.text)
	if s == "" {
		r.table = false
		return
	}
	if isUnitTable(l.text) {
		r.endUnit()
		r.table = true
		r.b.Input.Records++
		return
	}
	if r.table {
		if u, ok := unitRow(s); ok {
			u.Fact = factAt(r.file, r.b, l)
			keepFact(r.b, &r.b.Units, u)
		} else if !legend(s) {
			r.rest.add(r.file, r.b, l)
		}
		return
	}
	if name, ok := statusTitle(l.text); ok {
		r.endUnit()
		if !strings.Contains(name, ".") {
			r.b.Host(name) // the machine itself heads status --all
			r.b.Input.Records++
			return
		}
		r.unit = &timeline.Unit{Name: name, Fact: factAt(r.file, r.b, l)}
		return
	}
	if name, ok := strings.CutPrefix(s, "Unit "); ok && strings.HasSuffix(name, " could not be found.") {
		name = strings.TrimSuffix(name, " could not be found.")
		keepFact(r.b, &r.b.Units, timeline.Unit{Name: name, Load: "not-found", Active: "inactive", Sub: "dead", Fact: factAt(r.file, r.b, l)})
		return
	}
	if l.text[0] != ' ' {
		if event, ok := shortJournalLine(l.text); ok && r.repeats(l) {
			return
		} else if ok {
			event.Source = r.b.Src(l.number, l.offset)
			r.b.Host(event.Node)
			r.b.Add(event)
			return
		}
	}
	if r.property(s, l) || r.treeProcess(s, l) || l.text[0] == ' ' || legend(s) {
		return
	}
	r.rest.add(r.file, r.b, l)
}

// property reads an indented "Key: value" of a unit.
func (r *statusReader) property(s string, l line) bool {
	key, value, ok := strings.Cut(s, ": ")
	if !ok {
		return false
	}
	if key == "systemd" && r.unit == nil {
		keepFact(r.b, &r.b.Versions, timeline.NodeVersion{What: "systemd", Version: value, Fact: factAt(r.file, r.b, l)})
		return true
	}
	if r.unit == nil {
		return false
	}
	switch key {
	case "Loaded":
		r.unit.Load, _ = nextWord(value)
	case "Active":
		r.active(value)
		r.unit.Fact = factAt(r.file, r.b, l)
	case "Main PID":
		if _, status, exited := strings.Cut(value, "(code="); exited { // no process any more
			_, status, _ = strings.Cut(status, "status=")
			r.unit.ExitStatus = leadingNumber(status)
			break
		}
		first, _ := nextWord(value)
		r.unit.MainPID, _ = decimal(first)
	case "CGroup":
		r.group = value
	default:
		return false
	}
	return true
}

// active reads "failed (Result: exit-code) since Mon 2026-11-30 08:22:44 UTC; 11s ago".
func (r *statusReader) active(value string) {
	state, since, _ := strings.Cut(value, " since ")
	r.unit.Active, state = nextWord(state)
	for part := range strings.SplitSeq(state, "(") {
		part, _, _ = strings.Cut(part, ")")
		if result, ok := strings.CutPrefix(part, "Result: "); ok {
			r.unit.Result = result
		} else if part = strings.TrimSpace(part); part != "" {
			r.unit.Sub = part
		}
	}
	if r.unit.Sub == "" && r.unit.Active == "failed" {
		r.unit.Sub = "failed"
	}
	if p, n := fullStamp(since); n > 0 {
		r.unit.Since, r.unit.Stamp.Wall = p.time, p.wall
	}
}

// treeProcess reads a leaf of the control group's tree: "└─161 /usr/bin/kubelet".
func (r *statusReader) treeProcess(s string, l line) bool {
	if r.unit == nil {
		return false
	}
	bare := strings.TrimLeft(s, "│├└─ |`-")
	word, command := nextWord(bare)
	pid, ok := decimal(word)
	if !ok || pid == 0 || bare == s || strings.TrimSpace(command) == "" {
		return false
	}
	keepFact(r.b, &r.b.Processes, timeline.Process{PID: pid, Command: strings.TrimSpace(command), Cgroup: r.group, Fact: factAt(r.file, r.b, l)})
	return true
}

func (r *statusReader) endUnit() {
	if r.unit != nil && r.unit.Active != "" {
		keepFact(r.b, &r.b.Units, *r.unit)
	}
	r.unit, r.group = nil, ""
}

// statusTitle reads "● kubelet.service - kubelet: The Kubernetes Node Agent".
func statusTitle(s string) (name string, ok bool) {
	for _, bullet := range []string{"● ", "○ ", "× ", "↻ ", "* ", "◌ "} {
		if rest, ok := strings.CutPrefix(s, bullet); ok {
			name, rest = nextWord(rest)
			return name, name != "" && (rest == "" || strings.HasPrefix(rest, " - "))
		}
	}
	return "", false
}

// isUnitTable recognises the heading of list-units.
func isUnitTable(s string) bool {
	var words [4]string
	for i := range words {
		words[i], s = nextWord(s)
	}
	return words == [4]string{"UNIT", "LOAD", "ACTIVE", "SUB"}
}

// unitRow reads a row of list-units; a bullet before it marks a unit in trouble.
func unitRow(s string) (timeline.Unit, bool) {
	for _, bullet := range []string{"●", "*", "○", "×", "↻"} {
		s = strings.TrimPrefix(s, bullet)
	}
	var u timeline.Unit
	u.Name, s = nextWord(s)
	u.Load, s = nextWord(s)
	u.Active, s = nextWord(s)
	u.Sub, _ = nextWord(s)
	switch u.Load {
	case "loaded", "not-found", "bad-setting", "error", "masked", "merged", "stub":
		return u, strings.Contains(u.Name, ".") && isUnitState(u.Active)
	}
	return u, false
}

// legend recognises what systemctl writes around its tables.
func legend(s string) bool {
	for _, lead := range []string{"LOAD ", "ACTIVE ", "SUB ", "To show all", "Notice: ", "Warning: ", "lines ", "Hint: ", "-- ", "Pass --all"} {
		if strings.HasPrefix(s, lead) {
			return true
		}
	}
	return strings.HasSuffix(s, "units listed.") || strings.Contains(s, "loaded units listed")
}

// shortJournalLine reads a line of the journal as status prints it:
// "Nov 30 08:19:51 worker-1 kubelet[161]: message".
func shortJournalLine(s string) (timeline.Event, bool) {
	p, n := syslogStamp(s)
	if n == 0 {
		return timeline.Event{}, false
	}
	host, rest := nextWord(s[n:])
	tag, message, ok := strings.Cut(strings.TrimPrefix(rest, " "), ": ")
	if !ok || host == "" || tag == "" || strings.Contains(tag, " ") {
		return timeline.Event{}, false
	}
	identifier, number, _ := strings.Cut(tag, "[")
	spoken := readSpoken(message)
	pid, _ := decimal(strings.TrimSuffix(number, "]"))
	return timeline.Event{
		Time: p.time, Precision: p.precision, Stamp: timeline.Stamp{Wall: true, NoYear: true},
		Node: host, Component: componentOf(identifier, spoken.file), PID: pid,
		Level: spoken.level, Message: spoken.message, Text: s,
	}, true
}

// isShow recognises systemctl show: properties, one a line, in systemd's own
// spelling.
func isShow(f *File) bool {
	known := 0
	lines := f.firstLines(24)
	for _, s := range lines {
		key, _, ok := strings.Cut(s, "=")
		if !ok || !isProperty(key) {
			return false
		}
		switch key {
		case "Id", "LoadState", "ActiveState", "SubState", "MainPID", "ExecMainStatus", "NotifyAccess", "RestartUSec", "NRestarts", "Result", "UnitFileState":
			known++
		}
	}
	return known > 1 || known == 1 && (len(lines) == 1 || f.ran("systemctl", "show"))
}

func isProperty(key string) bool {
	if key == "" || key[0] < 'A' || key[0] > 'Z' {
		return false
	}
	for i := range len(key) {
		c := key[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !isDigit(c) {
			return false
		}
	}
	return true
}

// parseShow reads systemctl show: a block of properties for each unit.
func parseShow(f *File, b *timeline.Builder) {
	var names []string
	if v, ok := f.invocation("systemctl", "show"); ok {
		names = v.operands()[1:]
	}
	var (
		unit  timeline.Unit
		stamp map[string]printed
	)
	begin := func() { unit, stamp = timeline.Unit{}, make(map[string]printed) }
	end := func() {
		if unit.Name == "" && len(names) > 0 {
			unit.Name = unitName(names[0])
			names = names[1:]
		}
		entered := "ActiveEnterTimestamp"
		if unit.Active == "inactive" || unit.Active == "failed" {
			entered = "InactiveEnterTimestamp"
		}
		for _, key := range []string{"StateChangeTimestamp", entered} {
			if p, ok := stamp[key]; ok {
				unit.Since, unit.Stamp.Wall = p.time, p.wall
			}
		}
		if unit.Name != "" && unit.Source.Line > 0 {
			keepFact(b, &b.Units, unit)
		}
		begin()
	}
	begin()
	for l := range f.lines() {
		key, value, ok := strings.Cut(l.text, "=")
		if !ok {
			if strings.TrimSpace(l.text) == "" {
				end()
			}
			continue
		}
		switch key {
		case "Id":
			unit.Name = value
			if unit.Source.Line == 0 {
				unit.Fact = factAt(f, b, l)
			}
		case "LoadState":
			unit.Load = value
		case "ActiveState":
			unit.Active = value
			unit.Fact = factAt(f, b, l)
		case "SubState":
			unit.Sub = value
		case "Result":
			unit.Result = value
		case "MainPID":
			unit.MainPID, _ = decimal(value)
		case "NRestarts":
			unit.Restarts, _ = decimal(value)
		case "ExecMainStatus":
			unit.ExitStatus, _ = decimal(value)
		case "StateChangeTimestamp", "ActiveEnterTimestamp", "InactiveEnterTimestamp":
			if p, n := fullStamp(value); n > 0 {
				stamp[key] = p
			}
		}
	}
	end()
}

// leadingNumber reads the digits that s begins with.
func leadingNumber(s string) int {
	end := 0
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	n, _ := decimal(s[:end])
	return n
}
