package analyzer

import (
	"fmt"
	"maps"
	"path"
	"slices"

	"podautopsy/timeline"
)

// A saved list does not tell which command printed it: kubectl writes one of a
// selector as it writes one of everything. That it lacks a pod means something
// only where something else tells that the pod went, or that the list is whole.

// mayBeFiltered says whether a list that lacks the pod looks as one of a selector
// does, and nothing else tells of the pod's end, or that the list is whole.
func (q *inquest) mayBeFiltered(l timeline.Listing) bool {
	return l.Unasked && q.leftOut(l) && !q.deletionSeen() && !q.answeredNotFound() && !q.endBegun() && len(q.successors()) == 0 &&
		!q.s.dumpedWith(l) && !q.s.hasThoseOf(l, q.node, q.uid)
}

// askedToEnd are the lines by which somebody tells that a pod is to end.
var askedToEnd = []string{"kubelet-syncloop-delete", "kubelet-syncloop-delete-legacy", "kubelet-event-killing", "kubectl-force-deleted"}

// endBegun says whether a line tells that somebody began to end the pod.
func (q *inquest) endBegun() bool {
	return slices.ContainsFunc(q.events, func(i int) bool {
		return !q.early(&q.s.tl.Events[i]) && slices.ContainsFunc(q.s.matchesOf[i], func(n int) bool {
			id := q.s.matches[n].Signature.ID
			return contains(ending, id) || contains(askedToEnd, id)
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

// leftOut says whether all that a list has is alike in what a selector asks for,
// and the pod is not known to be so, too: a label, or of all namespaces the node
// or that none runs.
func (q *inquest) leftOut(l timeline.Listing) bool {
	var common map[string]string
	nodes, running := map[string]bool{}, false
	phases := map[string]bool{}
	for _, o := range q.s.objects["Pod"] {
		if o.Source.File != l.Source.File {
			continue
		}
		phases[stringAt(o.Content, "status", "phase")] = true
		labels := chosenLabels(o)
		if common != nil {
			maps.DeleteFunc(common, func(k, v string) bool { return labels[k] != v })
		} else {
			common = labels
		}
		nodes[stringAt(o.Content, "spec", "nodeName")] = true
		running = running || stringAt(o.Content, "status", "phase") == "Running"
	}
	own := q.labels()
	maps.DeleteFunc(common, func(k, v string) bool { return own[k] == v })
	elsewhere := len(nodes) == 1 && !nodes[""] && q.node != nil && !nodes[q.node.name]
	if q.pod != nil && len(phases) == 1 && !phases[q.pod.phase] {
		return true
	}
	return len(common) > 0 || l.AllNamespaces && len(nodes) > 0 && (elsewhere || !running)
}

// labels are what the API or the runtime knows of the pod's labels; nil where nothing tells.
func (q *inquest) labels() map[string]string {
	if q.object != nil {
		return chosenLabels(q.object)
	}
	if q.node != nil {
		for _, s := range q.node.sandboxes {
			if s.PodUID == q.uid && s.Labels != nil {
				return s.Labels
			}
		}
	}
	return nil
}

// chosenLabels are the labels of a pod that its author chose: those that a
// controller adds to tell one of its pods, or one of its revisions, from others
// are asked for by nobody.
func chosenLabels(o *timeline.Object) map[string]string {
	labels, _ := valueAt(o.Content, "metadata", "labels").(map[string]any)
	chosen := map[string]string{}
	for k, v := range labels {
		switch k {
		case "pod-template-hash", "controller-revision-hash", "pod-template-generation",
			"statefulset.kubernetes.io/pod-name", "apps.kubernetes.io/pod-index",
			"controller-uid", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-completion-index":
		default:
			chosen[k] = fmt.Sprint(v)
		}
	}
	return chosen
}
