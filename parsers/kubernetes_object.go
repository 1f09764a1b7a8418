package parsers

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	yaml "go.yaml.in/yaml/v3"

	"podautopsy/timeline"
)

// manifest is the text of one Kubernetes object as it stands in a dump.
type manifest struct {
	file      *File
	text      string
	at        int // of text in file.Text
	line      int // number of the line that text begins in
	lineStart int // of that line in file.Text
	column    int // YAML: of the dash before it; -1 for a whole document
	name      int // of metadata.name in file.Text; 0 where not found
	cut       bool
	fallback  typeMeta   // what the list around it says
	root      *yaml.Node // of a large one in YAML, once a field of it was looked for
}

// typeMeta is what names the type of an object.
type typeMeta struct{ apiVersion, kind string }

// item is the type of a typed list's items: PodList holds Pods.
func (t typeMeta) item() typeMeta {
	kind := strings.TrimSuffix(t.kind, "List")
	if kind == "" {
		return typeMeta{}
	}
	return typeMeta{t.apiVersion, kind}
}

// place cites file.Text[from:to], a part of the object: the lines it stands in,
// or where these hold much more, at most limit bytes of the part itself.
func (m *manifest) place(from, to, limit int) (timeline.Source, string) {
	text := m.file.Text
	number, start := m.lineOf(from)
	src := timeline.Source{File: m.file.Path, Line: number, Offset: m.file.Offset + int64(start)}
	// Look no further than matters: a compact dump is one line of megabytes.
	end := min(len(text), to+limit+maxAround+1)
	if i := strings.IndexByte(text[to:end], '\n'); i >= 0 {
		end = to + i
	}
	alone := start > m.at || strings.Trim(text[start:m.at], " \t-") == ""
	if !alone || end > m.at+len(m.text)+1 || end-start > limit+maxAround {
		end, start = min(to, from+limit), from
	}
	lines := strings.TrimSuffix(prefix(text[start:], end-start), "\r")
	if n := strings.Count(lines, "\n"); n > 0 {
		src.LastLine = number + n
		lines = strings.ReplaceAll(lines, "\r\n", "\n")
	}
	return src, lines
}

// lineOf is the line that a position in the object is on, and its beginning.
func (m *manifest) lineOf(at int) (number, start int) {
	text := m.file.Text[m.at:at]
	i := strings.LastIndexByte(text, '\n')
	if i < 0 {
		return m.line, m.lineStart
	}
	return m.line + strings.Count(text, "\n"), m.at + i + 1
}

// lines are the object's own among the lines of the file from one number to
// another.
func (m *manifest) lines(from, to int) []string {
	out := make([]string, 0, to-from+1)
	rest, number := m.text, m.line
	for ; number < from && rest != ""; number++ {
		rest = rest[lineLength(rest):]
	}
	for n := from; n <= to; n++ {
		if n < number || rest == "" {
			out = append(out, "")
			continue
		}
		line := firstLine(rest)
		rest = rest[len(line):]
		out = append(out, strings.TrimRight(line, "\r\n"))
		number++
	}
	return out
}

// start cites where the object begins.
func (m *manifest) start() (timeline.Source, string) {
	end := m.at + min(lineLength(m.text), maxExcerpt)
	for end > m.at && (m.file.Text[end-1] == '\n' || m.file.Text[end-1] == '\r') {
		end--
	}
	return m.place(m.at, end, maxExcerpt)
}

// cite cites the object by its name, which says more than its first line.
func (m *manifest) cite() (timeline.Source, string) {
	if m.name == 0 {
		return m.start()
	}
	rest := m.file.Text[m.name : m.at+len(m.text)]
	end := m.name + min(len(strings.TrimRight(rest[:lineLength(rest)], "\r\n")), maxExcerpt)
	return m.place(m.name, end, maxExcerpt)
}

// prefix is at most n bytes of s, cut between characters.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// dump collects what the objects of one file amount to.
type dump struct {
	f       *File
	b       *timeline.Builder
	command kubectlCommand
	// resyncs counts broken objects whose end had to be guessed; each costs a
	// scan of what follows, so hostile input gets a limited number.
	resyncs int
	// broken counts objects that could not be read; a file of nothing else is
	// given up.
	broken int
	// decodes: nothing is left in its text, so that tests can compare.
	decodes bool
	fields  []fieldPlace // of the object at hand
}

