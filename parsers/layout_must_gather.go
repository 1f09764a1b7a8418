package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// mustGatherLayout is what oc adm must-gather and oc adm inspect write, below a
// folder that is named after the image that collected.
var mustGatherLayout = Layout{
	Name:  "must-gather",
	Doc:   "what oc adm must-gather or oc adm inspect wrote",
	Marks: [][]string{{"cluster-scoped-resources/"}, {"namespaces/*/core/"}, {"namespaces/*/pods/"}, {"host_service_logs/"}, {"audit_logs/kube-apiserver/"}, {"nodes/skipped_nodes.txt"}},
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:     "oc adm node-logs NODE -u kubelet",
		timeline.RuntimeLog:     "oc adm node-logs NODE -u crio",
		timeline.RuntimeState:   "oc debug node/NODE -- chroot /host crictl ps -a -o json; oc debug node/NODE -- chroot /host crictl pods -o json",
		timeline.KernelLog:      "oc debug node/NODE -- chroot /host dmesg -T",
		timeline.MountTable:     "oc debug node/NODE -- chroot /host cat /proc/1/mountinfo",
		timeline.ProcessList:    "oc debug node/NODE -- chroot /host ps axo stat,pid,ppid,wchan:32,lstart,args",
		timeline.PodObjects:     "oc adm inspect ns/NS",
		timeline.APIEvents:      "oc adm inspect ns/NS",
		timeline.NodeObjects:    "oc adm inspect nodes",
		timeline.StorageObjects: "oc adm inspect persistentvolumes,volumeattachments,csinodes,csidrivers",
		timeline.LeaseObjects:   "oc adm inspect ns/kube-node-lease",
		timeline.OtherObjects:   "oc adm inspect validatingwebhookconfigurations,mutatingwebhookconfigurations,apiservices",
		timeline.ControllerLogs: "oc adm inspect ns/openshift-kube-controller-manager",
		timeline.AuditLines:     "oc adm must-gather -- /usr/bin/gather_audit_logs",
	},
	Place: placeInMustGather,
	Specimen: "a must-gather of OpenShift 4.8 (September 2021), from the tests of must-gather-clean; " +
		"kubelet logs of single nodes (nodes/NODE) and audit logs after the source code alone",
}

func placeInMustGather(root, rel string) Place {
	var p Place
	folder, below := outermost(rel)
	name, file := outermost(below)
	switch folder {
	case "nodes":
		if file == "" {
			break // nodes/skipped_nodes.txt
		}
		p.Node, p.Folder = name, root+"nodes/"+name+"/"
		switch {
		case strings.HasPrefix(file, name+"_logs_kubelet"):
			p.Command, p.Zone = "journalctl --utc --no-pager --output=short-precise --unit kubelet", "UTC"
		case file == "dmesg":
			p.Command = "dmesg"
		}
	case "host_service_logs": // the kubelet's own journal endpoint; it asks for --utc
		p.Zone = "UTC"
		if unit, ok := strings.CutSuffix(strings.TrimSuffix(file, ".gz"), "_service.log"); ok {
			p.Command = "journalctl --utc --no-pager --output=short-precise --unit " + unit
		}
		switch name {
		case "masters", "workers", "windows": // the logs of many in one file
		default:
			p.Node = name
		}
	case "audit_logs":
		if node, _, ok := strings.Cut(file, "-audit"); ok {
			p.Node = node
		}
	case "static-pods":
		if node, _, ok := strings.Cut(file, "-termination"); ok {
			p.Node = node
		}
	case "machine_config_termination_logs":
		if file != "" {
			p.Node = name
		}
	case "namespaces":
		group, list := outermost(file)
		resource, ok := strings.CutSuffix(list, ".yaml")
		if ok && !strings.Contains(resource, "/") && group != "pods" {
			p.Command = "oc get " + resource + " --namespace " + name + " -o yaml"
		}
	}
	return p
}
