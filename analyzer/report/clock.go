package report

import (
	"fmt"
	"strconv"
	"time"
)

// span is a duration as people say it, in two units at most.
func span(d time.Duration) string {
	if d < 0 {
		d = -d
	}
	switch {
	case d < time.Minute:
		return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + "s"
	case d < time.Hour:
		d = d.Round(time.Second)
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		d = d.Round(time.Minute)
		return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
	}
	d = d.Round(time.Hour)
	return fmt.Sprintf("%dd%02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
}

func seconds(s int64) string { return span(bounded(float64(s))) }

// bounded turns seconds into a duration, also such that no duration can hold.
func bounded(seconds float64) time.Duration {
	const most = 100 * 365 * 24 * 3600
	return time.Duration(max(-most, min(most, seconds)) * float64(time.Second))
}

// fromT0 is a time's distance from the anchor: "T-30s", "T+1m31s".
func fromT0(d time.Duration) string {
	if d < 0 {
		return "T-" + span(d)
	}
	return "T+" + span(d)
}

// ahead is how far a clock is ahead: "+93.0s", or by date for one that was
// never set.
func ahead(seconds float64) string {
	d := bounded(seconds)
	if d.Abs() < time.Hour {
		return fmt.Sprintf("%+.1fs", seconds)
	}
	if d < 0 {
		return "-" + span(d)
	}
	return "+" + span(d)
}

// clock shows times in one zone, with the date only where it is not the day
// that the reader was told.
type clock struct {
	loc *time.Location
	day string
}

func (o Options) clock(day *time.Time) clock {
	c := clock{loc: o.location()}
	if day != nil {
		c.day = day.In(c.loc).Format(time.DateOnly)
	}
	return c
}

// zone names the zone for a heading.
func (c clock) zone() string { return c.loc.String() }

// full is date, time and offset.
func (c clock) full(t time.Time) string {
	if c.loc == time.UTC {
		return t.UTC().Format("2006-01-02 15:04:05Z")
	}
	return t.In(c.loc).Format("2006-01-02 15:04:05-07:00")
}

// short is the time of day; precision (in seconds) says whether fractions of
// a second mean anything.
func (c clock) short(t time.Time, precision float64) string {
	t = t.In(c.loc)
	layout := time.TimeOnly
	if precision < 1 && t.Nanosecond() != 0 {
		layout = "15:04:05.000"
	}
	if t.Format(time.DateOnly) != c.day {
		layout = "2006-01-02 " + layout
	}
	return t.Format(layout)
}
