package parsers

import (
	"podautopsy/timeline"
)

// spokenKind is the logger whose hand a line shows.
type spokenKind int

const (
	spokenPlain   spokenKind = iota // no header of its own
	spokenKlog                      // klog text, or klog JSON rewritten to it
	spokenLogfmt                    // logrus text and its kin, or JSON rewritten to it
	spokenStamped                   // begins with a date and time
)

// spoken is what a program wrote, taken apart as far as others need it.
type spoken struct {
	kind      spokenKind
	message   string // in the logger's text form
	level     timeline.Level
	at        printed // zero time if the line tells none
	pid       int
	file      string // source file in a klog header
	component string // of a JSON line that names one
}

// readSpoken takes apart what a program wrote, after any prefix of syslog,
// journald or a container runtime.
func readSpoken(s string) spoken {
	if s == "" {
		return spoken{}
	}
	switch c := s[0]; {
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		if k, ok := klogHeader(s); ok {
			return spoken{kind: spokenKlog, message: s, level: klogLevel(k.severity), at: k.at, pid: k.pid, file: k.file}
		}
	case c == 't' || c == 'l':
		if l, ok := logfmtHeader(s); ok {
			return l
		}
	case c == '{':
		if j, ok := readJSONLog(s); ok {
			return j
		}
	case isDigit(c):
		if p, ok := stampedHeader(s); ok {
			return p
		}
	}
	return spoken{message: s}
}
