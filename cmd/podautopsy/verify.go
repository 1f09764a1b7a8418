package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
	"podautopsy/timeline"
)

func (c *cli) verify() *cobra.Command {
	var f flags
	var bundles []string
	cmd := &cobra.Command{
		Use:   "verify REPORT.json --bundle PATH",
		Short: "check a report against the bundle that it was made from",
		Long: `Hashes every file of the bundle again, analyzes it again, and says what differs
from the report: files that are missing, changed or new, the program or its
signatures, verdicts, and what is cited. Give the flags that change how a bundle
is read (--pod, --assume-timezone, --signatures ...) as they were given then.

A later version of the program may word a report differently: verify then says
so, and goes by the files and the verdicts.`,
		Example: `  podautopsy verify report.json --bundle bundle.tar.xz
  podautopsy verify report.json --bundle cluster/ --bundle worker-1/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s needs one REPORT.json", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(bundles) == 0 {
				return hint(usagef("%s needs the bundle", cmd.CommandPath()), "--bundle PATH; repeat it where the report is on several")
			}
			claimed, err := c.reopen(args[0])
			if err != nil {
				return err
			}
			f.stated = claimed.Bundle.Paths
			f.anchor = anchorOf(claimed, f.anchor)
			f.redact.value = profileOf(claimed)
			if err := f.check(); err != nil {
				return err
			}
			redaction, err := c.startRedaction(&f)
			if err != nil {
				return err
			}
			alone := redaction != nil && claimed.Redaction.LearntFrom == "report"
			if alone {
				f.facts = nil
			}
			now, err := c.study(cmd.Context(), &f, bundles)
			if err != nil {
				return err
			}
			if redaction != nil {
				redaction.mapping = "" // it is read, and stays as it is
				if alone {
					now, err = redaction.alone(now)
				} else {
					now, err = redaction.onBundle(cmd.Context(), &f, bundles, now)
				}
				if err != nil {
					return err
				}
			}
			if now, err = asWritten(now); err != nil {
				return err
			}
			return c.tellVerified(compare(claimed, now))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&bundles, "bundle", nil, "the bundle, `PATH`; may be repeated")
	set.StringVar(&f.redactionMap, "redaction-map", "", "of a redacted report, the private `FILE` that it was made with, if any")
	f.addSelection(set)
	f.addReading(set)
	completeWords(cmd, "anchor", anchorDeletion, anchorRequest)
	return cmd
}

// asWritten is a document as it comes back from a file.
func asWritten(doc *analyzer.Document) (*analyzer.Document, error) {
	var file bytes.Buffer
	if err := report.JSON(&file, doc, report.Options{}); err != nil {
		return nil, err
	}
	out := &analyzer.Document{}
	if err := json.Unmarshal(file.Bytes(), out); err != nil {
		return nil, fmt.Errorf("reading the report again: %w", err)
	}
	return out, nil
}

// anchorOf is what T counts from in a report, unless the user says it.
func anchorOf(doc *analyzer.Document, given anchor) anchor {
	if given.basis != anchorDeletion {
		return given
	}
	for i := range doc.Subjects {
		switch a := doc.Subjects[i].Anchor; {
		case a == nil:
		case strings.HasPrefix(a.Basis, "request, from "):
			return anchor{basis: anchorRequest, text: anchorRequest}
		case a.Basis == "as asked for":
			return anchor{basis: anchorTime, at: a.Time}
		}
	}
	return given
}

// comparison is what differs between a report and what its bundle gives now.
type comparison struct {
	report   *analyzer.Document
	failures []string // each is enough to reject the report
	notes    []string // explain why it is not the same to the letter
}

func compare(claimed, now *analyzer.Document) comparison {
	c := comparison{report: claimed}
	moved := c.inputs(claimed.Bundle.Inputs, now.Bundle.Inputs)
	otherTool := c.tool(claimed.Tool, now.Tool)
	if claimed.Partial {
		c.notes = append(c.notes, "the report was interrupted, and is on a part of the bundle")
	}
	id, found := now.ReportID, len(now.Subjects)
	narrow(now, func(s *analyzer.Subject) bool { // the report may be an excerpt
		return slices.ContainsFunc(claimed.Subjects, func(o analyzer.Subject) bool { return ref(s) == ref(&o) })
	})
	if others := found - len(now.Subjects); others > 0 && otherTool {
		c.notes = append(c.notes, fmt.Sprintf("verdicts that the report does not have: %d", others))
	}
	c.verdicts(claimed.Subjects, now.Subjects)
	if len(c.failures) > 0 || otherTool || moved {
		return c
	}
	c.content(claimed, now)
	if id != claimed.ReportID && claimed.Redaction == nil { // the id is of the report before it was redacted
		c.failures = append(c.failures, fmt.Sprintf("report id: %s in the report, %s now", visibleLine(claimed.ReportID), id))
	}
	return c
}

// inputs compares the files as they were received, and says whether some have
// only another name.
func (c *comparison) inputs(then, now []analyzer.Input) (moved bool) {
	rest := map[string]analyzer.Input{}
	for _, in := range now {
		rest[in.Path] = in
	}
	var missing []analyzer.Input
	for _, in := range then {
		found, ok := rest[in.Path]
		delete(rest, in.Path)
		switch {
		case !ok:
			missing = append(missing, in)
		case found.SHA256 != in.SHA256:
			c.failures = append(c.failures, fmt.Sprintf("file changed: %s: sha256 %s in the report, %s now", visibleLine(in.Path), shortHash(in.SHA256), shortHash(found.SHA256)))
		case found.Bytes != in.Bytes:
			c.failures = append(c.failures, fmt.Sprintf("file changed: %s: %d bytes in the report, %d now", visibleLine(in.Path), in.Bytes, found.Bytes))
		}
	}
	others := make([]analyzer.Input, 0, len(rest))
	for _, in := range rest {
		others = append(others, in)
	}
	slices.SortFunc(others, func(a, b analyzer.Input) int { return strings.Compare(a.Path, b.Path) })

	// What is in an archive or folder that was renamed goes with it.
	renamed := map[string]string{}
	for _, in := range missing {
		at := slices.IndexFunc(others, func(o analyzer.Input) bool { return in.SHA256 != "" && o.SHA256 == in.SHA256 })
		if at >= 0 {
			renamed[in.Path] = others[at].Path
		}
	}
	newName := func(path string) string {
		if to, ok := renamed[path]; ok {
			return to
		}
		for i := range path {
			if to, ok := renamed[path[:i]]; ok && path[i] == '!' {
				return to + path[i:]
			}
		}
		return ""
	}
	for _, in := range missing {
		to := newName(in.Path)
		at := slices.IndexFunc(others, func(o analyzer.Input) bool { return o.Path == to && o.Bytes == in.Bytes })
		if at < 0 {
			c.failures = append(c.failures, "file missing: "+visibleLine(in.Path))
			continue
		}
		others = slices.Delete(others, at, at+1)
		moved = true
		if renamed[in.Path] != "" {
			c.notes = append(c.notes, fmt.Sprintf("file renamed: %s is now %s", visibleLine(in.Path), visibleLine(to)))
		}
	}
	for _, in := range others {
		c.failures = append(c.failures, "file not in the report: "+visibleLine(in.Path))
	}
	return moved
}

func shortHash(sha256 string) string {
	const enough = 12
	return visibleLine(cmp.Or(sha256[:min(len(sha256), enough)], "not known"))
}

// tool says whether another program or other signatures made the report.
func (c *comparison) tool(then, now analyzer.Tool) (other bool) {
	if then.Name != now.Name || then.Version != now.Version {
		c.notes = append(c.notes, fmt.Sprintf("program: %s %s in the report, %s %s now", visibleLine(then.Name), visibleLine(then.Version), now.Name, now.Version))
		other = true
	}
	if then.Signatures != now.Signatures {
		c.notes = append(c.notes, fmt.Sprintf("signatures: %d (%s) in the report, %d (%s) now", then.Signatures.Count, visibleLine(then.Signatures.Digest), now.Signatures.Count, now.Signatures.Digest))
		other = true
	}
	return other
}

// verdicts compares what was concluded.
func (c *comparison) verdicts(then, now []analyzer.Subject) {
	for i := range then {
		s := &then[i]
		at := slices.IndexFunc(now, func(o analyzer.Subject) bool { return ref(s) == ref(&o) })
		if at < 0 {
			c.failures = append(c.failures, fmt.Sprintf("verdict on %s: %s in the report, none now", titleOf(s), verdictOf(s)))
			continue
		}
		if was, is := verdictOf(s), verdictOf(&now[at]); was != is {
			c.failures = append(c.failures, fmt.Sprintf("verdict on %s: %s in the report, %s now", titleOf(s), was, is))
		}
	}
}

func titleOf(s *analyzer.Subject) string {
	r := ref(s)
	name := cmp.Or(r.Name, r.UID)
	if r.Namespace != "" {
		name = r.Namespace + "/" + name
	}
	return visibleLine(strings.TrimSpace(s.Kind + " " + name))
}

// verdictOf is a verdict in a few words.
func verdictOf(s *analyzer.Subject) string {
	out := s.Outcome
	if s.Cause != nil {
		out += ", " + *s.Cause
	}
	return visibleLine(out + " (" + s.Confidence + ")")
}

// content looks for what differs where all verdicts are the same: a report that
// was altered after it was written.
func (c *comparison) content(then, now *analyzer.Document) {
	byID := map[string]*analyzer.Evidence{}
	for i := range now.Evidence {
		byID[now.Evidence[i].ID] = &now.Evidence[i]
	}
	before := len(c.failures)
	for i := range then.Evidence {
		e := &then.Evidence[i]
		switch found := byID[e.ID]; {
		case found == nil:
			c.failures = append(c.failures, fmt.Sprintf("evidence %s is not in the bundle", visibleLine(e.ID)))
		case !sameJSON(e, found):
			c.failures = append(c.failures, fmt.Sprintf("evidence %s is not as it stands in %s", visibleLine(e.ID), visibleLine(timeline.Source{File: found.File, Line: valueOf(found.Line)}.String())))
		}
	}
	parts := []struct {
		name      string
		then, now any
	}{
		{"verdicts", then.Subjects, now.Subjects},
		{"summary", then.Summary, now.Summary},
		{"timeline", then.Timeline, now.Timeline},
		{"description of the bundle", then.Bundle, now.Bundle},
		{"list of evidence", len(then.Evidence), len(now.Evidence)},
	}
	for _, p := range parts {
		if len(c.failures) == before && !sameJSON(p.then, p.now) {
			c.failures = append(c.failures, "the "+p.name+" of the report differs from what the bundle gives")
		}
	}
}

func valueOf(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

// sameJSON compares as reports are written, where nil and an empty list are one.
func sameJSON(a, b any) bool {
	var x, y bytes.Buffer
	if json.NewEncoder(&x).Encode(a) != nil || json.NewEncoder(&y).Encode(b) != nil {
		return false
	}
	return bytes.Equal(x.Bytes(), y.Bytes())
}

// tellVerified says what was found, and fails if the report is not what the
// bundle gives.
func (c *cli) tellVerified(found comparison) error {
	var out strings.Builder
	for _, n := range found.notes {
		fmt.Fprintln(&out, n)
	}
	for _, f := range found.failures {
		fmt.Fprintln(&out, f)
	}
	doc := found.report
	if len(found.failures) == 0 {
		same := "to the letter"
		if len(found.notes) > 0 {
			same = "by its files and verdicts"
		}
		fmt.Fprintf(&out, "verified: report %s is what the bundle gives, %s (files: %d, verdicts: %d)\n", visibleLine(doc.ReportID), same, len(doc.Bundle.Inputs), len(doc.Subjects))
	}
	if _, err := io.WriteString(c.stdout, out.String()); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	if n := len(found.failures); n > 0 {
		return &exitError{code: exitCheckFailed, err: fmt.Errorf("not verified: report %s and the bundle differ (%d)", visibleLine(doc.ReportID), n)}
	}
	return nil
}
