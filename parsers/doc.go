// Package parsers turns bytes into facts: it opens bundles, recognises what
// each file is, and writes what it says into a timeline.Builder.
//
// One file per format, one per bundle layout. A parser never decides what a
// line means for a pod; that is the analyzer's work.
//
// Another program needs Read, which gives a timeline.Timeline for
// analyzer.Analyze, with Limits that bound what a hostile bundle may cost; All
// and Parser to add a format of its own; Open or Scan to see the files without
// reading them as evidence.
package parsers
