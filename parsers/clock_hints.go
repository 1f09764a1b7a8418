package parsers

import (
	"time"

	"podautopsy/timeline"
)

// zoneStep is what all zones in use are multiples of.
const zoneStep = 15 * time.Minute

const (
	longestZone  = 14 * time.Hour
	slowestWrite = 5 * time.Second // after another program wrote of the same moment
)

// beyondZone is how far two writings of one moment are apart once any zone is
// taken off.
func beyondZone(d time.Duration) time.Duration { return d - d.Round(zoneStep) }

// localOffset is how far local, which may lack its year, is ahead of utc.
func localOffset(local, utc time.Time) time.Duration {
	if local.Year() != 0 {
		return local.Sub(utc)
	}
	best := time.Duration(1 << 62)
	for _, year := range []int{utc.Year(), utc.Year() - 1, utc.Year() + 1} {
		if d := (printed{time: local}).inYear(year).time.Sub(utc); d.Abs() < best.Abs() {
			best = d
		}
	}
	return best
}

// sameMoment says whether a local time and an absolute one, written by two
// programs within seconds of each other, can be the same moment.
func sameMoment(local, utc time.Time) bool {
	offset := localOffset(local, utc)
	return offset.Abs() <= longestZone && beyondZone(offset).Abs() <= slowestWrite
}

// clockHints notes moments that a file writes twice, sparsely: the first, one
// each day, and every change of the offset.
type clockHints struct {
	any    bool
	offset time.Duration
	last   time.Time

	// Of a moment of the hour: how far apart its writings are as they stand, in
	// seconds, and in truth.
	hour, apart int64
	truth       time.Duration
}

func (h *clockHints) note(b *timeline.Builder, local, utc time.Time, host string) {
	const enough = 1000
	offset := h.localOffset(local, utc)
	if offset.Abs() > longestZone || beyondZone(offset).Abs() > slowestWrite || len(b.Clocks) >= enough {
		return
	}
	offset = offset.Round(zoneStep)
	if h.any && offset == h.offset && utc.Sub(h.last).Abs() < 24*time.Hour {
		return
	}
	h.any, h.offset, h.last = true, offset, utc
	b.Clocks = append(b.Clocks, timeline.ClockHint{Local: local, UTC: utc, Host: host})
}

// localOffset is the function of that name. Where a moment's writings are as far
// apart as those of another in the same hour, the year that was found then holds.
func (h *clockHints) localOffset(local, utc time.Time) time.Duration {
	const step, hour = 60, 3600
	at := utc.Unix()
	apart := local.Unix() - at
	nano := time.Duration(local.Nanosecond() - utc.Nanosecond())
	if d := apart - h.apart; -step < d && d < step && h.hour == at/hour {
		return h.truth + time.Duration(d)*time.Second + nano
	}
	offset := localOffset(local, utc)
	h.hour, h.apart, h.truth = at/hour, apart, offset-nano
	return offset
}
