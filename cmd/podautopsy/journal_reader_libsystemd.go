//go:build sdjournal && linux && cgo

package main

import "podautopsy/parsers"

// otherJournalReaders are what this build can read journal files with instead
// of its own reader.
func otherJournalReaders() map[string]parsers.Parser {
	return map[string]parsers.Parser{"libsystemd": parsers.LibsystemdJournal()}
}
