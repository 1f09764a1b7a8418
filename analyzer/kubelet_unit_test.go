package analyzer

import (
	"testing"

	"podautopsy/timeline"
)

// Commands name the unit that runs the kubelet on that node.
func TestUnitOfKubelet(t *testing.T) {
	unit := func(names ...string) map[string]*timeline.Unit {
		units := map[string]*timeline.Unit{}
		for _, name := range names {
			units[name] = &timeline.Unit{Name: name, Active: "inactive", Load: "loaded"}
		}
		return units
	}
	ps := func(commands ...string) (list []*timeline.Process) {
		for i, c := range commands {
			list = append(list, &timeline.Process{PID: i + 1, Command: c})
		}
		return list
	}
	server := &timeline.Object{Kind: "Node", Content: timeline.Decoded{"metadata": map[string]any{"labels": map[string]any{"node-role.kubernetes.io/control-plane": "true"}}}}
	for _, c := range []struct {
		name   string
		node   node
		events []timeline.Event
		want   string
		embeds bool
	}{
		{name: "nothing known", want: "kubelet"},
		{name: "systemd's state", node: node{units: unit("k3s-agent.service")}, want: "k3s-agent", embeds: true},
		{name: "a unit beside a containerd of its own", node: node{units: unit("k3s.service", "containerd.service")}, want: "k3s"},
		{name: "the journal's unit", events: []timeline.Event{{Component: timeline.Kubelet, Unit: "rke2-agent.service"}}, want: "rke2-agent", embeds: true},
		{name: "systemd's words", events: []timeline.Event{{Component: timeline.Systemd, Message: "k3s.service: Main process exited, code=killed, status=9/KILL"}}, want: "k3s", embeds: true},
		{name: "a process", node: node{processes: ps("/sbin/init", "/usr/local/bin/k3s server --disable traefik")}, want: "k3s", embeds: true},
		{name: "a kubelet", node: node{processes: ps("/usr/bin/kubelet --config=/x")}, want: "kubelet"},
		{name: "the kubelet that rke2 starts", node: node{processes: ps("/var/lib/rancher/rke2/data/v1.31/bin/kubelet --config=/x"), kubelet: "v1.31.2+rke2r1", object: server}, want: "rke2-server", embeds: true},
		{name: "a version", node: node{kubelet: "v1.33.4+k3s1"}, want: "k3s-agent", embeds: true},
		{name: "a version of a vendor", node: node{kubelet: "v1.33.4-eks-1234567"}, want: "kubelet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scene{tl: &timeline.Timeline{Events: c.events}}
			n := c.node
			for i := range c.events {
				n.events = append(n.events, i)
			}
			if got := s.unitOfKubelet(&n); got != c.want {
				t.Errorf("unit %q, want %q", got, c.want)
			}
			if got := s.embedsRuntime(&n); got != c.embeds {
				t.Errorf("embeds a runtime: %v", got)
			}
		})
	}
	for command, want := range map[string]timeline.Carries{
		"journalctl -u k3s-agent --since '-2h' -o export": timeline.KubeletLog,
		"journalctl -u kubelet":                           timeline.KubeletLog,
		"journalctl -u containerd --since '-2h'":          timeline.RuntimeLog,
		"journalctl -u kubelet-wrapper":                   timeline.RuntimeLog,
	} {
		if got := carriedBy(command); got != want {
			t.Errorf("%s carries %q, want %q", command, got, want)
		}
	}
}
