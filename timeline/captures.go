package timeline

import "time"

// captures are the moments at which files say that they were taken.
type captures struct {
	below  map[string]time.Time  // by folder, the newest in it or below
	apart  map[string]time.Time  // the same, of files that are of no node
	here   map[string]time.Time  // by folder, the newest just there, whoever it is of
	beside map[machine]time.Time // by node and folder, the newest just there
}

func findCaptures(builders []*Builder) *captures {
	c := &captures{below: map[string]time.Time{}, apart: map[string]time.Time{}, here: map[string]time.Time{}, beside: map[machine]time.Time{}}
	for _, b := range builders {
		at := b.Input.CapturedAt
		if at.IsZero() {
			continue
		}
		if m := (machine{b.Input.Node, b.Input.Folder}); at.After(c.beside[m]) {
			c.beside[m] = at
		}
		c.here[b.Input.Folder] = later(c.here[b.Input.Folder], at)
		for folder := b.Input.Folder; ; folder = parentFolder(folder) {
			if at.After(c.below[folder]) {
				c.below[folder] = at
			}
			if b.Input.Node == "" && at.After(c.apart[folder]) {
				c.apart[folder] = at
			}
			if folder == "" {
				break
			}
		}
	}
	return c
}

// near is when a file was taken: as it says itself, else as the files beside
// it of the same node say, or those in the folders around it. Zero: not told.
func (c *captures) near(b *Builder) time.Time {
	if at := b.Input.CapturedAt; !at.IsZero() {
		return at
	}
	for folder := b.Input.Folder; ; folder = parentFolder(folder) {
		if at := c.beside[machine{b.Input.Node, folder}]; !at.IsZero() || folder == "" || b.Input.Node == "" {
			return at
		}
	}
}

// of is when a file was taken: as it says itself, else as what was collected
// nearest to it says.
func (c *captures) of(b *Builder) time.Time {
	if at := b.Input.CapturedAt; !at.IsZero() {
		return at
	}
	for folder := b.Input.Folder; ; folder = parentFolder(folder) {
		if at := c.below[folder]; !at.IsZero() || folder == "" {
			return at
		}
	}
}

// besideDump is when a dump of the API was taken: as it says itself, else as the
// files in its folder say.
func (c *captures) besideDump(b *Builder) time.Time {
	if at := c.near(b); !at.IsZero() {
		return at
	}
	return c.here[b.Input.Folder]
}

// dump is the same, else as the files in the folders around it say that are of
// no node: a node's collector dates its node's files, and tells nothing of when
// somebody asked the API elsewhere.
func (c *captures) dump(b *Builder) time.Time {
	at := c.besideDump(b)
	for folder := b.Input.Folder; at.IsZero(); folder = parentFolder(folder) {
		if at = c.apart[folder]; folder == "" {
			break
		}
	}
	return at
}

// dateDumps gives each dump the newest time that it shows: it was taken then
// or later. What a node's runtime listed was taken with the other files of the
// node.
func dateDumps(builders []*Builder, taken *captures) {
	for _, b := range builders {
		newest := b.Input.CapturedAt
		if newest.IsZero() {
			newest = (&clocks{}).newestShown(b)
			b.dated = newest
		}
		for _, o := range b.Objects {
			if o.AsOf.IsZero() {
				o.AsOf = newest
			}
		}
		near := taken.near(b)
		for i := range b.Listings {
			l := &b.Listings[i]
			switch {
			case !l.AsOf.IsZero():
			case l.ofRuntime():
				l.AsOf = near
			default:
				told := taken.besideDump(b)
				l.AsOf, l.Shown = later(newest, told), told.IsZero()
			}
		}
		for _, f := range b.Facts() {
			if f.AsOf.IsZero() {
				f.AsOf = near
			}
		}
	}
}

// newestTime is the latest of the times below v at which something happened to
// the object. Times that may lie ahead (deadlines, expiries, schedules) go by
// other names.
func newestTime(v any, newest time.Time) time.Time {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if aside(k) {
				continue
			}
			switch k {
			case "creationTimestamp", "time", // of managed fields
				"lastTransitionTime", "lastHeartbeatTime", "lastProbeTime", "lastUpdateTime",
				"startTime", "startedAt", "finishedAt", "completionTime",
				"firstTimestamp", "lastTimestamp", "eventTime", "lastObservedTime",
				"lastScheduleTime", "lastSuccessfulTime":
				newest = laterTime(x, newest)
			default:
				newest = newestTime(x, newest)
			}
		}
	case []any:
		for _, x := range v {
			newest = newestTime(x, newest)
		}
	}
	return newest
}

// aside are the fields in which no time is one at which something happened.
func aside(key string) bool {
	switch key {
	case "fieldsV1", "spec", "data", "annotations", "labels":
		return true
	}
	return false
}

// leaseTime is when a Lease was renewed: kubelets do it every ten seconds.
func leaseTime(o *Object, newest time.Time) time.Time {
	if o.Kind != "Lease" {
		return newest
	}
	return laterTime(o.Field("spec", "renewTime"), newest)
}

func laterTime(v any, newest time.Time) time.Time {
	s, _ := v.(string)
	if len(s) < 20 || len(s) > 35 || s[4] != '-' || s[10] != 'T' {
		return newest
	}
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil && t.After(newest) {
		return t.UTC()
	}
	return newest
}
