package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"podautopsy/analyzer"
)

// FleetJSON writes what many reports say together, for machines.
func FleetJSON(w io.Writer, s *analyzer.FleetSummary, _ Options) error { return writeJSON(w, s) }

// FleetText writes it for a person: causes by how often they were found, and
// below each the nodes, versions, drivers and weeks.
func FleetText(w io.Writer, s *analyzer.FleetSummary, opt Options) error {
	p := newPage(opt)
	c := opt.clock(nil)
	line := plural(s.Reports, "report")
	if s.Repeated > 0 {
		line += fmt.Sprintf(" (%d more were the same as others)", s.Repeated)
	}
	line += ": " + plural(s.Subjects, "object") + " stuck or left behind"
	if s.SeenAgain > 0 {
		line += fmt.Sprintf(" (seen again in later reports, counted once: %d)", s.SeenAgain)
	}
	p.paragraph("", p.styles.strong.Render(line))
	if s.FirstT0 != nil && s.LastT0 != nil {
		p.paragraph("", "T0 from "+c.full(*s.FirstT0)+" to "+c.full(*s.LastT0))
	}
	if outcomes := outcomeCounts(s.Outcomes); outcomes != "" {
		p.paragraph("", "outcomes: "+outcomes)
	}
	if len(s.Causes) > 0 {
		p.heading("CAUSES", "how often, and in how many reports")
	}
	for _, cause := range s.Causes {
		about := fmt.Sprintf("  %d of high confidence, in %s", cause.Sure, plural(cause.Reports, "report"))
		if cause.LongestOverdueSeconds > 0 {
			about += ", overdue " + upTo(cause.Subjects) + seconds(cause.LongestOverdueSeconds)
		}
		p.paragraph(fmt.Sprintf("  %5d  ", cause.Subjects), p.styles.strong.Render(printable(cause.Cause))+about)
		for _, d := range fleetDimensions(&cause) {
			if len(d.counts) > 0 {
				p.paragraph("         "+pad(d.name+"s", 9)+" ", countList(d.counts, opt.Why))
			}
		}
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

// FleetCSV writes one row for each cause and value.
func FleetCSV(w io.Writer, s *analyzer.FleetSummary, _ Options) error {
	out := csv.NewWriter(w)
	out.Write([]string{"cause", "dimension", "value", "subjects"})
	for _, cause := range s.Causes {
		out.Write([]string{notFormula(cause.Cause), "all", "", strconv.Itoa(cause.Subjects)})
		for _, d := range fleetDimensions(&cause) {
			for _, n := range d.counts {
				out.Write([]string{notFormula(cause.Cause), d.name, notFormula(n.Value), strconv.Itoa(n.Subjects)})
			}
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the summary: %w", err)
	}
	return nil
}

// fleetDimension is what a cause is counted by.
type fleetDimension struct {
	name   string
	counts []analyzer.Count
}

func fleetDimensions(c *analyzer.CauseCount) []fleetDimension {
	return []fleetDimension{
		{analyzer.ByNode, c.Nodes}, {analyzer.ByVersion, c.Versions}, {analyzer.ByDriver, c.Drivers}, {analyzer.ByWeek, c.Weeks},
	}
}

// countList is the values with their counts, the first few unless all are
// wanted.
func countList(counts []analyzer.Count, all bool) string {
	const few = 8
	var parts []string
	for i, n := range counts {
		if i == few && !all && len(counts) > few+1 {
			parts = append(parts, fmt.Sprintf("and %d more", len(counts)-i))
			break
		}
		parts = append(parts, unbroken(fmt.Sprintf("%s %d", printable(n.Value), n.Subjects)))
	}
	return strings.Join(parts, ", ")
}

func outcomeCounts(outcomes map[string]int) string {
	order := []string{analyzer.Stuck, analyzer.Residue, analyzer.InProgress, analyzer.Inconclusive, analyzer.Clean, analyzer.NotDeleting}
	var parts []string
	for _, o := range order {
		if n := outcomes[o]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o))
		}
	}
	others := 0
	for o, n := range outcomes {
		if !slices.Contains(order, o) {
			others += n
		}
	}
	if others > 0 {
		parts = append(parts, fmt.Sprintf("%d other", others))
	}
	return strings.Join(parts, ", ")
}
