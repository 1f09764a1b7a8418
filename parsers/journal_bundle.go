package parsers

import (
	"context"
	"fmt"
	"io"

	"podautopsy/timeline"
)

// BundleJournal is a journal file of a bundle.
type BundleJournal struct {
	*Journal
	Path string // as reports cite it
}

// OpenJournals opens every journal file of a bundle. What cannot be opened is
// told as gaps; a bundle without a journal is an error.
func OpenJournals(ctx context.Context, args []string, stdin io.Reader, lim Limits) ([]BundleJournal, []timeline.Gap, error) {
	var journals []BundleJournal
	var gaps []timeline.Gap
	err := Open(ctx, args, stdin, lim, func(m *Member) error {
		if !isJournal(m.Data) {
			return nil
		}
		gaps = append(gaps, m.Gaps...)
		j, err := OpenJournal(m.Data)
		if err != nil {
			gaps = append(gaps, gapAt(m.Path, timeline.GapUnreadable, err.Error()))
			return nil
		}
		if j.Damaged() {
			gaps = append(gaps, gapAt(m.Path, timeline.GapTruncated, fmt.Sprintf("damaged; %d entries were found", j.Len())))
		}
		journals = append(journals, BundleJournal{j, m.Path})
		return nil
	})
	if err != nil {
		return nil, gaps, err
	}
	if len(journals) == 0 {
		return nil, gaps, fmt.Errorf("no journal file in it: %w", ErrNotBundle)
	}
	return journals, gaps, nil
}
