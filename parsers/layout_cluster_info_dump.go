package parsers

import (
	"path"
	"strings"

	"podautopsy/timeline"
)

// clusterInfoDumpLayout is the folder that kubectl cluster-info dump fills.
var clusterInfoDumpLayout = Layout{
	Name: "cluster-info-dump",
	Doc:  "what kubectl cluster-info dump --output-directory wrote",
	Marks: [][]string{
		{"nodes.json", "*/pods.json", "*/events.json"},
		{"nodes.yaml", "*/pods.yaml", "*/events.yaml"},
	},
	Fills: map[timeline.Carries]string{
		timeline.PodObjects:     "kubectl cluster-info dump --all-namespaces --output-directory dump",
		timeline.NodeObjects:    "kubectl cluster-info dump --all-namespaces --output-directory dump",
		timeline.APIEvents:      "kubectl cluster-info dump --all-namespaces --output-directory dump",
		timeline.StorageObjects: "kubectl get persistentvolumes,persistentvolumeclaims,volumeattachments,csinodes,csidrivers --all-namespaces -o yaml",
		timeline.LeaseObjects:   "kubectl get leases --namespace kube-node-lease -o yaml --show-managed-fields",
		timeline.OtherObjects:   "kubectl get namespaces,statefulsets,apiservices,validatingwebhookconfigurations,mutatingwebhookconfigurations --all-namespaces -o yaml",
	},
	Place:    placeInClusterInfoDump,
	Specimen: "dumps of kubectl 1.35, as JSON and as YAML",
}

func placeInClusterInfoDump(_, rel string) Place {
	format := strings.TrimPrefix(path.Ext(rel), ".")
	if format != "json" && format != "yaml" {
		return Place{}
	}
	resource := strings.ReplaceAll(strings.TrimSuffix(path.Base(rel), "."+format), "-", "")
	switch namespace, below := outermost(rel); {
	case below == "":
		return Place{Command: "kubectl get " + resource + " -o " + format}
	case !strings.Contains(below, "/"):
		return Place{Command: "kubectl get " + resource + " --namespace " + namespace + " -o " + format}
	}
	return Place{}
}
