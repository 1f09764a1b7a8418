package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func (c *cli) analyze() *cobra.Command {
	var f flags
	failOn := choice{allowed: []string{analyzer.Stuck, analyzer.Residue, "any"}}
	var strict bool
	cmd := &cobra.Command{
		Use:   "analyze PATH...",
		Short: "find what is stuck or left behind, name the cause, write reports",
		Long: `Reads bundles (directories, files, archives, - for standard input; several are
one incident) and reports every pod that is stuck in Terminating or that left
something behind, with the cause, the evidence and the safe way out.`,
		Example: `  podautopsy analyze bundle.tar.xz
  podautopsy analyze cluster/ worker-1/ --pod shop/cart-0
  podautopsy analyze bundle/ -o text -o html=report.html -o json=report.json
  podautopsy analyze bundle/ -o markdown=comment.txt --profile jira
  podautopsy analyze bundle/ --why --timezone Europe/Berlin
  podautopsy analyze bundle/ -o json --fail-on stuck --strict
  podautopsy analyze bundle/ --redact -o markdown=ticket.md
  kubectl get pods -A -o yaml | podautopsy analyze -`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			doc, err := c.produce(cmd, &f, args, report.Formats)
			if err != nil {
				return err
			}
			return verdict(doc, failOn.value, strict)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.Formats)
	f.addProfile(set)
	f.addSelection(set)
	f.addWindow(set)
	set.BoolVar(&f.why, "why", false, "show every cause that was considered, with all its evidence")
	set.Var(&failOn, "fail-on", "exit with 3 when this `OUTCOME` was found: stuck, residue or any of them")
	set.BoolVar(&strict, "strict", false, "exit with 4 when a verdict is inconclusive")
	f.addDisplay(set)
	f.addRedaction(set)
	f.addReading(set)
	f.addVerbose(set)
	complete(cmd, report.Formats)
	c.completeBundle(cmd, &f)
	completeWords(cmd, "redact", f.redact.allowed...)
	completeWords(cmd, "fail-on", failOn.allowed...)
	completeWords(cmd, "profile", f.profile.allowed...)
	return cmd
}

// produce is the common course of analyze, timeline and inventory: check the
// command line, read, judge, write.
func (c *cli) produce(cmd *cobra.Command, f *flags, paths []string, formats []report.Format) (*analyzer.Document, error) {
	if err := f.check(); err != nil {
		return nil, err
	}
	outputs, err := parseOutputs(f.outputs, formats)
	if err != nil {
		return nil, err
	}
	if err := checkProfile(cmd, outputs); err != nil {
		return nil, err
	}
	if err := guardInputs(outputs, paths); err != nil {
		return nil, err
	}
	redaction, err := c.startRedaction(f)
	if err != nil {
		return nil, err
	}
	f.whole = slices.ContainsFunc(outputs, func(o output) bool { return o.format.Whole })
	doc, err := c.study(cmd.Context(), f, paths)
	if err != nil {
		return nil, err
	}
	if redaction != nil {
		if doc, err = redaction.onBundle(cmd.Context(), f, paths, doc); err != nil {
			return nil, err
		}
	}
	opt, err := f.options(c, doc)
	if err != nil {
		return nil, err
	}
	f.stages.begin("writing")
	if err := c.write(outputs, doc, opt); err != nil {
		return nil, err
	}
	if f.verbose {
		f.stages.write(c.stderr)
	}
	return doc, interrupted(doc)
}

// verdict turns what was found into an error, where the user asked for that.
func verdict(doc *analyzer.Document, failOn string, strict bool) error {
	count := map[string]int{}
	for i := range doc.Subjects {
		count[doc.Subjects[i].Outcome]++
	}
	found := count[failOn]
	if failOn == "any" {
		found = count[analyzer.Stuck] + count[analyzer.Residue]
	}
	switch {
	case found > 0:
		return &exitError{code: exitFound, err: fmt.Errorf("found what --fail-on %s asks for: %d", failOn, found)}
	case strict && count[analyzer.Inconclusive] > 0:
		return &exitError{code: exitInconclusive, err: fmt.Errorf("--strict: inconclusive verdicts: %d", count[analyzer.Inconclusive])}
	}
	return nil
}

// complete offers the fixed words of the shared flags to shells.
func complete(cmd *cobra.Command, formats []report.Format) {
	completeFormats(cmd, formats)
	completeWords(cmd, "color", "auto", "always", "never")
	completeWords(cmd, "anchor", anchorDeletion, anchorRequest)
}

func completeFormats(cmd *cobra.Command, formats []report.Format) {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	completeWords(cmd, "output", names...)
}
