package report_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// Both the official schema, and what the text of the standard demands.
func TestSARIFFollowsItsSchema(t *testing.T) {
	for _, name := range []string{"sarif-schema-2.1.0.json", "sarif.schema.json"} {
		t.Run(name, func(t *testing.T) { followSARIF(t, "testdata/schemas/"+name) })
	}
}

func followSARIF(t *testing.T, path string) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile(path)
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

// JUnit's XML has no official schema. What is written is what Jenkins, GitLab
// and GitHub's actions read: these elements, in this order, with these
// attributes.
func TestJUnitHoldsWhatItsReadersKnow(t *testing.T) {
	known := map[string][]string{
		"testsuites": {"name", "tests", "failures", "skipped"}, "testsuite": {"name", "tests", "failures", "errors", "skipped", "timestamp"},
		"properties": {}, "property": {"name", "value"}, "testcase": {"classname", "name", "time"}, "failure": {"message", "type"}, "skipped": {"message", "type"},
	}
	inside := map[string]string{
		"testsuites": "", "testsuite": "testsuites", "properties": "testsuite", "property": "properties", "testcase": "testsuite", "failure": "testcase", "skipped": "testcase",
	}
	for name, doc := range reports(t) {
		dec := xml.NewDecoder(bytes.NewReader(render(t, func(b *bytes.Buffer) error { return report.JUnit(b, doc, report.Options{}) })))
		open := []string{""}
		tested := false
		for {
			token, err := dec.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				attributes, ok := known[e.Name.Local]
				if parent := open[len(open)-1]; !ok || inside[e.Name.Local] != parent {
					t.Errorf("%s: <%s> in <%s>", name, e.Name.Local, parent)
				}
				if tested = tested || e.Name.Local == "testcase"; tested && e.Name.Local == "properties" {
					t.Errorf("%s: properties behind the tests", name)
				}
				for _, a := range e.Attr {
					if !slices.Contains(attributes, a.Name.Local) {
						t.Errorf("%s: <%s %s>", name, e.Name.Local, a.Name.Local)
					}
				}
				open = append(open, e.Name.Local)
			case xml.EndElement:
				open = open[:len(open)-1]
			}
		}
	}
}

func TestGoldenCIFormats(t *testing.T) {
	for name, doc := range documents(t) {
		golden(t, filepath.Join("testdata", "exports", name+".junit.xml"), render(t, func(b *bytes.Buffer) error { return report.JUnit(b, doc, report.Options{}) }))
		golden(t, filepath.Join("testdata", "exports", name+".sarif.json"), render(t, func(b *bytes.Buffer) error { return report.SARIF(b, doc, report.Options{}) }))
	}
}
