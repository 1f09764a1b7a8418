package parsers

import (
	"path"
	"strings"

	"podautopsy/timeline"
)

// tailSectionsParser reads several files in one.
var tailSectionsParser = Parser{
	Name:  "tail-sections",
	Doc:   "Several files in one, each below \"==> PATH <==\", as tail and head print them.",
	Sniff: sniffTailSections,
	Parse: func(*File, *timeline.Builder) error { return nil }, // all is in the blocks

	Blocks: tailBlocks,
}

// section is a part of a file with the heading that it stands under.
type section struct {
	name string
	text File
}

// sectionHeading reads "==> NAME <==".
func sectionHeading(s string) (name string, ok bool) {
	const longest = 512
	if len(s) > longest {
		return "", false
	}
	name, ok = strings.CutPrefix(strings.TrimRight(s, " "), "==> ")
	if !ok {
		return "", false
	}
	name, ok = strings.CutSuffix(name, " <==")
	return name, ok && name != ""
}

// sections cuts a file at its headings. What stands before the first has none.
func sections(f *File) []section {
	var all []section
	base := f.Offset
	open := section{text: File{Path: f.Path, FirstLine: max(f.FirstLine, 1), Offset: base, Node: f.Node, CapturedAt: f.CapturedAt}}
	finish := func(offset int64) {
		open.text.Text = withoutBlankEnd(f.Text[open.text.Offset-base : offset-base])
		if open.name != "" || !open.text.blank() {
			all = append(all, open)
		}
	}
	for l := range f.lines() {
		name, ok := sectionHeading(l.text)
		if !ok {
			continue
		}
		finish(l.offset)
		below := l.offset + int64(len(l.text))
		below += int64(lineLength(f.Text[below-base:])) // the line's end
		open.name, open.text.Section = name, name
		open.text.FirstLine, open.text.Offset = l.number+1, below
	}
	finish(base + int64(len(f.Text)))
	return all
}

// withoutBlankEnd drops the blank lines that set a section off from the next.
func withoutBlankEnd(text string) string {
	end := len(strings.TrimRight(text, " \t\r\n"))
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		end += i + 1
	}
	return text[:end]
}

// sniffTailSections wants the first line to be a heading that is a path: tail
// prints nothing before it.
func sniffTailSections(f *File) bool {
	lines := f.firstLines(1)
	if len(lines) == 0 {
		return false
	}
	name, ok := sectionHeading(lines[0])
	return ok && strings.ContainsAny(name, "/.")
}

// tailBlocks are the files that tail printed, as if cat had.
func tailBlocks(f *File) []File {
	var blocks []File
	for _, s := range sections(f) {
		block := s.text
		if path.IsAbs(s.name) {
			block.Command = "cat " + s.name
		}
		blocks = append(blocks, block)
	}
	return blocks
}
