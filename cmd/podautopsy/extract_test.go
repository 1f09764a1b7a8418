package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"podautopsy/analyzer"
	"podautopsy/parsers/redact"
)

// noise is a large log of a node that tells nothing of any pod in question.
func noise() string {
	var out strings.Builder
	for i := range 12_000 {
		fmt.Fprintf(&out, "I1130 07:%02d:%02d.%06d    2391 kubelet_getters.go:219] \"Pod status updated\" pod=\"noise/lorem-%d\" status=\"Running\" sum=\"%x\"\n", i/200, i/4%50, i, i%50, i*i*7919)
	}
	return out.String()
}

// A case gives the verdicts of its report, holds no names of the bundle, and is
// small.
func TestExtract(t *testing.T) {
	var lock sync.Mutex
	var ofLarge []float64 // sizes, in percent of the bundle's
	t.Run("bundles", func(t *testing.T) {
		for i, input := range bundlesToRedact(t) {
			t.Run(filepath.Base(filepath.Dir(input)), func(t *testing.T) {
				t.Parallel()
				run := func(args ...string) []byte {
					t.Helper()
					var stdout, stderr bytes.Buffer
					c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
					if code := c.run(context.Background(), args); code != 0 {
						t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
					}
					return stdout.Bytes()
				}
				decode := func(data []byte) *analyzer.Document {
					t.Helper()
					doc := &analyzer.Document{}
					if err := json.Unmarshal(data, doc); err != nil {
						t.Fatal(err)
					}
					return doc
				}
				dir := t.TempDir()
				bundle := filepath.Join(dir, "bundle")
				if err := os.CopyFS(bundle, os.DirFS(input)); err != nil {
					t.Fatal(err)
				}
				if i%2 == 0 {
					if err := os.WriteFile(filepath.Join(bundle, "noise.log"), []byte(noise()), 0o666); err != nil {
						t.Fatal(err)
					}
				}
				size := int64(0)
				if err := filepath.WalkDir(bundle, func(_ string, entry fs.DirEntry, err error) error {
					if info, infoErr := entry.Info(); infoErr == nil && !entry.IsDir() {
						size += info.Size()
					}
					return err
				}); err != nil {
					t.Fatal(err)
				}

				report, out := filepath.Join(dir, "report.json"), filepath.Join(dir, "case.tar.gz")
				run("analyze", bundle, "-o", "json="+report)
				run("extract", report, "--bundle", bundle, "--out", out)
				data, err := os.ReadFile(report)
				if err != nil {
					t.Fatal(err)
				}
				before, after := decode(data), &analyzer.Document{Subjects: []analyzer.Subject{}}
				if len(before.Subjects) > 0 {
					after = decode(run("analyze", out, "-o", "json"))
				}
				conclusions := func(doc *analyzer.Document) []string {
					var out []string
					for i := range doc.Subjects {
						out = append(out, doc.Subjects[i].Kind+": "+verdictOf(&doc.Subjects[i])+" "+strings.Join(doc.Subjects[i].AlsoBlocking, " "))
					}
					slices.Sort(out)
					return out
				}
				if was, is := conclusions(before), conclusions(after); !slices.Equal(was, is) {
					t.Errorf("the case says %q, the bundle %q", is, was)
				}
				mapping, err := os.ReadFile(out + ".map.json")
				if err != nil {
					t.Fatal(err)
				}
				m, err := redact.ReadMapping(mapping)
				if err != nil {
					t.Fatal(err)
				}
				said := strings.ReplaceAll(string(run("analyze", out, "-o", "json")), out, "")
				for _, e := range m.Entries {
					if len(e.Original) >= 8 && strings.Contains(said, e.Original) && e.Class != redact.ID {
						t.Errorf("the case still holds %q", e.Original)
					}
				}
				info, err := os.Stat(out)
				if err != nil {
					t.Fatal(err)
				}
				if size > 1<<20 {
					lock.Lock()
					defer lock.Unlock()
					ofLarge = append(ofLarge, 100*float64(info.Size())/float64(size))
				}
			})
		}
	})
	slices.Sort(ofLarge)
	if len(ofLarge) == 0 {
		t.Fatal("no large bundle was among them")
	}
	if median := ofLarge[len(ofLarge)/2]; median > 2 {
		t.Errorf("the median of the cases of large bundles is %.1f %% of the bundle: %.1f", median, ofLarge)
	}
}
