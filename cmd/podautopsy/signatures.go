package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"podautopsy/analyzer"
)

func (c *cli) signatures() *cobra.Command {
	var only signatureFilter
	var dirs []string
	output := choice{value: "text", allowed: []string{"text", "json"}}
	cmd := &cobra.Command{
		Use:   "signatures",
		Short: "list what lines are known by, count those lines, check your own",
		Long: `Lists the signatures: patterns that say what one line of evidence means.
Columns: id, component that writes it, stage of the deletion it speaks of,
failure or success, how far it may be trusted alone, the causes that it
suggests. podautopsy explain ID tells all about one.`,
		Example: `  podautopsy signatures
  podautopsy signatures --component kubelet --stage volumes-unmounted
  podautopsy signatures --cause mount-busy
  podautopsy signatures -o json
  podautopsy signatures count journal.log
  podautopsy signatures test rules/
  podautopsy analyze bundle.tar.xz --signatures rules/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return hint(usagef("%s has no command %q", cmd.CommandPath(), args[0]), "to explain a signature: podautopsy explain %s", args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			catalogue, err := c.engine.signatures(dirs)
			if err != nil {
				return err
			}
			list, err := only.of(catalogue.Signatures)
			if err != nil {
				return err
			}
			if output.value == "json" {
				return c.writeJSON(listing{catalogue.Count(), catalogue.Digest(), describeSignatures(list)})
			}
			return c.say(listSignatures(list))
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.VarP(&output, "output", "o", "write `FORMAT`: text or json")
	only.add(set)
	addSignatures(set, &dirs)
	completeWords(cmd, "output", output.allowed...)
	cmd.AddCommand(c.signaturesCount(), c.signaturesTest())
	return cmd
}

// addSignatures is the flag for folders of a user's own signatures.
func addSignatures(set *pflag.FlagSet, dirs *[]string) {
	set.StringArrayVar(dirs, "signatures", nil, "also know lines by the *.yaml of this `DIR`; may be repeated")
}

// signatures is the built-in catalogue with what the folders hold.
func signatures(dirs []string) (*analyzer.Catalogue, error) {
	catalogue, err := analyzer.BuiltinSignatures()
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if catalogue, err = extend(catalogue, dir); err != nil {
			var mistakes analyzer.Mistakes
			if !errors.As(err, &mistakes) {
				return nil, err
			}
			return nil, hint(&exitError{code: exitFailure, err: fmt.Errorf("%v", mistakes[0])},
				"podautopsy signatures test %s tells of %s", dir, count(len(mistakes), "mistake"))
		}
	}
	return catalogue, nil
}

// extend adds the signatures of a folder. Its mistakes name the files as the
// user would.
func extend(catalogue *analyzer.Catalogue, dir string) (*analyzer.Catalogue, error) {
	if info, err := os.Stat(dir); err != nil {
		return nil, fmt.Errorf("reading signatures: %w", err)
	} else if !info.IsDir() {
		return nil, fmt.Errorf("reading signatures: %s is not a directory", dir)
	}
	extended, err := catalogue.Extend(os.DirFS(dir))
	var mistakes analyzer.Mistakes
	if errors.As(err, &mistakes) {
		for i := range mistakes {
			mistakes[i].File = filepath.Join(dir, mistakes[i].File)
		}
		return nil, mistakes
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return extended, nil
}

// signatureFilter is what a user wants to know of.
type signatureFilter struct{ component, cause, stage, polarity string }

func (f *signatureFilter) add(set *pflag.FlagSet) {
	set.StringVar(&f.component, "component", "", "only those of this `COMPONENT`: kubelet, containerd, kernel ...")
	set.StringVar(&f.cause, "cause", "", "only those that suggest this `CAUSE`")
	set.StringVar(&f.stage, "stage", "", "only those of this `STAGE` of the deletion")
	set.StringVar(&f.polarity, "polarity", "", "only those that tell of this `KIND`: failure, success, context or noise")
}

// of keeps the signatures that the flags ask for.
func (f *signatureFilter) of(list []*analyzer.Signature) ([]*analyzer.Signature, error) {
	for _, want := range []struct {
		flag, word string
		of         func(*analyzer.Signature) []string
	}{
		{"component", f.component, func(s *analyzer.Signature) []string { return s.Component }},
		{"cause", f.cause, func(s *analyzer.Signature) []string { return s.Suggests }},
		{"stage", f.stage, func(s *analyzer.Signature) []string { return s.Stage }},
		{"polarity", f.polarity, func(s *analyzer.Signature) []string { return []string{string(s.Polarity)} }},
	} {
		if want.word == "" {
			continue
		}
		known := map[string]bool{}
		var kept []*analyzer.Signature
		for _, s := range list {
			for _, w := range want.of(s) {
				known[w] = true
			}
			if slices.Contains(want.of(s), want.word) {
				kept = append(kept, s)
			}
		}
		if len(kept) == 0 {
			words := slices.Sorted(maps.Keys(known))
			err := usagef("no signature has the %s %q", want.flag, want.word)
			if near := nearest(want.word, words); near != "" {
				return nil, hint(err, "did you mean %s?", near)
			}
			return nil, hint(err, "there are %s", strings.Join(words, ", "))
		}
		list = kept
	}
	return list, nil
}

// listSignatures is a table, one line each.
func listSignatures(list []*analyzer.Signature) string {
	var rows [][]string
	var width [5]int
	for _, s := range list {
		row := []string{
			s.ID, wordsOr(s.Component, "anybody"), wordsOr(s.Stage, "none"), string(s.Polarity), string(s.Strength), strings.Join(s.Suggests, ","),
		}
		for i := range width {
			width[i] = max(width[i], len(row[i]))
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, w := range width {
			fmt.Fprintf(&line, "%-*s  ", w, row[i])
		}
		b.WriteString(strings.TrimRight(line.String()+row[5], " ") + "\n")
	}
	return b.String()
}

// wordsOr is a short form of a list: two words and how many more.
func wordsOr(words []string, none string) string {
	const most = 2
	switch {
	case len(words) == 0:
		return none
	case len(words) > most:
		return fmt.Sprintf("%s,+%d", strings.Join(words[:most], ","), len(words)-most)
	}
	return strings.Join(words, ",")
}

// listing is the JSON form of the list. Count and digest are of the whole
// catalogue, as reports name it.
type listing struct {
	Count      int               `json:"count"`
	Digest     string            `json:"digest"`
	Signatures []signatureRecord `json:"signatures"`
}

type signatureRecord struct {
	ID        string   `json:"id"`
	Component []string `json:"component"`
	Stage     []string `json:"stage"`
	Polarity  string   `json:"polarity"`
	Strength  string   `json:"strength"`
	Suggests  []string `json:"suggests"`
	Proven    bool     `json:"proven"`
	Own       bool     `json:"own"`
	Versions  string   `json:"versions"`
	Meaning   string   `json:"meaning"`
	Pattern   string   `json:"pattern"`
}

func describeSignatures(list []*analyzer.Signature) []signatureRecord {
	words := func(w []string) []string { return append([]string{}, w...) } // never null
	records := make([]signatureRecord, 0, len(list))
	for _, s := range list {
		records = append(records, signatureRecord{
			ID: s.ID, Component: words(s.Component), Stage: words(s.Stage), Polarity: string(s.Polarity), Strength: string(s.Strength),
			Suggests: words(s.Suggests), Proven: s.Proven, Own: s.Own, Versions: s.Versions, Meaning: s.Meaning, Pattern: s.Pattern,
		})
	}
	return records
}

func (c *cli) writeJSON(v any) error {
	enc := json.NewEncoder(c.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// say writes text to standard output, with what a terminal would obey made
// visible: a user's files may come from anywhere.
func (c *cli) say(text string) error {
	if _, err := io.WriteString(c.stdout, visible(text)); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
