package parsers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"podautopsy/timeline"
)

// BundleJournal is a journal file of a bundle.
type BundleJournal struct {
	*Journal
	Path  string // as reports cite it
	unmap func() // of a file on disk
}

// Close lets go of the file.
func (j BundleJournal) Close() {
	j.Journal.Close()
	if j.unmap != nil {
		j.unmap()
	}
}

// WhileMapped reads from files that are mapped into memory, as journals on disk
// are. One that becomes shorter meanwhile is an error.
func WhileMapped(read func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			if _, ok := fault.(interface{ Addr() uintptr }); !ok {
				panic(fault) // no fault of the memory, but ours
			}
			err = fmt.Errorf("a file changed or its disk failed: %v", fault)
		}
	}()
	return read()
}

// OpenJournals opens every journal file of a bundle. What cannot be opened is
// told as gaps; a bundle without a journal is an error.
func OpenJournals(ctx context.Context, args []string, stdin io.Reader, lim Limits) ([]BundleJournal, []timeline.Gap, error) {
	var journals []BundleJournal
	var gaps []timeline.Gap
	o := &opener{ctx: ctx, lim: lim, mapFrom: 1}
	o.visit = func(m *Member) error {
		if !isJournal(m.Data) {
			return nil
		}
		gaps = append(gaps, m.Gaps...)
		var j *Journal
		err := WhileMapped(func() (err error) {
			j, err = openJournalData(m.Data)
			return err
		})
		if err != nil {
			if m.unmap != nil {
				m.unmap()
			}
			gaps = append(gaps, gapAt(m.Path, timeline.GapUnreadable, err.Error()))
			return nil
		}
		if j.isDamaged() {
			gaps = append(gaps, gapAt(m.Path, timeline.GapTruncated, fmt.Sprintf("damaged; %d entries were found", j.entryCount())))
		}
		journals = append(journals, BundleJournal{j, m.Path, m.unmap})
		return nil
	}
	if err := o.all(args, stdin); err != nil {
		return nil, gaps, err
	}
	if len(journals) == 0 {
		return nil, gaps, errors.New("no binary journal file in it (*.journal); analyze and timeline read journals as text")
	}
	return journals, gaps, nil
}
