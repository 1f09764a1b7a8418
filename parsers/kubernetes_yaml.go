package parsers

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"podautopsy/timeline"
)

// kubernetesYAMLParser reads what kubectl prints as YAML.
var kubernetesYAMLParser = Parser{
	Name:  "kubernetes-yaml",
	Doc:   "Kubernetes objects, lists and Events as YAML: kubectl get -o yaml, must-gather, support-bundle-kit, cluster-info dump -o yaml.",
	Sniff: sniffKubernetesYAML,
	Parse: parseKubernetesYAML,
}

func sniffKubernetesYAML(f *File) bool {
	var apiVersion, kind, body bool
	seen, sequence := false, false
	for l := range (&File{Text: f.head()}).lines() {
		text := strings.TrimRight(l.text, " \t")
		if text == "" || text[0] == '#' || strings.HasPrefix(text, "---") || strings.HasPrefix(text, "%YAML") ||
			strings.HasPrefix(text, "Warning:") || strings.HasPrefix(text, "====") {
			continue
		}
		if !seen {
			text, sequence = strings.CutPrefix(text, "- ") // a bare sequence of objects
		} else if sequence {
			text = strings.TrimPrefix(text, "  ")
		}
		key, value, ok := yamlKey(text)
		if !seen && !ok {
			return false
		}
		seen = true
		switch {
		case !ok:
		case key == "apiVersion":
			apiVersion = value != "" && !strings.HasPrefix(value, "audit.k8s.io/")
		case key == "kind":
			kind = value != ""
		case key == "metadata", key == "items":
			body = true
		}
		if apiVersion && (kind || body) || kind && body {
			return true
		}
	}
	return false
}

// yamlKey splits a line that begins with a plain key.
func yamlKey(text string) (key, value string, ok bool) {
	colon := strings.IndexByte(text, ':')
	if colon <= 0 || colon+1 < len(text) && text[colon+1] != ' ' && text[colon+1] != '\t' {
		return "", "", false
	}
	key = strings.Trim(text[:colon], `"'`)
	if strings.ContainsAny(key, " \t") {
		return "", "", false
	}
	return key, strings.Trim(text[colon+1:], " \t"), true
}

// yamlDocument is one document as far as its lines have been seen.
type yamlDocument struct {
	begun         bool
	start         line
	meta          typeMeta
	hasItems      bool
	inItems       bool
	dash          int // column of the items' dashes; -1: not known yet
	items         []manifest
	keys          int
	metadataAt    int  // in file.Text; -1: none seen
	afterItemsKey bool // something follows the items
}

func parseKubernetesYAML(f *File, b *timeline.Builder) error { return newDump(f, b).yaml() }

func (d *dump) yaml() error {
	f := d.f
	doc := yamlDocument{dash: -1, metadataAt: -1}
	inLog := false
	finish := func(end int, last bool) {
		d.yamlDocument(&doc, end, last)
		doc = yamlDocument{dash: -1, metadataAt: -1}
	}
	for l := range f.lines() {
		if d.broken >= maxBroken {
			break
		}
		at := int(l.offset - f.Offset)
		if inLog {
			inLog = !strings.HasPrefix(l.text, "==== END logs for container")
			continue
		}
		text := l.text
		if doc.inItems && doc.dash >= 0 && len(text) > doc.dash && text[doc.dash] == ' ' && blanks(text[:doc.dash]) == doc.dash {
			continue // nearly every line: it is deeper than the dashes
		}
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if indent == len(text) {
			continue
		}
		dash := text[indent] == '-' && (indent+1 == len(text) || text[indent+1] == ' ')
		if indent > 0 {
			if doc.inItems && dash && (doc.dash < 0 || doc.dash == indent) {
				doc.item(f, l, at, indent)
			}
			continue
		}
		switch {
		case text[0] == '#':
		case strings.HasPrefix(text, "---"), text == "...":
			finish(at, false)
		case strings.HasPrefix(text, "==== START logs for container"):
			finish(at, false)
			inLog = true
		case dash:
			if !doc.begun {
				doc.begun, doc.start, doc.inItems = true, l, true
			}
			if doc.inItems && doc.dash <= 0 {
				doc.item(f, l, at, 0)
			}
		default:
			key, value, ok := yamlKey(text)
			if !ok || key == "Warning" || key == "apiVersion" && doc.meta.apiVersion != "" || doc.dash == 0 && !doc.hasItems {
				if doc.begun {
					finish(at, false)
				}
				if !ok {
					if !kubectlChatter(text) && strings.Trim(text, "{}[] \t") != "" {
						// It may be a piece of a Secret, so it is not quoted.
						d.spoilt(timeline.GapNotUnderstood, l.number, errors.New("not YAML"))
					}
					continue
				}
				if key == "Warning" {
					continue
				}
			}
			if !doc.begun {
				doc.begun, doc.start = true, l
			}
			doc.key(key, value, at)
		}
	}
	finish(len(f.Text), true)
	if d.b.Input.Records == 0 {
		return errors.New("no Kubernetes object could be read")
	}
	return nil
}

