package parsers

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// collection is what collect node leaves, with its lists of checksums.
func collection() map[string]string {
	files := map[string]string{
		"nodes/worker-1/hostname.txt":   "worker-1\n",
		"nodes/worker-1/date.txt":       "2026-11-30T09:00:00Z\n",
		"nodes/worker-1/crictl/ps.json": `{"containers":[]}` + "\n",
		"nodes/worker-1/ps.txt.stderr":  "error: unknown option\n",
		"nodes/worker-1/net/netns.txt":  "",
		"nodes/worker-1/ctr/tasks.txt":  "TASK    PID    STATUS\n",
	}
	var commands, sums strings.Builder
	commands.WriteString(commandsHeading + "\n")
	for _, name := range slices.Sorted(maps.Keys(files)) {
		status := 0
		if strings.Contains(name, "ctr/") {
			status = timedOutStatus
		}
		if !strings.HasSuffix(name, ".stderr") {
			fmt.Fprintf(&commands, "2026-11-30T09:00:00Z\t2026-11-30T09:00:01Z\t%d\t%s\t%s\tcat x\n", status, name, sha256Hex([]byte(files[name])))
		}
	}
	files["commands.tsv"] = commands.String()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%s  ./%s\n", sha256Hex([]byte(files[name])), name)
	}
	files["SHA256SUMS"] = sums.String()
	return files
}

