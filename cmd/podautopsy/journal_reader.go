//go:build !(sdjournal && linux && cgo)

package main

import "podautopsy/parsers"

// otherJournalReaders are what this build could read journal files with
// instead of its own reader: nothing.
func otherJournalReaders() map[string]parsers.Parser { return nil }
