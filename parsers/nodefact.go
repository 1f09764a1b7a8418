package parsers

import (
	"fmt"
	"path"
	"strings"

	"podautopsy/timeline"
)

// factAt is what every snapshot read from l shares.
func factAt(f *File, b *timeline.Builder, l line) timeline.Fact {
	const longest = 32 << 10
	return timeline.Fact{Node: f.Node, AsOf: f.CapturedAt, Source: b.Src(l.number, l.offset), Text: prefix(l.text, longest)}
}

// keepFact appends a fact and counts it as a record.
func keepFact[T any](b *timeline.Builder, facts *[]T, fact T) {
	*facts = append(*facts, fact)
	b.Input.Records++
}

// commandEvent notes a line that a command printed. It carries the time only
// where the file knows when the command ran.
func commandEvent(f *File, b *timeline.Builder, l line, level timeline.Level, message string) {
	b.Add(timeline.Event{
		Time:      f.CapturedAt,
		Node:      f.Node,
		Component: timeline.Command,
		Level:     level,
		Message:   message,
		Text:      l.text,
		Source:    b.Src(l.number, l.offset),
	})
}

// leftovers counts the lines that a reader could not use, so that a file full
// of them makes one gap and not thousands.
type leftovers struct {
	count, first int
}

// add takes a line that is no row of the reader's format. What a tool says on
// its error output is evidence all the same; anything else is counted.
func (o *leftovers) add(f *File, b *timeline.Builder, l line) {
	if strings.TrimSpace(l.text) == "" || readErrorLine(f, b, l) {
		return
	}
	if o.count == 0 {
		o.first = l.number
	}
	o.count++
}

// report writes the gap, if there is one.
func (o *leftovers) report(b *timeline.Builder) {
	if o.count > 0 {
		b.Gap(timeline.GapNotUnderstood, o.first, fmt.Sprintf("%d lines not understood, the first at line %d", o.count, o.first))
	}
}

// blank says that the text holds nothing to read.
func (f *File) blank() bool {
	return strings.TrimSpace(f.head()) == "" && strings.TrimSpace(f.Text) == ""
}

// firstLines returns the first n lines that are not blank, each as far as a
// sniffer needs it.
func (f *File) firstLines(n int) []string {
	const enough = 64 << 10 // of blanks before them
	var lines []string
	for l := range f.lines() {
		if strings.TrimSpace(l.text) == "" {
			if l.offset-f.Offset > enough && len(lines) == 0 {
				break
			}
			continue
		}
		if lines = append(lines, prefix(l.text, 4<<10)); len(lines) == n {
			break
		}
	}
	return lines
}

// base is the lower-case name of the file itself, inside an archive or not.
func (f *File) base() string {
	return strings.ToLower(path.Base(strings.ReplaceAll(f.Path, "!", "/")))
}

// noOutput notes that a command printed nothing. Under a filter that is an
// answer ("nothing matched"); a tool that always prints a header has failed.
// The place cited is the line of the command, just above its output.
func noOutput(f *File, b *timeline.Builder) {
	if f.Command == "" {
		return
	}
	prompt := line{number: max(f.FirstLine-1, 1), offset: f.Offset, text: f.Command}
	commandEvent(f, b, prompt, timeline.LevelUnknown, "$ "+f.Command+" (no output)")
	if !f.filtered() && alwaysPrints(f) {
		b.Gap(timeline.GapCommandFailed, prompt.number, f.Command+" printed nothing")
	}
}

// alwaysPrints says that the command cannot succeed silently.
func alwaysPrints(f *File) bool {
	for _, tool := range []string{"crictl", "ctr", "docker", "df", "mount", "ps", "systemctl", "date", "hostname"} {
		if f.ran(tool) && !strings.Contains(f.Command, "-q") {
			return true
		}
	}
	return false
}

// decimal reads the whole of s as a number that is not negative. It refuses
// anything too long to be a PID, a size or a year.
func decimal(s string) (int, bool) {
	if s == "" || len(s) > 18 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// isHex says whether s is nothing but lower-case hexadecimal digits.
func isHex(s string) bool {
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return s != ""
}

// isContainerID says whether s is an ID of a container or sandbox, full or
// shortened as crictl (13) and docker (12) print it.
func isContainerID(s string) bool {
	return (len(s) == 64 || len(s) == 12 || len(s) == 13) && isHex(s)
}

// isUUID says whether s has the shape of a pod UID.
func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if !isHex(strings.ToLower(s[i : i+1])) {
				return false
			}
		}
	}
	return true
}
