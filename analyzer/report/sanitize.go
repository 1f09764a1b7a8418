package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// printable makes text of unknown origin safe to show on one line: controls,
// escape sequences, bidirectional overrides and invisible runes become visible
// escapes, a tab becomes a space. What can be read is left as it is.
func printable(s string) string {
	if isPrintable(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\t':
			b.WriteByte(' ')
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

func isPrintable(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// shorten cuts printable text in the middle so that it fits in width columns:
// a log line tells what it is at its head and what went wrong at its tail.
func shorten(s string, width int, ellipsis string) string {
	if uniseg.StringWidth(s) <= width {
		return s
	}
	room := width - uniseg.StringWidth(ellipsis)
	if room <= 0 {
		return ellipsis
	}
	head := min((width+1)/2, room)
	return toWord(first(s, head), s) + ellipsis + fromWord(last(s, room-head), s)
}

// first is as much of the beginning of s as fits in width columns.
func first(s string, width int) string {
	end, state := 0, -1
	for rest := s; rest != ""; {
		var c string
		var w int
		c, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width -= w; width < 0 {
			break
		}
		end += len(c)
	}
	return s[:end]
}

// last is as much of the end of s as fits in width columns.
func last(s string, width int) string {
	type cluster struct{ start, width int }
	var clusters []cluster
	state := -1
	for rest, start := s, 0; rest != ""; {
		var c string
		var w int
		c, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		clusters = append(clusters, cluster{start, w})
		start += len(c)
	}
	from := len(s)
	for i := len(clusters) - 1; i >= 0; i-- {
		if width -= clusters[i].width; width < 0 {
			break
		}
		from = clusters[i].start
	}
	return s[from:]
}
