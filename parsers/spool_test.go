package parsers

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"

	"podautopsy/timeline"
)

// A large journal in an archive takes no memory: it lies in a file that is gone
// with the process, and tells what it tells on disk. Where there is no room for
// the file, it is held in memory.
func TestJournalInArchive(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped here")
	}
	journal := []byte(smallJournal(20000, true, nil))
	dir := t.TempDir()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(journal); err != nil {
		t.Fatal(err)
	}
	must(t, z.Close())
	must(t, os.WriteFile(filepath.Join(dir, "system.journal"), journal, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "system.journal.gz"), packed.Bytes(), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "cut.journal.gz"), packed.Bytes()[:packed.Len()/2], 0o600))
	read := func(name string) (b *timeline.Builder, mapped bool, gaps int) {
		all := skimmingFor(t, 1, 1<<20, "SyncLoop DELETE")
		must(t, open(context.Background(), []string{filepath.Join(dir, name)}, nil, Limits{}, all, nil, func(m *Member) error {
			mapped, gaps = m.unmap != nil && m.inMemory() == 0, len(m.Gaps)
			b = readMember(m, foundBundles{}, nil, All(), all)
			m.drop()
			return nil
		}))
		return b, mapped, gaps
	}
	want, mapped, _ := read("system.journal")
	if !mapped || len(want.Events) == 0 {
		t.Fatalf("mapped %v, %d events", mapped, len(want.Events))
	}
	temp := t.TempDir()
	for _, test := range []struct {
		temp, name string
		mapped     bool
		gaps       int
	}{
		{temp, "system.journal.gz", true, 0},
		{temp, "cut.journal.gz", true, 1},
		{"/nonexistent", "system.journal.gz", false, 0},
		{"/nonexistent", "cut.journal.gz", false, 1},
	} {
		t.Setenv("TMPDIR", test.temp)
		got, mapped, gaps := read(test.name)
		if mapped != test.mapped || gaps != test.gaps {
			t.Errorf("%s: mapped %v, %d gaps", test.name, mapped, gaps)
		}
		if gaps == 0 && (len(got.Events) != len(want.Events) || got.Input.Records != want.Input.Records) {
			t.Errorf("%s: %d events of %d records", test.name, len(got.Events), got.Input.Records)
		}
		if gaps > 0 && got.Input.Records == 0 {
			t.Errorf("%s: nothing of what was there", test.name)
		}
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v: %v", left, err)
	}
}

// Whatever fails, what was read before is there, and why it is not all.
func TestMapReader(t *testing.T) {
	text := bytes.Repeat([]byte("0123456789abcdef"), 200_000)
	broken := errors.New("broken")
	for _, temp := range []string{t.TempDir(), "/nonexistent"} {
		t.Setenv("TMPDIR", temp)
		for _, test := range []struct {
			name string
			r    io.Reader
			want error
		}{
			{"whole", bytes.NewReader(text), nil},
			{"byte by byte", iotest.OneByteReader(bytes.NewReader(text[:3000])), nil},
			{"broken", io.MultiReader(bytes.NewReader(text), iotest.ErrReader(broken)), broken},
		} {
			data, unmap, err := mapReader(test.r, 1<<30)
			if !errors.Is(err, test.want) || !bytes.HasPrefix(text, data) || len(data) < 3000 || test.name != "byte by byte" && len(data) != len(text) {
				t.Errorf("%s: %d bytes, %v", test.name, len(data), err)
			}
			if unmap != nil {
				unmap()
			}
		}
	}
	if data, _, err := mapReader(bytes.NewReader(text), 1000); len(data) != 1000 || !errors.Is(err, errMemory) {
		t.Errorf("%d bytes: %v", len(data), err)
	}
}
