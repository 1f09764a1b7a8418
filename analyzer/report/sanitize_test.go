package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain text, zażółć 東京 ✔", "plain text, zażółć 東京 ✔"},
		{"a\tb", "a b"},
		{"a\nb\r\n", `a\nb\r\n`},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"\x1b]0;title\x07", `\x1b]0;title\x07`},
		{"a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"zero\u200bwidth", `zero\u200bwidth`},
		{"\u009b2J", `\u009b2J`},
		{"bad\xff\xfe", `bad\xff\xfe`},
		{"\U000e0041", `\U000e0041`},
		{"del\x7f nul\x00", `del\x7f nul\x00`},
	} {
		if got := printable(c.in); got != c.want {
			t.Errorf("printable(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, c := range []struct {
		in       string
		width    int
		ellipsis string
		want     string
	}{
		{"fits", 4, "…", "fits"},
		{"abcdefghij", 5, "…", "abc…j"},
		{"abcdefghij", 7, "...", "abcd..."},
		{"東京東京東京", 7, "…", "東京…京"},
		{"abcdefghij", 0, "…", "…"},
		{"⸻⸻⸻", 11, "…", "⸻…⸻"}, // four columns each, in three bytes
	} {
		if got := shorten(c.in, c.width, c.ellipsis); got != c.want {
			t.Errorf("shorten(%q, %d) = %q, want %q", c.in, c.width, got, c.want)
		}
	}
}

func FuzzPrintable(f *testing.F) {
	f.Add("E1130 08:21:33 log.go:32] \"failed\"\x1b[0m \u202e", 20)
	f.Add("\xff\xf0\x9f\x98", 3)
	f.Add("👩‍👩‍👧 é 東京", 4)
	f.Add("\u05b7 00000000\x1b0000\xe2", 4) // a word of no width before one as wide as a line
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 1 + (width&0x7fffffff)%200
		p := printable(s)
		if !utf8.ValidString(p) {
			t.Fatalf("not UTF-8: %q", p)
		}
		for _, r := range p {
			if !unicode.IsPrint(r) {
				t.Fatalf("%U in %q", r, p)
			}
		}
		short := shorten(p, width, "…")
		if w := uniseg.StringWidth(short); w > width {
			t.Fatalf("width %d > %d: %q", w, width, short)
		}
		if head, tail, cut := strings.Cut(short, "…"); cut && !strings.Contains(p, "…") {
			if !strings.HasPrefix(p, head) || !strings.HasSuffix(p, tail) {
				t.Fatalf("%q is no cut of %q", short, p)
			}
		}
		for _, l := range wrap(p, 20) {
			if uniseg.StringWidth(l) > 20 {
				t.Fatalf("line of %d columns: %q", uniseg.StringWidth(l), l)
			}
		}
	})
}
