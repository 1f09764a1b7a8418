package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// output is one -o: a format and where it goes; "" is standard output.
type output struct {
	format report.Format
	path   string
}

// parseOutputs reads the values of -o. None is text on standard output.
func parseOutputs(values []string, formats []report.Format) ([]output, error) {
	if len(values) == 0 {
		return []output{{format: formats[0]}}, nil
	}
	var out []output
	stdout := 0
	seen := map[string]bool{}
	for _, v := range values {
		name, path, hasFile := strings.Cut(v, "=")
		format, err := formatNamed(name, formats)
		if err != nil {
			return nil, err
		}
		if hasFile && path == "" {
			return nil, usagef("-o %s: no file after =", v)
		}
		if path == "-" {
			path = ""
		}
		if path == "" {
			stdout++
		} else if path = filepath.Clean(path); seen[path] {
			return nil, usagef("two outputs to %s", path)
		}
		seen[path] = true
		out = append(out, output{format, path})
	}
	if stdout > 1 {
		return nil, hint(usagef("more than one output to standard output"), "give the others a file: -o json=report.json")
	}
	return out, nil
}

func formatNamed(name string, formats []report.Format) (report.Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == name {
			return f, nil
		}
		names = append(names, f.Name)
	}
	err := usagef("no output format %q", name)
	if near := nearest(name, names); near != "" {
		return report.Format{}, hint(err, "did you mean %s?", near)
	}
	return report.Format{}, hint(err, "the formats are %s", strings.Join(names, ", "))
}

// checkProfile refuses a ticket's target where no ticket is written.
func checkProfile(cmd *cobra.Command, outputs []output) error {
	if cmd.Flags().Changed("profile") && !slices.ContainsFunc(outputs, func(o output) bool { return o.format.Name == "markdown" }) {
		return hint(usagef("--profile is for -o markdown"), "add -o markdown or -o markdown=FILE")
	}
	return nil
}

// guardInputs refuses to replace what is being read.
func guardInputs(outputs []output, inputs []string) error {
	for _, o := range outputs {
		to, err := os.Stat(o.path)
		if o.path == "" || err != nil {
			continue
		}
		if to.IsDir() {
			return usagef("-o %s=%s: that is a directory", o.format.Name, o.path)
		}
		for _, in := range inputs {
			if from, err := os.Stat(in); err == nil && os.SameFile(from, to) {
				return usagef("-o %s=%s would replace the bundle", o.format.Name, o.path)
			}
		}
	}
	return nil
}

// write renders every output before the first is written, and replaces files
// in one step each: an older report stays until the new one is whole. Where a
// file cannot be made at all, as its folder is not there, all stay as they were.
// Any other failure costs the one output: a full disk or a closed pipe says
// nothing of the others.
func (c *cli) write(outputs []output, doc *analyzer.Document, opt report.Options) error {
	rendered := make([]bytes.Buffer, len(outputs))
	for i, o := range outputs {
		opt := opt
		if o.path != "" {
			opt.Color = false
		}
		doc := doc
		if o.format.Whole {
			doc = doc.Entire()
		}
		if err := o.format.Render(&rendered[i], doc, opt); err != nil {
			return err
		}
	}
	staged := make([]*stagedFile, 0, len(outputs))
	defer func() {
		for _, s := range staged {
			s.discard()
		}
	}()
	var failed []error
	misplaced := false
	for i, o := range outputs {
		if o.path == "" {
			continue
		}
		s, err := stage(o.path, rendered[i].Bytes())
		if err != nil {
			var in *fs.PathError
			misplaced = misplaced || errors.As(err, &in) && in.Op == "open"
			failed = append(failed, fmt.Errorf("writing %s: %w", o.path, err))
			continue
		}
		staged = append(staged, s)
	}
	for _, s := range staged {
		if misplaced {
			break
		}
		if err := s.commit(); err != nil {
			failed = append(failed, fmt.Errorf("writing %s: %w", s.path, err))
		}
	}
	for i, o := range outputs {
		if o.path != "" {
			continue
		}
		if _, err := io.Copy(c.stdout, &rendered[i]); err != nil {
			failed = append(failed, fmt.Errorf("writing to standard output: %w", err))
		}
	}
	return errors.Join(failed...)
}

// stagedFile is a written file that does not have its name yet.
type stagedFile struct {
	path, temp string
	direct     []byte // for pipes and devices, which cannot be replaced
}

func stage(path string, data []byte) (*stagedFile, error) {
	mode := os.FileMode(0o666)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			return &stagedFile{path: path, direct: data}, nil
		}
		mode = info.Mode().Perm()
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.podautopsy-%d", filepath.Base(path), os.Getpid()))
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, err
	}
	s := &stagedFile{path: path, temp: temp}
	if _, err := f.Write(data); err != nil {
		f.Close()
		s.discard()
		return nil, err
	}
	if err := f.Close(); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

func (s *stagedFile) commit() error {
	if s.temp == "" {
		f, err := os.OpenFile(s.path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(s.direct); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	if err := os.Rename(s.temp, s.path); err != nil {
		return err
	}
	s.temp = ""
	return nil
}

// discard removes the file if it never got its name.
func (s *stagedFile) discard() {
	if s.temp != "" {
		os.Remove(s.temp) // best effort: the run has failed already
	}
}
