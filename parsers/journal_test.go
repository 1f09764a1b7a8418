package parsers

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exported is a journal in the export format, written by us.
func exported(t testing.TB, texts ...string) string {
	t.Helper()
	var journals []*Journal
	for _, text := range texts {
		j, err := openJournalData([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		journals = append(journals, j)
	}
	var b []byte
	for e := range MergeJournals(journals) {
		b = e.AppendExport(b)
	}
	return string(b)
}

// withoutCursors leaves out what depends on the version of journalctl.
func withoutCursors(export string) string {
	var kept []string
	for line := range strings.SplitSeq(export, "\n") {
		if !strings.HasPrefix(line, "__CURSOR=") && !strings.HasPrefix(line, "__SEQNUM") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// Every byte of an export is journalctl's.
func TestExportIsJournalctls(t *testing.T) {
	journalctl, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("this machine has no journalctl")
	}
	for name, text := range realJournals(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.journal")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			theirs, err := exec.Command(journalctl, "--file", path, "-o", "export").Output()
			if err != nil {
				t.Fatal(err)
			}
			if len(theirs) == 0 {
				t.Skip("journalctl does not read it")
			}
			if diff := cmp.Diff(withoutCursors(string(theirs)), withoutCursors(exported(t, text))); diff != "" {
				t.Errorf("(-journalctl +ours):\n%.2000s", diff)
			}
		})
	}
}

// What several files hold comes once, in one order.
func TestMergeJournals(t *testing.T) {
	text := unxzJournal(t, "testdata/worker.journal.xz")
	whole := exported(t, text)
	if again := exported(t, text, text, text); again != whole {
		t.Error("copies of a journal are not recognised")
	}
	// A cut file holds the beginning of the same.
	if again := exported(t, text[:len(text)/2&^7], text); again != whole {
		t.Error("the beginning of a journal beside the whole gives more than the whole")
	}
	other := smallJournal(20, true, nil)
	both := exported(t, other, text)
	if n := strings.Count(both, "__CURSOR="); n != strings.Count(whole, "__CURSOR=")+20 {
		t.Errorf("%d entries", n)
	}
	if !strings.HasPrefix(both, exported(t, other)) {
		t.Error("the older journal does not come first")
	}
}

// Of two journald processes in one boot the boot's clock tells the order,
// whatever the wall clock was set to.
func TestMergeByMonotonicClock(t *testing.T) {
	boot := [16]byte{1}
	entry := func(id string, seqnum, realtime, monotonic uint64) *JournalEntry {
		return &JournalEntry{
			Seqnum: seqnum, Realtime: realtime, Monotonic: monotonic, BootID: boot,
			journal: &Journal{file: &journalFile{seqnumID: id}},
		}
	}
	for _, c := range []struct {
		name          string
		first, second *JournalEntry
	}{
		{"one writer: its numbers", entry("a", 1, 900, 900), entry("a", 2, 100, 100)},
		{"one boot: its clock", entry("a", 9, 900, 100), entry("b", 1, 100, 200)},
		{"the same moment: the wall clock", entry("a", 9, 100, 100), entry("b", 1, 200, 100)},
	} {
		if c.first.compare(c.second) >= 0 || c.second.compare(c.first) <= 0 {
			t.Errorf("%s", c.name)
		}
	}
	other := entry("b", 1, 50, 500)
	other.BootID = [16]byte{2}
	if entry("a", 1, 100, 100).compare(other) <= 0 {
		t.Error("different boots: the wall clock")
	}
}

// Of a file that was cut every entry before the cut is read; around a hole
// nearly all.
func TestJournalSurvivors(t *testing.T) {
	text := smallJournal(20000, true, nil)
	if len(text) < 8<<20 {
		text = smallJournal(60000, true, nil)
	}
	hole := []byte(text)
	from := len(hole) / 2 &^ 7
	clear(hole[from : from+1<<20])
	j, err := openJournalData(hole)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	whole, err := openJournalData([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	defer whole.Close()
	lost := float64(1<<20) / float64(len(text))
	if n, least := j.entryCount(), int(float64(whole.entryCount())*(1-lost)*0.95); n < least || !j.isDamaged() {
		t.Errorf("%d of %d entries around a hole of a megabyte in %d bytes, want %d", n, whole.entryCount(), len(text), least)
	}
}

func TestPrintableFields(t *testing.T) {
	for text, want := range map[string]bool{
		"MESSAGE=plain": true, "MESSAGE=tab\tis": true, "MESSAGE=größe 日本": true,
		"MESSAGE=two\nlines": false, "MESSAGE=\x1b[31m": false, "MESSAGE=\xff": false, "MESSAGE=\u0085": false, "MESSAGE=\ufffe": false,
		"MESSAGE=a very long line that ends with a control\x01": false, "MESSAGE=\x7f": false,
	} {
		if got := isPrintableField([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Every byte counts, at every place of a field.
func TestPrintableField(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			field := bytes.Repeat([]byte{'~'}, 20)
			field[at] = byte(c)
			want := c >= ' ' && c < 0x7f || c == '\t'
			if got := isPrintableField(field); got != want {
				t.Errorf("byte %#x at %d: %v", c, at, got)
			}
		}
	}
	if !isPrintableField([]byte("MESSAGE=from here to there is a long way, for größe and 0 < 1")) {
		t.Error("text that is not ASCII")
	}
}
