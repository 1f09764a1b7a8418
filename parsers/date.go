package parsers

import (
	"errors"
	"strings"
	"time"

	"podautopsy/timeline"
)

// dateParser reads when a bundle was taken.
var dateParser = Parser{
	Name:  "date",
	Doc:   "date in the forms of several locales, date -R, -I, +%s, and timedatectl: when the collector ran.",
	Sniff: sniffDate,
	Parse: parseDate,
}

// mostDates is how many lines a file of dates may have.
const mostDates = 4

func sniffDate(f *File) bool {
	if f.blank() {
		return f.ran("date") || f.ran("timedatectl")
	}
	lines := f.firstLines(mostDates + 1)
	if isTimedatectl(lines) {
		return true
	}
	if len(lines) > mostDates {
		return false
	}
	for _, s := range lines {
		if _, ok := dateLine(s); ok {
			continue
		}
		if _, ok := epochSeconds(s); !ok || !f.ran("date") {
			return false
		}
	}
	return true
}

// isTimedatectl recognises the block by its first line.
func isTimedatectl(lines []string) bool {
	return len(lines) > 0 && strings.HasPrefix(strings.TrimSpace(lines[0]), "Local time: ")
}

func parseDate(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := dateReader{file: f, b: b}
	for l := range f.lines() {
		r.line(l)
	}
	r.done()
	if r.lines == 0 {
		return errors.New("no date could be read")
	}
	return nil
}

// dateReader gathers the moments that one command printed, possibly in two
// zones.
type dateReader struct {
	file       *File
	b          *timeline.Builder
	lines      int
	utc, local time.Time // the same moment, local in figures as printed
}

func (r *dateReader) line(l line) {
	s := strings.TrimSpace(l.text)
	if rest, ok := strings.CutPrefix(s, "Local time: "); ok {
		if p, n := fullStamp(strings.TrimSpace(rest)); n > 0 {
			r.lines++
			r.local = p.time
			if !p.wall {
				offset, _, _ := zoneOffset(" " + p.zone)
				r.local = p.time.Add(time.Duration(offset) * time.Second)
			}
		}
		return
	}
	if rest, ok := strings.CutPrefix(s, "Universal time: "); ok {
		if p, n := fullStamp(strings.TrimSpace(rest)); n > 0 {
			r.lines++
			r.utc = p.time
		}
		return
	}
	d, ok := dateLine(s)
	if !ok && r.file.ran("date") {
		d.time, ok = epochSeconds(s)
	}
	if !ok {
		return
	}
	r.lines++
	switch {
	case d.wall: // a zone whose name means several offsets
		r.local = d.time
	case d.offset != 0:
		r.local = d.time.Add(time.Duration(d.offset) * time.Second)
		fallthrough
	default:
		r.utc = d.time
	}
}

// done gives the moment to the input. Local figures beside the moment in UTC
// tell the node's zone.
func (r *dateReader) done() {
	r.b.Input.Records += r.lines
	switch {
	case !r.utc.IsZero():
		r.b.Input.CapturedAt = r.utc
		if !r.local.IsZero() && sameMoment(r.local, r.utc) {
			r.b.Clocks = append(r.b.Clocks, timeline.ClockHint{Local: r.local, UTC: r.utc, Host: r.file.Node})
		}
	case !r.local.IsZero():
		r.b.Gap(timeline.GapNotUnderstood, max(r.file.FirstLine, 1), "the zone of the date is not told unmistakably")
	}
}

// dated is a moment as date prints it.
type dated struct {
	time   time.Time
	wall   bool // time holds the figures as printed
	offset int  // seconds east of UTC of the zone that was printed
}

