package analyzer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// A container that runs for a pod which no dump shows is a ghost only if a whole
// dump, made after it began, lacks the pod. Where none covers its namespace, or
// nothing tells when it was made, nobody can tell; an all-clear must say so.

// unmatchedContainers are those that run for pods which no dump shows or would
// show.
func (s *scene) unmatchedContainers() []*timeline.Container {
	var list []*timeline.Container
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if c.State != "running" || c.PodUID == "" || s.isSandboxID(c.ID) || s.pods[c.PodUID] != nil || s.mirrored(c.PodUID) || s.fromFile(c.PodUID) {
			continue
		}
		namesakes := s.podsBy[c.PodNamespace+"/"+c.PodName]
		if slices.ContainsFunc(namesakes, func(p *pod) bool { return p.object.UID == "" }) {
			continue // a table shows it, without its UID
		}
		if l, ok := s.listed("Pod", c.PodNamespace); ok && c.PodNamespace != "" && !s.masksUIDs() && (len(namesakes) > 0 || !mayPrecede(l, c)) {
			continue
		}
		list = append(list, c)
	}
	return list
}

// mayPrecede says whether a dump that does not tell when it was made may have
// been made before a container began.
func mayPrecede(l timeline.Listing, c *timeline.Container) bool {
	return l.Shown && (c.CreatedAt.IsZero() || c.CreatedAt.After(l.AsOf))
}

// begunSince are the pods that a kubelet took on after all that a dump shows which
// does not tell when it was made, and that it was not told to let go.
func (s *scene) begunSince() []string {
	taken := map[string]bool{} // by name: still
	for i := range s.tl.Events {
		e := &s.tl.Events[i]
		add := syncLoop(e, "ADD") && strings.Contains(e.Message, `"api"`)
		if !add && !syncLoop(e, "REMOVE") && !syncLoop(e, "DELETE") {
			continue // deletions that are open are told elsewhere
		}
		for _, p := range s.mentioned[i].Pods {
			name := p.Namespace + "/" + p.Name
			l, ok := s.listed("Pod", p.Namespace)
			taken[name] = add && ok && l.Shown && e.Time.After(s.collected(l)) && len(s.podsBy[name]) == 0
		}
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(taken)) {
		if taken[name] && !slices.ContainsFunc(s.unmatchedContainers(), func(c *timeline.Container) bool { return c.PodNamespace+"/"+c.PodName == name }) {
			names = append(names, name)
		}
	}
	return names
}

// fromFile says whether the sandbox of a pod tells that it is a static one.
func (s *scene) fromFile(uid string) bool {
	return slices.ContainsFunc(s.tl.Sandboxes, func(sb timeline.Sandbox) bool {
		return sb.PodUID == uid && sb.ConfigSource != "" && sb.ConfigSource != "api"
	})
}

// unmatched takes back a part of an all-clear.
func (s *scene) unmatched() string {
	list := s.unmatchedContainers()
	if begun := s.begunSince(); len(list) == 0 && len(begun) > 0 {
		return fmt.Sprintf(" But a kubelet took on %s after all that the dump of the API shows, which does not tell when it was made: whether the API has %s cannot be told.",
			number(len(begun), "pod"), itThem(len(begun)))
	}
	if len(list) == 0 {
		return ""
	}
	pods := map[string]bool{}
	for _, c := range list {
		pods[c.PodUID] = true
	}
	what := number(len(list), "container")
	if len(list) == 1 {
		what += " runs for a pod"
	} else {
		what += " run for " + number(len(pods), "pod")
	}
	return fmt.Sprintf(" But %s that no whole dump of the API shows that is known to be newer: whether the API has %s cannot be told.", what, itThem(len(pods)))
}
