package report

import (
	"cmp"
	"io"
	"slices"
	"strconv"

	"podautopsy/analyzer"
)

type lokiPush struct {
	Streams []*lokiStream `json:"streams"`
}

type lokiStream struct {
	Labels lokiLabels `json:"stream"`
	Values [][3]any   `json:"values"`
}

// lokiLabels index streams: few values each, so no pods and no UIDs.
type lokiLabels struct {
	Job       string `json:"job"`
	Incident  string `json:"incident"`
	Component string `json:"component"`
	Node      string `json:"node,omitempty"`
}

// TimelineLoki writes the body of one request to Loki's push API. What varies
// is structured metadata.
func TimelineLoki(w io.Writer, doc *analyzer.Document, opt Options) error {
	streams := map[lokiLabels]*lokiStream{}
	push := lokiPush{Streams: []*lokiStream{}}
	for _, e := range newView(doc, opt).events() {
		labels := lokiLabels{Job: "podautopsy", Incident: e.Report, Component: e.Component, Node: e.Node}
		s := streams[labels]
		if s == nil {
			s = &lokiStream{Labels: labels}
			streams[labels] = s
			push.Streams = append(push.Streams, s)
		}
		s.Values = append(s.Values, [3]any{strconv.FormatInt(e.Nanos, 10), e.Message, e.metadata()})
	}
	slices.SortFunc(push.Streams, func(a, b *lokiStream) int {
		return cmp.Or(cmp.Compare(a.Labels.Node, b.Labels.Node), cmp.Compare(a.Labels.Component, b.Labels.Component))
	})
	return jsonLines(w, []lokiPush{push})
}

// metadata is strings under plain names, as Loki wants them.
func (e *event) metadata() map[string]string {
	out := map[string]string{
		"level": e.Severity, "kind": e.Kind, "evidence_id": e.ID, "uid": e.UID, "inferred": strconv.FormatBool(e.Inferred),
	}
	set := func(key, value string) {
		if value != "" {
			out[key] = value
		}
	}
	if o := e.Pod; o != nil {
		set("namespace", o.Namespace)
		set("pod", o.Name)
		set("pod_uid", o.UID)
	} else if o := e.Object; o != nil {
		set("namespace", o.Namespace)
		set("object_kind", o.Kind)
		set("object", o.Name)
		set("object_uid", o.UID)
	}
	if len(e.Findings) > 0 {
		set("finding", e.Findings[0])
	}
	if e.SinceT0 != nil {
		set("t_rel_s", decimal(*e.SinceT0))
	}
	if s := e.Source; s != nil {
		set("source_path", s.Path)
		if s.Line != nil {
			set("source_line", strconv.Itoa(*s.Line))
		}
	}
	set("original", e.Original)
	return out
}
