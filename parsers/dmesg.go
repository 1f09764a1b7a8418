package parsers

import (
	"fmt"
	"strings"
	"time"

	"podautopsy/timeline"
)

// dmesgParser reads the kernel's ring buffer.
var dmesgParser = Parser{
	Name: "dmesg",
	Doc:  "The kernel's log as dmesg prints it: [seconds since boot], with -T [Mon Nov 30 07:35:43 2026], with -H [Nov30 07:35] and [  +0.000012], or with --time-format iso.",
	Sniff: func(f *File) bool {
		return mostLines(f, func(s string) bool {
			_, _, ok := dmesgHeader(s)
			if !ok {
				_, _, ok = (&humanClock{}).header(s)
			}
			return ok
		})
	},
	Parse: parseDmesg,
}

// bootSeconds reads "[11859608.510084]".
func bootSeconds(s string) (d time.Duration, n int) {
	if s == "" || s[0] != '[' {
		return 0, 0
	}
	i := 1
	for i < len(s) && s[i] == ' ' {
		i++
	}
	start := i
	var sec int64
	for i < len(s) && isDigit(s[i]) && i-start < 10 {
		sec = sec*10 + int64(s[i]-'0')
		i++
	}
	if i == start || i >= len(s) || s[i] != '.' {
		return 0, 0
	}
	unit := int64(time.Second)
	nano := int64(0)
	for i++; i < len(s) && isDigit(s[i]) && unit > 1; i++ {
		unit /= 10
		nano += int64(s[i]-'0') * unit
	}
	if i >= len(s) || s[i] != ']' || unit == int64(time.Second) || sec > 9e9 {
		return 0, 0
	}
	return time.Duration(sec*int64(time.Second) + nano), i + 1
}

// dmesgHeader reads the prefix of a line and returns the event's time and
// level, and where the message begins.
func dmesgHeader(s string) (e timeline.Event, message string, ok bool) {
	rest := s
	if rest != "" && rest[0] == '<' { // dmesg -r
		var priority int
		if rest, priority = cutPriority(rest); priority >= 0 {
			e.Level = syslogLevel(priority)
		}
	} else if head, after, found := strings.Cut(rest, ": ["); found && len(head) < 20 { // dmesg -x: "kern  :info  : ["
		if _, level, two := strings.Cut(head, ":"); two {
			e.Level = levelNamed(strings.TrimSpace(level))
			rest = "[" + after
			rest = s[len(s)-len(rest):]
		}
	}
	if since, n := bootSeconds(rest); n > 0 {
		e.Stamp = timeline.Stamp{SinceBoot: since, HasSinceBoot: true}
		e.Precision = time.Microsecond
		return e, strings.TrimPrefix(rest[n:], " "), true
	}
	if rest != "" && rest[0] == '[' {
		p, n := ctimeStamp(rest[1:])
		if n == 0 || n+1 >= len(rest) || rest[n+1] != ']' {
			return e, "", false
		}
		e.Time, e.Precision = p.time, p.precision
		e.Stamp = timeline.Stamp{Wall: true}
		return e, strings.TrimPrefix(rest[n+2:], " "), true
	}
	// --time-format iso has a comma before the fraction, which no other log has.
	if len(rest) > 19 && rest[19] == ',' {
		if p, n := isoStamp(rest); n > 0 && !p.wall {
			e.Time, e.Precision = p.time, p.precision
			return e, strings.TrimPrefix(rest[n:], " "), true
		}
	}
	return e, "", false
}

func parseDmesg(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	first := len(b.Events)
	strange := strangeLines{b: b}
	var open openRecord
	var human humanClock
	for l := range f.lines() {
		e, message, ok := dmesgHeader(l.text)
		if !ok {
			e, message, ok = human.header(l.text)
		}
		if ok {
			open.close(b, false)
			e.Node, e.Component = f.Node, timeline.Kernel
			e.Message, e.Text, e.Source = message, l.text, b.Src(l.number, l.offset)
			b.Add(e)
			open.open(len(b.Events)-1, len(e.Text))
			continue
		}
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if len(b.Events) == first || !open.add(l.text, l.text, b.Src(l.number, l.offset)) {
			strange.add(l)
		}
	}
	open.close(b, false)
	strange.done(f)
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no kernel message in it", f.Path)
	}
	return nil
}
