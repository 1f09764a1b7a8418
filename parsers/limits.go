package parsers

import (
	"errors"
	"fmt"
	"math"
)

// Limits bound what a bundle may cost. A field that is zero means the default.
type Limits struct {
	MaxFileBytes  int64 // of one file or archive member, unpacked
	MaxTotalBytes int64 // of all of them, and of all that decoders put out
	MaxFiles      int   // files, archive members, folders and links
	MaxDepth      int   // archives inside archives; 1 opens no nested ones
	MaxRatio      int64 // how many times its size an archive may unpack to
	// MaxMemory is what the process should make do with; 0: whatever the others
	// allow. It bounds what is kept of the bundle, see mayKeep.
	MaxMemory int64
}

// DefaultLimits let any honest bundle through: journald rotates at 128 MiB,
// sos cuts at 100 MiB, must-gathers of large clusters unpack to a few GiB, and
// real ones compress worse than 100:1.
func DefaultLimits() Limits {
	return Limits{
		MaxFileBytes:  1 << 30,
		MaxTotalBytes: 8 << 30,
		MaxFiles:      200_000,
		MaxDepth:      4,
		MaxRatio:      200,
	}
}

// ratioFloor may always be unpacked: a small file of repeated lines compresses
// far better than any bundle does.
const ratioFloor = 64 << 20

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	if l.MaxFileBytes <= 0 {
		l.MaxFileBytes = d.MaxFileBytes
	}
	if l.MaxTotalBytes <= 0 {
		l.MaxTotalBytes = d.MaxTotalBytes
	}
	if l.MaxFiles <= 0 {
		l.MaxFiles = d.MaxFiles
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = d.MaxDepth
	}
	if l.MaxRatio <= 0 {
		l.MaxRatio = d.MaxRatio
	}
	return l
}

// mayUnpack is how much an archive of size bytes may unpack to, with all that
// is nested in it.
func (l Limits) mayUnpack(size int64) int64 {
	if size > math.MaxInt64/l.MaxRatio {
		return math.MaxInt64
	}
	return max(ratioFloor, size*l.MaxRatio)
}

// mayKeep is how much content may be kept with so much memory: facts and what
// is told of them take several times the text that they were read from.
func (l Limits) mayKeep() int64 {
	const timesItsSize = 10
	if l.MaxMemory <= 0 {
		return math.MaxInt64
	}
	return max(l.MaxMemory/timesItsSize, 1<<20)
}

// Reaching a limit ends a file, an archive or the whole walk; the text becomes
// a gap's detail.
var (
	errFileLimit  = errors.New("--max-file-size raises the limit")
	errTotalLimit = errors.New("--max-total-size raises the limit")
	errFilesLimit = errors.New("--max-files raises the limit")
	errMemory     = errors.New("--max-memory raises the limit")
	errHollow     = errors.New("nothing but zeros up to there")
	errRatioLimit = errors.New("it unpacks to so many times its size that it may be a decompression bomb; unpack it by hand and give the folder")
)

// isLimit says whether we stopped, rather than the data.
func isLimit(err error) bool {
	for _, limit := range []error{errFileLimit, errTotalLimit, errFilesLimit, errMemory, errHollow, errRatioLimit} {
		if errors.Is(err, limit) {
			return true
		}
	}
	return false
}

// binarySize writes a number of bytes for a person.
func binarySize(n int64) string {
	const unit = 1 << 10
	switch {
	case n < unit:
		return fmt.Sprintf("%d bytes", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KiB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MiB", float64(n)/(unit*unit))
	default:
		return fmt.Sprintf("%.1f GiB", float64(n)/(unit*unit*unit))
	}
}
