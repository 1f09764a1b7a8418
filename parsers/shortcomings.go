package parsers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// noteShortcomings notes what the shape of a text tells that is missing of it,
// whatever its format.
func noteShortcomings(text string, pieces []piece, b *timeline.Builder) {
	f := &File{Path: b.Input.Path, Text: text, FirstLine: 1, pieces: pieces}
	if f.blank() {
		b.Input.Empty = true
		return
	}
	noteMasks(f, b)
	noteZeros(f, b)
	noteCutEnd(f, b)
	noteHeadless(f, b)
}

// noteZeros notes the zero bytes that a crash leaves in a log, where the file
// had grown and the data had not been written.
func noteZeros(f *File, b *timeline.Builder) {
	const (
		hole   = 8 // fewer separate words
		enough = 100
	)
	if b.Input.Format == journalExportParser.Name { // has fields of any bytes
		return
	}
	line, found := 1, 0
	for rest := f.Text; found < enough; {
		i := strings.Index(rest, "\x00\x00\x00\x00\x00\x00\x00\x00")
		if i < 0 {
			return
		}
		line += strings.Count(rest[:i], "\n")
		after := strings.TrimLeft(rest[i+hole:], "\x00")
		size := len(rest) - i - len(after)
		rest = after
		found++
		if !slices.ContainsFunc(b.Input.Gaps, func(g timeline.Gap) bool { return g.Kind == timeline.GapTruncated && g.Source.Line == line }) {
			b.Gap(timeline.GapTruncated, line, fmt.Sprintf("%d zero bytes, as a crash leaves them", size))
		}
	}
}

// noteCutEnd notes that the last line has no end where the writer would have
// written one: what was cut off may be half a line or half a file.
func noteCutEnd(f *File, b *timeline.Builder) {
	if strings.HasSuffix(f.Text, "\n") || !endsLines(b.Input.Format) {
		return
	}
	last := 1
	for l := range f.lines() {
		last = l.number
	}
	for _, g := range b.Input.Gaps {
		if g.Kind == timeline.GapTruncated && g.Source.Line == last {
			return
		}
	}
	b.Gap(timeline.GapTruncated, last, "the last line has no end, so that what should follow may be cut off")
}

// endsLines says whether the programs that write a format end every line.
// JSON is printed without, and tells by its brackets that it is whole.
func endsLines(format string) bool {
	switch format {
	case journalShortParser.Name, klogParser.Name, logfmtParser.Name, containerLogParser.Name, jsonLogParser.Name, talosLogParser.Name, dmesgParser.Name,
		kubernetesYAMLParser.Name, kubectlDescribeParser.Name, kubectlEventsParser.Name, kubectlTableParser.Name, crictlTableParser.Name, dockerTableParser.Name,
		mountinfoParser.Name, mountsParser.Name, psParser.Name, lsofParser.Name, dfParser.Name, lsParser.Name, systemctlParser.Name:
		return true
	}
	return false
}

// klogFile is how klog names the files that it writes itself: with -log_dir
// PROGRAM.HOST.USER.log.INFO.DATE-TIME.PID and a link PROGRAM.INFO.
var klogFile = regexp.MustCompile(`\.(?:INFO|WARNING|ERROR|FATAL)(?:\.\d{8}-\d{6}\.\d+)?$`)

// noteHeadless notes a file of klog's that lacks the header klog begins one with.
func noteHeadless(f *File, b *timeline.Builder) {
	if b.Input.Format != klogParser.Name || !klogFile.MatchString(f.Path) {
		return
	}
	for l := range f.lines() {
		if !isGlogHeader(l.text) {
			b.Gap(timeline.GapTruncated, l.number, "begins without the header that klog writes at the top of a file")
		}
		return
	}
}
