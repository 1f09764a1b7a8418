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

// bundleToExtract is a bundle, or one that is made large with a log that tells
// nothing.
type bundleToExtract struct {
	path   string
	padded bool
}

// bundlesToExtract are those to redact; some of them padded; and the large real
// ones beside the repository, of which a few unless all are asked for.
func bundlesToExtract(t *testing.T) []bundleToExtract {
	t.Helper()
	var all []bundleToExtract
	for i, path := range bundlesToRedact(t) {
		all = append(all, bundleToExtract{path, false})
		if i%4 == 0 {
			all = append(all, bundleToExtract{path, true})
		}
	}
	large := []string{"lab/containerd-stopped--A-stopped/input", "lab-bundles/cni-*/cluster-info-dump-json", "lab-bundles/cni-*/sosreport-worker-3-*.tar.xz"}
	if os.Getenv("ROBUSTNESS") == "full" {
		large = []string{"lab-bundles/*/cluster-info-dump-*", "lab-bundles/*/*.tar.[gx]z", "lab-bundles/*"}
	}
	for _, pattern := range large {
		found, err := filepath.Glob(filepath.Join("../../../shared", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if filepath.Ext(path) != ".md" {
				all = append(all, bundleToExtract{path, false})
			}
		}
	}
	return all
}

// A case gives the verdicts of its report, holds no names of the bundle, and is
// small.
func TestExtract(t *testing.T) {
	var lock sync.Mutex
	large := map[bool][]float64{} // sizes of cases, in percent of a bundle's of over a megabyte; those padded for themselves
	t.Run("bundles", func(t *testing.T) {
		for _, b := range bundlesToExtract(t) {
			name := filepath.Base(filepath.Dir(b.path)) + "/" + filepath.Base(b.path)
			if b.padded {
				name += "/padded"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				of, to := extractOne(t, b)
				if of > 1_000_000 {
					lock.Lock()
					defer lock.Unlock()
					large[b.padded] = append(large[b.padded], 100*float64(to)/float64(of))
				}
			})
		}
	})
	for padded, sizes := range large {
		slices.Sort(sizes)
		n := len(sizes)
		median := (sizes[(n-1)/2] + sizes[n/2]) / 2
		t.Logf("%d bundles of over 1 MB (padded: %v): the median of their cases is %.2f %% of the bundle: %.2f", n, padded, median, sizes)
		if median > 2 {
			t.Errorf("the median of the cases of large bundles is %.2f %% of the bundle: %.2f", median, sizes)
		}
	}
	if len(large[false]) == 0 {
		t.Log("no large captures beside the repository: only padded ones were measured")
	}
}

// extractOne extracts the case of a bundle, looks at it, and returns the sizes
// of both.
func extractOne(t *testing.T, b bundleToExtract) (of, to int64) {
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
	dir, bundle := t.TempDir(), b.path
	if b.padded {
		bundle = filepath.Join(dir, "bundle")
		if err := os.CopyFS(bundle, os.DirFS(b.path)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(bundle, "noise.log"), []byte(noise()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := filepath.WalkDir(bundle, func(_ string, entry fs.DirEntry, err error) error {
		if info, infoErr := entry.Info(); infoErr == nil && !entry.IsDir() {
			of += info.Size()
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
		left := said
		if e.Class == redact.Namespace { // of a project that is also in the keys of its labels, which stay
			left = strings.ReplaceAll(said, e.Original+".io/", "")
		}
		if len(e.Original) >= 8 && strings.Contains(left, e.Original) && e.Class != redact.ID {
			t.Errorf("the case still holds %q", e.Original)
		}
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	return of, info.Size()
}
