package report

import (
	_ "embed"
	"fmt"
	"io"

	"podautopsy/analyzer"
)

//go:embed lnav_format.json
var lnavFormat string

// TimelineLnav writes the format file from which lnav learns to read what
// TimelineNDJSON writes. It is the same for every report.
func TimelineLnav(w io.Writer, _ *analyzer.Document, _ Options) error {
	if _, err := io.WriteString(w, lnavFormat); err != nil {
		return fmt.Errorf("writing the format for lnav: %w", err)
	}
	return nil
}
