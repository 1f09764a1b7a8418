package timeline

import "time"

// unknownYear stands in where nothing in the bundle tells the year. It is a
// leap year, so that 29 February stays.
const unknownYear = 2000

// years gives times without a year theirs.
type years struct {
	known Known
	used  bool
	// from and to: the log has moments in between, told by something else.
	from, to time.Time
	// else limit is the moment, in local time, after which no line is.
	limit time.Time
	next  time.Time // the line that follows, its year known
}

// clocksDisagree is how far a node's clock may run ahead of the bundle's other
// times when the year is in question.
const clocksDisagree = 48 * time.Hour

// yearsOf finds what tells the year of a file's times. offset is the zone's
// at the reference time.
func (c *clockEvidence) yearsOf(b *Builder, order []int, offset time.Duration) *years {
	y := &years{known: Inferred}
	year := c.opt.year(&b.Input)
	switch {
	case year != 0:
		// The user's year is that of the last line.
		y.known = Given
		y.limit = time.Date(year, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)
		return y
	case len(b.Clocks) > 0:
		for i, h := range b.Clocks {
			if i == 0 || h.UTC.Before(y.from) {
				y.from = h.UTC
			}
			if i == 0 || h.UTC.After(y.to) {
				y.to = h.UTC
			}
		}
		y.from, y.to = y.from.Add(offset), y.to.Add(offset)
		return y
	case c.reference.IsZero():
		y.known = Assumed
		y.limit = time.Date(unknownYear, time.December, 31, 23, 59, 59, 999_999_999, time.UTC)
	default:
		y.limit = c.reference.Add(offset).Add(clocksDisagree)
	}
	// A leap day is only in few years, and takes the rest of its log along.
	for _, i := range order {
		if e := &b.Events[i]; e.Stamp.NoYear && e.Time.Month() == time.February && e.Time.Day() == 29 {
			day := latestYear(e.Time, y.limit)
			y.from, y.to = day, day
			break
		}
	}
	return y
}

// place gives a line its year. Lines are to come last first.
func (y *years) place(t time.Time) time.Time {
	y.used = true
	got := y.alone(t)
	if y.from.IsZero() {
		if !y.next.IsZero() {
			if near := nearestYear(t, y.next); !near.After(y.limit) {
				got = near
			}
		}
		y.next = got
	}
	return got
}

// alone gives a time a year that has no neighbours.
func (y *years) alone(t time.Time) time.Time {
	y.used = true
	if y.from.IsZero() {
		return latestYear(t, y.limit)
	}
	if got := latestYear(t, y.to); !got.Before(y.from) {
		return got
	}
	before, after := nearestYear(t, y.from), nearestYear(t, y.to)
	if before.Sub(y.from).Abs() < after.Sub(y.to).Abs() {
		return before
	}
	return after
}

// latestYear gives t the last year in which it is not after limit.
func latestYear(t, limit time.Time) time.Time {
	for year := limit.Year(); year > limit.Year()-9; year-- {
		if got, ok := inYear(t, year); ok && !got.After(limit) {
			return got
		}
	}
	got, _ := inYear(t, limit.Year())
	return got
}

// nearestYear gives t the year in which it lies nearest to about.
func nearestYear(t, about time.Time) time.Time {
	reach := 1
	if t.Month() == time.February && t.Day() == 29 {
		reach = 8 // over the end of a century without a leap day
	}
	best, found := t, false
	for year := about.Year() - reach; year <= about.Year()+reach; year++ {
		if got, ok := inYear(t, year); ok && (!found || got.Sub(about).Abs() < best.Sub(about).Abs()) {
			best, found = got, true
		}
	}
	return best
}

// inYear gives t another year; false if it has no such day.
func inYear(t time.Time, year int) (time.Time, bool) {
	got := time.Date(year, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	return got, got.Day() == t.Day()
}
