package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"podautopsy/timeline"
)

// kubernetesJSONParser reads what the API server sends as JSON.
var kubernetesJSONParser = Parser{
	Name:  "kubernetes-json",
	Doc:   "Kubernetes objects, lists and Events as JSON: kubectl get -o json, cluster-info dump, Troubleshoot's cluster-resources.",
	Sniff: sniffKubernetesJSON,
	Parse: parseKubernetesJSON,
}

func sniffKubernetesJSON(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	for kubectlChatter(head) {
		head = strings.TrimLeft(head[lineLength(head):], " \t\r\n")
	}
	if strings.TrimSpace(head) == "[]" { // a bare list of none: the command tells of what
		c := parseKubectl(f.Command)
		return c.verb == "get" && len(c.kinds) == 1 && c.kinds[0] != ""
	}
	array := strings.HasPrefix(head, "[")
	if array {
		head = strings.TrimLeft(head[1:], " \t\r\n")
	}
	if !strings.HasPrefix(head, "{") {
		return false
	}
	var apiVersion, kind, items, metadata bool
	for member := range jsonMembers(head) {
		value := head[member.from:member.to]
		switch member.key {
		case "apiVersion":
			if strings.HasPrefix(value, `"audit.k8s.io/`) {
				return false
			}
			apiVersion = strings.HasPrefix(value, `"`)
		case "kind":
			kind = strings.HasPrefix(value, `"`)
		case "items":
			items = strings.HasPrefix(value, "[") || value == "null"
		case "metadata":
			metadata = strings.Contains(value, `"creationTimestamp"`) || strings.Contains(value, `"resourceVersion"`)
		}
	}
	return apiVersion && (kind || items) || kind && (items || metadata) || array && metadata
}

func parseKubernetesJSON(f *File, b *timeline.Builder) error { return newDump(f, b).json() }

func (d *dump) json() error {
	f, b := d.f, d.b
	text := f.Text
	at, number := 0, max(f.FirstLine, 1)
	counted, start := 0, 0
	lineAt := func(pos int) int {
		between := text[counted:pos]
		if i := strings.LastIndexByte(between, '\n'); i >= 0 {
			start = counted + i + 1
		}
		number += strings.Count(between, "\n")
		counted = pos
		return number
	}
	for at < len(text) && d.broken < maxBroken {
		switch c := text[at]; c {
		case ' ', '\t', '\r', '\n', ',':
			at++
		case '{', '[':
			if end, ok := d.lookedJSON(at, func() (int, int) { return lineAt(at), start }); ok {
				at = end
				continue
			}
			end := skipJSON(text, at)
			broken := end < 0
			if broken {
				// Whatever comes after starts a line of its own.
				end = len(text)
				if i := strings.Index(text[at:], "\n{"); i >= 0 && d.resyncs < maxResyncs {
					d.resyncs++
					end = at + i + 1
				}
			}
			m := manifest{file: f, text: text[at:end], at: at, line: lineAt(at), column: -1}
			m.lineStart = start
			if c == '[' {
				d.jsonItems(&objectList{first: m, lost: broken}, m.text, m)
			} else {
				d.jsonDocument(m, broken)
			}
			at = end
		default:
			end := at + lineLength(text[at:])
			if strings.HasPrefix(text[at:], "==== START logs for container") {
				// a container's own log, which no API object is part of
				if i := strings.Index(text[at:], "\n==== END logs for container"); i >= 0 {
					at += i + 1
					end = at + lineLength(text[at:])
				} else {
					end = len(text)
				}
			} else if answer := text[at:end]; !kubectlChatter(answer) {
				d.spoilt(timeline.GapNotUnderstood, lineAt(at), errors.New("not JSON: "+strconv.Quote(prefix(strings.TrimSpace(answer), 60))))
			}
			at = end
		}
	}
	if b.Input.Records == 0 {
		return errors.New("no Kubernetes object could be read")
	}
	return nil
}

// kubectlChatter is what kubectl prints beside objects.
func kubectlChatter(line string) bool {
	return strings.HasPrefix(line, "Warning:") || strings.HasPrefix(line, "====")
}

