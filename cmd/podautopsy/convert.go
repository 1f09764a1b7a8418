package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func (c *cli) convert() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "convert REPORT.json",
		Short: "write a JSON report in another format, without the bundle",
		Long: `Reads a report that analyze wrote with -o json, or - for standard input, and
writes it in other formats. The report holds every line that it cites, so the
bundle is not needed. Nothing is judged anew.`,
		Example: `  podautopsy convert report.json -o html=report.html
  podautopsy convert report.json -o text --why
  podautopsy convert report.json -o markdown --profile slack
  podautopsy convert report.json -o ndjson=events.ndjson -o lnav=lnav.json
  podautopsy convert report.json -o markdown --timezone Europe/Berlin
  podautopsy convert report.json --redact=strict -o html=public.html`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return hint(usagef("%s needs one REPORT.json", cmd.CommandPath()), "podautopsy analyze BUNDLE -o json=report.json writes one")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.width < 0 {
				return usagef("--width must not be negative")
			}
			outputs, err := parseOutputs(f.outputs, report.Formats)
			if err != nil {
				return err
			}
			if err := checkProfile(cmd, outputs); err != nil {
				return err
			}
			if err := guardInputs(outputs, args); err != nil {
				return err
			}
			if err := f.checkRedaction(); err != nil {
				return err
			}
			redaction, err := c.startRedaction(&f)
			if err != nil {
				return err
			}
			doc, err := c.reopen(args[0])
			if err != nil {
				return err
			}
			if redaction != nil {
				if doc, err = redaction.alone(doc); err != nil {
					return err
				}
			}
			opt, err := f.options(c, doc)
			if err != nil {
				return err
			}
			return c.write(outputs, doc, opt)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	f.addOutput(set, report.Formats)
	f.addProfile(set)
	f.addWindow(set)
	set.BoolVar(&f.why, "why", false, "show every cause that was considered, with all its evidence")
	f.addDisplay(set)
	f.addRedaction(set)
	completeWords(cmd, "redact", f.redact.allowed...)
	completeFormats(cmd, report.Formats)
	completeWords(cmd, "color", "auto", "always", "never")
	completeWords(cmd, "profile", f.profile.allowed...)
	return cmd
}

// longestReport is more than any report is: what is bigger is something else.
const longestReport = 256 << 20

// reopen reads a report from a file that may be anybody's.
func (c *cli) reopen(path string) (*analyzer.Document, error) {
	doc, err := c.decode(path)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	if doc.Schema != analyzer.Schema {
		return nil, hint(&exitError{code: exitFailure, err: fmt.Errorf("reading %s: not a report of this version: its schema is %q, not %q", path, visibleLine(doc.Schema), analyzer.Schema)},
			"to examine a bundle: podautopsy analyze %s", path)
	}
	return doc, nil
}

func (c *cli) decode(path string) (*analyzer.Document, error) {
	in := c.stdin
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			var wrong *os.PathError
			if errors.As(err, &wrong) {
				return nil, wrong.Err // the path is said already
			}
			return nil, err
		}
		defer file.Close()
		in = file
	}
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(in, longestReport+1)); err != nil {
		return nil, err
	}
	if data.Len() > longestReport {
		return nil, fmt.Errorf("longer than %d MiB", longestReport>>20)
	}
	doc := &analyzer.Document{}
	if err := json.Unmarshal(data.Bytes(), doc); err != nil {
		return nil, fmt.Errorf("not a JSON report: %w", err)
	}
	return doc, nil
}
