package analyzer

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"

	"podautopsy/timeline/literal"
)

// fault is a mistake in a signature: in which of its YAML fields, in which item
// of that, and what.
type fault struct {
	field string
	item  int
	err   error
}

// Check compiles every pattern and tries it on its own examples.
func (c *Catalogue) Check() error {
	var errs []error
	for _, s := range c.Signatures {
		for _, f := range s.check() {
			errs = append(errs, fmt.Errorf("signature %s: %w", s.ID, f.err))
		}
	}
	return errors.Join(errs...)
}

// validate finds the mistakes that need no pattern.
func (s *Signature) validate() []fault {
	var faults []fault
	wrong := func(field string, item int, format string, args ...any) {
		faults = append(faults, fault{field, item, fmt.Errorf(format, args...)})
	}
	if s.ID == "" {
		wrong("id", 0, "no id")
	}
	if !slices.Contains(polarities, s.Polarity) {
		wrong("polarity", 0, "polarity %q is not known; there are %s", s.Polarity, listed(polarities))
	}
	if !slices.Contains(strengths, s.Strength) {
		wrong("strength", 0, "strength %q is not known; there are %s", s.Strength, listed(strengths))
	}
	if s.Polarity != Failure && len(s.Suggests) > 0 {
		wrong("suggests", 0, "only a failure suggests a cause")
	}
	if len(s.Stage) == 0 && s.Polarity != Noise {
		wrong("stage", 0, "no stage")
	}
	if s.Pattern == "" {
		wrong("match", 0, "no pattern")
	}
	if s.Meaning == "" {
		wrong("meaning", 0, "no meaning")
	}
	if len(s.Literals) == 0 && len(s.Component) == 0 {
		wrong("literals", 0, "no literals; only patterns for a named component may go without")
	}
	for i, l := range s.Literals {
		if len(l) < literal.Shortest {
			wrong("literals", i, "literal %q is shorter than %d bytes", l, literal.Shortest)
		}
	}
	for i, w := range s.Stage {
		if !slices.Contains(stageWords, w) {
			wrong("stage", i, "stage %q is not known; there are %s", w, listed(stageWords))
		}
	}
	for i, w := range s.Suggests {
		if !slices.Contains(causeWords, w) {
			wrong("suggests", i, "cause %q is not known; podautopsy explain lists them", w)
		}
	}
	if len(s.Yes) == 0 {
		wrong("yes", 0, "needs a line that matches")
	}
	if len(s.No) == 0 {
		wrong("no", 0, "needs a line that does not match")
	}
	return faults
}

var (
	polarities = []Polarity{Failure, Success, Context, Noise}
	strengths  = []Strength{Decisive, Supporting, Weak}
)

func listed[T ~string](words []T) string {
	var b strings.Builder
	for i, w := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(w))
	}
	return b.String()
}

// check compiles the pattern and tries it on the examples.
func (s *Signature) check() []fault {
	if _, err := s.regexp(); err != nil {
		var bad *syntax.Error
		if errors.As(err, &bad) {
			err = fmt.Errorf("the pattern does not compile: %s: %s", bad.Code, strings.TrimPrefix(bad.Expr, "(?ms)"))
		}
		return []fault{{"match", 0, err}}
	}
	var faults []fault
	if s.pattern.MatchString("") {
		faults = append(faults, fault{"match", 0, errors.New("the pattern fits an empty line, and so any")})
	}
	faults = append(faults, s.checkGroups()...)
	for i, line := range s.Yes {
		switch {
		case !containsAny(line, s.Literals):
			faults = append(faults, fault{"yes", i, fmt.Errorf("holds no literal: %s", line)})
		case !s.pattern.MatchString(line):
			faults = append(faults, fault{"yes", i, fmt.Errorf("does not match: %s", line)})
		}
	}
	for i, line := range s.No {
		if s.pattern.MatchString(line) && containsAny(line, s.Literals) {
			faults = append(faults, fault{"no", i, fmt.Errorf("matches: %s", line)})
		}
	}
	return faults
}

func containsAny(text string, literals []string) bool {
	return len(literals) == 0 || slices.ContainsFunc(literals, func(l string) bool { return strings.Contains(text, l) })
}
