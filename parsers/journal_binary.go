package parsers

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// journalBinaryParser reads journald's own files (*.journal, also *.journal~), whole,
// cut off or damaged.
var journalBinaryParser = Parser{
	Name:  "journal-binary",
	Doc:   "systemd-journald's binary journal files, as copied from /var/log/journal or /run/log/journal.",
	Sniff: func(f *File) bool { return strings.HasPrefix(f.Text, journalMagic) },
	Parse: parseJournalBinary,
}

// journalMessageLimit bounds the messages of one file in all. Entries share
// the text of equal messages, so a small file can claim a great deal of it.
const journalMessageLimit = 1 << 30

// journalHolesTold is how many damaged parts of a file are told one by one.
const journalHolesTold = 16

var errJournalUnreadable = errors.New("no entry of the journal could be read")

func parseJournalBinary(f *File, b *timeline.Builder) error {
	data := f.binary
	if data == nil {
		data = []byte(f.Text)
	}
	j, err := openJournal(data)
	if err != nil {
		return err
	}
	r := journalReader{file: j, data: newJournalData(j), b: b, base: f.Offset, recorder: newJournalRecorder(b)}
	defer r.data.close()
	found, holes := j.entries()
	if f.matter == nil {
		b.Events = slices.Grow(b.Events, len(found))
	}
	for i, at := range found {
		o, ok := j.object(uint64(at))
		if ok && f.matter != nil && !r.matters(i, len(found), o, f.matter) {
			r.passed++
			continue
		}
		if ok && !r.add(o) {
			break
		}
	}
	b.Input.Records += r.passed
	b.Input.Skimmed = b.Input.Skimmed || r.passed > 0
	r.recorder.done()
	r.reportDamage(len(found), holes)
	if r.read+r.passed == 0 && (j.count > 0 || j.doubtful) {
		return errJournalUnreadable
	}
	return nil
}

// journalReader turns entry objects into events.
type journalReader struct {
	file *journalFile
	data *journalData
	b    *timeline.Builder
	base int64 // of the journal in its file

	recorder journalRecorder
	read     int // entries that became events
	passed   int // entries that do not matter
	messages int // their bytes
	full     bool
	lost     journalLosses
}

// journalLosses counts the entries that lost fields, with one example each.
type journalLosses struct {
	gone, packed     int // a field's object is not there, or does not unpack
	goneAt, packedAt int // the first such entry
	why              error
	silent           int // of them those left without a message
}

// matters says whether an entry of a large journal is worth an event: its
// message may matter, or it tells when the journal was written.
func (r *journalReader) matters(i, entries int, o journalObject, lines *literal.Index) bool {
	const ends, step = 500, 200
	if i < ends || entries-i <= ends || i%step == 0 {
		return true
	}
	for at := o.at + journalEntryItems; at+r.file.item() <= o.end; at += r.file.item() {
		field, err := r.data.field(r.file.offset(at))
		if err != nil {
			return true
		}
		if message, ok := bytes.CutPrefix(field, []byte("MESSAGE=")); ok {
			hit := false
			literal.Find(lines, message, func(int, int) { hit = true })
			return hit
		}
	}
	return true
}

// holdsAny says whether a message of a journal holds one of the literals.
func holdsAny(m *Member, literals *literal.Index) (found bool) {
	err := WhileMapped(func() error {
		j, err := openJournalData(m.Data)
		if err != nil {
			return err
		}
		defer j.Close()
		for message := range j.messages() {
			if literal.Find(literals, message, func(int, int) { found = true }); found {
				break
			}
		}
		return nil
	})
	return found || err != nil // reading it tells what is wrong
}

// add reads one entry; false means to stop.
func (r *journalReader) add(o journalObject) bool {
	j := r.file
	e := journalEntry{
		realtime:  le64(j.data, o.at+24),
		monotonic: le64(j.data, o.at+32),
		bootID:    hexID(j.data, o.at+40),
	}
	e.cursor = j.cursor(o, e.bootID)
	gone, packed := false, error(nil)
	for at := o.at + journalEntryItems; at+j.item() <= o.end; at += j.item() {
		switch field, err := r.data.text(j.offset(at)); {
		case errors.Is(err, errFieldGone):
			gone = true
		case err != nil:
			packed = err
		default:
			name, value, _ := strings.Cut(field, "=")
			e.set(name, value)
		}
	}
	r.lost.note(o.at, gone, packed)
	if e.message == "" && (gone || packed != nil) {
		r.lost.silent++
		return true
	}
	if r.messages += len(e.message); r.messages > journalMessageLimit {
		r.full = true
		return false
	}
	r.recorder.entry(&e, r.b.Src(0, r.base+int64(o.at)))
	r.read++
	return true
}

