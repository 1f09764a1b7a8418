package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// node is what the bundle knows of a machine.
type node struct {
	name    string
	object  *timeline.Object
	logs    map[string]*logSpan // by component
	kubelet string              // version
	runtime string              // "containerd 1.6.20"
	kernel  string

	containers []*timeline.Container
	sandboxes  []*timeline.Sandbox
	mounts     []*timeline.Mount
	processes  []*timeline.Process
	paths      []*timeline.Path
	units      map[string]*timeline.Unit
	disks      []*timeline.Filesystem
	oldStyle   bool  // its kubelet writes unstructured lines, as until 1.20
	events     []int // of the timeline
	dumped     bool  // the runtime was asked for everything it has
	// kubeletRunsIn is the unit of its kubelet, once somebody asked.
	kubeletRunsIn string
	down          *bool // the kubelet does not run, once that was asked
	// unheard is when a component last spoke by the word of a daemon that did
	// not keep what it said.
	unheard map[string]time.Time
}

// logSpan is what a component's log on a node covers.
type logSpan struct {
	first, last time.Time // its own lines
	covers      []span    // of the files that hold them, so that silence counts
	coverFiles  []string  // one for each of covers
	files       []string
	holes       []hole // in which lines are lost, so that silence does not count
	lines       int
	verbosity   int // of klog: the highest level that is proven to speak; -1 if nothing tells
}

type span struct{ from, to time.Time }

// covered says whether the log would show what the component said at t.
func (l *logSpan) covered(t time.Time) bool {
	if l == nil {
		return false
	}
	return slices.ContainsFunc(l.covers, func(s span) bool { return !t.Before(s.from) && !t.After(s.to) })
}

func (s *scene) node(name string) *node {
	if name == "" || timeline.Anonymous(name) {
		return nil
	}
	n := s.nodes[name]
	if n == nil {
		n = &node{name: name, logs: map[string]*logSpan{}, units: map[string]*timeline.Unit{}, unheard: map[string]time.Time{}}
		s.nodes[name] = n
	}
	return n
}

func (s *scene) readNodes() {
	for _, o := range s.objects["Node"] {
		n := s.node(o.Name)
		if n == nil {
			continue // cut before its name
		}
		n.object = o
		n.kubelet = stringAt(o.Content, "status", "nodeInfo", "kubeletVersion")
		n.runtime = strings.Replace(stringAt(o.Content, "status", "nodeInfo", "containerRuntimeVersion"), "://", " ", 1)
		n.kernel = stringAt(o.Content, "status", "nodeInfo", "kernelVersion")
	}
	spans := map[string]span{}
	for i := range s.tl.Inputs {
		in := &s.tl.Inputs[i]
		if !in.First.IsZero() && !excerpts(in.Format) {
			spans[in.Path] = span{in.First, in.Last}
		}
	}
	type source struct{ node, component, file string }
	seen := map[source]bool{}
	for i := range s.tl.Events {
		e := &s.tl.Events[i]
		n := s.node(e.Node)
		if n == nil || e.Component == timeline.APIEvent || e.Component == timeline.Audit || e.Component == timeline.Command {
			continue
		}
		n.events = append(n.events, i)
		l := n.logs[e.Component]
		if l == nil {
			l = &logSpan{verbosity: -1}
			n.logs[e.Component] = l
		}
		l.lines++
		if !e.Time.IsZero() {
			if l.first.IsZero() || e.Time.Before(l.first) {
				l.first = e.Time
			}
			if e.Time.After(l.last) {
				l.last = e.Time
			}
		}
		if k := (source{e.Node, e.Component, e.Source.File}); !seen[k] {
			seen[k] = true
			l.files = append(l.files, e.Source.File)
			if sp, ok := spans[e.Source.File]; ok {
				l.covers = append(l.covers, sp)
				l.coverFiles = append(l.coverFiles, e.Source.File)
			}
		}
		if e.Component == timeline.Kubelet {
			n.oldStyle = n.oldStyle || strings.Contains(e.Message, "SyncLoop (")
			l.verbosity = max(l.verbosity, verbosityOf(e.Message))
		}
	}
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if n := s.node(c.Node); n != nil {
			n.containers = append(n.containers, c)
		}
	}
	for i := range s.tl.Sandboxes {
		if n := s.node(s.tl.Sandboxes[i].Node); n != nil {
			n.sandboxes = append(n.sandboxes, &s.tl.Sandboxes[i])
		}
	}
	for i := range s.tl.Mounts {
		if n := s.node(s.tl.Mounts[i].Node); n != nil {
			n.mounts = append(n.mounts, &s.tl.Mounts[i])
		}
	}
	for i := range s.tl.Processes {
		if n := s.node(s.tl.Processes[i].Node); n != nil {
			n.processes = append(n.processes, &s.tl.Processes[i])
		}
	}
	for i := range s.tl.Paths {
		if n := s.node(s.tl.Paths[i].Node); n != nil {
			n.paths = append(n.paths, &s.tl.Paths[i])
		}
	}
	for i := range s.tl.Filesystems {
		if n := s.node(s.tl.Filesystems[i].Node); n != nil {
			n.disks = append(n.disks, &s.tl.Filesystems[i])
		}
	}
	for i := range s.tl.Units {
		u := &s.tl.Units[i]
		if n := s.node(u.Node); n != nil {
			if old := n.units[u.Name]; old == nil || u.Since.After(old.Since) {
				n.units[u.Name] = u
			}
		}
	}
	for i := range s.tl.Versions {
		v := &s.tl.Versions[i]
		n := s.node(v.Node)
		if n == nil {
			continue
		}
		switch v.What {
		case "kubelet":
			n.kubelet = cmp.Or(n.kubelet, v.Version)
		case "kernel":
			n.kernel = cmp.Or(n.kernel, v.Version)
		case "containerd", "cri-o", "docker":
			n.runtime = cmp.Or(n.runtime, v.What+" "+v.Version)
		}
	}
	for i := range s.matches {
		m := &s.matches[i]
		if n := s.node(s.tl.Events[m.Event].Node); n != nil && m.Signature.ID == "kubelet-started" && m.Keys["version"] != "" {
			n.kubelet = cmp.Or(n.kubelet, m.Keys["version"])
		}
	}
	for _, l := range s.tl.Listings {
		if (l.Kind == "Container" || l.Kind == "Sandbox") && !l.Incomplete {
			for _, in := range s.tl.Inputs {
				if in.Path == l.Source.File {
					if n := s.node(in.Node); n != nil {
						n.dumped = true
					}
				}
			}
		}
	}
}