// item begins an item of the list.
func (doc *yamlDocument) item(f *File, l line, at, dash int) {
	doc.endItem(at)
	doc.dash = dash
	doc.items = append(doc.items, manifest{file: f, at: at, line: l.number, lineStart: at, column: dash})
}

func (doc *yamlDocument) endItem(at int) {
	if n := len(doc.items); n > 0 && doc.items[n-1].text == "" {
		m := &doc.items[n-1]
		m.text = m.file.Text[m.at:at]
	}
}

// key notes a key of the document itself.
func (doc *yamlDocument) key(key, value string, at int) {
	doc.keys++
	if doc.inItems {
		doc.endItem(at)
		doc.inItems = false
		doc.afterItemsKey = true
	}
	value = strings.Trim(value, `"'`)
	switch key {
	case "apiVersion":
		doc.meta.apiVersion = value
	case "kind":
		doc.meta.kind = value
	case "metadata":
		doc.metadataAt = at
	case "items":
		doc.hasItems = true
		doc.inItems = value == ""
	}
}

// yamlDocument reads a finished document; last is the file's last.
func (d *dump) yamlDocument(doc *yamlDocument, end int, last bool) {
	if !doc.begun {
		return
	}
	doc.endItem(end)
	at := int(doc.start.offset - d.f.Offset)
	m := manifest{
		file: d.f, text: d.f.Text[at:end], at: at,
		line: doc.start.number, lineStart: at, column: -1,
	}
	isList := doc.hasItems && (doc.meta.kind == "" || strings.HasSuffix(doc.meta.kind, "List")) || doc.keys == 0
	if !isList {
		if doc.meta.kind != "" {
			d.yamlObject(m, last)
		} else if doc.meta.apiVersion != "" {
			d.b.Gap(timeline.GapNotUnderstood, m.line, "an object without a kind")
		}
		return
	}
	l := &objectList{meta: doc.meta, first: m}
	if doc.metadataAt >= 0 {
		d.paged(l, m.yamlPage(doc.metadataAt))
	}
	// kubectl and must-gather print kind after the items: without it the end
	// is missing.
	cut := doc.hasItems && doc.meta.kind == "" && last
	fallback := doc.meta.item()
	if fallback.kind == "" && doc.meta.kind == "" && len(d.command.kinds) == 1 {
		fallback = typeMeta{"", d.command.kinds[0]}
	}
	for i, item := range doc.items {
		item.fallback = fallback
		item.cut = cut && i == len(doc.items)-1
		kind, namespace, err := d.decodeYAML(&item)
		if item.cut {
			l.lost = true
			d.b.Gap(timeline.GapTruncated, item.line, "the list is cut off within this object")
		}
		if err != nil {
			l.lost = true
			if !item.cut && d.spoilt(timeline.GapNotUnderstood, item.line, err) {
				break
			}
			continue
		}
		l.add(kind, namespace)
	}
	if cut && len(doc.items) == 0 {
		l.lost = true
	}
	d.list(l)
}

