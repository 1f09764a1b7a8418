package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/analyzer"
)

// packed is a file of a bundle.
type packed struct {
	name string
	data []byte
}

func filesOf(t *testing.T, dir string) []packed {
	t.Helper()
	var files []packed
	if err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		files = append(files, packed{filepath.ToSlash(rel), data})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// amongMany is a bundle of which the kubelet's log is too large to be kept.
func amongMany(t *testing.T, files []packed, log string) []packed {
	t.Helper()
	files = slices.Clone(files)
	var before bytes.Buffer
	for i := 0; before.Len() < 17<<20; i++ {
		at := time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC).Add(time.Duration(i) * 50 * time.Millisecond)
		fmt.Fprintf(&before, "%s worker-1 kubelet[161]: %s     161 kubelet.go:2425] \"SyncLoop (PLEG): event for pod\" pod=\"others/bystander-%d\"\n",
			at.Format("2006-01-02T15:04:05-0700"), at.Format("I0102 15:04:05.000000"), i%97)
	}
	i := slices.IndexFunc(files, func(f packed) bool { return f.name == log })
	if i < 0 {
		t.Fatalf("no %s", log)
	}
	files[i].data = append(before.Bytes(), files[i].data...)
	return files
}

// forms write a bundle in every form in which it may come, and return the path
// to give. The times of files and members tell nothing.
var forms = []struct {
	name  string
	write func(t *testing.T, path string, files []packed, stamp time.Time)
}{
	{"bundle", func(t *testing.T, path string, files []packed, stamp time.Time) {
		t.Helper()
		for _, f := range files {
			to := filepath.Join(path, filepath.FromSlash(f.name))
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, f.data, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(to, stamp, stamp); err != nil {
				t.Fatal(err)
			}
		}
	}},
	{"bundle.tar.gz", func(t *testing.T, path string, files []packed, stamp time.Time) {
		t.Helper()
		var out bytes.Buffer
		gz, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		gz.ModTime = stamp
		w := tar.NewWriter(gz)
		for _, f := range files {
			if err := w.WriteHeader(&tar.Header{Name: f.name, Mode: 0o644, Size: int64(len(f.data)), ModTime: stamp}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(f.data); err != nil {
				t.Fatal(err)
			}
		}
		closed(t, path, &out, w, gz)
	}},
	{"bundle.zip", func(t *testing.T, path string, files []packed, stamp time.Time) {
		t.Helper()
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for _, f := range files {
			to, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: stamp})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := to.Write(f.data); err != nil {
				t.Fatal(err)
			}
		}
		closed(t, path, &out, w)
	}},
}

func closed(t *testing.T, path string, out *bytes.Buffer, writers ...interface{ Close() error }) {
	t.Helper()
	for _, w := range writers {
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Each form of a bundle gives the same bytes in every format, by however many
// workers, wherever and whenever; and from form to form, and with the members of
// an archive or the entries of a folder in another order, just the names and
// sums of what held the files differ.
func TestSameBytesFromEveryForm(t *testing.T) {
	const fixtures = "../../fixtures/"
	for _, b := range []struct {
		name  string
		files []packed
	}{
		{"plain", filesOf(t, fixtures+"mount-busy/input")},
		{"binary journal", filesOf(t, fixtures+"runtime-hung/input")},
		{"large log", amongMany(t, filesOf(t, aFixture), "node/journal-kubelet.short-iso.txt")},
	} {
		backwards := slices.Clone(b.files)
		slices.Reverse(backwards)
		var first *analyzer.Document
		var firstName string
		for _, form := range forms {
			for order, files := range map[string][]packed{"in order": b.files, "backwards": backwards} {
				name := b.name + ", " + form.name + ", " + order
				dir := t.TempDir()
				form.write(t, filepath.Join(dir, form.name), files, time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC))
				var want map[string]string
				for _, run := range []struct {
					jobs string
					env  []string
				}{
					{"1", []string{"TZ=UTC", "LANG=C"}},
					{"2", []string{"TZ=Pacific/Kiritimati", "LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "TMPDIR=" + t.TempDir(), "HOME=" + t.TempDir()}},
					{"8", []string{"TZ=America/St_Johns", "LANG=ja_JP.UTF-8", "GOMAXPROCS=3", "GOGC=20", "TMPDIR=/nonexistent"}},
				} {
					if order == "backwards" && run.jobs == "2" {
						continue
					}
					got := written(t, dir, form.name, run.jobs, run.env)
					if want == nil {
						want = got
						continue
					}
					for format := range want {
						if want[format] != got[format] {
							t.Errorf("%s, %s: %s workers with %q give other bytes:\n%s", name, format, run.jobs, run.env, firstDifference(want[format], got[format]))
						}
					}
				}
				doc := unpacked(t, want["json"], form.name+"!")
				if first == nil {
					first, firstName = doc, name
					if skims := slices.ContainsFunc(doc.Bundle.Inputs, func(in analyzer.Input) bool { return in.Skimmed }); skims != (b.name == "large log") {
						t.Errorf("%s: skimmed: %v", name, skims)
					}
				} else if diff := cmp.Diff(first, doc); diff != "" {
					t.Errorf("(-%s +%s)\n%s", firstName, name, diff)
				}
			}
		}
	}
}

// written is what a run writes, by format.
func written(t *testing.T, dir, bundle, jobs string, env []string) map[string]string {
	t.Helper()
	out := t.TempDir()
	args := []string{"analyze", bundle, "--why", "--jobs", jobs}
	formats := []string{"json", "text", "markdown", "html", "csv", "ndjson", "sarif"}
	for _, format := range formats {
		args = append(args, "-o", format+"="+filepath.Join(out, format))
	}
	if _, stderr, code := call(t, func(c *exec.Cmd) { c.Dir, c.Env = dir, append(c.Env, env...) }, args...); code != 0 || stderr != "" {
		t.Fatalf("exit code %d: %s", code, stderr)
	}
	got := map[string]string{}
	for _, format := range formats {
		data, err := os.ReadFile(filepath.Join(out, format))
		if err != nil {
			t.Fatal(err)
		}
		got[format] = string(data)
	}
	return got
}

func firstDifference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return "-" + x[i] + "\n+" + y[i]
		}
	}
	return fmt.Sprintf("%d and %d lines", len(x), len(y))
}

// unpacked is a report without what the form of the bundle may change.
func unpacked(t *testing.T, report, prefix string) *analyzer.Document {
	t.Helper()
	doc := &analyzer.Document{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(report, prefix, "")), doc); err != nil {
		t.Fatal(err)
	}
	doc.ReportID, doc.Bundle.Paths = "", nil
	doc.Bundle.Inputs = slices.DeleteFunc(doc.Bundle.Inputs, func(in analyzer.Input) bool {
		return slices.Contains([]string{"directory", "tar.gz", "zip"}, in.Format)
	})
	slices.SortFunc(doc.Bundle.Inputs, func(a, b analyzer.Input) int { return strings.Compare(a.Path, b.Path) })
	for i := range doc.Bundle.Inputs {
		doc.Bundle.Inputs[i].SHA256 = "" // members have none
		doc.Bundle.Inputs[i].Bytes = 0
	}
	return doc
}
