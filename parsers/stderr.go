package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// commandErrorParser reads what tools say on their error output.
var commandErrorParser = Parser{
	Name:  "command-error",
	Doc:   "Error output of crictl, ctr, docker, ls, stat, umount and the shell, with the exit status that collectors write below it.",
	Sniff: sniffCommandError,
	Parse: parseCommandError,
}

// mostErrorLines is how long an error output may be; what is longer is a log.
const mostErrorLines = 60

func sniffCommandError(f *File) bool {
	lines := f.firstLines(mostErrorLines + 1)
	if len(lines) == 0 || len(lines) > mostErrorLines {
		return false
	}
	if isErrorStream(f) {
		return true
	}
	logfmt := 0
	for _, s := range lines {
		e, ok := errorLine(s)
		if !ok {
			return false
		}
		if e.logfmt {
			logfmt++
		}
	}
	if logfmt == 0 {
		return true
	}
	// A logrus line is a log's as well: ask for a sign of the command line.
	if _, status := exitStatus(lines[len(lines)-1]); status {
		return true
	}
	name := f.base()
	return strings.Contains(name, "stderr") || strings.HasSuffix(name, ".err") || f.ran("crictl") || f.ran("docker") || f.ran("ctr") ||
		strings.Contains(f.Text, "service connection") || strings.Contains(f.Text, "using default endpoints")
}

// isErrorStream says whether a file is what a command wrote to its error
// output, whatever the words.
func isErrorStream(f *File) bool { return strings.HasSuffix(f.Path, ".stderr") }

func parseCommandError(f *File, b *timeline.Builder) error {
	var rest leftovers
	for l := range f.lines() {
		if _, known := errorLine(l.text); !known && isErrorStream(f) && strings.TrimSpace(l.text) != "" {
			commandEvent(f, b, l, timeline.LevelWarning, l.text)
			continue
		}
		rest.add(f, b, l)
	}
	rest.report(b)
	return nil
}

// readErrorLine notes a line of an error output; false if it is none. Where it
// says that /proc/PID is not there, the process has gone.
func readErrorLine(f *File, b *timeline.Builder, l line) bool {
	e, ok := errorLine(l.text)
	if !ok {
		return false
	}
	if status, ok := exitStatus(l.text); ok {
		if status == "0" {
			return true
		}
		what := "exit status " + status
		if f.Command != "" {
			what = f.Command + ": " + what
			commandEvent(f, b, l, timeline.LevelError, "$ "+what)
		}
		b.Gap(timeline.GapCommandFailed, l.number, what)
		return true
	}
	commandEvent(f, b, l, e.level, l.text)
	if !e.at.IsZero() {
		b.Events[len(b.Events)-1].Time = e.at
	}
	if pid, ok := goneProcess(l.text); ok {
		keepFact(b, &b.Processes, timeline.Process{PID: pid, Gone: true, Fact: factAt(f, b, l)})
	}
	if e.failed {
		b.Gap(timeline.GapCommandFailed, l.number, l.text)
	}
	return true
}

// complaint is what a line of an error output says.
type complaint struct {
	level  timeline.Level
	logfmt bool
	failed bool // the command gave up, so its output is missing
	at     time.Time
}

