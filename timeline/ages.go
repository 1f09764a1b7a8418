package timeline

import (
	"slices"
	"strings"
	"time"
)

// resolveBoots places seconds since boot. Without a hint the last line of
// dmesg is taken to be as old as the capture: it is at least that old.
func resolveBoots(builders []*Builder, taken *captures) {
	boots := map[machine]BootHint{} // the latest of each node
	for _, b := range builders {
		for _, h := range b.Boots {
			m := machineOf(b, "")
			if known, ok := boots[m]; !ok || h.Time.Add(-h.At).After(known.Time.Add(-known.At)) {
				boots[m] = h
			}
		}
	}
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
		var boot time.Time
		precision := time.Second
		if h, ok := boots[machineOf(b, "")]; ok {
			boot = h.Time.Add(-h.At)
		} else {
			at := taken.of(b)
			if at.IsZero() {
				at = newestKnown(builders)
			}
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

// resolveAges turns "3m12s ago" into a time, counted from the capture of the
// file, else of the bundle. An age is by the clock of who printed it, and of an
// Event that a node dated the distance to that node's clock.
func resolveAges(builders []*Builder, taken *captures, clocks *clocks) {
	var newest, dumped time.Time // worked out when they are asked for
	var dated map[apiEventKey][]time.Time
	for _, b := range builders {
		if !hasAges(b) {
			continue
		}
		at := taken.near(b)
		if at.IsZero() {
			if dated == nil {
				dated = datedAPIEvents(builders)
			}
			at = captureFromEvents(b, dated)
		}
		if at.IsZero() {
			at = taken.dump(b)
		}
		asOf, known := at, Known("")
		if at.IsZero() { // a guess will do for ages, and tells nothing of when the dump was taken
			if newest.IsZero() {
				newest, dumped = newestKnown(builders), newestDumped(builders)
			}
			if at = taken.of(b); at.IsZero() {
				at = newest
			}
			asOf, known = dumped, Assumed
			const collecting = time.Minute // logs that are copied after it go on as long
			if end := describedBy(b); !end.IsZero() && at.After(end.Add(collecting)) {
				at, asOf, known = end, end, Inferred
			}
		}
		if at.IsZero() {
			continue
		}
		if known != "" && tellsAges(b) {
			b.Input.ZoneKnown = known
		}
		for i := range b.Events {
			e := &b.Events[i]
			if api := e.API; api != nil && api.HasFirstAge && api.First.IsZero() {
				api.First = clocks.byAPI(e.Node, at.Add(-api.FirstAge))
			}
			if !e.Stamp.HasAge || !e.Time.IsZero() {
				continue
			}
			e.Time = clocks.byAPI(e.Node, at.Add(-e.Stamp.Age))
			e.Ahead = at.Add(-e.Stamp.Age).Sub(e.Time)
			e.Precision = agePrecision(e.Stamp.Age)
		}
		for _, o := range b.Objects {
			if len(o.Ages) > 0 {
				content := o.decode()
				for path, age := range o.Ages {
					setTime(content, path, at.Add(-age))
				}
			}
			if o.AsOf.IsZero() {
				o.AsOf = clocks.byAPI(b.on, asOf)
			}
		}
	}
}

// describedBy is when a pod was described at the latest, by its own words: a
// container that the kubelet began to stop so long ago has ended since, and of
// that the time is told. Zero: it does not tell.
func describedBy(b *Builder) time.Time {
	var latest time.Time
	for _, o := range b.Objects {
		if o.Kind != "Pod" || !o.Partial {
			continue
		}
		ends := finishes(o.decode())
		for i := range b.Events {
			e := &b.Events[i]
			name, stopped := strings.CutPrefix(e.Message, "Killing: Stopping container ")
			end, ok := ends[strings.TrimSpace(name)]
			if !stopped || !ok || e.Component != APIEvent || !e.Stamp.HasAge || e.Object().Name != o.Name {
				continue
			}
			if at := end.Add(e.Stamp.Age + agePrecision(e.Stamp.Age)); latest.IsZero() || at.Before(latest) {
				latest = at
			}
		}
	}
	return latest
}

// finishes are the ends of a pod's containers, by name.
func finishes(pod map[string]any) map[string]time.Time {
	ends := map[string]time.Time{}
	status, _ := pod["status"].(map[string]any)
	list, _ := status["containerStatuses"].([]any)
	for _, item := range list {
		c, _ := item.(map[string]any)
		name, _ := c["name"].(string)
		state, _ := c["state"].(map[string]any)
		terminated, _ := state["terminated"].(map[string]any)
		text, _ := terminated["finishedAt"].(string)
		if t, err := time.Parse(time.RFC3339, text); err == nil {
			ends[name] = t
		}
	}
	return ends
}

func hasAges(b *Builder) bool {
	return tellsAges(b) || slices.ContainsFunc(b.Objects, func(o *Object) bool { return o.AsOf.IsZero() })
}

// tellsAges says whether a file has times that it tells by their age.
func tellsAges(b *Builder) bool {
	return slices.ContainsFunc(b.Events, func(e Event) bool { return e.Stamp.HasAge || e.API != nil && e.API.HasFirstAge }) ||
		slices.ContainsFunc(b.Objects, func(o *Object) bool { return len(o.Ages) > 0 })
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

// apiEventKey is what all forms of an API event show alike.
type apiEventKey struct{ kind, namespace, name, message string }

func apiKey(e *Event) apiEventKey {
	of := e.Object()
	return apiEventKey{of.Kind, of.Namespace, of.Name, strings.TrimSpace(e.Message)}
}

// datedAPIEvents are the times of the API events that a dump tells in full.
func datedAPIEvents(builders []*Builder) map[apiEventKey][]time.Time {
	dated := map[apiEventKey][]time.Time{}
	for _, b := range builders {
		for i := range b.Events {
			e := &b.Events[i]
			if e.Component != APIEvent || e.Stamp.HasAge || e.Time.IsZero() {
				continue
			}
			at := e.Time.Add(e.Ahead) // as tables count from it
			if k := apiKey(e); !slices.ContainsFunc(dated[k], at.Equal) && len(dated[k]) < 8 {
				dated[k] = append(dated[k], at)
			}
		}
	}
	return dated
}

// captureFromEvents is when a table was printed, by the events in it that a
// dump tells with their times: most of them must agree to the second.
func captureFromEvents(b *Builder, dated map[apiEventKey][]time.Time) time.Time {
	votes := map[int64]int{}
	rows := 0
	for i := range b.Events {
		e := &b.Events[i]
		if e.Component != APIEvent || !e.Stamp.HasAge || agePrecision(e.Stamp.Age) > time.Second {
			continue
		}
		if times := dated[apiKey(e)]; len(times) > 0 {
			rows++
			for _, t := range times {
				votes[t.Add(e.Stamp.Age).Unix()]++
			}
		}
	}
	// Ages are rounded down and both times may be: neighbours speak for each other.
	var best int64
	most := 0
	for s := range votes {
		n := 2*votes[s] + votes[s-1] + votes[s+1]
		if n > most || n == most && s > best {
			best, most = s, n
		}
	}
	if rows == 0 || most < rows {
		return time.Time{}
	}
	return time.Unix(best, 0).UTC()
}

// newestDumped is the newest moment that what was asked of the API vouches for,
// since no node's clock and no node's log tells when somebody asked elsewhere.
func newestDumped(builders []*Builder) time.Time {
	return newestKnown(slices.DeleteFunc(slices.Clone(builders), func(b *Builder) bool { return b.Input.Node != "" }))
}

// newestKnown is the newest moment that any source vouches for.
func newestKnown(builders []*Builder) time.Time {
	var newest time.Time
	for _, b := range builders {
		guessed := b.Input.ZoneKnown == Assumed || b.Input.YearKnown == Assumed
		for i := range b.Events {
			e := &b.Events[i]
			if e.Time.After(newest) && !e.Stamp.Wall && !(guessed && e.Component != APIEvent) {
				newest = e.Time
			}
		}
		for _, o := range b.Objects {
			if o.AsOf.After(newest) {
				newest = o.AsOf
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
