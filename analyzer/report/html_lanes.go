package report

import (
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// lane is a part of the cluster that has a say in a deletion, from the API
// down to the machine.
type lane int

const (
	laneAPI lane = iota
	laneControllers
	laneKubelet
	laneRuntime
	laneCNI
	laneStorage
	laneKernel
	laneNode
	laneCount
)

var laneNames = [laneCount]string{"API", "controllers", "kubelet", "runtime", "CNI", "storage", "kernel", "node"}

func (l lane) String() string { return laneNames[l] }

// speakers are programs by the lane that they speak for.
var speakers = map[string]lane{
	"audit": laneAPI, "event": laneAPI, "api-object": laneAPI, "kube-apiserver": laneAPI, "kubectl": laneAPI, "etcd": laneAPI, "podautopsy": laneAPI,
	"kube-controller-manager": laneControllers, "kube-scheduler": laneControllers, "cloud-controller-manager": laneControllers, "operator": laneControllers,
	"kubelet":    laneKubelet,
	"containerd": laneRuntime, "crio": laneRuntime, "cri-o": laneRuntime, "dockerd": laneRuntime, "docker": laneRuntime, "cri-dockerd": laneRuntime,
	"runc": laneRuntime, "crun": laneRuntime, "conmon": laneRuntime, "crictl": laneRuntime, "ctr": laneRuntime, "containerd-shim": laneRuntime,
	"cni": laneCNI, "ip": laneCNI, "kube-proxy": laneCNI,
	"mounts": laneStorage, "mountinfo": laneStorage, "findmnt": laneStorage, "df": laneStorage, "fuser": laneStorage, "lsof": laneStorage,
	"iscsid": laneStorage, "multipathd": laneStorage,
	"kernel": laneKernel,
}

// laneOf is the lane of what a program says. The kubelet and the runtime call
// network and storage plugins and speak for them, so what a signature is about
// decides first.
func laneOf(component string, signature *string) lane {
	parts := strings.Split(value(signature), "-")
	about := func(topics ...string) bool {
		return slices.ContainsFunc(topics, func(t string) bool { return slices.Contains(parts, t) })
	}
	tool, _, _ := strings.Cut(component, " ")
	l, known := speakers[tool]
	switch {
	case l == laneAPI && known, l == laneControllers && known, l == laneKernel && known:
		return l
	case about("cni", "netns", "network", "ipam"):
		return laneCNI
	case about("csi", "mount", "mounts", "umount", "unmount", "volume", "volumes", "subpath", "detach", "attach"):
		return laneStorage
	case known:
		return l
	case strings.Contains(tool, "csi"):
		return laneStorage
	case strings.Contains(tool, "shim"):
		return laneRuntime
	case strings.Contains(tool, "controller"), strings.Contains(tool, "operator"):
		return laneControllers
	case strings.Contains(tool, "cni"), strings.Contains(tool, "calico"), strings.Contains(tool, "cilium"), strings.Contains(tool, "flannel"):
		return laneCNI
	}
	return laneNode
}

// unheard says why a lane is empty: whether the bundle holds a log that would
// have spoken, as far as the report tells.
func (v *view) unheard(s *analyzer.Subject, l lane) (note string, blind bool) {
	has := func(of func(analyzer.NodeEvidence) bool) bool {
		return slices.ContainsFunc(v.doc.Bundle.Nodes, func(n analyzer.Node) bool {
			return (len(s.Nodes) == 0 || slices.Contains(s.Nodes, n.Name)) && of(n.Evidence)
		})
	}
	read := func(format string) bool {
		return slices.ContainsFunc(v.doc.Bundle.Inputs, func(in analyzer.Input) bool { return in.Format == format })
	}
	if l == laneKubelet && !has(func(e analyzer.NodeEvidence) bool { return e.KubeletLog }) {
		return "no kubelet log in the bundle", true
	}
	if l == laneRuntime && !has(func(e analyzer.NodeEvidence) bool { return e.RuntimeLog }) {
		return "no runtime log in the bundle", true
	}
	if l == laneAPI && !read("audit-log") {
		return "no audit log in the bundle", true
	}
	return "nothing recognised", false
}
