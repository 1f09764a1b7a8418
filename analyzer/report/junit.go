package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"podautopsy/analyzer"
)

type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure,omitempty"`
		Skipped *junitMessage `xml:"skipped,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",cdata"`
	}
)

// JUnit writes a test for each subject: what is stuck or left behind has
// failed, what the evidence does not decide is skipped.
func JUnit(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	suite := junitSuite{Name: "deletions", Properties: []junitProperty{
		{"report", printable(doc.ReportID)},
		{"tool", printable(doc.Tool.Name + " " + doc.Tool.Version)},
		{"headline", clip(doc.Summary.Headline, enough)},
	}}
	if r := redacted(doc); r != "" {
		suite.Properties = append(suite.Properties, junitProperty{"redaction", r})
	}
	if doc.Bundle.CapturedAt != nil {
		suite.Timestamp = doc.Bundle.CapturedAt.UTC().Format("2006-01-02T15:04:05")
	}
	for _, s := range v.ranked {
		c := junitCase{Class: clip(s.Kind, enough), Name: name(s), Time: "0"}
		switch s.Outcome {
		case analyzer.Stuck, analyzer.Residue:
			suite.Failures++
			c.Failure = &junitMessage{Message: v.oneLine(s), Type: printable(value(s.Cause)), Text: "\n" + v.inBrief(s)}
		case analyzer.Inconclusive:
			suite.Skipped++
			c.Skipped = &junitMessage{Message: v.oneLine(s)}
		}
		suite.Cases = append(suite.Cases, c)
	}
	suite.Tests = len(suite.Cases)
	out, err := xml.MarshalIndent(junitSuites{
		Name: "podautopsy", Tests: suite.Tests, Failures: suite.Failures, Skipped: suite.Skipped, Suite: suite,
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	if _, err := io.WriteString(w, xml.Header+string(out)+"\n"); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// oneLine is a verdict in a sentence.
func (v *view) oneLine(s *analyzer.Subject) string {
	l := clip(s.Outcome, enough)
	if title := causeTitle(s); title != "" {
		l += ": " + clip(title, enough)
	}
	return l + " (confidence " + clip(s.Confidence, enough) + "): " + clip(because(s), enough)
}

// inBrief is a verdict in a few lines: what holds it, what proves that, whether
// to force, and the safe way out.
func (v *view) inBrief(s *analyzer.Subject) string {
	const proofs = 5
	var b strings.Builder
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s: %s\n", label, clip(text, enough))
		}
	}
	for _, f := range facts(s, v.opt.clock(nil)) {
		line(f.label, f.text)
	}
	line("blocked at", strings.Join(heldAt(s, bar(s)), ", "))
	if s.ForceDelete.Because != "" || s.ForceDelete.Safe != nil {
		answer, because := forceAnswer(s)
		line("force delete now", answer+": "+because)
	}
	for i, r := range s.Remediation[:min(len(s.Remediation), mostRows)] {
		line(fmt.Sprintf("%d. %s", i+1, tag(s, r)), r.Step)
		if r.Precondition != "" {
			line("   first", r.Precondition)
		}
		if r.Command != "" && len(r.Command) <= enough {
			fmt.Fprintf(&b, "   $ %s\n", printable(r.Command))
		}
	}
	shown, _ := v.shownEvidence(s, proofs)
	for _, e := range shown {
		line(clip(e.ID, enough)+" "+clip(place(e), enough), message(e))
	}
	return b.String()
}
