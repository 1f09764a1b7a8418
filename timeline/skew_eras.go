package timeline

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// era is a stretch of a node's time in which its clock was not set.
type era struct {
	boot   string        // the journal's id of the boot; "" where only text tells
	uptime time.Duration // ... since when
	file   string        // else the file whose line tells of the setting,
	seq    int           // and the first line after it
	first  time.Time     // by the node's clock; zero: ever since
	// step is by how much the clock was set forward when the era began.
	step   time.Duration
	linked bool // step is known
	// attested: a program that asks a time server tells of the setting.
	attested bool

	known         bool
	ahead, spread time.Duration
	how           string
	agree         []*ClockSample
	derived       bool // from a neighbour and the step between them
	relative      bool // set right only against the era after it
}

// nodeEras are the eras of one node, the last one last.
type nodeEras []era

// mostEras is how many settings of one clock are followed.
const mostEras = 64

// of finds the era of an event: by the journal's own clock, by its place in
// the file that tells of the setting, else by its time.
func (n nodeEras) of(e *Event, order int) int {
	if len(n) < 2 {
		return 0
	}
	if e.Boot != "" {
		for i, er := range slices.Backward(n) {
			if er.boot == e.Boot && er.uptime <= e.Uptime {
				return i
			}
		}
	}
	for i, er := range slices.Backward(n) {
		if er.file != "" && er.file == e.Source.File && order >= er.seq {
			return i
		}
		if er.file == "" || er.file != e.Source.File {
			if i == 0 || !e.Time.Before(er.first) {
				return i
			}
		}
	}
	return 0
}

// at finds the era of a moment by the node's clock: of those that had it the
// last.
func (n nodeEras) at(t time.Time) int {
	for i, er := range slices.Backward(n) {
		if !t.Before(er.first) {
			return i
		}
	}
	return 0
}

// tick is one reading of a node's clock beside the kernel's own.
type tick struct {
	uptime  time.Duration
	time    time.Time
	suspend bool // the machine goes to sleep or wakes up
	synced  bool // a time server was heard
}

// findEras divides the time of every node where its clock was set: journals
// hold a second clock that nobody sets, and who sets a clock says so.
func findEras(builders []*Builder) map[string]nodeEras {
	ticks := map[string]map[string][]tick{} // by node and boot
	marks := map[string][]era{}
	for _, b := range builders {
		reversed := isReversed(b)
		for i := range b.Events {
			e := &b.Events[i]
			if e.Node == "" || e.Time.IsZero() || e.Component == APIEvent || e.Component == Audit || e.Component == Command {
				continue
			}
			if e.Boot != "" {
				if ticks[e.Node] == nil {
					ticks[e.Node] = map[string][]tick{}
				}
				_, synced := clockSetting(e)
				ticks[e.Node][e.Boot] = append(ticks[e.Node][e.Boot], tick{
					e.Uptime, e.Time, e.Component == Kernel && strings.HasPrefix(e.Message, "PM: suspend "), synced && asksTimeServer(e.Component),
				})
			} else if step, told := clockSetting(e); told {
				if mark, ok := settingAt(b, i, reversed, step); ok {
					marks[e.Node] = append(marks[e.Node], mark)
				}
			}
		}
	}
	found := map[string]nodeEras{}
	for node, boots := range ticks {
		found[node] = erasOfBoots(boots)
	}
	for node, list := range marks {
		found[node] = withMarks(found[node], list)
	}
	return found
}

// erasOfBoots follows the clock through the boots of a journal.
func erasOfBoots(boots map[string][]tick) nodeEras {
	const (
		setting = time.Second
		coarse  = time.Minute // where a clock is set all the time
		disturb = 10 * time.Second
	)
	type boot struct {
		id    string
		ticks []tick
	}
	var order []boot
	for id, ticks := range boots {
		slices.SortFunc(ticks, func(a, b tick) int { return cmp.Or(cmp.Compare(a.uptime, b.uptime), a.time.Compare(b.time)) })
		order = append(order, boot{id, ticks})
	}
	// A boot's end is dated best: by then the clock was set.
	slices.SortFunc(order, func(a, b boot) int {
		return cmp.Or(a.ticks[len(a.ticks)-1].time.Compare(b.ticks[len(b.ticks)-1].time), strings.Compare(a.id, b.id))
	})
	const mostBoots = 256
	order = order[max(0, len(order)-mostBoots):]
	var eras nodeEras
	var before time.Time // the last time of the boot before
	for _, b := range order {
		start := era{boot: b.id, first: b.ticks[0].time}
		start.linked = !before.IsZero() && !start.first.Before(before)
		start.uptime = b.ticks[0].uptime
		eras = append(eras, start)
		suspended := -disturb
		for i, t := range b.ticks[1:] {
			last := b.ticks[i]
			if t.suspend || last.suspend {
				suspended = t.uptime
			}
			step := t.time.Sub(last.time) - (t.uptime - last.uptime)
			least := setting
			if len(eras) > mostEras/2 {
				least = coarse
			}
			if step.Abs() < least || t.uptime-suspended < disturb || len(eras) >= mostEras+mostBoots {
				continue
			}
			eras = append(eras, era{boot: b.id, uptime: t.uptime, first: t.time, step: step, linked: true, attested: heard(b.ticks, t.uptime)})
		}
		before = b.ticks[len(b.ticks)-1].time
	}
	if len(eras) > 0 {
		eras[0].first = time.Time{}
	}
	return eras
}

