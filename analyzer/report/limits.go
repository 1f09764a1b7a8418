package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// How a zone or a year is known: beside the time, or not at all.
const (
	given   = "given"
	assumed = "assumed"
)

// limits is what a reader must know before trusting the report: clocks that
// disagree, zones and years that are only assumed, and what could not be read.
func limits(v *view) []string {
	var out []string
	out = append(out, clocks(v)...)
	zones, years := 0, 0
	gaps := map[string]int{}
	unread, skimmed := 0, 0
	for _, in := range v.doc.Bundle.Inputs {
		if in.FirstTime != nil {
			if in.TimeZone.Known == assumed {
				zones++
			}
			if in.TimeZone.Year == assumed {
				years++
			}
		}
		if in.Format == "" && in.Unused == "" && in.Bytes > 0 {
			unread++
		}
		if in.Skimmed {
			skimmed++
		}
		for _, g := range in.Gaps {
			gaps[g.Kind]++
		}
	}
	if zones > 0 {
		out = append(out, "time zone, or since when ages count, assumed (not told by the bundle) for "+plural(zones, "input"))
	}
	if years > 0 {
		out = append(out, "year assumed (not told by the bundle) for "+plural(years, "input"))
	}
	if unread > 0 {
		out = append(out, plural(unread, "input")+" in no format that is read")
	}
	if skimmed > 0 {
		out = append(out, plural(skimmed, "large log")+" skimmed: only lines of failures, of whole nodes and of those reported on were looked at closer")
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

// clocks says which nodes' clocks differ from the API server's, and of which
// that is not known.
func clocks(v *view) []string {
	var out, unknown []string
	ask := ""
	for _, n := range v.doc.Bundle.Nodes {
		if n.ClockSkewSeconds == nil {
			if n.ClockSkewApplied && n.ClockSkewSince != nil {
				out = append(out, "the clock of "+printable(n.Name)+" was set at "+since(n)+": its times before that are put onto the same clock")
			}
			if n.ClockSkewAsk != "" {
				unknown = append(unknown, printable(n.Name))
				ask = cmp.Or(ask, printable(n.ClockSkewAsk))
			}
			continue
		}
		skew, spread := *n.ClockSkewSeconds, 0.0
		if n.ClockSkewSpread != nil {
			spread = *n.ClockSkewSpread
		}
		if !n.ClockSkewApplied && (math.Abs(skew) <= max(spread, noticeable) || skew == 0) {
			continue
		}
		what := "its times stand as they are"
		if n.ClockSkewApplied {
			what = "its times are corrected in the timeline, evidence shows them as they stand"
		}
		from := ""
		if n.ClockSkewSince != nil {
			from = " since " + since(n)
		}
		out = append(out, fmt.Sprintf("the clock of %s differs by %s (%s%.1fs) from the API server's%s: %s %s",
			printable(n.Name), ahead(skew), plusMinus(v.opt.ASCII), spread, from, what, cited(n.ClockSkewFrom)))
	}
	if len(unknown) > 0 {
		const most = 3
		more := ""
		if n := len(unknown) - most; n > 0 {
			unknown, more = unknown[:most], fmt.Sprintf(" and %d more", n)
		}
		out = append(out, "whether the clock of "+strings.Join(unknown, ", ")+more+" is right is unknown; would tell: "+ask)
	}
	return out
}

// noticeable is the least offset that a reader must know of.
const noticeable = 1.0

func plusMinus(ascii bool) string {
	if ascii {
		return "+/-"
	}
	return "±"
}
