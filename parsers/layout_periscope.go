package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// periscopeLayout is what AKS Periscope uploads of one node, NODE.zip: a folder for
// each of its collectors.
var periscopeLayout = Layout{
	Name:  "aks-periscope",
	Doc:   "an archive of AKS Periscope, one node each",
	Marks: [][]string{{"systemlogs/kubelet"}, {"systemlogs/docker", "kubeobjects/"}},
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog: "az aks kollect",
		timeline.PodObjects: "az aks kollect --kube-objects NS/pod",
	},
	Place: placeInPeriscope,
}

func placeInPeriscope(root, rel string) Place {
	collector, file := outermost(rel)
	switch collector {
	case "kubeobjects": // the API server's answers: NAMESPACE_RESOURCE_NAME
		if parts := strings.Split(file, "_"); len(parts) == 3 {
			return Place{Command: "kubectl describe --namespace " + parts[0] + " " + parts[1] + " " + parts[2]}
		}
		return Place{}
	case "poddisruptionbudget", "podscontainerlogs", "helm", "osm", "smi", "systemperf":
		return Place{}
	}
	p := Place{Node: strings.TrimSuffix(topFolder(root), ".zip"), Folder: root}
	if collector == "systemlogs" && file != "" && !strings.Contains(file, "/") {
		p.Command = "journalctl --unit " + file
	}
	return p
}
