package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// crictlTableParser reads the runtimes' own tables.
var crictlTableParser = Parser{
	Name:  "crictl-table",
	Doc:   "Tables of crictl ps, crictl pods, ctr tasks ls and ctr containers ls, several in a file or without their headings.",
	Sniff: sniffCrictlTable,
	Parse: parseCrictlTable,
}

// runtimeTable is one of the tables of crictl and ctr.
type runtimeTable int

const (
	noRuntimeTable runtimeTable = iota
	crictlPS
	crictlPods
	ctrTasks
	ctrContainers
)

func sniffCrictlTable(f *File) bool {
	if f.blank() {
		return (f.ran("crictl") || f.ran("ctr")) && !strings.Contains(f.Command, "json")
	}
	lines := f.firstLines(4)
	for _, s := range lines {
		if kind, _ := runtimeHeader(s); kind != noRuntimeTable {
			return true
		}
	}
	kind, columns := commandTable(f)
	if kind == noRuntimeTable {
		return false
	}
	_, ok := columns.cells(lines[0])
	return ok
}

func parseCrictlTable(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		kind, _ := commandTable(f)
		r := runtimeTableReader{file: f, b: b, kind: kind}
		if kind != noRuntimeTable && f.filtered() {
			r.listing(line{number: max(f.FirstLine-1, 1), offset: f.Offset, text: f.Command})
			r.endTable()
		}
		return nil
	}
	r := runtimeTableReader{file: f, b: b}
	if kind, columns := commandTable(f); kind != noRuntimeTable {
		r.kind, r.columns = kind, columns
	}
	for l := range f.lines() {
		r.line(l)
	}
	r.endTable()
	r.rest.report(b)
	return nil
}

type runtimeTableReader struct {
	file    *File
	b       *timeline.Builder
	kind    runtimeTable
	columns runtimeColumns
	list    *timeline.Listing
	rest    leftovers
}

func (r *runtimeTableReader) line(l line) {
	if kind, columns := runtimeHeader(l.text); kind != noRuntimeTable {
		r.endTable()
		r.kind, r.columns = kind, columns
		r.listing(l)
		return
	}
	cells, ok := r.columns.cells(l.text)
	if r.kind == noRuntimeTable || !ok || !r.row(cells, l) {
		r.rest.add(r.file, r.b, l)
		return
	}
	if r.list == nil {
		r.listing(l)
		r.list.Incomplete, r.list.RunningOnly = true, false // the heading is gone
	}
	r.list.Items++
}

// listing begins a table: that it was printed is a fact, even without a row.
func (r *runtimeTableReader) listing(l line) {
	kind := "Container"
	if r.kind == crictlPods {
		kind = "Sandbox"
	}
	list := crictlListing(r.file, r.b, l, kind)
	if r.kind == ctrTasks || r.kind == ctrContainers {
		filtered := r.file.filtered()
		list.Tool = "ctr"
		// A task is what runs; the exited ones are deleted. Containers show all.
		list.Incomplete, list.RunningOnly = filtered || r.kind == ctrTasks, !filtered && r.kind == ctrTasks
		if v, ok := r.file.invocation("ctr"); ok && !v.option('n', "namespace") && !strings.Contains(r.file.Command, "CONTAINERD_NAMESPACE") {
			list.Incomplete, list.RunningOnly = true, false // the namespace "default" was asked
		}
	}
	r.list = &list
}

func (r *runtimeTableReader) endTable() {
	if r.list != nil {
		keepFact(r.b, &r.b.Listings, *r.list)
	}
	r.list = nil
}

// row writes what one row says.
func (r *runtimeTableReader) row(cells map[string]string, l line) bool {
	fact := factAt(r.file, r.b, l)
	switch r.kind {
	case crictlPS:
		id := cells["CONTAINER"]
		if !isContainerID(id) {
			return false
		}
		keepFact(r.b, &r.b.Containers, timeline.Container{
			ID: id, Name: cells["NAME"], SandboxID: cells["POD ID"], PodName: cells["POD"], PodNamespace: cells["NAMESPACE"],
			State: strings.ToLower(cells["STATE"]), Tool: "crictl ps", Fact: fact,
		})
	case crictlPods:
		id := cells["POD ID"]
		if !isContainerID(id) {
			return false
		}
		handler := cells["RUNTIME"]
		if handler == "(default)" {
			handler = ""
		}
		keepFact(r.b, &r.b.Sandboxes, timeline.Sandbox{
			ID: id, Pod: cells["NAME"], PodNamespace: cells["NAMESPACE"],
			State: strings.ToLower(cells["STATE"]), Handler: handler, Tool: "crictl pods", Fact: fact,
		})
	case ctrTasks:
		pid, ok := decimal(cells["PID"])
		if !ok || cells["TASK"] == "" {
			return false
		}
		state := strings.ToLower(cells["STATUS"])
		if state == "stopped" {
			state = "exited"
		}
		keepFact(r.b, &r.b.Containers, timeline.Container{
			ID: cells["TASK"], PID: pid, State: state, Runtime: "containerd", Tool: "ctr tasks", Fact: fact,
		})
	case ctrContainers:
		if !strings.HasPrefix(cells["RUNTIME"], "io.containerd.") {
			return false
		}
		keepFact(r.b, &r.b.Containers, timeline.Container{ID: cells["CONTAINER"], Runtime: "containerd", Tool: "ctr containers", Fact: fact})
	case noRuntimeTable:
		return false
	}
	return true
}

