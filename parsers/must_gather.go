package parsers

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"podautopsy/timeline"
)

// mustGatherTimestampParser reads when a collection began and ended.
var mustGatherTimestampParser = Parser{
	Name:  "must-gather-timestamp",
	Doc:   "timestamp of oc adm must-gather and oc adm inspect: when a collection began and when it ended, as Go prints a time.",
	Sniff: sniffMustGatherTimestamp,
	Parse: parseMustGatherTimestamp,
}

// mustGatherSkippedParser reads which nodes a must-gather could not look into.
var mustGatherSkippedParser = Parser{
	Name: "must-gather-skipped",
	Doc:  "nodes/skipped_nodes.txt of a must-gather: nodes on which its pod did not run, so that their logs are missing.",
	Sniff: func(f *File) bool {
		lines := f.firstLines(1)
		return len(lines) > 0 && mustGatherSkipped.MatchString(lines[0])
	},
	Parse: parseMustGatherSkipped,
}

// mustGatherLogParser reads what a must-gather said while it worked: what of it
// failed is missing from the rest.
var mustGatherLogParser = Parser{
	Name:  "must-gather-log",
	Doc:   "must-gather.logs and gather.logs: what oc adm must-gather and its pods could not collect.",
	Sniff: sniffMustGatherLog,
	Parse: parseMustGatherLog,
}

// goTime reads a time as Go's Time.String prints it: "2021-09-14
// 12:14:04.302057327 +0200 CEST m=+2.026710185".
func goTime(s string) (time.Time, bool) {
	s, _, clock := strings.Cut(strings.TrimSpace(s), " m=")
	if !clock || len(s) > 64 {
		return time.Time{}, false
	}
	words := strings.Fields(s)
	if len(words) != 4 {
		return time.Time{}, false
	}
	t, err := time.Parse("2006-01-02 15:04:05.999999999 -0700", strings.Join(words[:3], " "))
	return t.UTC(), err == nil
}

// mostInspections is how often one collection runs oc adm inspect, which adds
// two lines each time.
const mostInspections = 1000

func sniffMustGatherTimestamp(f *File) bool {
	lines := f.firstLines(4)
	for _, s := range lines {
		if _, ok := goTime(s); !ok {
			return false
		}
	}
	return len(lines) > 0 && len(f.Text) < mostInspections*128
}

func parseMustGatherTimestamp(f *File, b *timeline.Builder) error {
	last := 0
	for l := range f.lines() {
		t, ok := goTime(l.text)
		if !ok {
			continue
		}
		b.Input.Records++
		last = l.number
		if t.After(b.Input.CapturedAt) {
			b.Input.CapturedAt = t
		}
	}
	if b.Input.Records%2 != 0 {
		b.Gap(timeline.GapTruncated, last, "a collection began and does not tell that it came to its end")
	}
	return nil
}

var mustGatherSkipped = regexp.MustCompile(`^Failed to collect performance data from node (\S+) due to (.*?)\.?$`)

func parseMustGatherSkipped(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		if m := mustGatherSkipped.FindStringSubmatch(prefix(l.text, maxExcerpt)); m != nil {
			b.Input.Records++
			b.Gap(timeline.GapCommandFailed, l.number, fmt.Sprintf("node %s was skipped (%s): its kubelet log and dmesg are not in the must-gather", m[1], m[2]))
		}
	}
	return nil
}

func sniffMustGatherLog(f *File) bool {
	name := f.base()
	for _, s := range f.firstLines(3) {
		pod, _, ok := strings.Cut(s, "] ")
		if ok && strings.HasPrefix(pod, "[must-gather") {
			return true
		}
	}
	return (name == "must-gather.logs" || name == "gather.logs") && !f.blank()
}

var (
	// Each line is of oc itself or of the pod that gathers: "[must-gather-9mcfn]
	// POD 2026-07-13T18:03:31.354493414Z …"; older versions write no time.
	mustGatherLead = regexp.MustCompile(`^\[must-gather[^\]]*\] (?:OUT|POD) ?`)
	stampLead      = regexp.MustCompile(`^\d{4}[-/]\d\d[-/]\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)? `)
	skippedGather  = regexp.MustCompile(`^([\w./-]+) due to error: (.*)`)
)

func parseMustGatherLog(f *File, b *timeline.Builder) error {
	said := map[string]bool{}
	note := func(kind timeline.GapKind, line int, missed string) {
		if missed != "" && !said[missed] && len(said) < mostGatherGaps {
			said[missed] = true // oc repeats at the end what it said before
			b.Gap(kind, line, missed)
		}
	}
	for l := range f.lines() {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		b.Input.Records++
		message := prefix(l.text, 64<<10)
		message = message[len(mustGatherLead.FindString(message)):]
		message = strings.TrimSpace(message[len(stampLead.FindString(message)):])
		kind, missed := gatherMissed(message)
		note(kind, l.number, missed)
		for rest, more := afterWord(message, skipping); more; rest, more = afterWord(rest, skipping) {
			note(timeline.GapCommandFailed, l.number, skippedWhat(rest))
		}
	}
	return nil
}

// skipping stands before what oc adm inspect leaves out, also several times in
// one line.
const skipping = "skipping gathering "

func afterWord(s, word string) (rest string, ok bool) {
	_, rest, ok = strings.Cut(s, word)
	return rest, ok
}

// skippedWhat says what was left out and why, "" where there was nothing of it.
func skippedWhat(message string) string {
	message, _, _ = strings.Cut(message, ", "+skipping)
	m := skippedGather.FindStringSubmatch(message)
	if m == nil || strings.HasSuffix(m[2], " not found") || strings.Contains(m[2], "doesn't have a resource type") {
		return ""
	}
	return fmt.Sprintf("%s was skipped, wholly or in part: %s", m[1], prefix(m[2], maxExcerpt))
}

// mostGatherGaps is how many different failures of one collection are told.
const mostGatherGaps = 200

// gatherMissed says what a line leaves missing, "" if nothing.
func gatherMissed(message string) (timeline.GapKind, string) {
	_, why, _ := strings.Cut(message, ": ")
	why = prefix(why, maxExcerpt)
	switch {
	case strings.HasPrefix(message, "gather never finished"):
		return timeline.GapTruncated, "the collection was given up before its end: " + why
	case strings.HasPrefix(message, "gather did not start"):
		return timeline.GapCommandFailed, "the pod that gathers did not start: " + why
	case strings.HasPrefix(message, "gather output not downloaded"), strings.HasPrefix(message, "unable to download output from pod"):
		return timeline.GapCommandFailed, "what the pod had gathered was not brought: " + why
	case strings.HasPrefix(message, "Falling back to `oc adm inspect"):
		return timeline.GapCommandFailed, "the must-gather failed; instead only: " + prefix(strings.TrimPrefix(message, "Falling back to "), maxExcerpt)
	case strings.Contains(message, "Disk usage exceeds the volume percentage"):
		return timeline.GapTruncated, "the collection was stopped, as its volume was full (see --volume-percentage)"
	case strings.HasPrefix(message, "ERROR: "):
		return timeline.GapCommandFailed, prefix(message[len("ERROR: "):], maxExcerpt)
	}
	return "", ""
}
