package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible writes control characters, invisible runes and what is no UTF-8 as
// escapes; line ends and tabs stay.
func visible(text string) string {
	return escape(text, func(r rune) bool { return r == '\n' || r == '\t' || unicode.IsPrint(r) })
}

// visibleLine is for a name or a text within a line of ours: it can begin none
// of its own.
func visibleLine(text string) string { return escape(text, unicode.IsPrint) }

func escape(text string, stays func(rune) bool) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !stays(r) }) < 0 {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1: // such as 0x9b, with which a sequence begins in terminals of eight bits
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case stays(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
		text = text[size:]
	}
	return b.String()
}
