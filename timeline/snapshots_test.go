package timeline

import (
	"slices"
	"testing"
)

func snapshot(path string, add func(b *Builder)) *Builder {
	b := NewBuilder(path)
	b.Input.Node = "w1"
	add(b)
	return b
}

func containerRow(path string, c Container) *Builder {
	return snapshot(path, func(b *Builder) {
		c.Fact = Fact{Source: b.Src(1, 0)}
		b.Containers = append(b.Containers, c)
	})
}

func TestContainersCountOnce(t *testing.T) {
	short := testID[:13]
	created := moment(t, "2026-11-30T08:00:00Z")
	rows := func() []*Builder {
		return []*Builder{
			containerRow("a-table", Container{ID: short, Name: "app", State: "running", PodName: "cart-0", Tool: "crictl ps"}),
			containerRow("b-json", Container{ID: testID, Name: "app", State: "running", PodUID: testUID, PodName: "cart-0", PodNamespace: "shop", SandboxID: "s1", CreatedAt: created, Tool: "crictl ps"}),
			containerRow("c-inspect", Container{ID: testID, State: "running", PID: 4711, StartedAt: created, Tool: "crictl inspect"}),
			containerRow("d-ctr", Container{ID: testID, State: "running", PID: 4711, Tool: "ctr tasks"}),
		}
	}
	tl := Assemble(rows(), Options{})
	if len(tl.Containers) != 1 {
		t.Fatalf("%d containers, want one", len(tl.Containers))
	}
	c := tl.Containers[0]
	if c.ID != testID || c.PodUID != testUID || c.PodNamespace != "shop" || c.PodName != "cart-0" || c.Name != "app" || c.PID != 4711 ||
		!c.CreatedAt.Equal(created) || !c.StartedAt.Equal(created) || c.SandboxID != "s1" {
		t.Errorf("lost something: %+v", c)
	}
	if c.Source.File != "b-json" || len(c.AlsoAt) != 3 {
		t.Errorf("at %v and %v", c.Source, c.AlsoAt)
	}

	conflict := append(rows(), containerRow("e-later", Container{ID: testID, State: "exited", ExitCode: 137}))
	if tl := Assemble(conflict, Options{}); len(tl.Containers) != 2 {
		t.Errorf("%d containers, want the conflicting states apart", len(tl.Containers))
	}
	elsewhere := containerRow("f", Container{ID: testID, State: "running"})
	elsewhere.Input.Node = "w2"
	if tl := Assemble(append(rows(), elsewhere), Options{}); len(tl.Containers) != 2 {
		t.Errorf("%d containers, want each node's", len(tl.Containers))
	}
}

// A row without a whole id cannot be known for another's.
func TestRowsWithoutIDStayApart(t *testing.T) {
	tl := Assemble([]*Builder{containerRow("a", Container{State: "running"}), containerRow("b", Container{State: "running"}), containerRow("c", Container{ID: "abc", State: "running"})}, Options{})
	if len(tl.Containers) != 3 {
		t.Errorf("%d containers, want 3", len(tl.Containers))
	}
}

func TestSandboxesCountOnce(t *testing.T) {
	row := func(path string, s Sandbox) *Builder {
		return snapshot(path, func(b *Builder) {
			s.Fact = Fact{Source: b.Src(1, 0)}
			b.Sandboxes = append(b.Sandboxes, s)
		})
	}
	tl := Assemble([]*Builder{
		row("a", Sandbox{ID: testID[:13], State: "notready", Pod: "cart-0"}),
		row("b", Sandbox{ID: testID, State: "notready", PodUID: testUID, PodNamespace: "shop", Pod: "cart-0"}),
		row("c", Sandbox{ID: testID, State: "notready", NetNS: "/var/run/netns/cni-1", IP: "10.0.0.7"}),
		row("d", Sandbox{ID: testID, State: "ready"}),
	}, Options{})
	if len(tl.Sandboxes) != 2 {
		t.Fatalf("%d sandboxes, want 2", len(tl.Sandboxes))
	}
	s := tl.Sandboxes[0]
	if s.ID != testID || s.PodUID != testUID || s.PodNamespace != "shop" || s.NetNS == "" || s.IP == "" || len(s.AlsoAt) != 2 {
		t.Errorf("lost something: %+v", s)
	}
}

