package parsers

import (
	"path"
	"strings"

	"podautopsy/timeline"
)

// procParser reads what the kernel says of one process or control group.
var procParser = Parser{
	Name:  "proc",
	Doc:   "Files of /proc/PID (wchan, stack, status, stat, cgroup, the links in fd), of /sys/fs/cgroup and of /sys/fs/fuse/connections.",
	Sniff: sniffProc,
	Parse: parseProc,
}

func sniffProc(f *File) bool {
	if f.blank() {
		return strings.Contains(f.Command, "/proc/") || strings.Contains(f.Command, "/sys/fs/")
	}
	lines := f.firstLines(3)
	first := strings.TrimSpace(lines[0])
	if len(lines) == 1 && len(first) < 80 && !strings.Contains(first, " ") && procFileOf(f) != "" {
		return true
	}
	r := procReader{file: f, pid: f.pid()}
	switch {
	case isStackLine(first), strings.HasPrefix(first, "/sys/fs/cgroup/"), strings.HasPrefix(first, "Name:\t"), holderHeading(first) > 0:
		return true
	case len(lines) > 1 && strings.HasPrefix(lines[1], "State:\t"):
		return true
	}
	if _, ok := procStat(first); ok {
		return true
	}
	if _, _, ok := prefixedProcFile(first); ok {
		return true
	}
	if pid, ok := listedProcess(first); ok && pid > 0 {
		return true
	}
	for _, s := range lines {
		if !isCgroupLine(s) {
			return r.pid > 0 && isFDLink(first)
		}
	}
	return true
}

func parseProc(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := procReader{file: f, b: b, pid: f.pid()}
	for l := range f.lines() {
		r.line(l)
	}
	r.end()
	r.rest.report(b)
	return nil
}

// procReader gathers what a text says of the process in question.
type procReader struct {
	file *File
	b    *timeline.Builder
	pid  int
	// process is what the present run of lines (a status file, a stack, the
	// control groups) has said so far; its place is the run's first line.
	process *timeline.Process
	run     string
	rest    leftovers
}

// gather returns the process that a run of lines of this kind is about.
func (r *procReader) gather(run string, l line) *timeline.Process {
	if r.process == nil || r.run != run {
		r.end()
		r.process, r.run = &timeline.Process{PID: r.pid, Fact: factAt(r.file, r.b, l)}, run
	}
	return r.process
}

func (r *procReader) end() {
	if r.process != nil && (r.process.PID > 0 || r.process.Stack != "") {
		keepFact(r.b, &r.b.Processes, *r.process)
	}
	r.process = nil
}

func (r *procReader) line(l line) {
	s := strings.TrimSpace(l.text)
	if s == "" {
		r.end()
		return
	}
	if pid := holderHeading(s); pid > 0 {
		r.end()
		r.pid = pid
		if _, cwd, ok := strings.Cut(s, "cwd="); ok {
			keepFact(r.b, &r.b.Holders, timeline.Holder{Path: cwd, PID: pid, Access: "cwd", Tool: "proc", Fact: factAt(r.file, r.b, l)})
		}
		return
	}
	switch {
	case isStackLine(s):
		p := r.gather("stack", l)
		p.Stack += s + "\n"
		p.Source.LastLine = l.number
	case isCgroupLine(s):
		p := r.gather("cgroup", l)
		if p.Cgroup != "" {
			p.Cgroup += ","
		}
		p.Cgroup += s
	case strings.HasPrefix(s, "/sys/fs/cgroup/"):
		r.cgroupPath(s, l)
	case isFDLink(s):
		if _, target, ok := strings.Cut(s, " -> "); ok && strings.HasPrefix(target, "/") && r.pid > 0 {
			keepFact(r.b, &r.b.Holders, timeline.Holder{Path: target, PID: r.pid, Access: fdAccess(r.file), Tool: "proc", Fact: factAt(r.file, r.b, l)})
		}
	case strings.HasPrefix(s, "total "):
	default:
		if !r.status(l) && !r.oneWord(s, l) {
			r.rest.add(r.file, r.b, l)
		}
	}
}

