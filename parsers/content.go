package parsers

import (
	"bytes"
	"errors"
	"io"
	"math"
)

const (
	// headBytes of a file tell whether any parser may want the rest.
	headBytes = 64 << 10
	// hollowBytes of zeros at the beginning are no log that lost a block in a
	// crash: what is behind them, if anything, is not looked for.
	hollowBytes = 64 << 20
	// Content of unknown size is read in pieces, which are joined at the end:
	// each byte is copied once, and hardly more is asked for than is there.
	largestPiece = 16 << 20
)

// readWhole reads r to its end or to a limit, and says how long it is. An error
// says why the content is not whole; what was read before it is returned all
// the same. Of what no parser can want only the beginning is kept. The size
// tells how much there is, where that is known; an archive promises it.
func (o *opener) readWhole(r io.Reader, size, promised int64) (read content, err error) {
	room, limit := o.lim.MaxFileBytes, errFileLimit
	if left := o.lim.MaxTotalBytes - o.read; left < room {
		room, limit = left, errTotalLimit
	}
	r = &ctxReader{o.ctx, r}
	read, err = readPieces(io.LimitReader(r, room), min(size, room), promised, o.skimming)
	o.read += read.length
	if err == nil && read.length == room {
		if extra, more := io.ReadFull(r, make([]byte, 1)); extra > 0 {
			err = limit
		} else if more != io.EOF {
			err = more
		}
	}
	if errors.Is(err, errTotalLimit) {
		o.full = errTotalLimit
	}
	return read, err
}

// content is what was read of a file.
type content struct {
	data   []byte
	length int64  // of the whole file
	unmap  func() // of data, where it lies in a temporary file
	// Of a log that was skimmed:
	pieces  []piece
	log     *skimmedLog
	lines   int
	passed  int // parts of lines that are too long to be looked at
	objects int // that begin in the middle of it
	// The lines of which nothing was kept, for want of room; 0: none.
	spared, sparedTo int
}

// readPieces reads r to its end; large logs are skimmed, if that is wanted. Room
// is made for size bytes; what is promised is not believed before it is there.
func readPieces(r io.Reader, size, promised int64, skimming *skimming) (content, error) {
	var (
		pieces [][]byte
		length int64
		err    error
	)
	next, hollow := headBytes, true
	if size > 0 {
		next = int(size) + bytes.MinRead // room to see the end
	}
	if skimming != nil {
		next = min(next, skimming.from, int(min(skimming.keep, math.MaxInt)))
	}
	for {
		piece := make([]byte, 0, next)
		for len(piece) < cap(piece) && err == nil {
			// The first look is at the head alone.
			to := min(cap(piece), len(piece)+largestPiece)
			if length == 0 {
				to = min(cap(piece), headBytes)
			}
			var n int
			from := len(piece)
			n, err = fill(r, piece[from:to])
			piece = piece[:from+n]
			length += int64(n)
			hollow = hollow && isHollow(piece[from:])
			switch {
			case err != nil:
			case skimming != nil && length == headBytes && promised >= int64(skimming.from) && isSkimmed(piece):
				return skimming.rest([][]byte{piece}, r)
			case skimming != nil && length == headBytes && promised >= int64(skimming.from) && isJournal(piece):
				return skimming.journal([][]byte{piece}, r)
			case length == headBytes && unwanted(piece):
				rest, err := io.Copy(io.Discard, r)
				return content{data: bytes.Clone(piece), length: length + rest}, err
			case hollow && length > hollowBytes:
				err = errHollow
			}
		}
		pieces = append(pieces, piece)
		if errors.Is(err, io.EOF) {
			return content{data: joined(pieces), length: length}, nil
		} else if err != nil {
			return content{data: joined(pieces), length: length}, err
		}
		if skimming != nil && length >= int64(skimming.from) && isSkimmed(pieces[0]) {
			return skimming.rest(pieces, r)
		}
		if skimming != nil && length >= int64(skimming.from) && isJournal(pieces[0]) {
			return skimming.journal(pieces, r)
		}
		if skimming != nil && length >= skimming.keep {
			return content{data: joined(pieces), length: length}, errMemory
		}
		next = int(min(length, largestPiece))
	}
}

// rest skims a log of which the beginning was read. One that turns out to be
// short, as it is cut off, is kept whole.
func (s *skimming) rest(begin [][]byte, r io.Reader) (content, error) {
	l, err := s.skim(whole(begin, r), nil, nil)
	if l.length < int64(s.from) {
		if text, wholeErr := l.whole(); wholeErr == nil {
			return content{data: text, length: l.length}, err
		}
	}
	return l.content(), err
}

// journal reads a large journal of which the beginning was read. Its entries
// lie anywhere in it, so that it has to be there as a whole.
func (s *skimming) journal(begin [][]byte, r io.Reader) (content, error) {
	data, unmap, err := mapReader(whole(begin, r), s.keep)
	return content{data: data, length: int64(len(data)), unmap: unmap}, err
}

// whole reads what was read already, and then the rest.
func whole(begin [][]byte, rest io.Reader) io.Reader {
	readers := make([]io.Reader, 0, len(begin)+1)
	for _, piece := range begin {
		readers = append(readers, bytes.NewReader(piece))
	}
	return io.MultiReader(append(readers, rest)...)
}

// fill reads until p is full, and returns the reader's own error.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var more int
		more, err = r.Read(p[n:])
		n += more
	}
	return n, err
}

// joined puts the pieces together without room to spare.
func joined(pieces [][]byte) []byte {
	if len(pieces) == 1 && cap(pieces[0])-len(pieces[0]) <= bytes.MinRead {
		return pieces[0]
	}
	return bytes.Join(pieces, nil)
}

func isHollow(data []byte) bool { return len(bytes.TrimLeft(data, "\x00")) == 0 }

// unwanted says of a file's head that no parser claims the file and that
// nothing is packed in it.
func unwanted(head []byte) bool {
	return looksBinary(head) && sniffArchive(head).name == "" && !journalBinaryParser.Sniff(&File{Text: string(head)})
}