// verbosityOf tells the klog level that a kubelet line proves; -1 for none.
func verbosityOf(message string) int {
	switch {
	case strings.Contains(message, "yncTerminatingPod enter"), strings.Contains(message, "yncPod enter"):
		return 4
	case strings.Contains(message, "Patch status for pod"), strings.Contains(message, "Running preStop hook"):
		return 3
	case strings.Contains(message, "SyncLoop "), strings.Contains(message, "Killing container with a grace period"),
		strings.Contains(message, "SyncLoop ("), strings.Contains(message, " second grace period"):
		return 2
	}
	return -1
}

// version parses "v1.24.9-gke.1" into 1, 24, 9.
func version(text string) (major, minor, patch int, ok bool) {
	text = strings.TrimPrefix(text, "v")
	parts := [3]int{}
	for i := range parts {
		digits := 0
		for digits < len(text) && text[digits] >= '0' && text[digits] <= '9' && digits < 6 {
			parts[i] = parts[i]*10 + int(text[digits]-'0')
			digits++
		}
		if digits == 0 {
			return parts[0], parts[1], parts[2], i >= 2
		}
		text = text[digits:]
		if !strings.HasPrefix(text, ".") {
			return parts[0], parts[1], parts[2], i >= 1
		}
		text = text[1:]
	}
	return parts[0], parts[1], parts[2], true
}

// minorOf is the kubelet's minor version on the node; 0 if not known.
func (n *node) minorOf() int {
	if n == nil {
		return 0
	}
	major, minor, _, ok := version(n.kubelet)
	if !ok || major != 1 {
		return 0
	}
	return minor
}

// condition reads a condition of an object's status.
func condition(o *timeline.Object, kind string) (status, reason, message string, since time.Time, index int, ok bool) {
	if o == nil {
		return "", "", "", time.Time{}, 0, false
	}
	for i, c := range mapsAt(o.Content, "status", "conditions") {
		if c["type"] == kind {
			switch v := c["status"].(type) {
			case string:
				status = v
			case bool: // written by hand, without quotes
				status = map[bool]string{true: "True", false: "False"}[v]
			}
			reason, _ = c["reason"].(string)
			message, _ = c["message"].(string)
			return status, reason, message, timeAt(c, "lastTransitionTime"), i, true
		}
	}
	return "", "", "", time.Time{}, 0, false
}
