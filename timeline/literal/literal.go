// Package literal finds many fixed texts in a large one, at the speed at which
// memory is read.
package literal

const (
	// Shortest is how long a literal must be.
	Shortest = gram + stride - 1

	gram   = 4
	stride = 5

	bitmapBits = 20
	bucketBits = 14
)

// Index finds literals. It is safe for concurrent use.
//
// Every literal has a window of eight bytes, and with that five runs of four
// bytes, one of which every fifth place of a text that holds the literal must
// meet. A bitmap says of nearly all places that they meet none.
type Index struct {
	literals []string
	bitmap   [1 << bitmapBits / 64]uint64
	bucket   [1 << bucketBits]uint32 // of a run's hash: where its entries begin, from 1
	entries  []entry
}

type entry struct {
	run     uint32
	literal int32 // its number
	at      int32 // of the run, in the literal
	next    uint32
}

// New indexes literals, of Shortest bytes or more; shorter ones are never
// found. Windows are laid where sample, a text as it will be searched, has them
// least.
func New(literals []string, sample string) *Index {
	x := &Index{literals: literals}
	seen := map[uint32]int{}
	for i := 0; i+gram <= len(sample); i++ {
		seen[runAt(sample, i)]++
	}
	for n, l := range literals {
		if len(l) >= Shortest {
			x.add(int32(n), l, rarest(l, seen))
		}
	}
	return x
}

// rarest is where the window begins whose runs are seen least.
func rarest(l string, seen map[uint32]int) int {
	best, least := 0, -1
	for start := 0; start+Shortest <= len(l); start++ {
		count := 0
		for k := range stride {
			count += seen[runAt(l, start+k)]
		}
		if least < 0 || count < least {
			best, least = start, count
		}
	}
	return best
}

func (x *Index) add(n int32, l string, window int) {
	for k := range stride {
		run := runAt(l, window+k)
		h := hash(run)
		x.bitmap[h>>(32-bitmapBits)/64] |= 1 << (h >> (32 - bitmapBits) % 64)
		b := &x.bucket[h>>(32-bucketBits)]
		x.entries = append(x.entries, entry{run, n, int32(window + k), *b})
		*b = uint32(len(x.entries))
	}
}

func hash(run uint32) uint32 { return run * 0x9E3779B1 }

// text is what may be searched.
type text interface{ ~string | ~[]byte }

func runAt[T text](s T, i int) uint32 {
	_ = s[i+3]
	return uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24
}

// Find calls found with the number of each literal that is in s, and where it
// begins; nearly in order, and for one that is there several times each time.
func Find[T text](x *Index, s T, found func(literal, at int)) {
	for i := 0; i+gram <= len(s); i += stride {
		run := runAt(s, i)
		h := hash(run)
		if x.bitmap[h>>(32-bitmapBits)/64]&(1<<(h>>(32-bitmapBits)%64)) == 0 {
			continue
		}
		for e := x.bucket[h>>(32-bucketBits)]; e != 0; e = x.entries[e-1].next {
			entry := &x.entries[e-1]
			if entry.run != run {
				continue
			}
			l, start := x.literals[entry.literal], i-int(entry.at)
			if start >= 0 && start+len(l) <= len(s) && string(s[start:start+len(l)]) == l {
				found(int(entry.literal), start)
			}
		}
	}
}
