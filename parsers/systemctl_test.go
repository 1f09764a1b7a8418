package parsers

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

func TestSystemctlStatus(t *testing.T) {
	b := readNode(t, systemctlParser, "", `○ kubelet.service - kubelet: The Kubernetes Node Agent
     Loaded: loaded (/lib/systemd/system/kubelet.service; enabled; preset: enabled)
     Active: inactive (dead) since Mon 2026-11-30 08:22:44 UTC; 11s ago
    Process: 161 ExecStart=/usr/bin/kubelet (code=exited, status=0/SUCCESS)
   Main PID: 161 (code=exited, status=0/SUCCESS)

Nov 30 08:22:44 worker-1 systemd[1]: Stopped kubelet.service - kubelet: The Kubernetes Node Agent.
Nov 30 08:22:45 worker-1 kubelet[161]: E1130 08:22:45.477262     161 kubelet.go:32] "Gone" err="x: y"

● containerd.service - containerd container runtime
     Loaded: loaded (/lib/systemd/system/containerd.service; enabled; preset: enabled)
     Active: failed (Result: exit-code) since Mon 2026-11-30 09:22:44 CST; 3s ago
   Main PID: 368 (code=exited, status=2)
     CGroup: /system.slice/containerd.service
             ├─368 /usr/bin/containerd
             └─627 /usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id a056

* crio.service
     Loaded: not-found (Reason: Unit crio.service not found.)
     Active: activating (auto-restart) (Result: exit-code) since Mon 2026-11-30 08:22:44 CET; 1s ago
Unit docker.service could not be found.
`)
	diffFacts(t, "units", b.Units, []timeline.Unit{
		{Name: "kubelet.service", Load: "loaded", Active: "inactive", Sub: "dead", Since: time.Date(2026, 11, 30, 8, 22, 44, 0, time.UTC)},
		{
			Name: "containerd.service", Load: "loaded", Active: "failed", Sub: "failed", Result: "exit-code", ExitStatus: 2,
			Since: time.Date(2026, 11, 30, 9, 22, 44, 0, time.UTC), Stamp: timeline.Stamp{Wall: true}, // CST means several zones
		},
		{Name: "docker.service", Load: "not-found", Active: "inactive", Sub: "dead"},
		{
			Name: "crio.service", Load: "not-found", Active: "activating", Sub: "auto-restart", Result: "exit-code",
			Since: time.Date(2026, 11, 30, 7, 22, 44, 0, time.UTC),
		},
	})
	diffFacts(t, "processes", b.Processes, []timeline.Process{
		{PID: 368, Command: "/usr/bin/containerd", Cgroup: "/system.slice/containerd.service"},
		{PID: 627, Command: "/usr/bin/containerd-shim-runc-v2 -namespace k8s.io -id a056", Cgroup: "/system.slice/containerd.service"},
	})
	if len(b.Events) != 2 || len(b.Input.Gaps) != 0 {
		t.Fatalf("events %+v, gaps %+v", b.Events, b.Input.Gaps)
	}
	e := b.Events[1]
	if e.Component != timeline.Kubelet || e.Node != "worker-1" || e.PID != 161 || e.Level != timeline.LevelError || !e.Stamp.Wall || !e.Stamp.NoYear ||
		e.Time != time.Date(0, 11, 30, 8, 22, 45, 0, time.UTC) || e.Message != `E1130 08:22:45.477262     161 kubelet.go:32] "Gone" err="x: y"` {
		t.Errorf("the kubelet's line is %+v", e)
	}
	if n := b.Units[0].Source.Line; n != 3 {
		t.Errorf("the unit's state stands at line %d, want 3", n)
	}
}

func TestSystemctlTablesAndProperties(t *testing.T) {
	b := readNode(t, systemctlParser, "", `  UNIT                       LOAD   ACTIVE SUB     DESCRIPTION
* openipmi.service           loaded failed failed  LSB: OpenIPMI Driver init script
  kubelet.service            loaded active running kubelet: The Kubernetes Node Agent

LOAD   = Reflects whether the unit definition was properly loaded.
2 loaded units listed.
`)
	diffFacts(t, "units", b.Units, []timeline.Unit{
		{Name: "openipmi.service", Load: "loaded", Active: "failed", Sub: "failed"}, {Name: "kubelet.service", Load: "loaded", Active: "active", Sub: "running"},
	})
	b = readNode(t, systemctlParser, "", `Restart=always
MainPID=0
Result=exit-code
NRestarts=412
ExecMainStatus=1
Id=kubelet.service
LoadState=loaded
ActiveState=activating
SubState=auto-restart
StateChangeTimestamp=Mon 2026-11-30 08:18:23 UTC

Id=containerd.service
ActiveState=inactive
SubState=dead
InactiveEnterTimestamp=Mon 2026-11-30 08:00:00 UTC
ActiveEnterTimestamp=Mon 2026-11-30 07:00:00 UTC
`)
	diffFacts(t, "units", b.Units, []timeline.Unit{
		{
			Name: "kubelet.service", Load: "loaded", Active: "activating", Sub: "auto-restart", Result: "exit-code", Restarts: 412, ExitStatus: 1,
			Since: time.Date(2026, 11, 30, 8, 18, 23, 0, time.UTC),
		},
		{Name: "containerd.service", Active: "inactive", Sub: "dead", Since: time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)},
	})
	b = readNode(t, systemctlParser, "systemctl show kubelet -p ActiveState -p SubState", "ActiveState=failed\nSubState=failed\n")
	diffFacts(t, "units", b.Units, []timeline.Unit{{Name: "kubelet.service", Active: "failed", Sub: "failed"}})
	b = readNode(t, systemctlParser, "systemctl is-active kubelet containerd", "inactive\nactive\n")
	diffFacts(t, "units", b.Units, []timeline.Unit{{Name: "kubelet.service", Active: "inactive"}, {Name: "containerd.service", Active: "active"}})
}
