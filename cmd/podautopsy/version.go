package main

import (
	"fmt"
	"maps"
	"runtime"
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
		Short:   "print the version, its commit, signatures, readers of journals",
		Example: "  podautopsy version",
		Args:    noArgs,
		RunE: func(*cobra.Command, []string) error {
			catalogue, err := c.engine.signatures(nil)
			if err != nil {
				return err
			}
			readers := append([]string{ownJournalReader}, slices.Sorted(maps.Keys(otherJournalReaders()))...)
			var b strings.Builder
			fmt.Fprintf(&b, "podautopsy %s\n", version())
			fmt.Fprintf(&b, "commit %s\n", commit())
			fmt.Fprintf(&b, "signatures %d, %s\n", catalogue.Count(), catalogue.Digest())
			fmt.Fprintf(&b, "journal readers %s\n", strings.Join(readers, ", "))
			fmt.Fprintf(&b, "%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return c.say(b.String())
		},
	}
}

// commit is what was built, where the toolchain saw a repository.
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	stamped := map[string]string{}
	for _, s := range info.Settings {
		stamped[s.Key] = s.Value
	}
	revision := stamped["vcs.revision"]
	if revision == "" {
		return "unknown"
	}
	if at := stamped["vcs.time"]; at != "" {
		revision += " of " + at
	}
	if stamped["vcs.modified"] == "true" {
		revision += ", and changes that are not committed"
	}
	return revision
}

func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef("%s takes no arguments", cmd.CommandPath())
	}
	return nil
}