func (l *journalLosses) note(at int, gone bool, packed error) {
	if gone {
		if l.gone == 0 {
			l.goneAt = at
		}
		l.gone++
	}
	if packed != nil {
		if l.packed == 0 {
			l.packedAt, l.why = at, packed
		}
		l.packed++
	}
}

// cursor names an entry as journalctl prints it in __CURSOR.
func (j *journalFile) cursor(o journalObject, bootID string) string {
	c := make([]byte, 0, 136)
	c = append(c, "s="...)
	c = append(c, j.seqnumID...)
	c = append(c, ";i="...)
	c = strconv.AppendUint(c, le64(j.data, o.at+16), 16)
	c = append(c, ";b="...)
	c = append(c, bootID...)
	c = append(c, ";m="...)
	c = strconv.AppendUint(c, le64(j.data, o.at+32), 16)
	c = append(c, ";t="...)
	c = strconv.AppendUint(c, le64(j.data, o.at+24), 16)
	c = append(c, ";x="...)
	c = strconv.AppendUint(c, le64(j.data, o.at+56), 16)
	return string(c)
}

// reportDamage tells what of the file is missing. A file that was copied while
// journald had it open is not damaged.
func (r *journalReader) reportDamage(found int, holes []journalHole) {
	j := r.file
	if j.unknownFlags != 0 {
		r.gap(timeline.GapNotUnderstood, 12, "the journal has features that this version does not know (incompatible flags %#x); it was read all the same", j.unknownFlags)
	}
	if j.doubtful {
		r.gap(timeline.GapUnreadable, 88, "the journal's header is damaged; %d entries were found by looking at the whole file", found)
	}
	missing := ""
	if n := uint64(found); n < j.count {
		missing = fmt.Sprintf("; %d of %d entries found", n, j.count)
	}
	size := uint64(len(j.data))
	cut := j.tail >= size || missing != "" && j.declared > size
	if cut {
		r.gap(timeline.GapTruncated, len(j.data), "the journal ends at byte %d of %d%s", size, j.declared, missing)
	}
	if n := len(holes); cut && n > 0 && holes[n-1].to == len(j.data) {
		holes = holes[:n-1] // the object that was cut through
	}
	for i, h := range holes {
		if i == journalHolesTold {
			r.gap(timeline.GapUnreadable, h.from, "%d further parts of the journal hold nothing readable", len(holes)-i)
			break
		}
		r.gap(timeline.GapUnreadable, h.from, "bytes %d to %d of the journal hold nothing readable%s", h.from, h.to, missing)
	}
	if missing != "" && !cut && len(holes) == 0 {
		r.gap(timeline.GapUnreadable, 152, "the journal's list of entries is damaged%s", missing)
	}
	if n := r.lost.gone; n > 0 {
		r.gap(timeline.GapUnreadable, r.lost.goneAt, "%d entries refer to fields that are not there", n)
	}
	if n := r.lost.packed; n > 0 {
		r.gap(timeline.GapUnreadable, r.lost.packedAt, "%d entries have fields that cannot be unpacked: %v", n, r.lost.why)
	}
	if n := r.lost.silent; n > 0 {
		r.gap(timeline.GapUnreadable, 0, "%d entries lost their message and were left out", n)
	}
	if r.full {
		r.gap(timeline.GapTruncated, 0, "the journal holds more than 1 GiB of messages; the rest was left out after %d entries", r.read)
	}
}

// gap notes what is missing at a byte of the journal.
func (r *journalReader) gap(kind timeline.GapKind, at int, format string, args ...any) {
	r.b.Input.Gaps = append(r.b.Input.Gaps, timeline.Gap{
		Kind:   kind,
		Detail: fmt.Sprintf(format, args...),
		Source: r.b.Src(0, r.base+int64(at)),
	})
}
