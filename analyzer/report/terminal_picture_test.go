package report_test

import (
	"html"
	"os"
	"regexp"
	"strings"
	"testing"
)

// terminalReport is what a terminal of 80 columns shows: the stored rendering
// in colour.
const terminalReport = "testdata/finalizer-held.color.txt"

// terminalColors are those that the report uses, as a dark terminal shows them.
// A terminal's other codes are not wanted here: one that turns up in the report
// fails the test instead of missing from the picture.
var terminalColors = map[string]string{
	"1": "font-weight:bold", "2": "opacity:.6",
	"31": "color:#f47067", "32": "color:#57ab5a", "33": "color:#daaa3f", "34": "color:#6cb6ff", "35": "color:#dcbdfb", "36": "color:#76e3ea",
}

var sgr = regexp.MustCompile("\x1b\\[([0-9;]*)m")

// terminalPage is a page that looks like a terminal with the text in it.
func terminalPage(t *testing.T, text string) []byte {
	t.Helper()
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><title>terminal</title><style>
body{margin:0;background:#1c2128;color:#cdd9e5}
pre{margin:0;padding:16px;width:80ch;white-space:pre-wrap;word-break:break-all;font:14px/1.25 "DejaVu Sans Mono",monospace}
</style><pre>`)
	for text != "" {
		code := sgr.FindStringSubmatchIndex(text)
		if code == nil {
			b.WriteString(html.EscapeString(text))
			break
		}
		b.WriteString(html.EscapeString(text[:code[0]]))
		switch codes := text[code[2]:code[3]]; codes {
		case "", "0":
			b.WriteString("</span>")
		default:
			var style []string
			for c := range strings.SplitSeq(codes, ";") {
				if terminalColors[c] == "" {
					t.Fatalf("the report has the code %q, which terminalColors does not know", c)
				}
				style = append(style, terminalColors[c])
			}
			b.WriteString(`<span style="` + strings.Join(style, ";") + `">`)
		}
		text = text[code[1]:]
	}
	b.WriteString("</pre>")
	return []byte(b.String())
}

// The picture of a terminal shows all of the report, and its colours.
func TestTerminalPage(t *testing.T) {
	data, err := os.ReadFile(terminalReport)
	if err != nil {
		t.Fatal(err)
	}
	page := string(terminalPage(t, string(data)))
	_, pre, _ := strings.Cut(page, "<pre>")
	shown := html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(pre, ""))
	if want := sgr.ReplaceAllString(string(data), ""); shown != want {
		t.Errorf("the page says something else than the report:\n%s", shown)
	}
	if !strings.Contains(page, terminalColors["31"]) || strings.Count(page, "<span") != strings.Count(page, "</span>") {
		t.Error("colours are missing, or do not end")
	}
}
