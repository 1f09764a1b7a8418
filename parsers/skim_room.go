package parsers

import (
	"fmt"
	"sync"

	"podautopsy/timeline"
)

// keptOfLog is how much of one log is kept where memory is not limited: far more
// than matters of any but one that says the same for days.
const keptOfLog = 128 << 20

// roomFor is how much of one log may be kept, of what may be kept of a bundle.
func roomFor(mayKeep int64) int {
	const logs = 8 // large ones in a bundle, of which much matters
	return int(min(keptOfLog, mayKeep/logs))
}

// logRoom bounds what is kept of a log of which too much matters: its beginning
// and, three times as much, its end, where it is told what still fails. Blocks
// between are let go while others are looked through. As a block goes only where
// what is already known to be kept before it and from it on is too much, the same
// go in whatever order they are looked through.
type logRoom struct {
	sync.Mutex
	most  int
	since int // bytes that were kept since room was made
}

// take says that a block is about to be looked through; ok is false for one that
// was let go.
func (r *logRoom) take(b *logBlock) (ok bool) {
	r.Lock()
	defer r.Unlock()
	b.busy = !b.spared
	return b.busy
}

// kept takes note of what was kept of a block that was looked through.
func (l *skimmedLog) kept(b *logBlock) {
	r := &l.room
	r.Lock()
	defer r.Unlock()
	r.since += len(b.data) - b.kept
	b.kept, b.busy = len(b.data), false
	if b.spared {
		b.spare()
	}
	if r.since > r.most/8 {
		l.makeRoom()
	}
}

// makeRoom lets go of the blocks between; the log's ends are always kept.
func (l *skimmedLog) makeRoom() {
	first := l.room.most / 4
	last := l.room.most - first
	l.room.since = 0
	before, from := 0, 0
	for _, b := range l.blocks {
		from += b.kept
	}
	for _, b := range l.blocks {
		if !b.end && before+b.kept > first && from > last {
			b.spare()
		}
		before += b.kept
		from -= b.kept
	}
}

// spare lets go of what was kept of the block, once nobody looks at it.
func (b *logBlock) spare() {
	b.spared = true
	if !b.busy {
		b.data, b.runs = nil, nil
	}
}

// roomGap tells of the lines that were let go, from the first on.
func roomGap(path string, first, last int) timeline.Gap {
	g := gapAt(path, timeline.GapTruncated, fmt.Sprintf("so much of it matters that nothing was kept of lines %d to %d: %v", first, last, errMemory))
	g.Source.Line = first
	return g
}
