package analyzer

import (
	"fmt"
	"slices"

	"podautopsy/timeline"
)

// A container that runs for a pod which no dump shows is a ghost only if a whole
// dump lacks the pod. Where none covers its namespace, nobody can tell; an
// all-clear must say so.

// unmatchedContainers are those that run for pods which no dump shows or would
// show.
func (s *scene) unmatchedContainers() []*timeline.Container {
	var list []*timeline.Container
	for i := range s.tl.Containers {
		c := &s.tl.Containers[i]
		if c.State != "running" || c.PodUID == "" || s.isSandboxID(c.ID) || s.pods[c.PodUID] != nil || s.mirrored(c.PodUID) || s.fromFile(c.PodUID) {
			continue
		}
		if slices.ContainsFunc(s.podsBy[c.PodNamespace+"/"+c.PodName], func(p *pod) bool { return p.object.UID == "" }) {
			continue // a table shows it, without its UID
		}
		if _, ok := s.listed("Pod", c.PodNamespace); ok && c.PodNamespace != "" && !s.masksUIDs() {
			continue
		}
		list = append(list, c)
	}
	return list
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
	return fmt.Sprintf(" But %s that no whole dump of the API would show: whether the API has %s cannot be told.", what, itThem(len(pods)))
}
