package main

import (
	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func (c *cli) checklist() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "checklist [PATH...]",
		Short: "tick off what removed and force-deleted pods left behind",
		Long: `Goes through what a pod may leave behind once the API does not have it:
containers, sandbox, processes, control group, mounts and subPaths, folder,
logs, network namespace, address, endpoints, volumes and attachments, its name's
leases, its Job and controller, its ports. Each row is clear (with what shows
it), left (with what it may do, whether it goes by itself, and how to clear it
safely) or unknown (with the command that would tell). Without a PATH it prints
the questions and the commands, to be gone through by hand.`,
		Example: `  podautopsy checklist bundle.tar.xz
  podautopsy checklist bundle/ --pod shop/cart-0
  podautopsy checklist bundle/ -o markdown=ticket.md
  podautopsy checklist`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return c.checklistForm(cmd, &f)
			}
			if err := paths(cmd, args); err != nil {
				return err
			}
			_, err := c.produce(cmd, &f, args, report.ChecklistFormats)
			return err
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.ChecklistFormats)
	f.addSelection(set)
	f.addDisplay(set)
	f.addRedaction(set)
	f.addReading(set)
	complete(cmd, report.ChecklistFormats)
	c.completeBundle(cmd, &f)
	completeWords(cmd, "redact", f.redact.allowed...)
	return cmd
}

// checklistForm prints the check-list for a pod of which nothing is known yet.
func (c *cli) checklistForm(cmd *cobra.Command, f *flags) error {
	for _, name := range []string{"output", "pod", "namespace"} {
		if cmd.Flags().Changed(name) {
			return hint(usagef("--%s needs the PATH of a bundle", name), "without one, the questions and commands are printed")
		}
	}
	opt, err := f.options(c, &analyzer.Document{})
	if err != nil {
		return err
	}
	return report.ChecklistForm(c.stdout, opt)
}
