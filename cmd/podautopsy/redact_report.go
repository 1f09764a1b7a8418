package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
	"podautopsy/parsers/redact"
)

// Profiles of --redact.
const (
	redactDefault = "default"
	redactStrict  = "strict"
)

func (f *flags) addRedaction(set *pflag.FlagSet) {
	f.redact = choice{allowed: []string{redactDefault, redactStrict}}
	set.Var(&f.redact, "redact", "put tokens in place of names and addresses, as redact does; strict also cuts what follows a known error in its line")
	set.Lookup("redact").NoOptDefVal = redactDefault
	set.StringVar(&f.redactionMap, "redaction-map", "", "with --redact, keep what stands for what in this private `FILE`, and go on from it if it exists")
}

func (f *flags) checkRedaction() error {
	if f.redactionMap != "" && f.redact.value == "" {
		return usagef("--redaction-map is for --redact")
	}
	return nil
}

// redaction replaces names in one report.
type redaction struct {
	learner *redact.Learner
	profile string
	mapping string
}

// startRedaction makes ready to learn from what is read; nil if the report is
// to be as it is.
func (c *cli) startRedaction(f *flags) (*redaction, error) {
	if f.redact.value == "" {
		return nil, nil
	}
	known, err := openMapping(f.redactionMap)
	if err != nil {
		return nil, err
	}
	learner, err := c.newLearner(f, known)
	if err != nil {
		return nil, err
	}
	f.facts = learner.Timeline
	return &redaction{learner: learner, profile: f.redact.value, mapping: f.redactionMap}, nil
}

// onBundle redacts the report on a bundle, with the tokens that redact gives
// the bundle itself.
func (r *redaction) onBundle(ctx context.Context, f *flags, paths []string, doc *analyzer.Document) (*analyzer.Document, error) {
	if slices.Contains(paths, "-") || doc.Partial {
		return r.alone(doc) // it cannot be read again
	}
	if err := r.learner.Bundle(ctx, paths, f.limits.reading()); err != nil {
		return nil, redactingStopped(ctx, err)
	}
	return r.finish(doc, "bundle")
}

// alone redacts a report without its bundle.
// Its whole timeline is given up: names that only that holds would change the
// tokens of the report.
func (r *redaction) alone(doc *analyzer.Document) (*analyzer.Document, error) {
	doc.Whole = nil
	elsewhere := *doc
	elsewhere.Bundle.Paths = nil // where the bundle lay is of no matter
	var data bytes.Buffer
	data.WriteString("podautopsy redaction\x00")
	if err := report.JSON(&data, &elsewhere, report.Options{}); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data.Bytes())
	r.learner.Salt(hex.EncodeToString(sum[:]))
	return r.finish(doc, "report")
}

// asTheyAre are fields of a report that hold no names.
var asTheyAre = []string{"schema", "reportID", "sha256", "tool", "id"}

// finish replaces what was learnt in every text of the report, and checks that.
func (r *redaction) finish(doc *analyzer.Document, from string) (*analyzer.Document, error) {
	if doc.Redaction != nil {
		return nil, usagef("the report is redacted already")
	}
	learnDocument(r.learner, doc)
	tree, err := treeOf(doc)
	if err != nil {
		return nil, err
	}
	eachText(tree, func(text string) string {
		r.learner.Text(text)
		return text
	})
	redactor := r.learner.Redactor()
	out, err := r.replace(doc, tree, from, redactor)
	if err != nil {
		return nil, err
	}
	if doc.Whole != nil {
		entire := doc.Entire()
		if tree, err = treeOf(entire); err != nil {
			return nil, err
		}
		if entire, err = r.replace(entire, tree, from, redactor); err != nil {
			return nil, err
		}
		out.Whole = &analyzer.Whole{Timeline: entire.Timeline, Evidence: entire.Evidence}
	}
	if err := sameVerdicts(doc, out, redactor.Text); err != nil {
		return nil, checkFailed("the redacted report has other verdicts", err)
	}
	if r.mapping != "" {
		if err := keepMapping(r.mapping, redactor.Mapping()); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// replace is a document, given as maps and lists, with tokens in every text.
func (r *redaction) replace(doc *analyzer.Document, tree any, from string, redactor *redact.Redactor) (*analyzer.Document, error) {
	tree = eachText(tree, redactor.Text)
	data, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	out := &analyzer.Document{}
	if err := json.Unmarshal(data, out); err != nil {
		return nil, fmt.Errorf("redacting the report: %w", err)
	}
	out.Redaction = &analyzer.Redaction{Profile: r.profile, LearntFrom: from}
	for i := range out.Evidence {
		e := &out.Evidence[i]
		rematch(e, &doc.Evidence[i])
		if r.profile == redactStrict {
			cutAfterMatch(e)
			e.Before, e.After = nil, nil
		}
	}
	watch := redact.NewWatch(redactor)
	var leaks []string
	eachText(tree, func(text string) string {
		if original, _ := watch.Find(text); original != "" {
			leaks = append(leaks, original)
		}
		return text
	})
	if len(leaks) > 0 {
		return nil, checkFailed("the report still holds what was to be replaced", fmt.Errorf("%q", leaks[0]))
	}
	return out, nil
}

// treeOf is a document as maps and lists, as it is written.
func treeOf(doc *analyzer.Document) (any, error) {
	var file bytes.Buffer
	if err := report.JSON(&file, doc, report.Options{}); err != nil {
		return nil, err
	}
	numbers := json.NewDecoder(&file)
	numbers.UseNumber()
	var tree any
	if err := numbers.Decode(&tree); err != nil {
		return nil, fmt.Errorf("redacting the report: %w", err)
	}
	return tree, nil
}

// eachText puts every text of a document through f.
func eachText(v any, f func(string) string) any {
	switch v := v.(type) {
	case string:
		return f(v)
	case []any:
		for i := range v {
			v[i] = eachText(v[i], f)
		}
	case map[string]any:
		for key := range v {
			if !slices.Contains(asTheyAre, key) {
				v[key] = eachText(v[key], f)
			}
		}
	}
	return v
}

// rematch finds the part that a signature fits again: tokens have the length of
// what they stand for.
func rematch(e, original *analyzer.Evidence) {
	if e.Match == nil || original.Match == nil || strings.Contains(e.Text, *e.Match) {
		return
	}
	e.Match = nil
	at := strings.Index(original.Text, *original.Match)
	if at >= 0 && len(e.Text) == len(original.Text) {
		part := e.Text[at : at+len(*original.Match)]
		e.Match = &part
	}
}

// cutText stands for what strict leaves out.
const cutText = " [masked]"

// cutAfterMatch leaves out what a line says behind the error that it is known
// by: nobody knows what programs write there.
func cutAfterMatch(e *analyzer.Evidence) {
	if e.Match == nil || *e.Match == "" {
		return
	}
	at := strings.Index(e.Text, *e.Match)
	if end := at + len(*e.Match); at >= 0 && end < len(e.Text) {
		e.Text = e.Text[:end] + cutText
	}
}

// profileOf is how a report was redacted; "" if it was not.
func profileOf(doc *analyzer.Document) string {
	if doc.Redaction == nil {
		return ""
	}
	return cmp.Or(doc.Redaction.Profile, redactDefault)
}
