package main

import (
	"bytes"
	"cmp"
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

What was named and is no report is told on standard error, and so is a broken
report in a folder; the exit code is 1 then. Of other JSON in folders only the
count is told.`,
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
			saved := &savedReports{cli: c, add: fleet.Add}
			for _, path := range args {
				if err := saved.read(path); err != nil {
					return err
				}
				if cmd.Context().Err() != nil {
					return &exitError{code: exitInterrupted, err: errors.New("interrupted")}
				}
			}
			if saved.foreign > 0 {
				fmt.Fprintf(c.stderr, "podautopsy: passed over: %s of other kinds\n", count(saved.foreign, "JSON file"))
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
			if saved.bad > 0 {
				return fmt.Errorf("not read: %s", count(saved.bad, "file"))
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

// savedReports reads reports, one at a time.
type savedReports struct {
	*cli
	add     func(*analyzer.Document)
	bad     int // what should be a report and is none, or none that can be read
	foreign int // other JSON in folders
}

// read hands on the reports at a path.
func (r *savedReports) read(path string) error {
	if path == "-" {
		r.tell(r.each(r.stdin, "standard input"))
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.tell(err)
		return nil
	case !info.IsDir():
		r.tell(r.file(path))
		return nil
	}
	return filepath.WalkDir(path, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.tell(err)
		case entry.Type().IsRegular() && strings.HasSuffix(file, ".json"):
			if err := r.file(file); err != nil && bearsSchema(file) {
				r.tell(err)
			} else if err != nil {
				r.foreign++
			}
		}
		return nil
	})
}

// tell tells what could not be read.
func (r *savedReports) tell(err error) {
	if err != nil {
		r.bad++
		fmt.Fprintf(r.stderr, "podautopsy: %s\n", told(err))
	}
}

func (r *savedReports) file(path string) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return r.each(in, path)
}

// each reads reports that stand one after another. Each may be as long as a
// report is; where one is broken nothing tells where the next begins.
func (r *savedReports) each(in io.Reader, from string) error {
	bounded := &io.LimitedReader{R: in}
	decoder := json.NewDecoder(bounded)
	var wrong error
	for n := 1; ; n++ {
		bounded.N = longestReport
		doc := &analyzer.Document{}
		err := decoder.Decode(doc)
		switch {
		case errors.Is(err, io.EOF) && bounded.N > 0:
			if n == 1 {
				return fmt.Errorf("reading %s: empty", from)
			}
			return wrong
		case err != nil && bounded.N <= 0:
			return fmt.Errorf("reading %s: report %d is longer than %d MiB", from, n, longestReport>>20)
		case err != nil:
			return fmt.Errorf("reading %s: report %d is not a JSON report: %w", from, n, err)
		case doc.Schema != analyzer.Schema:
			wrong = cmp.Or(wrong, fmt.Errorf("reading %s: report %d: its schema is %q, not %q", from, n, visibleLine(doc.Schema), analyzer.Schema))
			continue
		}
		r.add(doc)
	}
}

// bearsSchema says whether a file that could not be read as a report calls
// itself one, of this version or another.
func bearsSchema(path string) bool {
	in, err := os.Open(path)
	if err != nil {
		return true // and it cannot be told what it is
	}
	defer in.Close()
	name, _, _ := strings.Cut(analyzer.Schema, "/")
	mark := []byte(`"` + name + "/")
	limited := &io.LimitedReader{R: in, N: longestReport}
	window := make([]byte, 64<<10)
	for kept := 0; ; {
		n, err := io.ReadFull(limited, window[kept:])
		seen := window[:kept+n]
		if bytes.Contains(seen, mark) {
			return true
		}
		if err != nil {
			return false
		}
		kept = copy(window, seen[len(seen)-len(mark):])
	}
}
