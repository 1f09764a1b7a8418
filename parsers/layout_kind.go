package parsers

import "podautopsy/timeline"

// kindLayout is what kind export logs writes: a folder for each node, with a copy of
// the node's /var/log.
var kindLayout = Layout{
	Name:  "kind",
	Doc:   "what kind export logs wrote",
	Marks: [][]string{{"kind-version.txt"}, {"docker-info.txt", "*/kubernetes-version.txt"}, {"podman-info.txt", "*/kubernetes-version.txt"}},
	Place: placeInKind,
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:   "kind export logs DIR",
		timeline.RuntimeLog:   "kind export logs DIR",
		timeline.KernelLog:    "docker exec NODE journalctl -k -o export",
		timeline.RuntimeState: "docker exec NODE crictl ps -a -o json; docker exec NODE crictl pods -o json",
		timeline.MountTable:   "docker exec NODE cat /proc/1/mountinfo",
		timeline.ProcessList:  "docker exec NODE ps -eo pid,ppid,stat,lstart,wchan:32,cgroup,args -ww",
		timeline.AuditLines:   "docker exec CONTROL-PLANE cat /var/log/kubernetes/kube-apiserver-audit.log (where the cluster's configuration turns it on)",
	},
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
