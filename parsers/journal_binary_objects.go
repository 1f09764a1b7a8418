package parsers

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"slices"
)

// The layout of a journal file is systemd's journal-def.h. All numbers are
// little-endian, and every object starts at a multiple of eight bytes.
const (
	journalMagic      = "LPKSHHRH"
	journalHeaderSize = 208 // of the oldest version; newer ones append to it

	journalFlagXZ      = 1 << 0
	journalFlagLZ4     = 1 << 1
	journalFlagKeyed   = 1 << 2 // other hashes; of no concern to a sequential reader
	journalFlagZstd    = 1 << 3
	journalFlagCompact = 1 << 4 // offsets of 32 bits in entries and entry arrays
	journalFlagsKnown  = journalFlagXZ | journalFlagLZ4 | journalFlagKeyed | journalFlagZstd | journalFlagCompact
)

// Kinds of objects.
const (
	journalObjectData       = 1
	journalObjectEntry      = 3
	journalObjectEntryArray = 6
	journalObjectTag        = 7
)

const (
	journalObjectHeaderSize = 16
	journalEntryItems       = 64 // where an entry's list of data begins
	journalArrayItems       = 24 // where an entry array's list of entries begins
	journalDataEntries      = 56 // where a data object tells how many entries name it

	// journalFieldsMax is how many fields journald puts into one entry.
	journalFieldsMax = 1024
)

var errJournalHeader = errors.New("the journal's header is cut off")

// journalFile is a journal file in memory. Nothing that it says of itself is
// trusted before it is checked against the bytes.
type journalFile struct {
	data         []byte
	unknownFlags uint32
	compact      bool
	headerSize   int
	doubtful     bool   // the header tells what cannot be, and is not believed
	declared     uint64 // size of the file, as the header tells
	tail         uint64 // offset of the last object
	count        uint64 // entries
	arrays       uint64 // offset of the first entry array
	seqnumID     string
}

// journalObject is one object; its whole extent lies inside the file.
type journalObject struct {
	kind, flags byte
	at, end     int
}

func openJournal(data []byte) (*journalFile, error) {
	if len(data) < journalHeaderSize || !isJournal(data) {
		return nil, errJournalHeader
	}
	flags := le32(data, 12)
	j := &journalFile{
		data:         data,
		unknownFlags: flags &^ journalFlagsKnown,
		compact:      flags&journalFlagCompact != 0,
		headerSize:   journalHeaderSize,
		seqnumID:     hexID(data, 72),
		tail:         le64(data, 136),
		count:        le64(data, 152),
		arrays:       le64(data, 176),
	}
	size, arena := le64(data, 88), le64(data, 96)
	const largestHeader, largestArena = 4096, 1 << 40
	if size < journalHeaderSize || size > largestHeader || size%8 != 0 || arena > largestArena ||
		j.tail > size+arena || j.count > arena/journalEntryItems {
		j.doubtful, j.tail, j.count = true, 0, 0
		return j, nil
	}
	j.headerSize, j.declared = int(size), size+arena
	return j, nil
}

// object reads the head of the object at an offset. It refuses what cannot be
// one: a wrong place, an unknown kind, a size that does not fit.
func (j *journalFile) object(at uint64) (journalObject, bool) {
	if at%8 != 0 || at < uint64(j.headerSize) || at+journalObjectHeaderSize > uint64(len(j.data)) || at > uint64(len(j.data)) {
		return journalObject{}, false
	}
	head := le64(j.data, int(at))
	size := le64(j.data, int(at)+8)
	kind, flags := byte(head), byte(head>>8)
	if head>>16 != 0 || kind == 0 || kind > journalObjectTag || size > uint64(len(j.data))-at {
		return journalObject{}, false
	}
	least := uint64(journalObjectHeaderSize)
	switch kind {
	case journalObjectData:
		least = uint64(j.payload())
	case journalObjectEntry:
		least = journalEntryItems + uint64(j.item())
		if items := size - journalEntryItems; size > least && (items%uint64(j.item()) != 0 || items/uint64(j.item()) > journalFieldsMax) {
			return journalObject{}, false
		}
	case journalObjectEntryArray:
		least = journalArrayItems
	}
	if size < least {
		return journalObject{}, false
	}
	return journalObject{kind: kind, flags: flags, at: int(at), end: int(at + size)}, true
}

// payload is where the content of a data object begins.
func (j *journalFile) payload() int {
	if j.compact {
		return 72
	}
	return 64
}

// item is the size of one reference in an entry; a regular one carries a hash.
func (j *journalFile) item() int {
	if j.compact {
		return 4
	}
	return 16
}

// offset reads a reference in an entry or an entry array.
func (j *journalFile) offset(at int) uint64 {
	if j.compact {
		return uint64(le32(j.data, at))
	}
	return le64(j.data, at)
}

// journalHole is a stretch of the file that holds no objects though it should.
type journalHole struct{ from, to int }

