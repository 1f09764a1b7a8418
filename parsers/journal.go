package parsers

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/hex"
	"iter"
	"strconv"
	"unicode/utf8"
)

// Journal is an open journal file, for those who want every field of it.
// foundBundles are read with Read.
type Journal struct {
	file    *journalFile
	data    *journalData
	entries []int
	holes   []journalHole
	next    int
	entry   JournalEntry
}

// isJournal says whether a file is one of journald's.
func isJournal(data []byte) bool { return bytes.HasPrefix(data, []byte(journalMagic)) }

// openJournalData opens a journal file that is in memory, or mapped into it. What
// is damaged is left out; only a file without a whole header is an error.
func openJournalData(data []byte) (*Journal, error) {
	file, err := openJournal(data)
	if err != nil {
		return nil, err
	}
	j := &Journal{file: file, data: newJournalData(file)}
	j.entries, j.holes = file.entries()
	j.entry.journal = j
	return j, nil
}

// Close gives back what reading packed fields took.
func (j *Journal) Close() { j.data.close() }

// Len is how many entries the journal has.
func (j *Journal) entryCount() int { return len(j.entries) }

// Damaged says whether parts of the file cannot be read.
func (j *Journal) isDamaged() bool {
	return len(j.holes) > 0 || j.file.doubtful || uint64(len(j.entries)) < j.file.count
}

// Entries are the journal's entries in the order in which they were written.
// An entry is good until the next one.
func (j *Journal) Entries() iter.Seq[*JournalEntry] {
	return func(yield func(*JournalEntry) bool) {
		for j.advance() {
			if !yield(&j.entry) {
				return
			}
		}
	}
}

// Messages are those of the journal's entries; entries without one are left out.
// A message is good until the next one.
func (j *Journal) messages() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for e := range j.Entries() {
			for field := range e.Fields() {
				if message, ok := bytes.CutPrefix(field, []byte("MESSAGE=")); ok {
					if !yield(message) {
						return
					}
					break
				}
			}
		}
	}
}

// advance reads the head of the next entry.
func (j *Journal) advance() bool {
	for j.next < len(j.entries) {
		o, ok := j.file.object(uint64(j.entries[j.next]))
		j.next++
		if !ok {
			continue
		}
		head := j.file.data[o.at : o.at+journalEntryItems]
		e := &j.entry
		e.at, e.end = o.at, o.end
		e.Seqnum, e.Realtime, e.Monotonic, e.hash = le64(head, 16), le64(head, 24), le64(head, 32), le64(head, 56)
		e.BootID = [16]byte(head[40:56])
		return true
	}
	return false
}

// JournalEntry is one entry of a journal file.
type JournalEntry struct {
	Seqnum    uint64
	Realtime  uint64 // microseconds since 1970
	Monotonic uint64 // microseconds since boot
	BootID    [16]byte

	hash    uint64
	journal *Journal
	at, end int
}

// Fields are the entry's fields as "NAME=value", each good until the next.
// Those that cannot be read are left out.
func (e *JournalEntry) Fields() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		file, data := e.journal.file, e.journal.data
		step := file.item()
		for at := e.at + journalEntryItems; at+step <= e.end; at += step {
			if field, err := data.field(file.offset(at)); err == nil && !yield(field) {
				return
			}
		}
	}
}

// Cursor names the entry as journalctl does.
func (e *JournalEntry) Cursor() string {
	return string(e.appendCursor(make([]byte, 0, 136)))
}

func (e *JournalEntry) appendCursor(c []byte) []byte {
	c = append(append(c, "s="...), e.journal.file.seqnumID...)
	c = strconv.AppendUint(append(c, ";i="...), e.Seqnum, 16)
	c = hex.AppendEncode(append(c, ";b="...), e.BootID[:])
	c = strconv.AppendUint(append(c, ";m="...), e.Monotonic, 16)
	c = strconv.AppendUint(append(c, ";t="...), e.Realtime, 16)
	return strconv.AppendUint(append(c, ";x="...), e.hash, 16)
}

