package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// kubectlEventsParser reads tables of Events.
var kubectlEventsParser = Parser{
	Name:  "kubectl-events",
	Doc:   "kubectl get events and kubectl events as tables, default or wide, with ages or times.",
	Sniff: sniffKubectlEvents,
	Parse: parseKubectlEvents,
}

func sniffKubectlEvents(f *File) bool {
	for _, text := range f.firstLines(12) {
		if g, ok := parseHeader(text); ok {
			return g.isEvents()
		}
		if !kubectlChatter(text) && !isKlogLine(text) {
			return false
		}
	}
	return false
}

func parseKubectlEvents(f *File, b *timeline.Builder) error {
	var (
		g       grid
		header  line
		open    bool
		other   leftovers
		command = commandOf(f)
		spaces  objectList
	)
	finish := func() {
		if !open {
			return
		}
		open = false
		c := command
		if g.column("NAMESPACE") == 0 && c.namespace == "" {
			c.allNamespaces = true
		}
		e := listed{kind: "Event"}
		if len(spaces.found) > 0 {
			e = spaces.found[0]
		}
		b.Listings = append(b.Listings, c.listing(e, false, timeline.Listing{
			AsOf: f.CapturedAt, Source: b.Src(header.number, header.offset), Text: header.text,
		}))
		spaces = objectList{}
	}
	for l := range f.lines() {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if next, ok := parseHeader(strings.TrimRight(l.text, " ")); ok && next.isEvents() {
			finish()
			g, header, open = next, l, true
			continue
		}
		if !open {
			if !kubectlChatter(l.text) && !noneFound(l.text) {
				other.add(f, b, l)
			}
			continue
		}
		e, ok := eventRow(b, g, l)
		if !ok {
			// A message of several lines goes on.
			if n := len(b.Events); n > 0 && b.Events[n-1].Component == timeline.APIEvent && len(b.Events[n-1].Text) < 8*maxMessage {
				last := &b.Events[n-1]
				last.Message += "\n" + strings.TrimRight(l.text, " ")
				from, to := last.Source.Offset-f.Offset, l.offset-f.Offset+int64(len(l.text))
				last.Text = strings.ReplaceAll(f.Text[from:to], "\r\n", "\n")
				last.Source.LastLine = l.number
				continue
			}
			other.add(f, b, l)
			continue
		}
		of := &e.API.Object
		if of.Namespace == "" && of.Kind != "Node" {
			of.Namespace = command.namespace
		}
		spaces.add("Event", of.Namespace)
		b.Add(e)
	}
	finish()
	other.report(b)
	return nil
}

// eventRow reads one row.
func eventRow(b *timeline.Builder, g grid, l line) (timeline.Event, bool) {
	cells, ok := g.cells(l.text)
	if !ok {
		return timeline.Event{}, false
	}
	cell := func(name string) string {
		if i := g.column(name); i >= 0 {
			return cells[i]
		}
		return ""
	}
	e := timeline.Event{
		Component: timeline.APIEvent,
		Level:     timeline.LevelInfo,
		API:       &timeline.APIRecord{},
		Text:      l.text,
		Source:    b.Src(l.number, l.offset),
	}
	if !seen(&e, cell("LAST SEEN")) {
		return timeline.Event{}, false
	}
	if first := cell("FIRST SEEN"); first != "" {
		if age, ok := parseAge(first); ok {
			e.API.FirstAge, e.API.HasFirstAge = age, true
		} else if at, ok := timestamp(first); ok {
			e.API.First = at
		}
	}
	if n, ok := decimal(cell("COUNT")); ok {
		e.API.Count = n
	}
	if cell("TYPE") == "Warning" {
		e.Level = timeline.LevelWarning
	}
	object := cell("OBJECT")
	if kind := cell("KIND"); kind != "" && object == "" { // kubectl before 1.13
		name, _, _ := cutLast(cell("NAME"), ".")
		object = kind + "/" + name
	}
	e.API.Object = objectOf(object)
	if !clusterScoped(e.API.Object.Kind) {
		e.API.Object.Namespace = cell("NAMESPACE")
	}
	e.Node = kubeletHost(cell("SOURCE"))
	e.Message = eventMessage(cell("REASON"), cell("MESSAGE"))
	return e, true
}

func eventMessage(reason, message string) string {
	if reason == "" {
		return message
	}
	return reason + ": " + message
}

// objectOf reads "pod/web-0" and "Pod/web-0".
func objectOf(s string) timeline.Ref {
	resource, name, ok := strings.Cut(s, "/")
	if !ok {
		return timeline.Ref{Name: s}
	}
	kind := kindOfResource(resource)
	if kind == "" {
		kind = resource
	}
	return timeline.Ref{Kind: kind, Name: name}
}

// kubeletHost reads a source, "kubelet, worker-1".
func kubeletHost(source string) string {
	component, host, ok := strings.Cut(source, ", ")
	if !ok || component != timeline.Kubelet {
		return ""
	}
	return host
}

// seen reads when an event was last seen and how often: "20s (x29 over 6m38s)",
// "5m", or a time.
func seen(e *timeline.Event, s string) bool {
	last, repeated, _ := strings.Cut(s, " (")
	if times, over, ok := strings.Cut(strings.TrimSuffix(repeated, ")"), " over "); ok {
		if n, ok := decimal(strings.TrimPrefix(times, "x")); ok {
			e.API.Count = n
		}
		if age, ok := parseAge(over); ok {
			e.API.FirstAge, e.API.HasFirstAge = age, true
		}
	}
	if age, ok := parseAge(last); ok {
		e.Stamp.Age, e.Stamp.HasAge = age, true
		return true
	}
	if at, ok := timestamp(last); ok {
		e.Time, e.Precision = at, time.Second
		return true
	}
	return last == "<unknown>" || last == "<invalid>"
}
