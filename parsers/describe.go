package parsers

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// kubectlDescribeParser reads what kubectl describe prints.
var kubectlDescribeParser = Parser{
	Name:  "kubectl-describe",
	Doc:   "kubectl describe of pods, nodes, claims, volumes, namespaces and, in its generic form, of anything else, with the Events below it.",
	Sniff: sniffKubectlDescribe,
	Parse: parseKubectlDescribe,
}

func sniffKubectlDescribe(f *File) bool {
	named := false
	for _, text := range f.firstLines(24) {
		switch {
		case strings.HasPrefix(text, "Name: "):
			named = true
		case !named && (kubectlChatter(text) || isKlogLine(text)):
		case !named:
			return false
		case strings.HasPrefix(text, "Labels:"), strings.HasPrefix(text, "Annotations:"),
			strings.HasPrefix(text, "Namespace:"), strings.HasPrefix(text, "Finalizers:"),
			strings.HasPrefix(text, "Roles:"), strings.HasPrefix(text, "Taints:"), strings.HasPrefix(text, "Conditions:"):
			return true
		}
	}
	return false
}

// described is one line of a description with the lines indented below it.
type described struct {
	line
	indent   int
	key      string // up to the colon; "" for a line without
	value    string
	children []*described
}

// text is the line without its indentation.
func (e *described) trimmed() string { return strings.TrimSpace(e.line.text) }

// child is the first child with this key.
func (e *described) child(key string) *described {
	for _, c := range e.children {
		if c.key == key {
			return c
		}
	}
	return nil
}

// values are the value and the continuation lines below it.
func (e *described) values() []*described {
	if e.value == "" || e.value == "<none>" {
		return e.children
	}
	first := &described{line: e.line, key: e.key, value: e.value}
	return append([]*described{first}, e.children...)
}

// said is the text of a value or continuation line.
func (e *described) said(parent *described) string {
	if e.line.number == parent.line.number {
		return e.value
	}
	return e.trimmed()
}

// deepestEntry bounds how far entries are nested.
const deepestEntry = 40

func parseKubectlDescribe(f *File, b *timeline.Builder) error {
	root := &described{indent: -1}
	stack := []*described{root}
	command := commandOf(f)
	var other leftovers
	finish := func() {
		if len(root.children) > 0 {
			describe(f, b, command, root)
		}
		root = &described{indent: -1}
		stack = []*described{root}
	}
	for l := range f.lines() {
		text := strings.TrimRight(l.text, " ")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if indent == len(text) {
			continue
		}
		if indent == 0 {
			if strings.HasPrefix(text, "Name: ") {
				finish()
			} else if len(root.children) == 0 {
				if absent, ok := notFound(f, b, l); ok {
					b.Absents = append(b.Absents, absent)
				} else if !kubectlChatter(text) {
					other.add(f, b, l)
				}
				continue
			}
		}
		e := &described{line: l, indent: indent}
		bare := text[indent:]
		if colon := strings.IndexByte(bare, ':'); colon > 0 {
			if rest := bare[colon+1:]; rest == "" || rest[0] == ' ' || rest[0] == '\t' {
				e.key, e.value = bare[:colon], strings.TrimSpace(rest)
			}
		}
		for len(stack) > 1 && (stack[len(stack)-1].indent >= indent || len(stack) > deepestEntry) {
			stack = stack[:len(stack)-1]
		}
		parent := stack[len(stack)-1]
		parent.children = append(parent.children, e)
		stack = append(stack, e)
	}
	finish()
	other.report(b)
	if b.Input.Records == 0 {
		return errors.New("no described object could be read")
	}
	return nil
}

// description builds one object and remembers where each field stands.
type description struct {
	f       *File
	b       *timeline.Builder
	root    *described
	kind    string
	content partialContent
	ages    map[string]time.Duration
	lines   map[string]line
}

// set writes a field that a line tells, unless it tells nothing.
func (d *description) set(l line, value any, path ...string) {
	if s, ok := value.(string); ok && (s == "" || s == "<none>" || s == "<unset>" || s == "<unknown>") {
		return
	}
	d.content.setValue(value, path...)
	d.mark(l, path...)
}

func (d *description) mark(l line, path ...string) { d.lines[strings.Join(path, ".")] = l }

