package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// logDumpLayout is what Kubernetes' end-to-end tests keep of their nodes: a folder
// for each, named after it. The journals of services are without prefixes, so
// that nothing in them names the machine.
var logDumpLayout = Layout{
	Name: "log-dump",
	Doc:  "the logs of nodes that Kubernetes' end-to-end tests keep (log-dump.sh, logexporter)",
	Marks: [][]string{
		{"*/kubelet.log", "*/kube-node-installation.log"},
		{"*/kubelet.log", "*/kube-node-configuration.log"},
		{"*/kubelet.log", "*/kube-master-installation.log"},
		{"*/kubelet.log", "*/kubelet-monitor.log"},
		{"*/kubelet.log", "*/serial-1.log"},
	},
	Fills: map[timeline.Carries]string{
		timeline.RuntimeLog: "LOG_DUMP_SYSTEMD_SERVICES=containerd log-dump.sh",
	},
	Place: placeInLogDump,
}

func placeInLogDump(root, rel string) Place {
	node, file := outermost(rel)
	if file == "" {
		return Place{}
	}
	p := Place{Node: node, Folder: root + node + "/"}
	name, log := strings.CutSuffix(file, ".log")
	switch {
	case !log:
	case name == "kern":
		p.Command = "journalctl --output=short-precise -k"
	case name == "systemd":
		p.Command = "journalctl --output=short-precise"
	case name == "kubelet", name == "containerd", name == "crio", name == "docker":
		p.Command = "journalctl --output=cat -u " + name + ".service"
	}
	return p
}
