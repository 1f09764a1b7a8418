package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"podautopsy/analyzer"
)

type chromeTrace struct {
	Unit     string            `json:"displayTimeUnit"`
	Metadata map[string]string `json:"metadata"`
	Events   []chromeEvent     `json:"traceEvents"`
}

type chromeEvent struct {
	Name     string         `json:"name"`
	Phase    string         `json:"ph"`
	Category string         `json:"cat,omitempty"`
	Micros   int64          `json:"ts"` // since the origin
	Duration int64          `json:"dur,omitempty"`
	Process  int            `json:"pid"`
	Thread   int            `json:"tid"`
	ID       string         `json:"id,omitempty"`
	Scope    string         `json:"s,omitempty"`
	Bind     string         `json:"bind_id,omitempty"`
	FlowIn   bool           `json:"flow_in,omitempty"`
	FlowOut  bool           `json:"flow_out,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
}

// chrome lays a report out as Perfetto shows traces: a process for the cluster
// and for each node, a thread for each lane.
type chrome struct {
	*view
	origin    time.Time
	processes map[string]int
	threads   map[[2]int]bool
	out       []chromeEvent
	spans     int
}

// TimelineChromeTrace writes a Chrome trace for Perfetto.
func TimelineChromeTrace(w io.Writer, doc *analyzer.Document, opt Options) error {
	c := &chrome{view: newView(doc, opt), processes: map[string]int{}, threads: map[[2]int]bool{}}
	events := c.events()
	c.begin(events)
	c.place("", laneAPI)
	c.deletions(events)
	arrows := c.chains(events)
	for i, e := range events {
		c.instant(e, arrows[i])
	}
	trace := chromeTrace{Unit: "ms", Metadata: map[string]string{"report": printable(doc.ReportID), "origin": stamp(c.origin)}, Events: c.out}
	for _, s := range c.ranked {
		if s.Anchor != nil {
			trace.Metadata["T0"] = stamp(s.Anchor.Time)
			break
		}
	}
	if trace.Events == nil {
		trace.Events = []chromeEvent{}
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(trace); err != nil {
		return fmt.Errorf("encoding the timeline: %w", err)
	}
	if err := writeEscaped(w, buf.Bytes()); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

// begin finds the origin: nothing that is drawn lies before it.
func (c *chrome) begin(events []*event) {
	earliest := func(t *time.Time) {
		if t != nil && (c.origin.IsZero() || t.Before(c.origin)) {
			c.origin = *t
		}
	}
	for _, e := range events {
		earliest(&e.at)
		if from, _, ok := e.repeated(); ok {
			earliest(&from)
		}
	}
	if len(events) == 0 {
		return
	}
	for _, s := range c.ranked {
		if d := s.Deletion; d != nil && s.Anchor != nil {
			earliest(d.RequestedAt)
			earliest(&s.Anchor.Time)
		}
	}
}

func (c *chrome) since(t time.Time) int64 { return t.UnixMicro() - c.origin.UnixMicro() }

// place names the process and thread of a node's lane when they come first.
func (c *chrome) place(node string, l lane) (process, thread int) {
	process, known := c.processes[node]
	if !known {
		process = len(c.processes) + 1
		c.processes[node] = process
		title := "node " + node
		if node == "" {
			title = "cluster"
		}
		c.out = append(c.out, chromeEvent{Name: "process_name", Phase: "M", Process: process, Args: map[string]any{"name": title}})
	}
	thread = int(l) + 1
	if at := [2]int{process, thread}; !c.threads[at] {
		c.threads[at] = true
		c.out = append(c.out, chromeEvent{Name: "thread_name", Phase: "M", Process: process, Thread: thread, Args: map[string]any{"name": l.String()}})
	}
	return process, thread
}

// deletions are intervals from the request to the end of what is known. They
// overlap, so they are asynchronous.
func (c *chrome) deletions(events []*event) {
	if len(events) == 0 {
		return
	}
	end := events[len(events)-1].at
	if at := c.doc.Bundle.CapturedAt; at != nil && at.After(end) {
		end = *at
	}
	for _, s := range c.ranked {
		if s.Anchor == nil {
			continue
		}
		from := s.Anchor.Time
		if d := s.Deletion; d != nil && d.RequestedAt != nil && d.RequestedAt.Before(from) {
			from = *d.RequestedAt
		}
		to := end
		for _, st := range s.Stages {
			if st.ID == "object-gone" && st.State == stateDone && st.At != nil {
				to = *st.At
			}
		}
		process, thread := c.place("", laneAPI)
		args := map[string]any{"outcome": printable(s.Outcome), "confidence": printable(s.Confidence)}
		if s.Cause != nil {
			args["cause"] = printable(*s.Cause)
		}
		c.span("deletion of "+name(s), "deletion", from, to, process, thread, args)
	}
}

// span is an asynchronous interval: a beginning and an end of one id.
func (c *chrome) span(title, category string, from, to time.Time, process, thread int, args map[string]any) {
	if to.Before(from) {
		to = from
	}
	c.spans++
	id := "0x" + strconv.FormatInt(int64(c.spans), 16)
	c.out = append(c.out,
		chromeEvent{Name: title, Phase: "b", Category: category, Micros: c.since(from), Process: process, Thread: thread, ID: id, Args: args},
		chromeEvent{Name: title, Phase: "e", Category: category, Micros: c.since(to), Process: process, Thread: thread, ID: id})
}

// arrow is an event's part in a chain: arrows tie slices, not instants.
type arrow struct {
	bind    string
	in, out bool
}

// instant draws an event, and the time over which its line was repeated.
func (c *chrome) instant(e *event, a *arrow) {
	process, thread := c.place(e.Node, e.lane())
	args := map[string]any{"utc": e.Time, "evidence": e.ID, "kind": e.Kind, "component": e.Component}
	if e.Original != "" {
		args["line"] = e.Original
	}
	if s := e.Source; s != nil {
		args["source"] = s.Path
		if s.Line != nil {
			args["source"] = s.Path + ":" + strconv.Itoa(*s.Line)
		}
	}
	if len(e.Subjects) > 0 {
		args["subject"] = e.Subjects[0]
	}
	if len(e.Findings) > 0 {
		args["finding"] = e.Findings[0]
	}
	if e.Inferred {
		args["inferred"] = true
	}
	at := chromeEvent{Name: e.Message, Phase: "i", Category: e.Severity, Micros: c.since(e.at), Process: process, Thread: thread, Scope: "t", Args: args}
	if a != nil {
		at.Phase, at.Scope, at.Duration = "X", "", 1
		at.Bind, at.FlowIn, at.FlowOut = a.bind, a.in, a.out
	}
	c.out = append(c.out, at)
	if from, to, ok := e.repeated(); ok && e.at.Equal(from) {
		c.span(fmt.Sprintf("%s (%d×)", e.Message, e.Repeat.Count), "repeated", from, to, process, thread, map[string]any{"evidence": e.ID})
	}
}

func (e *event) lane() lane { return laneOf(e.Component, &e.Kind) }

// repeated is from when until when the line of an event was said, by the clock
// of the timeline.
func (e *event) repeated() (from, to time.Time, ok bool) {
	if e.Repeat == nil || e.cites.FirstTime == nil || e.cites.LastTime == nil {
		return time.Time{}, time.Time{}, false
	}
	ahead := time.Duration(e.SkewNanos)
	from, to = e.cites.FirstTime.Add(-ahead), e.cites.LastTime.Add(-ahead)
	return from, to, to.After(from)
}

// chains follow the proof of each verdict through the lanes, in time: where
// the root cause shows, then what follows from it.
func (c *chrome) chains(events []*event) map[int]*arrow {
	out := map[int]*arrow{}
	for n, s := range c.ranked {
		var chain []int
		for _, role := range []string{analyzer.RoleRoot, analyzer.RoleConsequence} {
			for i, e := range events {
				proves := e.cites != nil && slices.ContainsFunc(causesOf(s, role), func(v *analyzer.CauseVerdict) bool { return slices.Contains(v.For, e.cites.ID) })
				last := len(chain) - 1
				if !proves || out[i] != nil || slices.Contains(chain, i) ||
					last >= 0 && (i < chain[last] || events[chain[last]].lane() == e.lane()) {
					continue
				}
				chain = append(chain, i)
			}
		}
		if len(chain) < 2 {
			continue
		}
		for k, i := range chain {
			out[i] = &arrow{bind: "0x" + strconv.FormatInt(int64(n+1), 16), in: k > 0, out: k < len(chain)-1}
		}
	}
	return out
}