// describe turns one description into an object and its events.
func describe(f *File, b *timeline.Builder, command kubectlCommand, root *described) {
	d := &description{
		f: f, b: b, root: root, content: partialContent{},
		ages: map[string]time.Duration{}, lines: map[string]line{},
	}
	d.kind = d.guessKind(command)
	name := root.children[0]
	if d.kind == "" || name.value == "" {
		b.Gap(timeline.GapNotUnderstood, name.number, "a description of an unknown kind of object")
		return
	}
	d.content["kind"] = d.kind
	d.common()
	switch d.kind {
	case "Pod":
		d.pod()
	case "Node":
		d.node()
	case "PersistentVolume":
		d.volume()
	}
	if kind := root.child("Kind"); kind != nil && root.child("API Version") != nil {
		d.generic()
	}
	content := map[string]any(d.content)
	o := &timeline.Object{
		APIVersion: field(content, "apiVersion"),
		Kind:       d.kind,
		Namespace:  field(content, "metadata", "namespace"),
		Name:       name.value,
		UID:        field(content, "metadata", "uid"),
		Content:    timeline.Decoded(content), Partial: true, Ages: d.ages, AsOf: f.CapturedAt,
		Source: b.Src(name.number, name.offset), Text: name.text,
		Locate: d.locate,
	}
	if o.Namespace == "" && !clusterScoped(o.Kind) {
		o.Namespace = command.namespace
	}
	b.AddObject(o)
	if d.kind == "Node" {
		b.Host(o.Name)
		d.lease(o.Name)
	}
	if events := root.child("Events"); events != nil {
		d.events(events, o)
	}
}

// locate finds the line of a field, or of the nearest thing around it.
func (d *description) locate(path ...string) (timeline.Source, string, bool) {
	content := map[string]any(d.content)
	if _, aged := d.ages[strings.Join(path, ".")]; !aged && !hasPath(content, path) {
		return timeline.Source{}, "", false
	}
	for n := len(path); n > 0; n-- {
		if l, ok := d.lines[strings.Join(path[:n], ".")]; ok {
			return d.b.Src(l.number, l.offset), l.text, true
		}
	}
	return timeline.Source{}, "", false
}

// guessKind tells the kind by sections that no other kind has, then by what
// was asked for.
func (d *description) guessKind(command kubectlCommand) string {
	has := func(keys ...string) bool {
		for _, key := range keys {
			if d.root.child(key) == nil {
				return false
			}
		}
		return true
	}
	switch {
	case has("Kind", "API Version"):
		return d.root.child("Kind").value
	case has("Containers") && has("Node"):
		return "Pod"
	case has("System Info"), has("Taints", "Unschedulable"), has("Roles", "Taints"):
		return "Node"
	case has("StorageClass", "Volume", "Access Modes"), has("Used By"):
		return "PersistentVolumeClaim"
	case has("Reclaim Policy", "Claim"):
		return "PersistentVolume"
	case has("Provisioner"):
		return "StorageClass"
	}
	if len(command.kinds) == 1 && command.kinds[0] != "" {
		return command.kinds[0]
	}
	for _, e := range d.root.children {
		if s := e.trimmed(); s == "No resource quota." || e.key == "Resource Quotas" {
			return "Namespace"
		}
	}
	return ""
}

// common reads what most descriptions begin with.
func (d *description) common() {
	for i, e := range d.root.children {
		switch e.key {
		case "Name":
			if i == 0 {
				d.set(e.line, e.value, "metadata", "name")
			}
		case "Namespace":
			d.set(e.line, e.value, "metadata", "namespace")
		case "UID":
			d.set(e.line, e.value, "metadata", "uid")
		case "CreationTimestamp":
			d.set(e.line, describedTime(e.value), "metadata", "creationTimestamp")
		case "Labels":
			d.pairs(e, "=", "labels")
		case "Annotations":
			d.pairs(e, ": ", "annotations")
		case "Finalizers":
			d.set(e.line, bracketed(e.value), "metadata", "finalizers")
		case "Controlled By":
			if kind, name, ok := strings.Cut(e.value, "/"); ok {
				d.set(e.line, []any{map[string]any{"kind": kind, "name": name, "controller": true}}, "metadata", "ownerReferences")
			}
		case "Status":
			d.status(e)
		case "Termination Grace Period":
			// kubectl prints the grace period of the deletion, not of the spec.
			if age, ok := parseAge(e.value); ok {
				d.set(e.line, int64(age/time.Second), "metadata", "deletionGracePeriodSeconds")
			}
		case "Reason":
			d.set(e.line, e.value, "status", "reason")
		case "Message":
			d.set(e.line, e.value, "status", "message")
		case "Conditions":
			d.conditions(e)
		case "StorageClass":
			d.set(e.line, e.value, "spec", "storageClassName")
		case "Volume":
			d.set(e.line, e.value, "spec", "volumeName")
		case "Used By":
			var users []any
			for _, user := range e.values() {
				users = append(users, user.said(e))
			}
			if len(users) > 0 {
				d.set(e.line, users, "status", "usedBy")
			}
		}
	}
}

