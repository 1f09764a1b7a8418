package parsers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// crictlJSONParser reads what a CRI runtime says of its containers and sandboxes.
var crictlJSONParser = Parser{
	Name:  "crictl-json",
	Doc:   "JSON of crictl ps, pods, inspect, inspectp and info, one document or several in a file.",
	Sniff: sniffCrictlJSON,
	Parse: parseCrictlJSON,
}

func sniffCrictlJSON(f *File) bool {
	if f.blank() {
		return f.ran("crictl") && strings.Contains(f.Command, "json")
	}
	head := f.head()
	switch keys := topKeys(head); {
	case len(keys) == 0 || keys["apiVersion"] || keys["kind"]:
		return false
	case keys["containers"]:
		return emptyJSONList(head, "containers") || strings.Contains(head, `"podSandboxId"`) || strings.Contains(head, `"CONTAINER_`)
	case keys["items"]:
		return len(keys) == 1 && emptyJSONList(head, "items") || strings.Contains(head, `"SANDBOX_`)
	case keys["status"] || keys["info"]:
		for _, mark := range []string{`"sandboxID"`, `"sandboxId"`, `"runtimeSpec"`, `"snapshotKey"`, `"cniResult"`, `"CONTAINER_`, `"SANDBOX_`, `"RuntimeReady"`} {
			if strings.Contains(head, mark) {
				return true
			}
		}
		return keys["config"] && keys["cniconfig"]
	}
	return topKeys(head)["cniconfig"]
}

// emptyJSONList says that the member of the first object is an array without
// elements.
func emptyJSONList(text, key string) bool {
	for v := range jsonDocuments(text) {
		for m := range jsonMembers(v.text) {
			if m.key == key {
				value := v.text[m.from:m.to]
				return value == "null" || strings.HasPrefix(value, "[") && strings.TrimSpace(strings.Trim(value, "[]")) == ""
			}
		}
		break
	}
	return false
}

func parseCrictlJSON(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := crictlReader{file: f, b: b, lines: newLineFinder(f)}
	for document := range jsonDocuments(f.Text) {
		r.document(document)
	}
	if b.Input.Records == 0 {
		return errors.New("no document of crictl could be read")
	}
	return nil
}

type crictlReader struct {
	file  *File
	b     *timeline.Builder
	lines *lineFinder
}

func (r *crictlReader) document(v jsonValue) {
	var status, info, containers, items *jsonMember
	for m := range jsonMembers(v.text) {
		switch m.key {
		case "status":
			status = &m
		case "info":
			info = &m
		case "containers":
			containers = &m
		case "items":
			items = &m
		}
	}
	switch {
	case containers != nil:
		r.list(v, containers, "Container", r.listedContainer)
	case items != nil:
		r.list(v, items, "Sandbox", r.listedSandbox)
	case status != nil && strings.Contains(v.text[status.from:status.to], `"conditions"`):
		r.runtimeStatus(v)
	case status != nil || info != nil:
		r.inspected(v)
	}
	if v.cut {
		r.b.Gap(timeline.GapTruncated, r.lines.at(v.at).number, "the JSON ends in the middle")
	}
}

// list reads the answer of crictl ps or pods. That it lists a kind is a fact
// even where the list is empty.
func (r *crictlReader) list(v jsonValue, array *jsonMember, kind string, read func(jsonValue) error) {
	l := r.lines.at(v.at + array.at)
	listing := crictlListing(r.file, r.b, l, kind)
	if strings.HasPrefix(v.text[array.from:], "[") {
		for item := range v.elements(array.from) {
			if err := read(item); err != nil {
				r.b.Gap(timeline.GapNotUnderstood, r.lines.at(item.at).number, fmt.Sprintf("item %d: %v", listing.Items, err))
			}
			listing.Items++
		}
	}
	if v.cut {
		listing.Incomplete = true
	}
	keepFact(r.b, &r.b.Listings, listing)
}

