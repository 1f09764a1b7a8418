package analyzer

import (
	"bytes"
	"slices"
	"strings"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// Tally counts the lines that fit signatures, whoever wrote them and whomever
// they are about: what a log is full of. It is not safe for concurrent use;
// several are added up.
type Tally struct {
	catalogue *Catalogue
	index     literalIndex // of the signatures that are counted
	fits      []int        // lines, by the number of the signature
	lines     int
	found     []candidateLine // of the text that is looked at
}

// candidateLine is a line that holds a literal of a signature.
type candidateLine struct{ start, signature int }

// NewTally prepares a count of these signatures of the catalogue. Those without
// a literal, and those of what commands print, are not about lines of logs.
func (c *Catalogue) NewTally(of []*Signature) *Tally {
	wanted := func(s *Signature) bool { return s.InLogs() && slices.Contains(of, s) }
	return &Tally{catalogue: c, index: indexLiterals(c.Signatures, wanted), fits: make([]int, len(c.Signatures))}
}

// InLogs says whether a signature is about lines of logs, rather than about
// what commands print, and has a literal to find them by.
func (s *Signature) InLogs() bool {
	return len(s.Literals) > 0 && !slices.Equal(s.Component, Words{timeline.Command})
}

// Lines counts in a run of whole lines.
func (t *Tally) Lines(text []byte) { t.count(text, '\n') }

// Message counts a message, which may have several lines of its own, as one.
func (t *Tally) Message(text []byte) { t.count(text, -1) }

// count looks at the lines of a text, or at all of it if nothing ends a line.
func (t *Tally) count(text []byte, lineEnd int) {
	t.found = t.found[:0]
	from, to := 0, 0 // the line that was looked at last
	literal.Find(t.index.index, text, func(l, at int) {
		if at < from || at >= to {
			if from, to = 0, len(text); lineEnd >= 0 {
				from, to = startOfLine(text, at), endOfLine(text, at)
			}
		}
		for _, n := range t.index.owners[l] {
			t.found = append(t.found, candidateLine{from, n})
		}
	})
	if len(t.found) == 0 {
		return
	}
	slices.SortFunc(t.found, func(a, b candidateLine) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.signature - b.signature
	})
	t.found = slices.Compact(t.found)
	whole := string(text) // once, not for each line
	counted, start, line := -1, -1, ""
	for _, f := range t.found {
		if f.start != start {
			start, line = f.start, lineAt(whole, f.start, lineEnd)
		}
		if !t.catalogue.Signatures[f.signature].fits(line) {
			continue
		}
		t.fits[f.signature]++
		if f.start != counted {
			counted = f.start
			t.lines++
		}
	}
}

// lineAt is the line that begins at a place, as far as patterns look.
func lineAt(text string, start, lineEnd int) string {
	line := text[start:]
	if lineEnd >= 0 {
		line, _, _ = strings.Cut(line, "\n")
		line = strings.TrimSuffix(line, "\r")
	}
	return line[:min(len(line), patternReach)]
}

// fits says whether a line fits the pattern.
func (s *Signature) fits(line string) bool {
	pattern, err := s.regexp()
	if err != nil || !s.requires.heldBy(line) {
		return false
	}
	if s.plain != nil {
		if fits, told := s.plain.fits(line); told {
			return fits
		}
	}
	return pattern.MatchString(line)
}

// startOfLine is where the line that holds text[at] begins.
func startOfLine(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// endOfLine is where the line that holds text[at] ends, before its line break.
func endOfLine(text []byte, at int) int {
	if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// Add adds another count of the same signatures.
func (t *Tally) Add(other *Tally) {
	t.lines += other.lines
	for n, fits := range other.fits {
		t.fits[n] += fits
	}
}

// Matched is how many lines fit at least one signature.
func (t *Tally) Matched() int { return t.lines }

// SignatureCount is how many lines fit a signature.
type SignatureCount struct {
	Signature *Signature
	Lines     int
}

// Counts are those of the signatures that any line fits, the most lines first.
func (t *Tally) Counts() []SignatureCount {
	var out []SignatureCount
	for n, s := range t.catalogue.Signatures {
		if t.fits[n] > 0 {
			out = append(out, SignatureCount{s, t.fits[n]})
		}
	}
	slices.SortStableFunc(out, func(a, b SignatureCount) int { return b.Lines - a.Lines })
	return out
}
