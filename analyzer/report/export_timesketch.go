package report

import (
	"io"

	"podautopsy/analyzer"
)

// timesketchEvent is a line that Timesketch imports: message, datetime and
// timestamp_desc are demanded, the others become attributes of the event.
type timesketchEvent struct {
	Message       string   `json:"message"`
	Datetime      string   `json:"datetime"`
	Timestamp     int64    `json:"timestamp"` // microseconds
	TimestampDesc string   `json:"timestamp_desc"`
	DataType      string   `json:"data_type"`
	Tag           []string `json:"tag"`
	Component     string   `json:"component"`
	Kind          string   `json:"kind"`
	Severity      string   `json:"severity"`
	Node          string   `json:"node,omitempty"`
	Namespace     string   `json:"k8s_namespace,omitempty"`
	Pod           string   `json:"k8s_pod,omitempty"`
	PodUID        string   `json:"k8s_pod_uid,omitempty"`
	Subject       string   `json:"subject,omitempty"`
	SinceT0       *float64 `json:"t_rel_s,omitempty"`
	Inferred      bool     `json:"inferred"`
	EvidenceID    string   `json:"evidence_id"`
	Finding       string   `json:"finding,omitempty"`
	SourcePath    string   `json:"source_path,omitempty"`
	SourceLine    *int     `json:"source_line,omitempty"`
	SourceOffset  *int64   `json:"source_offset,omitempty"`
	Original      string   `json:"original,omitempty"`
	Report        string   `json:"report"`
}

// TimelineTimesketch writes JSON lines for Timesketch, which wants the file's
// name to end in .jsonl.
func TimelineTimesketch(w io.Writer, doc *analyzer.Document, opt Options) error {
	var out []timesketchEvent
	for _, e := range newView(doc, opt).events() {
		t := timesketchEvent{
			Message: e.Message, Datetime: micros(e.at), Timestamp: e.at.UnixMicro(), TimestampDesc: "Log time",
			DataType: "podautopsy:" + e.Component + ":line", Tag: e.Findings,
			Component: e.Component, Kind: e.Kind, Severity: e.Severity, Node: e.Node,
			Inferred: e.Inferred, EvidenceID: e.ID, Original: e.Original, Report: e.Report,
		}
		if e.Message == "" {
			t.Message = e.Kind // it must say something
		}
		if e.Inferred {
			t.DataType, t.TimestampDesc = "podautopsy:inferred", "Worked out"
		}
		if e.Pod != nil {
			t.Namespace, t.Pod, t.PodUID = e.Pod.Namespace, e.Pod.Name, e.Pod.UID
		}
		if len(e.Subjects) > 0 {
			t.Subject = e.Subjects[0]
		}
		if e.SinceT0 != nil {
			s := float64(*e.SinceT0) / 1e9
			t.SinceT0 = &s
		}
		if len(e.Findings) > 0 {
			t.Finding = e.Findings[0]
			t.Tag = append([]string{"evidence"}, e.Findings...)
		}
		if s := e.Source; s != nil {
			t.SourcePath, t.SourceLine, t.SourceOffset = s.Path, s.Line, s.Offset
		}
		out = append(out, t)
	}
	return jsonLines(w, out)
}
