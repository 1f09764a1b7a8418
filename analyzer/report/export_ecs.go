package report

import (
	"io"

	"podautopsy/analyzer"
)

// ecsVersion is the release of the Elastic Common Schema whose fields these are.
const ecsVersion = "9.4.0"

type ecsEvent struct {
	Timestamp    string           `json:"@timestamp"`
	ECS          ecsRelease       `json:"ecs"`
	Message      string           `json:"message"`
	Event        ecsDetail        `json:"event"`
	Log          ecsLog           `json:"log"`
	Host         *ecsName         `json:"host,omitempty"`
	Orchestrator *ecsOrchestrator `json:"orchestrator,omitempty"`
	Labels       ecsLabels        `json:"labels"`
	Tags         []string         `json:"tags"`
}

type ecsRelease struct {
	Version string `json:"version"`
}

type ecsName struct {
	Name string `json:"name"`
}

type ecsDetail struct {
	ID       string   `json:"id"`
	Kind     string   `json:"kind"`
	Category []string `json:"category"`
	Type     []string `json:"type"`
	Action   string   `json:"action"`
	Module   string   `json:"module"`
	Dataset  string   `json:"dataset"`
	Original string   `json:"original,omitempty"`
	Severity int      `json:"severity"`
	Sequence int      `json:"sequence"`
	Created  string   `json:"created,omitempty"`
}

type ecsLog struct {
	Level  string   `json:"level"`
	Logger string   `json:"logger"`
	File   *ecsFile `json:"file,omitempty"`
}

type ecsFile struct {
	Path string `json:"path"`
}

type ecsOrchestrator struct {
	Type      string      `json:"type"`
	Namespace string      `json:"namespace,omitempty"`
	Resource  ecsResource `json:"resource"`
}

type ecsResource struct {
	Type string `json:"type"`
	Name string `json:"name,omitempty"`
	ID   string `json:"id,omitempty"`
}

// ecsLabels are keywords: what ECS has no field for.
type ecsLabels struct {
	Report     string `json:"report"`
	EvidenceID string `json:"evidence_id"`
	Finding    string `json:"finding,omitempty"`
	SinceT0    string `json:"t_rel_s,omitempty"`
	Inferred   string `json:"inferred"`
}

// TimelineECS writes newline-delimited JSON in the Elastic Common Schema.
func TimelineECS(w io.Writer, doc *analyzer.Document, opt Options) error {
	var out []ecsEvent
	for i, e := range newView(doc, opt).events() {
		out = append(out, e.ecs(i+1, doc))
	}
	return jsonLines(w, out)
}

func (e *event) ecs(sequence int, doc *analyzer.Document) ecsEvent {
	out := ecsEvent{
		Timestamp: e.Time, ECS: ecsRelease{ecsVersion}, Message: e.Message,
		Event: ecsDetail{
			ID: e.UID, Kind: "event", Category: []string{ecsCategory(e)}, Type: []string{"info"}, Action: e.Kind,
			Module: "podautopsy", Dataset: "podautopsy.timeline", Original: e.Original, Severity: otlpSeverity(e.Severity), Sequence: sequence,
		},
		Log:    ecsLog{Level: e.Severity, Logger: e.Component},
		Labels: ecsLabels{Report: e.Report, EvidenceID: e.ID, Inferred: "false"},
		Tags:   append([]string{"podautopsy"}, e.Findings...),
	}
	if e.Severity == severityError {
		out.Event.Type = []string{"error"}
	}
	if doc.Bundle.CapturedAt != nil {
		out.Event.Created = stamp(*doc.Bundle.CapturedAt)
	}
	if e.Source != nil {
		out.Log.File = &ecsFile{e.Source.Path}
	}
	if e.Node != "" {
		out.Host = &ecsName{e.Node}
	}
	if o := e.object(); o != nil {
		kind := "pod"
		if o.Kind != "" {
			kind = o.Kind
		}
		out.Orchestrator = &ecsOrchestrator{Type: "kubernetes", Namespace: o.Namespace, Resource: ecsResource{Type: kind, Name: o.Name, ID: o.UID}}
	}
	if len(e.Findings) > 0 {
		out.Labels.Finding = e.Findings[0]
	}
	if e.SinceT0 != nil {
		out.Labels.SinceT0 = decimal(*e.SinceT0)
	}
	if e.Inferred {
		out.Labels.Inferred = "true"
	}
	return out
}

// ecsCategory is the allowed value that comes nearest.
func ecsCategory(e *event) string {
	switch l := e.lane(); {
	case l == laneCNI:
		return "network"
	case l >= laneStorage:
		return "host"
	}
	return "process"
}
