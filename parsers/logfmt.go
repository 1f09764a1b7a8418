package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// logfmtParser reads the text logs of containerd, CRI-O, dockerd and other programs
// that use logrus, slog or go-kit.
var logfmtParser = Parser{
	Name:  "logfmt",
	Doc:   "Log files in key=value form (time=\"...\" level=info msg=\"...\"), as containerd, CRI-O and dockerd write them.",
	Sniff: func(f *File) bool { return mostLines(f, func(s string) bool { _, ok := logfmtHeader(s); return ok }) },
	Parse: parseProgramLog,
}

// logfmtHeader reads the time and level of a key=value line that begins with
// either of them.
func logfmtHeader(s string) (l spoken, ok bool) {
	ok = l.logfmt(s)
	return l, ok
}

// logfmt is logfmtHeader in a place that is the caller's, and empty; it stays so
// if there is no header.
func (said *spoken) logfmt(s string) bool {
	rest, ok := "", false
	for _, key := range [...]string{"time=", "ts=", "t=", "level="} {
		if rest, ok = strings.CutPrefix(s, key); ok {
			break
		}
	}
	if !ok {
		return false
	}
	if s[0] == 't' {
		n := 0
		if said.at, n = isoStamp(strings.TrimPrefix(rest, `"`)); n == 0 {
			return false
		}
	}
	said.kind, said.message, said.level = spokenLogfmt, s, levelNamed(logfmtValue(s, "level"))
	return true
}

// logfmtValue finds a bare value near the head of a line.
func logfmtValue(s, key string) string {
	const head = 160
	near := s[:min(len(s), head)]
	for from := 0; ; {
		i := strings.Index(near[from:], key)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(key)
		if from < len(near) && near[from] == '=' && (i == 0 || near[i-1] == ' ') {
			value := strings.TrimPrefix(near[from+1:], `"`)
			end := 0
			for end < len(value) && value[end] != ' ' && value[end] != '"' {
				end++
			}
			return value[:end]
		}
	}
}

// levelNamed knows the level names of the usual loggers.
func levelNamed(name string) timeline.Level {
	if len(name) > 8 {
		return timeline.LevelUnknown
	}
	switch strings.ToLower(name) {
	case "trace", "debug", "dbg":
		return timeline.LevelDebug
	case "info", "notice", "log", "inf":
		return timeline.LevelInfo
	case "warn", "warning", "wrn":
		return timeline.LevelWarning
	case "error", "err", "fatal", "panic", "dpanic", "crit", "critical", "alert", "emerg", "eror":
		return timeline.LevelError
	}
	return timeline.LevelUnknown
}