// entries lists the entries in order of the file. Where the chain of entry
// arrays is broken, every object that survives is looked at instead, and the
// stretches without objects are told.
func (j *journalFile) entries() ([]int, []journalHole) {
	chained, whole := j.chain()
	if whole && uint64(len(chained)) >= j.count && !j.doubtful {
		return chained, nil
	}
	found, holes := j.scan()
	return j.mergeEntries(found, chained), holes
}

// mergeEntries adds what only the chain led to. Where the two overlap, the
// chained entry has a damaged size.
func (j *journalFile) mergeEntries(scanned []journalObject, chained []int) []int {
	merged := make([]int, 0, len(scanned))
	for _, s := range scanned {
		merged = append(merged, s.at)
	}
	for _, at := range chained {
		i, _ := slices.BinarySearchFunc(scanned, at, func(s journalObject, at int) int { return s.end - 1 - at })
		if c, ok := j.object(uint64(at)); ok && (i == len(scanned) || scanned[i].at >= c.end) {
			merged = append(merged, at)
		}
	}
	slices.Sort(merged)
	return merged
}

// chain follows the entry arrays from the header. journald only ever appends,
// so offsets grow; one that does not is damage, and this also ends loops.
func (j *journalFile) chain() (entries []int, whole bool) {
	step := 8
	if j.compact {
		step = 4
	}
	entries = make([]int, 0, min(j.count, uint64(len(j.data)/journalEntryItems)))
	last, lastArray := 0, uint64(0)
	for next := j.arrays; next != 0; {
		array, ok := j.object(next)
		if !ok || array.kind != journalObjectEntryArray || next <= lastArray {
			return entries, false
		}
		for at := array.at + journalArrayItems; at+step <= array.end; at += step {
			offset := j.offset(at)
			if offset == 0 { // the rest is not used yet
				break
			}
			entry, ok := j.object(offset)
			if !ok || entry.kind != journalObjectEntry || entry.at < last {
				return entries, false
			}
			last = entry.end
			entries = append(entries, entry.at)
		}
		lastArray, next = next, le64(j.data, array.at+16)
	}
	return entries, true
}

// scan walks the objects from the first to the last, and where there is none
// seeks the next one in steps of eight bytes.
func (j *journalFile) scan() (entries []journalObject, holes []journalHole) {
	keep := func(o journalObject) {
		if n := len(entries); n == 0 || entries[n-1].end <= o.at {
			entries = append(entries, o)
		}
	}
	hole := -1
	pos := j.headerSize
	for pos+journalObjectHeaderSize <= len(j.data) {
		o, ok := j.object(uint64(pos))
		if ok && j.followed(o) {
			if hole >= 0 {
				holes, hole = append(holes, journalHole{hole, pos}), -1
			}
			if o.kind == journalObjectEntry {
				keep(o)
			}
			pos = align8(o.end)
			continue
		}
		unused := j.unused(pos)
		if unused && !j.doubtful && uint64(pos) > j.tail {
			break // journald makes files larger in advance
		}
		if hole < 0 && !(unused && j.doubtful) {
			hole = pos
		}
		if ok && j.resolves(o) { // its size leads nowhere, but its data is there
			keep(o)
		}
		pos += 8
	}
	if hole >= 0 {
		if pos+journalObjectHeaderSize > len(j.data) {
			pos = len(j.data)
		}
		holes = append(holes, journalHole{hole, pos})
	}
	return entries, holes
}

// followed says whether the place where an object ends is a place where one
// may end: before another, before unused space, or at the end of the file.
// Without that a damaged size would leap over good objects.
func (j *journalFile) followed(o journalObject) bool {
	next := align8(o.end)
	if next+journalObjectHeaderSize > len(j.data) || j.unused(next) {
		return true
	}
	_, ok := j.object(uint64(next))
	return ok
}

// unused says whether the head of the object at pos was never written.
func (j *journalFile) unused(pos int) bool {
	return pos+journalObjectHeaderSize <= len(j.data) && le64(j.data, pos) == 0 && le64(j.data, pos+8) == 0
}

// resolves says whether an object is an entry most of whose data is there.
func (j *journalFile) resolves(o journalObject) bool {
	if o.kind != journalObjectEntry {
		return false
	}
	n := (o.end - o.at - journalEntryItems) / j.item()
	there := 0
	for i := range n {
		offset := j.offset(o.at + journalEntryItems + i*j.item())
		if offset%8 != 0 || offset < uint64(j.headerSize) || offset >= uint64(len(j.data)) {
			return false
		}
		if data, ok := j.object(offset); ok && data.kind == journalObjectData {
			there++
		}
	}
	return 2*there > n
}

func align8(n int) int { return (n + 7) &^ 7 }

func hexID(data []byte, at int) string { return hex.EncodeToString(data[at : at+16]) }

// le is the byte order of journal files.
var le = binary.LittleEndian

func le32(data []byte, at int) uint32 { return le.Uint32(data[at:]) }

func le64(data []byte, at int) uint64 { return le.Uint64(data[at:]) }
