package parsers

import (
	"strings"
	"time"
)

// sessionParser reads what records a terminal as a whole: script, and PowerShell's
// Start-Transcript. It is asked before the formats of what was printed there.
var sessionParser = Parser{
	Name:  "terminal-session",
	Doc:   "A recorded terminal session (script, PowerShell's Start-Transcript), read as a transcript is.",
	Sniff: isSession,
	Parse: parseTranscript,

	Blocks: transcriptBlocks,
}

const powerShellRule = "**********************"

func isSession(f *File) bool {
	head := f.head()
	if !strings.HasPrefix(head, scriptStarted) && !strings.HasPrefix(head, powerShellRule) {
		return false
	}
	for l := range (&File{Text: head}).lines() {
		if p, ok := parsePrompt(l.text); ok && p.isCommand() && p.command != "" {
			return true
		}
	}
	return false
}

// sessionMarks finds the lines that the recorder itself wrote: script's first
// and last, and what PowerShell puts between two rules.
type sessionMarks struct {
	script, powerShell bool
	started, inside    bool
}

func (m *sessionMarks) mark(text string) bool {
	if !m.started {
		m.started = true
		m.script, m.powerShell = strings.HasPrefix(text, scriptStarted), text == powerShellRule
	}
	switch {
	case m.script:
		return strings.HasPrefix(text, scriptStarted) || strings.HasPrefix(text, "Script done on ")
	case m.powerShell && text == powerShellRule:
		m.inside = !m.inside
		return true
	case m.powerShell && strings.HasPrefix(text, "Transcript started, output file is "):
		return true
	}
	return m.powerShell && m.inside
}

// sessionStart is when the recording began, where its first line tells that
// with a zone: script of util-linux since 2.35.
func sessionStart(text string) time.Time {
	rest, _ := strings.CutPrefix(text, scriptStarted)
	stamp, _, _ := strings.Cut(rest, " [")
	at, err := time.Parse("2006-01-02 15:04:05-07:00", strings.TrimSpace(stamp))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// printsFile says that a command prints a file that may be older than the
// session.
func printsFile(command string) bool {
	for _, call := range invocations(command) {
		switch call[0] {
		case "cat", "type", "less", "more", "head", "tail", "zcat", "xzcat", "zless", "grep", "zgrep", "Get-Content":
			return true
		}
	}
	return false
}
