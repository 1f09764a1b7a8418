// Package parsers turns bytes into facts: it opens bundles, recognises what
// each file is, and writes what it says into a timeline.Builder.
//
// One file per format, one per bundle layout. A parser never decides what a
// line means for a pod; that is the analyzer's work.
package parsers
