package parsers

import (
	"strings"
)

// plainLogParser reads logs whose lines begin with a date and time.
var plainLogParser = Parser{
	Name: "plain-log",
	Doc:  "Log files whose lines begin with a date and time (\"2025-07-31T22:11:26.926842Z info ...\"), as zap's console form, Istio and PostgreSQL write them.",
	Sniff: func(f *File) bool {
		return mostLines(f, func(s string) bool { _, ok := stampedHeader(s); return ok }) &&
			!isJournalShort(f) && !isContainerLog(f)
	},
	Parse: parseProgramLog,
}

// stampedHeader reads a line that begins with a date and time. What follows is
// the program's; a level is looked for in its first words.
func stampedHeader(s string) (p spoken, ok bool) {
	at, n := isoStamp(s)
	if n == 0 || n < len(s) && s[n] != ' ' && s[n] != '\t' && s[n] != ':' && s[n] != '[' && s[n] != ']' {
		return p, false
	}
	p = spoken{kind: spokenStamped, message: s, at: at}
	rest := s[n:min(len(s), n+64)]
	for range 4 {
		rest = strings.TrimLeft(rest, " \t[]:|")
		end := strings.IndexAny(rest, " \t[]:|")
		if end < 0 {
			break
		}
		if p.level = levelNamed(rest[:end]); p.level != 0 {
			break
		}
		rest = rest[end:]
	}
	return p, true
}
