package main

import (
	"github.com/spf13/cobra"

	"podautopsy/analyzer/report"
)

func (c *cli) inventory() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "inventory PATH...",
		Short: "what is in the bundle: files, time ranges, gaps, what is missing",
		Long: `Says per node what the bundle has, from when to when, and what it lacks, with
the command or the collector's option that brings it; then what could not be
used: lines that were dropped, masked or cut off, commands that failed, empty
files; then the files by folder and format. --files lists each, with its format,
the time it covers and how its time zone is known; of those that are alike, and
of those that are not used, one and how many more. -o json has all of them.

--pods is a patrol instead: everything in deletion or left behind, by node and
cause, with the time since T0, so that 40 pods on one wedged node are one
finding.`,
		Example: `  podautopsy inventory bundle.tar.xz
  podautopsy inventory bundle/ --files
  podautopsy inventory bundle/ --pods --longer-than 5m
  podautopsy inventory bundle/ --pods -n shop
  podautopsy inventory bundle/ -o json`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("longer-than") && !f.podList {
				return usagef("--longer-than is for --pods")
			}
			if cmd.Flags().Changed("namespace") && !f.podList {
				return usagef("--namespace is for --pods: files are of no namespace")
			}
			if !f.podList {
				f.namespace = ""
			}
			if f.longerThan < 0 {
				return usagef("--longer-than must not be negative")
			}
			_, err := c.produce(cmd, &f, args, report.InventoryFormats)
			return err
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.InventoryFormats)
	set.BoolVar(&f.files, "files", false, "list files, not only folders; those that are alike once")
	set.BoolVar(&f.podList, "pods", false, "list what is in deletion or left behind, by node and cause, instead")
	set.DurationVar(&f.longerThan, "longer-than", 0, "with --pods: only where T0 is this `LONG` before the capture, such as 5m")
	f.addNamespace(set)
	f.addDisplay(set)
	f.addReading(set)
	f.addVerbose(set)
	completeInventory(cmd)
	c.completeBundle(cmd, &f)
	return cmd
}

func completeInventory(cmd *cobra.Command) {
	var names []string
	for _, f := range report.InventoryFormats {
		names = append(names, f.Name)
	}
	completeWords(cmd, "output", names...)
	completeWords(cmd, "color", "auto", "always", "never")
}
