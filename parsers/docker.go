package parsers

import (
	"errors"
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// dockerTableParser reads docker ps of a node whose kubelet used Docker.
var dockerTableParser = Parser{
	Name:  "docker-table",
	Doc:   "docker ps and docker ps -a: containers and sandboxes by the names that the kubelet gave them.",
	Sniff: sniffDockerTable,
	Parse: parseDockerTable,
}

// dockerJSONParser reads docker inspect.
var dockerJSONParser = Parser{
	Name:  "docker-json",
	Doc:   "docker inspect of containers, and the daemon's own config.v2.json of each.",
	Sniff: sniffDockerJSON,
	Parse: parseDockerJSON,
}

func sniffDockerTable(f *File) bool {
	if f.blank() {
		return f.ran("docker", "ps") || f.ran("docker", "container", "ls")
	}
	for _, s := range f.firstLines(3) {
		if isDockerHeader(s) {
			return true
		}
		if _, _, _, ok := dockerRow(s); ok && (f.ran("docker", "ps") || strings.Contains(s, " k8s_")) {
			return true
		}
	}
	return false
}

func parseDockerTable(f *File, b *timeline.Builder) error {
	var list *timeline.Listing
	begin := func(l line) {
		all := namesAll(f.base())
		if v, ok := f.invocation("docker"); ok {
			all = v.option('a', "all")
		}
		selected := f.filtered() || strings.Contains(f.Command, "-f ") || strings.Contains(f.Command, "--filter")
		list = &timeline.Listing{
			Kind: "Container", AllNamespaces: true, Incomplete: selected || !all, RunningOnly: !selected && !all,
			Tool: "docker", AsOf: f.CapturedAt, Source: b.Src(l.number, l.offset), Text: l.text,
		}
	}
	if f.blank() {
		noOutput(f, b)
		begin(line{number: max(f.FirstLine-1, 1), offset: f.Offset, text: f.Command})
		list.Incomplete, list.RunningOnly = true, false
		keepFact(b, &b.Listings, *list)
		return nil
	}
	var rest leftovers
	for l := range f.lines() {
		if isDockerHeader(l.text) {
			begin(l)
			continue
		}
		id, status, name, ok := dockerRow(l.text)
		if !ok {
			rest.add(f, b, l)
			continue
		}
		if list == nil { // grep took the heading away
			begin(l)
			list.Incomplete, list.RunningOnly = true, false
		}
		list.Items++
		keepDocker(b, name, timeline.Container{ID: id, State: dockerState(status), Tool: "docker ps", Fact: factAt(f, b, l)})
	}
	if list != nil {
		keepFact(b, &b.Listings, *list)
	}
	rest.report(b)
	return nil
}

// keepDocker keeps a container under what its name tells of the pod: a
// container, or the sandbox where the kubelet named it POD.
func keepDocker(b *timeline.Builder, name string, c timeline.Container) {
	c.Runtime = "docker"
	k, ok := kubeletName(name)
	if !ok {
		c.Name = name
		keepFact(b, &b.Containers, c)
		return
	}
	if k.container != "POD" {
		c.Name, c.PodName, c.PodNamespace, c.PodUID = k.container, k.pod, k.namespace, k.uid
		keepFact(b, &b.Containers, c)
		return
	}
	state := "notready"
	if c.State == "running" {
		state = "ready"
	}
	keepFact(b, &b.Sandboxes, timeline.Sandbox{
		ID: c.ID, PodUID: k.uid, PodNamespace: k.namespace, Pod: k.pod, State: state, PID: c.PID, CreatedAt: c.CreatedAt, Tool: c.Tool, Fact: c.Fact,
	})
}

// isDockerHeader recognises the heading, with PORTS or without.
func isDockerHeader(s string) bool {
	return strings.HasPrefix(s, "CONTAINER ID ") && strings.Contains(s, " COMMAND ") && strings.Contains(s, " STATUS ") && strings.HasSuffix(strings.TrimSpace(s), "NAMES")
}

// dockerRow takes from a row what the reader needs: the first cell, the last,
// and the one that holds a state.
func dockerRow(s string) (id, status, name string, ok bool) {
	id, rest := nextWord(s)
	if !isContainerID(id) || len(s) > 4096 {
		return "", "", "", false
	}
	for part := range strings.SplitSeq(rest, "  ") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if status == "" && dockerState(part) != "unknown" {
			status = part
		}
		name = part
	}
	return id, status, name, status != "" && name != status && !strings.Contains(name, " ")
}

