package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"podautopsy/analyzer"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		out  string
	}{
		{nil, 0, ""},
		{errors.New("reading x: no"), 1, "podautopsy: reading x: no\n"},
		{hint(usagef("bad %s", "flag"), "try %d", 1), 2, "podautopsy: bad flag\npodautopsy: hint: try 1\n"},
		{fmt.Errorf("while: %w", usagef("bad")), 2, "podautopsy: while: bad\n"},
		{fmt.Errorf("reading a\nb\x1b\x9b: %w", errors.New("no\u202e")), 1, "podautopsy: reading a\\nb\\x1b\\x9b: no\\u202e\n"},
		{errors.Join(errors.New("one\nx"), errors.Join(errors.New("two"), errors.New("three"))), 1, "podautopsy: one\\nx\ntwo\nthree\n"},
		{checkFailed("they differ", errors.Join(errors.New("in a"), errors.New("in b"))), 5, "podautopsy: they differ:\nin a\nin b\npodautopsy: hint: nothing was written\n"},
		{hint(usagef("bad"), "try %s", "a\nb"), 2, "podautopsy: bad\npodautopsy: hint: try a\\nb\n"},
		{interrupted(&analyzer.Document{Partial: true}), 130, "podautopsy: interrupted; the report is partial\n"},
		{interrupted(&analyzer.Document{}), 0, ""},
	} {
		var stderr bytes.Buffer
		if got := (&cli{stderr: &stderr}).exit(c.err); got != c.code || stderr.String() != c.out {
			t.Errorf("exit(%v) = %d, %q; want %d, %q", c.err, got, stderr.String(), c.code, c.out)
		}
	}
}

func TestVerdict(t *testing.T) {
	doc := func(outcomes ...string) *analyzer.Document {
		d := &analyzer.Document{}
		for _, o := range outcomes {
			d.Subjects = append(d.Subjects, analyzer.Subject{Outcome: o})
		}
		return d
	}
	for _, c := range []struct {
		doc    *analyzer.Document
		failOn string
		strict bool
		code   int
	}{
		{doc(), "any", true, 0},
		{doc("stuck"), "", false, 0},
		{doc("stuck"), "stuck", false, 3},
		{doc("residue"), "stuck", false, 0},
		{doc("residue"), "residue", false, 3},
		{doc("residue"), "any", false, 3},
		{doc("in-progress", "clean"), "any", true, 0},
		{doc("inconclusive"), "", true, 4},
		{doc("inconclusive"), "any", false, 0},
		{doc("inconclusive", "stuck"), "stuck", true, 3},
	} {
		var e *exitError
		code := 0
		if errors.As(verdict(c.doc, c.failOn, c.strict), &e) {
			code = e.code
		}
		if code != c.code {
			t.Errorf("%v --fail-on %q --strict=%v: %d, want %d", c.doc.Subjects, c.failOn, c.strict, code, c.code)
		}
	}
}
