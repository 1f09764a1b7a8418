package analyzer

import (
	"regexp/syntax"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plainPattern is a pattern that is made of texts, runs of characters and
// choices, as nearly all of ours are. Whether an ASCII text fits it is found
// with searches for the texts, in a tenth of the time that regexp takes; what
// fits where is for regexp to tell.
type plainPattern struct{ first *plainStep }

// plainStep is what a text must hold at a place, and what comes after it.
type plainStep struct {
	is       plainStepKind
	text     string
	set      *[utf8.RuneSelf]bool // the characters of a run; nil for any
	min, max int                  // its length; max < 0 for any
	either   []*plainStep         // each goes on to the end of the pattern by itself
	next     *plainStep
}

type plainStepKind int

const (
	isEnd plainStepKind = iota // of the pattern: the text fits
	isText
	isRun
	isEither
	isLineStart
	isLineEnd
	isTextStart
	isTextEnd
	isWordBoundary
	isNoWordBoundary
)

// plainPatternOf is nil for a pattern with anything else in it.
func plainPatternOf(pattern string) *plainPattern {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	first := plainSteps(re, &plainStep{is: isEnd})
	if first == nil {
		return nil
	}
	return &plainPattern{first}
}

// plainSteps are those of an expression, going on with next; nil if it has none.
func plainSteps(re *syntax.Regexp, next *plainStep) *plainStep {
	if next == nil {
		return nil
	}
	switch re.Op { //nolint:exhaustive // of the others no pattern of ours has any
	case syntax.OpEmptyMatch:
		return next
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			for i := len(re.Rune) - 1; i >= 0; i-- {
				next = &plainStep{is: isRun, set: eitherCase(re.Rune[i]), min: 1, max: 1, next: next}
			}
			return next
		}
		if next.is == isText {
			return &plainStep{is: isText, text: string(re.Rune) + next.text, next: next.next}
		}
		return &plainStep{is: isText, text: string(re.Rune), next: next}
	case syntax.OpCapture:
		return plainSteps(re.Sub[0], next)
	case syntax.OpConcat:
		for i := len(re.Sub) - 1; i >= 0; i-- {
			next = plainSteps(re.Sub[i], next)
		}
		return next
	case syntax.OpAlternate:
		s := &plainStep{is: isEither}
		for _, sub := range re.Sub {
			branch := plainSteps(sub, next)
			if branch == nil {
				return nil
			}
			s.either = append(s.either, branch)
		}
		return s
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return plainRun(re, 1, 1, next)
	case syntax.OpStar:
		return plainRun(re.Sub[0], 0, -1, next)
	case syntax.OpPlus:
		return plainRun(re.Sub[0], 1, -1, next)
	case syntax.OpQuest:
		return plainRepeat(re.Sub[0], 0, 1, next)
	case syntax.OpRepeat:
		return plainRepeat(re.Sub[0], re.Min, re.Max, next)
	case syntax.OpBeginLine:
		return &plainStep{is: isLineStart, next: next}
	case syntax.OpEndLine:
		return &plainStep{is: isLineEnd, next: next}
	case syntax.OpBeginText:
		return &plainStep{is: isTextStart, next: next}
	case syntax.OpEndText:
		return &plainStep{is: isTextEnd, next: next}
	case syntax.OpWordBoundary:
		return &plainStep{is: isWordBoundary, next: next}
	case syntax.OpNoWordBoundary:
		return &plainStep{is: isNoWordBoundary, next: next}
	}
	return nil
}

// plainRepeat is a run, or several times the same steps.
func plainRepeat(re *syntax.Regexp, least, most int, next *plainStep) *plainStep {
	if run := plainRun(re, least, most, next); run != nil {
		return run
	}
	const longest = 8
	if most < 0 || most > longest {
		return nil
	}
	for n := most; n > 0; n-- {
		once := plainSteps(re, next)
		if once == nil {
			return nil
		}
		if n > least {
			once = &plainStep{is: isEither, either: []*plainStep{once, next}}
		}
		next = once
	}
	return next
}

// plainRun is nil if not one character is repeated.
func plainRun(re *syntax.Regexp, least, most int, next *plainStep) *plainStep {
	s := &plainStep{is: isRun, min: least, max: most, next: next}
	switch {
	case re.Op == syntax.OpCapture:
		return plainRun(re.Sub[0], least, most, next)
	case re.Op == syntax.OpAnyChar:
	case re.Op == syntax.OpAnyCharNotNL:
		s.set = setOf([]rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune})
	case re.Op == syntax.OpCharClass:
		s.set = setOf(re.Rune)
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1 && re.Flags&syntax.FoldCase != 0:
		s.set = eitherCase(re.Rune[0])
	case re.Op == syntax.OpLiteral && len(re.Rune) == 1:
		s.set = setOf([]rune{re.Rune[0], re.Rune[0]})
	default:
		return nil
	}
	return s
}

