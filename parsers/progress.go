package parsers

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
)

// Progress is how far a reading has come, in bytes of the files on disk as they
// are, packed or not. It may be looked at while that goes on.
type Progress struct{ total, done atomic.Int64 }

// Bytes are how many were read, and of how many; 0 of them are not known.
func (p *Progress) Bytes() (done, total int64) { return p.done.Load(), p.total.Load() }

// measure finds out how much there is.
func (p *Progress) measure(arguments []argument) {
	for _, arg := range arguments {
		if arg.path == "-" {
			continue // ends when it ends
		}
		_ = filepath.WalkDir(arg.path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil {
				return nil //nolint:nilerr // whatever cannot be seen is told when it is read
			}
			info, err := entry.Info()
			if entry.Type()&fs.ModeSymlink != 0 && !arg.dir {
				info, err = os.Stat(arg.path)
			}
			if err == nil && info.Mode().IsRegular() {
				p.total.Add(info.Size())
			}
			return nil
		})
	}
}

// counted is a file on disk while it is read: each of its bytes counts once.
type counted struct {
	io.ReaderAt
	left     int64
	progress *Progress
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	c.count(int64(n))
	return n, err
}

// count counts some, or all that is left.
func (c *counted) count(n int64) {
	n = min(n, c.left)
	c.left -= n
	c.progress.done.Add(n)
}
