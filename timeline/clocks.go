package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// resolveClocks turns times without a zone or a year, ages and seconds since
// boot into UTC, as far as the bundle tells how, and notes how it is known.
func resolveClocks(builders []*Builder, opt Options) {
	datedObjects(builders)
	reference := referenceTime(builders)
	requests := deletionRequests(builders)

	for _, b := range builders {
		resolveWall(b, builders, reference, requests, opt)
	}
	resolveBoots(builders)
	resolveAges(builders)
}

// zoneStep is what all zones in use are multiples of.
const zoneStep = 15 * time.Minute

// resolveWall finds offset and year of a file's unmarked times.
func resolveWall(b *Builder, all []*Builder, reference time.Time, requests map[string][]time.Time, opt Options) {
	in := &b.Input
	wall := 0
	var last time.Time
	for i := range b.Events {
		if e := &b.Events[i]; e.Stamp.Wall && !e.Time.IsZero() {
			wall++
			if e.Time.After(last) {
				last = e.Time
			}
		}
	}
	for i := range b.Units {
		if b.Units[i].Stamp.Wall {
			wall++
		}
	}
	if wall == 0 {
		return
	}

	hints := b.Clocks
	offset, known := time.Duration(0), Assumed
	switch {
	case opt.Zone != nil:
		known = Given
		in.Zone = opt.Zone.String()
	case in.ZoneKnown == Given && in.Zone != "":
		if loc, err := time.LoadLocation(in.Zone); err == nil {
			_, seconds := referenceOr(reference, last).In(loc).Zone()
			offset, known = time.Duration(seconds)*time.Second, Given
		}
	default:
		if o, ok := offsetFromHints(hints); ok {
			offset, known = o, Inferred
		} else if o, ok := offsetFromHints(hintsOfHost(b, all)); ok {
			offset, known = o, Inferred
		} else if o, ok := offsetFromRequests(b, requests); ok {
			offset, known = o, Inferred
		} else if o, ok := offsetFromCapture(last, in, all); ok {
			offset, known = o, Inferred
		}
	}
	in.Offset = offset
	in.ZoneKnown = known
	if opt.Zone == nil {
		in.Zone = zoneName(offset)
	}

	in.YearKnown = Given
	toUTC := func(t time.Time, noYear bool) time.Time {
		if noYear {
			t = withYear(t, reference, hints, offset, opt, in)
		}
		if opt.Zone != nil {
			return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), opt.Zone).UTC()
		}
		return t.Add(-offset)
	}
	for i := range b.Events {
		e := &b.Events[i]
		if e.Stamp.Wall && !e.Time.IsZero() {
			e.Time = toUTC(e.Time, e.Stamp.NoYear)
			e.Stamp.Wall, e.Stamp.NoYear = false, false
		}
	}
	for i := range b.Units {
		u := &b.Units[i]
		if u.Stamp.Wall && !u.Since.IsZero() {
			u.Since = toUTC(u.Since, u.Stamp.NoYear)
			u.Stamp = Stamp{}
		}
	}
}

func referenceOr(reference, last time.Time) time.Time {
	if reference.IsZero() {
		return last
	}
	return reference
}

// withYear gives a time of year 0 the year in which it lies nearest before the
// bundle's reference time; a log that runs over New Year gets two.
func withYear(t, reference time.Time, hints []ClockHint, offset time.Duration, opt Options, in *Input) time.Time {
	switch {
	case opt.Year != 0:
		in.YearKnown = Given
		return atYear(t, opt.Year)
	case len(hints) > 0:
		in.YearKnown = Inferred
		reference = hints[len(hints)-1].UTC.Add(offset)
		for _, h := range hints {
			if u := h.UTC.Add(offset); u.After(reference) {
				reference = u
			}
		}
	case !reference.IsZero():
		in.YearKnown = Inferred
		reference = reference.Add(offset)
	default:
		in.YearKnown = Assumed
		return atYear(t, unknownYear)
	}
	// Two days of grace for clocks that disagree.
	const ahead = 48 * time.Hour
	got := atYear(t, reference.Year())
	if got.After(reference.Add(ahead)) {
		got = atYear(t, reference.Year()-1)
	} else if next := atYear(t, reference.Year()+1); !next.After(reference.Add(ahead)) {
		got = next
	}
	return got
}