func TestMountsCountOnce(t *testing.T) {
	table := func(path string, pid int, mounts ...Mount) *Builder {
		return snapshot(path, func(b *Builder) {
			for i, m := range mounts {
				m.PID, m.Fact = pid, Fact{Source: b.Src(i+1, 0)}
				b.Mounts = append(b.Mounts, m)
			}
		})
	}
	tmpfs := Mount{Device: "tmpfs", Target: "/var/lib/kubelet/pods/x/volumes/v", FSType: "tmpfs"}
	info := tmpfs
	info.Root, info.Propagation = "/", "shared:42"
	tl := Assemble([]*Builder{
		table("mountinfo", 0, info),
		table("mounts", 0, tmpfs),
		table("twice", 0, tmpfs, tmpfs), // mounted over itself
		table("of-4711", 4711, tmpfs),
	}, Options{})
	if len(tl.Mounts) != 3 {
		t.Fatalf("%d mounts, want 3: %+v", len(tl.Mounts), tl.Mounts)
	}
	if m := tl.Mounts[0]; m.Propagation != "shared:42" || len(m.AlsoAt) != 2 {
		t.Errorf("lost something: %+v", m)
	}
}

func TestProcessesCountOnce(t *testing.T) {
	row := func(path string, p Process) *Builder {
		return snapshot(path, func(b *Builder) {
			p.Fact = Fact{Source: b.Src(1, 0)}
			b.Processes = append(b.Processes, p)
		})
	}
	tl := Assemble([]*Builder{
		row("aux", Process{PID: 7, State: "Ds", User: "root", Command: "nginx: master"}),
		row("wchan", Process{PID: 7, PPID: 1, State: "D", WChan: "nfs_wait", Command: "nginx"}),
		row("cgroup", Process{PID: 7, Cgroup: "/kubepods/pod" + testUID, Command: "nginx"}),
		row("proc", Process{PID: 7, State: "D", Stack: "rpc_wait_bit_killable", Command: "nginx: master process"}),
		row("thread", Process{PID: 7, TID: 8, State: "D"}),
		row("later", Process{PID: 7, State: "Z"}),
		row("gone", Process{PID: 7, Gone: true}),
	}, Options{})
	if len(tl.Processes) != 4 {
		t.Fatalf("%d processes, want 4: %+v", len(tl.Processes), tl.Processes)
	}
	i := slices.IndexFunc(tl.Processes, func(p Process) bool { return p.WChan != "" })
	if i < 0 {
		t.Fatal("no wait channel")
	}
	p := tl.Processes[i]
	if p.PPID != 1 || p.User != "root" || p.Cgroup == "" || p.Stack == "" || p.Command != "nginx: master process" || len(p.AlsoAt) != 3 {
		t.Errorf("lost something: %+v", p)
	}
}

func TestCapture(t *testing.T) {
	pod := func() *Builder {
		b := NewBuilder("pods.yaml")
		b.AddObject(&Object{Kind: "Pod", UID: "u", Source: b.Src(1, 0), Content: podContent("2026-11-30T08:00:00Z", "1", "Running")})
		return b
	}
	for name, tt := range map[string]struct {
		files    []*Builder
		at, from string
	}{
		"nothing":       {nil, "0001-01-01T00:00:00Z", ""},
		"a dump":        {[]*Builder{pod()}, "2026-11-30T08:00:00Z", "the newest change that the dump in pods.yaml shows"},
		"a log":         {[]*Builder{pod(), logFile(t, "log", Kubelet, record{at: "2026-11-30T08:10:00Z", message: "x"})}, "2026-11-30T08:10:00Z", "the last record of log"},
		"date":          {[]*Builder{pod(), taken(t, "date", "w1", "2026-11-30T08:20:00Z")}, "2026-11-30T08:20:00Z", "the collection time in date"},
		"a guessed one": {[]*Builder{pod(), wallLog(t, "log", "w1", "2026-11-30 12:11:00"), taken(t, "date", "w2", "2026-11-30T08:20:00Z")}, "2026-11-30T08:20:00Z", "the collection time in date"},
		"only guessed":  {[]*Builder{pod(), wallLog(t, "log", "w1", "2026-11-30 12:11:00")}, "2026-11-30T12:11:00Z", "the last record of log"},
		"an API event":  {[]*Builder{apiEvent("e", 1, Event{Time: moment(t, "2026-11-30T08:30:00Z")})}, "2026-11-30T08:30:00Z", "the newest API event"},
		"a container":   {[]*Builder{containerRow("ps", Container{ID: testID, FinishedAt: moment(t, "2026-11-30T08:40:00Z")})}, "2026-11-30T08:40:00Z", "the newest container time in ps"},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			if !tl.CapturedAt.Equal(moment(t, tt.at)) || tl.CapturedFrom != tt.from {
				t.Errorf("got %v from %q, want %s from %q", tl.CapturedAt, tl.CapturedFrom, tt.at, tt.from)
			}
		})
	}
}
