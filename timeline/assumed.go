package timeline

import (
	"path"
	"slices"
	"strings"
	"time"
)

// AssumedZone is the zone of a source's times that name none. The source is
// the path of a file, of a folder or an archive that it is in, a pattern for
// one of these, or a node.
type AssumedZone struct {
	Source string
	Zone   *time.Location
}

// AssumedYear is the year of a source's times that name none.
type AssumedYear struct {
	Source string
	Year   int
}

// zone is the one that the user gives for what a file has of a node: the last
// that names the file or the node, else the last for all.
func (o *Options) zone(in *Input, node string) *time.Location {
	for _, z := range slices.Backward(o.Zones) {
		if meant(z.Source, in.Path, node) {
			return z.Zone
		}
	}
	return o.Zone
}

// year is the one that the user gives for a file.
func (o *Options) year(in *Input) int {
	for _, y := range slices.Backward(o.Years) {
		if meant(y.Source, in.Path, in.Node) {
			return y.Year
		}
	}
	return o.Year
}

// meant says whether a source names a file: by its path, a folder or archive
// that it is in, a pattern for one of these, or the node that it is of.
func meant(source, file, node string) bool {
	if source == "" {
		return false
	}
	if source == node {
		return true
	}
	source = strings.TrimSuffix(source, "/")
	for p := file; p != ""; p = parentFolder(p) {
		if p == source {
			return true
		}
		if ok, err := path.Match(source, p); ok && err == nil {
			return true
		}
	}
	return false
}

// Unmatched are the sources that name no input and no node of the bundle.
func (o *Options) Unmatched(tl *Timeline) []string {
	var sources, out []string
	for _, z := range o.Zones {
		sources = append(sources, z.Source)
	}
	for _, y := range o.Years {
		sources = append(sources, y.Source)
	}
	for _, s := range sources {
		if !slices.Contains(out, s) &&
			!slices.ContainsFunc(tl.Inputs, func(in Input) bool { return meant(s, in.Path, in.Node) }) &&
			!slices.ContainsFunc(tl.Events, func(e Event) bool { return e.Node == s }) {
			out = append(out, s)
		}
	}
	return out
}