// setOf is made of pairs of the first and the last rune of ranges.
func setOf(ranges []rune) *[utf8.RuneSelf]bool {
	var set [utf8.RuneSelf]bool
	for i := 0; i+1 < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1] && r < utf8.RuneSelf; r++ {
			set[r] = true
		}
	}
	return &set
}

func eitherCase(r rune) *[utf8.RuneSelf]bool {
	set := setOf([]rune{r, r})
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other < utf8.RuneSelf {
			set[other] = true
		}
	}
	return set
}

// fits says whether a text fits, and whether it could be told: not of a text
// with other characters than those of ASCII, and not of one that would take
// too many tries.
func (p *plainPattern) fits(text string) (fits, told bool) {
	if !isASCII(text) {
		return false, false
	}
	const triesPerByte = 8
	m := plainMatcher{text: text, tries: triesPerByte*len(text) + 1000}
	for at := 0; at <= len(text); at++ {
		if p.first.is == isText {
			n := strings.Index(text[at:], p.first.text)
			if n < 0 {
				return false, true
			}
			at += n
		}
		if m.fitsAt(p.first, at) {
			return true, true
		}
		if m.tries <= 0 {
			return false, false
		}
	}
	return false, true
}

// plainMatcher tries a pattern on a text.
type plainMatcher struct {
	text  string
	tries int // left
}

// fitsAt says whether the text fits from a place on. What it says when no tries
// are left means nothing.
func (m *plainMatcher) fitsAt(s *plainStep, at int) bool {
	for ; ; s = s.next {
		if m.tries--; m.tries <= 0 {
			return false
		}
		switch s.is { //nolint:exhaustive // holds tells of the others
		case isEnd:
			return true
		case isText:
			if !strings.HasPrefix(m.text[at:], s.text) {
				return false
			}
			at += len(s.text)
		case isRun:
			n := s.run(m.text[at:])
			if n < s.min {
				return false
			}
			if n > s.min {
				return m.fitsAfterRun(s, at+s.min, at+n)
			}
			at += n
		case isEither:
			for _, branch := range s.either {
				if m.fitsAt(branch, at) {
					return true
				}
			}
			return false
		default:
			if !m.holds(s.is, at) {
				return false
			}
		}
	}
}

// fitsAfterRun says whether the text fits if a run ends at one of these places.
func (m *plainMatcher) fitsAfterRun(s *plainStep, first, last int) bool {
	next := s.next
	if next.is != isText {
		for at := last; at >= first && m.tries > 0; at-- {
			if m.fitsAt(next, at) {
				return true
			}
		}
		return false
	}
	if c := next.text[0]; s.set != nil && (c >= utf8.RuneSelf || !s.set[c]) {
		return m.fitsAt(next, last) // before the last there are characters of the run
	}
	end := min(last+len(next.text), len(m.text))
	for at := first; at < end && m.tries > 0; at++ {
		n := strings.Index(m.text[at:end], next.text)
		if n < 0 {
			return false
		}
		at += n
		if m.fitsAt(next.next, at+len(next.text)) {
			return true
		}
	}
	return false
}

// run is how many characters at the start of a text belong to a run.
func (s *plainStep) run(text string) int {
	most := len(text)
	if s.max >= 0 {
		most = min(most, s.max)
	}
	if s.set == nil {
		return most
	}
	for n := range most {
		if !s.set[text[n]] {
			return n
		}
	}
	return most
}

// holds is about the steps that take no text.
func (m *plainMatcher) holds(is plainStepKind, at int) bool {
	before, after := byte('\n'), byte('\n')
	if at > 0 {
		before = m.text[at-1]
	}
	if at < len(m.text) {
		after = m.text[at]
	}
	switch is { //nolint:exhaustive // the others take text
	case isLineStart:
		return before == '\n'
	case isLineEnd:
		return after == '\n'
	case isTextStart:
		return at == 0
	case isTextEnd:
		return at == len(m.text)
	case isWordBoundary:
		return syntax.IsWordChar(rune(before)) != syntax.IsWordChar(rune(after))
	case isNoWordBoundary:
		return syntax.IsWordChar(rune(before)) == syntax.IsWordChar(rune(after))
	}
	return false
}

func isASCII(text string) bool {
	const eight = 8 // at a time: one load
	for len(text) >= eight {
		if (text[0]|text[1]|text[2]|text[3]|text[4]|text[5]|text[6]|text[7])&utf8.RuneSelf != 0 {
			return false
		}
		text = text[eight:]
	}
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
