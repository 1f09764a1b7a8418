package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// rancherSummaryParser reads the first page of what Rancher's log collector found.
var rancherSummaryParser = Parser{
	Name: "rancher-summary",
	Doc:  "summary.txt of Rancher's log collector: the node, and when its files were taken.",
	Sniff: func(f *File) bool {
		lines := f.firstLines(1)
		return len(lines) > 0 && strings.HasPrefix(lines[0], "Rancher ") && strings.HasSuffix(strings.TrimSpace(lines[0]), " Logs Collector Summary")
	},
	Parse: parseRancherSummary,
}

// parseRancherSummary reads the heads, up to the first section; what follows
// is copied from other files.
func parseRancherSummary(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		b.Input.Records++
		key, value, _ := strings.Cut(l.text, ":")
		switch value = strings.TrimSpace(value); {
		case key == "Generated":
			if d, ok := dateLine(value); ok && !d.wall {
				b.Input.CapturedAt = d.time
			}
		case key == "Hostname" && isDNSName(value):
			b.Host(value)
		case strings.HasPrefix(l.text, "--"):
			return nil
		}
	}
	return nil
}
