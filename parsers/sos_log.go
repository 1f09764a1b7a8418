package parsers

import (
	"fmt"
	"regexp"
	"strings"

	"podautopsy/timeline"
)

// sosLogParser reads what sos said while it worked. Most of it is of no use for a
// deletion; what could not be collected is.
var sosLogParser = Parser{
	Name: "sos-log",
	Doc:  "sos_logs/sos.log and ui.log: commands and plugins that sos gave up or left out, and nodes that sos collect could not reach.",
	Sniff: func(f *File) bool {
		spoken := false
		for _, s := range f.firstLines(8) {
			_, message, ok := sosLogLine(s)
			spoken = spoken || ok && (strings.HasPrefix(message, "[") || f.base() == "ui.log")
		}
		return spoken
	},
	Parse: parseSosLog,
}

var (
	sosTimedOut = regexp.MustCompile(`^\[plugin:([\w-]+)\] command '(.*)' timed out after (\d+)s`)
	sosSkipped  = regexp.MustCompile(`^\[plugin:([\w-]+)\] skipped command '(.*)': (.*)`)
	sosGaveUp   = regexp.MustCompile(`^ ?Plugin ([\w-]+) timed out$`)
	// sos collect puts the node and the function before what it says of a node.
	sosOfNode = regexp.MustCompile(`^\[([^\s:\]]+):[a-z_]+\] (Failed to .*|Unable to .*|Timeout exceeded.*|Error running sos.*|sos is not installed.*|Cannot run command.*)`)
)

func parseSosLog(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		level, message, ok := sosLogLine(l.text)
		if !ok {
			message = l.text // ui.log begins what is wrong on a new line
		} else {
			b.Input.Records++
		}
		if level == "INFO" || level == "DEBUG" || len(message) > maxExcerpt*8 {
			continue
		}
		if missed := sosMissed(message); missed != "" {
			b.Gap(timeline.GapCommandFailed, l.number, missed)
		}
	}
	return nil
}

// sosMissed says what a warning or an error of sos leaves missing, "" if that
// is nothing of use here.
func sosMissed(message string) string {
	switch {
	case strings.HasSuffix(message, " timed out"):
		if m := sosGaveUp.FindStringSubmatch(message); m != nil {
			return fmt.Sprintf("sos gave up its plugin %s: what that had not collected is missing", m[1])
		}
	case strings.Contains(message, " timed out after "):
		if m := sosTimedOut.FindStringSubmatch(message); m != nil && sosEvidence(m[2]) {
			return fmt.Sprintf("sos gave up %s after %s s: its output is not whole", oneSpace(m[2]), m[3])
		}
	case strings.Contains(message, "] skipped command '"):
		if m := sosSkipped.FindStringSubmatch(message); m != nil && sosEvidence(m[2]) {
			return fmt.Sprintf("sos did not run %s: %s", oneSpace(m[2]), strings.TrimRight(prefix(m[3], maxExcerpt), ". "))
		}
	case strings.HasPrefix(message, "[plugin:"), strings.HasPrefix(message, "[archive:"):
		if strings.Contains(message, "No space left on device") {
			return "the disk was full while sos collected: " + prefix(message, maxExcerpt)
		}
	default:
		if m := sosOfNode.FindStringSubmatch(message); m != nil {
			return fmt.Sprintf("sos collect on node %s: %s", m[1], prefix(m[2], maxExcerpt))
		}
	}
	return ""
}

// sosLogLine takes a line of Python's logging apart, in the form that sos has
// always used: "2026-11-30 09:58:08,994 WARNING: [plugin:networking] …".
func sosLogLine(s string) (level, message string, ok bool) {
	const stamp = "2006-01-02 15:04:05,000 "
	if len(s) < len(stamp)+len("INFO: ") || s[4] != '-' || s[7] != '-' || s[10] != ' ' || s[13] != ':' || s[19] != ',' || s[23] != ' ' || !isDigit(s[0]) {
		return "", "", false
	}
	level, message, ok = strings.Cut(s[len(stamp):], ": ")
	switch level {
	case "DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL":
		return level, message, ok
	}
	return "", "", false
}
