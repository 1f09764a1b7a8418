package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Options are what the user knows better than the bundle.
type Options struct {
	// Zone is the zone of times that name none; nil: work it out.
	Zone *time.Location
	// Year of times that name none; 0: work it out.
	Year int
	// Zones and Years are the same for some sources; the last that names a
	// source counts.
	Zones []AssumedZone
	Years []AssumedYear
	// KeepClocks leaves what nodes dated as it stands, though their clocks are
	// known to differ from the API server's.
	KeepClocks bool
}

// Assemble lines up the facts of all files. The builders' order does not
// matter; the result is the same for the same facts.
func Assemble(builders []*Builder, opt Options) *Timeline {
	builders = slices.Clone(builders)
	slices.SortStableFunc(builders, func(a, b *Builder) int { return cmp.Compare(a.Input.Path, b.Input.Path) })

	tl := &Timeline{NodeAliases: map[string]string{}}
	applyCollected(builders)
	explainEmpty(builders)
	dropAnonymous(builders)
	placeNodes(tl, builders)
	taken := resolveClocks(builders, opt)
	clocks := measureClocks(builders)
	tl.Clocks = clocks.told(!opt.KeepClocks)
	if opt.KeepClocks {
		clocks.eras = nil
	}
	clocks.setRight(builders)
	resolveAges(builders, taken, clocks)

	for _, b := range builders {
		describeInput(b)
		placeGaps(b)
		doubtListings(b)
	}
	noteRotation(builders)
	for _, b := range builders {
		tl.Inputs = append(tl.Inputs, b.Input)
		tl.Listings = append(tl.Listings, b.Listings...)
		tl.Absents = append(tl.Absents, b.Absents...)
		tl.NodeState.add(&b.NodeState)
	}
	dropHistory(tl)
	tl.Units, tl.Filesystems = mergeUnits(tl.Units), mergeFilesystems(tl.Filesystems)
	tl.Containers = mergeContainers(tl.Containers)
	tl.Sandboxes = mergeSandboxes(tl.Sandboxes)
	tl.Mounts = mergeMounts(tl.Mounts)
	tl.Processes = mergeProcesses(tl.Processes)
	tl.Events = mergeEvents(builders)
	tl.Objects = mergeObjects(builders)
	noteClusters(tl)
	settleCapture(tl)
	return tl
}

// describeInput notes what span the records of a file cover.
func describeInput(b *Builder) {
	in := &b.Input
	for i := range b.Events {
		t := b.Events[i].Time
		if t.IsZero() || b.Events[i].Component == APIEvent {
			continue
		}
		if in.First.IsZero() || t.Before(in.First) {
			in.First = t
		}
		if t.After(in.Last) {
			in.Last = t
		}
	}
	in.Zone = cmp.Or(in.Zone, "UTC")
	if in.ZoneKnown == "" {
		in.ZoneKnown = Given
	}
	if in.YearKnown == "" {
		in.YearKnown = Given
	}
}

// settleCapture finds the latest moment that the bundle vouches for. A log
// whose zone or year nobody tells does not speak against a collection time.
func settleCapture(tl *Timeline) {
	note := func(t time.Time, from ...string) {
		if t.After(tl.CapturedAt) {
			tl.CapturedAt, tl.CapturedFrom = t, strings.Join(from, "")
		}
	}
	for i := range tl.Inputs {
		note(tl.Inputs[i].CapturedAt, "the collection time in ", tl.Inputs[i].Path)
	}
	told := !tl.CapturedAt.IsZero()
	for i := range tl.Inputs {
		in := &tl.Inputs[i]
		if guessed := in.ZoneKnown == Assumed || in.YearKnown == Assumed; !guessed || !told {
			note(in.Last, "the last record of ", in.Path)
		}
	}
	for i := range tl.Events {
		if e := &tl.Events[i]; e.Component == APIEvent {
			note(e.Time, "the newest API event")
		}
	}
	for _, o := range tl.Objects {
		note(o.AsOf, "the newest change that the dump in ", o.Source.File, " shows")
	}
	for i := range tl.Containers {
		c := &tl.Containers[i]
		for _, t := range []time.Time{c.CreatedAt, c.StartedAt, c.FinishedAt} {
			note(t, "the newest container time in ", c.Source.File)
		}
	}
}
