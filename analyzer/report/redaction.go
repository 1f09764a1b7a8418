package report

import "podautopsy/analyzer"

// redacted tells that names in a report are not the real ones; "" where they
// are.
func redacted(doc *analyzer.Document) string {
	r := doc.Redaction
	if r == nil {
		return ""
	}
	text := "redacted (" + clip(r.Profile, 40) + "): names, addresses and ids are tokens, those of the "
	if r.LearntFrom == "bundle" {
		text += "redacted bundle"
	} else {
		text += "report alone"
	}
	if r.Profile == "strict" {
		text += "; cited lines end with the error that they are known by"
	}
	return text
}
