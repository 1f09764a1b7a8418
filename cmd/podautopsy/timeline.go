package main

import (
	"github.com/spf13/cobra"

	"podautopsy/analyzer/report"
)

func (c *cli) timeline() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "timeline PATH...",
		Short: "the merged timeline of all sources around the deletions",
		Long: `Shows in one line of time what every source of the bundle says about the
deletions: API objects and Events, audit log, kubelet, runtime, kernel. T counts
from the deletion's deadline, or what --anchor names.`,
		Example: `  podautopsy timeline bundle.tar.xz --pod shop/cart-0
  podautopsy timeline bundle/ --pod cart-0 --anchor request --since 10m
  podautopsy timeline bundle/ -o csv=timeline.csv`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := c.produce(cmd, &f, args, report.TimelineFormats)
			return err
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.TimelineFormats)
	f.addSelection(set)
	f.addWindow(set)
	f.addDisplay(set)
	f.addReading(set)
	f.addVerbose(set)
	complete(cmd, report.TimelineFormats)
	c.completeBundle(cmd, &f)
	return cmd
}
