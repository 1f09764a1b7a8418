package timeline

import (
	"fmt"
	"testing"
	"time"
)

func nodeObjects(path string, names ...string) *Builder {
	b := NewBuilder(path)
	for i, n := range names {
		b.AddObject(&Object{Kind: "Node", Name: n, UID: "node-" + n, Content: Decoded{}, Source: b.Src(i+1, 0)})
	}
	return b
}

func boundPod(path, name, node string, deleted bool) *Builder {
	b := NewBuilder(path)
	meta := map[string]any{}
	if deleted {
		meta["deletionTimestamp"] = "2026-11-30T08:00:00Z"
	}
	b.AddObject(&Object{Kind: "Pod", Name: name, UID: "pod-" + name, Source: b.Src(1, 0), Content: Decoded{
		"metadata": meta, "spec": map[string]any{"nodeName": node},
	}})
	return b
}

func hostLog(path string, hosts ...string) *Builder {
	b := NewBuilder(path)
	for i, h := range hosts {
		b.Host(h)
		b.Add(Event{Component: Systemd, Node: h, Message: fmt.Sprintf("%s %d", path, i), Time: time.Unix(int64(1796000000+i), 0).UTC(), Source: b.Src(i+1, 0)})
	}
	return b
}

// bareLog names no host.
func bareLog(path string) *Builder {
	b := NewBuilder(path)
	b.Add(Event{Component: Kubelet, Message: path, Time: time.Unix(1796000000, 0).UTC(), Source: b.Src(1, 0)})
	return b
}

func kubeletLog(path, host string, messages ...string) *Builder {
	b := NewBuilder(path)
	b.Host(host)
	for i, m := range messages {
		b.Add(Event{Component: Kubelet, Node: host, Message: m, Time: time.Unix(int64(1796000000+i), 0).UTC(), Source: b.Src(i+1, 0)})
	}
	return b
}

func logOf(path, component string) *Builder {
	b := bareLog(path)
	b.Events[0].Component = component
	return b
}

func mountTable(path string) *Builder {
	b := NewBuilder(path)
	b.Mounts = []Mount{{Target: "/" + path, Fact: Fact{Source: b.Src(1, 0)}}}
	return b
}