// runtimeHeader recognises the heading of a table.
func runtimeHeader(s string) (runtimeTable, runtimeColumns) {
	if len(s) > 400 {
		return noRuntimeTable, nil
	}
	s = strings.Replace(s, "CONTAINER ID", "CONTAINER   ", 1) // crictl before 1.21
	columns := runtimeColumnsOf(s)
	switch {
	case columns.are("TASK", "PID", "STATUS"):
		return ctrTasks, columns
	case columns.are("CONTAINER", "IMAGE", "RUNTIME"):
		return ctrContainers, columns
	case columns.begin("CONTAINER", "IMAGE", "CREATED", "STATE", "NAME"):
		return crictlPS, columns
	case columns.begin("POD ID", "CREATED", "STATE", "NAME", "NAMESPACE"):
		return crictlPods, columns
	}
	return noRuntimeTable, nil
}

// commandTable tells the table by the command, for rows that a filter has left
// without their heading.
func commandTable(f *File) (runtimeTable, runtimeColumns) {
	named := func(names ...string) (columns runtimeColumns) {
		for _, name := range names {
			columns = append(columns, runtimeColumn{name: name, start: -1})
		}
		return columns
	}
	switch {
	case f.ran("crictl", "ps"):
		return crictlPS, named("CONTAINER", "IMAGE", "CREATED", "STATE", "NAME", "ATTEMPT", "POD ID", "POD", "NAMESPACE")
	case f.ran("crictl", "pods"):
		return crictlPods, named("POD ID", "CREATED", "STATE", "NAME", "NAMESPACE", "ATTEMPT", "RUNTIME")
	case f.ran("ctr", "tasks", "ls"), f.ran("ctr", "task", "ls"), f.ran("ctr", "t", "ls"), f.ran("ctr", "tasks", "list"), f.ran("ctr", "task", "list"):
		return ctrTasks, named("TASK", "PID", "STATUS")
	case f.ran("ctr", "containers", "ls"), f.ran("ctr", "container", "ls"), f.ran("ctr", "c", "ls"), f.ran("ctr", "containers", "list"):
		return ctrContainers, named("CONTAINER", "IMAGE", "RUNTIME")
	}
	return noRuntimeTable, nil
}

// runtimeColumn is a heading and where it begins, in characters; -1 if the
// heading was not seen.
type runtimeColumn struct {
	name  string
	start int
}

type runtimeColumns []runtimeColumn

// runtimeColumnsOf takes a heading apart at gaps of two blanks or more.
func runtimeColumnsOf(s string) runtimeColumns {
	var columns runtimeColumns
	at := 0
	for part := range strings.SplitSeq(s, "  ") {
		bare := strings.TrimLeft(part, " ")
		if name := strings.TrimSpace(bare); name != "" {
			columns = append(columns, runtimeColumn{name: name, start: at + len(part) - len(bare)})
		}
		at += len(part) + 2
	}
	return columns
}

func (c runtimeColumns) begin(names ...string) bool {
	if len(c) < len(names) {
		return false
	}
	for i, name := range names {
		if c[i].name != name {
			return false
		}
	}
	return true
}

func (c runtimeColumns) are(names ...string) bool { return len(c) == len(names) && c.begin(names...) }

// cells takes a row apart under its headings. A row that does not keep to them,
// or of which no heading was seen, is split at gaps and must then have a cell
// for each column (the last may be missing: older versions lack it).
func (c runtimeColumns) cells(row string) (map[string]string, bool) {
	if len(c) == 0 || len(row) > 4096 {
		return nil, false
	}
	cells := make(map[string]string, len(c))
	runes := []rune(row)
	aligned := true
	for i, column := range c {
		start, end := min(column.start, len(runes)), len(runes)
		if i+1 < len(c) {
			end = min(end, c[i+1].start)
		}
		if start < 0 || start > 0 && start < len(runes) && runes[start-1] != ' ' || end < start {
			aligned = false
			break
		}
		cells[column.name] = strings.TrimSpace(string(runes[start:end]))
	}
	if aligned {
		return cells, cells[c[0].name] != ""
	}
	clear(cells)
	var found []string
	for part := range strings.SplitSeq(strings.ReplaceAll(row, "\t", "  "), "  ") {
		if part = strings.TrimSpace(part); part != "" {
			found = append(found, part)
		}
	}
	if len(found) != len(c) && len(found) != len(c)-1 {
		return nil, false
	}
	for i, cell := range found {
		cells[c[i].name] = cell
	}
	return cells, true
}
