package analyzer

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

var volumeObservations = []Observation{
	{"volume-mounted", []string{StageVolumes}, Context, Supporting, "the mount table has a mount of the pod"},
	{"volumes-not-mounted", []string{StageVolumes}, Context, Supporting, "a mount table of the node has no mount of the pod"},
	{"mount-of-silent-server", []string{StageContainers, StageVolumes}, Failure, Decisive, "a mount of the pod comes from a server that the kernel says does not respond"},
	{"mount-of-failed-device", []string{StageContainers, StageVolumes}, Failure, Decisive, "a mount of the pod is on a device that the kernel reports as failed"},
	{"mount-of-lost-device", []string{StageContainers, StageVolumes}, Failure, Decisive, "a mount of the pod is on a device that the kernel has lost"},
	{"volumes-known-without-server", []string{StageVolumes}, Context, Supporting, "a whole mount table shows no network mount of the pod"},
	{"driver-server-silent", []string{StageContainers, StageVolumes}, Failure, Supporting, "the kernel says that a server of the kind that the volume's driver uses does not respond"},
	{"mount-held", []string{StageSandbox, StageVolumes}, Failure, Decisive, "a process outside the pod holds a mount of it"},
	{"teardown-busy", []string{StageVolumes}, Failure, Decisive, "tearing a volume down fails because something is busy"},
	{"teardown-not-empty", []string{StageVolumes}, Failure, Decisive, "tearing a volume down fails because its folder is not empty"},
	{"teardown-io-error", []string{StageVolumes}, Failure, Decisive, "tearing a volume down fails with an I/O error"},
	{"teardown-stale", []string{StageVolumes}, Failure, Decisive, "tearing a volume down fails with a stale file handle"},
	{"teardown-not-connected", []string{StageVolumes}, Failure, Decisive, "tearing a volume down fails because its FUSE daemon is gone"},
	{"volumes-torn-down", []string{StageVolumes}, Success, Supporting, "each volume that the kubelet began to unmount was unmounted"},
}

func (q *inquest) lookAtVolumes() {
	if q.kind != "Pod" || q.node == nil || q.uid == "" {
		return
	}
	q.lookAtTeardownErrors()
	q.lookAtDrivers()
	b := q.s.book
	mounted, tables := false, false
	silent := q.signalsOf("kernel-nfs-not-responding", "kernel-cifs", "kernel-ceph")
	failed := q.signalsOf("kernel-io-error", "kernel-xfs-shutdown")
	lost := q.signalsOf("kernel-device-gone", "kernel-multipath-down")
	network := false
	for _, m := range q.node.mounts {
		if m.PID > 1 {
			continue
		}
		tables = true
		if !strings.Contains(m.Target, q.uid) {
			continue
		}
		mounted = true
		at := b.fact(&m.Fact, "mounts")
		q.observe("volume-mounted", scopeSubject, q.factTime(&m.Fact), map[string]string{"path": m.Target, "dev": m.Device, "fstype": m.FSType}, at)
		for _, sg := range silent {
			if server := sg.keys["server"]; server != "" && (strings.HasPrefix(m.Device, server+":") || strings.HasPrefix(m.Device, "//"+server+"/")) {
				q.observe("mount-of-silent-server", scopeSubject, sg.last, map[string]string{"server": server, "path": m.Target}, append([]ref{at}, sg.refs...)...)
			}
		}
		network = network || networkFilesystem(m.FSType)
		for _, sg := range lost {
			if base := path.Base(m.Device); strings.HasPrefix(m.Device, "/dev/") && strings.Contains(sg.text, "["+base+"]") || sg.keys["dev"] == base {
				q.observe("mount-of-lost-device", scopeSubject, sg.last, map[string]string{"dev": base, "path": m.Target}, append([]ref{at}, sg.refs...)...)
			}
		}
		for _, sg := range failed {
			if dev := sg.keys["dev"]; dev != "" && path.Base(m.Device) == dev {
				q.observe("mount-of-failed-device", scopeSubject, sg.last, map[string]string{"dev": dev, "path": m.Target}, append([]ref{at}, sg.refs...)...)
			}
		}
	}
	const whole = 10 // lines of a mount table that was not filtered
	if tables && !network && len(q.node.mounts) >= whole {
		q.observe("volumes-known-without-server", scopeSubject, q.vantage(), nil)
	}
	if tables && !mounted {
		for _, m := range q.node.mounts {
			if m.PID <= 1 {
				q.observe("volumes-not-mounted", scopeSubject, q.factTime(&m.Fact), nil, b.fact(&m.Fact, "mounts"))
				break
			}
		}
	}
	q.lookAtHolders()
	q.lookAtTeardowns()
}