// lineLength is the length of the first line of s with its end.
func lineLength(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// jsonDocument reads one object or list.
func (d *dump) jsonDocument(m manifest, broken bool) {
	var meta typeMeta
	var items, metadata jsonMember
	for member := range jsonMembers(m.text) {
		switch member.key {
		case "kind":
			meta.kind = jsonString(m.text[member.from:member.to])
		case "apiVersion":
			meta.apiVersion = jsonString(m.text[member.from:member.to])
		case "items":
			items = member
		case "metadata":
			metadata = member
		}
	}
	isList := items.key != "" && (meta.kind == "" || strings.HasSuffix(meta.kind, "List"))
	if !isList {
		d.jsonObject(m, broken)
		return
	}
	array := manifest{file: m.file, at: m.at + items.from}
	array.line, array.lineStart = m.lineOf(array.at)
	l := &objectList{meta: meta, first: m, lost: broken}
	d.paged(l, m.jsonPage(metadata))
	d.jsonItems(l, m.text[items.from:items.to], array)
}

// jsonItems reads the objects of an array; m places it.
func (d *dump) jsonItems(l *objectList, array string, m manifest) {
	defer d.list(l)
	if !strings.HasPrefix(array, "[") {
		return // null: an empty list
	}
	fallback := d.fallback(l.meta)
	number, start, counted := m.line, m.lineStart, 0
	for at := 1; at < len(array); {
		switch array[at] {
		case ' ', '\t', '\r', '\n', ',':
			at++
			continue
		case ']':
			return
		}
		end := skipJSON(array, at)
		broken := end < 0
		if broken {
			end = len(array)
		}
		if i := strings.LastIndexByte(array[counted:at], '\n'); i >= 0 {
			start = m.at + counted + i + 1
		}
		number += strings.Count(array[counted:at], "\n")
		counted = at
		item := manifest{
			file: m.file, text: array[at:end], at: m.at + at,
			line: number, lineStart: start, column: -1, fallback: fallback,
		}
		next := 0
		if broken && d.resyncs < maxResyncs {
			d.resyncs++
			next = nextItem(array, at)
		}
		kind, namespace, err := "", "", errNoEnd
		if next == 0 {
			kind, namespace, err = d.decodeJSON(&item, broken)
		}
		switch {
		case err == nil && !broken:
			l.add(kind, namespace)
			at = end
		case err == nil:
			l.add(kind, namespace)
			l.lost = true
			d.b.Gap(timeline.GapTruncated, number, "an object is cut off; what is left of it was used")
			at = end
		case next > 0:
			// A brace or quote too many: go on where the next item begins.
			l.lost = true
			if d.spoilt(timeline.GapNotUnderstood, number, err) {
				return
			}
			at = next
		default:
			l.lost = true
			reason := timeline.GapNotUnderstood
			if broken {
				reason = timeline.GapTruncated
			}
			if d.spoilt(reason, number, err) {
				return
			}
			at = end
		}
	}
	l.lost = true // no closing bracket
}

// nextItem finds where the item after the one at begins in indented JSON: at
// the same column. It matters only where an item is broken.
func nextItem(array string, at int) int {
	start := strings.LastIndexByte(array[:at], '\n')
	indent := array[start+1 : at]
	if start < 0 || strings.Trim(indent, " \t") != "" {
		return 0
	}
	mark := "\n" + indent + "{"
	if i := strings.Index(array[at:], mark); i >= 0 {
		return at + i + len(mark) - 1
	}
	return 0
}

// lookedJSON reads a list that is well-formed, in one go.
func (d *dump) lookedJSON(at int, place func() (line, start int)) (end int, ok bool) {
	if d.decodes {
		return 0, false
	}
	looked, ok := lookJSONList(d.f.Text, at)
	if !ok || looked.meta.kind != "" && !strings.HasSuffix(looked.meta.kind, "List") {
		return 0, false
	}
	m := manifest{file: d.f, text: d.f.Text[at:looked.to], at: at, column: -1}
	m.line, m.lineStart = place()
	l := &objectList{meta: looked.meta, first: m}
	d.paged(l, m.jsonPage(looked.metadata))
	defer d.list(l)
	fallback := d.fallback(l.meta)
	counted := m
	for _, o := range looked.items {
		counted.line, counted.lineStart = counted.lineOf(o.from)
		counted.at = o.from
		item := counted
		item.text, item.fallback = d.f.Text[o.from:o.to], fallback
		kind, namespace, ok := "", "", false
		if o.fields != nil {
			kind, namespace, ok = d.addLeft(o.fields, jsonField, item, jsonLocator(item))
		}
		if !ok {
			var err error
			if kind, namespace, err = d.decodeJSON(&item, false); err != nil {
				l.lost = true
				if d.spoilt(timeline.GapNotUnderstood, item.line, err) {
					break
				}
				continue
			}
		}
		l.add(kind, namespace)
	}
	return looked.to, true
}

// fallback is the type of items that name none.
func (d *dump) fallback(list typeMeta) typeMeta {
	if list.kind == "" && len(d.command.kinds) == 1 {
		return typeMeta{"", d.command.kinds[0]}
	}
	return list.item()
}

// jsonObject reads a single object.
func (d *dump) jsonObject(m manifest, broken bool) {
	_, _, err := d.decodeJSON(&m, broken)
	switch {
	case err != nil && broken:
		d.spoilt(timeline.GapTruncated, m.line, err)
	case err != nil:
		d.spoilt(timeline.GapNotUnderstood, m.line, err)
	case broken:
		d.b.Gap(timeline.GapTruncated, m.line, "an object is cut off; what is left of it was used")
	}
}

var (
	errNoObject = errors.New("no object")
	errNoEnd    = errors.New("its end was not found")
)

// decodeJSON decodes and adds an object; of a cut one, what is left.
func (d *dump) decodeJSON(m *manifest, broken bool) (kind, namespace string, err error) {
	if !strings.HasPrefix(m.text, "{") {
		return "", "", errNoObject
	}
	raw := m.text
	if broken {
		if raw = mendJSON(raw); raw == "" {
			return "", "", errors.New("cut off")
		}
		m.cut = true
	}
	kind = m.fallback.kind
	for member := range jsonMembers(raw) {
		switch member.key {
		case "kind":
			kind = jsonString(raw[member.from:member.to])
		case "metadata":
			if at, _, ok := findJSON(raw[member.from:member.to], []string{"name"}); ok && at > 0 {
				m.name = m.at + member.from + at
			}
		}
	}
	if kind == "" {
		return "", "", errors.New("no kind")
	}
	content, err := decodeJSONObject(wantedJSON(raw, kind))
	if err != nil {
		return "", "", err
	}
	d.add(content, *m, jsonLocator(*m))
	return kind, field(content, "metadata", "namespace"), nil
}

// wantedJSON is the object without the parts that are bulk or secret.
func wantedJSON(raw, kind string) string {
	metadataOnly, secret := onlyMetadata(kind), confidential(kind)
	if !metadataOnly && !secret && !strings.Contains(raw, `"managedFields"`) {
		return raw
	}
	var out strings.Builder
	out.Grow(len(raw))
	for member := range jsonMembers(raw) {
		value := raw[member.from:member.to]
		switch {
		case member.key == "metadata" && strings.HasPrefix(value, "{"):
			keep := keepsManagedFields(kind, strings.Contains(value, `"deletionTimestamp"`))
			var inner strings.Builder
			for m := range jsonMembers(value) {
				if m.key == "managedFields" && (!keep || secret) || m.key == "annotations" && secret {
					continue
				}
				appendMember(&inner, value, m)
			}
			value = closeObject(&inner)
		case secret && member.key != "kind" && member.key != "apiVersion",
			metadataOnly && (member.key == "spec" || member.key == "data" || member.key == "binaryData" || member.key == "stringData" || member.key == "rules"):
			continue
		}
		if out.Len() > 0 {
			out.WriteByte(',')
		} else {
			out.WriteByte('{')
		}
		out.WriteString(raw[member.at:member.keyEnd])
		out.WriteByte(':')
		out.WriteString(value)
	}
	return closeObject(&out)
}

func appendMember(out *strings.Builder, raw string, m jsonMember) {
	if out.Len() > 0 {
		out.WriteByte(',')
	} else {
		out.WriteByte('{')
	}
	out.WriteString(raw[m.at:m.keyEnd])
	out.WriteByte(':')
	out.WriteString(raw[m.from:m.to])
}

func closeObject(out *strings.Builder) string {
	if out.Len() == 0 {
		return "{}"
	}
	out.WriteByte('}')
	return out.String()
}

// decodeJSONObject decodes with integers as int64, the way apimachinery does.
func decodeJSONObject(raw string) (map[string]any, error) {
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	var content map[string]any
	if err := decoder.Decode(&content); err != nil {
		return nil, fmt.Errorf("decoding: %w", err)
	}
	if content == nil {
		return nil, errNoObject
	}
	return jsonNumbers(content).(map[string]any), nil
}

// jsonNumbers replaces json.Number in place.
func jsonNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			switch value.(type) {
			case map[string]any, []any, json.Number:
				v[key] = jsonNumbers(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = jsonNumbers(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		n, _ := v.Float64()
		return n
	}
	return v
}

// jsonLocator finds fields in the object's text when asked.
func jsonLocator(m manifest) locator {
	return func(path ...string) (timeline.Source, string, bool) {
		at, to, ok := findJSON(m.text, path)
		if !ok {
			return timeline.Source{}, "", false
		}
		at += m.at
		limit := excerptLimit(path)
		end := min(m.at+to, at+limit)
		// Of a field of several lines, the first.
		end = at + len(strings.TrimRight(m.file.Text[at:end][:min(lineLength(m.file.Text[at:end]), end-at)], "\r\n"))
		src, text := m.place(at, end, limit)
		return src, text, true
	}
}

// findJSON finds the member (with its key) or element at path.
func findJSON(text string, path []string) (at, to int, ok bool) {
	at, from, to := 0, 0, len(text)
	for _, part := range path {
		ok = false
		switch {
		case strings.HasPrefix(text[from:to], "{"):
			base := from
			for m := range jsonMembers(text[base:to]) {
				if m.key == part { // the last of several counts
					at, from, ok = base+m.at, base+m.from, true
					to = base + m.to
				}
			}
		case strings.HasPrefix(text[from:to], "["):
			index, err := strconv.Atoi(part)
			if err != nil || index < 0 {
				return 0, 0, false
			}
			at, to, ok = jsonElement(text, from, to, index)
			from = at
		}
		if !ok {
			return 0, 0, false
		}
	}
	return at, to, true
}

func jsonElement(text string, from, to, index int) (start, end int, ok bool) {
	for at := from + 1; at < to; {
		switch text[at] {
		case ' ', '\t', '\r', '\n', ',':
			at++
			continue
		case ']':
			return 0, 0, false
		}
		end := skipJSON(text[:to], at)
		if end < 0 {
			return 0, 0, false
		}
		if index == 0 {
			return at, end, true
		}
		index--
		at = end
	}
	return 0, 0, false
}

// jsonMember is one member of an object: its key's place and its value's.
type jsonMember struct {
	key        string
	at, keyEnd int
	from, to   int
}

// jsonMembers walks the members of the object that text begins with. A member
// whose value is cut off is given with what is left of it.
func jsonMembers(text string) iter.Seq[jsonMember] {
	return func(yield func(jsonMember) bool) {
		if !strings.HasPrefix(text, "{") {
			return
		}
		for at := 1; at < len(text); {
			switch text[at] {
			case ' ', '\t', '\r', '\n', ',':
				at++
				continue
			case '"':
			default:
				return
			}
			keyEnd := skipJSON(text, at)
			if keyEnd < 0 {
				return
			}
			from := skipBlank(text, keyEnd)
			if from >= len(text) || text[from] != ':' {
				return
			}
			from = skipBlank(text, from+1)
			if from >= len(text) {
				return
			}
			to := skipJSON(text, from)
			cut := to < 0
			if cut {
				to = len(text)
			}
			if !yield(jsonMember{text[at+1 : keyEnd-1], at, keyEnd, from, to}) || cut {
				return
			}
			at = to
		}
	}
}

func skipBlank(text string, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n') {
		at++
	}
	return at
}

// skipJSON is the end of the value that begins at, or -1 where it has none.
// It looks at brackets and strings only; whether the value is valid is for the
// decoder to say.
func skipJSON(text string, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch text[i] {
		case '"':
			if i = stringEnd(text, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return max(i, at+1) // the end of a bare word; never stand still
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 && i > at {
				return i
			}
		}
	}
	if depth == 0 && at < len(text) {
		return len(text)
	}
	return -1
}

// stringEnd is the position of the quote that closes the one at, or -1.
func stringEnd(text string, at int) int {
	for i := at + 1; i < len(text); {
		n := strings.IndexByte(text[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for text[i-1-slashes] == '\\' && i-1-slashes > at {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
		i++
	}
	return -1
}

func jsonString(raw string) string {
	if len(raw) < 2 || raw[0] != '"' || raw[len(raw)-1] != '"' {
		return ""
	}
	return raw[1 : len(raw)-1]
}

// mendJSON closes an object that was cut off after its last whole member.
func mendJSON(raw string) string {
	const deepest = 64
	var open, atKeep []byte
	keep := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '"':
			end := stringEnd(raw, i)
			if end < 0 {
				return closeAll(raw[:keep], atKeep)
			}
			i = end
		case '{', '[':
			if open = append(open, c); len(open) > deepest {
				return ""
			}
		case '}', ']':
			if len(open) == 0 || open[len(open)-1]+2 != c { // '{'+2 is '}', '['+2 is ']'
				return ""
			}
			open = open[:len(open)-1]
		case ',':
			keep, atKeep = i, append(atKeep[:0], open...)
		}
	}
	return closeAll(raw[:keep], atKeep)
}

func closeAll(raw string, open []byte) string {
	var out strings.Builder
	out.WriteString(raw)
	for i := len(open) - 1; i >= 0; i-- {
		out.WriteByte(open[i] + 2)
	}
	return out.String()
}
