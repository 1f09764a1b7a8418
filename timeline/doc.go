// Package timeline is the vocabulary in which everything else speaks: facts
// read from a bundle, lined up in time, each with the exact place it came from.
//
// Parsers write facts through a Builder; the analyzer reads them from a
// Timeline. The package knows nothing of formats and draws no conclusion.
package timeline
