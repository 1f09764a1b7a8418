package main

import (
	"fmt"
	"strings"

	"podautopsy/analyzer"
)

// explainSignature is a page on one signature.
func explainSignature(s *analyzer.Signature, causes []*analyzer.Cause) string {
	var b strings.Builder
	b.WriteString(s.ID + "\n\n" + wrapped("", s.Meaning) + "\n")
	says := fmt.Sprintf("A %s %s", s.Strength, s.Polarity)
	if len(s.Stage) > 0 {
		says += " of " + strings.Join(s.Stage, ", ")
	}
	whose := strings.Join(s.Component, ", ")
	if whose == "" {
		whose = "anybody"
	}
	says += ", written by " + whose
	b.WriteString(wrapped("", says+"."))
	if len(s.Suggests) > 0 {
		b.WriteString(wrapped("", "Suggests: "+strings.Join(s.Suggests, ", ")))
	}
	known := "read from source code or a report"
	switch {
	case s.Own:
		known = "a signature of your own"
	case s.Proven:
		known = "seen in a real capture"
	}
	if s.Source != "" {
		known += " (" + s.Source + ")"
	}
	if !s.Proven {
		known += "; unproven, so no verdict is sure by it alone"
	}
	b.WriteString(wrapped("", "Known from: "+known))
	if s.Versions != "" {
		b.WriteString(wrapped("", "Versions: "+s.Versions))
	}
	part := func(title, text string) {
		if text != "" {
			b.WriteString("\n" + title + "\n" + wrapped("  ", text))
		}
	}
	part("How it misleads", s.Trap)
	part("What to do", s.Remedy)

	var uses []string
	for _, k := range causes {
		if how := k.Uses(s); len(how) > 0 {
			uses = append(uses, k.ID+": "+strings.Join(how, ", "))
		}
	}
	if len(uses) > 0 {
		b.WriteString("\nCauses that ask for it\n")
		for _, u := range uses {
			b.WriteString(item("  - ", u))
		}
	}
	// What follows is to be copied: no line is wrapped.
	lines := func(title string, texts ...string) {
		if len(texts) > 0 {
			b.WriteString("\n" + title + "\n")
		}
		for _, t := range texts {
			b.WriteString("  " + strings.ReplaceAll(strings.TrimRight(t, "\n"), "\n", "\n  ") + "\n")
		}
	}
	lines("Pattern", s.Pattern)
	lines("Looked for only in lines that hold one of", s.Literals...)
	lines("Fits", s.Yes...)
	lines("Does not fit", s.No...)
	return b.String()
}
