package report

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// fileGap is a gap and the file that it is in.
type fileGap struct {
	in  *analyzer.Input
	gap analyzer.Gap
}

// gapsByKind groups what could not be used, the kinds by name.
func gapsByKind(inputs []analyzer.Input) (kinds []string, of map[string][]fileGap) {
	of = map[string][]fileGap{}
	for n := range inputs {
		for _, g := range inputs[n].Gaps {
			if len(of[g.Kind]) == 0 {
				kinds = append(kinds, g.Kind)
			}
			of[g.Kind] = append(of[g.Kind], fileGap{&inputs[n], g})
		}
	}
	slices.SortFunc(kinds, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(gapOrder, a), slices.Index(gapOrder, b)), strings.Compare(a, b))
	})
	return kinds, of
}

// gapOrder is how much a kind of gap may change a verdict, the least first.
var gapOrder = []string{"suppressed", "truncated", "rotated", "masked", "command-failed", "unreadable", "not-understood"}

// alike groups the same gap of several files of a folder, where folders and
// gaps that differ in figures only are the same: those of many processes.
func alike(list []fileGap) [][]fileGap {
	var groups [][]fileGap
	at := map[string]int{}
	for _, g := range list {
		dir := g.in.Path[:strings.LastIndexAny(g.in.Path, "/!")+1]
		key := figures.ReplaceAllString(dir, "#") + "\x00" + figures.ReplaceAllString(g.gap.Detail, "#")
		n, ok := at[key]
		if !ok {
			n = len(groups)
			at[key] = n
			groups = append(groups, nil)
		}
		groups[n] = append(groups[n], g)
	}
	return groups
}

var figures = regexp.MustCompile(`[0-9]+`)

// gaps lists what could not be used of the files, by kind.
func (i *inventory) gaps() {
	kinds, of := gapsByKind(i.bundle.Inputs)
	if len(kinds) == 0 {
		return
	}
	i.heading("GAPS", gapNote(kinds))
	for _, kind := range kinds {
		list := of[kind]
		i.paragraph("  ", i.styles.warn.Render(printable(kind))+fmt.Sprintf("  %d in %s", len(list), plural(filesOf(list), "file")))
		groups := alike(list)
		told := 0
		for n, group := range groups {
			if n == fewGaps && len(groups) > fewGaps+1 {
				i.paragraph("      ", fmt.Sprintf("and %s more: --files shows all", thousands(len(list)-told)))
				break
			}
			told += len(group)
			g, when, more := group[0], "", ""
			if n := len(group) - 1; n > 0 {
				more = i.styles.faint.Render(fmt.Sprintf("  and %s like it", thousands(n)))
			}
			if g.gap.From != nil || g.gap.To != nil {
				when = "  " + i.between(g.gap.From, g.gap.To)
			}
			i.paragraph("    "+i.marks.bullet+" ", printable(shownPath(i.bundle, g.in.Path))+when+"  "+quote(g.gap.Detail)+more)
		}
	}
}

// fewGaps of a kind are told one by one.
const fewGaps = 5

func gapNote(kinds []string) string {
	if slices.Contains(kinds, "command-failed") {
		return "an empty or failed file is no answer: it never means that there is none"
	}
	return ""
}

func filesOf(list []fileGap) int {
	seen := map[*analyzer.Input]bool{}
	for _, g := range list {
		seen[g.in] = true
	}
	return len(seen)
}

// between is a span of times; one end of it may not be known.
func (i *inventory) between(from, to *time.Time) string {
	end := func(t *time.Time) string {
		if t == nil {
			return "?"
		}
		return i.clock.short(*t, 1)
	}
	if from == nil && to == nil {
		return "at no known time"
	}
	return strings.Join([]string{end(from), end(to)}, " "+i.marks.dash+" ")
}
