package timeline

import (
	"testing"
	"time"
)

// What a later whole listing of the same place does not show any more has gone,
// whatever showed it.
func TestLaterListingOvertakes(t *testing.T) {
	const uid, group, slice = "78488bca-ffc2-4da7-a33f-dfe62138a36b", "/sys/fs/cgroup/kubepods.slice", "kubepods-pod78488bca_ffc2_4da7_a33f_dfe62138a36b.slice"
	path := func(p string, listed bool) func(b *Builder, f Fact) {
		return func(b *Builder, f Fact) {
			b.Paths = append(b.Paths, Path{Path: p, Dir: true, Listed: listed, Fact: f})
		}
	}
	process := func(pid int) func(b *Builder, f Fact) {
		return func(b *Builder, f Fact) {
			b.Processes = append(b.Processes, Process{PID: pid, Command: map[int]string{1: "init"}[pid], Cgroup: group + "/" + slice, Fact: f})
		}
	}
	reserved := func(b *Builder, f Fact) {
		b.Reservations = append(b.Reservations, Reservation{Network: "pods", IP: "10.0.0.7", Fact: f})
	}
	unit := func(name string) func(b *Builder, f Fact) {
		return func(b *Builder, f Fact) {
			b.Units = append(b.Units, Unit{Name: name, Active: "active", Fact: f})
		}
	}
	veth := func(name string) func(b *Builder, f Fact) {
		return func(b *Builder, f Fact) { b.Interfaces = append(b.Interfaces, Interface{Name: name, Fact: f}) }
	}
	type rows = []func(b *Builder, f Fact)
	for _, test := range []struct {
		name          string
		before, after rows
		stays         bool
	}{
		{"folder, listed by ls", rows{path("/var/lib/kubelet/pods", true), path("/var/lib/kubelet/pods/"+uid, false)}, rows{path("/var/lib/kubelet/pods", true)}, false},
		{"folder in a folder that has gone", rows{path("/var/lib/kubelet/pods/"+uid+"/volumes", false)}, rows{path("/var/lib/kubelet/pods", true)}, false},
		{"folder is there still", rows{path("/var/lib/kubelet/pods/"+uid, false)}, rows{path("/var/lib/kubelet/pods", true), path("/var/lib/kubelet/pods/"+uid, false)}, true},
		{"nothing lists the folder", rows{path("/var/lib/kubelet/pods/"+uid, false)}, rows{path("/var/lib/kubelet/pods", false)}, true},
		{"control group, found from the same root", rows{path(group, false), path(group+"/"+slice, false)}, rows{path(group, false)}, false},
		{"process of a control group, in a later ps", rows{process(1721)}, rows{process(1), process(20)}, false},
		{"process, in a later ps still", rows{process(1721)}, rows{process(1), process(1721)}, true},
		{"process, and a part of the later ps", rows{process(1721)}, rows{process(20)}, true},
		{"address", rows{reserved}, rows{path("/var/lib/cni/networks/pods", true)}, false},
		{"address that is kept", rows{reserved}, rows{path("/var/lib/cni/networks/pods", true), reserved}, true},
		{"address of another network", rows{reserved}, rows{path("/var/lib/cni/networks/others", true)}, true},
		{"slice", rows{unit("system.slice"), unit(slice)}, rows{unit("system.slice")}, false},
		{"service that does not run is not listed", rows{unit("kubelet.service")}, rows{unit("system.slice")}, true},
		{"interface", rows{veth("veth1")}, rows{veth("veth2")}, false},
	} {
		for later, stays := range map[time.Duration]bool{time.Hour: test.stays, time.Second: true, -time.Hour: true} {
			t.Run(test.name+" "+later.String(), func(t *testing.T) {
				fill := func(list rows) func(b *Builder, f func(int) Fact) {
					return func(b *Builder, f func(int) Fact) {
						b.Input.Records = len(list)
						for i, row := range list {
							row(b, f(i+1))
						}
					}
				}
				tl := Assemble([]*Builder{shot("a/x.txt", noon, fill(test.before)), shot("b/x.txt", noon.Add(later), fill(test.after))}, Options{})
				if got := shows(tl, "a/x.txt", len(test.before)); got != stays {
					t.Errorf("stays: %v, want %v", got, stays)
				}
			})
		}
	}
}

// shows says whether the fact of a line is in the timeline.
func shows(tl *Timeline, file string, line int) bool {
	found := false
	see := func(f *Fact) {
		for _, at := range append([]Source{f.Source}, f.AlsoAt...) {
			found = found || at.File == file && at.Line == line
		}
	}
	for i := range tl.Paths {
		see(&tl.Paths[i].Fact)
	}
	for i := range tl.Processes {
		see(&tl.Processes[i].Fact)
	}
	for i := range tl.Reservations {
		see(&tl.Reservations[i].Fact)
	}
	for i := range tl.Units {
		see(&tl.Units[i].Fact)
	}
	for i := range tl.Interfaces {
		see(&tl.Interfaces[i].Fact)
	}
	return found
}
