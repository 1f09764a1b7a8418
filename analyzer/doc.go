// Package analyzer turns a timeline into a verdict: for each pod or other
// object in deletion, how far the deletion got, what holds it, and the
// evidence that proves it.
//
// It reads no files and knows no formats; it sees only a timeline.Timeline.
//
// Another program needs Analyze and the Document that it returns, which is the
// JSON report; Causes and BuiltinSignatures explain what it speaks of, and
// Catalogue.Extend adds signatures of its own.
//
// Signatures (what one piece of evidence means) and causes (what is concluded
// from several) are data, under signatures/ and causes/.
package analyzer