// aboutChecksums are the gaps of each file that speak of the collection.
func aboutChecksums(t *testing.T, from string) map[string]string {
	t.Helper()
	tl, err := Read(context.Background(), []string{from}, nil, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, in := range tl.Inputs {
		for _, g := range in.Gaps {
			if strings.Contains(g.Detail, "collected") || strings.Contains(g.Detail, "collection") {
				file := in.Path[strings.Index(in.Path, "!")+1:]
				told[strings.TrimPrefix(file, "c/")] += fmt.Sprintf("%s:%d %s", g.Kind, g.Source.Line, g.Detail)
			}
		}
	}
	return told
}

func TestChecksums(t *testing.T) {
	const host = "nodes/worker-1/hostname.txt"
	other := func(is, at string) string {
		return "truncated:0 not as it was collected, something may be missing or changed: its sha256 is " + sha256Hex([]byte(is)) + ", in " + at + " it is " + sha256Hex([]byte("worker-1\n"))
	}
	for name, c := range map[string]struct {
		change func(files map[string]string)
		want   map[string]string
	}{
		"as collected": {func(map[string]string) {}, map[string]string{}},
		"changed": {func(files map[string]string) { files[host] = "worker-2\n" }, map[string]string{
			host: other("worker-2\n", "SHA256SUMS:5"),
		}},
		"emptied": {func(files map[string]string) { files[host] = "" }, map[string]string{host: other("", "SHA256SUMS:5")}},
		"gone": {func(files map[string]string) { delete(files, "nodes/worker-1/crictl/ps.json") }, map[string]string{
			"SHA256SUMS": "unreadable:2 nodes/worker-1/crictl/ps.json was collected and is not there",
		}},
		"added": {func(files map[string]string) { files["nodes/worker-1/df.txt"] = "Filesystem 1024-blocks\n" }, map[string]string{
			"nodes/worker-1/df.txt": "not-understood:0 not of this collection: SHA256SUMS does not list it",
		}},
		"changed, and SHA256SUMS made anew": {func(files map[string]string) {
			files[host] = "worker-2\n"
			files["SHA256SUMS"] = strings.Replace(files["SHA256SUMS"], sha256Hex([]byte("worker-1\n")), sha256Hex([]byte("worker-2\n")), 1)
		}, map[string]string{host: other("worker-2\n", "commands.tsv:5")}},
		"interrupted before SHA256SUMS": {func(files map[string]string) {
			delete(files, "SHA256SUMS")
			files[host] = "worker-2\n"
			delete(files, "nodes/worker-1/date.txt")
		}, map[string]string{
			"commands.tsv": "unreadable:4 nodes/worker-1/date.txt was collected and is not there",
			host:           other("worker-2\n", "commands.tsv:5"),
		}},
		"written to after its time limit": {func(files map[string]string) {
			delete(files, "SHA256SUMS")
			files["nodes/worker-1/ctr/tasks.txt"] += "late\n"
		}, map[string]string{}},
		"the list is cut": {func(files map[string]string) { files["SHA256SUMS"] = files["SHA256SUMS"][:300] }, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			files := collection()
			c.change(files)
			dir := t.TempDir()
			var packed bytes.Buffer
			w := tar.NewWriter(&packed)
			for _, name := range slices.Sorted(maps.Keys(files)) {
				path := filepath.Join(dir, "c", filepath.FromSlash(name))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(files[name]), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := w.WriteHeader(&tar.Header{Name: "c/" + name, Mode: 0o600, Size: int64(len(files[name]))}); err != nil {
					t.Fatal(err)
				}
				if _, err := w.Write([]byte(files[name])); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			archive := filepath.Join(dir, "c.tar")
			if err := os.WriteFile(archive, packed.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{filepath.Join(dir, "c"), archive} {
				if diff := cmp.Diff(c.want, aboutChecksums(t, from)); diff != "" {
					t.Errorf("%s: -want +got:\n%s", filepath.Base(from), diff)
				}
			}
		})
	}
}

// Of a list without end the first files are told, and how many more there are.
func TestChecksumsOfManyAbsentFiles(t *testing.T) {
	bundles := recognise([]string{"commands.tsv", "SHA256SUMS", "cluster/date.txt"})
	var sums strings.Builder
	for n := range 10_000 {
		fmt.Fprintf(&sums, "%064x  ./cluster/%d.json\n", n, n)
	}
	list := &Member{Path: "SHA256SUMS", Data: []byte(sums.String())}
	bundles.readChecksums(list)
	bundles.missesFiles([]string{"SHA256SUMS"})
	if gaps := bundles.compare(list); len(gaps) != mostAbsent+1 || gaps[mostAbsent].Detail != "9950 more files were collected and are not there" {
		t.Errorf("%d gaps, the last: %s", len(gaps), gaps[len(gaps)-1].Detail)
	}
}

// A copy has the checksums only of what was no longer as collected.
func TestWithoutChecksums(t *testing.T) {
	files := collection()
	is := map[string]string{}
	for name, text := range files {
		is["c/"+name] = sha256Hex([]byte(text))
	}
	is["c/nodes/worker-1/hostname.txt"] = strings.Repeat("0", 2*sha256.Size)
	delete(is, "c/nodes/worker-1/date.txt")
	var kept []string
	for _, n := range checksumsIn("", "commands.tsv", []byte(WithoutChecksums("c/commands.tsv", files["commands.tsv"], is))) {
		kept = append(kept, n.path)
	}
	if diff := cmp.Diff([]string{"nodes/worker-1/date.txt", "nodes/worker-1/hostname.txt"}, kept); diff != "" {
		t.Error(diff)
	}
}

func FuzzChecksums(f *testing.F) {
	files := collection()
	f.Add(files["SHA256SUMS"], files["commands.tsv"])
	f.Fuzz(func(t *testing.T, sums, commands string) {
		for list, text := range map[string]string{"x/SHA256SUMS": sums, "x/commands.tsv": commands} {
			for _, n := range checksumsIn("x/", list, []byte(text)) {
				if !isSHA256(n.sha256) || !strings.HasPrefix(n.path, "x/") || n.line < 1 || n.line > strings.Count(text, "\n")+1 {
					t.Errorf("%+v", n)
				}
			}
		}
		if got := WithoutChecksums("x/commands.tsv", commands, nil); strings.Count(got, "\n") != strings.Count(commands, "\n") {
			t.Errorf("%q became %q", commands, got)
		}
	})
}
