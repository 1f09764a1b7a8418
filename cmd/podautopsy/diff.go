package main

import (
	"bytes"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func (c *cli) diff() *cobra.Command {
	var f flags
	output := choice{value: "text", allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "compare two captures: what was released, what remains, what is new",
		Long: `Compares a capture from before with one from after, and says whether what was
done worked: what was stuck or left behind in OLD is looked for in NEW by its
UID, and is released only where NEW shows that it is gone. OLD and NEW are
bundles, or JSON reports of them; a report as NEW tells only of what it has as
subjects.`,
		Example: `  podautopsy diff before.tar.gz after.tar.gz
  podautopsy diff report.json after/ -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return hint(usagef("%s needs OLD and NEW", cmd.CommandPath()), "two bundles, or JSON reports of them")
			}
			return paths(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			before, err := c.captured(cmd, f, args[0], nil)
			if err != nil {
				return err
			}
			after, err := c.captured(cmd, f, args[1], before.Follow())
			if err != nil {
				return err
			}
			d := analyzer.CompareCaptures(before, after)
			var out bytes.Buffer
			render := report.DifferenceText
			if output.value == "json" {
				render = report.DifferenceJSON
			}
			opt, err := f.options(c, after)
			if err != nil {
				return err
			}
			if err := render(&out, d, opt); err != nil {
				return err
			}
			if _, err := io.Copy(c.stdout, &out); err != nil {
				return err
			}
			if before.Partial {
				return interrupted(before)
			}
			return interrupted(after)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.VarP(&output, "output", "o", "write `FORMAT`: text or json")
	f.addDisplay(set)
	f.addReading(set)
	completeWords(cmd, "output", output.allowed...)
	completeWords(cmd, "color", "auto", "always", "never")
	return cmd
}

// captured is the report on one side of a comparison: read, or made.
func (c *cli) captured(cmd *cobra.Command, f flags, path string, follow []analyzer.Followed) (*analyzer.Document, error) {
	if isReport(path) {
		return c.reopen(path)
	}
	f.follow = follow
	return c.study(cmd.Context(), &f, []string{path})
}

// isReport says whether a file is a report of ours, by its first field.
func isReport(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	head := make([]byte, 256)
	n, _ := io.ReadFull(file, head) // a short file is no report
	start := strings.Join(strings.Fields(string(head[:n])), "")
	return strings.HasPrefix(start, `{"schema":"`+analyzer.Schema+`"`)
}
