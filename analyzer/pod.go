package analyzer

import (
	"maps"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// pod is what a dump says of a pod, as far as deletion is concerned.
type pod struct {
	object *timeline.Object

	deletion   time.Time // deletionTimestamp; zero if not in deletion or not known
	grace      *int64    // deletionGracePeriodSeconds
	specGrace  int64     // terminationGracePeriodSeconds, 30 if not said
	created    time.Time
	finalizers []string
	phase      string
	reason     string
	node       string
	containers []podContainer
	volumes    []podVolume
	static     bool   // a mirror of a static pod
	configHash string // of a mirror pod: the UID that the runtime knows
	ip         string
}

type podContainer struct {
	name, id string
	init     bool
	state    string // "running", "waiting", "terminated", ""
	reason   string
	exitCode int64
	finished time.Time
	preStop  string // what the hook does, "" without one
	index    int    // in the list of statuses
	list     string // which of the two lists
}

type podVolume struct {
	name, claim, plugin string
	server              string // of NFS
	driver              string // of inline CSI
}

// podFrom reads the object's fields. Missing ones stay zero.
func podFrom(o *timeline.Object) *pod {
	c := o.Content
	p := &pod{object: o, specGrace: 30}
	p.deletion = timeAt(c, "metadata", "deletionTimestamp")
	p.grace = intAt(c, "metadata", "deletionGracePeriodSeconds")
	if g := intAt(c, "spec", "terminationGracePeriodSeconds"); g != nil {
		p.specGrace = *g
	}
	p.created = timeAt(c, "metadata", "creationTimestamp")
	p.finalizers = stringsAt(c, "metadata", "finalizers")
	p.phase = stringAt(c, "status", "phase")
	p.reason = stringAt(c, "status", "reason")
	p.node = stringAt(c, "spec", "nodeName")
	p.ip = stringAt(c, "status", "podIP")
	annotations, _ := mapAt(c, "metadata", "annotations")
	if _, ok := annotations["kubernetes.io/config.mirror"]; ok {
		p.static = true
	}
	p.configHash, _ = annotations["kubernetes.io/config.hash"].(string)
	if p.configHash == "" {
		p.configHash, _ = annotations["kubernetes.io/config.mirror"].(string)
	}

	at := map[string]int{}
	for _, list := range []struct {
		field string
		init  bool
	}{{"initContainers", true}, {"containers", false}} {
		for _, m := range mapsAt(c, "spec", list.field) {
			name, _ := m["name"].(string)
			// A sidecar is an init container that restarts always: it lives on.
			policy, _ := m["restartPolicy"].(string)
			at[name] = len(p.containers)
			p.containers = append(p.containers, podContainer{
				name: name, init: list.init && policy != "Always", preStop: hookOf(m), index: -1,
			})
		}
	}
	for _, field := range []string{"initContainerStatuses", "containerStatuses"} {
		for i, m := range mapsAt(c, "status", field) {
			name, _ := m["name"].(string)
			j, ok := at[name]
			if !ok {
				j = len(p.containers)
				p.containers = append(p.containers, podContainer{name: name, init: field == "initContainerStatuses"})
			}
			k := &p.containers[j]
			k.index, k.list = i, field
			id, _ := m["containerID"].(string)
			k.id = bareID(id)
			for _, state := range []string{"running", "waiting", "terminated"} {
				if s, ok := mapAt(m, "state", state); ok {
					k.state = state
					k.reason, _ = s["reason"].(string)
					if code := intAt(s, "exitCode"); code != nil {
						k.exitCode = *code
					}
					k.finished = timeAt(s, "finishedAt")
					if id, _ := s["containerID"].(string); k.id == "" {
						k.id = bareID(id)
					}
				}
			}
		}
	}
	for _, m := range mapsAt(c, "spec", "volumes") {
		v := podVolume{}
		v.name, _ = m["name"].(string)
		for plugin := range m {
			if plugin != "name" && (v.plugin == "" || plugin < v.plugin) {
				v.plugin = plugin
			}
		}
		v.claim = stringAt(m, "persistentVolumeClaim", "claimName")
		v.server = stringAt(m, "nfs", "server")
		v.driver = stringAt(m, "csi", "driver")
		p.volumes = append(p.volumes, v)
	}
	return p
}

// hookOf says what a container's preStop hook does.
func hookOf(container timeline.Decoded) string {
	hook, ok := mapAt(container, "lifecycle", "preStop")
	if !ok {
		return ""
	}
	if command := stringsAt(hook, "exec", "command"); len(command) > 0 {
		return strings.Join(command, " ")
	}
	if kinds := slices.Sorted(maps.Keys(hook)); len(kinds) > 0 {
		return kinds[0]
	}
	return "hook"
}

// bareID takes the runtime's scheme off a container id.
func bareID(id string) string {
	if _, rest, ok := strings.Cut(id, "://"); ok {
		return rest
	}
	return id
}

// terminating says whether the dump shows the pod in deletion, also where it
// does not tell since when.
func terminating(o *timeline.Object) bool {
	return stringAt(o.Content, "metadata", "deletionTimestamp") != "" ||
		stringAt(o.Content, "status", "displayed") == "Terminating" ||
		o.Ages["metadata.deletionTimestamp"] != 0
}

// phaseTerminal says whether the phase is one that no container outlives.
func (p *pod) phaseTerminal() bool { return p.phase == "Succeeded" || p.phase == "Failed" }

// exited says whether the API shows every container as ended.
func (p *pod) exited() bool {
	any := false
	for _, c := range p.containers {
		if c.init {
			continue
		}
		if c.state == "running" || c.state == "" {
			return false
		}
		any = any || c.state == "terminated"
	}
	return any
}

func (p *pod) hasPreStop() bool {
	for _, c := range p.containers {
		if c.preStop != "" {
			return true
		}
	}
	return false
}

// valueAt is the value at a path of keys; nil if there is none.
func valueAt(c timeline.Content, path ...string) any {
	if c == nil {
		return nil
	}
	return c.Field(path...)
}

func mapAt(c timeline.Content, path ...string) (timeline.Decoded, bool) {
	m, ok := valueAt(c, path...).(map[string]any)
	return m, ok
}

func stringAt(c timeline.Content, path ...string) string {
	s, _ := valueAt(c, path...).(string)
	return s
}

func timeAt(c timeline.Content, path ...string) time.Time {
	t, err := time.Parse(time.RFC3339, stringAt(c, path...))
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}

func intAt(c timeline.Content, path ...string) *int64 {
	switch n := valueAt(c, path...).(type) {
	case int64:
		return &n
	case float64:
		i := int64(n)
		return &i
	}
	return nil
}

func stringsAt(c timeline.Content, path ...string) []string {
	list, _ := valueAt(c, path...).([]any)
	var out []string
	for _, x := range list {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

func mapsAt(c timeline.Content, path ...string) []timeline.Decoded {
	list, _ := valueAt(c, path...).([]any)
	var out []timeline.Decoded
	for _, x := range list {
		if s, ok := x.(map[string]any); ok {
			out = append(out, s)
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
