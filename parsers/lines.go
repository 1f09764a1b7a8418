package parsers

import (
	"iter"
	"strings"
)

// line is one line of a file without its end ("\n" or "\r\n").
type line struct {
	text   string
	number int
	offset int64
	at     int  // in the text that there is
	apart  bool // lines before it were passed over
}

// lines walks the lines of f. A last line without an end counts; an empty rest
// does not.
func (f *File) lines() iter.Seq[line] {
	return func(yield func(line) bool) {
		rest, n, off := f.Text, f.FirstLine, f.Offset
		if n == 0 {
			n = 1
		}
		pieces := f.pieces
		for index := 0; rest != ""; index++ {
			apart := false
			if len(pieces) > 0 && pieces[0].index == index {
				n, off, apart, pieces = pieces[0].number, pieces[0].offset, index > 0, pieces[1:]
			}
			end := strings.IndexByte(rest, '\n')
			text, size := rest, len(rest)
			if end >= 0 {
				text, size = rest[:end], end+1
			}
			if !yield(line{strings.TrimSuffix(text, "\r"), n, off, len(f.Text) - len(rest), apart}) {
				return
			}
			rest, n, off = rest[size:], n+1, off+int64(size)
		}
	}
}

// places tells line and offset of places of the text, asked for in their order.
func (f *File) places() func(at int) (number int, offset int64) {
	number, counted, shift := max(f.FirstLine, 1), 0, f.Offset
	pieces, index, next := f.pieces, 0, 0 // the next piece begins there
	return func(at int) (int, int64) {
		for len(pieces) > 0 {
			for ; index < pieces[0].index; index++ {
				next += lineLength(f.Text[next:])
			}
			if next > at {
				break
			}
			number, counted, shift = pieces[0].number, next, pieces[0].offset-int64(next)
			pieces = pieces[1:]
		}
		number += strings.Count(f.Text[counted:at], "\n")
		counted = at
		return number, shift + int64(at)
	}
}

// head is the beginning of the text, for sniffing.
func (f *File) head() string {
	const enough = 16 << 10
	if len(f.Text) > enough {
		return f.Text[:enough]
	}
	return f.Text
}

// skipBlanks begins the file where its text does, if that is so far down that
// every sniffer would look for it in vain or for long.
func (f *File) skipBlanks() {
	if len(f.pieces) > 0 || strings.TrimSpace(f.head()) != "" {
		return
	}
	blanks := len(f.Text) - len(strings.TrimLeft(f.Text, " \t\r\n"))
	start := strings.LastIndexByte(f.Text[:blanks], '\n') + 1
	f.FirstLine += strings.Count(f.Text[:start], "\n")
	f.Offset += int64(start)
	f.Text = f.Text[start:]
}
