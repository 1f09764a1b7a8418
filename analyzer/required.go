package analyzer

import (
	"cmp"
	"regexp/syntax"
	"slices"
	"strings"
)

// requirement is what a text must hold to fit a pattern: of each set one
// member. To look for these costs little beside the pattern.
type requirement [][]string

// requiredBy works out what a pattern requires. What it cannot see it leaves
// out.
func requiredBy(pattern string) requirement {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil
	}
	const most = 4
	sets := requiredOf(re)
	slices.SortStableFunc(sets, func(a, b []string) int { return cmp.Compare(shortest(b), shortest(a)) })
	return sets[:min(len(sets), most)]
}

func requiredOf(re *syntax.Regexp) requirement {
	switch re.Op { //nolint:exhaustive // the others require no text
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && len(re.Rune) > 1 {
			return requirement{{string(re.Rune)}}
		}
	case syntax.OpConcat:
		var all requirement
		for _, sub := range re.Sub {
			all = append(all, requiredOf(sub)...)
		}
		return all
	case syntax.OpCapture, syntax.OpPlus:
		return requiredOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return requiredOf(re.Sub[0])
		}
	case syntax.OpAlternate:
		var either []string
		for _, sub := range re.Sub {
			sets := requiredOf(sub)
			if len(sets) == 0 {
				return nil // this branch may fit without
			}
			either = append(either, slices.MaxFunc(sets, func(a, b []string) int { return cmp.Compare(shortest(a), shortest(b)) })...)
		}
		const several = 6
		if len(either) <= several {
			return requirement{either}
		}
	}
	return nil
}

func shortest(set []string) int {
	return len(slices.MinFunc(set, func(a, b string) int { return cmp.Compare(len(a), len(b)) }))
}

// heldBy says whether a text may fit.
func (r requirement) heldBy(text string) bool {
	for _, set := range r {
		if !slices.ContainsFunc(set, func(s string) bool { return strings.Contains(text, s) }) {
			return false
		}
	}
	return true
}
