package parsers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"podautopsy/timeline"
)

// Scanner looks through texts for something. One goroutine uses it at a time;
// what it is given is good until it returns.
type Scanner interface {
	// Lines are a run of whole lines.
	Lines(text []byte)
	// Message is that of one entry of a binary journal.
	Message(text []byte)
}

// scanBlock of a text are given at a time.
const scanBlock = 1 << 20

// Scan hands the text of every file of a bundle to the scanners, which work
// side by side, each on other parts. No format is read but that of binary
// journals, and no file on disk is held in memory whole. The gaps tell what
// could not be read.
func Scan(ctx context.Context, args []string, stdin io.Reader, lim Limits, scanners []Scanner) ([]timeline.Gap, error) {
	s := scan{ctx: ctx, work: make(chan func(Scanner)), blocks: make(chan []byte, 2*len(scanners))}
	for range cap(s.blocks) {
		s.blocks <- nil // made when it is first needed
	}
	var wg sync.WaitGroup
	for _, scanner := range scanners {
		wg.Go(func() {
			for do := range s.work {
				do(scanner)
			}
		})
	}
	o := &opener{ctx: ctx, lim: lim, scan: &s, mapFrom: 1, visit: s.member}
	err := o.all(args, stdin)
	close(s.work)
	wg.Wait()
	return s.gaps, err
}

// scan is the state of a Scan.
type scan struct {
	ctx    context.Context
	work   chan func(Scanner)
	blocks chan []byte // not in use

	mu   sync.Mutex
	gaps []timeline.Gap
}

// member scans what is in memory.
func (s *scan) member(m *Member) error {
	s.note(m.Gaps...)
	switch {
	case len(m.Data) == 0:
		return nil
	case isJournal(m.Data):
		s.work <- func(scanner Scanner) { s.journal(m, scanner) }
		return nil
	case looksBinary(m.Data):
		return nil
	}
	data := m.Data
	if utf16Kind(data) != "" {
		text, _ := decodeText(data)
		data = []byte(text)
	}
	for len(data) > 0 {
		part := data[:endOfLine(data, scanBlock)]
		data = data[len(part):]
		s.work <- func(scanner Scanner) { scanner.Lines(part) }
	}
	return nil
}

// journal scans the messages of a journal.
func (s *scan) journal(m *Member, scanner Scanner) {
	if m.unmap != nil {
		defer m.unmap()
	}
	err := WhileMapped(func() error {
		j, err := openJournalData(m.Data)
		if err != nil {
			return err
		}
		defer j.Close()
		if j.isDamaged() {
			s.note(gapAt(m.Path, timeline.GapTruncated, fmt.Sprintf("damaged; %d entries were found", j.entryCount())))
		}
		for message := range j.messages() {
			scanner.Message(message)
			if s.ctx.Err() != nil {
				break
			}
		}
		return nil
	})
	if err != nil {
		s.note(gapAt(m.Path, timeline.GapUnreadable, err.Error()))
	}
}

// scanned scans a text on disk as it is read. false: it is to be visited.
func (o *opener) scanned(in *received) (bool, error) {
	if o.scan == nil || in.disk == nil {
		return false, nil
	}
	head := make([]byte, headBytes)
	n, _ := in.r.ReadAt(head, 0)
	if head = head[:n]; looksBinary(head) || utf16Kind(head) != "" {
		return false, nil
	}
	size := min(in.size, o.lim.MaxFileBytes, o.lim.MaxTotalBytes-o.read)
	if size < in.size {
		in.gaps = append(in.gaps, cutGap(in.path, size, errFileLimit))
	}
	o.read += size
	o.found = true
	if err := o.scan.lines(io.LimitReader(&ctxReader{o.ctx, in.r}, size)); err != nil {
		if ctxErr := o.ctx.Err(); ctxErr != nil {
			return true, ctxErr
		}
		in.gaps = append(in.gaps, cutGap(in.path, size, err))
	}
	o.scan.note(in.gaps...)
	return true, nil
}

// lines scans a text as it is read.
func (s *scan) lines(r io.Reader) error {
	kept := 0
	block := s.block()
	for {
		n, err := fill(r, block[kept:])
		text := block[:kept+n]
		whole := len(text)
		if err == nil {
			if whole = endOfLines(text); whole == 0 {
				// A line longer than all that we look at in one piece.
				whole = len(text)
			}
		}
		next := s.block()
		kept = copy(next, text[whole:])
		s.work <- func(scanner Scanner) {
			scanner.Lines(text[:whole])
			s.blocks <- text[:cap(text)]
		}
		if block = next; err != nil {
			s.blocks <- block
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
	}
}

func (s *scan) block() []byte {
	if block := <-s.blocks; block != nil {
		return block
	}
	return make([]byte, scanBlock)
}

func (s *scan) note(gaps ...timeline.Gap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gaps = append(s.gaps, gaps...)
}
