package parsers

import (
	"strings"
	"time"
)

// printed is a time as some text prints it, with what the text leaves out.
type printed struct {
	time      time.Time // UTC; figures as printed where the zone is missing
	precision time.Duration
	wall      bool // no zone
	noYear    bool
	zone      string // as printed, if it was a name
}

const monthNames = "JanFebMarAprMayJunJulAugSepOctNovDec"

// month reads "Nov".
func month(s string) (int, bool) {
	if len(s) < 3 {
		return 0, false
	}
	i := strings.Index(monthNames, s[:3])
	return i/3 + 1, i >= 0 && i%3 == 0
}

// figures reads n decimal digits at s[from:].
func figures(s string, from, n int) (int, bool) {
	if from+n > len(s) {
		return 0, false
	}
	v := 0
	for _, c := range []byte(s[from : from+n]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + int(c-'0')
	}
	return v, true
}

// civil is the Unix time of a date and time of day in UTC.
func civil(year, month, day, hour, minute, second int) int64 {
	// Days since 1970-01-01, counted in eras of 400 years that begin in March.
	if month <= 2 {
		year--
		month += 12
	}
	era := year / 400
	if year < 0 {
		era = (year - 399) / 400
	}
	yearOfEra := year - era*400
	dayOfYear := (153*(month-3)+2)/5 + day - 1
	days := era*146097 + yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear - 719468
	return int64(days)*86400 + int64(hour*3600+minute*60+second)
}

// clockFace reads "15:04:05" with an optional fraction and returns the second
// of the day, the nanoseconds, the precision and the length.
func clockFace(s string) (second, nano int, precision time.Duration, n int) {
	h, ok1 := figures(s, 0, 2)
	m, ok2 := figures(s, 3, 2)
	sec, ok3 := figures(s, 6, 2)
	if !ok1 || !ok2 || !ok3 || s[2] != ':' || s[5] != ':' || h > 23 || m > 59 || sec > 60 {
		return 0, 0, 0, 0
	}
	second, n, precision = h*3600+m*60+sec, 8, time.Second
	if n+1 < len(s) && (s[n] == '.' || s[n] == ',') && isDigit(s[n+1]) {
		const digits = 9
		start := n + 1
		for n++; n < len(s) && isDigit(s[n]); n++ {
			if n-start < digits {
				nano = nano*10 + int(s[n]-'0')
			}
		}
		unit := powersOfTen[digits-min(n-start, digits)]
		nano *= unit
		precision = time.Duration(unit)
	}
	return second, nano, precision, n
}

