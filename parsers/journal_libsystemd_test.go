//go:build sdjournal && linux && cgo

package parsers

import (
	"strings"
	"testing"

	"github.com/coreos/go-systemd/v22/sdjournal"
	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

// libsystemdEntry is one entry as either reader tells it.
type libsystemdEntry struct {
	Cursor              string
	Realtime, Monotonic uint64
	Fields              map[string][]string
}

// On every readable journal systemd's own library and our reader give the same
// entries, fields and cursors, in the same order.
func TestLibsystemdAgrees(t *testing.T) {
	for name, text := range journalsForLibsystemd(t) {
		t.Run(name, func(t *testing.T) {
			var theirs []libsystemdEntry
			err := eachLibsystemdEntry([]byte(text), func(e *sdjournal.JournalEntry) {
				entry := libsystemdEntry{e.Cursor, e.RealtimeTimestamp, e.MonotonicTimestamp, map[string][]string{}}
				for name, value := range e.Fields {
					entry.Fields[name] = []string{value}
				}
				theirs = append(theirs, entry)
			})
			if err != nil {
				t.Fatal(err)
			}
			j, err := openJournalData([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			defer j.Close()
			i := 0
			for e := range j.Entries() {
				if i == len(theirs) {
					t.Fatalf("libsystemd reads %d entries, we read more", i)
				}
				ours := libsystemdEntry{e.Cursor(), e.Realtime, e.Monotonic, map[string][]string{}}
				for field := range e.Fields() {
					name, value, _ := strings.Cut(string(field), "=")
					// Of several fields of one name GetEntry keeps one.
					if kept := theirs[i].Fields[name]; len(kept) == 1 && kept[0] == value {
						ours.Fields[name] = kept
					} else if ours.Fields[name] == nil {
						ours.Fields[name] = []string{value}
					}
				}
				if diff := cmp.Diff(theirs[i], ours); diff != "" {
					t.Fatalf("entry %d (-libsystemd +ours):\n%s", i, diff)
				}
				i++
			}
			if i != len(theirs) {
				t.Errorf("libsystemd reads %d entries, we read %d", len(theirs), i)
			}
		})
	}
}

// The two parsers make the same events.
func TestLibsystemdParser(t *testing.T) {
	text := unxzJournal(t, "testdata/worker.journal.xz")
	records := map[string][]journalRecord{}
	for name, p := range map[string]Parser{"ours": journalBinaryParser, "libsystemd": LibsystemdJournal()} {
		b := timeline.NewBuilder("worker.journal")
		if err := p.Parse(&File{Path: "worker.journal", Text: text}, b); err != nil {
			t.Fatal(err)
		}
		records[name] = journalRecords(b)
	}
	if diff := cmp.Diff(records["libsystemd"], records["ours"]); diff != "" {
		t.Errorf("(-libsystemd +ours):\n%s", diff)
	}
}

func journalsForLibsystemd(t *testing.T) map[string]string {
	t.Helper()
	journals := realJournals(t)
	for _, layout := range journalLayouts {
		if layout.pack == nil { // what this machine's library can unpack is not known
			journals["written/"+layout.name] = smallJournal(200, layout.compact, layout.pack)
		}
	}
	return journals
}