// dateLine reads a line that is nothing but a date. The fields of locales come
// in several orders, so each is known by its shape.
func dateLine(s string) (dated, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 16 || len(s) > 64 {
		return dated{}, false
	}
	if p, n := isoStamp(s); n == len(s) {
		offset, _, _ := zoneOffset(zoneOf(s))
		return dated{time: p.time, wall: p.wall, offset: offset}, true
	}
	var (
		year, mon, day, offset int
		second, nano           = -1, 0
		zoned, wall            bool
		half                   string
		words                  int
		monthFirst             bool
	)
	for w := range strings.FieldsSeq(s) {
		bare := strings.TrimRight(w, ".,")
		if sec, ns, _, n := clockFace(bare); n > 0 && n == len(bare) && second < 0 {
			second, nano = sec, ns
			continue
		}
		// "8:20:09" and Windows' habit of "08.20.09" are not met on nodes.
		if n, ok := decimal(bare); ok {
			switch {
			case len(bare) == 4 && year == 0 && n >= 1970:
				year = n
			case len(bare) <= 2 && day == 0 && n >= 1 && n <= 31:
				day = n
			default:
				return dated{}, false
			}
			continue
		}
		switch strings.ToUpper(bare) {
		case "AM", "PM":
			half = strings.ToUpper(bare)
			continue
		}
		if o, _, n := zoneOffset(w); n == len(w) && second >= 0 {
			offset, zoned = o, true
			continue
		}
		if o, ok := zoneNamed(w); ok && second >= 0 {
			offset, zoned = o, true
			continue
		}
		// "mar." in front is the Tuesday of French, Spanish and Italian, if
		// another word is a month as well.
		if m, ok := monthNamed(bare); ok && (mon == 0 || monthFirst && words == 0) {
			if mon != 0 {
				words++
			}
			mon, monthFirst = m, mon == 0 && year == 0 && day == 0 && second < 0 && words == 0
			continue
		}
		if second >= 0 && isZoneName(w) && !zoned && !wall {
			wall = true
			continue
		}
		if words++; words > 1 || !isWeekdayWord(bare) {
			return dated{}, false
		}
	}
	if year == 0 || mon == 0 || day == 0 || second < 0 {
		return dated{}, false
	}
	switch hour := second / 3600; {
	case half == "PM" && hour < 12:
		second += 12 * 3600
	case half == "AM" && hour == 12:
		second -= 12 * 3600
	}
	at := time.Unix(civil(year, mon, day, 0, 0, 0)+int64(second-offset), int64(nano)).UTC()
	return dated{time: at, wall: !zoned, offset: offset}, true
}

// zoneOf is what follows the time of day in an ISO stamp.
func zoneOf(s string) string {
	_, _, _, n := clockFace(s[11:])
	return s[11+n:]
}

// isZoneName says whether w is an abbreviation such as "CST".
func isZoneName(w string) bool {
	if len(w) < 3 || len(w) > 5 {
		return false
	}
	for i := range len(w) {
		if w[i] < 'A' || w[i] > 'Z' {
			return false
		}
	}
	return true
}

// isWeekdayWord says whether w may be a weekday in some language: a short word
// of letters.
func isWeekdayWord(w string) bool {
	return len(w) >= 2 && len(w) <= 20 && !strings.ContainsAny(w, "0123456789:=/\\[](){}<>\"'_-")
}

// monthNamed reads a month's name, whole or shortened, in the languages whose
// locales nodes are seen with: English, German, French, Spanish, Italian,
// Portuguese, Dutch.
func monthNamed(w string) (int, bool) {
	if len(w) < 3 || len(w) > 12 {
		return 0, false
	}
	if m, ok := month(w); ok {
		return m, true
	}
	w = strings.ToLower(w)
	for i, names := range monthBeginnings {
		for name := range strings.FieldsSeq(names) {
			if strings.HasPrefix(w, name) {
				return i + 1, true
			}
		}
	}
	return 0, false
}

var monthBeginnings = [12]string{
	"jan ene gen", "feb fév fev", "mar mär mrt", "apr avr abr", "may mai mag maio mei", "jun juin giu",
	"jul juil lug", "aug aoû ago", "sep set", "oct okt ott out", "nov", "dec dez déc dic",
}

// epochSeconds reads date +%s.
func epochSeconds(s string) (time.Time, bool) {
	n, ok := decimal(strings.TrimSpace(s))
	if !ok || n < 1_000_000_000 || n > 9_999_999_999 {
		return time.Time{}, false
	}
	return time.Unix(int64(n), 0).UTC(), true
}
