package parsers

import (
	"path"
	"strings"

	"podautopsy/timeline"
)

// rancherSupportBundleLayout is what support-bundle-kit makes for Harvester,
// Longhorn and others: objects below yamls, an archive for each node.
var rancherSupportBundleLayout = Layout{
	Name:  "rancher-support-bundle",
	Doc:   "a support bundle of Harvester, Longhorn or another user of Rancher's support-bundle-kit",
	Marks: [][]string{{"yamls/", "metadata.yaml"}, {"yamls/cluster/", "logs/"}, {"yamls/namespaced/", "logs/"}},
	Fills: map[timeline.Carries]string{
		timeline.PodObjects: "a new bundle, with NS among the extra namespaces (the setting support-bundle-namespaces)",
		timeline.APIEvents:  "a new bundle, with NS among the extra namespaces (the setting support-bundle-namespaces)",
	},
	Place: placeInRancherSupportBundle,
}

func placeInRancherSupportBundle(root, rel string) Place {
	folder, below := outermost(rel)
	switch folder {
	case "nodes": // nodes/NODE.zip!NODE/logs/kubelet.log
		archive, inside, ok := strings.Cut(below, "!")
		if node, zip := strings.CutSuffix(archive, ".zip"); ok && zip {
			_, file := outermost(inside)
			return Place{Node: node, Folder: root + "nodes/" + archive + "!", Command: supportBundleCommand(file)}
		}
		if node, file := outermost(below); file != "" {
			return Place{Node: node, Folder: root + "nodes/" + node + "/", Command: supportBundleCommand(file)}
		}
	case "yamls":
		resource := strings.TrimSuffix(path.Base(below), ".yaml")
		switch scope, file := outermost(below); {
		case !strings.HasSuffix(file, ".yaml"):
		case scope == "cluster": // also cluster/kubernetes and cluster/harvester
			return Place{Command: "kubectl get " + resource + " -o yaml"}
		case scope == "namespaced":
			namespace, _ := outermost(file)
			return Place{Command: "kubectl get " + resource + " --namespace " + namespace + " -o yaml"}
		}
	}
	return Place{}
}

// supportBundleCommand is what the collectors of Longhorn and Harvester run on
// a node. kubelet.log is the journal, newest first, but RKE2's own file where
// there is one.
func supportBundleCommand(file string) string {
	switch file {
	case "hostinfos/proc_mounts":
		return "cat /proc/mounts"
	case "logs/dmesg.log":
		return "dmesg -HTx"
	case "logs/k3s-service.log":
		return "journalctl -o short-precise -r -u k3s.service"
	case "logs/k3s-agent-service.log":
		return "journalctl -o short-precise -r -u k3s-agent.service"
	case "logs/kernel.log":
		return "journalctl -o short-precise -k"
	case "logs/containerd-images.log":
		return "ctr -n k8s.io images ls"
	case "configs/etc/hostname", "hostname":
		return "cat /etc/hostname"
	}
	if unit, ok := strings.CutPrefix(file, "logs/rke2-"); ok {
		return "journalctl -o short-precise -b all -u rke2-" + strings.TrimSuffix(unit, ".log")
	}
	return ""
}
