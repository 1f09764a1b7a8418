package timeline

import (
	"fmt"
	"slices"
	"strings"
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
				if !slices.ContainsFunc(of.Input.Gaps, func(g Gap) bool { return g.Kind == kind && g.Source.Line == 0 }) {
					of.Input.Gaps = append(of.Input.Gaps, Gap{Kind: kind, Detail: fmt.Sprintf("%s (%s)", detail, beside(c.Source, c.Path)), Source: Source{File: c.Path}})
				}
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

// beside names a place in the words of who knows where path is: without the
// folders that both are in.
func beside(src Source, path string) string {
	shared := 0
	for i := range min(len(src.File), len(path)) {
		if src.File[i] != path[i] {
			break
		}
		if strings.IndexByte("/!", path[i]) >= 0 {
			shared = i + 1
		}
	}
	src.File = src.File[shared:]
	return src.String()
}
