package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
	"podautopsy/parsers/extract"
	"podautopsy/parsers/redact"
	"podautopsy/timeline"
)

func (c *cli) extract() *cobra.Command {
	var f flags
	var bundles []string
	var out, mapping string
	cmd := &cobra.Command{
		Use:   "extract REPORT.json --bundle PATH --out CASE.tar.gz",
		Short: "write the smallest redacted bundle that gives the same verdicts",
		Long: `Writes an archive with what the verdicts of a report rest on: the lines that it
cites with those around them, the objects that they need, and what else of the
bundle it takes for the same verdicts; names, addresses and secrets are replaced
as redact does. For a vendor, a bug report, a test, or another analyst. Give a
report on one pod (analyze --pod) for the smallest.

The archive is analyzed before it is written: the outcome, the cause and the
confidence of each subject in the report, and what else blocks it, are as they
were, and nothing else has appeared. Else the exit code is 5. It is an excerpt:
that something is not in it does not tell that it was not in the bundle.`,
		Example: `  podautopsy analyze bundle.tar.xz --pod shop/cart-0 -o json=report.json
  podautopsy extract report.json --bundle bundle.tar.xz --out case.tar.gz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s needs one REPORT.json", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(bundles) == 0:
				return hint(usagef("%s needs the bundle", cmd.CommandPath()), "--bundle PATH; repeat it where the report is on several")
			case slices.Contains(bundles, "-"):
				return usagef("extract reads the bundle several times: standard input does not do")
			case out == "":
				return hint(usagef("%s needs a file to write to", cmd.CommandPath()), "--out case.tar.gz")
			}
			out = filepath.Clean(out)
			if mapping == "" {
				mapping = out + ".map.json"
			}
			if err := guardCopy(bundles, out, mapping); err != nil {
				return err
			}
			claimed, err := c.reopen(args[0])
			if err != nil {
				return err
			}
			if claimed.Redaction != nil {
				return usagef("the report is redacted: give the one that it was made from")
			}
			f.anchor = anchorOf(claimed, f.anchor)
			if err := f.check(); err != nil {
				return err
			}
			return c.extractCase(cmd.Context(), &f, claimed, bundles, out, mapping)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringArrayVar(&bundles, "bundle", nil, "the bundle, `PATH`; may be repeated")
	set.StringVar(&out, "out", "", "write the archive to this `FILE`, which must not exist")
	set.StringVar(&mapping, "map", "", "keep what stands for what in this private `FILE`, and go on from it if it exists (default FILE.map.json)")
	f.addReading(set)
	return cmd
}

// extractCase writes the case of a report.
func (c *cli) extractCase(ctx context.Context, f *flags, claimed *analyzer.Document, bundles []string, out, mapping string) error {
	learner, now, err := c.learn(ctx, f, bundles, mapping)
	if err != nil {
		return err
	}
	var found comparison
	found.verdicts(claimed.Subjects, now.Subjects)
	if len(found.failures) > 0 {
		return hint(&exitError{code: exitCheckFailed, err: errors.New("the bundle has other verdicts than the report: " + found.failures[0])}, "podautopsy verify tells what differs")
	}
	if err := learner.Bundle(ctx, bundles, f.limits.reading()); err != nil {
		return redactingStopped(ctx, err)
	}
	k := &caseMaker{cli: c, redactor: learner.Redactor()}
	k.flags = *f.renamed(bundles, k.called(bundles))
	k.flags.facts, k.flags.pods = nil, nil
	k.flags.sourcesLack = true
	if err := k.read(ctx, bundles, claimed, now); err != nil {
		return redactingStopped(ctx, err)
	}
	plan, err := extract.Reduce(k.files, func(p extract.Plan) (bool, error) { return k.enough(ctx, p) })
	if err != nil {
		return redactingStopped(ctx, err)
	}
	archive, err := k.archive(plan)
	if err != nil {
		return err
	}
	if err := k.check(ctx, archive, plan); err != nil {
		return err
	}
	if err := keepMapping(mapping, k.redactor.Mapping()); err != nil {
		return err
	}
	staged, err := stage(out, archive)
	if err != nil {
		return fmt.Errorf("writing %s: %w", out, err)
	}
	defer staged.discard()
	if err := staged.commit(); err != nil {
		return fmt.Errorf("writing %s: %w", out, err)
	}
	return k.tell(plan, int64(len(archive)), out, mapping)
}

// inMemory is what the files of a case are below while it is tried.
const inMemory = "stdin!"

// called gives what a source of the bundle is called in a case that is tried:
// a file, or a node.
func (k *caseMaker) called(bundles []string) func(source string) []string {
	return func(source string) []string {
		source = inCopy(source, bundles, k.redactor.Text)
		if source == everything {
			return []string{source}
		}
		return []string{source, inMemory + source}
	}
}

// caseMaker tries what of a bundle is enough for its verdicts.
type caseMaker struct {
	*cli
	flags    flags
	redactor *redact.Redactor
	files    []extract.File
	subjects []timeline.Ref     // that the report is on, in tokens
	full     *analyzer.Document // on the whole redacted bundle
	about    []string
	bytes    int64
	facts    *timeline.Timeline // of the case
}

// read takes the whole redacted bundle into memory, and analyzes it.
func (k *caseMaker) read(ctx context.Context, bundles []string, claimed, now *analyzer.Document) error {
	copied, err := k.redactor.Each(ctx, bundles, k.flags.limits.reading(), func(path, text string) error {
		k.files = append(k.files, extract.File{Path: path, Text: text})
		return nil
	})
	if err != nil {
		return err
	}
	k.bytes = copied.Bytes
	whole := make(extract.Plan, len(k.files))
	for i := range whole {
		whole[i] = extract.Whole
	}
	data, err := k.tar(whole)
	if err != nil {
		return err
	}
	if k.full, err = k.analyzed(ctx, data); err != nil {
		return err
	}
	if err := sameVerdicts(now, k.full, k.redactor.Text); err != nil {
		return checkFailed("the redacted bundle has other verdicts", err)
	}
	for i := range claimed.Subjects {
		r := ref(&claimed.Subjects[i])
		r.Namespace, r.Name, r.UID = k.redactor.Text(r.Namespace), k.redactor.Text(r.Name), k.redactor.Text(r.UID)
		k.subjects = append(k.subjects, r)
		for _, word := range []string{r.Name, r.UID} {
			if word != "" {
				k.about = append(k.about, word)
			}
		}
	}
	k.cite()
	return nil
}

// cite marks the lines that the verdicts rest on.
func (k *caseMaker) cite() {
	at := map[string]int{}
	for i := range k.files {
		at[k.files[i].Path] = i
	}
	for _, in := range k.full.Bundle.Inputs {
		if i, ok := at[inTar(in.Path)]; ok {
			k.files[i].Format = in.Format
		}
	}
	cited := map[string]bool{}
	for i := range k.full.Subjects {
		s := &k.full.Subjects[i]
		if !slices.Contains(k.subjects, ref(s)) {
			continue
		}
		for _, id := range s.Evidence {
			cited[id] = true
		}
		for _, cause := range s.Causes {
			if cause.Role != analyzer.RoleRoot && cause.Role != analyzer.RoleBlocking {
				continue
			}
			for _, id := range cause.For {
				cited[id] = true
			}
		}
	}
	for i := range k.full.Evidence {
		e := &k.full.Evidence[i]
		if n, ok := at[inTar(e.File)]; ok && cited[e.ID] {
			first := max(valueOf(e.Line), 1)
			k.files[n].Cited = append(k.files[n].Cited, extract.Range{First: first, Last: max(first, valueOf(e.LastLine))})
		}
	}
}

// inTar is the path inside of the archive that was read from memory.
func inTar(path string) string {
	_, inside, _ := strings.Cut(path, "!")
	return inside
}

// enough says whether a plan gives the verdicts.
func (k *caseMaker) enough(ctx context.Context, plan extract.Plan) (bool, error) {
	data, err := k.tar(plan)
	if err != nil {
		return false, err
	}
	doc, err := k.analyzed(ctx, data)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	return err == nil && k.differs(doc) == nil, nil
}

// differs says what of the verdicts is not as it was.
func (k *caseMaker) differs(doc *analyzer.Document) error {
	conclusion := func(s *analyzer.Subject) string {
		return verdictOf(s) + " " + strings.Join(s.AlsoBlocking, " ")
	}
	want := map[timeline.Ref]string{}
	for i := range k.full.Subjects {
		want[ref(&k.full.Subjects[i])] = conclusion(&k.full.Subjects[i])
	}
	got := map[timeline.Ref]bool{}
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		r := ref(s)
		got[r] = true
		verdict, known := want[r]
		if !known {
			return fmt.Errorf("on %s: %s; there was none", titleOf(s), verdictOf(s))
		}
		if slices.Contains(k.subjects, r) && verdict != conclusion(s) {
			return fmt.Errorf("on %s: %s; it was %s", titleOf(s), verdictOf(s), verdict)
		}
	}
	for _, r := range k.subjects {
		if _, known := want[r]; known && !got[r] {
			return fmt.Errorf("on %s %s: none", r.Kind, visibleLine(r.Name))
		}
	}
	return nil
}

// analyzed is the report on an archive in memory.
func (k *caseMaker) analyzed(ctx context.Context, archive []byte) (*analyzer.Document, error) {
	quiet := *k.cli
	quiet.stdin, quiet.stderr = bytes.NewReader(archive), io.Discard
	return quiet.study(ctx, &k.flags, []string{"-"})
}

// check looks at the archive as its reader will.
func (k *caseMaker) check(ctx context.Context, archive []byte, plan extract.Plan) error {
	watch := redact.NewWatch(k.redactor)
	for i := range k.files {
		f := &k.files[i]
		if original, _ := watch.Find(f.Path + "\n" + f.Cut(plan[i], k.about)); original != "" && plan[i] != extract.Nothing {
			return checkFailed("the case still holds what was to be replaced", fmt.Errorf("%s: %q", f.Path, original))
		}
	}
	k.flags.facts = func(tl *timeline.Timeline) { k.facts = tl }
	doc, err := k.analyzed(ctx, archive)
	if err != nil {
		return checkFailed("the case cannot be analyzed", err)
	}
	if err := k.differs(doc); err != nil {
		return checkFailed("the case has other verdicts than the report", err)
	}
	return nil
}

// tar packs what a plan leaves of the files.
func (k *caseMaker) tar(plan extract.Plan) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range k.files {
		if plan[i] == extract.Nothing {
			continue
		}
		text := k.files[i].Cut(plan[i], k.about)
		header := &tar.Header{Name: k.files[i].Path, Mode: 0o644, Size: int64(len(text)), ModTime: time.Unix(0, 0)}
		if err := w.WriteHeader(header); err != nil {
			return nil, fmt.Errorf("packing %s: %w", k.files[i].Path, err)
		}
		if _, err := io.WriteString(w, text); err != nil {
			return nil, fmt.Errorf("packing %s: %w", k.files[i].Path, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("packing: %w", err)
	}
	return out.Bytes(), nil
}

// archive is the case as it is written: the same for the same bundle.
func (k *caseMaker) archive(plan extract.Plan) ([]byte, error) {
	data, err := k.tar(plan)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (k *caseMaker) tell(plan extract.Plan, size int64, out, mapping string) error {
	var kept, unpacked int
	for i := range plan {
		if plan[i] != extract.Nothing {
			kept++
			unpacked += len(k.files[i].Cut(plan[i], k.about))
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "extracted: %s (%d bytes; files: %d of %d, %d of %d bytes unpacked; verdicts as before: %d)\n",
		visibleLine(out), size, kept, len(plan), unpacked, k.bytes, len(k.subjects))
	tellAssumed(&text, k.flags.assumptions(k.facts, func(source string) string {
		if inside, ok := strings.CutPrefix(source, inMemory); ok {
			return filepath.Base(out) + "!" + inside
		}
		return source
	}))
	fmt.Fprintf(&text, "private, not to be given away: %s\n", visibleLine(mapping))
	if _, err := io.WriteString(k.stdout, text.String()); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}
