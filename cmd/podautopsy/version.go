package main

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// version is that of the main module, as the Go toolchain stamped it.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return info.Main.Version
}

func (c *cli) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "print the version and what it was built with",
		Example: "  podautopsy version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := fmt.Fprintf(c.stdout, "podautopsy %s\n", version()); err != nil {
				return err
			}
			if others := otherJournalReaders(); len(others) > 0 {
				readers := strings.Join(slices.Sorted(maps.Keys(others)), ", ")
				if _, err := fmt.Fprintf(c.stdout, "journal readers %s, %s\n", ownJournalReader, readers); err != nil {
					return err
				}
			}
			info, ok := debug.ReadBuildInfo()
			if !ok {
				return nil
			}
			_, err := fmt.Fprintf(c.stdout, "%s\n", info.GoVersion)
			for _, s := range info.Settings {
				if err == nil && (s.Key == "vcs.revision" || s.Key == "vcs.time" || s.Key == "vcs.modified") {
					_, err = fmt.Fprintf(c.stdout, "%s %s\n", s.Key, s.Value)
				}
			}
			return err
		},
	}
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments", cmd.CommandPath())
	}
	return nil
}
