package parsers

import (
	"slices"
	"strings"
	"sync"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// standIns are how redactors begin what they put in place of a name, the same
// for each: what they stand for still joins.
var standIns = [...]string{
	"x-ipv4-", "x-ipv6-", "x-mac-", "x-domain-", "x-keyword-", // must-gather-clean
	"obfuscateddomain", "obfuscateduser", "obfuscatedword", "obfuscatedhost", "53:4f:53:", // sos clean
	"***TOKEN_", // Troubleshoot, if asked
}

// noteMasks counts the lines that a redactor has been at: the rest of such a
// line counts, but what was taken out may be what matters.
func noteMasks(f *File, b *timeline.Builder) {
	if !mayBeRedacted(f.Text) {
		return
	}
	countLines(f, b, "masked: ", func(text string) string {
		at, end := timeline.Masked(text)
		if at < 0 {
			return ""
		}
		return text[at:end]
	})
	countLines(f, b, "replaced alike everywhere: ", func(text string) string {
		for _, lead := range standIns {
			if strings.Contains(text, lead) {
				return lead + "…"
			}
		}
		return ""
	})
}

// marks finds in one go all that redactors leave but for what is too short, whose
// beginnings are in shortMarks.
var marks = sync.OnceValue(func() *literal.Index {
	return literal.New(slices.Concat(timeline.Masks(), standIns[:]), "")
})

var shortMarks = [...]string{"x-ipv", "x-mac-"}

// mayBeRedacted says whether a text holds anything that redactors leave. Nearly
// none does, and each is searched.
func mayBeRedacted(text string) bool {
	for _, mark := range shortMarks {
		if strings.Contains(text, mark) {
			return true
		}
	}
	found := false
	literal.Find(marks(), text, func(int, int) { found = true })
	return found
}

// countLines notes in how many lines find finds something, and what it is in
// the first.
func countLines(f *File, b *timeline.Builder, what string, find func(string) string) {
	if find(f.Text) == "" {
		return
	}
	count, first, word := 0, 0, ""
	for l := range f.lines() {
		if found := find(l.text); found != "" {
			if count++; count == 1 {
				first, word = l.number, found
			}
		}
	}
	if count > 0 {
		b.Gap(timeline.GapMasked, first, plural(count, "line")+" "+what+word)
	}
}