// status reads a line of /proc/PID/status or /proc/PID/stat.
func (r *procReader) status(l line) bool {
	if p, ok := procStat(l.text); ok {
		r.end()
		p.Fact = factAt(r.file, r.b, l)
		keepFact(r.b, &r.b.Processes, p)
		return true
	}
	key, value, ok := strings.Cut(l.text, ":\t")
	if !ok || strings.Contains(key, " ") {
		return false
	}
	value = strings.TrimSpace(value)
	if key == "Name" && r.run == "status" {
		r.end()
	}
	p := r.gather("status", l)
	switch key {
	case "Name":
		p.Command = value
	case "State":
		p.State, _ = nextWord(value)
		p.Source, p.Text = r.b.Src(l.number, l.offset), l.text
	case "Pid":
		p.PID, _ = decimal(value)
	case "PPid":
		p.PPID, _ = decimal(value)
	}
	return true
}

// oneWord reads files that hold one word, of which the command or the path
// tells which they are; and PID directories that ls found.
func (r *procReader) oneWord(s string, l line) bool {
	if pid, ok := listedProcess(s); ok {
		keepFact(r.b, &r.b.Processes, timeline.Process{PID: pid, Fact: factAt(r.file, r.b, l)})
		return true
	}
	pid, name, value := r.pid, procFileOf(r.file), s
	if p, v, ok := prefixedProcFile(s); ok {
		name, value = p, v
		pid, _ = procPID(p)
	}
	switch {
	case name == "" || len(value) > 256:
		return false
	case strings.HasPrefix(name, "/sys/fs/"):
		if path.Base(name) == "cgroup.procs" {
			r.members(path.Dir(name), value, l)
			return true
		}
		commandEvent(r.file, r.b, l, timeline.LevelUnknown, name+": "+value)
		return true
	case pid == 0:
		return false
	}
	p := timeline.Process{PID: pid, Fact: factAt(r.file, r.b, l)}
	switch path.Base(name) {
	case "wchan":
		if value != "0" {
			p.WChan = value
		}
	case "comm":
		p.Command = value
	case "cmdline":
		p.Command = strings.TrimSpace(strings.ReplaceAll(value, "\x00", " "))
	default:
		return false
	}
	keepFact(r.b, &r.b.Processes, p)
	return true
}

// cgroupPath reads a control group that find listed, or the processes in it:
// "/sys/fs/cgroup/…/cgroup.procs: 681 710".
func (r *procReader) cgroupPath(s string, l line) {
	name, value, ok := strings.Cut(s, ":")
	switch {
	case !ok:
		keepFact(r.b, &r.b.Paths, timeline.Path{Path: s, Dir: !strings.Contains(path.Base(s), "cgroup."), Fact: factAt(r.file, r.b, l)})
	case path.Base(name) == "cgroup.procs" || path.Base(name) == "tasks":
		r.b.Input.Records++
		r.members(path.Dir(name), value, l)
	default:
		commandEvent(r.file, r.b, l, timeline.LevelUnknown, name+": "+strings.TrimSpace(value))
	}
}

func (r *procReader) members(group, pids string, l line) {
	for w := range strings.FieldsSeq(pids) {
		if pid, ok := decimal(w); ok && pid > 0 {
			keepFact(r.b, &r.b.Processes, timeline.Process{PID: pid, Cgroup: group, Fact: factAt(r.file, r.b, l)})
		}
	}
}

