package parsers

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"sync"
	"time"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// piece is a run of lines that was kept of a log.
type piece struct {
	index  int // of its first line, among those that were kept
	number int // of the same line in the log
	offset int64
}

// skimmedLog is a log of which a part was kept, and which can be looked through
// again.
type skimmedLog struct {
	skimming *skimming
	room     logRoom
	file     *fileState // on disk; nil: blocks have their text, or it is lost
	blocks   []*logBlock
	head     []byte // its beginning
	audit    bool   // it is the API server's audit log
	length   int64
	passed   int  // parts of lines that are too long to be looked at
	again    bool // it can be looked through again
	once     bool // it cannot even be read again
}

// skim reads a log to its end. The sum, if there is one, is given all of it.
func (s *skimming) skim(r io.Reader, file *fileState, sum hash.Hash) (*skimmedLog, error) {
	l := &skimmedLog{skimming: s, room: logRoom{most: roomFor(s.keep)}, file: file, again: true}
	reading := logReading{skimmedLog: l, sum: sum}
	err := reading.all(r)
	reading.done.Wait()
	l.makeRoom()
	if file == nil {
		for _, b := range l.blocks {
			l.again = l.again && b.text.held()
		}
	}
	return l, err
}

// logReading is the state of a first look.
type logReading struct {
	*skimmedLog
	finder  *literal.Index
	sum     hash.Hash
	pending []pendingBlock // which the log may end with
	done    sync.WaitGroup
}

type pendingBlock struct {
	*logBlock
	text []byte
}