const (
	maxResyncs = 32
	maxBroken  = 1000
)

// spoilt notes a broken object and says whether the file is given up.
func (d *dump) spoilt(kind timeline.GapKind, line int, err error) bool {
	d.broken++
	switch {
	case d.broken < maxBroken:
		d.b.Gap(kind, line, "broken object: "+err.Error())
	case d.broken == maxBroken:
		d.b.Gap(kind, line, "too many broken objects; the rest of the list was left unread")
	}
	return d.broken >= maxBroken
}

func newDump(f *File, b *timeline.Builder) *dump {
	return &dump{f: f, b: b, command: commandOf(f)}
}

// onlyMetadata says that of this kind nothing but the metadata matters, or may
// be kept: Secrets hold secrets, the others are only bulk.
func onlyMetadata(kind string) bool {
	switch kind {
	case "Secret", "ConfigMap", "CustomResourceDefinition", "ControllerRevision",
		"Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding":
		return true
	}
	return false
}

// confidential kinds are never quoted beyond their names: a Secret's
// last-applied annotation repeats its data. Written by hand, the kind may be in
// any case.
func confidential(kind string) bool {
	return strings.EqualFold(kind, "Secret") || strings.EqualFold(kind, "Config")
}

// keepsManagedFields: who wrote what last tells of a deletion, of a node that
// changed and of a lease's holder; elsewhere it is bulk.
func keepsManagedFields(kind string, deleting bool) bool {
	return deleting || kind == "Node" || kind == "Lease"
}

// objectList gathers what one list held, per kind.
type objectList struct {
	meta  typeMeta
	first manifest // of the list itself
	found []listed
	lost  bool
}

type listed struct {
	kind       string
	namespaces []string
	items      int
}

func (l *objectList) add(kind, namespace string) {
	i := 0
	for i < len(l.found) && l.found[i].kind != kind {
		i++
	}
	if i == len(l.found) {
		l.found = append(l.found, listed{kind: kind})
	}
	e := &l.found[i]
	e.items++
	if namespace == "" {
		return
	}
	for _, known := range e.namespaces {
		if known == namespace {
			return
		}
	}
	e.namespaces = append(e.namespaces, namespace)
}

// list writes what a finished list covered.
func (d *dump) list(l *objectList) {
	found := l.found
	// An empty list still says that nothing of its kind was there.
	if len(found) == 0 {
		if kind := l.meta.item().kind; kind != "" {
			found = []listed{{kind: kind}}
		} else {
			for _, kind := range d.command.kinds {
				found = append(found, listed{kind: kind})
			}
		}
		if !slices.ContainsFunc(found, func(e listed) bool { return e.kind != "" }) {
			d.b.Gap(timeline.GapNotUnderstood, l.first.line, "an empty list, and nothing tells of which kind: neither it, nor the command, nor the file's name")
		}
	}
	src, text := l.first.start()
	if i := strings.IndexByte(text, '['); i >= 0 {
		text = text[:i+1] // the items of a compact list are not its text
	}
	for _, e := range found {
		if e.kind == "" {
			continue
		}
		d.b.Listings = append(d.b.Listings, d.command.listing(e, l.lost, timeline.Listing{
			AsOf: d.f.CapturedAt, Source: src, Text: text,
		}))
	}
	if len(l.found) == 0 {
		d.b.Input.Records++
	}
}

// listing completes base with what the command and the items tell of reach.
func (c kubectlCommand) listing(e listed, lost bool, base timeline.Listing) timeline.Listing {
	base.Kind = e.kind
	base.Items = e.items
	base.Namespaces = e.namespaces
	base.Namespace = c.namespace
	base.AllNamespaces = c.allNamespaces || len(e.namespaces) > 1 || clusterScoped(e.kind)
	if base.AllNamespaces {
		base.Namespace = ""
	} else if base.Namespace == "" && len(e.namespaces) == 1 {
		base.Namespace = e.namespaces[0]
	}
	if base.Namespace != "" && len(e.namespaces) == 0 {
		base.Namespaces = []string{base.Namespace}
	}
	base.Unasked = c.verb == "" || c.guessed
	base.Incomplete = lost || c.selective || len(c.names) > 0
	return base
}

