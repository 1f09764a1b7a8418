package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// Lacked is what a report asks for of one place.
type Lacked struct {
	Node string // "" is the API server
	// Kinds are timeline.Carries, and checks of what a pod leaves behind that
	// could not be made.
	Kinds []string
}

// onNodes are the kinds that are taken on a node.
var onNodes = []string{
	string(timeline.KubeletLog), string(timeline.RuntimeLog), string(timeline.RuntimeState), string(timeline.KernelLog),
	string(timeline.MountTable), string(timeline.ProcessList),
	"containers", "sandbox", "processes", "cgroup", "mounts", "pod-directory", "logs", "netns", "ip", "local-volume", "ports",
}

// Lacked sums up what evidence the report misses, the API server's first.
func (d *Document) Lacked() []Lacked {
	kinds := map[string][]string{}
	ask := func(node, kind string) {
		if !slices.Contains(onNodes, kind) {
			node = ""
		}
		kinds[node] = appendOnce(kinds[node], kind)
	}
	list := func(node string, missing []Missing) {
		for _, m := range missing {
			for command := range strings.SplitSeq(m.Command, "; ") {
				if kind := carriedBy(command); kind != "" {
					ask(node, string(kind))
				}
			}
		}
	}
	for _, n := range d.Bundle.Nodes {
		list(n.Name, n.Lacks)
	}
	list("", d.Bundle.Lacks)
	for i := range d.Subjects {
		s := &d.Subjects[i]
		node := ""
		if len(s.Nodes) > 0 {
			node = s.Nodes[0]
		}
		list(node, s.Missing)
		for _, r := range s.Residue {
			if r.State == "unknown" {
				ask(node, r.Check)
			}
		}
	}
	out := make([]Lacked, 0, len(kinds))
	for node, list := range kinds {
		slices.Sort(list)
		out = append(out, Lacked{node, list})
	}
	slices.SortFunc(out, func(a, b Lacked) int { return cmp.Compare(a.Node, b.Node) })
	return out
}
