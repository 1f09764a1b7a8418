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
		Long: `Lists per node the files of the bundle, the format each was read as, the time
it covers, how its time zone is known and what could not be used; then what an
analysis would miss, with the command that collects it.`,
		Example: `  podautopsy inventory bundle.tar.xz
  podautopsy inventory bundle/ -o json`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := c.produce(cmd, &f, args, report.InventoryFormats)
			return err
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.InventoryFormats)
	f.addDisplay(set)
	f.addReading(set)
	completeInventory(cmd)
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
