package report

import (
	"fmt"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// zones says of which files the zone or the year of their times is not written
// beside them, and how it is known.
func (i *inventory) zones() {
	var kinds []string
	of := map[string][]*analyzer.Input{}
	for n := range i.bundle.Inputs {
		in := &i.bundle.Inputs[n]
		if kind := zoneWords(in); kind != "" {
			if len(of[kind]) == 0 {
				kinds = append(kinds, kind)
			}
			of[kind] = append(of[kind], in)
		}
	}
	if len(kinds) == 0 {
		return
	}
	slices.Sort(kinds)
	i.heading("TIMES", "whose zone or year is not written beside them; all others are given")
	for _, kind := range kinds {
		list := of[kind]
		var paths []string
		for _, in := range list[:min(len(list), fewGaps)] {
			paths = append(paths, printable(shownPath(i.bundle, in.Path)))
		}
		more := ""
		if n := len(list) - len(paths); n > 0 {
			more = fmt.Sprintf(" and %s more", thousands(n))
		}
		i.paragraph("  "+i.marks.bullet+" ", kind+"  "+plural(len(list), "file")+": "+strings.Join(paths, ", ")+more)
	}
}

// zoneWords says how the zone and the year of a file's times are known; "" if
// both are written.
func zoneWords(in *analyzer.Input) string {
	var words []string
	if in.FirstTime == nil {
		return ""
	}
	if in.TimeZone.Known != "" && in.TimeZone.Known != given {
		words = append(words, "zone "+printable(in.TimeZone.Name+" "+in.TimeZone.Known))
	}
	if in.TimeZone.Year != "" && in.TimeZone.Year != given {
		words = append(words, "year "+printable(in.TimeZone.Year))
	}
	return strings.Join(words, ", ")
}
