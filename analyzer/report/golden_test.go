package report_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares with a stored file, which -update rewrites.
func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: golden files are reviewed")
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-stored +now):\n%s", path, diff)
	}
}

func documents(t *testing.T) map[string]*analyzer.Document {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	docs := map[string]*analyzer.Document{}
	for _, p := range paths {
		docs[strings.TrimSuffix(filepath.Base(p), ".json")] = document(t, p)
	}
	return docs
}

func document(t *testing.T, path string) *analyzer.Document {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	doc := &analyzer.Document{}
	if err := dec.Decode(doc); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return doc
}

func render(t *testing.T, f func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, doc := range documents(t) {
		for _, c := range []struct {
			ext    string
			format func(*bytes.Buffer) error
		}{
			{".txt", func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{}) }},
			{".why.txt", func(b *bytes.Buffer) error {
				return report.Text(b, doc, report.Options{Why: true, ASCII: true, Width: 100})
			}},
			{".color.txt", func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{Color: true}) }},
			{".md", func(b *bytes.Buffer) error { return report.Markdown(b, doc, report.Options{}) }},
			{".timeline.txt", func(b *bytes.Buffer) error { return report.TimelineText(b, doc, report.Options{}) }},
			{".timeline.md", func(b *bytes.Buffer) error { return report.TimelineMarkdown(b, doc, report.Options{}) }},
			{".timeline.csv", func(b *bytes.Buffer) error { return report.TimelineCSV(b, doc, report.Options{}) }},
			{".inventory.txt", func(b *bytes.Buffer) error { return report.InventoryText(b, doc, report.Options{}) }},
			{".inventory.md", func(b *bytes.Buffer) error { return report.InventoryMarkdown(b, doc, report.Options{}) }},
		} {
			t.Run(name+c.ext, func(t *testing.T) {
				golden(t, filepath.Join("testdata", name+c.ext), render(t, c.format))
			})
		}
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for name, doc := range documents(t) {
		t.Run(name, func(t *testing.T) {
			golden(t, filepath.Join("testdata", name+".json"), render(t, func(b *bytes.Buffer) error {
				return report.JSON(b, doc, report.Options{})
			}))
		})
	}
}
