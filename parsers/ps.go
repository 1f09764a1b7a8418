package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// psParser reads process lists.
var psParser = Parser{
	Name:  "ps",
	Doc:   "ps with any set of columns (aux, -ef, -eLf, -o …), threads included, and top in batch mode.",
	Sniff: sniffPS,
	Parse: parsePS,
}

func sniffPS(f *File) bool {
	if f.blank() {
		return f.ran("ps")
	}
	lines := f.firstLines(10)
	for _, s := range lines {
		if _, ok := psHeader(s); ok || isArgsHeader(f, s) {
			return true
		}
	}
	// grep took the header away: the command tells the columns.
	if columns, ok := psCommandColumns(f); ok && f.filtered() {
		for _, s := range lines {
			if _, ok := columns.row(s); ok {
				return true
			}
		}
	}
	return false
}

func parsePS(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := psReader{file: f, b: b}
	if f.filtered() {
		r.columns, _ = psCommandColumns(f)
	}
	for l := range f.lines() {
		r.line(l)
	}
	r.rest.report(b)
	return nil
}

type psReader struct {
	file    *File
	b       *timeline.Builder
	columns psColumns
	onlyPID int // of ps -p PID -o args, which prints no PID
	rest    leftovers
}

func (r *psReader) line(l line) {
	if columns, ok := psHeader(l.text); ok {
		r.columns, r.onlyPID = columns, 0
		return
	}
	if r.columns == nil || r.onlyPID > 0 {
		if isArgsHeader(r.file, l.text) {
			r.columns, r.onlyPID = psColumns{psCommand}, selectedPID(r.file)
			return
		}
	}
	p, ok := r.columns.row(l.text)
	switch {
	case r.columns == nil && isTopSummary(l.text):
	case !ok:
		r.rest.add(r.file, r.b, l)
	case p.PID == 0 && r.onlyPID == 0:
		r.thread(p, l)
	default:
		if p.PID == 0 {
			p.PID = r.onlyPID
		}
		p.Fact = factAt(r.file, r.b, l)
		keepFact(r.b, &r.b.Processes, p)
	}
}

// isTopSummary recognises what top prints above its list.
func isTopSummary(s string) bool {
	for _, lead := range []string{"top - ", "Tasks: ", "Threads: ", "%Cpu", "MiB ", "KiB "} {
		if strings.HasPrefix(s, lead) {
			return true
		}
	}
	return false
}

// thread takes a row of ps m, which prints a process without a state and below
// it each thread without a PID.
func (r *psReader) thread(t timeline.Process, l line) {
	all := r.b.Processes
	if len(all) == 0 || t.State == "" || t.State == "-" {
		return
	}
	owner := &all[len(all)-1]
	switch {
	case owner.State == "-":
		owner.State = t.State
	case strings.HasPrefix(t.State, "D") && !strings.HasPrefix(owner.State, "D"):
		// One thread in uninterruptible sleep holds the whole process.
		t.PID, t.PPID, t.Command, t.User = owner.PID, owner.PPID, owner.Command, owner.User
		t.Fact = factAt(r.file, r.b, l)
		keepFact(r.b, &r.b.Processes, t)
	}
}

// psColumn is what a column of ps holds.
type psColumn int

const (
	psOther psColumn = iota
	psUser
	psPID
	psPPID
	psTID
	psState
	psWChan
	psCgroup
	psStart
	psCommand
)

// psColumns are the columns of a list, from left to right.
type psColumns []psColumn