// add writes one decoded object, or the event that it is.
func (d *dump) add(content map[string]any, m manifest, locate locator) {
	if _, ok := content["kind"].(string); !ok && m.fallback.kind != "" {
		content["kind"] = m.fallback.kind
		content["apiVersion"] = m.fallback.apiVersion
	}
	switch field(content, "kind") {
	case "Event":
		d.addEvent(content, m, locate)
		return
	case "Status":
		d.addStatus(content, m)
		return
	}
	// An object that stays in its text is large in number and seldom cited.
	if o := d.addObject(timeline.Decoded(content), m, locate); o.Locate != nil {
		o.Lines = m.lines
	}
}

// addLeft adds an object that stays in its text, whose fields are there.
func (d *dump) addLeft(fields []fieldPlace, value func(string, fieldPlace) any, m manifest, locate locator) (kind, namespace string, ok bool) {
	u := &undecoded{text: m.text, fields: fields, value: value, list: m.fallback}
	if u.find(0, "kind", withSubfields) >= 0 {
		u.list = typeMeta{}
	} else if u.find(0, "apiVersion", withSubfields) >= 0 {
		return "", "", false
	}
	if kind, _ = u.Field("kind").(string); !leftInText(kind) {
		return "", "", false
	}
	if at := u.place("metadata", "name"); at >= 0 {
		if at > 0 && m.text[at-1] == '"' {
			at--
		}
		m.name = m.at + at
	}
	o := d.addObject(u, m, locate)
	return o.Kind, o.Namespace, true
}

func (d *dump) addObject(content timeline.Content, m manifest, locate locator) *timeline.Object {
	text := func(path ...string) string {
		s, _ := content.Field(path...).(string)
		return s
	}
	o := &timeline.Object{
		APIVersion: text("apiVersion"),
		Kind:       text("kind"),
		Namespace:  text("metadata", "namespace"),
		Name:       text("metadata", "name"),
		UID:        text("metadata", "uid"),
		Content:    content,
		Partial:    m.cut,
		AsOf:       d.f.CapturedAt,
	}
	o.Source, o.Text = m.cite()
	if confidential(o.Kind) {
		o.Text = prefix(o.Text, strings.IndexAny(o.Text+"{[,", "{[,")) // no inline data
	} else {
		o.Locate = locate
	}
	d.b.AddObject(o)
	if o.Kind == "Node" {
		d.b.Host(o.Name)
	}
	return o
}

// addStatus reads the API's own answer that something is not there.
func (d *dump) addStatus(content map[string]any, m manifest) {
	d.b.Input.Records++
	if field(content, "reason") != "NotFound" {
		return
	}
	src, text := m.start()
	d.b.Absents = append(d.b.Absents, timeline.Absent{
		Ref: timeline.Ref{
			Kind:      kindOfResource(field(content, "details", "kind")),
			Namespace: d.command.namespace,
			Name:      field(content, "details", "name"),
			UID:       field(content, "details", "uid"),
		},
		AsOf: d.f.CapturedAt, Source: src, Text: text,
	})
}

