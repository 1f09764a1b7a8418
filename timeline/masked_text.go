package timeline

import "strings"

// stars is what sos leaves of a password; a longer row underlines something.
const stars = "********"

// masksInText are what redactors leave in place of what they took away.
var masksInText = [...]string{
	"***HIDDEN***", masked, // Troubleshoot; and what stands for it while a bundle is read
	"[REDACTED", "<REDACTED", // many
	stars,
	"xxx.xxx.xxx.xxx", "xx:xx:xx:xx:xx:xx", // must-gather-clean, of what it does not replace consistently
}

// Masks are what redactors leave in place of what they took away.
func Masks() []string { return masksInText[:] }

// Masked finds the first mask in a text, and says where it ends; -1 for none.
// Nobody can tell one masked thing from another.
func Masked(text string) (at, end int) {
	at = -1
	for _, mask := range masksInText {
		if i := maskAt(text, mask); i >= 0 && (at < 0 || i < at) {
			at, end = i, i+len(mask)
		}
	}
	return at, end
}

func maskAt(text, mask string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], mask)
		if i < 0 {
			return -1
		}
		i += from
		if mask != stars {
			return i
		}
		end := i + len(mask)
		for end < len(text) && text[end] == '*' {
			end++
		}
		if end == i+len(mask) && (i == 0 || text[i-1] != '*') {
			return i
		}
		from = end
	}
}