// psHeaderWords are the headings of ps and of top, with what the column holds.
var psHeaderWords = map[string]psColumn{
	"USER": psUser, "UID": psUser, "EUSER": psUser, "RUSER": psUser, "EUID": psUser, "RUID": psUser,
	"PID": psPID, "PPID": psPPID, "TID": psTID, "LWP": psTID, "SPID": psTID,
	"STAT": psState, "S": psState, "WCHAN": psWChan, "CGROUP": psCgroup,
	"STARTED": psStart, "START": psStart, "STIME": psStart,
	"COMMAND": psCommand, "CMD": psCommand, "ARGS": psCommand,
	"%CPU": 0, "%MEM": 0, "VSZ": 0, "RSS": 0, "TTY": 0, "TT": 0, "TIME": 0, "C": 0, "F": 0, "PRI": 0, "NI": 0, "ADDR": 0, "SZ": 0,
	"PGID": 0, "PGRP": 0, "SID": 0, "SESS": 0, "CLS": 0, "PSR": 0, "NLWP": 0, "THCNT": 0, "GROUP": 0, "EGROUP": 0, "RGROUP": 0, "GID": 0,
	"ELAPSED": 0, "NSPID": 0, "PIDNS": 0, "MNTNS": 0, "NETNS": 0, "LABEL": 0, "TPGID": 0, "RTPRIO": 0, "SCH": 0, "POL": 0, "UNIT": 0, "SLICE": 0,
	"PENDING": 0, "BLOCKED": 0, "IGNORED": 0, "CAUGHT": 0, "NS": 0, "P": 0, "VIRT": 0, "RES": 0, "SHR": 0, "PR": 0, "TIME+": 0, "SIZE": 0, "CP": 0,
	"MINFL": 0, "MAJFL": 0, "RSZ": 0, "BSDTIME": 0, "IPCNS": 0, "USERNS": 0, "UTSNS": 0, "TRS": 0, "DRS": 0, "LIM": 0, "ESP": 0, "EIP": 0, "STACKP": 0,
}

// psHeader recognises a line of headings: a PID and, beside it, at least one
// column more.
func psHeader(s string) (psColumns, bool) {
	if len(s) > 400 || !strings.Contains(s, "PID") {
		return nil, false
	}
	var columns psColumns
	pid := false
	for w := range strings.FieldsSeq(s) {
		column, ok := psHeaderWords[w]
		if !ok {
			return nil, false
		}
		pid = pid || column == psPID
		columns = append(columns, column)
	}
	return columns, pid && len(columns) > 1
}

// isArgsHeader recognises the heading of ps -p PID -o args, which is the only
// one printed.
func isArgsHeader(f *File, s string) bool {
	s = strings.TrimSpace(s)
	return (s == "COMMAND" || s == "CMD") && selectedPID(f) > 0
}

// selectedPID is the process that ps -p was asked for.
func selectedPID(f *File) int {
	v, ok := f.invocation("ps")
	if !ok {
		return 0
	}
	for i, w := range v[1:] {
		if strings.HasPrefix(w, "-") && strings.HasSuffix(w, "p") && i+2 < len(v) {
			if pid, ok := decimal(v[i+2]); ok {
				return pid
			}
		}
		if value, ok := strings.CutPrefix(w, "-p"); ok {
			if pid, ok := decimal(value); ok {
				return pid
			}
		}
	}
	return 0
}

// psFormatNames are the names that -o takes, where they are not the heading in
// small letters.
var psFormatNames = map[string]psColumn{
	"args": psCommand, "cmd": psCommand, "command": psCommand, "comm": psCommand, "ucmd": psCommand, "ucomm": psCommand,
	"s": psState, "state": psState, "stat": psState, "lstart": psStart, "start": psStart, "start_time": psStart, "bsdstart": psStart, "stime": psStart,
	"user": psUser, "uid": psUser, "euser": psUser, "ruser": psUser, "uname": psUser,
	"pid": psPID, "tgid": psPID, "ppid": psPPID, "tid": psTID, "lwp": psTID, "spid": psTID, "wchan": psWChan, "cgroup": psCgroup,
}