// dockerState turns docker's words into the states of the CRI.
func dockerState(status string) string {
	switch {
	case strings.HasPrefix(status, "Up ") && strings.HasSuffix(status, "(Paused)"):
		return "paused"
	case strings.HasPrefix(status, "Up "):
		return "running"
	case strings.HasPrefix(status, "Exited ("), status == "Dead", strings.HasPrefix(status, "Removal In Progress"), strings.HasPrefix(status, "Restarting ("):
		return "exited"
	case status == "Created":
		return "created"
	}
	return "unknown"
}

// kubeletContainer is what the kubelet put into the name of a container.
type kubeletContainer struct {
	container, pod, namespace, uid string
}

// kubeletName reads "k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT". No part can hold
// an underscore itself.
func kubeletName(name string) (kubeletContainer, bool) {
	parts := strings.Split(strings.TrimPrefix(name, "/"), "_")
	if len(parts) < 6 || parts[0] != "k8s" {
		return kubeletContainer{}, false
	}
	return kubeletContainer{parts[1], parts[2], parts[3], parts[4]}, true
}

func sniffDockerJSON(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	if !strings.HasPrefix(head, "[") && !strings.HasPrefix(head, "{") {
		return false
	}
	keys := topKeys(head)
	return (keys["Id"] || keys["ID"]) && keys["State"] && (keys["Path"] || keys["Name"] || keys["Created"])
}

// dockerContainer is what docker inspect tells.
type dockerContainer struct {
	ID      string `json:"Id"`
	Name    string
	Created criTime
	State   struct {
		Status                string
		Running, Paused       bool
		PID                   int `json:"Pid"`
		ExitCode              int
		OOMKilled             bool
		Error                 string
		StartedAt, FinishedAt criTime
	}
	Config struct{ Labels map[string]string }
}

func parseDockerJSON(f *File, b *timeline.Builder) error {
	lines := newLineFinder(f)
	for v := range jsonDocuments(f.Text) {
		var d dockerContainer
		if err := decodeCRI(v, &d); err != nil || d.ID == "" {
			b.Gap(timeline.GapNotUnderstood, lines.at(v.at).number, fmt.Sprintf("document of docker inspect: %v", err))
			continue
		}
		if d.isMachine() {
			b.Input.Records++
			continue
		}
		id := "Id"
		if !strings.Contains(v.text, `"Id"`) {
			id = "ID" // of config.v2.json
		}
		c := timeline.Container{
			ID: d.ID, State: d.state(), PID: d.State.PID, ExitCode: d.State.ExitCode, Reason: d.State.Error,
			CreatedAt: d.Created.Time, StartedAt: d.State.StartedAt.Time, FinishedAt: d.State.FinishedAt.Time,
			SandboxID: d.Config.Labels["io.kubernetes.sandbox.id"],
			Tool:      "docker inspect",
			Fact:      lines.factIn(b, v, id),
		}
		if d.State.OOMKilled {
			c.Reason = "OOMKilled"
		}
		keepDocker(b, d.Name, c)
		if v.cut {
			b.Gap(timeline.GapTruncated, lines.at(v.at).number, "the JSON ends in the middle")
		}
	}
	if b.Input.Records == 0 {
		return errors.New("no container could be read")
	}
	return nil
}

// isMachine says whether the container is itself a node, as kind, k3d and
// minikube make them: it is none of a pod.
func (d *dockerContainer) isMachine() bool {
	for _, label := range [...]string{"io.x-k8s.kind.cluster", "k3d.cluster", "name.minikube.sigs.k8s.io"} {
		if d.Config.Labels[label] != "" {
			return true
		}
	}
	return false
}

func (d *dockerContainer) state() string {
	switch {
	case d.State.Paused:
		return "paused"
	case d.State.Status == "dead" || d.State.Status == "removing" || d.State.Status == "restarting":
		return "exited"
	case d.State.Status != "":
		return d.State.Status
	case d.State.Running:
		return "running"
	case d.State.StartedAt.IsZero():
		return "created"
	}
	return "exited"
}
