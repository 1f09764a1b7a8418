// Package literal finds many fixed texts in a large one, at the speed at which
// memory is read.
package literal

import "encoding/binary"

const (
	// Shortest is how long a literal must be.
	Shortest = 8

	gram          = 4
	longestStride = 29

	bitmapBits = 20
	bucketBits = 14
	tallyBits  = 16
)

// Index finds literals. It is safe for concurrent use.
//
// Every literal has a window that holds a run of four bytes for each place of a
// stride, so that one of them meets a place of a text that holds the literal
// where only every fifth place, or fewer, are looked at: the longer the shortest
// literal, the fewer. A bitmap says of nearly all places that they meet none.
type Index struct {
	literals []string
	stride   int
	bitmap   [1 << bitmapBits / 64]uint64
	bucket   [1 << bucketBits]uint32 // of a run's hash: where its entries begin, from 1
	entries  []entry
}

type entry struct {
	begin   uint64 // of the window: its first eight bytes
	before  int32  // how far the run lies in the window
	literal int32  // its number
	window  int32  // where it begins in the literal
	next    uint32
}

// New indexes literals, of Shortest bytes or more; shorter ones are never
// found. Windows are laid where sample, a text as it will be searched, has them
// least.
func New(literals []string, sample string) *Index {
	shortest := gram + longestStride - 1
	for _, l := range literals {
		if len(l) >= Shortest {
			shortest = min(shortest, len(l))
		}
	}
	x := &Index{literals: literals, stride: shortest - gram + 1}
	seen := new(tally)
	for i := 0; i+gram <= len(sample); i++ {
		seen[runAt(sample, i)*mix>>(32-tallyBits)]++
	}
	for n, l := range literals {
		if len(l) >= Shortest {
			x.add(int32(n), l, x.rarest(l, seen))
		}
	}
	return x
}

// tally counts runs of four bytes, some of them together.
type tally [1 << tallyBits]uint32

// rarest is where the window begins whose runs are seen least.
func (x *Index) rarest(l string, seen *tally) int {
	best, least := 0, uint32(0)
	for start := 0; start+gram+x.stride-1 <= len(l); start++ {
		count := uint32(0)
		for k := range x.stride {
			count += seen[runAt(l, start+k)*mix>>(32-tallyBits)]
		}
		if start == 0 || count < least {
			best, least = start, count
		}
	}
	return best
}

func (x *Index) add(n int32, l string, window int) {
	begin := binary.LittleEndian.Uint64([]byte(l[window:]))
	for k := range x.stride {
		h := runAt(l, window+k) * mix
		x.bitmap[h>>(32-bitmapBits)/64] |= 1 << (h >> (32 - bitmapBits) % 64)
		b := &x.bucket[h>>(32-bucketBits)]
		x.entries = append(x.entries, entry{begin, int32(k), n, int32(window), *b})
		*b = uint32(len(x.entries))
	}
}

// mix makes the upper bits of a product a hash.
const mix = 0x9E3779B1

// text is what may be searched.
type text interface{ ~string | ~[]byte }

func runAt[T text](s T, i int) uint32 {
	_ = s[i+3]
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

func eightAt[T text](s T, i int) uint64 {
	_ = s[i+7]
	return uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
		uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
}

// Find calls found with the number of each literal that is in s, and where it
// begins; nearly in order, and for one that is there several times each time.
func Find[T text](x *Index, s T, found func(literal, at int)) {
	bitmap, stride := &x.bitmap, x.stride
	for i := 0; i <= len(s)-gram; i += stride {
		h := runAt(s, i) * mix
		if bit := h >> (32 - bitmapBits); bitmap[bit/64]>>(bit%64)&1 != 0 {
			meet(x, s, i, h, found)
		}
	}
}

// meet looks which literals the place i, of whose run h is the hash, may be in.
func meet[T text](x *Index, s T, i int, h uint32, found func(literal, at int)) {
	for next := x.bucket[h>>(32-bucketBits)]; next != 0; {
		e := &x.entries[next-1]
		next = e.next
		window := i - int(e.before)
		if window < 0 || window+8 > len(s) || eightAt(s, window) != e.begin {
			continue
		}
		l, start := x.literals[e.literal], window-int(e.window)
		if start >= 0 && start+len(l) <= len(s) && string(s[start:start+len(l)]) == l {
			found(int(e.literal), start)
		}
	}
}
