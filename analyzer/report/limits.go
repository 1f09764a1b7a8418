package report

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// assumed marks a zone or year that nothing in the bundle tells.
const assumed = "assumed"

// limits is what a reader must know before trusting the report: clocks that
// disagree, zones and years that are only assumed, and what could not be read.
func limits(v *view) []string {
	var out []string
	for _, n := range v.doc.Bundle.Nodes {
		if n.ClockSkewSeconds == nil {
			continue
		}
		skew, spread := *n.ClockSkewSeconds, 0.0
		if n.ClockSkewSpread != nil {
			spread = *n.ClockSkewSpread
		}
		if math.Abs(skew) <= spread || skew == 0 {
			continue
		}
		out = append(out, fmt.Sprintf("the clock of %s differs by %+.1fs (%s%.1fs) from the API server's %s",
			printable(n.Name), skew, plusMinus(v.opt.ASCII), spread, cited(n.ClockSkewFrom)))
	}
	zones, years := 0, 0
	gaps := map[string]int{}
	unread := 0
	for _, in := range v.doc.Bundle.Inputs {
		if in.FirstTime != nil {
			if in.TimeZone.Known == assumed {
				zones++
			}
			if in.TimeZone.Year == assumed {
				years++
			}
		}
		if in.Format == "" {
			unread++
		}
		for _, g := range in.Gaps {
			gaps[g.Kind]++
		}
	}
	if zones > 0 {
		out = append(out, "time zone assumed (not told by the bundle) for "+plural(zones, "input"))
	}
	if years > 0 {
		out = append(out, "year assumed (not told by the bundle) for "+plural(years, "input"))
	}
	if unread > 0 {
		out = append(out, plural(unread, "input")+" in no format that is read")
	}
	if len(gaps) > 0 {
		kinds := make([]string, 0, len(gaps))
		for k := range gaps {
			kinds = append(kinds, k)
		}
		slices.Sort(kinds)
		for i, k := range kinds {
			kinds[i] = fmt.Sprintf("%d %s", gaps[k], printable(k))
		}
		out = append(out, "gaps in the evidence: "+strings.Join(kinds, ", ")+" (podautopsy inventory lists them)")
	}
	return out
}

func plusMinus(ascii bool) string {
	if ascii {
		return "+/-"
	}
	return "±"
}