// status reads a phase, or "Terminating (lasts 6m10s)": how long ago the
// deletion timestamp passed.
func (d *description) status(e *described) {
	value, lasts, _ := strings.Cut(e.value, " (lasts ")
	value, expires, _ := strings.Cut(value, " (expires ") // kubectl before 1.11 gave the deadline itself
	d.set(e.line, value, "status", "displayed")
	if value != "Terminating" || d.kind == "Namespace" {
		d.set(e.line, value, "status", "phase")
		return
	}
	d.mark(e.line, "metadata", "deletionTimestamp")
	if at := describedTime(strings.TrimSuffix(expires, ")")); at != "" {
		d.set(e.line, at, "metadata", "deletionTimestamp")
	}
	lasts = strings.TrimSuffix(lasts, ")")
	if age, ok := parseAge(lasts); ok {
		d.ages["metadata.deletionTimestamp"] = age
	} else if lasts == "<invalid>" {
		// Negative: the deletion timestamp, which includes the grace period, is
		// still to come.
		d.set(e.line, true, "status", "withinGrace")
	}
}

// pairs reads labels and annotations, one per line.
func (d *description) pairs(e *described, separator, name string) {
	all := map[string]any{}
	for _, v := range e.values() {
		key, value, ok := strings.Cut(v.said(e), separator)
		if !ok {
			continue
		}
		all[key] = strings.TrimSpace(value)
		d.mark(v.line, "metadata", name, key)
	}
	if len(all) > 0 {
		d.set(e.line, all, "metadata", name)
	}
}

// bracketed reads "[a b]".
func bracketed(s string) any {
	var list []any
	for word := range strings.FieldsSeq(strings.Trim(s, "[]")) {
		list = append(list, word)
	}
	if len(list) == 0 {
		return ""
	}
	return list
}

// conditions reads the table of conditions.
func (d *description) conditions(e *described) {
	if len(e.children) < 2 || !strings.HasPrefix(e.children[0].trimmed(), "Type ") {
		return
	}
	g := headerColumns(expandTabs(e.children[0].text))
	var all []any
	for _, row := range e.children[1:] {
		if strings.HasPrefix(row.trimmed(), "--") {
			continue
		}
		cells, ok := g.cells(expandTabs(row.text))
		if !ok {
			continue
		}
		condition := map[string]any{}
		for i, name := range g.names {
			if cells[i] == "" || name == "" {
				continue
			}
			value := cells[i]
			if strings.HasSuffix(name, "Time") {
				value = describedTime(value)
			}
			condition[strings.ToLower(name[:1])+name[1:]] = value
		}
		d.mark(row.line, "status", "conditions", strconv.Itoa(len(all)))
		all = append(all, condition)
	}
	if len(all) > 0 {
		d.set(e.line, all, "status", "conditions")
	}
}

// pod reads what only pods have.
func (d *description) pod() {
	for _, e := range d.root.children {
		switch e.key {
		case "Node":
			node, ip, _ := strings.Cut(e.value, "/")
			d.set(e.line, node, "spec", "nodeName")
			d.set(e.line, ip, "status", "hostIP")
		case "Start Time":
			d.set(e.line, describedTime(e.value), "status", "startTime")
		case "IP":
			d.set(e.line, e.value, "status", "podIP")
		case "Runtime Class Name":
			d.set(e.line, e.value, "spec", "runtimeClassName")
		case "Service Account":
			d.set(e.line, e.value, "spec", "serviceAccountName")
		case "Init Containers":
			d.containers(e, "initContainers", "initContainerStatuses")
		case "Containers":
			d.containers(e, "containers", "containerStatuses")
		case "Ephemeral Containers":
			d.containers(e, "ephemeralContainers", "ephemeralContainerStatuses")
		case "Volumes":
			d.volumes(e)
		}
	}
}