// teardownErrors are the error texts of the system calls behind a teardown.
var teardownErrors = []struct {
	id   string
	text *regexp.Regexp
}{
	{"teardown-busy", regexp.MustCompile(`(?:device or resource|target is|device is) busy`)},
	{"teardown-not-empty", regexp.MustCompile(`directory not empty`)},
	{"teardown-io-error", regexp.MustCompile(`(?i)input/output error`)},
	{"teardown-stale", regexp.MustCompile(`(?i)stale (?:NFS )?file handle`)},
	{"teardown-not-connected", regexp.MustCompile(`(?i)transport endpoint is not connected`)},
}

// lookAtTeardownErrors reads the system's error out of the wrappers that the
// kubelet puts around it.
func (q *inquest) lookAtTeardownErrors() {
	for _, sg := range q.signals {
		if sg.scope != scopeSubject || sg.polarity != Failure || !contains(sg.stages, StageVolumes) || contains(sg.stages, StageContainers) || len(sg.events) == 0 || strings.Contains(sg.text, "MountVolume.") {
			continue
		}
		for _, te := range teardownErrors {
			if found := te.text.FindString(sg.text); found != "" {
				keys := map[string]string{"err": found}
				for _, k := range []string{"volume", "path", "unique"} {
					keys[k] = sg.keys[k]
				}
				o := q.observe(te.id, scopeSubject, sg.last, keys, sg.refs...)
				o.count, o.first, o.early, o.events = sg.count, sg.first, sg.early, sg.events
				break
			}
		}
	}
}

// lookAtDrivers ties the kernel's complaints about servers to the CSI drivers
// of the pod's volumes by the protocol that they speak.
func (q *inquest) lookAtDrivers() {
	speaks := []struct {
		signature string
		drivers   *regexp.Regexp
	}{
		{"kernel-nfs-not-responding", regexp.MustCompile(`nfs|efs\.|filestore|netapp|trident|isilon`)},
		{"kernel-cifs", regexp.MustCompile(`smb|cifs|file\.csi\.azure|azurefile`)},
		{"kernel-ceph", regexp.MustCompile(`ceph`)},
	}
	for _, sg := range q.signals {
		unique := sg.keys["unique"]
		_, name, ok := strings.Cut(unique, "kubernetes.io/csi/")
		if !ok || sg.scope != scopeSubject || sg.polarity != Failure {
			continue
		}
		driver, _, _ := strings.Cut(name, "^")
		for _, s := range speaks {
			if !s.drivers.MatchString(driver) {
				continue
			}
			kernels := q.signalsOf(s.signature)
			slices.SortStableFunc(kernels, func(a, b *signal) int { return b.last.Compare(a.last) })
			for _, kernel := range kernels {
				q.observe("driver-server-silent", scopeSubject, kernel.last, map[string]string{"driver": driver, "server": kernel.keys["server"]}, kernel.refs...)
				return
			}
		}
	}
}

// networkFilesystem says whether a mount needs a server.
func networkFilesystem(fstype string) bool {
	return strings.HasPrefix(fstype, "nfs") || fstype == "cifs" || fstype == "smb3" || fstype == "ceph" || fstype == "glusterfs" || strings.HasPrefix(fstype, "fuse")
}

// signalsOf lists the standing signals with one of the ids, of any scope.
func (q *inquest) signalsOf(ids ...string) []*signal {
	var out []*signal
	for _, sg := range q.signals {
		if contains(ids, sg.id) && !sg.ended {
			out = append(out, sg)
		}
	}
	return out
}

