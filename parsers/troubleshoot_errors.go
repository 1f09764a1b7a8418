package parsers

import (
	"errors"
	"strings"

	"podautopsy/timeline"
)

// TroubleshootErrors reads why Troubleshoot could not get something.
var TroubleshootErrors = Parser{
	Name:  "troubleshoot-errors",
	Doc:   "Troubleshoot's KIND-errors.json and CONTAINER-logs-errors.log: the namespaces whose objects and the containers whose logs it could not get, and why.",
	Sniff: sniffTroubleshootErrors,
	Parse: parseTroubleshootErrors,
}

func sniffTroubleshootErrors(f *File) bool {
	switch name := f.base(); {
	case strings.HasSuffix(name, "-logs-errors.log"):
		return strings.HasPrefix(f.Text, "failed to ")
	case strings.HasSuffix(name, "-errors.json"):
		head := strings.TrimLeft(f.head(), " \t\r\n")
		head, list := strings.CutPrefix(head, "[")
		if list {
			return strings.HasPrefix(strings.TrimLeft(head, " \t\r\n"), `"`)
		}
		for m := range jsonMembers(head) {
			return strings.HasPrefix(head[m.from:m.to], `"`)
		}
	}
	return false
}

func parseTroubleshootErrors(f *File, b *timeline.Builder) error {
	name := f.base()
	if strings.HasSuffix(name, ".log") {
		for l := range f.lines() {
			if strings.TrimSpace(l.text) != "" {
				notGot(f, b, l, "", l.text)
			}
		}
		return nil
	}
	what := strings.TrimSuffix(name, "-errors.json")
	if kind := kindOfResource(what); kind != "" {
		what = "listing " + what
	} else {
		what = "getting " + what
	}
	lines := newLineFinder(f)
	text := f.Text
	start := skipBlank(text, 0)
	if strings.HasPrefix(text[start:], "{") { // by namespace
		for m := range jsonMembers(text[start:]) {
			at := lines.at(start + m.at)
			where := unquoteJSON(text[start+m.at : start+m.keyEnd])
			if why := unquoteJSON(text[start+m.from : start+m.to]); why != "" {
				notGot(f, b, at, what+" in "+where+": ", why)
			}
		}
	} else if strings.HasPrefix(text[start:], "[") {
		for at := skipBlank(text, start+1); at < len(text) && text[at] == '"'; {
			end := skipJSON(text, at)
			if end < 0 {
				end = len(text)
			}
			notGot(f, b, lines.at(at), what+": ", unquoteJSON(text[at:end]))
			if at = skipBlank(text, end); at < len(text) && text[at] == ',' {
				at = skipBlank(text, at+1)
			}
		}
	}
	if b.Input.Records == 0 {
		return errors.New("no error in it")
	}
	return nil
}

// notGot notes an answer that the collector did not get. The answer itself is
// evidence: a kubelet that refuses connections does not run.
func notGot(f *File, b *timeline.Builder, l line, what, why string) {
	commandEvent(f, b, l, timeline.LevelError, why)
	b.Gap(timeline.GapCommandFailed, l.number, what+prefix(why, 300))
}
