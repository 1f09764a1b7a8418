package parsers

import (
	"iter"
	"strings"

	"podautopsy/timeline"
)

// jsonValue is one JSON value inside a file, with its place.
type jsonValue struct {
	text string
	at   int // in File.Text
	cut  bool
}

// jsonDocuments walks the JSON objects of a text: one, several after each
// other, or the elements of a top-level array. Whatever stands between them
// (warnings, headings of cat and head) is passed over, but for a line that
// begins an object or array. A last object without an end is given as cut.
func jsonDocuments(text string) iter.Seq[jsonValue] {
	return func(yield func(jsonValue) bool) {
		at, lineStart := 0, true
		for at < len(text) {
			switch c := text[at]; {
			case c == ' ' || c == '\t' || c == '\r' || c == ',' || c == ']' || c == '[' && lineStart:
				at++
			case c == '\n':
				at, lineStart = at+1, true
			case c == '{' && lineStart:
				end := skipJSON(text, at)
				v := jsonValue{at: at}
				if v.cut = end < 0; v.cut {
					end = len(text)
				}
				v.text = text[at:end]
				if !yield(v) {
					return
				}
				at = end
			default:
				next := strings.IndexByte(text[at:], '\n')
				if next < 0 {
					return
				}
				at += next
			}
		}
	}
}

// elements walks the objects of the array that v holds at from; the last one
// may be cut off.
func (v jsonValue) elements(from int) iter.Seq[jsonValue] {
	return func(yield func(jsonValue) bool) {
		for at := from + 1; at < len(v.text); {
			switch v.text[at] {
			case ' ', '\t', '\r', '\n', ',':
				at++
				continue
			case '{':
			default:
				return
			}
			end := skipJSON(v.text, at)
			e := jsonValue{at: v.at + at, cut: end < 0}
			if e.cut {
				end = len(v.text)
			}
			e.text = v.text[at:end]
			if !yield(e) {
				return
			}
			at = end
		}
	}
}

// topKeys are the names of the members of the first object in a text.
func topKeys(text string) map[string]bool {
	keys := make(map[string]bool)
	for v := range jsonDocuments(text) {
		for m := range jsonMembers(v.text) {
			keys[m.key] = true
		}
		break
	}
	return keys
}

// lineFinder turns offsets of a text into lines, cheaply where they rise.
type lineFinder struct {
	file       *File
	start, end int // of the line last found
	number     int
}

func newLineFinder(f *File) *lineFinder {
	n := &lineFinder{file: f}
	n.rewind()
	return n
}

func (n *lineFinder) rewind() {
	n.start, n.end, n.number = 0, lineEnd(n.file.Text, 0), max(n.file.FirstLine, 1)
}

// lineEnd is where the line that goes on at offset ends.
func lineEnd(text string, offset int) int {
	if i := strings.IndexByte(text[offset:], '\n'); i >= 0 {
		return offset + i
	}
	return len(text)
}

// excerptLonger is how long a line may be to stand as evidence whole; of JSON
// that is written on one line only the part in question does.
const excerptLonger = 1000

// at is the line that holds the offset.
func (n *lineFinder) at(offset int) line {
	text := n.file.Text
	if offset < n.start {
		n.rewind()
	}
	for offset > n.end {
		n.start = n.end + 1
		n.end = lineEnd(text, n.start)
		n.number++
	}
	l := line{text: strings.TrimSuffix(text[n.start:n.end], "\r"), number: n.number, offset: n.file.Offset + int64(n.start)}
	if len(l.text) > excerptLonger {
		l.text = strings.ToValidUTF8(text[offset:min(n.end, offset+excerptLonger)], "")
	}
	return l
}

// place is the line of the member at path inside v, or of v itself.
func (n *lineFinder) place(v jsonValue, path ...string) line {
	if at, _, ok := findJSON(v.text, path); ok {
		return n.at(v.at + at)
	}
	return n.at(v.at)
}

// factIn is what a fact read from v shares; the member at path is its place.
func (n *lineFinder) factIn(b *timeline.Builder, v jsonValue, path ...string) timeline.Fact {
	return factAt(n.file, b, n.place(v, path...))
}

// stateIn is factIn with the line of the state beside that of the id: the two
// lines together are the evidence. Where both are on one line it stands alone.
func (n *lineFinder) stateIn(b *timeline.Builder, v jsonValue, id, state []string) timeline.Fact {
	fact := n.factIn(b, v, id...)
	at, _, ok := findJSON(v.text, state)
	if !ok {
		return fact
	}
	if l := n.at(v.at + at); l.number > fact.Source.Line {
		fact.Text += "\n" + l.text
		fact.Source.LastLine = l.number
	}
	return fact
}
