package timeline

import (
	"fmt"
	"time"
)

// Collected is what a collector noted of one file that it wrote or tried to
// write: the collector knows what the file itself does not show.
type Collected struct {
	Path       string // of the file, as inputs name it
	Command    string
	At         time.Time // when the command began, in UTC; zero if not told
	ExitStatus int
	Failed     bool // it ended with an error, so that nothing in the file is no "none"
	TimedOut   bool
	Truncated  bool // the beginning or the end was cut off
	Source     Source
}

// applyCollected tells each file what its collector noted of it.
func applyCollected(builders []*Builder) {
	byPath := map[string]*Builder{}
	for _, b := range builders {
		byPath[b.Input.Path] = b
	}
	for _, b := range builders {
		for _, c := range b.Collected {
			of := byPath[c.Path]
			if of == nil {
				continue
			}
			if of.Input.Command == "" {
				of.Input.Command = c.Command
			}
			if of.Input.CapturedAt.IsZero() {
				of.Input.CapturedAt = c.At
			}
			note := func(kind GapKind, detail string) {
				of.Input.Gaps = append(of.Input.Gaps, Gap{Kind: kind, Detail: fmt.Sprintf("%s (%s)", detail, c.Source), Source: Source{File: c.Path}})
			}
			if c.TimedOut {
				note(GapCommandFailed, "the collector stopped waiting for the command")
			} else if c.Failed {
				note(GapCommandFailed, fmt.Sprintf("the command ended with status %d", c.ExitStatus))
			}
			if c.Truncated {
				note(GapTruncated, "the collector kept only a part of the output")
			}
		}
	}
}