// psCommandColumns tells the columns by the options of the command.
func psCommandColumns(f *File) (psColumns, bool) {
	v, ok := f.invocation("ps")
	if !ok {
		return nil, false
	}
	var format string
	for i, w := range v[1:] {
		switch bare := strings.TrimLeft(w, "-"); {
		case strings.HasSuffix(bare, "o") && i+2 < len(v):
			format += "," + v[i+2]
		case strings.HasPrefix(w, "-o") || strings.HasPrefix(w, "--format="):
			format += "," + strings.TrimPrefix(strings.TrimPrefix(w, "-o"), "--format=")
		}
	}
	if format != "" {
		var columns psColumns
		for name := range strings.SplitSeq(strings.Trim(format, ","), ",") {
			name, _, _ = strings.Cut(name, ":")
			name, _, _ = strings.Cut(name, "=")
			columns = append(columns, psFormatNames[strings.ToLower(name)])
		}
		return columns, len(columns) > 1
	}
	heading := ""
	switch options := strings.Join(v[1:], ""); {
	case strings.Contains(options, "L") && strings.Contains(options, "f"):
		heading = "UID PID PPID LWP C NLWP STIME TTY TIME CMD"
	case strings.Contains(options, "aux") || strings.Contains(options, "axu") || strings.Contains(options, "u"):
		heading = "USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND"
	case strings.Contains(options, "-") && strings.Contains(options, "f"):
		heading = "UID PID PPID C STIME TTY TIME CMD"
	case strings.Contains(options, "ax"):
		heading = "PID TTY STAT TIME COMMAND"
	default:
		heading = "PID TTY TIME CMD"
	}
	columns, ok := psHeader(heading)
	return columns, ok
}

// row reads one row. Columns before the command are read from the left, those
// after it from the right, since a command holds blanks.
func (c psColumns) row(s string) (p timeline.Process, ok bool) {
	command := -1
	for i, column := range c {
		if column == psCommand {
			command = i
		}
	}
	rest := s
	before, after := c, psColumns(nil)
	if command >= 0 {
		before, after = c[:command], c[command+1:]
	}
	pidSeen := false
	for _, column := range before {
		var w string
		if w, rest = nextWord(rest); w == "" {
			return p, false
		}
		if column == psStart {
			rest = restOfStart(w, rest)
			continue
		}
		if !setPS(&p, column, w) {
			return p, false
		}
		pidSeen = pidSeen || column == psPID
	}
	for i := len(after) - 1; i >= 0; i-- {
		rest = strings.TrimRight(rest, " ")
		at := strings.LastIndexByte(rest, ' ')
		if at < 0 {
			return p, false
		}
		if !setPS(&p, after[i], rest[at+1:]) {
			return p, false
		}
		pidSeen = pidSeen || after[i] == psPID
		rest = rest[:at]
	}
	if command >= 0 {
		p.Command = withoutTree(strings.TrimSpace(rest))
		if p.Command == "" {
			return p, false
		}
	} else if strings.TrimSpace(rest) != "" {
		return p, false
	}
	return p, pidSeen || len(c) == 1 && command == 0
}

// setPS puts a cell where it belongs; false if it cannot stand in that column.
// A PID of "-" is a thread's under its process.
func setPS(p *timeline.Process, column psColumn, w string) bool {
	number := func(into *int) bool {
		n, ok := decimal(w)
		*into = n
		return ok || w == "-"
	}
	switch column {
	case psUser:
		p.User = w
	case psPID:
		return number(&p.PID)
	case psPPID:
		return number(&p.PPID)
	case psTID:
		return number(&p.TID)
	case psState:
		p.State = w
		return strings.IndexByte("RSDTtZXIWKP-", w[0]) >= 0
	case psWChan:
		if w != "-" {
			p.WChan = w
		}
	case psCgroup:
		p.Cgroup = w
	case psOther, psStart, psCommand: // of no use, or read with the row
	}
	return true
}

// nextWord splits off the first word.
func nextWord(s string) (word, rest string) {
	s = strings.TrimLeft(s, " \t")
	if i := strings.IndexAny(s, " \t"); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// restOfStart drops what belongs to a start time beyond its first word:
// lstart prints five words ("Mon Nov 30 09:37:00 2026"), start two for a day
// ("Nov 30").
func restOfStart(first, rest string) string {
	words := 0
	if weekday(first+"  ") > 0 {
		words = 4
	} else if _, ok := month(first); ok && len(first) == 3 {
		words = 1
	}
	for range words {
		_, rest = nextWord(rest)
	}
	return rest
}

// withoutTree drops the branches that ps f draws before a command.
func withoutTree(s string) string {
	bare := strings.TrimLeft(s, " |")
	if rest, ok := strings.CutPrefix(bare, `\_ `); ok {
		return strings.TrimSpace(rest)
	}
	return s
}
