package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func (c *cli) summarize() *cobra.Command {
	var f flags
	output := choice{value: "text", allowed: []string{"text", "json", "csv"}}
	cmd := &cobra.Command{
		Use:   "summarize REPORT.json...",
		Short: "count causes over many reports: by node, version, driver, week",
		Long: `Reads any number of JSON reports, one after another, and counts what was stuck
or left behind by cause, node, version of the kubelet, storage driver and week
of T0. A folder stands for all *.json below it, - for reports on standard input,
one after another. An object that several reports have with the same cause
counts once, and so does a report that comes twice.

Files that are no reports are told on standard error, and the exit code is 1
then.`,
		Example: `  podautopsy summarize reports/
  podautopsy summarize reports/*.json -o csv
  cat reports/*.json | podautopsy summarize - -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return hint(usagef("%s needs at least one REPORT.json", cmd.CommandPath()), "podautopsy analyze BUNDLE -o json=report.json writes one")
			}
			return paths(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			fleet := analyzer.NewFleet()
			bad := 0
			for _, path := range args {
				err := c.eachReport(path, fleet.Add, func(err error) {
					bad++
					fmt.Fprintf(c.stderr, "podautopsy: %s\n", visible(err.Error()))
				})
				if err != nil {
					return err
				}
				if cmd.Context().Err() != nil {
					return &exitError{code: exitInterrupted, err: errors.New("interrupted")}
				}
			}
			render := map[string]func(io.Writer, *analyzer.FleetSummary, report.Options) error{
				"text": report.FleetText, "json": report.FleetJSON, "csv": report.FleetCSV,
			}[output.value]
			opt, err := f.options(c, &analyzer.Document{})
			if err != nil {
				return err
			}
			var out bytes.Buffer
			if err := render(&out, fleet.Summary(), opt); err != nil {
				return err
			}
			if _, err := io.Copy(c.stdout, &out); err != nil {
				return err
			}
			if bad > 0 {
				return fmt.Errorf("not read: %s", count(bad, "file"))
			}
			return nil
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.VarP(&output, "output", "o", "write `FORMAT`: text, json or csv")
	set.BoolVar(&f.why, "why", false, "text: every node, version, driver and week, not only the first")
	f.addDisplay(set)
	completeWords(cmd, "output", output.allowed...)
	completeWords(cmd, "color", "auto", "always", "never")
	return cmd
}

// eachReport hands on the reports at a path, one at a time. What is none is
// told to bad.
func (c *cli) eachReport(path string, add func(*analyzer.Document), bad func(error)) error {
	if path == "-" {
		return c.reportsIn(c.stdin, "standard input", add, bad)
	}
	info, err := os.Stat(path)
	if err != nil {
		bad(err)
		return nil
	}
	if !info.IsDir() {
		return c.reportsAt(path, add, bad)
	}
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			bad(err)
		case entry.Type().IsRegular() && strings.HasSuffix(file, ".json"):
			return c.reportsAt(file, add, bad)
		}
		return nil
	})
}

func (c *cli) reportsAt(file string, add func(*analyzer.Document), bad func(error)) error {
	in, err := os.Open(file)
	if err != nil {
		bad(err)
		return nil
	}
	defer in.Close()
	return c.reportsIn(in, file, add, bad)
}

// reportsIn reads reports that stand one after another. Each may be as long as
// a report is; where one is broken nothing tells where the next begins.
func (c *cli) reportsIn(in io.Reader, from string, add func(*analyzer.Document), bad func(error)) error {
	bounded := &io.LimitedReader{R: in}
	decoder := json.NewDecoder(bounded)
	for n := 1; ; n++ {
		bounded.N = longestReport
		doc := &analyzer.Document{}
		err := decoder.Decode(doc)
		switch {
		case errors.Is(err, io.EOF) && bounded.N > 0:
			if n == 1 {
				bad(fmt.Errorf("reading %s: empty", from))
			}
			return nil
		case err != nil && bounded.N <= 0:
			bad(fmt.Errorf("reading %s: report %d is longer than %d MiB", from, n, longestReport>>20))
			return nil
		case err != nil:
			bad(fmt.Errorf("reading %s: report %d is not a JSON report: %w", from, n, err))
			return nil
		case doc.Schema != analyzer.Schema:
			bad(fmt.Errorf("reading %s: report %d: its schema is %q, not %q", from, n, visible(doc.Schema), analyzer.Schema))
			continue
		}
		add(doc)
	}
}
