package timeline

import (
	"cmp"
	"slices"
	"time"
)

// localZone turns a node's local time into UTC.
type localZone struct {
	location *time.Location // where it is known by name
	shifts   []zoneShift    // else by what was seen of it, at least one
}

// zoneShift is an offset and the moment, in UTC, from which it holds. The
// first of a zone holds ever since.
type zoneShift struct {
	from   time.Time
	offset time.Duration
}

func fixedZone(offset time.Duration) localZone {
	return localZone{shifts: []zoneShift{{offset: offset}}}
}

func (z localZone) clone() localZone {
	z.shifts = slices.Clone(z.shifts)
	return z
}

// offset is the zone's latest.
func (z localZone) offset() time.Duration {
	if z.location != nil {
		return 0
	}
	return z.shifts[len(z.shifts)-1].offset
}

// offsetAt is the offset at a moment in UTC.
func (z localZone) offsetAt(t time.Time) time.Duration {
	if z.location != nil {
		_, seconds := t.In(z.location).Zone()
		return time.Duration(seconds) * time.Second
	}
	offset := z.shifts[0].offset
	for _, s := range z.shifts[1:] {
		if t.Before(s.from) {
			break
		}
		offset = s.offset
	}
	return offset
}

// name is the zone as reports print it; of several offsets the latest.
func (z localZone) name() string {
	if z.location != nil {
		return z.location.String()
	}
	offset := z.offset()
	if offset == 0 {
		return "UTC"
	}
	return time.Date(2000, 1, 1, 0, 0, 0, 0, time.FixedZone("", int(offset.Seconds()))).Format("-07:00")
}

// zoneWalk turns the times of one node in one file into UTC, in the order in
// which they were written: the hour that a clock lives through twice can only
// be told by what came before.
type zoneWalk struct {
	localZone
	known Known
	at    int       // of the shifts
	last  time.Time // in UTC
}

func (w *zoneWalk) utc(local time.Time) time.Time {
	if w.location != nil {
		w.last = w.inLocation(local)
		return w.last
	}
	const disorder = 2 * time.Hour
	got := local.Add(-w.shifts[w.at].offset)
	if w.at > 0 && got.Before(w.shifts[w.at].from.Add(-disorder)) {
		w.at, w.last = 0, time.Time{} // an older log follows in the same file
		got = local.Add(-w.shifts[0].offset)
	}
	for ; w.at+1 < len(w.shifts); w.at++ {
		next := &w.shifts[w.at+1]
		then := local.Add(-next.offset)
		setBack := then.Sub(got) // by how much the clock is set back; negative: forward
		switch {
		case !got.Before(next.from):
		case setBack > 0 && got.Before(w.last.Add(-setBack/2)) && !then.Before(w.last.Add(-time.Minute)):
			next.from = then
		default:
			w.last = got
			return got
		}
		got = then
	}
	w.last = got
	return got
}

// inLocation turns a local time of a zone known by name into UTC. Of an hour
// that the clock lived through twice it is the second time if the first lies
// before what was written already.
func (w *zoneWalk) inLocation(local time.Time) time.Time {
	const day, disorder = 24 * time.Hour, 5 * time.Minute
	got := time.Date(local.Year(), local.Month(), local.Day(), local.Hour(), local.Minute(), local.Second(), local.Nanosecond(), w.location).UTC()
	first, second := local.Add(-w.offsetAt(got.Add(-day))), local.Add(-w.offsetAt(got.Add(day)))
	if !first.Before(second) || first.Add(w.offsetAt(first)) != local || second.Add(w.offsetAt(second)) != local {
		return got
	}
	if first.Before(w.last.Add(-disorder)) && !second.Before(w.last.Add(-disorder)) {
		return second
	}
	return first
}

// hintRun is a stretch of hints that agree.
type hintRun struct {
	offset      time.Duration
	first, last time.Time
}

// zoneFromHints works a zone out from moments that were written in both local
// time and UTC. The offset that most of them tell is the zone's; an hour more
// or less beside it is summer time, and holds for the times nearest to it.
func zoneFromHints(hints []ClockHint) (localZone, bool) {
	const (
		summer = time.Hour
		// A zone does not change to and fro within days; a late line looks so.
		steady = 7 * 24 * time.Hour
		// Readers of logs note a change when they see it, and a hint each day.
		watched = 25 * time.Hour
	)
	votes := map[time.Duration]int{}
	points := make([]zoneShift, 0, len(hints))
	for _, h := range hints {
		local := h.Local
		if local.Year() == 0 {
			local = nearestYear(local, h.UTC)
		}
		step := local.Sub(h.UTC).Round(zoneStep)
		if isZoneInUse(step) {
			votes[step]++
			points = append(points, zoneShift{h.UTC, step})
		}
	}
	usual, ok := majority(votes)
	if !ok {
		return localZone{}, false
	}
	slices.SortFunc(points, func(a, b zoneShift) int {
		return cmp.Or(a.from.Compare(b.from), cmp.Compare(a.offset, b.offset))
	})
	var runs []hintRun
	for _, p := range points {
		n := len(runs)
		switch {
		case (p.offset - usual).Abs() > summer:
		case n > 0 && runs[n-1].offset == p.offset:
			runs[n-1].last = p.from
		case n > 1 && runs[n-2].offset == p.offset && p.from.Sub(runs[n-2].last) < steady:
			runs = runs[:n-1]
			runs[n-2].last = p.from
		default:
			runs = append(runs, hintRun{p.offset, p.from, p.from})
		}
	}
	zone := localZone{shifts: make([]zoneShift, len(runs))}
	for i, r := range runs {
		s := zoneShift{from: r.first, offset: r.offset}
		if i == 0 {
			s.from = time.Time{}
		} else if gap := r.first.Sub(runs[i-1].last); gap > watched {
			s.from = r.first.Add(-gap / 2)
		}
		zone.shifts[i] = s
	}
	return zone, true
}

func majority(votes map[time.Duration]int) (time.Duration, bool) {
	var best time.Duration
	found := false
	for s, n := range votes {
		if !found || cmp.Or(cmp.Compare(n, votes[best]), cmp.Compare(best.Abs(), s.Abs()), cmp.Compare(best, s)) > 0 {
			best, found = s, true
		}
	}
	return best, found
}

// zoneStep is what all zones in use are multiples of.
const zoneStep = 15 * time.Minute

// isZoneInUse says whether some place on earth keeps that offset, in winter or
// in summer.
func isZoneInUse(offset time.Duration) bool {
	minutes := int(offset / time.Minute)
	if minutes%60 == 0 {
		return minutes >= -12*60 && minutes <= 14*60
	}
	switch minutes {
	case -9*60 - 30, -3*60 - 30, -2*60 - 30, 3*60 + 30, 4*60 + 30, 5*60 + 30, 5*60 + 45, 6*60 + 30,
		8*60 + 45, 9*60 + 30, 10*60 + 30, 12*60 + 45, 13*60 + 45:
		return true
	}
	return false
}

// nearestZone is the offset in use that is nearest to a difference, and what
// remains of the difference.
func nearestZone(diff time.Duration) (offset, rest time.Duration) {
	rest = diff
	step := diff.Round(zoneStep)
	for _, near := range [...]time.Duration{step, step - zoneStep, step + zoneStep, step - 2*zoneStep, step + 2*zoneStep} {
		if r := diff - near; isZoneInUse(near) && r.Abs() < rest.Abs() {
			offset, rest = near, r
		}
	}
	return offset, rest
}