// compare orders entries of several files as journald does: by the number that
// one journald gave them, else within a boot by its clock, else by wall time.
// Equal entries are the same one, copied.
// https://github.com/systemd/systemd, src/libsystemd/sd-journal/journal-file.c
func (e *JournalEntry) compare(other *JournalEntry) int {
	if e.journal.file.seqnumID == other.journal.file.seqnumID {
		if c := cmp.Compare(e.Seqnum, other.Seqnum); c != 0 {
			return c
		}
	}
	if e.BootID == other.BootID {
		if c := cmp.Compare(e.Monotonic, other.Monotonic); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(e.Realtime, other.Realtime), cmp.Compare(e.hash, other.hash))
}

// MergeJournals are the entries of several journals in one order, each once. An
// entry is good until the next one.
func MergeJournals(journals []*Journal) iter.Seq[*JournalEntry] {
	return func(yield func(*JournalEntry) bool) {
		var queue journalQueue
		for _, j := range journals {
			if j.advance() {
				queue = append(queue, j)
			}
		}
		heap.Init(&queue)
		var last JournalEntry
		for len(queue) > 0 {
			e := &queue[0].entry
			if last.journal == nil || last.journal == e.journal || last.compare(e) != 0 {
				if last = *e; !yield(e) {
					return
				}
			}
			if queue[0].advance() {
				heap.Fix(&queue, 0)
			} else {
				heap.Pop(&queue)
			}
		}
	}
}

// journalQueue is a heap of journals by their next entries.
type journalQueue []*Journal

func (q journalQueue) Len() int           { return len(q) }
func (q journalQueue) Less(i, k int) bool { return q[i].entry.compare(&q[k].entry) < 0 }
func (q journalQueue) Swap(i, k int)      { q[i], q[k] = q[k], q[i] }
func (q *journalQueue) Push(j any)        { *q = append(*q, j.(*Journal)) }
func (q *journalQueue) Pop() any {
	last := len(*q) - 1
	j := (*q)[last]
	*q = (*q)[:last]
	return j
}

// AppendExport writes the entry in journald's export format.
// https://systemd.io/JOURNAL_EXPORT_FORMATS
func (e *JournalEntry) AppendExport(b []byte) []byte {
	b = append(e.appendCursor(append(b, "__CURSOR="...)), '\n')
	b = append(strconv.AppendUint(append(b, "__REALTIME_TIMESTAMP="...), e.Realtime, 10), '\n')
	b = append(strconv.AppendUint(append(b, "__MONOTONIC_TIMESTAMP="...), e.Monotonic, 10), '\n')
	b = append(hex.AppendEncode(append(b, "_BOOT_ID="...), e.BootID[:]), '\n')
	for field := range e.Fields() {
		if bytes.HasPrefix(field, []byte("_BOOT_ID=")) { // as journalctl does
			continue
		}
		if isPrintableField(field) {
			b = append(append(b, field...), '\n')
			continue
		}
		name, value, _ := bytes.Cut(field, []byte("="))
		b = append(append(b, name...), '\n')
		b = le.AppendUint64(b, uint64(len(value)))
		b = append(append(b, value...), '\n')
	}
	return append(b, '\n')
}

// isPrintableField says whether the export format may hold a field as text:
// UTF-8 without line breaks or control characters, but for tabs.
func isPrintableField(field []byte) bool {
	for i := plainASCII(field); i < len(field); i++ {
		c := field[i]
		switch {
		case c >= ' ' && c < 0x7f, c == '\t':
		case c < utf8.RuneSelf:
			return false
		default:
			return isPrintableText(field[i:])
		}
	}
	return true
}

// plainASCII is how many bytes at the beginning are printable ASCII for sure. It
// looks at eight at a time: nearly all of nearly every field is.
func plainASCII(field []byte) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(field); i += 8 {
		w := le.Uint64(field[i:])
		// Added to a byte below 0x80, 0x60 sets the high bit from ' ' on, and 1
		// that of DEL.
		if w&highs != 0 || (w+ones*0x60)&highs != highs || (w+ones)&highs != 0 {
			break
		}
	}
	return i
}

func isPrintableText(text []byte) bool {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size < 2, r < ' ' && r != '\t', r >= 0x7f && r <= 0x9f,
			r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // not characters
			return false
		}
		text = text[size:]
	}
	return true
}
