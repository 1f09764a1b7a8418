package parsers

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"podautopsy/timeline"
)

// kubectlTableParser reads what kubectl get prints for people.
var kubectlTableParser = Parser{
	Name:  "kubectl-table",
	Doc:   "kubectl get tables of any kind (-A, -o wide, several after each other), and kubectl's word that nothing was found.",
	Sniff: sniffKubectlTable,
	Parse: parseKubectlTable,
}

func sniffKubectlTable(f *File) bool {
	for _, text := range f.firstLines(12) {
		if g, ok := parseHeader(text); ok {
			return g.isKubectl() && !g.isEvents()
		}
		if noneFound(text) {
			return true
		}
		if kubectlFailed(text) {
			return true
		}
		if !kubectlChatter(text) && !isKlogLine(text) {
			_, _, _, row := loneRow(text)
			return row || f.printsRows()
		}
	}
	return false
}

// printsRows: the command asked for a table whose header was left out or
// filtered away.
func (f *File) printsRows() bool {
	c := parseKubectl(f.Command)
	if c.verb != "get" || len(c.kinds) != 1 || headerlessColumns(c) == "" || strings.Contains(f.Command, " -o") && !strings.Contains(f.Command, "wide") {
		return false
	}
	return true
}

func isKlogLine(text string) bool {
	return len(text) > 20 && strings.IndexByte("IWEF", text[0]) >= 0 && isDigit(text[1]) && isDigit(text[4]) && text[5] == ' '
}

// kubectlFailed: kubectl could not answer, or answered that there is nothing.
func kubectlFailed(text string) bool {
	for _, start := range []string{
		"Error from server", "The connection to the server ", "Unable to connect to the server",
		"error: You must be logged in", "error: the server doesn't have a resource type",
	} {
		if strings.HasPrefix(text, start) {
			return true
		}
	}
	return false
}

// noneFound is kubectl's "No resources found in shop namespace."
func noneFound(text string) bool { return strings.HasPrefix(text, "No resources found") }

// grid is a table's header: where its columns begin.
type grid struct {
	names    []string
	starts   []int // in characters
	squeezed bool  // columns are one blank apart
}

// parseHeader reads a line of column names in capitals.
func parseHeader(text string) (grid, bool) {
	if len(text) < 4 || len(text) > 4096 || text[0] < 'A' || text[0] > 'Z' {
		return grid{}, false
	}
	text = strings.ReplaceAll(text, "\t", "  ")
	for i := range len(text) {
		if c := text[i]; c >= 'a' && c <= 'z' || c >= utf8.RuneSelf || c < ' ' {
			return grid{}, false
		}
	}
	g := headerColumns(text)
	if len(g.names) == 1 {
		return squeezedHeader(text)
	}
	return g, len(g.names) > 1
}

// headerColumns reads column names at least two blanks apart. A name may be of two
// words: LAST SEEN.
func headerColumns(text string) grid {
	var g grid
	for i := 0; i < len(text); {
		if text[i] == ' ' {
			i++
			continue
		}
		end := i
		for end < len(text) && (text[end] != ' ' || end+1 < len(text) && text[end+1] != ' ') {
			end++
		}
		g.names = append(g.names, strings.TrimRight(text[i:end], " "))
		g.starts = append(g.starts, i)
		i = end
	}
	return g
}

// column is the index of the column with this name, or -1.
func (g grid) column(name string) int {
	for i, n := range g.names {
		if n == name {
			return i
		}
	}
	return -1
}

func (g grid) isKubectl() bool {
	first := g.names[0] == "NAME" || g.names[0] == "NAMESPACE" || g.names[0] == "LAST SEEN"
	return first && (g.column("AGE") > 0 || g.isEvents() || g.column("CREATED AT") > 0) && g.column("REVISION") < 0
}

func (g grid) isEvents() bool {
	return g.column("REASON") >= 0 && (g.column("OBJECT") >= 0 || g.column("KIND") >= 0) && g.column("MESSAGE") > 0
}