// crictlListing says what a list of crictl covers, as far as the command or
// the file's name tells. crictl pods shows every sandbox, crictl ps only what
// runs unless it is given -a.
func crictlListing(f *File, b *timeline.Builder, l line, kind string) timeline.Listing {
	listing := timeline.Listing{
		Kind:          kind,
		AllNamespaces: true,
		Tool:          "crictl",
		AsOf:          f.CapturedAt,
		Source:        b.Src(l.number, l.offset),
		Text:          l.text,
	}
	v, known := f.invocation("crictl")
	selected := f.filtered()
	for _, long := range []string{"id", "label", "last", "latest", "name", "namespace", "pod", "state", "image"} {
		selected = selected || known && v.option(0, long)
	}
	if known {
		for _, w := range v[1:] {
			switch w {
			case "-l", "-n", "-p", "-s":
				selected = true
			}
		}
	}
	all := kind == "Sandbox" || known && v.option('a', "all") || !known && namesAll(f.base())
	listing.Incomplete = selected || !all
	listing.RunningOnly = !selected && !all
	return listing
}

// namesAll recognises "ps -a" in the file names that collectors give it:
// crictl-ps-a.json, crictl_ps_-a, psa, dockerpsa.
func namesAll(base string) bool {
	name, _, _ := strings.Cut(base, ".")
	return strings.HasSuffix(name, "psa") || strings.HasSuffix(name, "ps-a") ||
		strings.HasSuffix(name, "ps_a") || strings.HasSuffix(name, "ps_-a") || strings.HasSuffix(name, "ps_-va") || strings.Contains(name, "all")
}

