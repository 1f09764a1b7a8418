package report

import (
	"io"
	"time"

	"podautopsy/analyzer"
)

// Format is one way to write a document.
type Format struct {
	Name   string // as the user asks for it
	Doc    string // one line for the help text
	Render func(w io.Writer, doc *analyzer.Document, opt Options) error
	// Whole formats are to be given Document.Entire.
	Whole bool
}

// Formats are the renderings of a whole report, and of its timeline for
// engines: one run writes them all, and they agree.
var Formats = append([]Format{
	{"text", "one screen for the terminal", Text, false},
	{"markdown", "for a ticket or a chat; --profile says which", Markdown, false},
	{"html", "one file for the browser, beside the ticket", HTML, false},
	{"json", "the whole report, for machines", JSON, false},
	{"junit", "a test for each subject, for CI", JUnit, false},
	{"sarif", "a result for each subject, for code scanning", SARIF, false},
}, Exports...)

// TimelineFormats are the renderings of a report's timeline.
var TimelineFormats = append([]Format{
	{"text", "one line per moment", TimelineText, false},
	{"markdown", "a table for a ticket", TimelineMarkdown, false},
	{"json", "schema, tool, bundle, timeline and its evidence", TimelineJSON, true},
}, Exports...)

// Exports are the renderings of a timeline for the engines that teams have.
var Exports = []Format{
	{"csv", "one row per event, for spreadsheets and Timesketch", TimelineCSV, true},
	{"ndjson", "one event per line, the canonical export: DuckDB, ClickHouse, jq", TimelineNDJSON, true},
	{"timesketch", "JSON lines for Timesketch", TimelineTimesketch, true},
	{"ecs", "JSON lines in the Elastic Common Schema", TimelineECS, true},
	{"otlp", "OTLP/JSON logs, one LogsData per line, for an OpenTelemetry Collector", TimelineOTLP, true},
	{"loki", "the body of a request to Loki's push API", TimelineLoki, true},
	{"chrome-trace", "a Chrome trace, for Perfetto", TimelineChromeTrace, true},
	{"lnav", "the format file with which lnav reads ndjson", TimelineLnav, false},
}

// InventoryFormats are the renderings of what a bundle holds.
var InventoryFormats = []Format{
	{"text", "what each node has and lacks, gaps, and files by folder; and what is missing", InventoryText, false},
	{"markdown", "the same as tables", InventoryMarkdown, false},
	{"json", "schema, tool and bundle", InventoryJSON, false},
}

// Options say how to show a document. They never change what it says.
type Options struct {
	Width    int            // columns of text; 0 is 80
	Color    bool           // ANSI's sixteen colours
	ASCII    bool           // no character beyond ASCII for marks and frames
	Why      bool           // text: every cause considered, with all its evidence
	Files    bool           // inventory: each file instead of folders
	Pods     bool           // inventory: what is in deletion or left behind, by node and cause, instead of files
	Location *time.Location // zone of shown times; nil is UTC
	Profile  string         // markdown: the target's name in Profiles; "" is the first
	// LongerThan is how long before the capture T0 must be for Pods; zero is any.
	LongerThan time.Duration
	// Since and Until bound the moments that are shown; zero is no bound.
	Since, Until time.Time
}

const (
	defaultWidth = 80
	minWidth     = 60 // below that the frame and the labels leave no room for words
)

func (o Options) width() int {
	if o.Width == 0 {
		return defaultWidth
	}
	return max(o.Width, minWidth)
}

func (o Options) location() *time.Location {
	if o.Location == nil {
		return time.UTC
	}
	return o.Location
}

// shows says whether a moment lies in the window. One without a time is shown
// only where no window was asked for.
func (o Options) shows(t *time.Time) bool {
	if o.Since.IsZero() && o.Until.IsZero() {
		return true
	}
	if t == nil {
		return false
	}
	return (o.Since.IsZero() || !t.Before(o.Since)) && (o.Until.IsZero() || !t.After(o.Until))
}