// all reads the log block by block.
func (l *logReading) all(r io.Reader) error {
	crew := l.skimming.crew
	text, n := crew.block(), 0
	for {
		more, err := fill(r, text[n:])
		n += more
		if err != nil {
			l.add(text[:n])
			l.end()
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		cut := endOfRecords(text)
		if cut == 0 && len(text) < skimLine {
			text = append(make([]byte, 0, 2*len(text)), text...)
			text = text[:cap(text)]
			continue
		}
		if cut == 0 {
			cut = len(text)
			l.passed++
		}
		next := crew.block()
		if rest := len(text) - cut; rest >= len(next) {
			next = make([]byte, 2*rest)
		}
		n = copy(next, text[cut:])
		l.add(text[:cut])
		text = next
	}
}

// endOfRecords is where the last record begins of which it is not known whether
// it goes on; where there is just one, where its last whole line ends.
func endOfRecords(text []byte) int {
	lines := endOfLines(text)
	if lines == 0 {
		return 0
	}
	if start := startOfRecord(text, lines-1); start > 0 {
		return start
	}
	return lines
}

// add takes a block, and has those looked through that are not the last.
func (l *logReading) add(text []byte) {
	if l.sum != nil {
		l.sum.Write(text)
	}
	b := &logBlock{offset: l.length, size: len(text), tail: len(text), busy: true}
	b.head = int(max(0, min(int64(len(text)), skimEnds-b.offset)))
	b.end = b.head > 0
	l.length += int64(len(text))
	l.room.Lock()
	l.blocks = append(l.blocks, b)
	l.room.Unlock()
	l.pending = append(l.pending, pendingBlock{b, text})
	for p := l.pending[0]; p.logBlock != b && l.length-p.offset-int64(p.size) >= skimEnds; p = l.pending[0] {
		l.look(p)
		l.pending = l.pending[1:]
	}
}

// end looks through the rest, with the end of the log.
func (l *logReading) end() {
	for _, p := range l.pending {
		p.tail = int(max(0, min(int64(p.size), l.length-skimEnds-p.offset)))
		l.room.Lock()
		p.end = p.end || p.tail < p.size
		l.room.Unlock()
		l.look(p)
	}
	l.pending = nil
}

// look has a block looked through.
func (l *logReading) look(p pendingBlock) {
	if l.finder == nil {
		l.head = bytes.Clone(p.text[:min(len(p.text), skimEnds)])
		if l.audit = isAudit(l.head); l.audit {
			l.finder = literal.New(auditLines, string(l.head))
		} else {
			l.finder = l.skimming.finder(l.skimming.lines, l.head)
		}
	}
	wanted := func([]byte) bool { return true }
	if l.audit {
		wanted = auditEntries()
	}
	l.done.Add(1)
	l.skimming.crew.do(func() {
		defer l.done.Done()
		p.look(l.finder, wanted, p.text)
		l.kept(p.logBlock)
		if l.file == nil && l.skimming.spool.keep(&p.logBlock.text, p.text) {
			return
		}
		l.skimming.crew.free(p.text)
	})
}

// lookAgain looks for lines that hold one of further literals, and says whether
// there are any. The error tells why not all of it was looked through.
func (l *skimmedLog) lookAgain(literals []string) (more bool, err error) {
	if l.audit {
		return false, nil
	}
	var (
		finder = l.skimming.finder(literals, l.head)
		mu     sync.Mutex
	)
	l.skimming.crew.each(len(l.blocks), func(i int) {
		if !l.room.take(l.blocks[i]) {
			return
		}
		found, blockErr := l.lookAgainAt(l.blocks[i], finder)
		l.kept(l.blocks[i])
		mu.Lock()
		defer mu.Unlock()
		more = more || found
		if err == nil {
			err = blockErr
		}
	})
	l.makeRoom()
	return more, err
}

func (l *skimmedLog) lookAgainAt(b *logBlock, finder *literal.Index) (more bool, err error) {
	text, err := l.textOf(b)
	if err != nil {
		return false, err
	}
	more, same := b.lookAgain(finder, text)
	if !same {
		err = errChanged
	}
	if b.text.raw == nil {
		l.skimming.crew.free(text)
	}
	return more, err
}

// textOf reads a block again.
func (l *skimmedLog) textOf(b *logBlock) ([]byte, error) {
	if l.file == nil {
		return l.skimming.spool.text(&b.text)
	}
	room := l.skimming.crew.block()
	if b.size > len(room) {
		room = make([]byte, b.size)
	}
	n, err := l.file.ReadAt(room[:b.size], b.offset)
	if n < b.size {
		if errors.Is(err, io.EOF) {
			err = errChanged
		}
		return nil, err
	}
	return room[:n], nil
}

// whole is the log with all its lines.
func (l *skimmedLog) whole() ([]byte, error) {
	var text []byte
	for _, b := range l.blocks {
		part, err := l.textOf(b)
		if err != nil {
			return nil, err
		}
		text = append(text, part...)
	}
	return text, nil
}

// content is what was kept.
func (l *skimmedLog) content() content {
	c := content{length: l.length, passed: l.passed, log: l}
	size, pieces := 0, 0
	for _, b := range l.blocks {
		size += len(b.data) + 1
		pieces += len(b.runs)
	}
	c.data, c.pieces = make([]byte, 0, size), make([]piece, 0, pieces)
	kept, last := 0, int64(0)
	for _, b := range l.blocks {
		for _, r := range b.runs {
			offset := b.offset + int64(r.from)
			if apart := offset != last; apart || kept == 0 && len(c.data) == 0 {
				if n := len(c.data); n > 0 && c.data[n-1] != '\n' {
					c.data = append(c.data, '\n') // of a line that is too long
					kept++
				}
				c.pieces = append(c.pieces, piece{index: kept, number: c.lines + r.before + 1, offset: offset})
			}
			c.data = append(c.data, b.data[r.at:r.at+r.to-r.from]...)
			kept += r.lines
			last = offset + int64(r.to-r.from)
		}
		if b.spared {
			c.spared = cmp.Or(c.spared, c.lines+1)
			c.sparedTo = c.lines + b.lines
		}
		c.lines += b.lines
		c.objects += b.objects
	}
	return c
}

// fileState is a file on disk as it was when reading began.
type fileState struct {
	*os.File
	size     int64
	modified time.Time
	held     bool // stays open after the walk
}

var errChanged = errors.New("it changed while it was read")

// changed is a gap if the file is no longer as it was.
func (f *fileState) changed(cited string) (timeline.Gap, bool) {
	info, err := f.Stat()
	switch {
	case err != nil || info.Size() == f.size && info.ModTime().Equal(f.modified):
		return timeline.Gap{}, false
	case info.Size() > f.size:
		return gapAt(cited, timeline.GapTruncated, fmt.Sprintf("it was written to while it was read: of its %s the first %s were read", binarySize(info.Size()), binarySize(f.size))), true
	}
	return gapAt(cited, timeline.GapTruncated, "it changed while it was read: what is cited of it may not stand there, and its SHA-256 may be of neither state"), true
}
