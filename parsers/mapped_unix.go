//go:build unix

package parsers

import (
	"os"
	"syscall"
)

// mapFile maps a file into memory, to be read and no more. The mapping stays
// when the file is closed.
func mapFile(f *os.File, size int64) (data []byte, unmap func(), err error) {
	data, err = syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_PRIVATE)
	if err != nil {
		return nil, nil, err
	}
	return data, func() { _ = syscall.Munmap(data) }, nil
}