// cells cuts a row at the header's columns; where a value ran over its column,
// at runs of blanks.
func (g grid) cells(text string) ([]string, bool) {
	if strings.Contains(text, "\t") {
		split := strings.Split(text, "\t")
		for i := range split {
			split[i] = strings.TrimSpace(split[i])
		}
		return split, len(split) == len(g.names)
	}
	if g.squeezed {
		split := fieldsOfRow(text)
		return split, len(split) == len(g.names)
	}
	cells := make([]string, len(g.names))
	fits := true
	at := func(character int) int { return min(character, len(text)) }
	if !isASCII(text) {
		offsets := make([]int, 0, len(text)+1)
		for i := range text {
			offsets = append(offsets, i)
		}
		offsets = append(offsets, len(text))
		at = func(character int) int { return offsets[min(character, len(offsets)-1)] }
	}
	for i, start := range g.starts {
		from, to := at(start), len(text)
		if i+1 < len(g.starts) {
			to = at(g.starts[i+1])
		}
		if from > 0 && from < len(text) && text[from-1] != ' ' {
			fits = false
			break
		}
		cells[i] = strings.TrimSpace(text[from:to])
	}
	if fits && cells[0] != "" {
		return cells, true
	}
	split := splitColumns(text)
	if len(split) != len(g.names) {
		return nil, false
	}
	return split, true
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// splitColumns cuts a row at runs of two blanks or more.
func splitColumns(text string) []string {
	var cells []string
	for cell := range strings.SplitSeq(text, "  ") {
		if cell = strings.TrimSpace(cell); cell != "" {
			cells = append(cells, cell)
		}
	}
	return cells
}

// kind is what the table lists, by columns that no other kind prints together.
func (g grid) kind() string {
	has := func(names ...string) bool {
		for _, name := range names {
			if g.column(name) < 0 {
				return false
			}
		}
		return true
	}
	switch {
	case has("READY", "STATUS", "RESTARTS"):
		return "Pod"
	case has("STATUS", "ROLES", "VERSION"):
		return "Node"
	case has("RECLAIM POLICY", "CLAIM"):
		return "PersistentVolume"
	case has("VOLUME", "ACCESS MODES"):
		return "PersistentVolumeClaim"
	case has("ATTACHER", "PV", "NODE"):
		return "VolumeAttachment"
	case has("STATUS", "NODE"): // pods, some of whose columns were cut out
		return "Pod"
	case has("SERVICE", "AVAILABLE"):
		return "APIService"
	case has("HOLDER"):
		return "Lease"
	case has("READY", "UP-TO-DATE"):
		return "Deployment"
	case has("DESIRED", "NODE SELECTOR"):
		return "DaemonSet"
	case has("DESIRED", "CURRENT", "READY"):
		return "ReplicaSet"
	case has("MIN AVAILABLE"):
		return "PodDisruptionBudget"
	case has("COMPLETIONS", "DURATION"):
		return "Job"
	case has("SCHEDULE", "SUSPEND"):
		return "CronJob"
	case has("PROVISIONER"):
		return "StorageClass"
	case has("CLUSTER-IP"):
		return "Service"
	}
	return ""
}

// headerlessColumns are the columns of a kind whose rows are worth reading
// when grep has taken the header.
func headerlessColumns(c kubectlCommand) string {
	columns := ""
	switch c.kinds[0] {
	case "Pod":
		columns = "NAME  READY  STATUS  RESTARTS  AGE"
	case "Node":
		columns = "NAME  STATUS  ROLES  AGE  VERSION"
	case "Namespace":
		columns = "NAME  STATUS  AGE"
	default:
		return ""
	}
	if c.allNamespaces && c.kinds[0] == "Pod" {
		columns = "NAMESPACE  " + columns
	}
	return columns
}

// kubectlTable reads one file of tables.
type kubectlTable struct {
	f       *File
	b       *timeline.Builder
	command kubectlCommand
	grid    grid
	header  line
	open    bool // a header was seen and its table goes on
	loose   bool // the header is assumed
	kind    string
	lost    bool
	found   objectList
	byName  map[timeline.Ref]*timeline.Object
	other   leftovers
}

func parseKubectlTable(f *File, b *timeline.Builder) error {
	r := &kubectlTable{f: f, b: b, command: commandOf(f)}
	if f.printsRows() {
		if g, ok := parseHeader(headerlessColumns(r.command)); ok {
			r.grid, r.loose = g, true
		}
	}
	for l := range f.lines() {
		r.line(l)
	}
	r.finish()
	r.other.report(b)
	return nil
}

func (r *kubectlTable) line(l line) {
	text := strings.TrimRight(l.text, " ")
	if text == "" {
		r.finish()
		return
	}
	if len(text) > 16<<10 {
		r.other.add(r.f, r.b, l)
		return
	}
	if g, ok := parseHeader(text); ok && g.isKubectl() {
		r.finish()
		r.grid, r.header, r.open, r.loose = g, l, true, false
		r.kind = g.kind()
		if r.kind == "" && len(r.command.kinds) == 1 {
			r.kind = r.command.kinds[0]
		}
		if r.kind == "" && len(g.names) == 3 && g.column("STATUS") == 1 && g.column("AGE") == 2 {
			r.kind = "Namespace"
		}
		r.byName = map[timeline.Ref]*timeline.Object{}
		return
	}
	switch {
	case noneFound(text):
		r.none(l, text)
	case kubectlChatter(text), !r.open && isKlogLine(text):
	case kubectlFailed(text):
		if absent, ok := notFound(r.f, r.b, l); ok {
			r.b.Absents = append(r.b.Absents, absent)
		} else {
			r.b.Gap(timeline.GapCommandFailed, l.number, prefix(text, maxExcerpt))
		}
		commandEvent(r.f, r.b, l, timeline.LevelError, text)
		r.lost = true
	case r.open:
		if cells, ok := r.grid.cells(text); ok {
			r.row(l, cells)
			return
		}
		r.lost = true
		if !r.lone(l, text) {
			r.other.add(r.f, r.b, l)
		}
	case r.lone(l, text):
	case r.loose && !isKlogLine(text):
		fields := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(text, " (", "("), " ago)", "ago)"))
		if len(fields) < len(r.grid.names) {
			r.other.add(r.f, r.b, l)
			return
		}
		r.kind = r.command.kinds[0]
		if r.byName == nil {
			r.byName = map[timeline.Ref]*timeline.Object{}
		}
		r.row(l, fields[:len(r.grid.names)])
	default:
		r.other.add(r.f, r.b, l)
	}
}

