package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

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
			return "*"
		case lone:
			return rest[1:]
		}
		return filepath.Base(p) + rest
	}
	return source
}

// renamed is flags for the copy of the bundle at these paths, in which names
// are tokens.
func (f *flags) renamed(paths []string, token func(string) string) *flags {
	other := *f
	other.assumeZone, other.assumeYear = slices.Clone(f.assumeZone), slices.Clone(f.assumeYear)
	inCopy := func(source string) string {
		if source == "" { // all of them
			return ""
		}
		return token(inBundle(source, paths))
	}
	for i, z := range f.assumeZone {
		other.assumeZone[i].source = inCopy(z.source)
	}
	for i, y := range f.assumeYear {
		other.assumeYear[i].source = inCopy(y.source)
	}
	return &other
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
