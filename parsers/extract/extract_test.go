package extract

import (
	"slices"
	"strings"
	"testing"
)

func TestCut(t *testing.T) {
	lines := func(n int) string {
		var out strings.Builder
		for i := range n {
			out.WriteString(strings.Repeat("x", i) + "\n")
		}
		return out.String()
	}
	for name, c := range map[string]struct {
		file  File
		level Level
		want  string
	}{
		"a log": {
			File{Format: "klog", Text: lines(20), Cited: []Range{{10, 10}}},
			Cited,
			"\nx\n" + lines(13)[strings.Index(lines(13), "xxxxxx\n"):] + lines(20)[len(lines(18)):],
		},
		"what speaks of the subject": {
			File{Format: "plain-log", Text: "a\nb\nc\ncart-0\nd\ne\nf\n"}, Mention, "a\nb\ncart-0\ne\nf\n",
		},
		"journal entries whole": {
			File{Format: "journal-export", Text: "A=1\nB=2\n\nA=2\n\nA=3\n\nA=4\n\nA=5\n\nA=6\n\nA=7\n\n"}, Cited, "A=1\nB=2\n\nA=2\n\nA=6\n\nA=7\n\n",
		},
		"objects in yaml": {
			File{Format: "kubernetes-yaml", Text: "kind: List\nitems:\n- kind: A\n  a: 1\n- kind: B\n  a:\n  - 1\n- kind: C\nmetadata: {}\n", Cited: []Range{{7, 7}}},
			Cited,
			"kind: List\nitems:\n- kind: B\n  a:\n  - 1\nmetadata: {}\n",
		},
		"objects in json": {
			File{Format: "kubernetes-json", Text: `{"items":[{"a":"},"},{"b":["cart-0"]},{"c":1}],"kind":"List"}`}, Cited, `{"items":[{"b":["cart-0"]}],"kind":"List"}`,
		},
		"a state":            {File{Format: "ps", Text: "PID\n1\n", Cited: []Range{{2, 2}}}, Cited, "PID\n1\n"},
		"several documents":  {File{Format: "kubernetes-yaml", Text: "items:\n- a\n---\nb: c\n"}, Cited, "items:\n- a\n---\nb: c\n"},
		"json that is cut":   {File{Format: "kubernetes-json", Text: `{"items":[{"a":1},`}, Cited, `{"items":[{"a":1},`},
		"nothing":            {File{Format: "klog", Text: "a\n"}, Nothing, ""},
		"no object is cited": {File{Format: "kubernetes-json", Text: `{"items":[{"a":1},{"a":2}]}`}, Cited, `{"items":[{"a":1}]}`},
	} {
		if got := c.file.Cut(c.level, []string{"cart-0"}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestReduce(t *testing.T) {
	files := []File{
		{Path: "log", Format: "klog", Text: "a\n", Cited: []Range{{1, 1}}},
		{Path: "pods", Format: "kubernetes-yaml", Text: "b"},
		{Path: "ps", Format: "ps", Text: "c"},
		{Path: "other", Text: "d"},
		{Path: "second", Format: "klog", Text: "eeeee"},
	}
	for name, c := range map[string]struct {
		needs Plan
		want  Plan
	}{
		"what is cited":      {Plan{Cited, 0, 0, 0, 0}, Plan{Cited, 0, 0, 0, 0}},
		"an object":          {Plan{Cited, Cited, 0, 0, 0}, Plan{Cited, Cited, 0, 0, 0}},
		"all of a dump":      {Plan{0, Whole, 0, 0, 0}, Plan{Cited, Whole, 0, 0, 0}},
		"mentions elsewhere": {Plan{0, 0, Whole, 0, Mention}, Plan{Cited, 0, Whole, 0, Mention}},
		"what nobody reads":  {Plan{0, 0, 0, Whole, 0}, Plan{Cited, 0, 0, Whole, 0}},
	} {
		got, err := Reduce(files, func(p Plan) (bool, error) {
			for i := range p {
				if p[i] < c.needs[i] {
					return false, nil
				}
			}
			return true, nil
		})
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, c.want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("kind: List\nitems:\n- kind: A\n  a: 1\n- kind: B\nmetadata: {}\n", 3)
	f.Add(`{"items":[{"a":"},"},{"b":["cart-0"]},{"c":1}],"kind":"List"}`, 1)
	f.Add("A=1\nB=2\n\nA=2\n\n", 4)
	f.Fuzz(func(t *testing.T, text string, line int) {
		for _, format := range []string{"klog", "journal-export", "kubernetes-yaml", "kubernetes-json", "ps", ""} {
			file := File{Format: format, Text: text, Cited: []Range{{line, line}}}
			for level := Nothing; level <= Whole; level++ {
				if got := file.Cut(level, []string{"cart-0"}); len(got) > len(text) {
					t.Errorf("%s, level %d: %q became %q", format, level, text, got)
				}
			}
			if isLog(format) && line >= 1 && line <= strings.Count(text, "\n") {
				if cited := strings.Split(text, "\n")[line-1]; !strings.Contains(file.Cut(Cited, nil), cited) {
					t.Errorf("%s lost line %d of %q", format, line, text)
				}
			}
		}
	})
}
