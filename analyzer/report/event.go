package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// eventSchema is the version of the exported event. Fields may be added within
// v1, never renamed, and a field keeps its type, so that engines that guess
// columns from the first lines guess right.
const eventSchema = "podautopsy.event/v1"

// event is a moment of the timeline as every export tells it: with what it
// cites, so that it stands alone among those of thousands of incidents.
type event struct {
	Schema string `json:"schema"`
	Report string `json:"report"`
	// ID names the evidence within the report, UID the place in the input: that
	// is the same in every report on it.
	ID  string `json:"id"`
	UID string `json:"uid"`

	Time       string `json:"ts"`
	Nanos      int64  `json:"ts_ns"`
	RawTime    string `json:"ts_raw"`
	Resolution string `json:"ts_resolution"`
	Zone       string `json:"ts_zone,omitempty"`
	SkewNanos  int64  `json:"skew_ns"`
	SinceT0    *int64 `json:"t_rel_ns,omitempty"`

	Component string       `json:"component"`
	Kind      string       `json:"kind"`
	Severity  string       `json:"severity"`
	Message   string       `json:"message"`
	Original  string       `json:"original,omitempty"`
	Masked    bool         `json:"message_masked"`
	Repeat    *eventRepeat `json:"repeat,omitempty"`

	Node     string       `json:"node,omitempty"`
	Pod      *eventObject `json:"pod,omitempty"`
	Object   *eventObject `json:"object,omitempty"`
	Subjects []string     `json:"subjects"`
	Source   *eventSource `json:"source,omitempty"`

	Relevance int      `json:"relevance"`
	Findings  []string `json:"findings"`
	Inferred  bool     `json:"inferred"`

	at      time.Time
	subject *analyzer.Subject // whose T0 it counts from
	cites   *analyzer.Evidence
}

// eventRepeat counts a line that was said again and again; its times are put
// right as the event's is.
type eventRepeat struct {
	Count int    `json:"count"`
	First string `json:"first,omitempty"`
	Last  string `json:"last,omitempty"`
}

