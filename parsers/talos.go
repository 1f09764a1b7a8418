package parsers

import (
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// talosLogParser reads what talosctl logs and talosctl dmesg print.
var talosLogParser = Parser{
	Name: "talos-log",
	Doc:  "Logs of Talos nodes as talosctl logs and talosctl dmesg print them: each line begins with the node's address.",
	Sniff: func(f *File) bool {
		return mostLines(f, func(s string) bool {
			_, rest, ok := talosNode(s)
			if !ok {
				return false
			}
			if _, isKernel := talosKernel(rest); isKernel {
				return true
			}
			return readSpoken(rest).kind != spokenPlain
		})
	},
	Parse: parseTalosLog,
}

// talosNode cuts off "10.5.9.4: ".
func talosNode(s string) (node, rest string, ok bool) {
	node, rest, ok = strings.Cut(s, ": ")
	if !ok || node == "" || len(node) > 253 {
		return "", "", false
	}
	for _, c := range []byte(node) {
		if c != '.' && c != '-' && c != ':' && !isDigit(c) && (c < 'a' || c > 'z') {
			return "", "", false
		}
	}
	return node, rest, true
}

// talosKernel reads "kern:    info: [2025-11-15T06:58:40.254938549Z]: message".
func talosKernel(s string) (e timeline.Event, ok bool) {
	facility, rest, ok := strings.Cut(s, ":")
	level, rest, ok2 := strings.Cut(rest, ": [")
	at, n := isoStamp(rest)
	if !ok || !ok2 || len(facility) > 10 || len(level) > 12 || n == 0 || n >= len(rest) || rest[n] != ']' {
		return e, false
	}
	e.Time, e.Precision, e.Stamp.Wall = at.time, at.precision, at.wall
	e.Level = levelNamed(strings.TrimSpace(level))
	e.Component = timeline.Kernel
	if facility != "kern" {
		e.Component = "talos"
	}
	e.Message = strings.TrimPrefix(strings.TrimPrefix(rest[n+1:], ":"), " ")
	return e, true
}

func parseTalosLog(f *File, b *timeline.Builder) error {
	reserve(b, f.Text)
	first := len(b.Events)
	strange := strangeLines{b: b}
	var votes programVote
	var open openRecord
	for l := range f.lines() {
		node, rest, ok := talosNode(l.text)
		if !ok {
			if strings.TrimSpace(l.text) != "" {
				strange.add(l)
			}
			continue
		}
		e, ok := talosKernel(rest)
		if !ok {
			s := readSpoken(rest)
			if s.kind == spokenPlain && len(b.Events) > first && b.Events[open.index].Node == node &&
				open.add(rest, l.text, b.Src(l.number, l.offset)) {
				continue
			}
			votes.count(&s)
			e = timeline.Event{
				Time: s.at.time, Precision: s.at.precision, Stamp: timeline.Stamp{Wall: s.at.wall, NoYear: s.at.noYear},
				Component: s.component, PID: s.pid, Level: s.level, Message: s.message,
			}
		}
		e.Node, e.Text, e.Source = node, l.text, b.Src(l.number, l.offset)
		open.close(b, false)
		b.Add(e)
		open.open(len(b.Events)-1, len(e.Text))
		noteHost(b, node)
	}
	open.close(b, false)
	strange.done(f)
	if len(b.Events) == first {
		return fmt.Errorf("reading %s: no log record in it", f.Path)
	}
	votes.settle(b.Events[first:], f.Path)
	return nil
}
