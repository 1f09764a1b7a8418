package parsers

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"unicode/utf8"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// A log of gigabytes is skimmed: of its lines those are kept that may matter,
// and some more to tell when it was written and how. The rest is counted.
//
// What was said of a pod that nothing is wrong with does not matter, and who is
// concerned only turns out from what is read. So a bundle of such logs is read
// again, with the names of those it is about, until it is about nobody new.

// Skim says which lines of large logs matter.
type Skim struct {
	// From is the size of a log, in bytes, from which it is skimmed; 0 is 16 MiB.
	From int
	// Lines finds lines that matter whoever they are about, and those that hold
	// one of the words about those concerned.
	Lines func(about []string) *literal.Index
	// Concerns are the words by which lines name those whom a timeline is about.
	Concerns func(tl *timeline.Timeline) []string
	// About are such words known beforehand.
	About []string
}

// skimming is a Skim at work.
type skimming struct {
	from  int
	lines *literal.Index
	known map[fileID]string // hashes of the files, from the time before
}

const (
	defaultSkimFrom = 16 << 20
	// skimEnds of a log are kept whole, at its beginning and at its end.
	skimEnds = 128 << 10
	// skimStep is how much may pass without a line that is kept.
	skimStep = 64 << 10
	// skimBlock is read at a time. It holds both ends of a log and any line
	// that is worth reading.
	skimBlock = 4 << 20
	// skimRecord bounds the lines of one record.
	skimRecord = 64 << 10
)

// piece is a run of lines that was kept of a log.
type piece struct {
	index  int // of its first line, among those that were kept
	number int // of the same line in the log
	offset int64
}

// logNotes are in lines by which programs tell of their own logs: what was
// dropped, where a boot begins. They are never passed over.
func logNotes() []string {
	return []string{
		"Suppressed ", "messages lost due to rate-limiting", "begin to drop messages", "-- Reboot --", "-- Boot ", "Logs begin at ",
		"Journal begins at ", "Linux version ", "Journal started", "Journal stopped", "Log file created at: ", "***HIDDEN***", objectBegins,
	}
}

// objectBegins an object in YAML. One in the middle of a large log is lost.
const objectBegins = "apiVersion: "

// isSkimmed says of a file's head whether the file is a log of whose lines one
// says as much as the line itself: plain text, as programs, journalctl and
// runtimes write it.
func isSkimmed(head []byte) bool {
	head = head[:min(len(head), headBytes)]
	if !utf8.Valid(withoutCutRunes(head)) || bytes.IndexByte(head, 0) >= 0 || bytes.IndexByte(head, '\x1b') >= 0 {
		return false
	}
	f := &File{Text: string(head), FirstLine: 1}
	f.skipBlanks()
	for _, p := range All() {
		if p.Sniff(f) {
			return slices.Contains([]string{JournalShort.Name, KLog.Name, Logfmt.Name, ContainerLog.Name, PlainLog.Name}, p.Name)
		}
	}
	return false
}

// skimmer reads a log.
type skimmer struct {
	finder *literal.Index
	out    content
	kept   int   // lines
	next   int64 // offset of the block that comes next
	last   int64 // offset at which what was kept last ends

	// Of the block:
	text []byte
	base int64 // its offset
	from int   // what is before was kept or passed over
}

// skim reads a log of which head was read before to its end.
func skim(head []byte, r io.Reader, finder *literal.Index) (content, error) {
	s := skimmer{finder: finder}
	block := append(make([]byte, 0, max(len(head), skimBlock)+skimEnds), head...)
	var err error
	for err == nil {
		var n int
		n, err = fill(r, block[len(block):cap(block)])
		block = block[:len(block)+n]
		if err != nil {
			break
		}
		// The log may end with this block, so its last part waits.
		end := endOfLines(block[:len(block)-skimEnds])
		if end == 0 {
			end = len(block) - skimEnds
			s.out.passed++
		}
		s.read(block[:end], false)
		block = block[:copy(block, block[end:])]
	}
	s.read(block, true)
	s.out.length = s.next
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return s.out, err
}

// read looks at a run of whole lines that follows the one before.
func (s *skimmer) read(text []byte, ends bool) {
	s.text, s.base, s.from = text, s.next, 0
	s.next += int64(len(text))
	if s.base < skimEnds {
		s.keep(0, endOfLine(text, skimEnds-int(s.base)))
	}
	tail := len(text)
	if ends {
		tail = max(s.from, startOfLine(text, max(0, len(text)-skimEnds)))
	}
	middle, shift := text[s.from:tail], s.from
	literal.Find(s.finder, middle, func(_, at int) {
		if at += shift; at >= s.from {
			start := startOfRecord(text, at)
			if bytes.HasPrefix(text[start:], []byte(objectBegins)) {
				s.out.objects++
			}
			s.sample(start)
			s.keep(start, endOfRecord(text, at))
		}
	})
	s.sample(tail)
	if ends {
		s.keep(tail, len(text))
	}
	s.pass(len(text))
}

// sample keeps a line here and there of what is before a place.
func (s *skimmer) sample(before int) {
	for {
		at := startOfLine(s.text, max(s.from, min(before, int(s.last-s.base)+skimStep)))
		if at+skimStep > before {
			return
		}
		s.keep(at, endOfRecord(s.text, at))
	}
}

// pass counts the lines before a place that were not kept.
func (s *skimmer) pass(to int) {
	if to > s.from {
		s.out.lines += bytes.Count(s.text[s.from:to], newline)
		s.from = to
	}
}

// keep takes whole lines.
func (s *skimmer) keep(start, end int) {
	s.pass(start)
	if start = s.from; start >= end {
		return
	}
	if offset := s.base + int64(start); offset != s.last || s.kept == 0 {
		s.out.pieces = append(s.out.pieces, piece{index: s.kept, number: s.out.lines + 1, offset: offset})
	}
	s.out.data = append(s.out.data, s.text[start:end]...)
	s.pass(end)
	s.kept += bytes.Count(s.text[start:end], newline)
	s.last = s.base + int64(end)
}

var newline = []byte{'\n'}

// startOfLine is where the line that holds text[at] begins.
func startOfLine(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// endOfLine is where the line that holds text[at] ends, behind its line break.
func endOfLine(text []byte, at int) int {
	if at < len(text) {
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			return at + n + 1
		}
	}
	return len(text)
}

// endOfLines is where the last whole line ends.
func endOfLines(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }

// startOfRecord is where the record that holds text[at] begins: lines that are
// indented belong to the one above.
func startOfRecord(text []byte, at int) int {
	start := startOfLine(text, at)
	for start > 0 && at-start < skimRecord && isCarriedOn(text[start:]) {
		start = startOfLine(text, start-1)
	}
	return start
}

// endOfRecord is where the record that holds text[at] ends.
func endOfRecord(text []byte, at int) int {
	end := endOfLine(text, at)
	for end < len(text) && end-at < skimRecord && isCarriedOn(text[end:]) {
		end = endOfLine(text, end)
	}
	return end
}

func isCarriedOn(line []byte) bool { return line[0] == ' ' || line[0] == '\t' }