// heard says whether a time server was heard when the clock was set.
func heard(ticks []tick, at time.Duration) bool {
	const beside = 5 * time.Second
	i, _ := slices.BinarySearchFunc(ticks, at-beside, func(t tick, at time.Duration) int { return cmp.Compare(t.uptime, at) })
	for ; i < len(ticks) && ticks[i].uptime <= at+beside; i++ {
		if ticks[i].synced {
			return true
		}
	}
	return false
}

// asksTimeServer names the programs that set a clock by a time server.
func asksTimeServer(component string) bool {
	switch component {
	case "chronyd", "ntpd", "ntpdate", "systemd-timesyncd":
		return true
	}
	return false
}

// clockSetting says whether a line tells that the clock was set, and by how
// much, where it says so; 0 if not.
func clockSetting(e *Event) (step time.Duration, told bool) {
	m := e.Message
	switch e.Component {
	case "chronyd":
		if rest, ok := strings.CutPrefix(m, "System clock was stepped by "); ok {
			return secondsIn(rest), true
		}
	case "ntpd":
		if _, rest, ok := strings.Cut(m, "time reset "); ok {
			return secondsIn(rest), true
		}
		if _, rest, ok := strings.Cut(m, "ntpd: time set "); ok {
			return secondsIn(rest), true
		}
	case "ntpdate":
		if _, rest, ok := strings.Cut(m, "step time server "); ok {
			_, rest, _ = strings.Cut(rest, " offset ")
			return secondsIn(rest), true
		}
	case "systemd-timesyncd":
		return 0, strings.HasPrefix(m, "Initial clock synchronization to ") || strings.HasPrefix(m, "Initial synchronization to time server ") ||
			strings.HasPrefix(m, "Synchronized to time server ") ||
			strings.HasPrefix(m, "System clock time unset or jumped backwards")
	case Systemd:
		return 0, strings.HasPrefix(m, "Time has been changed") || strings.HasPrefix(m, "System time before build time") ||
			strings.HasPrefix(m, "System time advanced to ") || strings.HasPrefix(m, "Clock change detected")
	case Journald:
		return 0, strings.HasPrefix(m, "Time jumped backwards, rotating")
	case "systemd-resolved":
		return 0, strings.HasPrefix(m, "Clock change detected. Flushing caches")
	}
	return 0, false
}

// secondsIn reads "+93.213000 s" or "93.2 seconds".
func secondsIn(s string) time.Duration {
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || s[end] == '.' || end == 0 && (s[end] == '-' || s[end] == '+')) {
		end++
	}
	d, err := time.ParseDuration(strings.TrimPrefix(s[:end], "+") + "s")
	if err != nil {
		return 0
	}
	return d
}

// settingAt finds the lines between which the clock was set: the largest gap
// right before or after the line that tells of it.
func settingAt(b *Builder, i int, reversed bool, told time.Duration) (era, bool) {
	const around, least = 3, 5 * time.Second
	// next walks in the order of writing.
	at := func(n int) *Event {
		k := i + n
		if reversed {
			k = i - n
		}
		if k < 0 || k >= len(b.Events) || b.Events[k].Time.IsZero() || b.Events[k].Node != b.Events[i].Node {
			return nil
		}
		return &b.Events[k]
	}
	var best time.Duration
	where, found := 0, false
	for n := -around; n < around; n++ {
		a, c := at(n), at(n+1)
		if a == nil || c == nil {
			continue
		}
		if gap := c.Time.Sub(a.Time); gap.Abs() > best.Abs() && gap.Abs() >= least && (told == 0 || (gap-told).Abs() <= max(told.Abs()/10, 10*time.Second)) {
			best, where, found = gap, n+1, true
		}
	}
	if !found {
		return era{}, false
	}
	if told != 0 {
		best = told
	}
	e := at(where)
	return era{file: e.Source.File, seq: writtenAs(b, e, reversed), first: e.Time, step: best, linked: true, attested: asksTimeServer(b.Events[i].Component)}, true
}

// writtenAs is an event's place in the order in which a file was written.
func writtenAs(b *Builder, e *Event, reversed bool) int {
	if reversed {
		return len(b.Events) - 1 - e.Seq
	}
	return e.Seq
}

// withMarks adds the settings that lines tell of to those that a journal
// shows. The same line stands in several files.
func withMarks(eras nodeEras, marks []era) nodeEras {
	slices.SortFunc(marks, func(a, b era) int { return cmp.Or(a.first.Compare(b.first), strings.Compare(a.file, b.file)) })
	if len(eras) == 0 {
		eras = nodeEras{{}}
	}
	for _, m := range marks {
		const same = 10 * time.Second
		if len(eras) >= mostEras || slices.ContainsFunc(eras, func(e era) bool {
			return !e.first.IsZero() && (e.first.Sub(m.first).Abs() < same || e.boot != "" && !m.first.Before(e.first))
		}) {
			continue
		}
		at, _ := slices.BinarySearchFunc(eras, m.first, func(e era, t time.Time) int { return e.first.Compare(t) })
		eras = slices.Insert(eras, max(at, 1), m)
	}
	return eras
}
