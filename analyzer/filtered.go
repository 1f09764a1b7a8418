package analyzer

import (
	"fmt"
	"path"
	"slices"

	"podautopsy/timeline"
)

// A saved list does not tell which command printed it: kubectl writes one of a
// selector as it writes one of everything. That it lacks a pod means something
// only where something else tells that the pod went, or that the list is whole.

// mayBeFiltered says whether a list that lacks the pod, and nothing else that
// tells of its end, may be of a selector.
func (q *inquest) mayBeFiltered(l timeline.Listing) bool {
	return l.Kind != "" && !l.Asked && !q.deletionSeen() && !q.answeredNotFound() && !q.endBegun() && len(q.successors()) == 0 &&
		!q.s.dumpedWith(l) && !q.s.hasThoseOf(l, q.node, q.uid) && !q.s.unalike(l)
}

// endBegun says whether a line tells that somebody began to end the pod.
func (q *inquest) endBegun() bool {
	return slices.ContainsFunc(q.events, func(i int) bool {
		return !q.early(&q.s.tl.Events[i]) && slices.ContainsFunc(q.s.matchesOf[i], func(n int) bool {
			switch q.s.matches[n].Signature.ID {
			case "kubelet-syncloop-delete", "kubelet-syncloop-delete-legacy", "kubelet-syncloop-remove", "kubelet-syncloop-remove-legacy",
				"kubelet-killing-container", "kubelet-killing-container-legacy", "kubelet-event-killing", "kubectl-force-deleted",
				"kubelet-ghost-unknown-pod", "kubelet-ghost-legacy", "kubelet-ghost-syncruntime":
				return true
			}
			return false
		})
	})
}

// dumpedWith says whether a list lies among lists of several other kinds, in its
// folder or in those beside it: it is of a dump of the cluster, which takes all of
// each.
func (s *scene) dumpedWith(l timeline.Listing) bool {
	const several = 2
	kinds := map[string]bool{}
	folder := s.folderOf[l.Source.File]
	beside := func(other string) bool {
		return other == folder || folder != "" && other != "" && path.Dir(other) == path.Dir(folder)
	}
	for _, o := range s.tl.Listings {
		if o.Kind != "Pod" && !ofNode(o.Kind) && !o.Incomplete && beside(s.folderOf[o.Source.File]) {
			kinds[o.Kind] = true
		}
	}
	return len(kinds) >= several
}

// ofNode says whether lists of a kind are made on a node, and not by the API.
func ofNode(kind string) bool {
	switch kind {
	case "Container", "Sandbox", timeline.ListenersOf("tcp"), timeline.ListenersOf("udp"):
		return true
	}
	return false
}

// hasThoseOf says whether a list has all other pods that the runtime of a node
// runs, and at least one: a selector that leaves out this one alone is unlikely.
// A static pod is there by its mirror, which no selector of an application has.
func (s *scene) hasThoseOf(l timeline.Listing, n *node, uid string) bool {
	if n == nil {
		return false
	}
	found := false
	for _, c := range n.containers {
		switch {
		case c.PodUID == "" || c.PodUID == uid || c.State != "running" || s.isSandboxID(c.ID):
		case s.pods[c.PodUID] != nil:
			found = true
		case s.mirrored(c.PodUID) || s.fromFile(c.PodUID):
			found = found || slices.ContainsFunc(s.podsBy[c.PodNamespace+"/"+c.PodName], func(p *pod) bool { return p.static })
		case !l.AllNamespaces && c.PodNamespace != l.Namespace && !contains(l.Namespaces, c.PodNamespace):
		default:
			return false
		}
	}
	return found
}

// unalike says whether no common selector can have chosen the pods of a list:
// there are several, on several nodes, and they have no label in common.
func (s *scene) unalike(l timeline.Listing) bool {
	nodes := map[string]bool{}
	var common map[string]string
	count := 0
	for _, o := range s.objects["Pod"] {
		if o.Source.File != l.Source.File {
			continue
		}
		count++
		nodes[stringAt(o.Content, "spec", "nodeName")] = true
		labels, _ := valueAt(o.Content, "metadata", "labels").(map[string]any)
		mine := map[string]string{}
		for k, v := range labels {
			if text := fmt.Sprint(v); common == nil || common[k] == text {
				mine[k] = text
			}
		}
		common = mine
	}
	return count > 1 && len(nodes) > 1 && len(common) == 0
}
