//go:build sdjournal && linux && cgo

package parsers

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/coreos/go-systemd/v22/sdjournal"

	"podautopsy/timeline"
)

// LibsystemdJournal reads journal files with systemd's own library, which must
// be on the machine. It refuses damaged files that journalBinaryParser reads, is
// slower, and is no more right; it is there for those who want to compare.
func LibsystemdJournal() Parser {
	return Parser{Name: journalBinaryParser.Name, Doc: journalBinaryParser.Doc, Sniff: journalBinaryParser.Sniff, Parse: parseWithLibsystemd}
}

func parseWithLibsystemd(f *File, b *timeline.Builder) error {
	r := newJournalRecorder(b)
	defer r.done()
	source := b.Src(0, f.Offset)
	return eachLibsystemdEntry([]byte(f.Text), func(entry *sdjournal.JournalEntry) {
		e := journalEntry{cursor: entry.Cursor, realtime: entry.RealtimeTimestamp, monotonic: entry.MonotonicTimestamp}
		for name, value := range entry.Fields {
			e.set(name, value)
		}
		r.entry(&e, source)
	})
}

// eachLibsystemdEntry hands a journal in memory to the library, which wants a
// file that has a name; it is private, and gone afterwards.
func eachLibsystemdEntry(data []byte, visit func(*sdjournal.JournalEntry)) error {
	dir, err := os.MkdirTemp("", "podautopsy-journal-")
	if err != nil {
		return fmt.Errorf("a file for libsystemd: %w", err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "system.journal")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("a file for libsystemd: %w", err)
	}
	journal, err := sdjournal.NewJournalFromFiles(path)
	if err != nil {
		return fmt.Errorf("libsystemd: %w", err)
	}
	defer journal.Close()
	if err := journal.SetDataThreshold(0); err != nil {
		return fmt.Errorf("libsystemd: %w", err)
	}
	for {
		n, err := journal.Next()
		if err != nil {
			return fmt.Errorf("libsystemd: %w", err)
		}
		if n == 0 {
			return nil
		}
		entry, err := journal.GetEntry()
		if err != nil {
			return errors.Join(errors.New("libsystemd: an entry"), err)
		}
		visit(entry)
	}
}
