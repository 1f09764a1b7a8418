package parsers

import (
	"encoding/json"
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// insightsMetadataParser reads what insights-client notes of each thing that it
// collected.
var insightsMetadataParser = Parser{
	Name:  "insights-metadata",
	Doc:   "meta_data/insights.specs.Specs.NAME.json of an Insights archive: the command behind a file, and why there is none.",
	Sniff: sniffInsightsMetadata,
	Parse: parseInsightsMetadata,
}

func sniffInsightsMetadata(f *File) bool {
	head := strings.TrimLeft(prefix(f.head(), 1<<10), " \t\r\n")
	return strings.HasPrefix(head, "{") && strings.Contains(head, `"insights.specs.`) && topKeys(head)["name"]
}

// insightsSpec is one note. Results are one object or a list of them.
type insightsSpec struct {
	Name    string          `json:"name"`
	Errors  json.RawMessage `json:"errors"`
	Results json.RawMessage `json:"results"`
}

type insightsResult struct {
	Object struct {
		ReturnCode *int   `json:"rc"` // null where the client does not ask for it
		Command    string `json:"cmd"`
		Path       string `json:"relative_path"`
	} `json:"object"`
}

func parseInsightsMetadata(f *File, b *timeline.Builder) error {
	var spec insightsSpec
	if err := json.Unmarshal([]byte(f.Text), &spec); err != nil {
		return fmt.Errorf("reading the note: %w", err)
	}
	b.Input.Records++
	lines := newLineFinder(f)
	root, _, ok := cutLast(f.Path, "meta_data/")
	if !ok {
		root = ""
	}
	place := func(word string) line { return lines.at(max(strings.Index(f.Text, word), 0)) }
	for _, result := range oneOrMany[insightsResult](spec.Results) {
		o := result.Object
		if o.Path == "" {
			continue
		}
		l := place(`"relative_path"`)
		note := timeline.Collected{Path: root + "data/" + memberPath(o.Path), Command: oneSpace(o.Command), Source: b.Src(l.number, l.offset)}
		if o.ReturnCode != nil && *o.ReturnCode > 0 && sosEvidence(o.Command) {
			note.ExitStatus = *o.ReturnCode
			note.TimedOut = note.ExitStatus == timedOutStatus
			note.Failed = !answersWithStatus(o.Command, note.ExitStatus)
		}
		b.Collected = append(b.Collected, note)
	}
	for _, trace := range oneOrMany[string](spec.Errors) {
		// A traceback ends with the error itself. What is not installed or not
		// running is no loss.
		trace = strings.TrimSpace(trace)
		why := trace[strings.LastIndexByte(trace, '\n')+1:]
		if strings.Contains(why, "CalledProcessError") || strings.Contains(why, "imeout") {
			l := place(`"errors"`)
			b.Gap(timeline.GapCommandFailed, l.number, fmt.Sprintf("%s was not collected: %s", spec.Name, prefix(why, maxExcerpt)))
		}
	}
	return nil
}

// oneOrMany decodes a value or a list of values; what is neither is none.
func oneOrMany[T any](raw json.RawMessage) []T {
	var many []T
	if json.Unmarshal(raw, &many) == nil {
		return many
	}
	var one T
	if json.Unmarshal(raw, &one) == nil {
		return []T{one}
	}
	return nil
}
