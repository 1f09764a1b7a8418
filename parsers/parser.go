package parsers

import (
	"time"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// File is one readable thing of a bundle: a file, an archive member, or a
// block of a transcript. Its text is decoded (UTF-8, no byte order mark) and
// bounded by the opener's limits.
type File struct {
	Path string // as evidence cites it
	// Text is the whole content. Facts may hold substrings of it.
	Text string
	// FirstLine and Offset place a block inside its file; 1 and 0 for whole files.
	FirstLine int
	Offset    int64
	// binary is the content of a file that is no text, and Text only its head.
	binary []byte
	// matter finds the entries of a large journal that matter; nil: all do.
	matter *literal.Index
	// pieces tell where the lines of a log that was skimmed stand in it.
	pieces []piece
	// Command printed this text, where a prompt, a manifest or the file's
	// name tells ("crictl ps -a -o json"). "" if not known.
	Command string
	// Section is the heading that a block stands under where one file holds
	// several: the path of a file that tail printed.
	Section string
	// Dir is where the command ran, where a prompt or a cd tells.
	Dir string
	// Node that was asked, where the layout tells.
	Node string
	// CapturedAt is when the command ran, where the layout or a prompt tells.
	CapturedAt time.Time
}

// Parser reads one format.
type Parser struct {
	// Name is the format as inventory and reports print it: "journal-export".
	Name string
	// Doc says in one sentence what it reads and what writes it.
	Doc string
	// Sniff says whether the text is in this format, by content first. It sees
	// the whole file but should look at no more than its head.
	Sniff func(f *File) bool
	// Parse writes the file's facts. A part that is not understood becomes a
	// Gap; an error is for a file of which nothing could be used.
	Parse func(f *File, b *timeline.Builder) error
	// Blocks cuts a file of several outputs apart, so that each is read in the
	// format that it is in. Nil where a file has one format.
	Blocks func(f *File) []File
}