// lone reads a row whose header is not there, or does not fit it.
func (r *kubectlTable) lone(l line, text string) bool {
	kind, g, cells, ok := loneRow(text)
	if !ok {
		return false
	}
	of, name := r.grid, r.kind
	r.grid, r.kind = g, kind
	if r.byName == nil {
		r.byName = map[timeline.Ref]*timeline.Object{}
	}
	r.row(l, cells)
	r.grid, r.kind = of, name
	return true
}

// none records an empty listing.
func (r *kubectlTable) none(l line, text string) {
	namespace := ""
	if rest, ok := strings.CutPrefix(text, "No resources found in "); ok {
		namespace, _, _ = strings.Cut(rest, " namespace")
	}
	c := r.command
	if namespace != "" {
		c.namespace = namespace
	}
	for _, kind := range c.kinds {
		if kind != "" {
			r.b.Listings = append(r.b.Listings, c.listing(listed{kind: kind}, false, timeline.Listing{
				AsOf: r.f.CapturedAt, Source: r.b.Src(l.number, l.offset), Text: text,
			}))
		}
	}
	r.b.Input.Records++
}

// finish ends the table that is open.
func (r *kubectlTable) finish() {
	if !r.open {
		return
	}
	r.open = false
	found := r.found.found
	if len(found) == 0 && r.kind != "" {
		found = []listed{{kind: r.kind}}
	}
	for _, e := range found {
		if e.kind == "" {
			continue
		}
		c := r.command
		if r.grid.names[0] == "NAMESPACE" && c.namespace == "" {
			c.allNamespaces = true // kubectl prints the column with -A alone
		}
		r.b.Listings = append(r.b.Listings, c.listing(e, r.lost, timeline.Listing{
			AsOf: r.f.CapturedAt, Source: r.b.Src(r.header.number, r.header.offset), Text: r.header.text,
		}))
	}
	r.found, r.lost = objectList{}, false
}