// procFileOf is the file of /proc or /sys that the text is the content of.
func procFileOf(f *File) string {
	for _, tool := range []string{"cat", "head", "tail", "less"} {
		v, ok := f.invocation(tool)
		if !ok {
			continue
		}
		for _, w := range v.operands() {
			if strings.HasPrefix(w, "/proc/") || strings.HasPrefix(w, "/sys/fs/") {
				return w
			}
		}
	}
	name := strings.ReplaceAll(f.Path, "!", "/")
	// Collectors copy all of /proc; what says nothing of how a process ends is
	// none of ours.
	if !tellingProcFile(path.Base(name)) {
		return ""
	}
	if i := strings.LastIndex(name, "/sys/fs/"); i >= 0 {
		return name[i:]
	}
	if i := strings.LastIndex(name, "/proc/"); i >= 0 {
		if _, ok := procPID(name[i:]); ok {
			return name[i:]
		}
	}
	return ""
}

// tellingProcFile says whether a one-word file of /proc or /sys tells what
// becomes of a process.
func tellingProcFile(name string) bool {
	switch name {
	case "wchan", "comm", "cgroup", "cgroup.procs", "cgroup.freeze", "cgroup.events", "freezer.state", "tasks", "waiting", "stack":
		return true
	}
	return false
}

// prefixedProcFile reads what grep . prints of several files:
// "/proc/27602/wchan:rpc_wait_bit_killable".
func prefixedProcFile(s string) (name, value string, ok bool) {
	name, value, ok = strings.Cut(s, ":")
	if !ok || value == "" || !strings.HasPrefix(name, "/proc/") && !strings.HasPrefix(name, "/sys/fs/fuse/") {
		return "", "", false
	}
	switch path.Base(name) {
	case "wchan", "comm", "waiting":
		return name, strings.TrimSpace(value), true
	}
	return "", "", false
}

// listedProcess reads "/proc/14260" as ls -d prints it.
func listedProcess(s string) (int, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(s, "/"), "/proc/")
	if !ok {
		return 0, false
	}
	return decimal(rest)
}

// holderHeading reads "pid 5481: cwd=/path", by which scripts head what they
// print of a process.
func holderHeading(s string) int {
	rest, ok := strings.CutPrefix(strings.ToLower(s), "pid ")
	if !ok {
		return 0
	}
	number, _, _ := strings.Cut(rest, ":")
	pid, _ := decimal(strings.TrimSpace(number))
	return pid
}

// isStackLine recognises a frame of /proc/PID/stack.
func isStackLine(s string) bool {
	return strings.HasPrefix(s, "[<") && strings.Contains(s, ">] ") && len(s) < 300
}

// isCgroupLine recognises a line of /proc/PID/cgroup: "4:memory:/kubepods.slice".
func isCgroupLine(s string) bool {
	number, rest, ok := strings.Cut(s, ":")
	if _, isNumber := decimal(number); !ok || !isNumber || len(number) > 3 {
		return false
	}
	controllers, group, ok := strings.Cut(rest, ":")
	return ok && strings.HasPrefix(group, "/") && !strings.ContainsAny(controllers, " /\"")
}

// isFDLink recognises a line of ls -l /proc/PID/fd.
func isFDLink(s string) bool {
	return strings.HasPrefix(s, "l") && isLongLine(s) && strings.Contains(s, " -> ")
}

// fdAccess says what kind of link of /proc/PID was listed.
func fdAccess(f *File) string {
	switch {
	case strings.HasSuffix(f.Command, "/cwd"):
		return "cwd"
	case strings.HasSuffix(f.Command, "/root"):
		return "root"
	}
	return "open"
}

// procStat reads /proc/PID/stat, in which the name stands in parentheses and
// may itself hold anything.
func procStat(s string) (timeline.Process, bool) {
	number, rest, ok := strings.Cut(s, " (")
	pid, isNumber := decimal(number)
	if !ok || !isNumber || pid == 0 {
		return timeline.Process{}, false
	}
	name, rest, ok := cutLast(rest, ") ")
	words := strings.Fields(rest)
	if !ok || len(words) < 10 || len(words[0]) != 1 {
		return timeline.Process{}, false
	}
	ppid, ok := decimal(words[1])
	return timeline.Process{PID: pid, PPID: ppid, Command: name, State: words[0]}, ok
}
