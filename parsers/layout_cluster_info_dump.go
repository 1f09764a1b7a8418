package parsers

import (
	"path"
	"strings"
)

// ClusterInfoDump is the folder that kubectl cluster-info dump fills.
var ClusterInfoDump = Layout{
	Name: "cluster-info-dump",
	Doc:  "what kubectl cluster-info dump --output-directory wrote",
	Marks: [][]string{
		{"nodes.json", "*/pods.json", "*/events.json"},
		{"nodes.yaml", "*/pods.yaml", "*/events.yaml"},
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
