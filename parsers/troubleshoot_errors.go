package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"podautopsy/timeline"
)

// troubleshootErrorsParser reads why Troubleshoot could not get something.
var troubleshootErrorsParser = Parser{
	Name:  "troubleshoot-errors",
	Doc:   "Troubleshoot's KIND-errors.json, CONTAINER-logs-errors.log and collector-errors: the namespaces whose objects and the containers whose logs it could not get, the collectors that failed, and why.",
	Sniff: sniffTroubleshootErrors,
	Parse: parseTroubleshootErrors,
}

func sniffTroubleshootErrors(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	name := f.base()
	switch {
	case strings.HasSuffix(name, "-logs-errors.log"), name == "error.txt":
		return strings.HasPrefix(f.Text, "failed to ")
	case strings.HasPrefix(head, `{"collector"`):
		keys := topKeys(head)
		return keys["collector"] && keys["error"]
	case !strings.HasSuffix(name, "-errors.json") && name != "errors.json" && !strings.Contains(f.Path, "-errors/"):
		return false
	}
	if list, ok := strings.CutPrefix(head, "["); ok {
		return strings.HasPrefix(strings.TrimLeft(list, " \t\r\n"), `"`)
	}
	for m := range jsonMembers(head) {
		return strings.HasPrefix(head[m.from:m.to], `"`)
	}
	return false
}

func parseTroubleshootErrors(f *File, b *timeline.Builder) error {
	name := f.base()
	if strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".txt") {
		for l := range f.lines() {
			if strings.TrimSpace(l.text) != "" {
				notGot(f, b, l, "", l.text)
			}
		}
		return nil
	}
	what := strings.TrimSuffix(strings.TrimSuffix(name, ".json"), "-errors")
	if what == "errors" || strings.Contains(f.Path, "-errors/") { // helm/errors.json, secrets-errors/default/db.json
		what = path.Base(path.Dir(f.Path))
		if _, of, ok := strings.Cut(f.Path, "-errors/"); ok {
			what = strings.TrimSuffix(of, ".json")
		}
	}
	if kind := kindOfResource(what); kind != "" {
		what = "listing " + what
	} else {
		what = "getting " + what
	}
	lines := newLineFinder(f)
	text := f.Text
	start := skipBlank(text, 0)
	switch {
	case strings.HasPrefix(text[start:], `{"collector"`):
		var failed struct{ Collector, Error string }
		if err := json.Unmarshal([]byte(text), &failed); err != nil {
			return fmt.Errorf("why a collector failed: %w", err)
		}
		notGot(f, b, lines.at(start), "the collector "+failed.Collector+": ", failed.Error)
	case strings.HasPrefix(text[start:], "{"): // by namespace
		for m := range jsonMembers(text[start:]) {
			at := lines.at(start + m.at)
			where := unquoteJSON(text[start+m.at : start+m.keyEnd])
			if why := unquoteJSON(text[start+m.from : start+m.to]); why != "" {
				notGot(f, b, at, what+" in "+where+": ", why)
			}
		}
	case strings.HasPrefix(text[start:], "["):
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