func (d *description) containers(e *described, spec, status string) {
	var specs, statuses []any
	for _, c := range e.children {
		if c.key == "" {
			continue
		}
		at := strconv.Itoa(len(specs))
		d.mark(c.line, "spec", spec, at)
		d.mark(c.line, "status", status, at)
		container := map[string]any{"name": c.key}
		state := map[string]any{"name": c.key}
		for _, a := range c.children {
			switch a.key {
			case "Container ID":
				if a.value != "" {
					state["containerID"] = a.value
				}
				d.mark(a.line, "status", status, at, "containerID")
			case "Image":
				container["image"] = a.value
			case "State":
				state["state"] = containerState(a)
				d.mark(a.line, "status", status, at, "state")
			case "Last State":
				state["lastState"] = containerState(a)
				d.mark(a.line, "status", status, at, "lastState")
			case "Ready":
				state["ready"] = a.value == "True"
				d.mark(a.line, "status", status, at, "ready")
			case "Restart Count":
				if n, ok := decimal(a.value); ok {
					state["restartCount"] = int64(n)
				}
				d.mark(a.line, "status", status, at, "restartCount")
			case "Mounts":
				var mounts []any
				for _, m := range a.children {
					path, rest, ok := strings.Cut(m.trimmed(), " from ")
					if !ok {
						continue
					}
					name, options, _ := strings.Cut(rest, " (")
					mount := map[string]any{"mountPath": path, "name": name}
					for option := range strings.SplitSeq(strings.TrimSuffix(options, ")"), ",") {
						if sub, ok := strings.CutPrefix(option, "path="); ok {
							mount["subPath"] = strings.Trim(sub, `"`)
						}
					}
					mounts = append(mounts, mount)
				}
				if len(mounts) > 0 {
					container["volumeMounts"] = mounts
				}
			}
		}
		specs, statuses = append(specs, container), append(statuses, state)
	}
	if len(specs) > 0 {
		d.set(e.line, specs, "spec", spec)
		d.set(e.line, statuses, "status", status)
	}
}

// containerState reads "State: Terminated" with its details.
func containerState(e *described) map[string]any {
	details := map[string]any{}
	for _, a := range e.children {
		switch a.key {
		case "Reason":
			details["reason"] = a.value
		case "Message":
			details["message"] = a.value
		case "Exit Code":
			if n, ok := decimal(a.value); ok {
				details["exitCode"] = int64(n)
			}
		case "Signal":
			if n, ok := decimal(a.value); ok {
				details["signal"] = int64(n)
			}
		case "Started":
			details["startedAt"] = describedTime(a.value)
		case "Finished":
			details["finishedAt"] = describedTime(a.value)
		}
	}
	if e.value == "" || e.value == "<none>" {
		return map[string]any{}
	}
	return map[string]any{strings.ToLower(e.value): details}
}

// volumes reads where a pod's volumes come from.
func (d *description) volumes(e *described) {
	var all []any
	for _, v := range e.children {
		if v.key == "" {
			continue
		}
		volume := map[string]any{"name": v.key}
		text := func(key string) string {
			if c := v.child(key); c != nil && c.value != "<none>" {
				return c.value
			}
			return ""
		}
		source := partialContent{}
		kind, _, _ := strings.Cut(text("Type"), " ")
		name := ""
		switch kind {
		case "PersistentVolumeClaim":
			name = "persistentVolumeClaim"
			source.set(text("ClaimName"), "claimName")
		case "Secret":
			name = "secret"
			source.set(text("SecretName"), "secretName")
		case "ConfigMap":
			name = "configMap"
			source.set(text("Name"), "name")
		case "HostPath":
			name = "hostPath"
			source.set(text("Path"), "path")
		case "EmptyDir":
			name = "emptyDir"
			source.set(text("Medium"), "medium")
		case "NFS":
			name = "nfs"
			source.set(text("Server"), "server")
			source.set(text("Path"), "path")
		case "CSI":
			name = "csi"
			source.set(text("Driver"), "driver")
		case "Projected":
			name = "projected"
		case "DownwardAPI":
			name = "downwardAPI"
		case "EphemeralVolume":
			name = "ephemeral"
		}
		if name != "" {
			volume[name] = map[string]any(source)
		}
		d.mark(v.line, "spec", "volumes", strconv.Itoa(len(all)))
		all = append(all, volume)
	}
	if len(all) > 0 {
		d.set(e.line, all, "spec", "volumes")
	}
}

