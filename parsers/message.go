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
	spokenUnsure                    // may be any of them
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
	said, k := hear(s)
	if k.severity != 0 {
		said.at, said.pid = k.at(), k.pid
	}
	return said
}

// hear is readSpoken for those who know the time already: that of a klog line
// is left in its header, which has no severity if there is none.
func hear(s string) (said spoken, header klogLine) {
	if s == "" {
		return said, header
	}
	switch c := s[0]; {
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		if k, ok := klogHeader(s); ok {
			return spoken{kind: spokenKlog, message: s, level: klogLevel(k.severity), file: k.file}, k
		}
	case c == 't' || c == 'l':
		if l, ok := logfmtHeader(s); ok {
			return l, header
		}
	case c == '{':
		if j, ok := readJSONLog(s); ok {
			return j, header
		}
	case isDigit(c):
		if p, ok := stampedHeader(s); ok {
			return p, header
		}
	}
	return spoken{message: s}, header
}
