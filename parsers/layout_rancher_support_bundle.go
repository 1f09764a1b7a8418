package parsers

import (
	"path"
	"strings"
)

// RancherSupportBundle is what support-bundle-kit makes for Harvester,
// Longhorn and others: objects below yamls, an archive for each node.
var RancherSupportBundle = Layout{
	Name:  "rancher-support-bundle",
	Doc:   "a support bundle of Harvester, Longhorn or another user of Rancher's support-bundle-kit",
	Marks: [][]string{{"yamls/", "metadata.yaml"}, {"yamls/cluster/", "logs/"}, {"yamls/namespaced/", "logs/"}},
	Place: placeInRancherSupportBundle,
}

func placeInRancherSupportBundle(root, rel string) Place {
	folder, below := outermost(rel)
	switch folder {
	case "nodes": // nodes/NODE.zip!NODE/logs/kubelet.log
		archive, inside, ok := strings.Cut(below, "!")
		if node, zip := strings.CutSuffix(archive, ".zip"); ok && zip {
			p := Place{Node: node, Folder: root + "nodes/" + archive + "!"}
			if _, file := outermost(inside); file == "hostinfos/proc_mounts" {
				p.Command = "cat /proc/mounts"
			}
			return p
		}
		if node, file := outermost(below); file != "" {
			return Place{Node: node, Folder: root + "nodes/" + node + "/"}
		}
	case "yamls":
		resource := strings.TrimSuffix(path.Base(below), ".yaml")
		switch scope, file := outermost(below); {
		case !strings.HasSuffix(file, ".yaml"):
		case scope == "cluster":
			return Place{Command: "kubectl get " + resource + " -o yaml"}
		case scope == "namespaced":
			namespace, _ := outermost(file)
			return Place{Command: "kubectl get " + resource + " --namespace " + namespace + " -o yaml"}
		}
	}
	return Place{}
}