type eventObject struct {
	Kind      string `json:"kind,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	UID       string `json:"uid,omitempty"`
}

type eventSource struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"` // of the file, or of the archive that it is in
	Line   *int   `json:"line,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Severities of an event: what it means for the verdict, not how loud the
// program said it.
const (
	severityInfo    = "info"
	severityWarning = "warning"
	severityError   = "error"
)

// events is the moments in the window that have a time, in its order.
func (v *view) events() []*event {
	inputs := make(map[string]*analyzer.Input, len(v.doc.Bundle.Inputs))
	for i := range v.doc.Bundle.Inputs {
		inputs[v.doc.Bundle.Inputs[i].Path] = &v.doc.Bundle.Inputs[i]
	}
	weights := weigh(v.ranked)
	var out []*event
	for i, m := range v.moments() {
		if m.Time != nil {
			out = append(out, v.event(i, &m, inputs, weights))
		}
	}
	slices.SortStableFunc(out, func(a, b *event) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.path(), b.path()), cmp.Compare(a.offset(), b.offset()))
	})
	return out
}

func (v *view) event(i int, m *analyzer.Moment, inputs map[string]*analyzer.Input, weights map[string]*weight) *event {
	ahead := bounded(m.ClockAheadSeconds)
	e := &event{
		Schema: eventSchema, Report: printable(v.doc.ReportID), ID: "m" + strconv.Itoa(i+1),
		Time: stamp(*m.Time), Nanos: m.Time.UnixNano(), RawTime: stamp(m.Time.Add(ahead)), SkewNanos: ahead.Nanoseconds(),
		Component: printable(m.Component), Kind: "moment", Severity: severityInfo,
		Message: quote(m.What), Node: printable(value(m.Node)), Subjects: []string{}, Findings: []string{},
		Inferred: m.Inferred, Relevance: relevanceOther, at: *m.Time, cites: v.evidence[value(m.Evidence)],
	}
	if m.Inferred {
		e.Kind, e.Relevance = "inferred", relevanceCited
	}
	v.concern(e, m)
	if e.cites != nil {
		e.cite(inputs[e.cites.File])
		if w := weights[e.cites.ID]; w != nil {
			e.Relevance, e.Severity, e.Findings = w.relevance, w.severity, w.findings
		}
	} else {
		e.Resolution = resolution(0)
	}
	e.UID = e.place()
	return e
}

// concern says whom the moment is about; the first is the one that the report
// puts first.
func (v *view) concern(e *event, m *analyzer.Moment) {
	for _, s := range v.ranked {
		for _, sm := range m.Subjects {
			if sm.ID != s.ID {
				continue
			}
			e.Subjects = append(e.Subjects, name(s))
			if e.subject == nil {
				e.subject = s
				nanos := bounded(sm.SinceT0Seconds).Nanoseconds()
				e.SinceT0 = &nanos
			}
			break
		}
	}
	s := e.subject
	if s == nil {
		return
	}
	o := &eventObject{Namespace: printable(value(s.Namespace)), Name: printable(value(s.Name)), UID: printable(value(s.UID))}
	if s.Kind == "Pod" {
		e.Pod = o
		return
	}
	o.Kind = printable(s.Kind)
	e.Object = o
}

// cite fills in what the evidence tells.
func (e *event) cite(in *analyzer.Input) {
	c := e.cites
	e.ID = printable(c.ID)
	e.Original = quote(c.Text)
	e.Masked = strings.Contains(c.Text, "***HIDDEN***") // Troubleshoot's redactor
	e.Resolution = resolution(c.PrecisionSeconds)
	if s := value(c.Signature); s != "" {
		e.Kind = printable(s)
	}
	e.Source = &eventSource{Path: printable(c.File), Line: c.Line, Offset: c.Offset, Cursor: printable(value(c.Cursor))}
	if in != nil {
		e.Source.SHA256 = printable(in.SHA256)
		if in.FirstTime != nil { // it has times of its own
			e.Zone = printable(in.TimeZone.Known)
		}
	}
	if c.Count > 1 {
		e.Repeat = &eventRepeat{Count: c.Count}
		if c.FirstTime != nil {
			e.Repeat.First = stamp(c.FirstTime.Add(-time.Duration(e.SkewNanos)))
		}
		if c.LastTime != nil {
			e.Repeat.Last = stamp(c.LastTime.Add(-time.Duration(e.SkewNanos)))
		}
	}
}

// place is an id that the same line has in every report on the same input.
func (e *event) place() string {
	h := sha256.New()
	if s := e.Source; s != nil {
		file := s.Path
		if s.SHA256 != "" {
			_, inside, _ := strings.Cut(s.Path, "!") // how the archive is called does not matter
			file = s.SHA256 + "!" + inside
		}
		fmt.Fprintf(h, "%s\x00%s\x00%d\x00%s\x00", file, s.Cursor, e.offset(), e.Kind)
	} else {
		fmt.Fprintf(h, "%s\x00%s\x00%s\x00", e.Time, e.Message, strings.Join(e.Subjects, "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

func (e *event) path() string {
	if e.Source == nil {
		return ""
	}
	return e.Source.Path
}

// offset is where in its file the event stands: the byte, else the line.
func (e *event) offset() int64 {
	switch {
	case e.Source == nil:
		return 0
	case e.Source.Offset != nil:
		return *e.Source.Offset
	case e.Source.Line != nil:
		return int64(*e.Source.Line)
	}
	return 0
}

// object is whom the event is about, of whatever kind.
func (e *event) object() *eventObject {
	if e.Pod != nil {
		return e.Pod
	}
	return e.Object
}

// stamp has all nine digits, so that stamps sort as strings.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000000Z") }

// micros is the form that engines take which know no nanoseconds.
func micros(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000+00:00") }

// resolution is the unit of a clock of that precision.
func resolution(seconds float64) string {
	switch {
	case seconds >= 1:
		return "s"
	case seconds >= 1e-3:
		return "ms"
	case seconds >= 1e-6:
		return "us"
	}
	return "ns"
}

// Relevance, by what the report uses an event for.
const (
	relevanceRoot        = 100
	relevanceBlocking    = 90
	relevanceStage       = 80
	relevanceConsequence = 70
	relevanceCited       = 60
	relevanceOther       = 20
)

// weight is what a piece of evidence means for the verdicts.
type weight struct {
	relevance int
	severity  string
	findings  []string
}

// weigh says of every piece of evidence what the verdicts on the subjects use
// it for.
func weigh(subjects []*analyzer.Subject) map[string]*weight {
	out := map[string]*weight{}
	use := func(ids []string, relevance int, severity, finding string) {
		for _, id := range ids {
			w := out[id]
			if w == nil {
				w = &weight{severity: severityInfo, findings: []string{}}
				out[id] = w
			}
			if relevance > w.relevance {
				w.relevance, w.severity = relevance, severity
			}
			if finding != "" && !slices.Contains(w.findings, finding) {
				w.findings = append(w.findings, finding)
			}
		}
	}
	for _, s := range subjects {
		worst := severityInfo
		if s.Outcome == analyzer.Stuck || s.Outcome == analyzer.Residue {
			worst = severityError
		}
		use(s.Evidence, relevanceCited, severityInfo, "")
		for _, c := range s.Causes {
			switch id := printable(c.ID); c.Role {
			case analyzer.RoleRoot:
				use(c.For, relevanceRoot, worst, id)
			case analyzer.RoleBlocking:
				use(c.For, relevanceBlocking, worst, id)
			case analyzer.RoleConsequence:
				use(c.For, relevanceConsequence, severityWarning, id)
			}
		}
		for _, st := range s.Stages {
			if st.State == stateFailed {
				use(st.Evidence, relevanceStage, severityWarning, "")
			}
		}
		for _, r := range s.Residue {
			if r.State == "left" {
				use(r.Evidence, relevanceConsequence, severityWarning, "")
			}
		}
	}
	for _, w := range out {
		slices.Sort(w.findings)
	}
	return out
}

// jsonLines writes values as newline-delimited JSON.
func jsonLines[T any](w io.Writer, values []T) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	for _, v := range values {
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("encoding the timeline: %w", err)
		}
	}
	if err := writeEscaped(w, buf.Bytes()); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}