var powersOfTen = [...]int{1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isoStamp reads "2006-01-02T15:04:05.999999999Z" and its relatives: a space
// or a T between, a dot or a comma before the fraction, a zone as Z, +02:00,
// +0200, +02, " UTC" or none. It returns the length read, 0 if it is none.
func isoStamp(s string) (p printed, n int) {
	y, ok1 := figures(s, 0, 4)
	mo, ok2 := figures(s, 5, 2)
	d, ok3 := figures(s, 8, 2)
	if !ok1 || !ok2 || !ok3 || len(s) < 19 || s[4] != s[7] || s[4] != '-' && s[4] != '/' ||
		mo < 1 || mo > 12 || d < 1 || d > 31 || s[10] != 'T' && s[10] != ' ' {
		return p, 0
	}
	sec, nano, precision, k := clockFace(s[11:])
	if k == 0 {
		return p, 0
	}
	n = 11 + k
	offset, zone, k := zoneOffset(s[n:])
	p = printed{precision: precision, wall: k == 0, zone: zone}
	p.time = time.Unix(civil(y, mo, d, 0, 0, 0)+int64(sec)-int64(offset), int64(nano)).UTC()
	return p, n + k
}

// zoneOffset reads a zone and returns its seconds east of UTC. A name that
// does not tell its offset is not read.
func zoneOffset(s string) (offset int, name string, n int) {
	if s == "" {
		return 0, "", 0
	}
	switch s[0] {
	case 'Z':
		return 0, "UTC", 1
	case '+', '-':
		h, ok := figures(s, 1, 2)
		if !ok || h > 18 {
			return 0, "", 0
		}
		n, offset = 3, h*3600
		m, ok := figures(s, 3, 2)
		if len(s) > 3 && s[3] == ':' {
			if m, ok = figures(s, 4, 2); ok {
				n = 6
			}
		} else if ok {
			n = 5
		}
		if n > 3 {
			offset += m * 60
		}
		if s[0] == '-' {
			offset = -offset
		}
		return offset, s[:n], n
	case ' ':
		end := 1
		for end < len(s) && end < 6 && s[end] >= 'A' && s[end] <= 'Z' {
			end++
		}
		if offset, ok := zoneNamed(s[1:end]); ok {
			return offset, s[1:end], end
		}
		if len(s) > 1 && (s[1] == '+' || s[1] == '-') { // "2006-01-02 15:04:05 +0000 UTC"
			offset, name, n = zoneOffset(s[1:])
			if n > 0 {
				return offset, name, n + 1
			}
		}
	}
	return 0, "", 0
}

// zoneNamed knows the abbreviations that mean one offset only. CST, IST and BST
// each mean several and are left out.
func zoneNamed(name string) (offset int, ok bool) {
	const hour = 3600
	switch name {
	case "UTC", "GMT", "WET":
		return 0, true
	case "CET", "WEST", "WAT":
		return 1 * hour, true
	case "CEST", "EET", "SAST", "CAT":
		return 2 * hour, true
	case "EEST", "MSK", "EAT":
		return 3 * hour, true
	case "PKT":
		return 5 * hour, true
	case "WIB":
		return 7 * hour, true
	case "HKT", "AWST":
		return 8 * hour, true
	case "JST", "KST":
		return 9 * hour, true
	case "AEST":
		return 10 * hour, true
	case "AEDT":
		return 11 * hour, true
	case "NZST":
		return 12 * hour, true
	case "NZDT":
		return 13 * hour, true
	case "EDT":
		return -4 * hour, true
	case "EST", "CDT":
		return -5 * hour, true
	case "MDT":
		return -6 * hour, true
	case "MST", "PDT":
		return -7 * hour, true
	case "PST", "AKDT":
		return -8 * hour, true
	case "AKST":
		return -9 * hour, true
	case "HST":
		return -10 * hour, true
	}
	return 0, false
}

// syslogStamp reads "Nov 30 08:21:33" or "Nov  9 08:21:33.123456".
func syslogStamp(s string) (p printed, n int) {
	mo, ok := month(s)
	if !ok || len(s) < 15 || s[3] != ' ' || s[6] != ' ' {
		return p, 0
	}
	d, ok := figures(s, 4, 2)
	if s[4] == ' ' {
		d, ok = figures(s, 5, 1)
	}
	if !ok || d < 1 || d > 31 {
		return p, 0
	}
	sec, nano, precision, k := clockFace(s[7:])
	if k == 0 {
		return p, 0
	}
	p = printed{precision: precision, wall: true, noYear: true}
	p.time = yearless(mo, d, sec, nano)
	return p, 7 + k
}

// yearless is a time of year 0, which stands for a year that is not printed.
func yearless(month, day, second, nano int) time.Time {
	return time.Unix(civil(0, month, day, 0, 0, 0)+int64(second), int64(nano)).UTC()
}

// weekday reads "Mon " and returns its length.
func weekday(s string) int {
	if len(s) > 4 && s[3] == ' ' {
		switch s[:3] {
		case "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun":
			return 4
		}
	}
	return 0
}

// fullStamp reads journalctl's "Fri 2022-02-11 18:58:10 UTC", the zone name of
// which may tell no offset.
func fullStamp(s string) (p printed, n int) {
	w := weekday(s)
	if w == 0 {
		return p, 0
	}
	p, k := isoStamp(s[w:])
	if k == 0 {
		return p, 0
	}
	n = w + k
	if p.wall && n+1 < len(s) && s[n] == ' ' {
		end := n + 1
		for end < len(s) && end < n+6 && s[end] >= 'A' && s[end] <= 'Z' {
			end++
		}
		if end-n > 3 && (end == len(s) || s[end] == ' ' || s[end] == ',' || s[end] == '.') {
			p.zone, n = s[n+1:end], end
		}
	}
	return p, n
}

// ctimeStamp reads "Mon Nov 30 07:35:43 2026", as dmesg -T prints it.
func ctimeStamp(s string) (p printed, n int) {
	w := weekday(s)
	if w == 0 {
		return p, 0
	}
	p, k := syslogStamp(s[w:])
	y, ok := figures(s, w+k+1, 4)
	if k == 0 || !ok || s[w+k] != ' ' {
		return p, 0
	}
	return p.inYear(y), w + k + 5
}

// inYear gives a time without a year the year y.
func (p printed) inYear(y int) printed {
	t := p.time
	p.time = time.Date(y, t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
	p.noYear = false
	return p
}

// notAfter gives a time without a year the latest year in which it is not
// after end. A day of grace covers lines written while the log was printed and
// differences of zone.
func (p printed) notAfter(end time.Time) printed {
	q := p.inYear(end.Year())
	if q.time.After(end.Add(24 * time.Hour)) {
		q = p.inYear(end.Year() - 1)
	}
	return q
}