// addEvent turns an Event object of core/v1 or events.k8s.io/v1 into what
// happened.
func (d *dump) addEvent(content map[string]any, m manifest, locate locator) {
	about := "involvedObject"
	if _, ok := content["regarding"]; ok {
		about = "regarding"
	}
	e := timeline.Event{
		Component: timeline.APIEvent,
		Level:     timeline.LevelInfo,
		Node:      field(content, "source", "host"),
		API: &timeline.APIRecord{
			Object: timeline.Ref{
				Kind:      field(content, about, "kind"),
				Namespace: field(content, about, "namespace"),
				Name:      field(content, about, "name"),
				UID:       field(content, about, "uid"),
			},
			Count: int(firstNumber(content, "count", "deprecatedCount")),
		},
	}
	if field(content, "type") == "Warning" {
		e.Level = timeline.LevelWarning
	}
	if e.Node == "" {
		e.Node = field(content, "deprecatedSource", "host")
	}
	reporter := field(content, "reportingComponent") + field(content, "reportingController")
	if e.Node == "" && reporter == timeline.Kubelet {
		e.Node = field(content, "reportingInstance")
	}
	series, _ := content["series"].(map[string]any)
	if n := firstNumber(series, "count"); int(n) > e.API.Count {
		e.API.Count = int(n)
	}
	for _, path := range [][]string{
		{"lastTimestamp"},
		{"deprecatedLastTimestamp"},
		{"series", "lastObservedTime"},
		{"eventTime"},
		{"firstTimestamp"},
		{"deprecatedFirstTimestamp"},
		{"metadata", "creationTimestamp"},
	} {
		if at, ok := timestamp(field(content, path...)); ok {
			e.Time, e.Precision = at, time.Second
			if at.Nanosecond() != 0 {
				e.Precision = time.Microsecond
			}
			break
		}
	}
	for _, path := range [][]string{
		{"firstTimestamp"}, {"deprecatedFirstTimestamp"}, {"eventTime"}, {"metadata", "creationTimestamp"},
	} {
		if at, ok := timestamp(field(content, path...)); ok {
			e.API.First = at
			break
		}
	}
	key := "message"
	if _, ok := content["note"]; ok {
		key = "note"
	}
	message := field(content, key)
	if reason := field(content, "reason"); reason != "" {
		message = reason + ": " + message
	}
	e.Message = message
	var ok bool
	if e.Source, e.Text, ok = locate(key); !ok {
		e.Source, e.Text = m.start()
	}
	d.b.Add(e)
	d.addEventSample(content, e.Node, locate)
}

// addEventSample notes that a node dated what happened and the API server the
// Event about it. Its name ends in the node's time, in nanoseconds.
func (d *dump) addEventSample(content map[string]any, node string, locate locator) {
	const plenty = 20_000
	created, ok := timestamp(field(content, "metadata", "creationTimestamp"))
	if !ok || node == "" || len(d.b.Samples) >= plenty {
		return
	}
	first := "firstTimestamp"
	at, ok := timestamp(field(content, first))
	if !ok {
		first = "deprecatedFirstTimestamp"
		at, ok = timestamp(field(content, first))
	}
	if !ok {
		return
	}
	s := timeline.ClockSample{Node: node, How: timeline.SampleEvent, At: at, API: created, AtRound: time.Second, APIRound: time.Second}
	name := field(content, "metadata", "name")
	if ns, err := strconv.ParseInt(name[strings.LastIndexByte(name, '.')+1:], 16, 64); err == nil && ns > 0 {
		if exact := time.Unix(0, ns).UTC(); exact.Sub(at).Abs() <= time.Second {
			s.At, s.AtRound = exact, 0
		}
	}
	s.Cite = func() []timeline.Citation {
		var out []timeline.Citation
		for _, path := range [][]string{{first}, {"metadata", "creationTimestamp"}} {
			if src, text, ok := locate(path...); ok {
				out = append(out, timeline.Citation{Source: src, Text: text, Component: timeline.APIEvent, Time: created})
			}
		}
		return out
	}
	d.b.Samples = append(d.b.Samples, s)
}

// locator is the shape of timeline.Object.Locate.
type locator func(path ...string) (timeline.Source, string, bool)

// What is quoted of a line that holds much more than the field in question.
const (
	maxExcerpt = 200
	maxMessage = 1 << 10
	// maxAround is how much longer than that a line may be to be quoted whole.
	maxAround = 200
)

// excerptLimit is how much of the field at path is worth quoting.
func excerptLimit(path []string) int {
	if len(path) == 1 && (path[0] == "message" || path[0] == "note") {
		return maxMessage
	}
	return maxExcerpt
}

// field is the string at path, "" where there is none.
func field(content map[string]any, path ...string) string {
	for _, key := range path[:len(path)-1] {
		content, _ = content[key].(map[string]any)
	}
	s, _ := content[path[len(path)-1]].(string)
	return s
}

func firstNumber(content map[string]any, keys ...string) int64 {
	for _, key := range keys {
		if n, ok := content[key].(int64); ok {
			return n
		}
	}
	return 0
}

// timestamp reads the API's time format.
func timestamp(s string) (time.Time, bool) {
	if s == "" {
		return time.Time{}, false
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	return at.UTC(), err == nil
}
