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
func readSpoken(s string) (said spoken) {
	said.read(s)
	return said
}

// read is readSpoken in a place that is the caller's, and empty: of every line of
// a log, handing over what was read would take as long as reading it.
func (said *spoken) read(s string) {
	var header klogLine
	said.hear(s, &header)
	if header.severity != 0 {
		header.at(&said.at)
		said.pid = header.pid
	}
}

// hear is read for those who know the time already: that of a klog line is left
// in its header, which has no severity if there is none.
func (said *spoken) hear(s string, header *klogLine) {
	if s == "" {
		return
	}
	switch c := s[0]; {
	case c == 'I' || c == 'W' || c == 'E' || c == 'F':
		if header.read(s) {
			said.kind, said.message, said.level, said.file = spokenKlog, s, klogLevel(header.severity), header.file
			return
		}
	case c == 't' || c == 'l':
		if said.logfmt(s) {
			return
		}
	case c == '{':
		if j, ok := readJSONLog(s); ok {
			*said = j
			return
		}
	case isDigit(c):
		if p, ok := stampedHeader(s); ok {
			*said = p
			return
		}
	}
	said.message = s
}
