package report

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"

	"podautopsy/analyzer"
)

// The OTLP/JSON encoding: 64-bit integers are strings, enums are numbers.
type (
	otlpLogs struct {
		ResourceLogs []otlpResourceLogs `json:"resourceLogs"`
	}
	otlpResourceLogs struct {
		Resource  otlpResource    `json:"resource"`
		ScopeLogs []otlpScopeLogs `json:"scopeLogs"`
	}
	otlpResource struct {
		Attributes []otlpAttribute `json:"attributes"`
	}
	otlpScopeLogs struct {
		Scope      otlpScope    `json:"scope"`
		LogRecords []otlpRecord `json:"logRecords"`
	}
	otlpScope struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}
	otlpRecord struct {
		Time       string          `json:"timeUnixNano"`
		Observed   string          `json:"observedTimeUnixNano"`
		Severity   int             `json:"severityNumber"`
		Level      string          `json:"severityText"`
		EventName  string          `json:"eventName"`
		Body       otlpValue       `json:"body"`
		Attributes []otlpAttribute `json:"attributes"`
		TraceID    string          `json:"traceId,omitempty"`
	}
	otlpAttribute struct {
		Key   string    `json:"key"`
		Value otlpValue `json:"value"`
	}
	otlpValue struct {
		String *string `json:"stringValue,omitempty"`
		Int    *string `json:"intValue,omitempty"`
		Bool   *bool   `json:"boolValue,omitempty"`
	}
)

// TimelineOTLP writes one LogsData per line, as the collector's file receiver
// reads them. One event each: it cuts lines that are longer than a MiB.
func TimelineOTLP(w io.Writer, doc *analyzer.Document, opt Options) error {
	var out []otlpLogs
	for _, e := range newView(doc, opt).events() {
		out = append(out, e.otlp(doc))
	}
	return jsonLines(w, out)
}

func (e *event) otlp(doc *analyzer.Document) otlpLogs {
	resource := otlpStrings(nil, "service.name", "podautopsy", "k8s.node.name", e.Node, "host.name", e.Node)
	attributes := otlpStrings(nil, "podautopsy.report", e.Report, "podautopsy.evidence_id", e.ID, "podautopsy.component", e.Component)
	if o := e.Pod; o != nil {
		attributes = otlpStrings(attributes, "k8s.namespace.name", o.Namespace, "k8s.pod.name", o.Name, "k8s.pod.uid", o.UID)
	} else if o := e.Object; o != nil {
		attributes = otlpStrings(attributes, "k8s.namespace.name", o.Namespace, "podautopsy.object.kind", o.Kind, "podautopsy.object.name", o.Name, "podautopsy.object.uid", o.UID)
	}
	if s := e.Source; s != nil {
		attributes = otlpStrings(attributes, "log.file.path", s.Path)
		if s.Line != nil {
			attributes = append(attributes, otlpInt("podautopsy.source.line", int64(*s.Line)))
		}
	}
	attributes = otlpStrings(attributes, "log.record.original", e.Original)
	if len(e.Findings) > 0 {
		attributes = otlpStrings(attributes, "podautopsy.finding", e.Findings[0])
	}
	if e.SinceT0 != nil {
		attributes = append(attributes, otlpInt("podautopsy.t_rel_ns", *e.SinceT0))
	}
	attributes = append(attributes, otlpAttribute{"podautopsy.inferred", otlpValue{Bool: &e.Inferred}})
	observed := e.Nanos
	if doc.Bundle.CapturedAt != nil {
		observed = doc.Bundle.CapturedAt.UnixNano()
	}
	return otlpLogs{[]otlpResourceLogs{{
		Resource: otlpResource{resource},
		ScopeLogs: []otlpScopeLogs{{
			Scope: otlpScope{printable(doc.Tool.Name), printable(doc.Tool.Version)},
			LogRecords: []otlpRecord{{
				Time: strconv.FormatInt(e.Nanos, 10), Observed: strconv.FormatInt(observed, 10),
				Severity: otlpSeverity(e.Severity), Level: e.Severity, EventName: e.Kind, Body: otlpValue{String: &e.Message},
				Attributes: attributes, TraceID: e.trace(),
			}},
		}},
	}}}
}

// trace makes one trace of one deletion: the same in every report on it.
func (e *event) trace() string {
	if e.subject == nil || e.subject.Anchor == nil {
		return ""
	}
	who := value(e.subject.UID)
	if who == "" {
		who = name(e.subject)
	}
	sum := sha256.Sum256([]byte(who + "\x00" + stamp(e.subject.Anchor.Time)))
	return hex.EncodeToString(sum[:16])
}

// otlpStrings appends pairs of key and value, without those that are empty.
func otlpStrings(to []otlpAttribute, pairs ...string) []otlpAttribute {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			to = append(to, otlpAttribute{pairs[i], otlpValue{String: &pairs[i+1]}})
		}
	}
	return to
}

func otlpInt(key string, n int64) otlpAttribute {
	s := strconv.FormatInt(n, 10)
	return otlpAttribute{key, otlpValue{Int: &s}}
}

// otlpSeverity is OpenTelemetry's number, which ECS has none of its own for.
func otlpSeverity(severity string) int {
	switch severity {
	case severityError:
		return 17
	case severityWarning:
		return 13
	}
	return 9
}
