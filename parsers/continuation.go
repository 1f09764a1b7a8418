package parsers

import (
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// joinLimit bounds one joined message; a goroutine dump may be megabytes.
const joinLimit = 64 << 10

// openRecord collects the lines that carry an event on. They are joined once,
// when it is closed: joining one by one would take quadratic time.
type openRecord struct {
	index    int // of the event in the builder
	messages []string
	texts    []string
	size     int             // of the texts
	last     timeline.Source // of the last line
}

// open makes an event, of a text of that size, the one to carry on.
func (o *openRecord) open(index, size int) {
	o.index, o.size = index, size
	o.messages, o.texts = o.messages[:0], o.texts[:0]
}

// add takes a line that carries the event on; false if it is one too many.
func (o *openRecord) add(message, text string, source timeline.Source) bool {
	if o.size+len(text) >= joinLimit {
		return false
	}
	o.messages, o.texts = append(o.messages, message), append(o.texts, text)
	o.size += len(text) + 1
	o.last = source
	return true
}

// close joins what was added; it returns the event that has become longer. In a
// file that runs backwards the lines stand above the one that they carry on.
func (o *openRecord) close(b *timeline.Builder, backwards bool) *timeline.Event {
	if len(o.texts) == 0 {
		return nil
	}
	e := &b.Events[o.index]
	e.Message = e.Message + "\n" + strings.Join(o.messages, "\n")
	if backwards {
		slices.Reverse(o.texts)
		e.Text = strings.Join(o.texts, "\n") + "\n" + e.Text
		if e.Source.LastLine == 0 {
			e.Source.LastLine = e.Source.Line
		}
		e.Source.Line, e.Source.Offset = o.last.Line, o.last.Offset
	} else {
		e.Text = e.Text + "\n" + strings.Join(o.texts, "\n")
		if last := max(o.last.Line, o.last.LastLine); last > 0 {
			e.Source.LastLine = last
		}
	}
	o.messages, o.texts = o.messages[:0], o.texts[:0]
	return e
}

// journalVoices are the programs of a journal, by what they write: only a program
// that writes klog records and plain ones may have written one in several.
type journalVoices struct {
	known [16]journalVoice
	count int
	mixed bool // one does, or may
}

type journalVoice struct {
	pid         int
	component   string
	klog, plain bool
}

// note takes note of an event.
func (v *journalVoices) note(e *timeline.Event, kind spokenKind) {
	klog := kind == spokenKlog || kind == spokenUnsure
	plain := kind == spokenPlain || kind == spokenUnsure
	if v.mixed || !klog && !plain {
		return
	}
	for i := range v.known[:v.count] {
		if k := &v.known[i]; k.pid == e.PID && k.component == e.Component {
			k.klog, k.plain = k.klog || klog, k.plain || plain
			v.mixed = k.klog && k.plain
			return
		}
	}
	if v.count == len(v.known) {
		v.mixed = true
		return
	}
	v.known[v.count] = journalVoice{e.PID, e.Component, klog, plain}
	v.count++
	v.mixed = klog && plain
}

// joinContinuations joins the physical lines of one klog message that journald
// or syslog kept as records of their own: a record without a klog header, of
// the same process, within a second of that process's last klog record. What
// other programs wrote in between does not matter.
func joinContinuations(b *timeline.Builder) {
	events := b.Events
	speakers := klogSpeakers{b: b, backwards: runsBackwards(events)}
	var joined []bool
	for n := range events {
		i := n
		if speakers.backwards {
			i = len(events) - 1 - n
		}
		e := &events[i]
		if _, ok := klogHeader(e.Message); ok {
			speakers.spoke(i, e)
			continue
		}
		if speakers.carryOn(e) {
			if joined == nil {
				joined = make([]bool, len(events))
			}
			joined[i] = true
		}
	}
	speakers.close()
	if joined == nil {
		return
	}
	kept := events[:0]
	for i, e := range events {
		if !joined[i] {
			e.Seq = len(kept)
			kept = append(kept, e)
		}
	}
	clear(events[len(kept):])
	b.Input.Records -= len(events) - len(kept)
	b.Events = kept
}

// carriesOn says whether e can carry on the klog message of head.
func carriesOn(head, e *timeline.Event) bool {
	apart := (e.Time.Sub(head.Time) + e.Stamp.SinceBoot - head.Stamp.SinceBoot).Abs()
	return apart <= time.Second+max(head.Precision, e.Precision) && readSpoken(e.Message).kind == spokenPlain
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

// klogSpeakers holds the last klog record of each process that wrote lately.
type klogSpeakers struct {
	b         *timeline.Builder
	backwards bool
	last      [8]openRecord
	used      [8]bool
	next      int
}

func (s *klogSpeakers) place(e *timeline.Event) int {
	for i := range s.last {
		if !s.used[i] {
			continue
		}
		if h := &s.b.Events[s.last[i].index]; h.PID == e.PID && h.Component == e.Component && h.Node == e.Node {
			return i
		}
	}
	return -1
}

// spoke makes a klog record the last of its process.
func (s *klogSpeakers) spoke(index int, e *timeline.Event) {
	i := s.place(e)
	if i < 0 {
		i = s.next
		s.next = (s.next + 1) % len(s.last)
	}
	s.last[i].close(s.b, s.backwards)
	s.last[i].open(index, len(e.Text))
	s.used[i] = true
}

// carryOn adds a record without a klog header to the last one of its process,
// if it belongs there; if not, that one has ended.
func (s *klogSpeakers) carryOn(e *timeline.Event) bool {
	i := s.place(e)
	if i < 0 {
		return false
	}
	o := &s.last[i]
	if carriesOn(&s.b.Events[o.index], e) && o.add(e.Message, e.Text, e.Source) {
		return true
	}
	o.close(s.b, s.backwards)
	s.used[i] = false
	return false
}

func (s *klogSpeakers) close() {
	for i := range s.last {
		s.last[i].close(s.b, s.backwards)
	}
}
