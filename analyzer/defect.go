package analyzer

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
)

//go:embed defects/*.yaml
var defectFiles embed.FS

// Defect is a known defect of a component: how it shows, which versions have
// it, and where it is told of. It names no cause of its own; it tells more of
// one.
type Defect struct {
	// ID is stable for ever; it is the file's name too.
	ID string `yaml:"id"`
	// Component that has it; see componentWords.
	Component string `yaml:"component"`
	// Name is what people call it: "kubernetes#116954".
	Name  string `yaml:"name"`
	Title string `yaml:"title"`
	// Affected lists the versions that have it, the oldest first; empty where
	// no source tells.
	Affected []Affected `yaml:"affected"`
	// Fixed is the first version from which no release line has it; "" where no
	// source tells.
	Fixed string `yaml:"fixed"`
	// Builds limits the versions to those whose text matches: a distribution's.
	Builds string `yaml:"builds"`
	// Condition is how it shows in the evidence.
	Condition DefectCondition `yaml:"condition"`
	// NeedsVersion: the pattern has other reasons too. Without a version that
	// is known to have the defect the confidence is one lower.
	NeedsVersion bool `yaml:"needs_version"`
	// ByVersion: the pattern alone says nothing, so without such a version the
	// defect is not named.
	ByVersion bool `yaml:"by_version"`
	// Proves: a cause asks for it as "defect:ID", so it is looked for before
	// the causes are.
	Proves bool `yaml:"proves"`
	// Stage that it keeps unfinished, of one that proves.
	Stage string `yaml:"stage"`
	// Causes lists the causes that it may be behind.
	Causes     Words    `yaml:"causes"`
	Links      []string `yaml:"links"`
	Workaround string   `yaml:"workaround"`
	// Risk of the workaround: low if not said.
	Risk string `yaml:"risk"`
	// Source says where the versions and the pattern come from.
	Source string `yaml:"source"`

	builds *regexp.Regexp
}

// Affected is a range of versions on one release line.
type Affected struct {
	Introduced string `yaml:"introduced"` // the first that has it; "" means as far back as it goes
	Fixed      string `yaml:"fixed"`      // the first that does not
	Last       string `yaml:"last"`       // where Fixed is not known: the newest that is known to have it
}

// DefectCondition is the pattern: every clause of All holds and none of None.
type DefectCondition struct {
	All  []Clause `yaml:"all"`
	None []Clause `yaml:"none"`
}

const (
	componentKubelet    = "kubelet"
	componentContainerd = "containerd"
	componentCRIO       = "cri-o"
	componentDocker     = "docker"
	componentRunc       = "runc"
	componentKernel     = "kernel"
)

// componentWords are the programs that a defect may be of.
var componentWords = []string{
	componentKubelet, componentContainerd, componentCRIO, componentDocker, componentRunc, componentKernel,
	"kube-controller-manager", "csi-driver", "cni-plugin",
}

// Defects are those that the program knows, in the order of their ids, read
// once. Treat them as read-only.
func Defects() ([]*Defect, error) { return builtinDefects() }

var builtinDefects = sync.OnceValues(func() ([]*Defect, error) {
	defects, _, err := known(defectFiles, "defects", readDefects, func(d *Defect) error { return d.check(d.ID) })
	return defects, err
})

func readDefects(files fs.FS) ([]*Defect, error) { return readEach(files, "defects", (*Defect).check) }

func (d *Defect) check(file string) error {
	switch {
	case d.ID != file:
		return fmt.Errorf("id %q is not the file's name", d.ID)
	case !slices.Contains(componentWords, d.Component):
		return fmt.Errorf("component %q is not known", d.Component)
	case d.Name == "" || d.Title == "":
		return errors.New("no name or no title")
	case len(d.Links) == 0 || d.Source == "":
		return errors.New("no link or no source")
	case len(d.Condition.All) == 0:
		return errors.New("no condition")
	case d.Proves != slices.Contains(stageWords, d.Stage):
		return fmt.Errorf("stage %q is not known, or not asked for", d.Stage)
	case d.ByVersion && len(d.Affected) == 0:
		return errors.New("is told by its version, and none is given")
	}
	for _, id := range d.Causes {
		if !slices.Contains(causeWords, id) {
			return fmt.Errorf("cause %q is not known", id)
		}
	}
	if len(d.Causes) == 0 {
		return errors.New("no cause")
	}
	for _, list := range [][]Clause{d.Condition.All, d.Condition.None} {
		for i := range list {
			if err := list[i].check(); err != nil {
				return err
			}
		}
	}
	if d.Builds != "" {
		re, err := regexp.Compile(d.Builds)
		if err != nil {
			return err
		}
		d.builds = re
	}
	return d.checkVersions()
}

// checkVersions finds versions that cannot be read, and ranges that are empty
// or out of order.
func (d *Defect) checkVersions() error {
	var before release
	for _, a := range d.Affected {
		if a.Fixed != "" && a.Last != "" {
			return errors.New("a range has both fixed and last")
		}
		from, to := d.release(a.Introduced), d.release(a.Fixed+a.Last)
		switch {
		case a.Introduced != "" && from == nil:
			return fmt.Errorf("version %q cannot be read", a.Introduced)
		case a.Fixed+a.Last != "" && to == nil:
			return fmt.Errorf("version %q cannot be read", a.Fixed+a.Last)
		case to != nil && from.compare(to) > 0, before != nil && from.compare(before) < 0:
			return fmt.Errorf("the range from %q is empty or out of order", a.Introduced)
		}
		before = to
	}
	if d.Fixed != "" && d.release(d.Fixed) == nil {
		return fmt.Errorf("version %q cannot be read", d.Fixed)
	}
	return nil
}

func (d *Defect) release(version string) release { return releaseOf(d.Component, version) }

// whether is what a version says of a defect.
type whether int

const (
	notTold  whether = iota // no version, or no source tells of this one
	affected                // a source says that this version has it
	spared                  // ... that it has not
)

// affects says whether a version has the defect, and the first version of its
// line that has not.
func (d *Defect) affects(version string) (verdict whether, fixed string) {
	v := d.release(version)
	if v == nil || len(d.Affected) == 0 {
		return notTold, d.Fixed
	}
	if d.builds != nil && !d.builds.MatchString(version) {
		return spared, d.Fixed
	}
	verdict, fixed = spared, d.Fixed
	for _, a := range d.Affected {
		if v.compare(d.release(a.Introduced)) < 0 {
			break
		}
		switch {
		case a.Fixed != "":
			verdict, fixed = spared, a.Fixed
			if v.compare(d.release(a.Fixed)) < 0 {
				return affected, a.Fixed
			}
		case a.Last != "":
			verdict, fixed = notTold, d.Fixed
			if v.within(d.release(a.Last)) {
				return affected, d.Fixed
			}
		default:
			return affected, d.Fixed
		}
	}
	if d.Fixed != "" && v.compare(d.release(d.Fixed)) >= 0 {
		verdict = spared
	}
	return verdict, fixed
}

// Repaired lists the first versions without the defect, one for each release
// line; "" where no source names any.
func (d *Defect) Repaired() string {
	var list []string
	for _, a := range d.Affected {
		if a.Fixed != "" {
			list = append(list, a.Fixed)
		}
	}
	if d.Fixed != "" && !slices.Contains(list, d.Fixed) {
		list = append(list, d.Fixed)
	}
	return strings.Join(list, ", ")
}