// yamlObject reads a single object. The file may end within it: the API prints
// a pod's status last.
func (d *dump) yamlObject(m manifest, last bool) {
	m.cut = last && !strings.HasSuffix(m.text, "\n") &&
		strings.Contains(m.text, "\nkind: Pod") && !strings.Contains(m.text, "\nstatus:") && strings.Contains(m.text, "\n  uid:")
	_, _, err := d.decodeYAML(&m)
	switch {
	case err != nil && last && !strings.HasSuffix(m.text, "\n"):
		d.spoilt(timeline.GapTruncated, m.line, err)
	case err != nil:
		d.spoilt(timeline.GapNotUnderstood, m.line, err)
	case m.cut:
		d.b.Gap(timeline.GapTruncated, m.line, "the object is cut off; what is left of it was used")
	}
}

// decodeYAML decodes and adds an object.
func (d *dump) decodeYAML(m *manifest) (kind, namespace string, err error) {
	if kind, namespace, ok := d.leaveYAML(m); ok {
		return kind, namespace, nil
	}
	wanted, kind := m.wantedYAML()
	content, plain := readPlainYAML(wanted)
	if !plain {
		if content, err = decodeYAMLObject(wanted); err != nil && m.cut {
			content, err = decodeYAMLObject(lastWholeLine(wanted)) // cut within a quoted string
		}
		if err != nil {
			return "", "", err
		}
	}
	if _, ok := content["kind"].(string); !ok && m.fallback.kind == "" {
		return "", "", errors.New("no kind")
	}
	if kind == "" {
		if kind = field(content, "kind"); onlyMetadata(kind) || confidential(kind) {
			return "", "", errors.New("a " + kind + " in an unusual form is left unread")
		}
	}
	d.add(content, *m, yamlLocator(*m))
	return kind, field(content, "metadata", "namespace"), nil
}

// leaveYAML adds an object without decoding it, if it may be left in its text.
func (d *dump) leaveYAML(m *manifest) (kind, namespace string, ok bool) {
	if m.cut || d.decodes {
		return "", "", false
	}
	if d.fields, ok = lookPlainYAML(m.text, m.column, d.fields[:0]); !ok {
		return "", "", false
	}
	return d.addLeft(slices.Clone(d.fields), plainYAMLField, *m, yamlLocator(*m))
}

// decodeYAMLObject decodes whatever the library understands.
func decodeYAMLObject(text string) (map[string]any, error) {
	root, err := yamlRoot(text)
	if err != nil {
		return nil, err
	}
	conversion := yamlConversion{nodes: aliasBudget + len(text)}
	value, err := conversion.value(root, 0)
	if err != nil {
		return nil, err
	}
	content, ok := value.(map[string]any)
	if !ok {
		return nil, errNoObject
	}
	return content, nil
}

func lastWholeLine(text string) string {
	return text[:strings.LastIndexByte(strings.TrimRight(text, "\n"), '\n')+1]
}

// body is the item's text with the dash blanked, so that it is a document of
// its own with the same lines and columns.
func (m *manifest) body() string {
	if m.column < 0 {
		return m.text
	}
	return strings.Repeat(" ", m.column+1) + m.text[m.column+1:]
}