// lookAtHolders finds processes outside the pod that hold one of its mounts or
// its network namespace: fuser, lsof, or the mount tables of processes.
func (q *inquest) lookAtHolders() {
	b := q.s.book
	own := q.ownProcesses()
	needles := q.pathNeedles()
	held := func(target string) bool {
		for _, n := range needles {
			if strings.Contains(target, n) {
				return true
			}
		}
		return false
	}
	seen := map[int]bool{}
	listed := q.processesListed()
	called := map[int]string{} // by those who saw it hold something
	for i := range q.s.tl.Holders {
		if h := &q.s.tl.Holders[i]; h.Node == q.node.name && h.Command != "" {
			called[h.PID] = h.Command
		}
	}
	observe := func(pid int, command, target string, asOf time.Time, at ref) {
		if pid <= 1 || own[pid] || seen[pid] {
			return
		}
		refs := []ref{at}
		command = cmp.Or(command, called[pid])
		switch p := q.process(pid); {
		case p == nil && !asOf.IsZero() && listed.After(asOf.Add(collecting)):
			return // it is gone since
		case p != nil && strings.Contains(p.Command, command):
			command = p.Command
			refs = append(refs, b.fact(&p.Fact, "ps"))
		case p != nil && !asOf.IsZero() && p.AsOf.After(asOf.Add(collecting)):
			return // another that has its number since
		}
		seen[pid] = true
		if program(command) == "kubelet" || strings.Contains(program(command), "shim") {
			return // it is theirs to hold
		}
		if boot, _ := q.lastBoot(); !asOf.IsZero() && asOf.Before(boot) {
			return
		}
		q.observe("mount-held", scopeSubject, q.vantage(), map[string]string{"pid": strconv.Itoa(pid), "command": command, "path": target}, refs...)
	}
	for i := range q.s.tl.Holders {
		h := &q.s.tl.Holders[i]
		if h.Node == q.node.name && held(h.Path) {
			observe(h.PID, h.Command, h.Path, h.AsOf, b.fact(&h.Fact, h.Tool))
		}
	}
	for _, m := range q.node.mounts {
		if m.PID > 1 && held(m.Target) {
			observe(m.PID, m.Command, m.Target, m.AsOf, b.fact(&m.Fact, "mountinfo"))
		}
	}
}

// processesListed is when a whole list of the node's processes was made, the
// newest: it has the first one. Zero: not known.
func (q *inquest) processesListed() time.Time {
	var at time.Time
	for _, p := range q.node.processes {
		if p.PID == 1 && p.TID == 0 && p.Command != "" {
			at = latest(at, p.AsOf)
		}
	}
	return at
}

// pathNeedles are the parts of paths that only this pod's mounts have.
func (q *inquest) pathNeedles() []string {
	var needles []string
	if q.uid != "" {
		needles = append(needles, q.uid)
	}
	for _, sg := range q.signals {
		if sg.scope != scopeSubject || sg.polarity != Failure {
			continue
		}
		if p := sg.keys["path"]; strings.Contains(p, "/netns/") {
			needles = append(needles, path.Base(p))
		}
		if d := sg.keys["dev"]; len(d) > 2 {
			needles = append(needles, path.Base(d))
		}
	}
	return needles
}

// lookAtTeardowns counts volumes that the kubelet began to unmount and those
// that it finished. The line for a volume says so at any verbosity.
func (q *inquest) lookAtTeardowns() {
	begun, done := map[string]*signal{}, map[string]*signal{}
	name := func(sg *signal) string {
		if u := sg.keys["unique"]; u != "" {
			return u
		}
		return sg.keys["volume"]
	}
	for _, sg := range q.signals {
		if sg.scope != scopeSubject || sg.early {
			continue
		}
		switch sg.id {
		case "kubelet-unmount-started":
			begun[name(sg)] = sg
		case "kubelet-teardown-succeeded":
			done[name(sg)] = sg
		}
	}
	var refs []ref
	last := q.requested
	for v := range begun {
		d := done[v]
		if d == nil || d.last.Before(begun[v].last) {
			return
		}
	}
	if len(done) == 0 {
		return
	}
	for _, sg := range q.signals { // in the order of the log
		if sg.id == "kubelet-teardown-succeeded" && sg.scope == scopeSubject && !sg.early {
			refs, last = append(refs, sg.refs...), latest(last, sg.last)
		}
	}
	q.observe("volumes-torn-down", scopeSubject, last, nil, refs...)
}
