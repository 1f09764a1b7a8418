package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// resolveClocks turns times without a zone or a year and seconds since boot
// into UTC, as far as the bundle tells how, and notes how it is known. It
// returns when files say that they were taken.
func resolveClocks(builders []*Builder, opt Options) *captures {
	taken := findCaptures(builders)
	dateDumps(builders, taken)
	c := clockEvidence{
		opt:       opt,
		reference: referenceTime(builders),
		requests:  deletionRequests(builders),
		taken:     taken,
		nodes:     map[machine]*nodeClock{},
	}
	for _, b := range builders {
		for _, h := range b.Clocks {
			n := c.node(b, h.Host)
			n.hints = append(n.hints, h)
		}
	}
	c.findLastLines(builders)
	for _, b := range builders {
		c.resolveWall(b)
	}
	resolveBoots(builders, taken)
	return taken
}

// machine is a node by name, or what one folder holds if it names none.
type machine struct{ node, folder string }

func machineOf(b *Builder, node string) machine {
	if node == "" {
		node = b.Input.Node
	}
	if node == "" {
		return machine{folder: b.Input.Folder}
	}
	return machine{node: node}
}

// clockEvidence is what the whole bundle tells of clocks.
type clockEvidence struct {
	opt       Options
	reference time.Time               // the newest moment that is written in full
	requests  map[PodName][]time.Time // when pods were asked to end
	taken     *captures
	nodes     map[machine]*nodeClock
}

// nodeClock is what the files of one node tell of its local time.
type nodeClock struct {
	hints []ClockHint
	zone  localZone // of the hints, once worked out
	done  bool
	// last is the newest of its unmarked times, a year of 0 set aside.
	last time.Time
}

func (c *clockEvidence) node(b *Builder, name string) *nodeClock {
	m := machineOf(b, name)
	n := c.nodes[m]
	if n == nil {
		n = &nodeClock{}
		c.nodes[m] = n
	}
	return n
}

// findLastLines notes how far the unmarked times of each node reach: one log
// may have ended long before the bundle was taken, all of them hardly.
func (c *clockEvidence) findLastLines(builders []*Builder) {
	for _, b := range builders {
		for i := range b.Events {
			e := &b.Events[i]
			if !e.Stamp.Wall || e.Time.IsZero() {
				continue
			}
			n, t := c.node(b, e.Node), e.Time
			if e.Stamp.NoYear {
				t = nearestYear(t, c.taken.of(b))
			}
			if t.After(n.last) {
				n.last = t
			}
		}
	}
}

// resolveWall finds zone and year of a file's unmarked times.
func (c *clockEvidence) resolveWall(b *Builder) {
	in := &b.Input
	order := wallEvents(b)
	var units []*Unit
	for i := range b.Units {
		if u := &b.Units[i]; u.Stamp.Wall && !u.Since.IsZero() {
			units = append(units, u)
		}
	}
	if len(order) == 0 && len(units) == 0 {
		return
	}

	walks := map[string]*zoneWalk{}
	walk := func(node string) *zoneWalk {
		w := walks[node]
		if w == nil {
			zone, known := c.zoneOf(b, node)
			w = &zoneWalk{localZone: zone.clone(), known: known}
			walks[node] = w
		}
		return w
	}
	years := c.yearsOf(b, order, walk(in.Node).offsetAt(c.reference))

	for _, i := range slices.Backward(order) {
		if e := &b.Events[i]; e.Stamp.NoYear {
			e.Time = years.place(e.Time)
		}
	}
	for _, i := range order {
		e := &b.Events[i]
		e.Time = walk(e.Node).utc(e.Time)
		e.Stamp.Wall, e.Stamp.NoYear = false, false
	}
	for _, u := range units {
		if u.Stamp.NoYear {
			u.Since = years.alone(u.Since)
		}
		u.Since = walk(u.Node).utc(u.Since)
		u.Stamp.Wall, u.Stamp.NoYear = false, false
	}

	w := walk(in.Node)
	in.Zone, in.ZoneKnown, in.Offset = w.name(), w.known, w.offset()
	for _, other := range walks {
		// One node whose zone nobody tells makes the file's a guess.
		if other.known == Assumed {
			in.ZoneKnown = Assumed
		}
	}
	in.YearKnown = Given
	if years.used {
		in.YearKnown = years.known
	}
}

// wallEvents are the events with unmarked times, in the order in which they
// were written.
func wallEvents(b *Builder) []int {
	var order []int
	for i := range b.Events {
		if e := &b.Events[i]; e.Stamp.Wall && !e.Time.IsZero() {
			order = append(order, i)
		}
	}
	if isReversed(b) {
		slices.Reverse(order)
	}
	return order
}

