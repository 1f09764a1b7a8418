package timeline

import (
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// shot is what one tool printed of node w1 at a time; zero: not known.
func shot(path string, at time.Time, fill func(b *Builder, f func(line int) Fact)) *Builder {
	b := NewBuilder(path)
	b.Input.Node, b.Input.CapturedAt = "w1", at
	b.Input.Folder = path
	fill(b, func(line int) Fact { return Fact{AsOf: at, Source: b.Src(line, 0)} })
	return b
}

func crictlPS(path string, at time.Time, states map[string]string) *Builder {
	return shot(path, at, func(b *Builder, f func(int) Fact) {
		line := 1
		for _, id := range []string{"aaaaaaaaaaaa1", "bbbbbbbbbbbb1"} {
			if s := states[id]; s != "" {
				b.Containers = append(b.Containers, Container{ID: id, State: s, Tool: "crictl ps", Fact: f(line)})
				line++
			}
		}
		b.Listings = append(b.Listings, Listing{Kind: "Container", AllNamespaces: true, Items: line - 1, AsOf: at, Source: b.Src(1, 0)})
	})
}

func TestLaterSnapshotHolds(t *testing.T) {
	for _, test := range []struct {
		name   string
		builds []*Builder
		want   map[string]string
	}{
		{"a container has ended since", []*Builder{
			crictlPS("a", noon, map[string]string{"aaaaaaaaaaaa1": "running", "bbbbbbbbbbbb1": "running"}),
			crictlPS("b", noon.Add(time.Hour), map[string]string{"aaaaaaaaaaaa1": "exited", "bbbbbbbbbbbb1": "running"}),
		}, map[string]string{"aaaaaaaaaaaa1": "exited", "bbbbbbbbbbbb1": "running"}},
		{"a container was removed since", []*Builder{
			crictlPS("a", noon, map[string]string{"aaaaaaaaaaaa1": "running", "bbbbbbbbbbbb1": "running"}),
			crictlPS("b", noon.Add(time.Hour), map[string]string{"bbbbbbbbbbbb1": "running"}),
		}, map[string]string{"bbbbbbbbbbbb1": "running"}},
		{"nothing tells when: an id does not run again", []*Builder{
			crictlPS("b", time.Time{}, map[string]string{"aaaaaaaaaaaa1": "exited", "bbbbbbbbbbbb1": "running"}),
			crictlPS("a", time.Time{}, map[string]string{"aaaaaaaaaaaa1": "running"}),
		}, map[string]string{"aaaaaaaaaaaa1": "exited", "bbbbbbbbbbbb1": "running"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			tl := Assemble(test.builds, Options{})
			got := map[string]string{}
			for i := range tl.Containers {
				c := &tl.Containers[i]
				if got[c.ID] != "" {
					t.Errorf("%s stands twice", c.ID)
				}
				got[c.ID] = c.State
			}
			if len(got) != len(test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
			for id, s := range test.want {
				if got[id] != s {
					t.Errorf("%s is %q, want %q", id, got[id], s)
				}
			}
		})
	}
}

// containerd's own word and the kubelet's view of it are two witnesses, of
// whom one may be wrong.
func TestToolsMayDisagree(t *testing.T) {
	task := shot("c", noon.Add(time.Hour), func(b *Builder, f func(int) Fact) {
		b.Containers = append(b.Containers, Container{ID: "aaaaaaaaaaaa1", State: "exited", Tool: "ctr tasks", Fact: f(1)})
	})
	tl := Assemble([]*Builder{crictlPS("a", noon, map[string]string{"aaaaaaaaaaaa1": "running"}), task}, Options{})
	if len(tl.Containers) != 2 {
		t.Errorf("%d containers, want both views", len(tl.Containers))
	}
}

func TestLaterTables(t *testing.T) {
	ps := func(path string, at time.Time, states map[int]string) *Builder {
		return shot(path, at, func(b *Builder, f func(int) Fact) {
			for pid := range 10 {
				if s := states[pid]; s != "" {
					b.Processes = append(b.Processes, Process{PID: pid, State: s, Command: "x", Fact: f(pid)})
				}
			}
		})
	}
	mounts := func(path string, at time.Time, targets ...string) *Builder {
		return shot(path, at, func(b *Builder, f func(int) Fact) {
			for i, target := range targets {
				b.Mounts = append(b.Mounts, Mount{Target: target, Device: "d", Fact: f(i + 1)})
			}
		})
	}
	df := func(path string, at time.Time, percent int) *Builder {
		return shot(path, at, func(b *Builder, f func(int) Fact) {
			b.Filesystems = append(b.Filesystems, Filesystem{Device: "/dev/sda", Mount: "/", UsePercent: percent, Fact: f(2)})
		})
	}
	unit := func(path string, at time.Time, active string) *Builder {
		return shot(path, at, func(b *Builder, f func(int) Fact) {
			b.Units = append(b.Units, Unit{Name: "kubelet.service", Active: active, Fact: f(1)})
		})
	}
	hour := noon.Add(time.Hour)
	tl := Assemble([]*Builder{
		ps("p1", noon, map[int]string{1: "Ss", 4: "D", 5: "S", 6: "S"}),
		ps("p2", hour, map[int]string{1: "Ss", 4: "S", 5: "S"}),
		mounts("m1", noon, "/", "/var/lib/kubelet/pods/x", "/data"), mounts("m2", hour, "/", "/data"),
		mounts("grep", noon, "/only/asked/for"),
		df("d1", noon, 100), df("d2", hour, 40),
		unit("u1", noon, "active"), unit("u2", hour, "inactive"), unit("u3", hour, "inactive"),
	}, Options{})
	if len(tl.Processes) != 3 {
		t.Errorf("processes %+v, want 1, 4 and 5 as they are now", tl.Processes)
	}
	for i := range tl.Processes {
		if p := &tl.Processes[i]; p.PID == 4 && p.State != "S" {
			t.Errorf("PID 4 is in state %s", p.State)
		}
	}
	if len(tl.Mounts) != 3 {
		t.Errorf("mounts %+v, want /, /data and the one of no table", tl.Mounts)
	}
	if len(tl.Filesystems) != 1 || tl.Filesystems[0].UsePercent != 40 {
		t.Errorf("filesystems %+v", tl.Filesystems)
	}
	if len(tl.Units) != 1 || tl.Units[0].Active != "inactive" || len(tl.Units[0].AlsoAt) != 1 {
		t.Errorf("units %+v", tl.Units)
	}
}
