package analyzer

import (
	"slices"
	"strings"

	"podautopsy/timeline"
)

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

// unitOfKubelet is the name of the unit that runs the node's kubelet, for
// commands: by systemd's state, its lines, the process list or the kubelet's
// version; "kubelet" where nothing tells.
func (s *scene) unitOfKubelet(n *node) string {
	if n == nil {
		return "kubelet"
	}
	if n.kubeletRunsIn == "" {
		n.kubeletRunsIn = strings.TrimSuffix(s.findKubeletUnit(n), ".service")
	}
	return n.kubeletRunsIn
}

func (s *scene) findKubeletUnit(n *node) string {
	if u := n.kubeletUnit(); u != nil {
		return u.Name
	}
	for _, i := range slices.Backward(n.events) {
		e := &s.tl.Events[i]
		switch {
		case e.Component == timeline.Kubelet && slices.Contains(kubeletUnits, e.Unit):
			return e.Unit
		case e.Component == timeline.Systemd:
			for _, unit := range kubeletUnits {
				if strings.HasPrefix(e.Message, unit+": ") || strings.Contains(e.Message, " "+unit+" - ") {
					return unit
				}
			}
		}
	}
	for _, p := range n.processes {
		_, arguments, _ := strings.Cut(strings.TrimSpace(p.Command), " ")
		role, _, _ := strings.Cut(strings.TrimSpace(arguments), " ")
		switch name := program(p.Command); {
		case name == "kubelet" && n.distribution() == "":
			return "kubelet.service"
		case name == "k3s" && role == "agent":
			return "k3s-agent.service"
		case name == "k3s" && role == "server":
			return "k3s.service"
		case name == "rke2" && (role == "agent" || role == "server"):
			return "rke2-" + role + ".service"
		case name == "kubelite":
			return "snap.microk8s.daemon-kubelite.service"
		}
	}
	server := n.object != nil && (hasLabel(n.object, "node-role.kubernetes.io/control-plane") || hasLabel(n.object, "node-role.kubernetes.io/master"))
	switch n.distribution() {
	case "k3s":
		if server {
			return "k3s.service"
		}
		return "k3s-agent.service"
	case "rke2":
		if server {
			return "rke2-server.service"
		}
		return "rke2-agent.service"
	}
	return "kubelet.service"
}

// distribution is the one whose process holds or starts the kubelet, as its
// version tells: v1.33.4+k3s1, v1.31.2+rke2r1. "" for others.
func (n *node) distribution() string {
	for _, name := range []string{"k3s", "rke2"} {
		if strings.Contains(n.kubelet, "+"+name) {
			return name
		}
	}
	return ""
}

// embedsRuntime says whether the kubelet's unit starts containerd as well.
func (s *scene) embedsRuntime(n *node) bool {
	if n == nil || n.units["containerd.service"] != nil {
		return false
	}
	unit := s.unitOfKubelet(n)
	return strings.HasPrefix(unit, "k3s") || strings.HasPrefix(unit, "rke2") || strings.HasPrefix(unit, "k0s")
}

func hasLabel(o *timeline.Object, name string) bool {
	labels, _ := mapAt(o.Content, "metadata", "labels")
	_, ok := labels[name]
	return ok
}
