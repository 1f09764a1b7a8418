package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// klogParser reads plain log files of Kubernetes components.
var klogParser = Parser{
	Name:  "klog",
	Doc:   "Log files of Kubernetes components (klog and glog: \"I1130 08:21:33.000000    1 kubelet.go:2425] ...\"), as the component or journalctl -o cat writes them.",
	Sniff: isKlog,
	Parse: parseProgramLog,
}

// isKlog wants a quarter of the first lines to have a header: a stack or a
// long error may follow each. What kubectl itself logs above its output is no
// log file.
func isKlog(f *File) bool {
	const look = 60
	hit, seen := 0, 0
	head := File{Text: f.head()}
	for l := range head.lines() {
		if strings.TrimSpace(l.text) == "" || isGlogHeader(l.text) {
			continue
		}
		if k, ok := klogHeader(l.text); ok && k.file != "memcache.go" && k.file != "round_trippers.go" {
			hit++
		}
		if seen++; seen == look {
			break
		}
	}
	return hit > 0 && hit*4 >= seen
}

// klogLine is the header of a klog line. Neither year nor zone is in it.
type klogLine struct {
	severity   byte
	month, day int8
	second     int32 // of the day
	nano       int32
	precision  time.Duration
	pid        int    // klog prints the process id; glog's thread id is the same in Go
	file       string // "kubelet.go"
	end        int    // where the message begins
}

// at puts the time of the line in its place.
func (k *klogLine) at(p *printed) {
	p.time = yearless(int(k.month), int(k.day), int(k.second), int(k.nano))
	p.precision, p.wall, p.noYear = k.precision, true, true
}

// klogHeader reads "I1130 08:21:33.000000       1 kubelet.go:2425] ".
func klogHeader(s string) (k klogLine, ok bool) {
	ok = k.read(s)
	return k, ok
}

// read is klogHeader in a place that is the caller's, and empty; it stays so if
// there is no header.
func (k *klogLine) read(s string) bool {
	const shortest = len("I1130 08:21:33.000000 1 a:1]")
	if len(s) < shortest || s[5] != ' ' || s[8] != ':' || s[14] != '.' {
		return false
	}
	switch s[0] {
	case 'I', 'W', 'E', 'F':
	default:
		return false
	}
	mo, ok1 := figures(s, 1, 2)
	day, ok2 := figures(s, 3, 2)
	if !ok1 || !ok2 || mo < 1 || mo > 12 || day < 1 || day > 31 {
		return false
	}
	sec, nano, precision, n := clockFace(s[6:])
	if n == 0 {
		return false
	}
	i := 6 + n
	for i < len(s) && s[i] == ' ' {
		i++
	}
	start, pid := i, 0
	for i < len(s) && isDigit(s[i]) && i-start < 10 {
		pid = pid*10 + int(s[i]-'0')
		i++
	}
	if i == start || i >= len(s) || s[i] != ' ' {
		return false
	}
	i++
	bracket := strings.IndexByte(s[i:min(len(s), i+200)], ']')
	if bracket < 0 {
		return false
	}
	place := s[i : i+bracket]
	colon := strings.LastIndexByte(place, ':')
	if colon <= 0 || strings.IndexByte(place, ' ') >= 0 {
		return false
	}
	end := i + bracket + 1
	if end < len(s) && s[end] == ' ' {
		end++
	}
	k.severity, k.file, k.end, k.pid = s[0], place[:colon], end, pid
	k.month, k.day, k.second, k.nano, k.precision = int8(mo), int8(day), int32(sec), int32(nano), precision
	return true
}

func klogLevel(severity byte) timeline.Level {
	switch severity {
	case 'I':
		return timeline.LevelInfo
	case 'W':
		return timeline.LevelWarning
	case 'E', 'F':
		return timeline.LevelError
	}
	return timeline.LevelUnknown
}
