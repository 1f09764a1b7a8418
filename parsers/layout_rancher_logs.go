package parsers

import (
	"regexp"
	"strings"

	"podautopsy/timeline"
)

// rancherLogsLayout is the archive of Rancher's log collector, one node each, named
// HOST-YYYY-MM-DD_HH_MM_SS in the node's local time.
var rancherLogsLayout = Layout{
	Name:  "rancher-logs",
	Doc:   "an archive of Rancher's log collector (rancher2_logs_collector.sh)",
	Marks: [][]string{{"systeminfo/", "journald/"}, {"systeminfo/", "collector-output.log"}},
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:  "journalctl --unit k3s-agent --since -2h on a K3s agent, whose log the collector leaves out; elsewhere rancher2_logs_collector.sh -d 7",
		timeline.RuntimeLog:  "/var/lib/rancher/k3s/agent/containerd/containerd.log on K3s, which the collector leaves out; elsewhere rancher2_logs_collector.sh -d 7",
		timeline.PodObjects:  "kubectl get pods --all-namespaces -o yaml (the collector keeps tables)",
		timeline.NodeObjects: "kubectl get nodes -o yaml",
	},
	Place:    placeInRancherLogs,
	Specimen: "an archive of August 2026 of a kubeadm node, where kubectl could not connect",
}

var rancherFolder = regexp.MustCompile(`^(.+)-\d{4}-\d\d-\d\d_\d\d_\d\d_\d\d`)

func placeInRancherLogs(root, rel string) Place {
	p := Place{Folder: root}
	if m := rancherFolder.FindStringSubmatch(topFolder(root)); m != nil {
		p.Node = m[1]
	}
	folder, below := outermost(rel)
	switch folder {
	case "systeminfo":
		p.Command = rancherSystemCommand(below)
		return p
	case "journald":
		p.Command = "journalctl --unit " + below
		return p
	case "docker":
		if below == "dockerpsa" {
			p.Command = "docker ps -a"
		}
		return p
	}
	// The other folders are named after the distribution: rke2, k3s, kubeadm.
	switch tool, what := outermost(below); tool {
	case "crictl":
		p.Command = rancherCrictlCommand(what)
	case "kubectl", "poddescribe":
		p.Command = rancherKubectlCommand(tool, what)
		p.Node, p.Folder = "", "" // the API server's answer, not the node's
	}
	return p
}

func rancherSystemCommand(name string) string {
	switch name {
	case "hostname", "date", "mount", "uptime":
		return name
	case "ps":
		return "ps auxfww"
	case "dmesg":
		return "dmesg -T"
	case "dfh":
		return "df -h"
	case "dfi":
		return "df -i"
	case "lsof":
		return "lsof -Pn"
	case "uname":
		return "uname -a"
	case "systemd-units":
		return "systemctl list-units"
	}
	return ""
}

func rancherCrictlCommand(name string) string {
	switch name {
	case "psa":
		return "crictl ps -a"
	case "pods", "info", "version":
		return "crictl " + name
	}
	return ""
}

func rancherKubectlCommand(tool, name string) string {
	if tool == "poddescribe" {
		return "kubectl describe pods --namespace " + name
	}
	switch name {
	case "version", "api-resources":
		return "kubectl " + name
	case "cluster-info_dump":
		return "kubectl cluster-info dump"
	case "nodesdescribe":
		return "kubectl describe nodes"
	}
	if resource, ok := strings.CutSuffix(name, ".json"); ok {
		return "kubectl get " + resource + " -o json"
	}
	if strings.Contains(name, "/") {
		return ""
	}
	return "kubectl get " + name + " -o wide --all-namespaces"
}
