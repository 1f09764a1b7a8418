package parsers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"

	"podautopsy/timeline"
)

// collector keeps what a scan shows.
type collector struct{ lines, messages []string }

func (c *collector) Lines(text []byte) {
	c.lines = append(c.lines, strings.SplitAfter(string(text), "\n")...)
}
func (c *collector) Message(text []byte) { c.messages = append(c.messages, string(text)) }

// Every line of every text and every message of every journal is shown once,
// whole, to any number of scanners.
func TestScan(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var long strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&long, "line %d of a log that is longer than a block\n", i)
	}
	text := long.String() + "no end"
	write("long.log", []byte(text))
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	if _, err := gz.Write([]byte("packed\nlines\n")); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	write("other.log.gz", packed.Bytes())
	write("utf16.log", []byte("\xff\xfew\x00i\x00d\x00e\x00\n\x00"))
	write("core", []byte("\x7fELF\x00\x01\x02\x03\x00\x00\x00"))
	journal := smallJournal(300, true, nil)
	write("system.journal", []byte(journal))
	write("cut.journal", []byte(journal[:len(journal)/2]))

	b := timeline.NewBuilder("x")
	for _, text := range []string{journal, journal[:len(journal)/2]} {
		if err := journalBinaryParser.Parse(&File{Path: "x", Text: text}, b); err != nil {
			t.Fatal(err)
		}
	}
	var messages []string
	for _, e := range b.Events {
		messages = append(messages, e.Text)
	}
	slices.Sort(messages)
	lines := append(strings.SplitAfter(text, "\n"), "packed\n", "lines\n", "wide\n")
	slices.Sort(lines)

	for _, workers := range []int{1, 3} {
		var scanners []Scanner
		for range workers {
			scanners = append(scanners, new(collector))
		}
		gaps, err := Scan(context.Background(), []string{dir}, nil, Limits{}, scanners)
		if err != nil {
			t.Fatal(err)
		}
		if len(gaps) != 1 || gaps[0].Source.File != "cut.journal" {
			t.Errorf("gaps: %v", gaps)
		}
		var all collector
		for _, s := range scanners {
			all.lines = append(all.lines, s.(*collector).lines...)
			all.messages = append(all.messages, s.(*collector).messages...)
		}
		all.lines = slices.DeleteFunc(all.lines, func(l string) bool { return l == "" })
		slices.Sort(all.lines)
		slices.Sort(all.messages)
		if diff := cmp.Diff(lines, all.lines); diff != "" {
			t.Errorf("%d scanners: lines (-want +got):\n%.1000s", workers, diff)
		}
		if diff := cmp.Diff(messages, all.messages); diff != "" {
			t.Errorf("%d scanners: messages (-want +got):\n%.1000s", workers, diff)
		}
	}
}

// What is beyond a limit is not shown, and that is said.
func TestScanLimits(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.log"), []byte(strings.Repeat("0123456789abcde\n", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	c := new(collector)
	gaps, err := Scan(context.Background(), []string{dir}, nil, Limits{MaxFileBytes: 160}, []Scanner{c})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(slices.DeleteFunc(c.lines, func(l string) bool { return l == "" })); n != 10 || len(gaps) != 1 {
		t.Errorf("%d lines, gaps %v", n, gaps)
	}
	if _, err := Scan(context.Background(), []string{t.TempDir()}, nil, Limits{}, []Scanner{c}); err == nil {
		t.Error("an empty folder is no error")
	}
}