// row turns one row into an object.
func (r *kubectlTable) row(l line, cells []string) {
	cell := func(name string) string {
		i := r.grid.column(name)
		if i < 0 || cells[i] == "<none>" || cells[i] == "<unset>" || cells[i] == "<unknown>" {
			return ""
		}
		return cells[i]
	}
	name, kind := cell("NAME"), r.kind
	if kind == "" && isReadyCount(cell("READY")) && cell("STATUS") != "" {
		kind = "Pod" // some columns were cut out
	}
	if resource, rest, ok := strings.Cut(name, "/"); ok {
		name = rest
		if k := kindOfResource(resource); k != "" {
			kind = k
		}
	}
	namespace := cell("NAMESPACE")
	if namespace == "" && !clusterScoped(kind) {
		namespace = r.command.namespace
	}
	if name == "" || kind == "" || strings.ContainsAny(name, " \t") {
		r.found.add(kind, namespace)
		r.b.Input.Records++
		return
	}
	r.found.add(kind, namespace)
	content := partialContent{"kind": kind, "metadata": map[string]any{"name": name}}
	o := &timeline.Object{
		Kind: kind, Namespace: namespace, Name: name,
		Content: timeline.Decoded(content),
		Partial: true, Ages: map[string]time.Duration{}, AsOf: r.f.CapturedAt,
		Source: r.b.Src(l.number, l.offset), Text: l.text,
	}
	content.set(namespace, "metadata", "namespace")
	if age, ok := parseAge(cell("AGE")); ok {
		o.Ages["metadata.creationTimestamp"] = age
	}
	tableFields(kind, content, cell)
	o.Locate = func(path ...string) (timeline.Source, string, bool) {
		return o.Source, o.Text, hasPath(map[string]any(content), path)
	}
	if kind == "Node" {
		r.b.Host(name)
	}
	if known := r.byName[o.Ref()]; known != nil {
		*known = *o // kubectl get -w prints a row at each change; the last holds
		return
	}
	r.byName[o.Ref()] = o
	r.b.AddObject(o)
}

