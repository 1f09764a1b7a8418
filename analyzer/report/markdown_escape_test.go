package report

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"the volume is busy, at 10:04:05Z (e3)", "the volume is busy, at 10:04:05Z (e3)"},
		{"ask @oncall now", "ask `@oncall` now"},
		{"see #42 and GH-42", "see `#42` and `GH-42`"},
		{"a <script>alert(1)</script> b", "a `<script>alert(1)</script>` b"},
		{"snake_case *bold* ~x~", "`snake_case *bold* ~x~`"},
		{"`tick` and ``two``", "`` `tick` `` and ``` ``two`` ```"},
		{"go to https://evil.example/x or www.evil.example", "go to `https://evil.example/x` or `www.evil.example`"},
		{"a :tada: b:c:d", "a `:tada: b:c:d`"},
		{"- item", "`-` item"},
		{"1. item", "`1.` item"},
		{"# heading", "`#` heading"},
		{"> quote [x](y) ![i](u)", "`>` quote `[x](y) ![i](u)`"},
		{"line\nbreak", "`line\\nbreak`"},
		{"", ""},
	} {
		if got := prose(c.in); got != c.want {
			t.Errorf("prose(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestFencedCannotBeLeft(t *testing.T) {
	got := fenced([]string{"a", "```` b", "```"})
	if !strings.HasPrefix(got, "`````text\n") || !strings.HasSuffix(got, "\n`````") {
		t.Errorf("fence too short:\n%s", got)
	}
}

func FuzzProse(f *testing.F) {
	for _, s := range []string{"a ` b", "``` #1 @x |", "\\` `", "a|b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, out := range []string{prose(s), cell(s), code(s)} {
			if strings.ContainsAny(out, "\n\r\x1b") {
				t.Fatalf("more than one line: %q", out)
			}
			outside := outsideCode(t, out)
			if strings.ContainsAny(outside, "<>@#*_[]~&$\\`") {
				t.Fatalf("markup outside of code: %q in %q", outside, out)
			}
		}
		for _, out := range []string{cell(s), code(s)} {
			if strings.Count(out, "|") != strings.Count(out, `\|`) {
				t.Fatalf("a bar ends the cell: %q", out)
			}
		}
	})
}

// outsideCode removes code spans as CommonMark reads them: from a run of
// backticks to the next run of the same length.
func outsideCode(t *testing.T, s string) string {
	t.Helper()
	var out strings.Builder
	for s != "" {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			out.WriteString(s)
			break
		}
		out.WriteString(s[:i])
		s = s[i:]
		n := len(s) - len(strings.TrimLeft(s, "`"))
		rest := s[n:]
		end := -1
		for j := 0; j < len(rest); {
			if rest[j] != '`' {
				j++
				continue
			}
			k := j
			for k < len(rest) && rest[k] == '`' {
				k++
			}
			if k-j == n {
				end = k
				break
			}
			j = k
		}
		if end < 0 {
			t.Fatalf("code span never closed: %q", s)
		}
		s = rest[end:]
	}
	return out.String()
}
