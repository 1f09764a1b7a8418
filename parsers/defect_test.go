package parsers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// A reader that breaks down costs its file, which is told, and no other.
func TestReaderBreaksDown(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "broken\n", "hostname.txt": "worker-1\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	breaks := Parser{
		Name:  "breaks",
		Sniff: func(f *File) bool { return f.Text == "broken\n" },
		Parse: func(_ *File, b *timeline.Builder) error {
			b.Input.Records++
			var none []string
			b.Input.Node = none[len(b.Input.Path)]
			return nil
		},
	}
	tl, err := Read(context.Background(), []string{dir}, nil, ReadOptions{Parsers: []Parser{breaks, hostnameParser}})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]bool{}
	for _, in := range tl.Inputs {
		for _, g := range in.Gaps {
			told[in.Path] = strings.Contains(g.Detail, Defect)
		}
	}
	if len(tl.Inputs) != 2 || len(told) != 1 || !told["a.txt"] {
		t.Errorf("%d files, told of %v", len(tl.Inputs), told)
	}
}