// errorLine recognises a line of an error output.
func errorLine(s string) (complaint, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 4096 {
		return complaint{}, false
	}
	if _, ok := exitStatus(s); ok {
		return complaint{}, true
	}
	switch {
	case strings.HasPrefix(s, "Failed to ") && strings.Contains(s, ", ignoring"):
		return complaint{level: timeline.LevelWarning}, true
	case logrusTerminal(s, "FATA["):
		return complaint{level: timeline.LevelError, failed: true}, true
	case logrusTerminal(s, "ERRO["):
		return complaint{level: timeline.LevelError}, true
	case logrusTerminal(s, "WARN["):
		return complaint{level: timeline.LevelWarning}, true
	case strings.HasPrefix(s, "time="):
		spoken, ok := logfmtHeader(s)
		if !ok || spoken.level < timeline.LevelWarning {
			return complaint{}, false
		}
		e := complaint{logfmt: true, level: spoken.level, failed: strings.Contains(s, "level=fatal")}
		if !spoken.at.wall && !spoken.at.noYear {
			e.at = spoken.at.time
		}
		return e, true
	case strings.HasPrefix(s, "Error from server"):
		return complaint{}, false // kubectl's answer about an object
	case strings.HasPrefix(s, "error: "), strings.HasPrefix(s, "Error: "), strings.HasPrefix(s, "Cannot connect to the Docker daemon"),
		strings.HasPrefix(s, "Data from the specified boot ("), strings.HasPrefix(s, "failed to stream command output: "),
		strings.HasPrefix(s, "Error response from daemon"), strings.HasPrefix(s, "Failed to "),
		strings.HasSuffix(s, ": command not found"), strings.HasSuffix(s, ": not found") && strings.HasPrefix(s, "sh: "):
		return complaint{level: timeline.LevelError, failed: true}, true
	}
	tool, rest, ok := strings.Cut(s, ": ")
	if !ok || tool == "" || len(tool) > 24 || strings.ContainsAny(tool, " \t[]=\"{}()<>,") {
		return complaint{}, false
	}
	for _, errno := range errnoTexts {
		if i := strings.LastIndex(rest, errno); i >= 0 && len(rest)-i-len(errno) <= 1 {
			return complaint{level: timeline.LevelError}, true
		}
	}
	switch strings.TrimPrefix(tool, "-") {
	case "ctr", "crictl", "docker", "nerdctl", "podman":
		return complaint{level: timeline.LevelError, failed: true}, true
	case "bash", "sh", "sudo", "timeout":
		return complaint{level: timeline.LevelError, failed: true}, true
	case "ls", "cat", "find", "stat", "df", "du", "grep", "umount", "mount", "mount.nfs", "fuser", "lsof", "rmdir", "rm", "head", "tail", "ps", "kill", "hwclock", "nsenter", "ip", "tar":
		return complaint{level: timeline.LevelError}, true
	}
	return complaint{}, false
}

// errnoTexts are the words of the C library for what goes wrong with files and
// mounts, as they end a tool's message.
var errnoTexts = [...]string{
	"No such file or directory", "Permission denied", "Operation not permitted", "Input/output error", "Stale file handle",
	"Stale NFS file handle", "Transport endpoint is not connected", "Device or resource busy", "target is busy", "Connection timed out",
	"Connection refused", "No such process", "No space left on device", "Read-only file system", "Directory not empty", "Is a directory",
	"Not a directory", "Invalid argument", "Host is down", "No route to host", "No such device", "No such device or address",
	"not mounted", "Structure needs cleaning", "Remote I/O error", "Resource temporarily unavailable", "Software caused connection abort",
	"Interrupted system call", "Too many open files", "Cannot allocate memory", "Disk quota exceeded",
}

// logrusTerminal recognises logrus' form for terminals: "FATA[0005] …".
func logrusTerminal(s, level string) bool {
	if !strings.HasPrefix(s, level) {
		return false
	}
	_, ok := decimal(s[len(level):max(strings.IndexByte(s, ']'), len(level))])
	return ok || strings.HasPrefix(s[len(level):], "20")
}

// exitStatus reads "[rc=1]", "rc=124" and kubectl's word for it.
func exitStatus(s string) (string, bool) {
	s = strings.Trim(strings.TrimSpace(s), "[]")
	for _, lead := range []string{"rc=", "exit=", "exit status ", "exit code: ", "exit code ", "command terminated with exit code "} {
		if rest, ok := strings.CutPrefix(s, lead); ok {
			if n, ok := decimal(rest); ok && n < 256 {
				return rest, true
			}
		}
	}
	return "", false
}

// goneProcess finds the PID that a message says does not exist.
func goneProcess(s string) (int, bool) {
	switch {
	case strings.Contains(s, "No such file or directory"):
		pid, ok := procPID(s)
		if !ok {
			return 0, false
		}
		// /proc/PID itself, or a file that every process has.
		_, rest, _ := strings.Cut(s, "proc/")
		rest = strings.TrimLeft(rest, "0123456789")
		for _, end := range []string{"'", "’", ":", "/: ", "/wchan", "/stack", "/status", "/stat", "/mountinfo", "/mounts", "/cgroup", "/cmdline"} {
			if strings.HasPrefix(rest, end) {
				return pid, true
			}
		}
	case strings.Contains(s, "No such process"):
		for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r < '0' || r > '9' }) {
			return decimal(word)
		}
	}
	return 0, false
}
