package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// mountsParser reads mount tables.
var mountsParser = Parser{
	Name:  "mounts",
	Doc:   "/proc/mounts and /proc/PID/mounts, mount(8), findmnt, or what grep left of them.",
	Sniff: sniffMounts,
	Parse: parseMounts,
}

func sniffMounts(f *File) bool {
	if f.blank() {
		return f.ran("mount") && len(invocations(f.Command)[0]) == 1 || strings.Contains(f.Command, "/mounts") && (f.ran("cat") || f.ran("grep"))
	}
	if strings.Contains(f.base(), "fstab") || strings.Contains(f.Command, "fstab") {
		return false
	}
	for _, s := range f.firstLines(2) {
		_, s = procPrefix(s, "mounts")
		if _, ok := mountLine(s); ok {
			return true
		}
	}
	return false
}

func parseMounts(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	var rest leftovers
	var df dfTable
	owner := f.pid()
	for l := range f.lines() {
		pid, row := procPrefix(l.text, "mounts")
		m, ok := mountLine(row)
		if !ok {
			// Collectors append df to the mount table.
			if !isFindmntHeader(l.text) && !df.line(f, b, l) {
				rest.add(f, b, l)
			}
			continue
		}
		if m.PID = owner; pid > 0 {
			m.PID = pid
			keepFact(b, &b.Holders, timeline.Holder{Path: m.Target, PID: pid, Access: "mount", Tool: "mounts", Fact: factAt(f, b, l)})
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

// mountLine reads a row of /proc/mounts or of mount(8).
func mountLine(s string) (timeline.Mount, bool) {
	if m, ok := procMountLine(s); ok {
		return m, true
	}
	if m, ok := mountCommandLine(s); ok {
		return m, true
	}
	return findmntLine(s)
}

// procMountLine reads "DEVICE TARGET TYPE OPTIONS 0 0".
func procMountLine(s string) (timeline.Mount, bool) {
	if !strings.HasSuffix(s, " 0") {
		return timeline.Mount{}, false
	}
	var w [6]string
	n := 0
	for word := range strings.SplitSeq(s, " ") {
		if n == len(w) {
			return timeline.Mount{}, false
		}
		w[n] = word
		n++
	}
	if n != 6 || w[4] != "0" || !strings.HasPrefix(w[1], "/") || !areMountOptions(w[3]) {
		return timeline.Mount{}, false
	}
	return timeline.Mount{Device: unescapeMount(w[0]), Target: unescapeMount(w[1]), FSType: w[2], Options: w[3]}, true
}

// mountCommandLine reads "DEVICE on TARGET type TYPE (OPTIONS) [LABEL]", in
// which blanks stand as they are.
func mountCommandLine(s string) (timeline.Mount, bool) {
	open := strings.LastIndex(s, " (")
	if open < 0 {
		return timeline.Mount{}, false
	}
	options, _, ok := strings.Cut(s[open+2:], ")")
	head, fstype, typed := cutLast(s[:open], " type ")
	device, target, on := strings.Cut(head, " on /")
	if !ok || !typed || !on || strings.Contains(fstype, " ") || !areMountOptions(options) {
		return timeline.Mount{}, false
	}
	return timeline.Mount{Device: device, Target: "/" + target, FSType: fstype, Options: options}, true
}

// findmntLine reads a row of findmnt: TARGET SOURCE FSTYPE OPTIONS, with the
// branches of a tree before it. Of a bind mount the source ends in [ROOT].
func findmntLine(s string) (timeline.Mount, bool) {
	if len(s) > 4096 {
		return timeline.Mount{}, false
	}
	w := strings.Fields(strings.TrimLeft(s, "|`- │├└─"))
	if len(w) != 4 || !strings.HasPrefix(w[0], "/") || !areMountOptions(w[3]) {
		return timeline.Mount{}, false
	}
	m := timeline.Mount{Device: w[1], Target: w[0], FSType: w[2], Options: w[3]}
	if device, root, ok := strings.Cut(w[1], "["); ok {
		m.Device, m.Root = device, strings.TrimSuffix(root, "]")
	}
	return m, true
}

// isFindmntHeader recognises the heading of findmnt.
func isFindmntHeader(s string) bool {
	return strings.HasPrefix(s, "TARGET ") && strings.HasSuffix(strings.TrimSpace(s), "OPTIONS")
}

// areMountOptions says whether s begins as the kernel's list of options does.
func areMountOptions(s string) bool {
	first, _, _ := strings.Cut(s, ",")
	return first == "rw" || first == "ro"
}

// unescapeMount turns the octal escapes of mount tables (\040 for a blank)
// back into the characters.
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) && isOctal(s[i+1], '3') && isOctal(s[i+2], '7') && isOctal(s[i+3], '7') {
			out.WriteByte((s[i+1]-'0')<<6 | (s[i+2]-'0')<<3 | (s[i+3] - '0'))
			i += 3
			continue
		}
		out.WriteByte(s[i])
	}
	return out.String()
}

func isOctal(c, highest byte) bool { return c >= '0' && c <= highest }

// procPrefix takes off what grep puts before a line found in several tables:
// "/proc/188412/mountinfo:", with -n the line number as well.
func procPrefix(s, table string) (pid int, row string) {
	rest, ok := strings.CutPrefix(s, "/proc/")
	if !ok {
		return 0, s
	}
	who, rest, ok := strings.Cut(rest, "/")
	if !ok || !strings.HasPrefix(rest, table) {
		return 0, s
	}
	row, ok = strings.CutPrefix(rest[len(table):], ":")
	if !ok {
		return 0, s
	}
	if number, after, ok := strings.Cut(row, ":"); ok {
		if _, ok := decimal(number); ok {
			row = after
		}
	}
	pid, _ = decimal(who)
	return pid, row
}
