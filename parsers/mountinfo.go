package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// mountinfoParser reads the mount table that tells propagation and, of a process
// with a mount namespace of its own, who keeps a mount busy.
var mountinfoParser = Parser{
	Name:  "mountinfo",
	Doc:   "/proc/PID/mountinfo, what grep found in /proc/*/mountinfo, and the files that grep -l lists.",
	Sniff: sniffMountinfo,
	Parse: parseMountinfo,
}

func sniffMountinfo(f *File) bool {
	if f.blank() {
		return strings.Contains(f.Command, "/mountinfo")
	}
	for _, s := range f.firstLines(2) {
		if _, ok := listedTable(s); ok {
			return true
		}
		_, row := procPrefix(s, "mountinfo")
		if _, ok := mountinfoLine(row); ok {
			return true
		}
	}
	return false
}

func parseMountinfo(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	var rest leftovers
	owner := f.pid()
	for l := range f.lines() {
		if pid, ok := listedTable(l.text); ok {
			keepFact(b, &b.Holders, timeline.Holder{Path: f.grepped(), PID: pid, Access: "mount", Tool: "mountinfo", Fact: factAt(f, b, l)})
			continue
		}
		pid, row := procPrefix(l.text, "mountinfo")
		m, ok := mountinfoLine(row)
		if !ok {
			rest.add(f, b, l)
			continue
		}
		if m.PID = owner; pid > 0 {
			m.PID = pid
			keepFact(b, &b.Holders, timeline.Holder{Path: m.Target, PID: pid, Access: "mount", Tool: "mountinfo", Fact: factAt(f, b, l)})
		}
		if m.PID == 1 {
			m.PID = 0
		}
		m.Fact = factAt(f, b, l)
		keepFact(b, &b.Mounts, m)
	}
	rest.report(b)
	return nil
}

// listedTable reads a line of grep -l: the name of a mount table and no more.
func listedTable(s string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), "/proc/")
	if !ok {
		return 0, false
	}
	who, table, _ := strings.Cut(rest, "/")
	if table != "mountinfo" && table != "mounts" {
		return 0, false
	}
	return decimal(who)
}

// mountinfoLine reads one row, as proc_pid_mountinfo(5) has it:
// ID PARENT MAJOR:MINOR ROOT TARGET OPTIONS [TAG…] - TYPE SOURCE SUPEROPTIONS.
func mountinfoLine(s string) (timeline.Mount, bool) {
	head, tail, ok := strings.Cut(s, " - ")
	if !ok {
		return timeline.Mount{}, false
	}
	h := strings.Fields(head)
	t := strings.Split(tail, " ")
	if len(h) < 6 || len(t) < 3 {
		return timeline.Mount{}, false
	}
	_, id := decimal(h[0])
	_, parent := decimal(h[1])
	major, minor, device := strings.Cut(h[2], ":")
	_, isMajor := decimal(major)
	_, isMinor := decimal(minor)
	if !id || !parent || !device || !isMajor || !isMinor || !areMountOptions(h[5]) {
		return timeline.Mount{}, false
	}
	return timeline.Mount{
		Device: unescapeMount(t[1]), Target: unescapeMount(h[4]), FSType: t[0],
		Options:     h[5] + "," + t[2],
		Propagation: strings.Join(h[6:], " "),
		Root:        unescapeMount(h[3]),
	}, true
}