// unknownYear stands in where nothing in the bundle tells the year. It is a
// leap year, so that 29 February stays.
const unknownYear = 2000

func atYear(t time.Time, year int) time.Time {
	return time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// offsetFromHints takes the offset that most of the hints agree on.
func offsetFromHints(hints []ClockHint) (time.Duration, bool) {
	votes := map[time.Duration]int{}
	for _, h := range hints {
		local := h.Local
		if local.Year() == 0 {
			local = nearestYear(local, h.UTC)
		}
		step := local.Sub(h.UTC).Round(zoneStep)
		if step.Abs() <= 14*time.Hour {
			votes[step]++
		}
	}
	return majority(votes)
}

// nearestYear gives t the year in which it lies nearest to about.
func nearestYear(t, about time.Time) time.Time {
	best := atYear(t, about.Year())
	for _, year := range []int{about.Year() - 1, about.Year() + 1} {
		if c := atYear(t, year); c.Sub(about).Abs() < best.Sub(about).Abs() {
			best = c
		}
	}
	return best
}

func majority(votes map[time.Duration]int) (time.Duration, bool) {
	var steps []time.Duration
	for s := range votes {
		steps = append(steps, s)
	}
	if len(steps) == 0 {
		return 0, false
	}
	slices.SortFunc(steps, func(a, b time.Duration) int {
		return cmp.Or(-cmp.Compare(votes[a], votes[b]), cmp.Compare(a.Abs(), b.Abs()), cmp.Compare(a, b))
	})
	return steps[0], true
}

// hintsOfHost are the hints that other files of the same node give.
func hintsOfHost(b *Builder, all []*Builder) []ClockHint {
	var hints []ClockHint
	if b.Input.Node == "" {
		return nil
	}
	for _, o := range all {
		if o != b && o.Input.Node == b.Input.Node {
			hints = append(hints, o.Clocks...)
		}
	}
	return hints
}

// offsetFromRequests lines the kubelet's SyncLoop DELETE of a pod up with the
// request that the API object tells: they lie at most seconds apart.
func offsetFromRequests(b *Builder, requests map[string][]time.Time) (time.Duration, bool) {
	const near = 20 * time.Second
	votes := map[time.Duration]int{}
	for i := range b.Events {
		e := &b.Events[i]
		if !e.Stamp.Wall || !strings.Contains(e.Message, "SyncLoop") || !strings.Contains(e.Message, "DELETE") {
			continue
		}
		for pod, times := range requests {
			if !strings.Contains(e.Message, pod) {
				continue
			}
			for _, at := range times {
				local := e.Time
				if e.Stamp.NoYear {
					local = nearestYear(local, at)
				}
				diff := local.Sub(at)
				if step := diff.Round(zoneStep); (diff-step).Abs() <= near && step.Abs() <= 14*time.Hour {
					votes[step]++
				}
			}
		}
	}
	return majority(votes)
}

// offsetFromCapture compares a log's last line with the moment at which its
// folder was collected. It only speaks where the log ran up to that moment.
func offsetFromCapture(last time.Time, in *Input, all []*Builder) (time.Duration, bool) {
	const near = 5 * time.Minute
	votes := map[time.Duration]int{}
	for _, o := range all {
		at := o.Input.CapturedAt
		if at.IsZero() || (in.Node != "" && o.Input.Node != "" && o.Input.Node != in.Node) {
			continue
		}
		local := last
		if local.Year() == 0 {
			local = nearestYear(local, at)
		}
		diff := local.Sub(at)
		if step := diff.Round(zoneStep); (diff-step).Abs() <= near && step.Abs() <= 14*time.Hour {
			votes[step]++
		}
	}
	return majority(votes)
}

func zoneName(offset time.Duration) string {
	if offset == 0 {
		return "UTC"
	}
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", int(offset.Seconds()))).Format("-07:00")
}

// datedObjects gives each dump the newest time that it shows: it was taken
// then or later.
func datedObjects(builders []*Builder) {
	for _, b := range builders {
		newest := b.Input.CapturedAt
		if newest.IsZero() {
			for _, o := range b.Objects {
				newest = newestTime(o.Content, newest)
			}
			for i := range b.Events {
				if e := &b.Events[i]; e.Component == APIEvent && !e.Stamp.Wall && e.Time.After(newest) {
					newest = e.Time
				}
			}
		}
		for _, o := range b.Objects {
			// An object in deletion was seen after that was asked for.
			if t := requestTime(o); t.After(newest) {
				newest = t
			}
		}
		for _, o := range b.Objects {
			if o.AsOf.IsZero() {
				o.AsOf = newest
			}
		}
		for i := range b.Listings {
			if b.Listings[i].AsOf.IsZero() {
				b.Listings[i].AsOf = newest
			}
		}
		taken := b.Input.CapturedAt
		if taken.IsZero() {
			taken = folderCapture(b, builders)
		}
		for _, f := range b.facts() {
			if f.AsOf.IsZero() {
				f.AsOf = taken
			}
		}
	}
}

// folderCapture is when the files of the same folder say that they were taken.
func folderCapture(b *Builder, all []*Builder) time.Time {
	var newest time.Time
	for _, o := range all {
		if o.Input.Node == b.Input.Node && o.Input.Folder == b.Input.Folder && o.Input.CapturedAt.After(newest) {
			newest = o.Input.CapturedAt
		}
	}
	return newest
}

// referenceTime is the newest moment that any source writes in full.
func referenceTime(builders []*Builder) time.Time {
	var newest time.Time
	note := func(t time.Time) {
		if t.After(newest) {
			newest = t
		}
	}
	for _, b := range builders {
		note(b.Input.CapturedAt)
		for _, o := range b.Objects {
			note(o.AsOf)
			if t := deletionTime(o); !t.IsZero() && t.Sub(o.AsOf) < 24*time.Hour {
				note(t)
			}
		}
		for i := range b.Events {
			if e := &b.Events[i]; !e.Stamp.Wall {
				note(e.Time)
			}
		}
		for _, h := range b.Clocks {
			note(h.UTC)
		}
	}
	return newest
}

func deletionTime(o *Object) time.Time {
	meta, _ := o.Content["metadata"].(map[string]any)
	text, _ := meta["deletionTimestamp"].(string)
	t, _ := time.Parse(time.RFC3339, text)
	return t
}

// requestTime is when an object's deletion was asked for, at the latest:
// deletionTimestamp less the grace period.
func requestTime(o *Object) time.Time {
	t := deletionTime(o)
	if t.IsZero() {
		return t
	}
	meta, _ := o.Content["metadata"].(map[string]any)
	switch g := meta["deletionGracePeriodSeconds"].(type) {
	case int64:
		t = t.Add(-time.Duration(g) * time.Second)
	case float64:
		t = t.Add(-time.Duration(g) * time.Second)
	}
	return t
}

// deletionRequests are the moments at which pods were asked to end, by name.
func deletionRequests(builders []*Builder) map[string][]time.Time {
	requests := map[string][]time.Time{}
	for _, b := range builders {
		for _, o := range b.Objects {
			t := deletionTime(o)
			if o.Kind != "Pod" || t.IsZero() || o.Name == "" {
				continue
			}
			requests[o.Name] = append(requests[o.Name], requestTime(o))
		}
	}
	return requests
}

// resolveBoots places seconds since boot. Without a hint the last line of
// dmesg is taken to be as old as the capture: it is at least that old.
func resolveBoots(builders []*Builder) {
	for _, b := range builders {
		var last time.Duration
		any := false
		for i := range b.Events {
			if s := b.Events[i].Stamp; s.HasSinceBoot && b.Events[i].Time.IsZero() {
				any = true
				last = max(last, s.SinceBoot)
			}
		}
		if !any {
			continue
		}
		boot, precise := bootTime(b, builders)
		precision := time.Second
		if !precise {
			at := captureOf(b, builders)
			if at.IsZero() {
				continue
			}
			boot, precision = at.Add(-last), time.Hour
			b.Input.ZoneKnown = Assumed
		}
		for i := range b.Events {
			e := &b.Events[i]
			if e.Stamp.HasSinceBoot && e.Time.IsZero() {
				e.Time, e.Precision = boot.Add(e.Stamp.SinceBoot), precision
			}
		}
	}
}

func bootTime(b *Builder, all []*Builder) (time.Time, bool) {
	for _, o := range all {
		if len(o.Boots) > 0 && (o == b || o.Input.Node == b.Input.Node) {
			h := o.Boots[len(o.Boots)-1]
			return h.Time.Add(-h.At), true
		}
	}
	return time.Time{}, false
}

// resolveAges turns "3m12s ago" into a time, counted from the capture of the
// file, else of the bundle.
func resolveAges(builders []*Builder) {
	for _, b := range builders {
		at := captureOf(b, builders)
		if at.IsZero() {
			continue
		}
		for i := range b.Events {
			e := &b.Events[i]
			if e.Stamp.HasFirstAge && e.First.IsZero() {
				e.First = at.Add(-e.Stamp.FirstAge)
			}
			if !e.Stamp.HasAge || !e.Time.IsZero() {
				continue
			}
			e.Time = at.Add(-e.Stamp.Age)
			e.Precision = agePrecision(e.Stamp.Age)
		}
		for _, o := range b.Objects {
			for path, age := range o.Ages {
				setTime(o.Content, path, at.Add(-age))
			}
			if o.AsOf.IsZero() {
				o.AsOf = at
			}
		}
	}
}

// agePrecision is what kubectl rounds an age of this size to.
func agePrecision(age time.Duration) time.Duration {
	switch {
	case age < 10*time.Minute:
		return time.Second
	case age < 8*time.Hour:
		return time.Minute
	case age < 8*24*time.Hour:
		return time.Hour
	}
	return 24 * time.Hour
}

// captureOf is when a file was taken: as it says itself, as its node's other
// files say, or the newest moment that any source vouches for.
func captureOf(b *Builder, all []*Builder) time.Time {
	if !b.Input.CapturedAt.IsZero() {
		return b.Input.CapturedAt
	}
	var newest time.Time
	for _, o := range all {
		if o.Input.CapturedAt.After(newest) {
			newest = o.Input.CapturedAt
		}
	}
	if !newest.IsZero() {
		return newest
	}
	for _, o := range all {
		for i := range o.Events {
			if e := &o.Events[i]; !e.Stamp.Wall && e.Time.After(newest) {
				newest = e.Time
			}
		}
		for _, x := range o.Objects {
			if x.AsOf.After(newest) {
				newest = x.AsOf
			}
		}
	}
	return newest
}

// setTime writes an RFC 3339 time at a dotted path, if nothing stands there.
func setTime(content map[string]any, path string, t time.Time) {
	parts := strings.Split(path, ".")
	m := content
	for _, p := range parts[:len(parts)-1] {
		next, ok := m[p].(map[string]any)
		if !ok {
			if m[p] != nil {
				return
			}
			next = map[string]any{}
			m[p] = next
		}
		m = next
	}
	if leaf := parts[len(parts)-1]; m[leaf] == nil {
		m[leaf] = t.UTC().Format(time.RFC3339)
	}
}
