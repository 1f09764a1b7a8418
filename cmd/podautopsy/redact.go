package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
	"podautopsy/parsers/redact"
	"podautopsy/timeline"
)

func (c *cli) redact() *cobra.Command {
	var f flags
	var out, mapping string
	cmd := &cobra.Command{
		Use:   "redact PATH... --out DIR",
		Short: "write a copy of a bundle without names, addresses and secrets",
		Long: `Copies a bundle into a new folder, with tokens in place of what names people,
machines and workloads: pods and what owns them, namespaces, nodes, UIDs, ids of
containers, addresses, hosts and domains, private images, users, e-mail. Secrets
are taken out: data of Secrets and ConfigMaps, values of the environment,
passwords, tokens and keys. A token has the length of what it stands for and is
the same everywhere, so that the copy can be analyzed. Words of Kubernetes stay:
kube-system, names of drivers, finalizers, containers.

Archives become folders, binary journals what journalctl -o export prints; other
binary files are left out. Free text may still hold what only people recognise.

The copy is checked: nothing that was replaced is left in it, in any of five
spellings, and its verdicts are those of the bundle. Else there is no copy, and
the exit code is 5. What stands for what is kept in a private file, which also
gives another bundle the same tokens.`,
		Example: `  podautopsy redact bundle.tar.xz --out redacted/
  podautopsy redact cluster/ worker-1/ --out redacted/ --map redacted.map.json`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if slices.Contains(args, "-") {
				return usagef("redact reads the bundle several times: standard input does not do")
			}
			if out == "" {
				return hint(usagef("%s needs a folder to write to", cmd.CommandPath()), "--out DIR")
			}
			out = filepath.Clean(out)
			if mapping == "" {
				mapping = out + ".map.json"
			}
			if err := guardCopy(args, out, mapping); err != nil {
				return err
			}
			return c.redactBundle(cmd.Context(), &f, args, out, mapping)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.StringVar(&out, "out", "", "write the copy into this `DIR`, which must not exist")
	set.StringVar(&mapping, "map", "", "keep what stands for what in this private `FILE`, and go on from it if it exists (default DIR.map.json)")
	f.addReading(set)
	return cmd
}

// guardCopy refuses to mix the copy with what is read, or the mapping with the
// copy.
func guardCopy(inputs []string, out, mapping string) error {
	if _, err := os.Lstat(out); err == nil {
		return usagef("--out %s exists already", out)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--out: %w", err)
	}
	if within(mapping, out) {
		return usagef("the mapping is private: it must not lie in %s", out)
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && info.IsDir() && (within(out, in) || within(mapping, in)) {
			return usagef("neither the copy nor the mapping may lie in the bundle %s", in)
		}
	}
	return nil
}

// within says whether a path lies in a folder.
func within(path, folder string) bool {
	abs := func(p string) string {
		p, err := filepath.Abs(p)
		if err != nil {
			return filepath.Clean(p)
		}
		dir, rest := p, ""
		for { // of what does not exist yet, the folder does
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				return filepath.Join(real, rest)
			}
			parent := filepath.Dir(dir)
			if parent == dir {
				return p
			}
			rest = filepath.Join(filepath.Base(dir), rest)
			dir = parent
		}
	}
	rel, err := filepath.Rel(abs(folder), abs(path))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// redactBundle writes the copy beside its place, and gives it its name once it
// is known to be good.
func (c *cli) redactBundle(ctx context.Context, f *flags, args []string, out, mapping string) (err error) {
	learner, before, err := c.learn(ctx, f, args, mapping)
	if err != nil {
		return err
	}
	if err := learner.Bundle(ctx, args, f.limits.reading()); err != nil {
		return redactingStopped(ctx, err)
	}
	r := learner.Redactor()

	temp := filepath.Join(filepath.Dir(out), fmt.Sprintf(".%s.podautopsy-%d", filepath.Base(out), os.Getpid()))
	if err := os.Mkdir(temp, 0o750); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer os.RemoveAll(temp) // nothing of a copy that is not good is left
	root, err := os.OpenRoot(temp)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer root.Close()
	copied, err := r.Copy(ctx, args, f.limits.reading(), root)
	if err != nil {
		return redactingStopped(ctx, fmt.Errorf("writing the copy: %w", err))
	}
	if err := redact.NewWatch(r).Check(root.FS()); err != nil {
		return checkFailed("the copy still holds what was to be replaced", err)
	}
	there := f.renamed(args, func(source string) []string { return []string{inCopy(source, args, r.Text)} })
	var facts *timeline.Timeline
	there.facts = func(tl *timeline.Timeline) { facts = tl }
	after, err := c.study(ctx, there, []string{temp})
	if err != nil {
		return checkFailed("the copy cannot be analyzed", err)
	}
	if err := sameVerdicts(before, after, r.Text); err != nil {
		return checkFailed("the copy has other verdicts than the bundle", err)
	}
	if err := keepMapping(mapping, r.Mapping()); err != nil {
		return err
	}
	if err := os.Rename(temp, out); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	assumed := there.assumptions(facts, func(source string) string { return source })
	return c.tellRedacted(r.Mapping(), copied, len(before.Subjects), assumed, out, mapping)
}

// learn reads the bundle as analyze does, and learns from its facts and
// verdicts.
func (c *cli) learn(ctx context.Context, f *flags, args []string, mapping string) (*redact.Learner, *analyzer.Document, error) {
	known, err := openMapping(mapping)
	if err != nil {
		return nil, nil, err
	}
	learner, err := c.newLearner(f, known)
	if err != nil {
		return nil, nil, err
	}
	f.facts = learner.Timeline
	doc, err := c.study(ctx, f, args)
	f.facts = nil
	if err != nil {
		return nil, nil, err
	}
	if doc.Partial {
		return nil, nil, interrupted(doc)
	}
	learnDocument(learner, doc)
	return learner, doc, nil
}

// newLearner knows the words of all signatures: those stay.
func (c *cli) newLearner(f *flags, known *redact.Mapping) (*redact.Learner, error) {
	catalogue, err := c.engine.signatures(f.signatures)
	if err != nil {
		return nil, err
	}
	var words []string
	for _, s := range catalogue.Signatures {
		words = append(words, s.Literals...)
	}
	return redact.NewLearner(words, known), nil
}

// learnDocument learns the names that verdicts speak of.
func learnDocument(l *redact.Learner, doc *analyzer.Document) {
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		r := ref(s)
		l.ObjectName(r.Kind, r.Namespace, r.Name)
		for _, n := range s.Nodes {
			l.ObjectName("Node", "", n)
		}
		if s.Owner != nil {
			kind, name, _ := strings.Cut(*s.Owner, "/")
			l.ObjectName(kind, r.Namespace, name)
		}
	}
	for _, n := range doc.Bundle.Nodes {
		l.ObjectName("Node", "", n.Name)
	}
}

func redactingStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &exitError{code: exitInterrupted, err: errors.New("interrupted; no copy was written")}
	}
	return err
}

func checkFailed(what string, err error) error {
	return hint(&exitError{code: exitCheckFailed, err: fmt.Errorf("%s:\n%w", what, err)}, "nothing was written")
}

// sameVerdicts compares the verdicts on a bundle with those on its copy.
func sameVerdicts(before, after *analyzer.Document, token func(string) string) error {
	verdicts := func(doc *analyzer.Document, say func(string) string) map[timeline.Ref]string {
		out := map[timeline.Ref]string{}
		for i := range doc.Subjects {
			s := &doc.Subjects[i]
			r := ref(s)
			r.Namespace, r.Name, r.UID = say(r.Namespace), say(r.Name), say(r.UID)
			text := verdictOf(s)
			for _, c := range s.Causes {
				text += fmt.Sprintf("; %s %s (%s)", c.Role, c.ID, c.Confidence)
			}
			out[r] = text
		}
		return out
	}
	want, got := verdicts(before, token), verdicts(after, func(s string) string { return s })
	var differ []error
	for r, verdict := range want {
		if other := got[r]; other != verdict {
			differ = append(differ, fmt.Errorf("on %s %s/%s: %s; it was %s", r.Kind, r.Namespace, cmp.Or(r.Name, r.UID), cmp.Or(other, "none"), verdict))
		}
	}
	for r, verdict := range got {
		if _, ok := want[r]; !ok {
			differ = append(differ, fmt.Errorf("on %s %s/%s: %s; there was none", r.Kind, r.Namespace, cmp.Or(r.Name, r.UID), verdict))
		}
	}
	slices.SortFunc(differ, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(differ...)
}

// longestMapping is more than any mapping is.
const longestMapping = 256 << 20

// openMapping reads the mapping of an earlier redaction; nil if there is none.
func openMapping(path string) (*redact.Mapping, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the mapping: %w", err)
	}
	defer file.Close()
	var data bytes.Buffer
	if _, err := data.ReadFrom(io.LimitReader(file, longestMapping)); err != nil {
		return nil, fmt.Errorf("reading the mapping: %w", err)
	}
	m, err := redact.ReadMapping(data.Bytes())
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return m, nil
}

// keepMapping writes the mapping for nobody else to read.
func keepMapping(path string, m *redact.Mapping) error {
	data, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return fmt.Errorf("writing the mapping: %w", err)
	}
	temp := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.podautopsy-%d", filepath.Base(path), os.Getpid()))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("writing the mapping: %w", err)
	}
	_, err = file.Write(append(data, '\n'))
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
		return fmt.Errorf("writing the mapping: %w", err)
	}
	return nil
}

func (c *cli) tellRedacted(m *redact.Mapping, copied *redact.Copied, verdicts int, assumed []string, out, mapping string) error {
	counts := map[redact.Class]int{}
	for _, e := range m.Entries {
		counts[e.Class]++
	}
	var classes []string
	for class := range counts {
		classes = append(classes, fmt.Sprintf("%s %d", class, counts[class]))
	}
	slices.Sort(classes)
	var text strings.Builder
	fmt.Fprintf(&text, "redacted: %s (files: %d; verdicts as before: %d)\n", visibleLine(out), copied.Files, verdicts)
	fmt.Fprintf(&text, "replaced: %s\n", cmp.Or(strings.Join(classes, ", "), "nothing"))
	if len(m.Kept) > 0 {
		fmt.Fprintf(&text, "kept, as words of Kubernetes: %s\n", visibleLine(strings.Join(m.Kept, ", ")))
	}
	for _, left := range copied.LeftOut {
		fmt.Fprintf(&text, "left out: %s\n", visibleLine(left))
	}
	tellAssumed(&text, assumed)
	fmt.Fprintf(&text, "private, not to be given away: %s\n", visibleLine(mapping))
	if _, err := io.WriteString(c.stdout, text.String()); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// tellAssumed says with which flags a copy is to be analyzed: it does not hold
// what the user said of the bundle's clocks.
func tellAssumed(text *strings.Builder, assumed []string) {
	if len(assumed) > 0 {
		fmt.Fprintf(text, "to be analyzed with: %s\n", visibleLine(strings.Join(assumed, " ")))
	}
}