// node reads what only nodes have.
func (d *description) node() {
	for _, e := range d.root.children {
		switch e.key {
		case "Unschedulable":
			if e.value == "true" {
				d.set(e.line, true, "spec", "unschedulable")
			}
		case "ProviderID":
			d.set(e.line, e.value, "spec", "providerID")
		case "Taints":
			d.taints(e)
		case "Addresses":
			var all []any
			for _, a := range e.children {
				all = append(all, map[string]any{"type": a.key, "address": a.value})
			}
			if len(all) > 0 {
				d.set(e.line, all, "status", "addresses")
			}
		case "System Info":
			for _, a := range e.children {
				key := map[string]string{
					"Machine ID": "machineID", "System UUID": "systemUUID", "Boot ID": "bootID",
					"Kernel Version": "kernelVersion", "OS Image": "osImage", "Architecture": "architecture",
					"Operating System": "operatingSystem", "Kubelet Version": "kubeletVersion",
					"Container Runtime Version": "containerRuntimeVersion", "Kube-Proxy Version": "kubeProxyVersion",
				}[a.key]
				if key != "" {
					d.set(a.line, a.value, "status", "nodeInfo", key)
				}
			}
		}
	}
}

func (d *description) taints(e *described) {
	var all []any
	for _, v := range e.values() {
		keyValue, effect, ok := cutLast(v.said(e), ":")
		if !ok {
			continue
		}
		key, value, _ := strings.Cut(keyValue, "=")
		taint := map[string]any{"key": key, "effect": strings.TrimSpace(effect)}
		if value != "" {
			taint["value"] = value
		}
		d.mark(v.line, "spec", "taints", strconv.Itoa(len(all)))
		all = append(all, taint)
	}
	if len(all) > 0 {
		d.set(e.line, all, "spec", "taints")
	}
}

// lease is the object of its own that describe node prints among the rest.
func (d *description) lease(node string) {
	e := d.root.child("Lease")
	if e == nil {
		return
	}
	renewed := e.child("RenewTime")
	if renewed == nil || describedTime(renewed.value) == "" {
		return
	}
	l := &description{f: d.f, b: d.b, content: partialContent{"kind": "Lease"}, lines: map[string]line{}}
	l.set(e.line, node, "metadata", "name")
	l.set(e.line, "kube-node-lease", "metadata", "namespace")
	l.set(renewed.line, describedTime(renewed.value), "spec", "renewTime")
	if holder := e.child("HolderIdentity"); holder != nil {
		l.set(holder.line, holder.value, "spec", "holderIdentity")
	}
	d.b.AddObject(&timeline.Object{
		Kind: "Lease", Namespace: "kube-node-lease", Name: node,
		Content: timeline.Decoded(l.content), Partial: true, AsOf: d.f.CapturedAt,
		Source: d.b.Src(renewed.number, renewed.offset), Text: renewed.text, Locate: l.locate,
	})
}

// volume reads what only persistent volumes have.
func (d *description) volume() {
	for _, e := range d.root.children {
		switch e.key {
		case "Claim":
			if namespace, name, ok := strings.Cut(e.value, "/"); ok {
				d.set(e.line, namespace, "spec", "claimRef", "namespace")
				d.set(e.line, name, "spec", "claimRef", "name")
			}
		case "Reclaim Policy":
			d.set(e.line, e.value, "spec", "persistentVolumeReclaimPolicy")
		case "Source":
			kind, _, _ := strings.Cut(childValue(e, "Type"), " ")
			switch kind {
			case "CSI":
				d.set(e.line, childValue(e, "Driver"), "spec", "csi", "driver")
				d.set(e.line, childValue(e, "VolumeHandle"), "spec", "csi", "volumeHandle")
			case "NFS":
				d.set(e.line, childValue(e, "Server"), "spec", "nfs", "server")
				d.set(e.line, childValue(e, "Path"), "spec", "nfs", "path")
			}
		}
	}
}

func childValue(e *described, key string) string {
	if c := e.child(key); c != nil {
		return c.value
	}
	return ""
}

// generic reads the form that kubectl falls back to: the object's own fields,
// as words.
func (d *description) generic() {
	if e := d.root.child("API Version"); e != nil {
		d.set(e.line, e.value, "apiVersion")
	}
	if confidential(d.kind) {
		return
	}
	for _, e := range d.root.children {
		switch e.key {
		case "Metadata":
			for _, a := range e.children {
				if a.key != "Managed Fields" && a.key != "" {
					d.set(a.line, genericValue(a, 0), "metadata", fieldName(a.key))
				}
			}
		case "Spec", "Status":
			for _, a := range e.children {
				if a.key != "" {
					d.set(a.line, genericValue(a, 0), strings.ToLower(e.key), fieldName(a.key))
				}
			}
		}
	}
}

