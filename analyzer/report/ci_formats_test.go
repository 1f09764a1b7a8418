package report_test

import (
	"bytes"
	"encoding/xml"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func TestSARIFFollowsItsSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("testdata/schemas/sarif.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range reports(t) {
		out := render(t, func(b *bytes.Buffer) error { return report.SARIF(b, doc, report.Options{}) })
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// One test for each subject, failed where something is stuck or left behind.
func TestJUnitCountsOutcomes(t *testing.T) {
	for name, doc := range reports(t) {
		var got struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Skipped  int `xml:"skipped,attr"`
			Cases    []struct {
				Name    string    `xml:"name,attr"`
				Failure *struct{} `xml:"failure"`
				Skipped *struct{} `xml:"skipped"`
			} `xml:"testsuite>testcase"`
		}
		out := render(t, func(b *bytes.Buffer) error { return report.JUnit(b, doc, report.Options{}) })
		if err := xml.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		failures, skipped := 0, 0
		for i, s := range doc.Subjects {
			failed := s.Outcome == analyzer.Stuck || s.Outcome == analyzer.Residue
			if failed {
				failures++
			}
			if s.Outcome == analyzer.Inconclusive {
				skipped++
			}
			if c := got.Cases[i]; (c.Failure != nil) != failed || (c.Skipped != nil) != (s.Outcome == analyzer.Inconclusive) {
				t.Errorf("%s: %s is %s: %+v", name, c.Name, s.Outcome, c)
			}
		}
		if got.Tests != len(doc.Subjects) || got.Failures != failures || got.Skipped != skipped {
			t.Errorf("%s: %d tests, %d failures, %d skipped of %d subjects", name, got.Tests, got.Failures, got.Skipped, len(doc.Subjects))
		}
	}
}

func TestGoldenCIFormats(t *testing.T) {
	for name, doc := range documents(t) {
		golden(t, filepath.Join("testdata", "exports", name+".junit.xml"), render(t, func(b *bytes.Buffer) error { return report.JUnit(b, doc, report.Options{}) }))
		golden(t, filepath.Join("testdata", "exports", name+".sarif.json"), render(t, func(b *bytes.Buffer) error { return report.SARIF(b, doc, report.Options{}) }))
	}
}
