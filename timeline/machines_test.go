package timeline

import (
	"strings"
	"testing"
)

func nodeObject(b *Builder, name, uid, machine, address string) {
	b.AddObject(&Object{Kind: "Node", Name: name, UID: uid, Source: b.Src(len(b.Objects)+1, 0), Content: Decoded{
		"status": map[string]any{
			"nodeInfo":  map[string]any{"machineID": machine, "bootID": "772640d7-0326-4ac3-8652-68f169e7ced7"},
			"addresses": []any{map[string]any{"type": "InternalIP", "address": address}},
		},
	}})
}

const (
	machineA = "91291627bf3f251d79d47f2b3db4003a"
	machineB = "4bee3bb8f8f21d562bb5d01b9e72a83e"
	podUID   = "bbbfc831-c005-461a-8a47-9874e5a1882c"
)

// dump has two nodes, and a pod that runs on the first.
func twoNodes() *Builder {
	b := NewBuilder("cluster/nodes.yaml")
	nodeObject(b, "node-a.example", "uid-a", machineA, "10.0.1.7")
	nodeObject(b, "node-b.example", "uid-b", machineB, "10.0.1.8")
	b.AddObject(&Object{Kind: "Pod", Namespace: "shop", Name: "web-0", UID: podUID, Source: b.Src(9, 0), Content: Decoded{
		"spec": map[string]any{"nodeName": "node-a.example"},
	}})
	return b
}

func identified(path string, id Identity) *Builder {
	b := NewBuilder(path)
	b.Identify(id)
	b.Input.Records++
	return b
}

func TestNodesByMoreThanTheirNames(t *testing.T) {
	const speaks = `I1130 08:45:18.965286 161 x.go:1] "Killing" pod="shop/web-0" podUID="` + podUID + `"`
	for _, test := range []struct {
		name  string
		files []*Builder
		path  string // whose node is asked
		want  string
	}{
		{"machine id beside the host's name", []*Builder{hostLog("x/var/log/syslog", "alpha"), identified("x/etc/machine-id", Identity{MachineID: machineA})}, "x/var/log/syslog", "node-a.example"},
		{"machine id alone", []*Builder{bareLog("x/kubelet.log"), identified("x/etc/machine-id", Identity{MachineID: machineB})}, "x/etc/machine-id", "node-b.example"},
		{"address", []*Builder{hostLog("x/syslog", "alpha"), identified("x/ip-addr.txt", Identity{Addresses: []string{"127.0.0.1", "10.244.1.1", "10.0.1.8"}})}, "x/syslog", "node-b.example"},
		{"address in the name", []*Builder{hostLog("x/syslog", "ip-10-0-1-7.ec2.internal")}, "x/syslog", "node-a.example"},
		{"address for a name", []*Builder{hostLog("x/syslog", "10.0.1.8")}, "x/syslog", "node-b.example"},
		{"pods that it runs", []*Builder{kubeletLog("x/kubelet.log", "host0", speaks)}, "x/kubelet.log", "node-a.example"},
		{"pods, without a name", []*Builder{func() *Builder { b := bareLog("x/kubelet.log"); b.Events[0].Message = speaks; return b }(), hostLog("y/syslog", "other")}, "x/kubelet.log", "node-a.example"},
		{"a boot that all share tells nothing", []*Builder{hostLog("x/syslog", "alpha"), identified("x/boot_id", Identity{BootIDs: []string{"772640d7-0326-4ac3-8652-68f169e7ced7"}})}, "x/syslog", "alpha"},
		{"nothing of it", []*Builder{hostLog("x/syslog", "alpha"), identified("x/etc/machine-id", Identity{MachineID: "00000000000000000000000000000001"})}, "x/syslog", "alpha"},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl := Assemble(append([]*Builder{twoNodes()}, test.files...), Options{})
			for i := range tl.Inputs {
				if in := &tl.Inputs[i]; in.Path == test.path && in.Node != test.want {
					t.Errorf("%s is of %q, want %q", in.Path, in.Node, test.want)
				}
			}
			for i := range tl.Events {
				if e := &tl.Events[i]; e.Source.File == test.path && e.Node != test.want {
					t.Errorf("a line of %s is of %q, want %q", e.Source.File, e.Node, test.want)
				}
			}
		})
	}
}