// criObject is what the CRI tells of a container or a sandbox.
type criObject struct {
	ID           string `json:"id"`
	PodSandboxID string `json:"podSandboxId"`
	Metadata     struct {
		Name      string `json:"name"`
		UID       string `json:"uid"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	State       string            `json:"state"`
	CreatedAt   criTime           `json:"createdAt"`
	StartedAt   criTime           `json:"startedAt"`
	FinishedAt  criTime           `json:"finishedAt"`
	ExitCode    int               `json:"exitCode"`
	Reason      string            `json:"reason"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
	Network     struct {
		IP string `json:"ip"`
	} `json:"network"`
	Linux struct {
		Namespaces struct {
			Options struct {
				Network string `json:"network"`
			} `json:"options"`
		} `json:"namespaces"`
	} `json:"linux"`
	RuntimeHandler string `json:"runtimeHandler"`
	Mounts         []struct {
		ContainerPath string `json:"containerPath"`
		HostPath      string `json:"hostPath"`
		Propagation   string `json:"propagation"`
		Readonly      bool   `json:"readonly"`
	} `json:"mounts"`
}

// criInfo is the verbose part of inspect and inspectp, which each runtime
// fills as it likes.
type criInfo struct {
	SandboxID      string `json:"sandboxID"`
	PID            int    `json:"pid"`
	RuntimeType    string `json:"runtimeType"`
	RuntimeHandler string `json:"runtimeHandler"`
	// Config is what the kubelet asked for; containerd keeps it.
	Config *struct {
		PortMappings []struct {
			HostPort int `json:"host_port"`
		} `json:"port_mappings"`
	} `json:"config"`
	RuntimeSpec struct {
		Annotations map[string]string `json:"annotations"`
		Linux       struct {
			Namespaces []struct{ Type, Path string } `json:"namespaces"`
		} `json:"linux"`
	} `json:"runtimeSpec"`
}

// criTime is a time as the CRI sends it (nanoseconds since 1970, as a string
// or a number) or as crictl inspect prints it (RFC 3339).
type criTime struct{ time.Time }

// UnmarshalJSON takes either form; what is neither stays unknown.
func (t *criTime) UnmarshalJSON(raw []byte) error {
	s := strings.Trim(string(raw), `"`)
	if ns, err := strconv.ParseInt(s, 10, 64); err == nil {
		if ns > 0 {
			t.Time = time.Unix(0, ns).UTC()
		}
		return nil
	}
	if at, ok := timestamp(s); ok && at.Year() > 1 {
		t.Time = at
	}
	return nil
}

// decodeCRI decodes a value, or what is whole of one that is cut off. A member
// of an unexpected type is left out, not fatal.
func decodeCRI(v jsonValue, into any) error {
	text := v.text
	if v.cut {
		if text = mendJSON(text); text == "" {
			return errors.New("cut off")
		}
	}
	err := json.Unmarshal([]byte(text), into)
	if mismatch := (*json.UnmarshalTypeError)(nil); errors.As(err, &mismatch) {
		return nil
	}
	return err
}

func (r *crictlReader) listedContainer(v jsonValue) error {
	var o criObject
	if err := decodeCRI(v, &o); err != nil {
		return err
	}
	if o.ID == "" {
		return errors.New("a container without an ID")
	}
	c := o.container("crictl ps")
	c.Fact = r.lines.stateIn(r.b, v, []string{"id"}, []string{"state"})
	keepFact(r.b, &r.b.Containers, c)
	return nil
}

func (r *crictlReader) listedSandbox(v jsonValue) error {
	var o criObject
	if err := decodeCRI(v, &o); err != nil {
		return err
	}
	if o.ID == "" {
		return errors.New("a sandbox without an ID")
	}
	s := o.sandbox("crictl pods")
	s.Fact = r.lines.stateIn(r.b, v, []string{"id"}, []string{"state"})
	keepFact(r.b, &r.b.Sandboxes, s)
	return nil
}

// inspected reads a document of crictl inspect or inspectp.
func (r *crictlReader) inspected(v jsonValue) {
	var document struct {
		Status criObject `json:"status"`
		Info   criInfo   `json:"info"`
	}
	if err := decodeCRI(v, &document); err != nil {
		r.b.Gap(timeline.GapNotUnderstood, r.lines.at(v.at).number, fmt.Sprintf("document of crictl inspect: %v", err))
		return
	}
	status, info := &document.Status, &document.Info
	switch {
	case strings.HasPrefix(status.State, "SANDBOX_"):
		s := status.sandbox("crictl inspectp")
		s.PID = info.PID
		s.Handler = cmp.Or(s.Handler, info.RuntimeHandler)
		s.HostPorts = info.hostPorts()
		for _, ns := range info.RuntimeSpec.Linux.Namespaces {
			if ns.Type == "network" {
				s.NetNS = ns.Path
			}
		}
		s.Fact = r.lines.stateIn(r.b, v, []string{"status", "id"}, []string{"status", "state"})
		keepFact(r.b, &r.b.Sandboxes, s)
	case status.ID != "":
		c := status.container("crictl inspect")
		c.PID = info.PID
		c.Runtime = info.runtime()
		annotations := info.RuntimeSpec.Annotations
		c.SandboxID = cmp.Or(c.SandboxID, info.SandboxID, annotations["io.kubernetes.cri.sandbox-id"], annotations["io.kubernetes.cri-o.SandboxID"])
		c.Fact = r.lines.stateIn(r.b, v, []string{"status", "id"}, []string{"status", "state"})
		keepFact(r.b, &r.b.Containers, c)
		if c.PID > 0 && c.State == "running" {
			r.containerMounts(v, status, c.PID)
		}
	}
}

// containerMounts notes what the container's own mount table holds of the
// host: a bind mount there keeps a volume of another pod busy.
func (r *crictlReader) containerMounts(v jsonValue, status *criObject, pid int) {
	const most = 256 // each is looked up from the top
	for i, m := range status.Mounts[:min(len(status.Mounts), most)] {
		options := "rw"
		if m.Readonly {
			options = "ro"
		}
		keepFact(r.b, &r.b.Mounts, timeline.Mount{
			Device: m.HostPath, Target: m.ContainerPath, FSType: "bind", Options: options,
			Propagation: strings.ToLower(strings.TrimPrefix(m.Propagation, "PROPAGATION_")),
			PID:         pid, Command: status.Metadata.Name,
			Fact: r.lines.factIn(r.b, v, "status", "mounts", strconv.Itoa(i), "hostPath"),
		})
	}
}

// runtimeStatus reads crictl info: a condition that does not hold is what the
// runtime says of itself.
func (r *crictlReader) runtimeStatus(v jsonValue) {
	var document struct {
		Status struct {
			Conditions []struct {
				Type, Reason, Message string
				Status                bool
			}
		}
		LastCNILoadStatus string `json:"lastCNILoadStatus"`
	}
	if err := decodeCRI(v, &document); err != nil {
		r.b.Gap(timeline.GapNotUnderstood, r.lines.at(v.at).number, fmt.Sprintf("crictl info: %v", err))
		return
	}
	r.b.Input.Records++
	const most = 16
	for i, c := range document.Status.Conditions[:min(len(document.Status.Conditions), most)] {
		if c.Status {
			continue
		}
		l := r.lines.place(v, "status", "conditions", strconv.Itoa(i), "type")
		message := fmt.Sprintf("crictl info: %s=false reason=%s message=%s", c.Type, c.Reason, c.Message)
		commandEvent(r.file, r.b, l, timeline.LevelError, message)
	}
	if s := document.LastCNILoadStatus; s != "" && s != "OK" {
		commandEvent(r.file, r.b, r.lines.place(v, "lastCNILoadStatus"), timeline.LevelError, "crictl info: lastCNILoadStatus="+s)
	}
}

func (o *criObject) container(tool string) timeline.Container {
	c := timeline.Container{
		ID: o.ID, Name: o.Metadata.Name, SandboxID: o.PodSandboxID,
		State:    strings.ToLower(strings.TrimPrefix(o.State, "CONTAINER_")),
		ExitCode: o.ExitCode, Reason: o.Reason,
		CreatedAt: o.CreatedAt.Time, StartedAt: o.StartedAt.Time, FinishedAt: o.FinishedAt.Time,
		Tool: tool,
	}
	c.PodUID, c.PodNamespace, c.PodName = o.pod()
	if name := o.Labels["io.kubernetes.container.name"]; name != "" {
		c.Name = name
	}
	return c
}

func (o *criObject) sandbox(tool string) timeline.Sandbox {
	s := timeline.Sandbox{
		ID:      o.ID,
		State:   strings.ToLower(strings.TrimPrefix(o.State, "SANDBOX_")),
		IP:      o.Network.IP,
		Handler: o.RuntimeHandler, CreatedAt: o.CreatedAt.Time,
		Network:      strings.ToLower(o.Linux.Namespaces.Options.Network),
		Tool:         tool,
		ConfigHash:   o.Annotations["kubernetes.io/config.hash"],
		ConfigSource: o.Annotations["kubernetes.io/config.source"],
	}
	s.PodUID, s.PodNamespace, s.Pod = o.pod()
	for k, v := range o.Labels {
		if strings.HasPrefix(k, "io.kubernetes.pod.") {
			continue
		}
		if s.Labels == nil {
			s.Labels = map[string]string{}
		}
		s.Labels[k] = v
	}
	s.PodUID = cmp.Or(s.PodUID, o.Metadata.UID)
	s.PodNamespace = cmp.Or(s.PodNamespace, o.Metadata.Namespace)
	s.Pod = cmp.Or(s.Pod, o.Metadata.Name)
	return s
}

// pod is what the kubelet's labels say of the pod.
func (o *criObject) pod() (uid, namespace, name string) {
	return o.Labels["io.kubernetes.pod.uid"], o.Labels["io.kubernetes.pod.namespace"], o.Labels["io.kubernetes.pod.name"]
}

// hostPorts are the ports of the host that are mapped to a sandbox; nil where
// nothing tells.
func (i *criInfo) hostPorts() []int {
	if i.Config == nil {
		return nil
	}
	ports := []int{}
	for _, m := range i.Config.PortMappings {
		if m.HostPort > 0 {
			ports = append(ports, m.HostPort)
		}
	}
	return ports
}

// runtime tells the runtime by what it alone writes into the verbose part.
func (i *criInfo) runtime() string {
	if strings.HasPrefix(i.RuntimeType, "io.containerd.") {
		return "containerd"
	}
	for key := range i.RuntimeSpec.Annotations {
		switch {
		case strings.HasPrefix(key, "io.kubernetes.cri-o."):
			return "cri-o"
		case strings.HasPrefix(key, "io.kubernetes.cri."):
			return "containerd"
		}
	}
	return ""
}
