package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"
)

// scale places times on a chart's width. It is not linear: a deletion is a
// second of work and an hour of retries, and both must be seen. Every pause
// between two events gets a width that grows with its logarithm.
type scale struct {
	at    []time.Time // knots, ascending
	along []float64   // where they lie, percent of the width
}

const (
	scaleFrom, scaleTo = 2.5, 95.5 // percent; marks and their names have a width of their own
	shortest           = 20 * time.Millisecond
)

func newScale(times []time.Time) scale {
	slices.SortFunc(times, time.Time.Compare)
	times = slices.CompactFunc(times, time.Time.Equal)
	s := scale{at: times, along: make([]float64, len(times))}
	sum := 0.0
	for i := 1; i < len(times); i++ {
		sum += math.Log1p(float64(times[i].Sub(times[i-1])) / float64(shortest))
		s.along[i] = sum
	}
	for i := range s.along {
		if sum == 0 {
			s.along[i] = (scaleFrom + scaleTo) / 2
			continue
		}
		s.along[i] = scaleFrom + s.along[i]/sum*(scaleTo-scaleFrom)
	}
	return s
}

// percent is where a time lies; what is outside is at the edge.
func (s scale) percent(t time.Time) float64 {
	if len(s.at) == 0 {
		return 0
	}
	i, exact := slices.BinarySearchFunc(s.at, t, time.Time.Compare)
	switch {
	case exact:
		return s.along[i]
	case i == 0:
		return 0
	case i == len(s.at):
		return 100
	}
	part := float64(t.Sub(s.at[i-1])) / float64(s.at[i].Sub(s.at[i-1]))
	return s.along[i-1] + part*(s.along[i]-s.along[i-1])
}

// percentage writes a length for SVG.
func percentage(p float64) string { return strconv.FormatFloat(p, 'f', 2, 64) + "%" }

// tickSteps are distances from T0 that people count in.
var tickSteps = func() []time.Duration {
	var out []time.Duration
	for _, u := range []struct {
		unit time.Duration
		of   []int
	}{
		{time.Millisecond, []int{100, 200, 500}},
		{time.Second, []int{1, 2, 5, 10, 15, 20, 30, 45}},
		{time.Minute, []int{1, 2, 3, 5, 10, 15, 20, 30, 45}},
		{time.Hour, []int{1, 2, 3, 6, 12}},
		{24 * time.Hour, []int{1, 2, 3, 7, 14, 30, 60, 90, 180, 365, 730, 1825, 3650}},
	} {
		for _, n := range u.of {
			out = append(out, time.Duration(n)*u.unit)
		}
	}
	return out
}()

// tick is a labelled time on the axis.
type tick struct {
	X, T0, Clock string
	Class        string // which widths have room for it
	along        float64
	zero         bool
}

// ticks picks distances from zero that leave room for their labels, a few for
// every width, more for the wide and many for the enlarged.
func (s scale) ticks(zero time.Time, c clock, label func(time.Duration) string) []tick {
	if len(s.at) == 0 {
		return nil
	}
	offsets := []time.Duration{0}
	for _, step := range tickSteps {
		offsets = append(offsets, step, -step)
	}
	first, last := s.at[0], s.at[len(s.at)-1]
	var out []tick
	for _, level := range []struct {
		class string
		room  float64
	}{{"t1", 26}, {"t2", 10}, {"t3", 2.5}} {
		for _, d := range offsets {
			at := zero.Add(d)
			if at.Before(first) || at.After(last) {
				continue
			}
			p := s.percent(at)
			if slices.ContainsFunc(out, func(t tick) bool { return math.Abs(t.along-p) < level.room }) {
				continue
			}
			out = append(out, tick{percentage(p), label(d), c.short(at, 1), level.class, p, d == 0})
		}
	}
	slices.SortFunc(out, func(a, b tick) int { return cmp.Compare(a.along, b.along) })
	return out
}
