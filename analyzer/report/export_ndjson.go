package report

import (
	"io"

	"podautopsy/analyzer"
)

// TimelineNDJSON writes one event per line: the canonical export, from which
// the others are drawn. DuckDB, ClickHouse, jq and lnav read it as it is.
func TimelineNDJSON(w io.Writer, doc *analyzer.Document, opt Options) error {
	return jsonLines(w, newView(doc, opt).events())
}