// isReversed says whether a log stands newest first, as journalctl -r and some
// collectors write it.
func isReversed(b *Builder) bool {
	const rollOver = 180 * 24 * time.Hour // from December to January of no year
	up, down := 0, 0
	var last *Event
	for i := range b.Events {
		e := &b.Events[i]
		if e.Time.IsZero() || e.Component == APIEvent || e.Component == Command {
			continue
		}
		if last != nil {
			step := e.Time.Sub(last.Time)
			if e.Stamp.NoYear && step.Abs() > rollOver {
				step = -step
			}
			switch {
			case step > 0:
				up++
			case step < 0:
				down++
			}
		}
		last = e
	}
	return down > 2*up
}

// zoneOf finds the zone of the unmarked times that a file has of a node, by
// the best evidence that there is.
func (c *clockEvidence) zoneOf(b *Builder, node string) (localZone, Known) {
	in := &b.Input
	if zone := c.opt.zone(in, cmp.Or(node, in.Node)); zone != nil {
		return localZone{location: zone}, Given
	}
	if in.ZoneKnown == Given && in.Zone != "" {
		if loc, err := time.LoadLocation(in.Zone); err == nil {
			return localZone{location: loc}, Given
		}
	}
	var own, others []ClockHint
	m := machineOf(b, node)
	for _, h := range b.Clocks {
		if h.Host == "" || machineOf(b, h.Host) == m {
			own = append(own, h)
		} else {
			others = append(others, h)
		}
	}
	if zone, ok := zoneFromHints(own); ok {
		return zone, Inferred
	}
	n := c.node(b, node)
	if !n.done {
		n.zone, n.done = localZone{}, true
		if zone, ok := zoneFromHints(n.hints); ok {
			n.zone = zone
		}
	}
	if n.zone.shifts != nil {
		return n.zone, Inferred
	}
	if zone, ok := zoneFromHints(others); ok {
		return zone, Inferred
	}
	if offset, ok := c.offsetFromRequests(b, m); ok {
		return fixedZone(offset), Inferred
	}
	if offset, ok := offsetFromCapture(n.last, c.taken.of(b)); ok {
		return fixedZone(offset), Inferred
	}
	return fixedZone(0), Assumed
}

// offsetFromRequests lines the kubelet's SyncLoop DELETE of a pod up with the
// request that the API object tells: they lie at most seconds apart.
func (c *clockEvidence) offsetFromRequests(b *Builder, m machine) (time.Duration, bool) {
	const near = 20 * time.Second
	votes := map[time.Duration]int{}
	if len(c.requests) == 0 {
		return 0, false
	}
	for i := range b.Events {
		e := &b.Events[i]
		if !e.Stamp.Wall || !strings.Contains(e.Message, "SyncLoop") || !strings.Contains(e.Message, "DELETE") || machineOf(b, e.Node) != m {
			continue
		}
		for _, pod := range Mentions(e.Message).Pods {
			for _, at := range c.requests[PodName{Namespace: pod.Namespace, Name: pod.Name}] {
				local := e.Time
				if e.Stamp.NoYear {
					local = nearestYear(local, at)
				}
				if step, rest := nearestZone(local.Sub(at)); rest.Abs() <= near {
					votes[step]++
				}
			}
		}
	}
	return majority(votes)
}

// offsetFromCapture compares the last line of a node's logs with the moment at
// which it was collected. It only speaks where the logs ran up to that moment.
func offsetFromCapture(last, taken time.Time) (time.Duration, bool) {
	if last.IsZero() || taken.IsZero() {
		return 0, false
	}
	step, rest := nearestZone(last.Sub(taken))
	// Lines of the future can only be another zone's. A last line of some hours
	// ago is either that or the end of the log; an odd zone fits by chance.
	near := 5 * time.Minute
	if step < 0 || step%time.Hour != 0 {
		near = 2 * time.Minute
	}
	return step, rest.Abs() <= near
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
	t, _ := time.Parse(time.RFC3339, o.textAt("metadata", "deletionTimestamp"))
	return t
}

// requestTime is when an object's deletion was asked for, at the latest:
// deletionTimestamp less the grace period that is still in the object. Zero
// for an object that is not in deletion.
func requestTime(o *Object) time.Time {
	t := deletionTime(o)
	if t.IsZero() {
		return t
	}
	switch grace := o.Field("metadata", "deletionGracePeriodSeconds").(type) {
	case int64:
		return t.Add(-time.Duration(grace) * time.Second)
	case float64:
		return t.Add(-time.Duration(grace * float64(time.Second)))
	}
	return t
}

// deletionRequests are the moments at which pods were asked to end.
func deletionRequests(builders []*Builder) map[PodName][]time.Time {
	requests := map[PodName][]time.Time{}
	for _, b := range builders {
		for _, o := range b.Objects {
			if o.Kind != "Pod" || o.Name == "" {
				continue
			}
			t := deletionTime(o)
			if t.IsZero() {
				continue
			}
			pod, at := PodName{Namespace: o.Namespace, Name: o.Name}, requestTime(o)
			if !slices.ContainsFunc(requests[pod], at.Equal) {
				requests[pod] = append(requests[pod], at)
			}
		}
	}
	return requests
}