// wantedYAML is the object without the parts that are bulk or secret, by
// columns alone, and its kind.
func (m *manifest) wantedYAML() (text, kind string) {
	kind = m.fallback.kind
	body := m.body()
	indent, inner := -1, -1
	deleting, managed, metadata := false, false, false
	at := m.at
	for text := range strings.Lines(body) {
		at += len(text)
		column := len(text) - len(strings.TrimLeft(text, " "))
		if column == len(strings.TrimRight(text, "\r\n")) || text[column] == '#' {
			continue
		}
		if indent < 0 {
			indent = column
		}
		if column == indent {
			key, value, ok := yamlKey(strings.TrimRight(text[column:], "\r\n"))
			if ok && key == "kind" {
				kind = strings.Trim(value, `"'`)
			}
			metadata, inner = key == "metadata", -1
			continue
		}
		if metadata && inner < 0 {
			inner = column
		}
		if metadata && column == inner {
			if key, _, ok := yamlKey(strings.TrimRight(text[column:], "\r\n")); ok && key == "name" {
				m.name = at - len(text) + column
			}
		}
		deleting = deleting || strings.HasPrefix(text[column:], "deletionTimestamp:")
		managed = managed || strings.HasPrefix(text[column:], "managedFields:")
	}
	metadataOnly, secret := onlyMetadata(kind), confidential(kind)
	dropManaged := managed && (secret || !keepsManagedFields(kind, deleting))
	if !dropManaged && !metadataOnly && !secret {
		return body, kind
	}
	var out strings.Builder
	out.Grow(len(body))
	section, dropping, innerDrop := "", false, false
	for text := range strings.Lines(body) {
		bare := strings.TrimRight(text, "\r\n")
		column := len(bare) - len(strings.TrimLeft(bare, " "))
		blank := column == len(bare)
		switch {
		case blank:
		case column == indent && bare[column] != '-' && bare[column] != '#':
			key, value, _ := yamlKey(bare[column:])
			section, inner, innerDrop = key, -1, false
			switch {
			case secret:
				// No other section, and no flow mapping that may hide one.
				dropping = key != "kind" && key != "apiVersion" && (key != "metadata" || value != "")
			case metadataOnly:
				dropping = key == "spec" || key == "data" || key == "binaryData" || key == "stringData" || key == "rules"
			}
		case section == "metadata" && column > indent:
			if inner < 0 {
				inner = column
			}
			if column == inner && bare[column] != '-' {
				key, _, _ := yamlKey(bare[column:])
				innerDrop = key == "managedFields" && dropManaged || key == "annotations" && secret
			}
		}
		if !dropping && !innerDrop {
			out.WriteString(text)
		}
	}
	return out.String(), kind
}

// yamlRoot parses one document.
func yamlRoot(text string) (*yaml.Node, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("decoding: %w", err)
	}
	if len(root.Content) == 0 {
		return nil, errNoObject
	}
	return root.Content[0], nil
}

// Aliases may repeat a text at most this often beyond its own size, and
// nothing in Kubernetes is nested deeper.
const (
	aliasBudget = 10_000
	deepestYAML = 200
)

// yamlConversion turns nodes into plain values within a budget.
type yamlConversion struct{ nodes int }

var (
	errAliases = errors.New("aliases expand without end")
	errDepth   = errors.New("nested too deep")
)

func (c *yamlConversion) value(n *yaml.Node, depth int) (any, error) {
	if c.nodes--; c.nodes < 0 {
		return nil, errAliases
	}
	if depth > deepestYAML {
		return nil, errDepth
	}
	switch n.Kind {
	case yaml.AliasNode:
		return c.value(n.Alias, depth+1)
	case yaml.MappingNode:
		content := make(map[string]any, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			value, err := c.value(n.Content[i+1], depth+1)
			if err != nil {
				return nil, err
			}
			content[n.Content[i].Value] = value
		}
		return content, nil
	case yaml.SequenceNode:
		items := make([]any, 0, len(n.Content))
		for _, item := range n.Content {
			value, err := c.value(item, depth+1)
			if err != nil {
				return nil, err
			}
			items = append(items, value)
		}
		return items, nil
	case yaml.ScalarNode:
		return yamlScalar(n), nil
	}
	return nil, nil
}

