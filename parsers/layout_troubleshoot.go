package parsers

import (
	"encoding/json"
	"path"
	"strings"

	"podautopsy/timeline"
)

// troubleshootLayout is a support bundle of Replicated's Troubleshoot, of a cluster
// or of a host.
var troubleshootLayout = Layout{
	Name:  "troubleshoot",
	Doc:   "a support bundle of Replicated's Troubleshoot (kubectl support-bundle)",
	Marks: [][]string{{"cluster-resources/"}, {"host-collectors/"}},
	Fills: map[timeline.Carries]string{
		timeline.Unmasked:       "kubectl support-bundle --redact=false SPEC (what it hid is in the bundle then)",
		timeline.KubeletLog:     "hostCollectors: [journald: {collectorName: kubelet, units: [kubelet], utc: true}]",
		timeline.RuntimeLog:     "hostCollectors: [journald: {collectorName: containerd, units: [containerd], utc: true}]",
		timeline.KernelLog:      "hostCollectors: [journald: {collectorName: kernel, dmesg: true, utc: true}]",
		timeline.RuntimeState:   "hostCollectors: [run: {collectorName: crictl-ps, command: crictl, args: [ps, -a, -o, json]}]",
		timeline.MountTable:     "hostCollectors: [run: {collectorName: mounts, command: cat, args: [/proc/1/mountinfo]}]",
		timeline.ProcessList:    "hostCollectors: [run: {collectorName: ps, command: ps, args: [\"axo\", \"stat,pid,ppid,wchan:32,lstart,args\"]}]",
		timeline.PodObjects:     "collectors: [clusterResources: {}]",
		timeline.NodeObjects:    "collectors: [clusterResources: {}]",
		timeline.APIEvents:      "collectors: [clusterResources: {}]",
		timeline.StorageObjects: "collectors: [clusterResources: {}]",
		timeline.LeaseObjects:   "collectors: [clusterResources: {}]",
		timeline.ControllerLogs: "collectors: [logs: {namespace: kube-system, selector: [tier=control-plane]}]",
	},
	Place:    placeInTroubleshoot,
	Index:    readTroubleshootIndex,
	Specimen: "a support bundle and the output of collect, both of August 2026, and the baselines of Troubleshoot's own tests",
}

func placeInTroubleshoot(root, rel string) Place {
	folder, below := outermost(rel)
	switch {
	case below == "": // a file beside the folders
	case folder == "cluster-resources":
		return Place{Command: troubleshootGet(below)}
	case folder == "host-collectors":
		return placeOfHostCollector(root, below)
	case strings.HasPrefix(folder, "run-daemonset-"):
		return Place{Node: strings.TrimSuffix(below, ".log")}
	case strings.HasPrefix(folder, "copy-from-host-"):
		if node, file := outermost(below); file != "" {
			return Place{Node: node, Folder: root + folder + "/" + node + "/"}
		}
	case folder == "node-metrics":
		return Place{Node: strings.TrimSuffix(below, ".json")}
	case folder == "sysctl":
		return Place{Node: below}
	}
	return Place{}
}

// troubleshootGet is the listing that a file of cluster-resources holds:
// pods/NAMESPACE.json, nodes.json, custom-resources/CRD/NAMESPACE.json.
func troubleshootGet(below string) string {
	below, list := strings.CutSuffix(strings.TrimPrefix(below, "custom-resources/"), ".json")
	if !list || strings.HasSuffix(below, "-errors") {
		return ""
	}
	resource, namespace := outermost(below)
	if strings.Contains(namespace, "/") {
		return ""
	}
	switch resource {
	case "pvs":
		resource = "persistentvolumes"
	case "pvcs":
		resource = "persistentvolumeclaims"
	default:
		if !strings.Contains(resource, ".") { // pod-disruption-budgets
			resource = strings.ReplaceAll(resource, "-", "")
		}
	}
	if namespace == "" {
		return "kubectl get " + resource + " -o json"
	}
	return "kubectl get " + resource + " --namespace " + namespace + " -o json"
}

// placeOfHostCollector reads COLLECTOR/FILE, or COLLECTOR/NODE/FILE where the
// collectors ran on several hosts.
func placeOfHostCollector(root, below string) Place {
	collector, file := outermost(below)
	var p Place
	if node, rest := outermost(file); rest != "" && !strings.Contains(rest, "/") {
		if collector == "run-host" && hostCommand(rest) == "" {
			return p // files that a command wrote, below its own name
		}
		p.Node, file = node, rest
	}
	switch collector {
	case "run-host":
		p.Command = hostCommand(file)
	case "journald":
		if unit, ok := strings.CutSuffix(file, ".txt"); ok && !strings.HasSuffix(unit, "-stderr") {
			p.Command = "journalctl"
		}
	}
	if p.Node == "" {
		p.Folder = root + "host-collectors/"
	}
	return p
}

// hostCommand is the command that Troubleshoot's own specs run under a name:
// "crictl-ps", "journalctl-kubelet". Others are free to name as they like.
func hostCommand(file string) string {
	name, ok := strings.CutSuffix(path.Base(file), ".txt")
	if !ok || strings.HasSuffix(name, "-stderr") {
		return ""
	}
	program, what, _ := strings.Cut(name, "-")
	switch program {
	case "journalctl":
		switch what {
		case "":
			return "journalctl"
		case "dmesg":
			return "journalctl --dmesg"
		}
		return "journalctl --unit " + what
	case "crictl", "systemctl", "ip":
		return strings.TrimSpace(program + " " + strings.ReplaceAll(what, "-", " "))
	case "df", "mount", "ps", "uname", "dmesg", "date", "hostname", "lsof", "uptime":
		return program
	}
	return ""
}

// readTroubleshootIndex reads a host collector's notes on its command, and the
// zone of a host.
func readTroubleshootIndex(rel string, data []byte, tell func(string, Place)) {
	const longest = 1 << 20
	folder, below := outermost(rel)
	if folder != "host-collectors" || len(data) > longest {
		return
	}
	if name, ok := strings.CutSuffix(rel, runInfoSuffix); ok {
		var info runInfo
		if json.Unmarshal(data, &info) == nil && info.Command != "" {
			told := Place{Command: withoutShell(info.Command)}
			if _, file := outermost(below); strings.Count(file, "/") == 1 {
				told.Node, _ = outermost(file)
			}
			tell(name+".txt", told)
		}
		return
	}
	host, ok := strings.CutPrefix(strings.TrimSuffix(below, "time.json"), "system/")
	if !ok || path.Base(rel) != "time.json" {
		return
	}
	var clock struct{ Timezone string }
	if json.Unmarshal(data, &clock) != nil || clock.Timezone == "" {
		return
	}
	for _, collector := range []string{"run-host", "journald", "system"} {
		tell("host-collectors/"+collector+"/"+host, Place{Zone: clock.Timezone})
	}
}
