package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page's own style, script and template
	"encoding/base64"
	"fmt"
	"html/template"
	"io"

	"podautopsy/analyzer"
)

// htmlBytes is what a ticket takes as an attachment and a phone still opens.
const htmlBytes = 1_500_000

// htmlAmount is how much of everything one page shows. Nothing is unbounded:
// a report may be converted from a file that somebody else wrote.
type htmlAmount struct {
	subjects int // in full; the others are in the overview
	overview int // rows
	events   int // on all timelines together
	quote    int // characters of a line in the list of events
	list     int // of anything else
	words    int // characters of one text
}

// htmlAmounts are tried in turn until the page is small enough.
var htmlAmounts = []htmlAmount{
	{40, 500, 2000, 400, 200, 2000},
	{20, 300, 2000, 200, 100, 1200},
	{8, 200, 2000, 120, 60, 800},
	{4, 100, 2000, 0, 40, 400},
	{4, 100, 1000, 0, 40, 300},
	{2, 50, 300, 0, 15, 200},
	{1, 20, 50, 0, 6, 120},
}

var (
	//go:embed html/report.css
	htmlStyle string
	//go:embed html/report.js
	htmlScript string
	//go:embed html/report.html.tmpl
	htmlSource string

	htmlTemplate = template.Must(template.New("report").Parse(htmlSource))
)

// HTML writes the report as one file that needs nothing else: no network, no
// script for anything but comfort. Its policy lets the browser run and style
// with what is in this package, and load nothing.
func HTML(w io.Writer, doc *analyzer.Document, opt Options) error {
	opt.Why = true // there is room for everything
	v := newView(doc, opt)
	var b bytes.Buffer
	for _, a := range htmlAmounts {
		b.Reset()
		if err := htmlTemplate.Execute(&b, newHTMLPage(v, a)); err != nil {
			return fmt.Errorf("rendering the report: %w", err)
		}
		if b.Len() <= htmlBytes {
			break
		}
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// policy is the page's Content-Security-Policy. The icon is a data URL.
func policy() string {
	return "default-src 'none'; style-src '" + digest(htmlStyle) + "'; script-src '" + digest(htmlScript) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
