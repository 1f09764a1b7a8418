package parsers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/klauspost/compress/s2"
)

const (
	// spoolMemory is how much text of large logs in archives is held as it is, to
	// be looked through again without unpacking the archive again.
	spoolMemory = 64 << 20
	// spoolFile is how large the file may become in which more of it is held.
	spoolFile = 4 << 30
)

// spool holds text that cannot be read again: in memory, and where that is full
// packed in a temporary file, which has no name and ends with the process.
type spool struct {
	mu     sync.Mutex
	memory int
	file   *os.File
	named  bool // the file still has its name
	full   bool
	end    int64
}

func newSpool() *spool { return &spool{memory: spoolMemory} }

// keptText is where a spool holds a text.
type keptText struct {
	raw    []byte
	at     int64
	packed int
	size   int
}

func (t *keptText) held() bool { return t.raw != nil || t.size == 0 || t.packed > 0 }

// keep holds a text. It says whether it holds the slice itself.
func (s *spool) keep(t *keptText, text []byte) bool {
	t.size = len(text)
	s.mu.Lock()
	if len(text) <= s.memory {
		s.memory -= len(text)
		s.mu.Unlock()
		t.raw = text
		return true
	}
	full := s.full
	s.mu.Unlock()
	if full || len(text) == 0 {
		return false
	}
	packed := s2.Encode(nil, text)
	at, ok := s.room(len(packed))
	if !ok {
		return false
	}
	if _, err := s.file.WriteAt(packed, at); err != nil {
		s.mu.Lock()
		s.full = true
		s.mu.Unlock()
		return false
	}
	t.at, t.packed = at, len(packed)
	return false
}

// room is a place in the file, which is made when it is first needed.
func (s *spool) room(size int) (at int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full || s.end+int64(size) > spoolFile {
		s.full = true
		return 0, false
	}
	if s.file == nil {
		file, named, err := temporary()
		if err != nil {
			s.full = true
			return 0, false
		}
		s.file, s.named = file, named
	}
	at = s.end
	s.end += int64(size)
	return at, true
}

// temporary is a file that ends with the process. Some systems take its name
// away only once it is closed.
func temporary() (file *os.File, named bool, err error) {
	file, err = os.CreateTemp("", "podautopsy-*")
	if err != nil {
		return nil, false, err
	}
	return file, os.Remove(file.Name()) != nil, nil
}

// mapReader reads r to its end into a temporary file and maps that into memory,
// so that what has to be there as a whole takes no room. Where there is none on
// the disk, it is read into memory, as much as may be kept. The content is
// returned with an error, too; unmap is nil where it is not mapped.
func mapReader(r io.Reader, keep int64) (data []byte, unmap func(), err error) {
	file, named, err := temporary()
	if err != nil {
		return readUpTo(r, keep)
	}
	defer func() {
		_ = file.Close()
		if named {
			_ = os.Remove(file.Name())
		}
	}()
	written := int64(0)
	for buf := make([]byte, 1<<20); err == nil; {
		var n int
		n, err = fill(r, buf)
		if _, writeErr := file.WriteAt(buf[:n], written); writeErr != nil {
			readers := []io.Reader{io.NewSectionReader(file, 0, written), bytes.NewReader(buf[:n])}
			if err == nil {
				readers = append(readers, r)
			}
			data, unmap, backErr := readUpTo(io.MultiReader(readers...), keep)
			return data, unmap, cmp.Or(ended(err), backErr)
		}
		written += int64(n)
	}
	data, unmap, mapErr := mapFile(file, written)
	if mapErr != nil {
		data, unmap, mapErr = readUpTo(io.NewSectionReader(file, 0, written), keep)
	}
	return data, unmap, cmp.Or(ended(err), mapErr)
}

// readUpTo reads into memory as much as may be kept there.
func readUpTo(r io.Reader, keep int64) ([]byte, func(), error) {
	data, err := io.ReadAll(io.LimitReader(r, keep)) //nolint:forbidigo // it is bounded
	if err == nil && int64(len(data)) == keep {
		err = errMemory
	}
	return data, nil, err
}

// ended is a reader's error where that is not just its end.
func ended(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// text gives back what was kept.
func (s *spool) text(t *keptText) ([]byte, error) {
	if t.raw != nil || t.size == 0 {
		return t.raw, nil
	}
	packed := make([]byte, t.packed)
	if _, err := s.file.ReadAt(packed, t.at); err != nil {
		return nil, fmt.Errorf("reading what was unpacked: %w", err)
	}
	text, err := s2.Decode(make([]byte, t.size), packed)
	if err != nil {
		return nil, fmt.Errorf("reading what was unpacked: %w", err)
	}
	return text, nil
}

// close gives back the room on disk.
func (s *spool) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close()
	if s.named {
		_ = os.Remove(s.file.Name())
	}
}
