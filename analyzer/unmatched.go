package analyzer

import (
	"fmt"
	"slices"

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
	return fmt.Sprintf(" But %s that no whole dump of the API shows that is known to be newer: whether the API has %s cannot be told.", what, itThem(len(pods)))
}
