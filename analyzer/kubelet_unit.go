package analyzer

import "podautopsy/timeline"

// kubeletUnits are the units whose process is or holds the kubelet. Of several
// that are installed (RKE2's server and agent) one runs.
var kubeletUnits = []string{
	"kubelet.service", "k3s.service", "k3s-agent.service", "rke2-server.service", "rke2-agent.service",
	"k0scontroller.service", "k0sworker.service", "snap.microk8s.daemon-kubelite.service", "snap.kubelet.daemon.service",
}

// kubeletUnit is the node's unit that runs or should run its kubelet; nil if
// none is shown.
func (n *node) kubeletUnit() *timeline.Unit {
	var unit *timeline.Unit
	for _, name := range kubeletUnits {
		u := n.units[name]
		switch {
		case u == nil || u.Load == "not-found":
		case u.Active != "inactive" && u.Active != "failed":
			return u
		case unit == nil || unit.Since.IsZero() && !u.Since.IsZero():
			unit = u // the one that ran once
		}
	}
	return unit
}
