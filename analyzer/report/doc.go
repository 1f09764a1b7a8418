// Package report renders an analysis for people, tickets and machines. Every
// format draws from analyzer.Document alone, so that all outputs of a run
// agree. Log text is hostile: it is made printable before it is shown.
package report
