package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// troubleshootSummaryParser reads how Troubleshoot's collectors fared.
var troubleshootSummaryParser = Parser{
	Name:  "troubleshoot-summary",
	Doc:   "Troubleshoot's execution-data/summary.txt: which collectors succeeded, were excluded or failed.",
	Sniff: sniffTroubleshootSummary,
	Parse: parseTroubleshootSummary,
}

func sniffTroubleshootSummary(f *File) bool {
	lines := f.firstLines(1)
	return len(lines) > 0 && strings.HasPrefix(lines[0], "===") && strings.Contains(lines[0], " Collectors summary ")
}

// parseTroubleshootSummary reads rows such as "cluster-resources (S) : 1,643ms"
// up to the redactors' summary.
func parseTroubleshootSummary(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		if strings.HasPrefix(l.text, "===") {
			if strings.Contains(l.text, " summary ") && !strings.Contains(l.text, " Collectors ") {
				break
			}
			continue
		}
		row, _, ok := strings.Cut(l.text, " : ")
		if !ok {
			continue
		}
		row = strings.TrimSpace(row)
		b.Input.Records++
		if name, ok := strings.CutSuffix(row, " (F)"); ok {
			b.Gap(timeline.GapCommandFailed, l.number, "the collector "+name+" failed")
		} else if name, ok := strings.CutSuffix(row, " (X)"); ok {
			b.Gap(timeline.GapCommandFailed, l.number, "the collector "+name+" was excluded")
		}
	}
	return nil
}
