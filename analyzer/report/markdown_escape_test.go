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

func TestTextOfTargets(t *testing.T) {
	for _, c := range []struct {
		m        markup
		in, want string
	}{
		{jira{}, "ask [~admin] about JIRA-123", `ask \[\~admin\] about JIRA\-123`},
		{jira{}, "web-0 is at 10:04:05, see https://a.example", "web-0 is at 10:04:05, see https&#58;//a.example"},
		{jira{}, `a\b -- {code} :) AT&T`, `a&#92;b \-\- \{code\} &#58;\) AT&amp;T`},
		{jira{}, "bq. h1. h1.", "bq&#46; h1. h1."},
		{jira{}, "h1. title", "h1&#46; title"},
		{slack{}, "wake <!channel> or @here", "wake `&lt;!channel&gt;` or `@here`"},
		{slack{}, "a `b` evil.example & c", "a `'b' evil.example &amp;` c"},
		{servicenow{}, "x [code]<b>y</b>[/CODE] @[1:Bob]", "x [ code]<b>y</b>[ /CODE] @ [1:Bob]"},
		{plain{}, "a\x1b[31m b\u202e", `a\x1b[31m b\u202e`},
	} {
		if got := c.m.text(c.in); got != c.want {
			t.Errorf("%T: %q gives %q, want %q", c.m, c.in, got, c.want)
		}
	}
}

func TestCommandsAreShownAsTheyAreOrNotAtAll(t *testing.T) {
	for _, c := range []struct {
		m    markup
		in   string
		want bool
	}{
		{gfm{}, "echo ```` `date`", true},
		{jira{}, "kubectl get pods -A | grep {x}", true},
		{jira{}, "echo {NoFormat} h1. x", false},
		{slack{}, "a && b <c>", true},
		{slack{}, "echo `date`", false},
		{servicenow{}, "test [ -e x ] && rm x", true},
		{servicenow{}, "echo [/code]", false},
		{plain{width: 20}, "a very long command that nobody may break", true},
	} {
		got := c.m.command([]string{c.in})
		if _, ok := c.m.(slack); ok {
			got = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(got)
		}
		if shown := strings.Contains(got, c.in); shown != c.want || !c.want && got != "" {
			t.Errorf("%T: %q gives %q", c.m, c.in, got)
		}
	}
}

func FuzzTextOfTargets(f *testing.F) {
	for _, s := range []string{"a ` b", "[~u] {x} \\{ -- A-1 @x", "<!here> & b", "[code] [/code @[ @@[", "[[code", ":) ;)", "{noformat}{noformat"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, m := range []markup{gfm{}, jira{}, slack{}, servicenow{}, plain{}} {
			for _, out := range []string{m.text(s), m.name(s), m.quotes([]string{printable(s)})} {
				if strings.ContainsAny(out, "\r\x1b\u202e\u200b") {
					t.Fatalf("%T: %q", m, out)
				}
			}
			if strings.Contains(m.text(s)+m.name(s), "\n") {
				t.Fatalf("%T: more than one line: %q", m, s)
			}
		}
		out := (jira{}).text(s)
		for i := range len(out) {
			if strings.IndexByte(jiraEscapes, out[i]) >= 0 && (i == 0 || out[i-1] != '\\') && !strings.HasPrefix(out[max(0, i-1):], "&#") {
				t.Fatalf("jira: %q is not escaped in %q", out[i], out)
			}
		}
		if strings.Contains(out, "://") || strings.Contains(strings.ReplaceAll(out, `\\`, ""), `\\ `) {
			t.Fatalf("jira: %q", out)
		}
		if out := (jira{}).quotes([]string{printable(s)}); strings.Count(strings.ToLower(out), "{noformat") != 2 {
			t.Fatalf("jira: %q", out)
		}
		if out := (slack{}).text(s); strings.ContainsAny(out, "<>") || strings.ContainsAny(outsideCode(t, out), "@#*_~`") {
			t.Fatalf("slack: %q", out)
		}
		if out := (slack{}).quotes([]string{printable(s)}); strings.Count(out, "`") != 6 {
			t.Fatalf("slack: %q", out)
		}
		if out := strings.ToLower((servicenow{}).text(s)); strings.Contains(out, "[code") || strings.Contains(out, "[/code") || strings.Contains(out, "@[") {
			t.Fatalf("servicenow: %q", out)
		}
	})
}
