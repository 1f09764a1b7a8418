package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"

	"podautopsy/analyzer"
)

// csvColumns begin with what Timesketch demands. New ones go to the end.
var csvColumns = []string{
	"datetime", "timestamp", "timestamp_desc", "message", "component", "node", "subject", "t_rel_s", "inferred", "evidence_id",
	"source_path", "source_line", "clock_ahead_s", "kind", "severity", "namespace", "pod", "pod_uid", "source_offset",
}

// TimelineCSV writes the events in the window as RFC 4180 rows.
func TimelineCSV(w io.Writer, doc *analyzer.Document, opt Options) error {
	out := csv.NewWriter(w)
	out.Write(csvColumns)
	for _, e := range newView(doc, opt).events() {
		out.Write(e.csv())
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

func (e *event) csv() []string {
	var subject, evidence, sinceT0, ahead, path, line, offset string
	var pod eventObject
	if len(e.Subjects) > 0 {
		subject = e.Subjects[0]
	}
	if e.SinceT0 != nil {
		sinceT0 = decimal(*e.SinceT0)
	}
	if e.SkewNanos != 0 {
		ahead = decimal(e.SkewNanos)
	}
	if e.Pod != nil {
		pod = *e.Pod
	}
	if s := e.Source; s != nil {
		evidence, path = e.ID, s.Path
		if s.Line != nil {
			line = strconv.Itoa(*s.Line)
		}
		if s.Offset != nil {
			offset = strconv.FormatInt(*s.Offset, 10)
		}
	}
	text := notFormula
	return []string{
		micros(e.at), strconv.FormatInt(e.at.UnixMicro(), 10), "Log time", text(e.Message), text(e.Component), text(e.Node), text(subject),
		sinceT0, strconv.FormatBool(e.Inferred), text(evidence), text(path), line, ahead, text(e.Kind), e.Severity,
		text(pod.Namespace), text(pod.Name), text(pod.UID), offset,
	}
}

// decimal is nanoseconds as seconds.
func decimal(nanos int64) string {
	return strconv.FormatFloat(float64(nanos)/1e9, 'f', -1, 64)
}

// notFormula keeps a spreadsheet from running what a log line says. It takes
// the full-width forms of the signs for the signs, and looks behind blanks.
func notFormula(s string) string {
	if t := strings.TrimLeft(s, " \u00a0\u3000"); t != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(t)[0]) {
		return "'" + s
	}
	return s
}
