package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// humanClock follows the times of dmesg -H, which prints the minute where it
// changes, [Nov30 07:35], and else how long after the line above a line came,
// [  +0.000012]. Lines before the first minute have no time.
type humanClock struct {
	last time.Time
}

// header reads the prefix of a line and says where the message begins.
func (c *humanClock) header(s string) (e timeline.Event, message string, ok bool) {
	rest, ok := strings.CutPrefix(s, "[")
	if !ok {
		return e, "", false
	}
	const widest = 24
	stamp, message, ok := strings.Cut(rest, "] ")
	if !ok || len(stamp) > widest {
		return e, "", false
	}
	if after, delta := strings.CutPrefix(strings.TrimLeft(stamp, " "), "+"); delta {
		d, err := time.ParseDuration(after + "s")
		if err != nil || strings.Trim(after, "0123456789.") != "" {
			return e, "", false
		}
		if !c.last.IsZero() {
			c.last = c.last.Add(d)
			c.last = c.last.AddDate(-c.last.Year(), 0, 0)
		}
	} else if at, ok := humanMinute(stamp); ok {
		c.last = at
	} else {
		return e, "", false
	}
	if !c.last.IsZero() {
		e.Time, e.Precision = c.last, time.Minute
		e.Stamp = timeline.Stamp{Wall: true, NoYear: true}
	}
	return e, message, true
}

// humanMinute reads "Nov30 07:35" and "Nov 3 07:35".
func humanMinute(s string) (time.Time, bool) {
	if len(s) != len("Nov30 07:35") || s[5] != ' ' || s[8] != ':' {
		return time.Time{}, false
	}
	mo, ok := month(s)
	day, ok2 := figures(strings.Replace(s[3:5], " ", "0", 1), 0, 2)
	hour, ok3 := figures(s, 6, 2)
	minute, ok4 := figures(s, 9, 2)
	if !ok || !ok2 || !ok3 || !ok4 || day < 1 || day > 31 || hour > 23 || minute > 59 {
		return time.Time{}, false
	}
	return yearless(mo, day, hour*3600+minute*60, 0), true
}