func TestWholeAndShortNames(t *testing.T) {
	for _, test := range []struct {
		name  string
		files []*Builder
		want  int
	}{
		{"one of each", []*Builder{hostLog("a/syslog", "worker-1"), hostLog("b/syslog", "worker-1.example.com")}, 1},
		{"two whole ones", []*Builder{hostLog("a/syslog", "worker-1"), hostLog("b/syslog", "worker-1.east.example"), hostLog("c/syslog", "worker-1.west.example")}, 3},
		{"two machines", []*Builder{hostLog("a/syslog", "worker-1"), hostLog("b/syslog", "worker-1.example.com"), identified("a/machine-id", Identity{MachineID: machineA}), identified("b/machine-id", Identity{MachineID: machineB})}, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			nodes := map[string]bool{}
			for _, in := range Assemble(test.files, Options{}).Inputs {
				nodes[in.Node] = true
			}
			if len(nodes) != test.want {
				t.Errorf("%v, want %d", nodes, test.want)
			}
		})
	}
}

// Two machines of one name, as of two clusters: only the node of the dump
// keeps it.
func TestSameNameOtherMachine(t *testing.T) {
	nodes := NewBuilder("cluster/nodes.yaml")
	nodeObject(nodes, "worker-1", "uid-1", machineA, "10.0.1.7")
	bundle := func(dir, machine string) []*Builder {
		return []*Builder{kubeletLog(dir+"/kubelet.log", "worker-1", dir+" speaks"), mountTable(dir + "/mounts"), identified(dir+"/etc/machine-id", Identity{MachineID: machine})}
	}
	const stranger = "worker-1 (machine 4bee3bb8)"
	for _, test := range []struct {
		name  string
		files []*Builder
		want  map[string]string
	}{
		{"both", append(bundle("a", machineA), bundle("b", machineB)...), map[string]string{"a": "worker-1", "b": stranger}},
		{"the other alone", bundle("b", machineB), map[string]string{"b": stranger}},
		{"the node alone", bundle("a", machineA), map[string]string{"a": "worker-1"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl := Assemble(append([]*Builder{nodes}, test.files...), Options{})
			for i := range tl.Events {
				dir, _, _ := strings.Cut(tl.Events[i].Source.File, "/")
				if got := tl.Events[i].Node; got != test.want[dir] {
					t.Errorf("%s is of %q", tl.Events[i].Source.File, got)
				}
			}
			for i := range tl.Mounts {
				dir, _, _ := strings.Cut(tl.Mounts[i].Source.File, "/")
				if got := tl.Mounts[i].Node; got != test.want[dir] {
					t.Errorf("%s is of %q", tl.Mounts[i].Source.File, got)
				}
			}
			if _, other := test.want["b"]; tl.Strangers[stranger] != other {
				t.Errorf("strangers: %v", tl.Strangers)
			}
		})
	}
	// Nobody's word that it is another: the same pods run on it.
	pod := boundPod("cluster/pods.yaml", "web-0", "worker-1", false)
	pod.Objects[0].UID = podUID
	log := kubeletLog("b/kubelet.log", "worker-1", `"x" podUID="`+podUID+`"`)
	if tl := Assemble([]*Builder{nodes, pod, log, identified("b/machine-id", Identity{MachineID: machineB})}, Options{}); len(tl.Strangers) > 0 {
		t.Errorf("a node that runs the dump's pods is no stranger: %v", tl.Strangers)
	}
}

func TestSeveralClusters(t *testing.T) {
	dump := func(path, nsUID, nodeUID, machine string) *Builder {
		b := NewBuilder(path)
		if nsUID != "" {
			b.AddObject(&Object{Kind: "Namespace", Name: "kube-system", UID: nsUID, Source: b.Src(1, 0), Content: Decoded{}})
		}
		nodeObject(b, "worker-1", nodeUID, machine, "10.0.1.7")
		return b
	}
	for _, test := range []struct {
		name   string
		second *Builder
		want   bool
	}{
		{"the same, later", dump("b.yaml", "ns-1", "node-1", machineA), false},
		{"a node that registered again", dump("b.yaml", "ns-1", "node-2", machineA), false},
		{"another kube-system", dump("b.yaml", "ns-2", "node-1", machineA), true},
		{"another machine as node of the name", dump("b.yaml", "", "node-2", machineB), true},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl := Assemble([]*Builder{dump("a.yaml", "ns-1", "node-1", machineA), test.second}, Options{})
			if tl.SeveralClusters != test.want || len(tl.Notes) > 0 != test.want {
				t.Errorf("several clusters: %v, %q", tl.SeveralClusters, tl.Notes)
			}
		})
	}
}
