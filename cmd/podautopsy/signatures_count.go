package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/parsers"
)

func (c *cli) signaturesCount() *cobra.Command {
	var f flags
	var only signatureFilter
	output := choice{value: "text", allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "count PATH...",
		Short: "count the lines of logs that fit each signature",
		Long: `Counts the lines of a bundle's texts, and the messages of its binary journals,
that fit each signature: what a log is full of. Lines are taken as they stand,
whoever wrote them and whomever they are about; analyze is who judges.`,
		Example: `  podautopsy signatures count journal.log
  podautopsy signatures count node/var/log/journal --polarity failure
  podautopsy signatures count sosreport.tar.xz -o json`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			catalogue, err := c.engine.signatures(f.signatures)
			if err != nil {
				return err
			}
			list, err := only.of(catalogue.Signatures)
			if err != nil {
				return err
			}
			jobs := f.limits.jobs
			if jobs == 0 {
				jobs = runtime.GOMAXPROCS(0)
			}
			var tallies []*analyzer.Tally
			var scanners []parsers.Scanner
			for range jobs {
				t := catalogue.NewTally(list)
				tallies, scanners = append(tallies, t), append(scanners, t)
			}
			gaps, err := parsers.Scan(cmd.Context(), args, c.stdin, f.limits.reading(), scanners)
			c.warn(gaps)
			if err != nil {
				return err
			}
			for _, t := range tallies[1:] {
				tallies[0].Add(t)
			}
			if output.value == "json" {
				return c.writeJSON(describeTally(tallies[0]))
			}
			return c.say(listTally(tallies[0]))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.VarP(&output, "output", "o", "write `FORMAT`: text or json")
	only.add(set)
	set.IntVarP(&f.limits.jobs, "jobs", "j", 0, "look at `N` parts at a time (default the number of CPUs)")
	f.addLimits(set)
	addSignatures(set, &f.signatures)
	completeWords(cmd, "output", output.allowed...)
	return cmd
}

// tally is the JSON form of a count.
type tally struct {
	Lines      int            `json:"lines"` // that fit any
	Signatures []signatureHit `json:"signatures"`
}

type signatureHit struct {
	ID      string `json:"id"`
	Lines   int    `json:"lines"`
	Meaning string `json:"meaning"`
}

func describeTally(t *analyzer.Tally) tally {
	out := tally{Lines: t.Matched(), Signatures: []signatureHit{}}
	for _, n := range t.Counts() {
		out.Signatures = append(out.Signatures, signatureHit{n.Signature.ID, n.Lines, n.Signature.Meaning})
	}
	return out
}

// listTally is a table, and a line of what it comes to.
func listTally(t *analyzer.Tally) string {
	var b strings.Builder
	counts := t.Counts()
	for _, n := range counts {
		fmt.Fprintf(&b, "%9d  %s\n", n.Lines, n.Signature.ID)
	}
	if len(counts) == 0 {
		return "no line fits a signature\n"
	}
	fmt.Fprintf(&b, "%s, of %s\n", count(t.Matched(), "line"), count(len(counts), "signature"))
	return b.String()
}