// genericValue turns an entry into a field's value. Lists of objects run into
// each other in this form and are kept as one object.
func genericValue(e *described, depth int) any {
	if len(e.children) == 0 || depth > deepestEntry {
		switch {
		case e.value == "true" || e.value == "false":
			return e.value == "true"
		default:
			if n, err := strconv.ParseInt(e.value, 10, 64); err == nil {
				return n
			}
		}
		return e.value
	}
	if e.children[0].key == "" {
		var all []any
		for _, c := range e.children {
			all = append(all, c.trimmed())
		}
		return all
	}
	content := map[string]any{}
	for _, c := range e.children {
		if c.key != "" {
			content[fieldName(c.key)] = genericValue(c, depth+1)
		}
	}
	return content
}

// fieldName is the API's name of what describe prints as words: "Deletion
// Timestamp" is deletionTimestamp.
func fieldName(words string) string {
	if words == "UID" {
		return "uid"
	}
	name := strings.ReplaceAll(words, " ", "")
	return strings.ToLower(name[:1]) + name[1:]
}

// describedTime turns "Mon, 30 Nov 2026 08:54:01 +0000" into the API's form.
func describedTime(s string) string {
	for _, layout := range []string{time.RFC1123Z, time.RFC3339Nano} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC().Format(time.RFC3339Nano)
		}
	}
	return ""
}

// events reads the table of Events at the end of a description.
func (d *description) events(e *described, o *timeline.Object) {
	var g grid
	for _, row := range e.children {
		trimmed := row.trimmed()
		switch {
		case strings.HasPrefix(trimmed, "--"):
			continue
		case g.names == nil:
			if !strings.Contains(trimmed, "Reason") || !strings.Contains(trimmed, "Message") {
				return
			}
			g = headerColumns(expandTabs(row.text))
			continue
		}
		cells, ok := g.cells(expandTabs(row.text))
		if !ok {
			if n := len(d.b.Events); n > 0 {
				last := &d.b.Events[n-1]
				if last.Component == timeline.APIEvent && len(last.Text) < 8*maxMessage && last.Source.Line+strings.Count(last.Text, "\n")+1 == row.number {
					last.Message += "\n" + trimmed
					last.Text += "\n" + row.text
					last.Source.LastLine = row.number
				}
			}
			continue
		}
		cell := func(name string) string {
			if i := g.column(name); i >= 0 {
				return cells[i]
			}
			return ""
		}
		event := timeline.Event{
			Component: timeline.APIEvent, Level: timeline.LevelInfo, API: &timeline.APIRecord{Object: o.Ref()},
			Text: row.text, Source: d.b.Src(row.number, row.offset),
		}
		age := cell("Age")
		if age == "" {
			age = cell("LastSeen") // kubectl before 1.9
			if first, ok := parseAge(cell("FirstSeen")); ok {
				event.API.FirstAge, event.API.HasFirstAge = first, true
			}
			if n, ok := decimal(cell("Count")); ok {
				event.API.Count = n
			}
		}
		if !seen(&event, age) {
			continue
		}
		if cell("Type") == "Warning" {
			event.Level = timeline.LevelWarning
		}
		from, host, _ := strings.Cut(cell("From"), ", ")
		if event.Node = host; host == "" && from == timeline.Kubelet {
			event.Node = field(o.Whole(), "spec", "nodeName")
			if o.Kind == "Node" {
				event.Node = o.Name
			}
		}
		event.Message = eventMessage(cell("Reason"), withoutFieldPath(cell("Message")))
		d.b.Add(event)
	}
}

// withoutFieldPath drops what kubectl since 1.33 puts before an event's own
// message: "spec.containers{web}: ".
func withoutFieldPath(message string) string {
	if strings.HasPrefix(message, "spec.") {
		if path, rest, ok := strings.Cut(message, "}: "); ok && strings.Contains(path, "ontainers{") && !strings.Contains(path, " ") {
			return rest
		}
	}
	return message
}

// expandTabs sets tabs to multiples of eight columns, as a terminal does.
func expandTabs(s string) string {
	if !strings.Contains(s, "\t") {
		return s
	}
	var out strings.Builder
	column := 0
	for _, r := range s {
		if r != '\t' {
			out.WriteRune(r)
			column++
			continue
		}
		for first := true; first || column%8 != 0; first = false {
			out.WriteByte(' ')
			column++
		}
	}
	return out.String()
}
