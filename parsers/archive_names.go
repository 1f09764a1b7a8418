package parsers

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// memberPath turns any name into a printable relative path: what leads out of
// the archive is taken as inside it, as it is only shown, never opened.
func memberPath(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" {
		return "."
	}
	return printable(name)
}

// printable writes bytes that are no text, control characters and characters
// that are invisible or turn the direction of text as escapes.
func printable(s string) string {
	const longest = 1024
	if len(s) > longest {
		cut := longest
		for cut > longest-utf8.UTFMax && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	if utf8.ValidString(s) && strings.IndexFunc(s, notPrintable) < 0 {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&out, `\x%02x`, s[0])
		case notPrintable(r) && r < utf8.RuneSelf:
			fmt.Fprintf(&out, `\x%02x`, r)
		case notPrintable(r):
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			out.WriteString(s[:size])
		}
		s = s[size:]
	}
	return out.String()
}

func notPrintable(r rune) bool { return !unicode.IsPrint(r) }
