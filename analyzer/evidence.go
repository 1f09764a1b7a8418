package analyzer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// ref is one piece of evidence in the book. It gets its public id ("e3") when
// the report first cites it, so that ids follow the order of reading.
type ref int

// book holds what may be cited. The same place is one entry.
type book struct {
	tl      *timeline.Timeline
	fits    func(event int, signature string) string // the text that a signature fits
	entries []Evidence
	from    map[ref]any // an event's index, an object or a fact
	at      map[string]ref
	ids     map[ref]string
	cited   []ref
}

func newBook(tl *timeline.Timeline) *book {
	return &book{tl: tl, from: map[ref]any{}, at: map[string]ref{}, ids: map[ref]string{}}
}

// put enters e unless the same text of the same place is there.
func (b *book) put(e Evidence) ref {
	key := e.File + "\x00" + optional(e.Line) + "\x00" + optional(e.Offset) + "\x00" + e.Text
	if e.Cursor != nil {
		key += *e.Cursor
	}
	if r, ok := b.at[key]; ok {
		if old := &b.entries[r]; old.Match == nil {
			old.Match, old.Signature = e.Match, e.Signature
		}
		if old := &b.entries[r]; e.Count > old.Count {
			old.Count, old.FirstTime, old.LastTime = e.Count, e.FirstTime, e.LastTime
		}
		return r
	}
	r := ref(len(b.entries))
	if e.Count == 0 {
		e.Count = 1
	}
	b.at[key] = r
	b.entries = append(b.entries, e)
	return r
}

// putFrom remembers what told it, so that what stands around it can be found.
func (b *book) putFrom(teller any, e Evidence) ref {
	r := b.put(e)
	if _, ok := b.from[r]; !ok {
		b.from[r] = teller
	}
	return r
}

func optional[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

// event cites one event of the timeline.
func (b *book) event(i int, signature string) ref {
	e := &b.tl.Events[i]
	ev := evidenceAt(e.Source, e.AlsoAt, e.Text)
	ev.Time = moment(stamped(e))
	ev.ClockAheadSeconds = e.Ahead.Seconds()
	ev.PrecisionSeconds = e.Precision.Seconds()
	ev.Node = word(e.Node)
	ev.Component = e.Component
	ev.Signature = word(signature)
	if signature != "" && b.fits != nil {
		// Where the file encodes the message the match may not stand in the text.
		if fit := oneLine(b.fits(i, signature)); strings.Contains(e.Text, fit) {
			ev.Match = word(fit)
		}
	}
	ev.Count = max(1, e.Count())
	if !e.First().IsZero() {
		ev.FirstTime, ev.LastTime = moment(e.First().Add(e.Ahead)), ev.Time
	}
	return b.putFrom(i, ev)
}

// repeated cites an event that stands for several like it.
func (b *book) repeated(i int, signature string, count int, first, last time.Time) ref {
	r := b.event(i, signature)
	if ev := &b.entries[r]; count > ev.Count {
		ev.Count = count
		ahead := b.tl.Events[i].Ahead
		ev.FirstTime, ev.LastTime = moment(first.Add(ahead)), moment(last.Add(ahead))
	}
	return r
}

// object cites a field of an object, or the object itself.
func (b *book) object(o *timeline.Object, path ...string) ref {
	src, text := o.Source, o.Text
	if o.Locate != nil && len(path) > 0 {
		if s, t, ok := o.Locate(path...); ok {
			src, text = s, t
		}
	}
	ev := evidenceAt(src, nil, text)
	ev.Time = moment(o.AsOf)
	ev.Component = "api-object"
	return b.putFrom(o, ev)
}

// fact cites what a tool printed on a node.
func (b *book) fact(f *timeline.Fact, tool string) ref {
	ev := evidenceAt(f.Source, f.AlsoAt, f.Text)
	ev.Time = moment(f.AsOf)
	ev.Node = word(f.Node)
	ev.Component = tool
	return b.putFrom(f, ev)
}

func evidenceAt(src timeline.Source, also []timeline.Source, text string) Evidence {
	ev := Evidence{File: src.File, Text: text, AlsoAt: []Place{}, Count: 1}
	if src.Line > 0 {
		line := src.Line
		last := max(line, src.LastLine)
		ev.Line, ev.LastLine = &line, &last
	}
	if src.Offset > 0 || src.Line <= 1 {
		offset := src.Offset
		ev.Offset = &offset
	}
	ev.Cursor = word(src.Cursor)
	for _, s := range also {
		ev.AlsoAt = append(ev.AlsoAt, Place{File: s.File, Line: s.Line})
	}
	return ev
}

// cite gives the public ids of refs, in order and each once.
func (b *book) cite(refs []ref) []string {
	ids := []string{}
	for _, r := range refs {
		id, ok := b.ids[r]
		if !ok {
			b.cited = append(b.cited, r)
			id = "e" + strconv.Itoa(len(b.cited))
			b.ids[r] = id
			b.entries[r].ID = id
		}
		if !contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// list is the evidence that was cited, in order of its ids.
func (b *book) list() []Evidence {
	out := make([]Evidence, 0, len(b.cited))
	for _, r := range b.cited {
		out = append(out, b.entries[r])
	}
	return out
}

func contains[T comparable](list []T, v T) bool {
	for _, x := range list {
		if x == v {
			return true
		}
	}
	return false
}

// moment is nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// word is nil for the empty string.
func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// oneLine cuts a text to its first line.
func oneLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	return s
}
