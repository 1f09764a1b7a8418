package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// aksLayout is the archive of the node log collector on Azure's nodes. Files of the
// node stand in it under their own paths.
var aksLayout = Layout{
	Name:  "aks",
	Doc:   "an archive of the AKS node log collector (aks-log-collector.sh)",
	Marks: [][]string{{"collect/crictl_pods.json"}, {"collect/crictl_ps.json"}, {"collect/proc/mounts"}},
	Fills: map[timeline.Carries]string{
		timeline.RuntimeState: "sudo aks-log-collector.sh on NODE",
		timeline.MountTable:   "sudo aks-log-collector.sh on NODE",
	},
	Place: placeInAKS,
}

func placeInAKS(root, rel string) Place {
	p := Place{Folder: root}
	name, collected := strings.CutPrefix(rel, "collect/")
	switch {
	case !collected:
	case strings.HasPrefix(name, "proc/"):
		p.Command = "cat /" + name
	case name == "crictl_ps.json", name == "crictl_pods.json", name == "crictl_info.json":
		p.Command = "crictl " + strings.TrimSuffix(strings.TrimPrefix(name, "crictl_"), ".json") + " -o json"
	case name == "systemctl-status.txt":
		p.Command = "systemctl status"
	}
	return p
}
