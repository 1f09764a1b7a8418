package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"podautopsy/parsers/redact"
	"podautopsy/timeline"
)

// assumedZones is the repeatable flag [SRC=]ZONE.
type assumedZones []assumedZone

type assumedZone struct {
	source string
	loc    *time.Location
}

func (a *assumedZones) String() string {
	var words []string
	for _, z := range *a {
		words = append(words, sourced(z.source, z.loc.String()))
	}
	return strings.Join(words, ",")
}

// Set implements pflag.Value.
func (a *assumedZones) Set(s string) error {
	source, name, err := cutSource(s)
	if err != nil {
		return err
	}
	var z zone
	if err := z.Set(name); err != nil {
		return err
	}
	*a = append(*a, assumedZone{source, z.loc})
	return nil
}

// Type implements pflag.Value.
func (a *assumedZones) Type() string { return "[SRC=]ZONE" }

// assumedYears is the repeatable flag [SRC=]YEAR.
type assumedYears []assumedYear

type assumedYear struct {
	source string
	year   int
}

func (a *assumedYears) String() string {
	var words []string
	for _, y := range *a {
		words = append(words, sourced(y.source, strconv.Itoa(y.year)))
	}
	return strings.Join(words, ",")
}

// Set implements pflag.Value.
func (a *assumedYears) Set(s string) error {
	source, digits, err := cutSource(s)
	if err != nil {
		return err
	}
	year, err := strconv.Atoi(digits)
	switch {
	case err != nil:
		return fmt.Errorf("want a year such as 2026")
	case year < 2014 || year > 9999:
		return fmt.Errorf("want 2014 or later: Kubernetes is not that old")
	}
	*a = append(*a, assumedYear{source, year})
	return nil
}

// Type implements pflag.Value.
func (a *assumedYears) Type() string { return "[SRC=]YEAR" }

// cutSource divides SRC=VALUE; a path may hold an equals sign, a value none.
func cutSource(s string) (source, value string, err error) {
	i := strings.LastIndexByte(s, '=')
	if i == 0 {
		return "", "", fmt.Errorf("want a source before the =, or none of both")
	}
	if i < 0 {
		return "", s, nil
	}
	return s[:i], s[i+1:], nil
}

func sourced(source, value string) string {
	if source == "" {
		return value
	}
	return source + "=" + value
}

// everything is the source that is the whole of a bundle: what a folder holds,
// whatever it is.
const everything = "*"

// inBundle turns a source that is written as the shell sees it into one as the
// report cites it: a lone folder's name is left out there, the folders above
// any argument always are.
func inBundle(source string, paths []string) string {
	clean := filepath.ToSlash(filepath.Clean(source))
	for _, p := range paths {
		p = filepath.ToSlash(filepath.Clean(p))
		rest, ok := strings.CutPrefix(clean, p)
		if !ok || p == "-" || rest != "" && rest[0] != '/' && rest[0] != '!' {
			continue
		}
		st, err := os.Stat(p)
		lone := len(paths) == 1 && err == nil && st.IsDir()
		switch {
		case lone && rest == "":
			return everything
		case lone:
			return rest[1:]
		}
		return filepath.Base(p) + rest
	}
	return source
}

// renamed is flags for a copy of the bundle at these paths, in which names are
// tokens; called gives what a source of the bundle may be called there.
func (f *flags) renamed(paths []string, called func(source string) []string) *flags {
	other := *f
	other.assumeZone, other.assumeYear = nil, nil
	inCopy := func(source string) []string {
		if source == "" { // all of them
			return []string{""}
		}
		return called(inBundle(source, paths))
	}
	for _, z := range f.assumeZone {
		for _, source := range inCopy(z.source) {
			other.assumeZone = append(other.assumeZone, assumedZone{source, z.loc})
		}
	}
	for _, y := range f.assumeYear {
		for _, source := range inCopy(y.source) {
			other.assumeYear = append(other.assumeYear, assumedYear{source, y.year})
		}
	}
	return &other
}

// inCopy is what a source of the bundle at these paths is called in a redacted
// copy: a node's name is a token, what was packed is not.
func inCopy(source string, paths []string, token func(string) string) string {
	if len(paths) == 1 && source == filepath.Base(paths[0]) {
		return everything // the archive that was given is the whole copy
	}
	return redact.PathInCopy(token(source), false)
}

// assumptions are the flags that whoever reads a copy must state, too; place is
// what its files are called there.
func (f *flags) assumptions(tl *timeline.Timeline, place func(source string) string) []string {
	known := func(source string) bool {
		opt := timeline.Options{Zones: []timeline.AssumedZone{{Source: source}}}
		return source == "" || len(opt.Unmatched(tl)) == 0
	}
	var out []string
	for _, z := range f.assumeZone {
		if known(z.source) {
			out = append(out, "--assume-timezone "+sourced(place(z.source), z.loc.String()))
		}
	}
	for _, y := range f.assumeYear {
		if known(y.source) {
			out = append(out, "--assume-year "+sourced(place(y.source), strconv.Itoa(y.year)))
		}
	}
	return out
}

// checkSources complains of sources that are not in the bundle.
func checkSources(opt timeline.Options, tl *timeline.Timeline) error {
	unmatched := opt.Unmatched(tl)
	if len(unmatched) == 0 {
		return nil
	}
	return usage(fmt.Errorf("no input and no node %q in this bundle", unmatched[0]),
		"--assume-timezone and --assume-year take a path as podautopsy inventory lists it, its beginning, a pattern, or a node")
}
