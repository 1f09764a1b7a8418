package parsers

import (
	"regexp"
	"time"

	"podautopsy/timeline"
)

// eksLayout is the archive of Amazon's EKS log collector, one node each, named
// eks_INSTANCE_YYYY-MM-DD_HHMM-UTC_VERSION. It has no folder at its top.
var eksLayout = Layout{
	Name:  "eks",
	Doc:   "an archive of the EKS log collector (eks-log-collector.sh or the node monitoring agent)",
	Marks: [][]string{{"kubelet/kubelet.log", "storage/mounts.txt"}, {"containerd/containerd-tasks.txt", "storage/mounts.txt"}},
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:  "sudo bash eks-log-collector.sh on NODE",
		timeline.RuntimeLog:  "sudo bash eks-log-collector.sh on NODE",
		timeline.KernelLog:   "sudo bash eks-log-collector.sh on NODE",
		timeline.MountTable:  "sudo bash eks-log-collector.sh on NODE",
		timeline.ProcessList: "sudo bash eks-log-collector.sh on NODE",
	},
	Place:    placeInEKS,
	Specimen: "an archive of version 0.7.9 of a node that is not Amazon's",
}

var eksArchive = regexp.MustCompile(`^eks_[^_]*_(\d{4}-\d\d-\d\d_\d{4})-UTC`)

func placeInEKS(root, rel string) Place {
	p := Place{Folder: root, Command: eksCommand(rel)}
	if m := eksArchive.FindStringSubmatch(topFolder(root)); m != nil {
		if t, err := time.Parse("2006-01-02_1504", m[1]); err == nil {
			p.CapturedAt = t
		}
	}
	return p
}

func eksCommand(rel string) string {
	switch rel {
	case "kubelet/kubelet.log":
		return "journalctl --unit kubelet"
	case "containerd/containerd-log.txt":
		return "journalctl --unit containerd"
	case "containerd/containerd-tasks.txt":
		return "ctr --namespace k8s.io tasks list"
	case "containerd/containerd-containers.txt":
		return "ctr --namespace k8s.io containers list"
	case "containerd/containerd-version.txt":
		return "containerd --version"
	case "storage/mounts.txt":
		return "mount; df --human-readable"
	case "storage/inodes.txt":
		return "df --inodes"
	case "system/ps.txt":
		return "ps fauxwww"
	case "system/services.txt":
		return "systemctl list-units"
	case "kernel/dmesg.current":
		return "dmesg"
	case "kernel/uname.txt":
		return "uname --all"
	}
	return ""
}
