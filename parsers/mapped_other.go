//go:build !unix

package parsers

import (
	"errors"
	"os"
)

// mapFile is not made for this system: files are read instead.
func mapFile(*os.File, int64) (data []byte, unmap func(), err error) {
	return nil, nil, errors.ErrUnsupported
}