// tableFields puts a row's cells where the API keeps them. What kubectl makes
// up for display goes to status.displayed.
func tableFields(kind string, content partialContent, cell func(string) string) {
	status := cell("STATUS")
	switch kind {
	case "Pod":
		content.set(status, "status", "displayed")
		content.set(cell("READY"), "status", "displayedReady")
		switch status {
		case "Pending", "Running", "Succeeded", "Failed", "Unknown":
			content.set(status, "status", "phase")
		case "Completed":
			content.set("Succeeded", "status", "phase")
		case "Error":
			content.set("Failed", "status", "phase")
		case "Evicted", "NodeLost", "NodeAffinity", "Shutdown", "UnexpectedAdmissionError":
			content.set(status, "status", "reason")
		}
		content.set(cell("NODE"), "spec", "nodeName")
		content.set(cell("IP"), "status", "podIP")
	case "Node":
		content.set(status, "status", "displayed")
		for word := range strings.SplitSeq(status, ",") {
			switch word {
			case "Ready": // NotReady may be False or Unknown
				content["status"].(map[string]any)["conditions"] = []any{map[string]any{"type": "Ready", "status": "True"}}
			case "SchedulingDisabled":
				content.setValue(true, "spec", "unschedulable")
			}
		}
		content.set(cell("VERSION"), "status", "nodeInfo", "kubeletVersion")
		content.set(cell("CONTAINER-RUNTIME"), "status", "nodeInfo", "containerRuntimeVersion")
		content.set(cell("KERNEL-VERSION"), "status", "nodeInfo", "kernelVersion")
		content.set(cell("OS-IMAGE"), "status", "nodeInfo", "osImage")
		if ip := cell("INTERNAL-IP"); ip != "" {
			content.setValue([]any{map[string]any{"type": "InternalIP", "address": ip}}, "status", "addresses")
		}
	case "Namespace":
		content.set(status, "status", "phase")
		content.set(status, "status", "displayed")
	case "PersistentVolumeClaim":
		content.phase(status)
		content.set(cell("VOLUME"), "spec", "volumeName")
		content.set(cell("STORAGECLASS"), "spec", "storageClassName")
	case "PersistentVolume":
		content.phase(status)
		content.set(cell("STORAGECLASS"), "spec", "storageClassName")
		content.set(cell("RECLAIM POLICY"), "spec", "persistentVolumeReclaimPolicy")
		if namespace, name, ok := strings.Cut(cell("CLAIM"), "/"); ok {
			content.set(namespace, "spec", "claimRef", "namespace")
			content.set(name, "spec", "claimRef", "name")
		}
	case "VolumeAttachment":
		content.set(cell("ATTACHER"), "spec", "attacher")
		content.set(cell("PV"), "spec", "source", "persistentVolumeName")
		content.set(cell("NODE"), "spec", "nodeName")
		if attached, err := strconv.ParseBool(cell("ATTACHED")); err == nil {
			content.setValue(attached, "status", "attached")
		}
	case "APIService":
		if namespace, name, ok := strings.Cut(cell("SERVICE"), "/"); ok {
			content.set(namespace, "spec", "service", "namespace")
			content.set(name, "spec", "service", "name")
		}
		if available := cell("AVAILABLE"); available != "" {
			value, reason, _ := strings.Cut(available, " (")
			condition := map[string]any{"type": "Available", "status": value}
			if reason = strings.TrimSuffix(reason, ")"); reason != "" {
				condition["reason"] = reason
			}
			content.setValue([]any{condition}, "status", "conditions")
		}
	case "Lease":
		content.set(cell("HOLDER"), "spec", "holderIdentity")
	default:
		content.set(status, "status", "displayed")
	}
}

// partialContent builds an object's content field by field.
type partialContent map[string]any

// set writes a string that is not empty.
func (c partialContent) set(value string, path ...string) {
	if value != "" {
		c.setValue(value, path...)
	}
}

func (c partialContent) setValue(value any, path ...string) {
	m := map[string]any(c)
	for _, key := range path[:len(path)-1] {
		next, ok := m[key].(map[string]any)
		if !ok {
			next = map[string]any{}
			m[key] = next
		}
		m = next
	}
	m[path[len(path)-1]] = value
}

// phase writes a volume's or claim's status, which kubectl shows as
// "Terminating" while it is being deleted.
func (c partialContent) phase(status string) {
	c.set(status, "status", "displayed")
	if status != "Terminating" {
		c.set(status, "status", "phase")
	}
}

// hasPath says whether content holds something at path.
func hasPath(content any, path []string) bool {
	for _, part := range path {
		switch v := content.(type) {
		case map[string]any:
			content = v[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(v) {
				return false
			}
			content = v[i]
		default:
			return false
		}
	}
	return content != nil
}

// parseAge reads an age as kubectl prints it: 45s, 6m10s, 5h12m, 2d18h, 412d,
// 3y20d.
func parseAge(s string) (time.Duration, bool) {
	const day = 24 * time.Hour
	if s == "" || len(s) > 24 {
		return 0, false
	}
	var total time.Duration
	for s != "" {
		n := 0
		for n < len(s) && isDigit(s[n]) {
			n++
		}
		value, ok := decimal(s[:n])
		if !ok || n == len(s) || value > 1<<30 {
			return 0, false
		}
		unit := time.Duration(0)
		switch s[n] {
		case 's':
			unit = time.Second
		case 'm':
			unit = time.Minute
		case 'h':
			unit = time.Hour
		case 'd':
			unit = day
		case 'y':
			unit = 365 * day
		default:
			return 0, false
		}
		if time.Duration(value) > 200*365*day/unit {
			return 0, false
		}
		total += time.Duration(value) * unit
		s = s[n+1:]
	}
	return total, total < 200*365*day
}