func yamlScalar(n *yaml.Node) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!bool":
		var v bool
		if n.Decode(&v) == nil {
			return v
		}
	case "!!int":
		if v, err := strconv.ParseInt(strings.ReplaceAll(n.Value, "_", ""), 0, 64); err == nil {
			return v
		}
	case "!!float":
		var v float64
		if n.Decode(&v) == nil {
			return v
		}
	}
	return n.Value // also of times, which the API writes as strings
}

// yamlLocator finds fields in the object's text when asked.
func yamlLocator(m manifest) locator {
	return func(path ...string) (timeline.Source, string, bool) {
		limit := 4 * excerptLimit(path)
		from, column, scalar, ok := m.findYAML(path)
		if !ok {
			return timeline.Source{}, "", false
		}
		whole := m.at + len(m.text)
		to := from + len(strings.TrimRight(firstLine(m.file.Text[from:whole]), "\r\n"))
		// A folded or literal text goes on as long as the lines are deeper.
		if scalar {
			for next := to; to-from < limit; {
				next += lineLength(m.file.Text[next:whole])
				text := strings.TrimRight(firstLine(m.file.Text[next:whole]), "\r\n")
				if len(text)-len(strings.TrimLeft(text, " ")) <= column {
					break
				}
				to = next + len(text)
			}
		}
		src, text := m.place(from, min(to, from+limit), limit)
		return src, text, true
	}
}

// findYAML finds the line of a field: its beginning in file.Text, the column
// of its key, and whether its value is a scalar, which may go on below.
func (m *manifest) findYAML(path []string) (from, column int, scalar, ok bool) {
	if len(path) == 1 {
		if from, column, ok := m.ownKey(path[0]); ok {
			return from, column, true, true
		}
	}
	root := m.root
	if root == nil {
		var err error
		if root, err = yamlRoot(m.body()); err != nil {
			return 0, 0, false, false
		}
		const large = 64 << 10 // smaller ones are parsed again sooner than kept
		if len(m.text) > large {
			m.root = root
		}
	}
	key, value := findYAML(root, path)
	if key == nil {
		return 0, 0, false, false
	}
	scalar = value.Kind == yaml.ScalarNode && value != key
	return m.at + lineStart(m.text, key.Line), key.Column - 1, scalar, true
}

// ownKey finds a scalar right in the object by columns alone, which is quick:
// every event's message is looked for.
func (m *manifest) ownKey(key string) (from, column int, ok bool) {
	body := m.body()
	column = -1
	for at := 0; at < len(body); {
		text := strings.TrimRight(firstLine(body[at:]), "\r\n")
		bare := strings.TrimLeft(text, " ")
		indent := len(text) - len(bare)
		if bare != "" && bare[0] != '#' {
			if column < 0 {
				column = indent
			}
			if indent == column && strings.HasPrefix(bare, key) && strings.HasPrefix(bare[len(key):], ": ") {
				return m.at + at, column, true
			}
		}
		at += lineLength(body[at:])
	}
	return 0, 0, false
}

func firstLine(s string) string { return s[:lineLength(s)] }

// lineStart is where the nth line of text, from 1, begins.
func lineStart(text string, n int) int {
	at := 0
	for ; n > 1 && at < len(text); n-- {
		at += lineLength(text[at:])
	}
	return min(at, len(text))
}

// findYAML finds the key and value at path; of an element of a sequence, both
// are the element.
func findYAML(n *yaml.Node, path []string) (key, value *yaml.Node) {
	key, value = n, n
	for _, part := range path {
		found := false
		switch value.Kind {
		case yaml.MappingNode:
			content := value.Content
			for i := 0; i+1 < len(content); i += 2 {
				if content[i].Value == part {
					key, value, found = content[i], content[i+1], true
				}
			}
		case yaml.SequenceNode:
			if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(value.Content) {
				key, value, found = value.Content[i], value.Content[i], true
			}
		}
		if !found {
			return nil, nil
		}
	}
	return key, value
}
