package timeline

import (
	"cmp"
	"slices"
	"time"
)

// NodeClock is what the bundle tells of a node's clock beside the API server's.
type NodeClock struct {
	Node string
	// Spans are the stretches in which it ran steadily, the last one last;
	// at least one.
	Spans []ClockSpan
}

// ClockSpan is a stretch of a node's own time between two moments at which its
// clock was set.
type ClockSpan struct {
	// From is its first moment by the node's clock; zero: ever since.
	From time.Time
	// Known: the bundle tells how far the clock was ahead, negative if behind.
	Known         bool
	Ahead, Spread time.Duration
	// How it is known, in words, and what shows it.
	How   string
	Cited []Citation
	// Applied: times of this stretch were set right by Ahead.
	Applied bool
}

// Citation is a place and what stands there.
type Citation struct {
	Source    Source
	Text      string
	Component string
	Time      time.Time
}

// ClockSample is one moment told by a node's clock and, then or later, by the
// API server's.
type ClockSample struct {
	Node string
	How  SampleKind
	At   time.Time // by the node's clock
	API  time.Time // by the API server's
	// AtRound and APIRound are what the two are cut to.
	AtRound, APIRound time.Duration
	Cite              func() []Citation
}

// SampleKind says what told a moment twice.
type SampleKind int

// Kinds of samples, the surest last.
const (
	// SampleEvent is an Event: the node dated what happened, the API server
	// the object, at once unless it could not be reached.
	SampleEvent SampleKind = iota
	// SamplePodStatus is the newest time in a status that the kubelet wrote.
	SamplePodStatus
	// SampleKubeletLine is the kubelet's notice of what the API server did.
	SampleKubeletLine
	// SampleHeartbeat is a node's status.
	SampleHeartbeat
	// SampleLease is the renewal of a node's Lease.
	SampleLease
)

var sampleWords = [...]string{
	SampleEvent:       "Events as the node dated them and as the API server did",
	SamplePodStatus:   "pod status as the kubelet dated it and the API server's record of its writing",
	SampleKubeletLine: "deletions by the API server's clock and the kubelet's lines about them",
	SampleHeartbeat:   "the node's heartbeat and the API server's record of its writing",
	SampleLease:       "the renewal of the node's Lease and the API server's record of its writing",
}

// Noticeable is the least difference that is one of clocks: what tells it is
// cut to whole seconds, and a request takes its time.
const Noticeable = 3 * time.Second

// interval is what the offset can be if one clock told the moment at most so
// late after the other.
func (s *ClockSample) interval(late time.Duration) (low, high time.Duration) {
	d := s.At.Sub(s.API)
	if s.How == SampleKubeletLine { // the API server spoke first
		return d - s.APIRound - late, d + s.AtRound
	}
	return d - s.APIRound, d + s.AtRound + late
}

// How late one clock tells what the other did: as a rule, and where nothing
// was in the way.
const (
	usually  = 2 * time.Second
	promptly = 100 * time.Millisecond
)

// leastSpread is what the API server's whole seconds and the way to it leave
// open, however many samples agree.
const leastSpread = 500 * time.Millisecond

// weight is how much a sample counts among others.
func (s *ClockSample) weight() int {
	switch {
	case s.How >= SampleHeartbeat:
		return 4
	case s.How == SampleKubeletLine:
		return 2
	}
	return 1
}

// estimate is an offset on which most samples agree.
type estimate struct {
	low, high time.Duration
	weight    int // of those that agree
	agree     []*ClockSample
}

// measure finds the offset that most samples tell: who agrees within what is
// usual, and of those the ones that nothing held up.
func measure(samples []*ClockSample) estimate {
	loose := agreement(samples, usually)
	if exact := agreement(loose.agree, promptly); 2*exact.weight >= loose.weight {
		exact.weight = loose.weight
		return exact
	}
	return loose
}

