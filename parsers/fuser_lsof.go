package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// fuserParser reads who holds a mount.
var fuserParser = Parser{
	Name:  "fuser",
	Doc:   "fuser and fuser -v of a path or mount.",
	Sniff: sniffFuser,
	Parse: parseFuser,
}

// lsofParser reads who has files open.
var lsofParser = Parser{
	Name:  "lsof",
	Doc:   "lsof of a path or of the whole node; of the latter, the files of pods and runtimes.",
	Sniff: sniffLsof,
	Parse: parseLsof,
}

func sniffFuser(f *File) bool {
	if f.blank() {
		return f.ran("fuser")
	}
	lines := f.firstLines(3)
	for _, s := range lines {
		if isFuserHeader(s) {
			return true
		}
	}
	_, pids, ok := strings.Cut(lines[0], ": ")
	return ok && f.ran("fuser") || ok && strings.HasPrefix(lines[0], "/") && areFuserPIDs(pids)
}

func isFuserHeader(s string) bool {
	return strings.Join(strings.Fields(s[:min(len(s), 200)]), " ") == "USER PID ACCESS COMMAND"
}

// areFuserPIDs recognises "5481c  6001m": PIDs with the letters of their access.
func areFuserPIDs(s string) bool {
	n := 0
	for w := range strings.FieldsSeq(s[:min(len(s), 1024)]) {
		if _, ok := decimal(strings.TrimRight(w, "cefFrm")); !ok || isDigit(w[len(w)-1]) {
			return false
		}
		n++
	}
	return n > 0
}

func parseFuser(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	target := ""
	var rest leftovers
	for l := range f.lines() {
		s := strings.TrimSpace(l.text)
		if isFuserHeader(s) {
			b.Input.Records++
			continue
		}
		if strings.HasPrefix(s, "/") {
			if name, after, ok := strings.Cut(s+" ", ": "); ok {
				target, s = name, strings.TrimSpace(after)
			}
		}
		if s == "" {
			continue
		}
		if !fuserRow(f, b, l, target, s) {
			rest.add(f, b, l)
		}
	}
	rest.report(b)
	return nil
}

// fuserRow reads "root 5481 f.c.. tail", or without -v the PIDs themselves.
func fuserRow(f *File, b *timeline.Builder, l line, target, s string) bool {
	if target == "" {
		return false
	}
	fact := factAt(f, b, l)
	words := strings.Fields(s)
	if len(words) >= 4 {
		if words[1] == "kernel" { // no process: the path is a mount point, or swap
			keepFact(b, &b.Mounts, timeline.Mount{Target: target, Fact: fact})
			return true
		}
		pid, ok := decimal(words[1])
		if !ok {
			return false
		}
		keepFact(b, &b.Holders, timeline.Holder{
			Path: target, PID: pid, Command: strings.Join(words[3:], " "), Access: fuserAccess(words[2]), Tool: "fuser", Fact: fact,
		})
		return true
	}
	for _, w := range words {
		number := strings.TrimRight(w, "cefFrm")
		pid, ok := decimal(number)
		if !ok {
			return false
		}
		keepFact(b, &b.Holders, timeline.Holder{Path: target, PID: pid, Access: fuserAccess(w[len(number):]), Tool: "fuser", Fact: fact})
	}
	return true
}

// fuserAccess spells out fuser's letters.
func fuserAccess(letters string) string {
	var kinds []string
	for _, k := range [...]struct{ letters, access string }{{"c", "cwd"}, {"e", "exe"}, {"fF", "open"}, {"r", "root"}, {"m", "mmap"}} {
		if strings.ContainsAny(letters, k.letters) {
			kinds = append(kinds, k.access)
		}
	}
	return strings.Join(kinds, ",")
}

func sniffLsof(f *File) bool {
	if f.blank() {
		return f.ran("lsof")
	}
	for s := range strings.Lines(f.head()) {
		if isLsofHeader(s) {
			return true
		}
		if strings.TrimSpace(s) != "" && !isLsofWarning(s) && strings.HasSuffix(s, "\n") {
			return false
		}
	}
	return len(f.Text) > len(f.head()) // of a node with many mounts all that is seen are warnings
}

func isLsofHeader(s string) bool {
	return strings.HasPrefix(s, "COMMAND ") && strings.Contains(s, " PID ") && strings.Contains(s, " FD ") && strings.HasSuffix(strings.TrimSpace(s), " NAME")
}

// isLsofWarning recognises what lsof -b and lsof without root complain of.
func isLsofWarning(s string) bool {
	return strings.HasPrefix(s, "lsof: avoiding ") || strings.HasPrefix(s, "lsof: WARNING: ") || strings.HasPrefix(s, "      ") && strings.Contains(s, " may be incomplete")
}

func parseLsof(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	asked := f.ran("lsof") && strings.Contains(f.Command, " /")
	var rest leftovers
	begun := false
	for l := range f.lines() {
		if isLsofHeader(l.text) {
			begun = true
			b.Input.Records++
			continue
		}
		h, ok := lsofRow(l.text)
		switch {
		case isLsofWarning(l.text):
		case !begun || !ok && strings.HasPrefix(l.text, "lsof: "):
			rest.add(f, b, l)
		case ok && (asked || tellsOfPods(h.Path)):
			h.Fact = factAt(f, b, l)
			keepFact(b, &b.Holders, h)
		}
	}
	rest.report(b)
	return nil
}

// lsofRow reads a row about a file with a path. Columns such as TID may be
// empty, so the descriptor is found by its shape: it stands before the type.
func lsofRow(s string) (timeline.Holder, bool) {
	slash := strings.Index(s, " /")
	if slash < 0 {
		return timeline.Holder{}, false
	}
	h := timeline.Holder{Path: strings.TrimSpace(s[slash+1:]), Tool: "lsof"}
	if strings.HasSuffix(h.Path, ": Permission denied)") { // lsof was not root
		return h, false
	}
	command, rest := nextWord(s[:slash])
	number, rest := nextWord(rest)
	pid, ok := decimal(number)
	if !ok {
		return h, false
	}
	h.Command, h.PID = command, pid
	last := ""
	for w := range strings.FieldsSeq(rest) {
		switch w {
		case "CHR":
			return h, false // /dev/null and terminals hold nothing
		case "DIR", "REG", "BLK", "FIFO", "LINK", "unknown", "unix", "DEL":
			h.Access = lsofAccess(last)
			return h, h.Access != ""
		}
		last = w
	}
	return h, false
}

// lsofAccess spells out a descriptor; "" for one that holds nothing.
func lsofAccess(fd string) string {
	switch fd {
	case "cwd":
		return "cwd"
	case "rtd":
		return "root"
	case "txt":
		return "exe"
	case "mem", "mmap", "DEL":
		return "mmap"
	}
	if fd != "" && isDigit(fd[0]) {
		return "open"
	}
	return ""
}
