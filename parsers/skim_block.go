package parsers

import (
	"bytes"
	"cmp"
	"slices"

	"podautopsy/timeline/literal"
)

// logBlock is a part of a log that is skimmed: whole records, as a rule, and
// what was kept of them.
type logBlock struct {
	offset int64
	size   int
	head   int // up to here it is kept whole, as the log begins with it
	tail   int // from here on it is kept whole, as the log ends with it

	lines   int // in all
	objects int // that begin in it and are lost
	data    []byte
	runs    []run
	text    keptText // of a log that cannot be read again

	// Of the log's room, and under its lock:
	kept   int  // bytes, also where they were let go
	busy   bool // it is being looked through
	spared bool
	end    bool // the log begins or ends with it
}

// run is a run of whole lines that was kept.
type run struct {
	from, to int // in the block
	at       int // in its data
	before   int // lines of the block before it
	lines    int
}

// span is a part of a block.
type span struct{ from, to int }

// look keeps of a block what matters, and some lines more. Of the records that
// hold a literal, those do that are wanted.
func (b *logBlock) look(x *literal.Index, wanted func(record []byte) bool, text []byte) {
	var spans []span
	if b.head > 0 {
		spans = append(spans, span{0, endOfLine(text, b.head)})
	}
	if b.tail < len(text) {
		spans = append(spans, span{startOfLine(text, b.tail), len(text)})
	}
	ends := len(spans)
	b.find(x, text, func(s span) {
		if !wanted(text[s.from:s.to]) {
			return
		}
		spans = append(spans, s)
		if !slices.ContainsFunc(spans[:ends], func(end span) bool { return s.from >= end.from && s.to <= end.to }) &&
			bytes.HasPrefix(text[s.from:], []byte(objectBegins)) {
			b.objects++
		}
	})
	spans = joinSpans(spans)
	b.keep(text, joinSpans(append(spans, samples(text, spans)...)))
}

// lookAgain keeps what matters for other reasons, too. It says whether that is
// more, and whether what was kept stands there still.
func (b *logBlock) lookAgain(x *literal.Index, text []byte) (more, same bool) {
	var spans []span
	for _, r := range b.runs {
		if kept := b.data[r.at : r.at+r.to-r.from]; !bytes.Equal(kept, text[r.from:r.to]) {
			return false, false
		}
		spans = append(spans, span{r.from, r.to})
	}
	had := len(spans)
	b.find(x, text, func(s span) {
		at, _ := slices.BinarySearchFunc(b.runs, s.from, func(r run, from int) int { return cmp.Compare(r.from, from) })
		if at < len(b.runs) && b.runs[at].from == s.from {
			at++
		}
		if at == 0 || b.runs[at-1].to < s.to {
			spans = append(spans, s)
		}
	})
	if len(spans) > had {
		b.keep(text, joinSpans(spans))
	}
	return len(spans) > had, true
}

// find finds the records that hold one of the literals.
func (b *logBlock) find(x *literal.Index, text []byte, found func(span)) {
	last := span{}
	literal.Find(x, text, func(_, at int) {
		if at >= last.from && at < last.to {
			return
		}
		last = span{startOfRecord(text, at), endOfRecord(text, at)}
		found(last)
	})
}

// samples are lines here and there where nothing else was kept.
func samples(text []byte, spans []span) []span {
	var lines []span
	for step := 0; step < len(text); step += skimStep {
		for len(spans) > 0 && spans[0].to <= step {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].from < step+skimStep {
			continue
		}
		from := step
		if from > 0 {
			from = endOfLine(text, step-1)
		}
		if from < len(text) {
			lines = append(lines, span{from, endOfRecord(text, from)})
		}
	}
	return lines
}

// joinSpans puts spans in order and makes one of those that touch.
func joinSpans(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	joined := spans[:0]
	for _, s := range spans {
		if n := len(joined); n > 0 && s.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, s.to)
		} else {
			joined = append(joined, s)
		}
	}
	return joined
}

// keep takes the lines of the spans.
func (b *logBlock) keep(text []byte, spans []span) {
	size := 0
	for _, s := range spans {
		size += s.to - s.from
	}
	b.data, b.runs, b.lines = make([]byte, 0, size), make([]run, 0, len(spans)), 0
	at := 0
	for _, s := range spans {
		b.lines += bytes.Count(text[at:s.from], newline)
		r := run{from: s.from, to: s.to, at: len(b.data), before: b.lines, lines: bytes.Count(text[s.from:s.to], newline)}
		b.data = append(b.data, text[s.from:s.to]...)
		b.runs = append(b.runs, r)
		b.lines += r.lines
		at = s.to
	}
	b.lines += bytes.Count(text[at:], newline)
}
