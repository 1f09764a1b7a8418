package parsers

import (
	"time"

	"podautopsy/timeline"
)

// joinContinuations joins the physical lines of one klog message that journald
// or syslog kept as records of their own: a record without a klog header, of
// the same process, within a second of that process's last klog record. What
// other programs wrote in between does not matter.
func joinContinuations(b *timeline.Builder) {
	events := b.Events
	reversed := runsBackwards(events)
	at := func(i int) *timeline.Event {
		if reversed {
			return &events[len(events)-1-i]
		}
		return &events[i]
	}
	var speakers klogSpeakers
	var joined []bool
	for i := range events {
		e := at(i)
		if _, ok := klogHeader(e.Message); ok {
			speakers.spoke(e)
			continue
		}
		head := speakers.last(e)
		if head == nil {
			continue
		}
		if !continues(head, e) {
			speakers.forget(e)
			continue
		}
		appendLine(head, e, reversed)
		if joined == nil {
			joined = make([]bool, len(events))
		}
		joined[i] = true
	}
	if joined == nil {
		return
	}
	kept := events[:0]
	for i := range events {
		j := i
		if reversed {
			j = len(events) - 1 - i
		}
		if !joined[j] {
			e := events[i]
			e.Seq = len(kept)
			kept = append(kept, e)
		}
	}
	clear(events[len(kept):])
	b.Input.Records -= len(events) - len(kept)
	b.Events = kept
}

// joinLimit bounds one joined message; a goroutine dump may be megabytes.
const joinLimit = 64 << 10

// continues says whether e carries on the klog message of head.
func continues(head, e *timeline.Event) bool {
	apart := e.Time.Sub(head.Time).Abs()
	return apart <= time.Second+max(head.Precision, e.Precision) &&
		len(head.Text)+len(e.Text) < joinLimit && readSpoken(e.Message).kind == spokenPlain
}

// appendLine adds a line to the message that it continues. In a file that runs
// backwards the line stands above its head.
func appendLine(head, line *timeline.Event, above bool) {
	head.Message += "\n" + line.Message
	if above {
		head.Text = line.Text + "\n" + head.Text
		if head.Source.LastLine == 0 {
			head.Source.LastLine = head.Source.Line
		}
		head.Source.Line, head.Source.Offset = line.Source.Line, line.Source.Offset
		return
	}
	head.Text += "\n" + line.Text
	if last := max(line.Source.Line, line.Source.LastLine); last > 0 {
		head.Source.LastLine = last
	}
}

// runsBackwards says whether a file lists its records newest first, as
// journalctl -r does.
func runsBackwards(events []timeline.Event) bool {
	up, down := 0, 0
	for i := 1; i < len(events); i++ {
		switch d := events[i].Time.Compare(events[i-1].Time); {
		case d > 0:
			up++
		case d < 0:
			down++
		}
	}
	return down > up
}

// klogSpeakers remembers the last klog record of the processes that wrote
// lately.
type klogSpeakers struct {
	heads [8]*timeline.Event
	next  int
}

func (s *klogSpeakers) place(e *timeline.Event) int {
	for i, h := range s.heads {
		if h != nil && h.PID == e.PID && h.Component == e.Component && h.Node == e.Node {
			return i
		}
	}
	return -1
}

func (s *klogSpeakers) spoke(e *timeline.Event) {
	i := s.place(e)
	if i < 0 {
		i = s.next
		s.next = (s.next + 1) % len(s.heads)
	}
	s.heads[i] = e
}

func (s *klogSpeakers) last(e *timeline.Event) *timeline.Event {
	if i := s.place(e); i >= 0 {
		return s.heads[i]
	}
	return nil
}

func (s *klogSpeakers) forget(e *timeline.Event) {
	if i := s.place(e); i >= 0 {
		s.heads[i] = nil
	}
}