func TestPlaces(t *testing.T) {
	for name, tt := range map[string]struct {
		files   []*Builder
		nodes   map[string]string // of the first event or mount, by file
		assumed string
	}{
		"domain": {
			files: []*Builder{nodeObjects("n", "w1", "w2"), hostLog("log", "w1.example.com")},
			nodes: map[string]string{"log": "w1"},
		},
		"domain of the Node": {
			files: []*Builder{nodeObjects("n", "w1.example.com"), hostLog("log", "w1")},
			nodes: map[string]string{"log": "w1.example.com"},
		},
		"upper case": {
			files: []*Builder{nodeObjects("n", "w1", "w2"), hostLog("log", "W1")},
			nodes: map[string]string{"log": "w1"},
		},
		"upper case and domain": {
			files: []*Builder{nodeObjects("n", "w1.a.example", "w1.b.example"), hostLog("log", "W1.B.example")},
			nodes: map[string]string{"log": "w1.b.example"},
		},
		"two nodes of one short name": {
			files: []*Builder{nodeObjects("n", "w1.a.example", "w1.b.example"), hostLog("log", "w1")},
			nodes: map[string]string{"log": "w1"},
		},
		"addresses have no domain": {
			files: []*Builder{nodeObjects("n", "10.0.0.1"), hostLog("log", "10.0.0.2")},
			nodes: map[string]string{"log": "10.0.0.2"},
		},
		"a kubelet asks for its own Node": {
			files: []*Builder{
				nodeObjects("n", "w1", "w2"),
				kubeletLog("log", "vm-4711", `Error updating node status, will retry: error getting node "w2": Get "https://api/api/v1/nodes/w2?timeout=10s": EOF`),
			},
			nodes: map[string]string{"log": "w2"},
		},
		"a log of two kubelets": {
			files: []*Builder{
				nodeObjects("n", "w1", "w2"),
				kubeletLog("log", "vm-4711", "Get https://api/api/v1/nodes/w2: EOF", "Get https://api/api/v1/nodes/w1: EOF"),
			},
			nodes: map[string]string{"log": "vm-4711"},
		},
		"one host, one node in question": {
			files: []*Builder{nodeObjects("n", "node-a"), boundPod("p", "web-0", "node-a", true), hostLog("log", "vm-4711"), mountTable("mounts")},
			nodes: map[string]string{"log": "node-a", "mounts": "node-a"},
		},
		"two hosts are not one node": {
			files: []*Builder{boundPod("p", "web-0", "node-a", true), hostLog("log", "vm-4711", "vm-4712")},
			nodes: map[string]string{"log": "vm-4711"},
		},
		"the folder's host": {
			files: []*Builder{hostLog("a/log", "w1"), mountTable("a/proc/mounts"), hostLog("b/log", "w2"), mountTable("b/mounts"), mountTable("mounts")},
			nodes: map[string]string{"a/proc/mounts": "w1", "b/mounts": "w2", "mounts": ""},
		},
		"archives with one host each": {
			files: []*Builder{hostLog("w1.tar.gz!journal", "w1"), mountTable("w1.tar.gz!mounts"), hostLog("w2.tar.gz!journal", "w2"), mountTable("w2.tar.gz!mounts")},
			nodes: map[string]string{"w1.tar.gz!mounts": "w1", "w2.tar.gz!mounts": "w2"},
		},
		"no host anywhere": {
			files: []*Builder{boundPod("p", "web-0", "w1", true), boundPod("q", "web-1", "w2", false), bareLog("kubelet.log"), mountTable("mounts")},
			nodes: map[string]string{"kubelet.log": "w1", "mounts": "w1"}, assumed: "w1",
		},
		"no host, and pods in deletion on two nodes": {
			files: []*Builder{boundPod("p", "web-0", "w1", true), boundPod("q", "web-1", "w2", true), bareLog("kubelet.log")},
			nodes: map[string]string{"kubelet.log": ""},
		},
		"no host, no deletion, one node": {
			files: []*Builder{nodeObjects("n", "w1"), bareLog("kubelet.log")},
			nodes: map[string]string{"kubelet.log": "w1"}, assumed: "w1",
		},
		"Node objects are not hosts of files": {
			files: []*Builder{hosted(nodeObjects("n", "w1", "w2"), "w1", "w2"), boundPod("p", "web-0", "w2", true), bareLog("kubelet.log")},
			nodes: map[string]string{"kubelet.log": "w2"}, assumed: "w2",
		},
		"a controller's log is of no assumed node": {
			files: []*Builder{boundPod("p", "web-0", "w1", true), logOf("controller.log", "manager"), bareLog("kubelet.log")},
			nodes: map[string]string{"kubelet.log": "w1", "controller.log": ""}, assumed: "w1",
		},
		"cluster beside node": {
			files: []*Builder{hosted(nodeObjects("cluster/nodes.yaml", "w1", "w2"), "w1", "w2"), hostLog("node/journal", "w1"), mountTable("node/mounts")},
			nodes: map[string]string{"node/mounts": "w1"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			got := map[string]string{}
			for _, e := range tl.Events {
				if _, ok := got[e.Source.File]; !ok {
					got[e.Source.File] = e.Node
				}
			}
			for _, m := range tl.Mounts {
				got[m.Source.File] = m.Node
			}
			for file, want := range tt.nodes {
				if got[file] != want {
					t.Errorf("%s is of %q, want %q", file, got[file], want)
				}
			}
			if tl.NodeAssumed != tt.assumed {
				t.Errorf("assumed %q, want %q", tl.NodeAssumed, tt.assumed)
			}
		})
	}
}

func hosted(b *Builder, hosts ...string) *Builder {
	for _, h := range hosts {
		b.Host(h)
	}
	return b
}

// What the control plane writes is of no node, wherever it lies.
func TestClusterFilesAreOfNoNode(t *testing.T) {
	b := NewBuilder("w1/events.json")
	b.Add(Event{Component: APIEvent, Message: "Killing: x", Source: b.Src(1, 0)})
	b.Add(Event{Component: KCM, Message: "y", Source: b.Src(2, 0)})
	tl := Assemble([]*Builder{hostLog("w1/journal", "w1"), b}, Options{})
	for _, e := range tl.Events {
		if e.Source.File == "w1/events.json" && e.Node != "" {
			t.Errorf("%s is of %q", e.Message, e.Node)
		}
	}
	if in := input(t, tl, "w1/events.json"); in.Node != "" {
		t.Errorf("the file is of %q", in.Node)
	}
}
