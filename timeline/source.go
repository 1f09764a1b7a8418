package timeline

import "fmt"

// Source is the place a fact was read from. Every fact has one.
type Source struct {
	File     string // as given by the user; inside archives "bundle.tar.xz!dir/file"
	Line     int    // first line, from 1; 0 where the format has no lines
	LastLine int    // last line of a fact that spans several; 0 means Line
	Offset   int64  // byte offset of the first line in the decoded file
	Cursor   string // journald's __CURSOR where there is one
}

func (s Source) String() string {
	if s.Line == 0 {
		return s.File
	}
	return fmt.Sprintf("%s:%d", s.File, s.Line)
}

// Known says how far a time zone or a year may be trusted.
type Known string

// How a zone or year is known.
const (
	Given    Known = "given"    // written beside the time
	Inferred Known = "inferred" // worked out from other evidence in the bundle
	Assumed  Known = "assumed"  // nothing in the bundle tells; UTC or the likeliest year
)
