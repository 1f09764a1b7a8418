package parsers

// Kind is what kind export logs writes: a folder for each node, with a copy of
// the node's /var/log.
var Kind = Layout{
	Name:  "kind",
	Doc:   "what kind export logs wrote",
	Marks: [][]string{{"kind-version.txt"}, {"docker-info.txt", "*/kubernetes-version.txt"}, {"podman-info.txt", "*/kubernetes-version.txt"}},
	Place: placeInKind,
}

func placeInKind(root, rel string) Place {
	node, file := outermost(rel)
	if file == "" {
		return Place{}
	}
	p := Place{Node: node, Folder: root + node + "/"}
	switch file {
	case "journal.log":
		p.Command = "journalctl --no-pager"
	case "kubelet.log":
		p.Command = "journalctl --no-pager --unit kubelet"
	case "containerd.log":
		p.Command = "journalctl --no-pager --unit containerd"
	case "kubernetes-version.txt":
		p.Command = "cat /kind/version"
	case "inspect.json":
		p.Command = "docker inspect " + node
	case "images.log":
		p.Command = "crictl images"
	}
	return p
}
