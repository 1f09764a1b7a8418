package parsers

import "strings"

// clusterAPILayout is what the test framework of Cluster API keeps of its clusters:
// a folder for each machine, whose name need not be the node's.
var clusterAPILayout = Layout{
	Name:  "cluster-api",
	Doc:   "the artifacts of Cluster API's end-to-end tests: machines' logs and the management cluster's objects",
	Marks: [][]string{{"clusters/*/machines/"}, {"clusters/*/resources/"}},
	Place: placeInClusterAPI,
}

func placeInClusterAPI(root, rel string) Place {
	parts := strings.SplitN(rel, "/", 5) // clusters/CLUSTER/machines/MACHINE/FILE
	if len(parts) < 5 || parts[0] != "clusters" || parts[2] != "machines" && parts[2] != "machine-pools" {
		return Place{}
	}
	p := Place{Folder: root + strings.Join(parts[:4], "/") + "/"}
	switch parts[4] {
	case "journal.log":
		p.Command = "journalctl --no-pager --output=short-precise"
	case "kern.log":
		p.Command = "journalctl --no-pager --output=short-precise -k"
	case "kubelet.log", "containerd.log", "crio.log":
		p.Command = "journalctl --no-pager --output=short-precise -u " + strings.TrimSuffix(parts[4], ".log") + ".service"
	case "kubelet-version.txt":
		p.Command = "kubelet --version"
	case "containerd-info.txt":
		p.Command = "crictl info"
	}
	return p
}