// agreement finds the offsets that the most samples allow, as NTP does with
// its servers (Marzullo's algorithm): one liar has no say.
func agreement(samples []*ClockSample, late time.Duration) estimate {
	type edge struct {
		at     time.Duration
		weight int // negative at the end
	}
	edges := make([]edge, 0, 2*len(samples))
	for _, s := range samples {
		low, high := s.interval(late)
		edges = append(edges, edge{low, s.weight()}, edge{high, -s.weight()})
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.at, b.at), -cmp.Compare(a.weight, b.weight))
	})
	var best estimate
	open := 0
	for i, e := range edges {
		open += e.weight
		if open > best.weight && i+1 < len(edges) {
			best.weight, best.low, best.high = open, e.at, edges[i+1].at
		}
	}
	for _, s := range samples {
		if low, high := s.interval(late); low <= best.low && high >= best.high {
			best.agree = append(best.agree, s)
		}
	}
	return best
}

func (e *estimate) ahead() time.Duration  { return (e.low + e.high) / 2 }
func (e *estimate) spread() time.Duration { return max((e.high-e.low)/2, leastSpread) }

// surest is the best kind among the samples that agree.
func (e *estimate) surest() SampleKind {
	best := SampleEvent
	for _, s := range e.agree {
		best = max(best, s.How)
	}
	return best
}

// holds says whether the samples that agree are enough to believe them.
func (e *estimate) holds(all []*ClockSample) bool {
	total := 0
	for _, s := range all {
		total += s.weight()
	}
	switch {
	case len(e.agree) == 0 || 2*e.weight <= total:
		return false
	case e.surest() >= SampleHeartbeat, e.ahead().Abs() < Noticeable:
		return true
	case len(e.agree) < 2:
		return false
	}
	return e.ahead() > 0 || e.steady() // nothing is dated before it happened
}

// steady says whether nothing but a clock explains what the samples tell.
// Events that wait for the API server look like a clock that is behind, but
// they come all at once.
func (e *estimate) steady() bool {
	const apart = 30 * time.Second
	if e.surest() >= SampleKubeletLine {
		return true
	}
	first, last := e.agree[0].API, e.agree[0].API
	for _, s := range e.agree {
		if s.API.Before(first) {
			first = s.API
		}
		last = later(last, s.API)
	}
	return len(e.agree) > 2 && last.Sub(first) >= apart
}

// thin keeps so many samples as are worth comparing: all that are sure, and of
// the others some, evenly.
func thin(samples []*ClockSample) []*ClockSample {
	const most = 128
	if len(samples) <= most {
		return samples
	}
	var out []*ClockSample
	step := (len(samples) + most - 1) / most
	for i, s := range samples {
		if i%step == 0 || s.How >= SampleHeartbeat && len(out) < 2*most {
			out = append(out, s)
		}
	}
	return out
}

// stretch is a run of samples that tell of one offset.
type stretch struct {
	estimate
	samples []*ClockSample
}

// stretches divides samples, in the order of the node's time, where the clock
// was set in between: both sides agree on more than the whole does.
func stretches(samples []*ClockSample, depth int) []stretch {
	const gain = 4 // fewer that disagree are liars
	whole := measure(samples)
	best, at, total := whole.weight, 0, 0
	for _, s := range samples {
		total += s.weight()
	}
	if depth > 0 && total >= whole.weight+gain {
		for i := 2; i <= len(samples)-2; i++ {
			l, r := measure(samples[:i]), measure(samples[i:])
			if sum := l.weight + r.weight; sum > best && sum >= whole.weight+gain && apart(&l, &r) && l.holds(samples[:i]) && r.holds(samples[i:]) {
				best, at = sum, i
			}
		}
	}
	if at == 0 {
		return []stretch{{whole, samples}}
	}
	return append(stretches(samples[:at], depth-1), stretches(samples[at:], depth-1)...)
}

// apart says whether two estimates are of a clock that was set in between: the
// one that is further behind may else only have been told late.
func apart(a, b *estimate) bool {
	behind := a
	if b.ahead() < a.ahead() {
		behind = b
	}
	return (a.ahead()-b.ahead()).Abs() >= Noticeable && len(behind.agree) > 0 && behind.steady()
}
