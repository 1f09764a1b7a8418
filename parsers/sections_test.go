package parsers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

// minikubeSample is put together from what versions 1.2 to 1.37 printed in
// public reports of bugs.
const minikubeSample = `E0511 14:06:18.100000    6989 logs.go:200] Failed to list containers for "kubernetes-dashboard": context deadline exceeded
* 
* ==> Audit <==
* |---------|------|----------|------|---------|---------------------|---------------------|
| Command | Args | Profile  | User | Version |     Start Time      |      End Time       |
* 
* ==> container status <==
* time="2020-05-11T06:06:18Z" level=fatal msg="failed to connect: context deadline exceeded"
CONTAINER ID        IMAGE               COMMAND                  CREATED             STATUS              PORTS               NAMES
6481a9585717        303ce5db0e90        "etcd --advertise-cl…"   6 seconds ago       Up 5 seconds                            k8s_etcd_etcd-minikube_kube-system_7dc2472596c680c7cfe2ed398e0ecb1c_80

* 
* ==> describe nodes <==
* E0511 14:06:18.844896    6989 logs.go:178] command /bin/bash -c "sudo /var/lib/minikube/binaries/v1.18.0/kubectl describe nodes --kubeconfig=/var/lib/minikube/kubeconfig" failed with error: /bin/bash -c "sudo kubectl": Process exited with status 1
stdout:

stderr:
sudo: /var/lib/minikube/binaries/v1.18.0/kubectl: command not found

* ==> dmesg <==
* [  +5.004376] hpet1: lost 319 rtc interrupts
[May11 06:04] hpet1: lost 319 rtc interrupts
[ +10.009707] hpet1: lost 318 rtc interrupts
[May 9 06:06] done.

* ==> etcd [6481a9585717] <==
* {"level":"info","ts":"2020-05-11T06:06:00.100Z","caller":"etcdmain/main.go:50","msg":"successfully notified init daemon"}
{"level":"info","ts":"2020-05-11T06:06:01.100Z","caller":"etcdmain/main.go:51","msg":"serving"}
{"level":"info","ts":"2020-05-11T06:06:02.100Z","caller":"etcdmain/main.go:51","msg":"serving"}

* ==> kernel <==
*  06:06:21 up 27 min,  1 user,  load average: 0.18, 0.26, 0.36
Linux minikube 4.19.107 #1 SMP Mon May 11 14:51:04 PDT 2020 x86_64 GNU/Linux
PRETTY_NAME="Buildroot 2019.02.10"

* ==> kubelet <==
* -- Logs begin at Mon 2020-05-11 05:38:00 UTC, end at Mon 2020-05-11 06:06:22 UTC. --
May 11 06:05:14 minikube kubelet[3543]: I0511 06:05:14.356976    3543 kubelet.go:1933] SyncLoop (DELETE, "api"): "web-0_shop(1c9b5a4e-0f34-4d63-9f3c-2c43a1b0d9aa)"
May 11 06:05:15 minikube kubelet[3543]: E0511 06:05:15.356976    3543 nestedpendingoperations.go:301] failed
May 11 06:05:16 minikube kubelet[3543]: E0511 06:05:16.356976    3543 nestedpendingoperations.go:301] failed
`

func TestMinikubeLogs(t *testing.T) {
	f := &File{Path: "logs.txt", Text: minikubeSample, FirstLine: 1}
	if !minikubeLogsParser.Sniff(f) {
		t.Fatal("not taken for minikube's")
	}
	lines := strings.Split(minikubeSample, "\n")
	var got []string
	for _, block := range minikubeLogsParser.Blocks(f) {
		first, _, _ := strings.Cut(block.Text, "\n")
		if at := lines[block.FirstLine-1]; !strings.HasSuffix(at, first) {
			t.Errorf("%q does not stand in line %d: %q", first, block.FirstLine, at)
		}
		got = append(got, block.Node+"|"+block.Command+"|"+block.Section)
	}
	want := []string{
		"minikube|docker ps -a|container status",
		"minikube|dmesg -H|dmesg",
		"minikube||etcd",
		"minikube|uname -a|kernel",
		"minikube|journalctl -u kubelet|kubelet",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("blocks (-want +got):\n%s", diff)
	}

	b := timeline.NewBuilder(f.Path)
	if format := parseFile(f, b, All()); format != minikubeLogsParser.Name {
		t.Fatalf("read as %q", format)
	}
	var gaps []string
	for _, g := range b.Input.Gaps {
		gaps = append(gaps, string(g.Kind)+" "+g.Detail[:min(len(g.Detail), 48)])
	}
	want = []string{
		`command-failed minikube could not collect "describe nodes": /bi`,
		`command-failed time="2020-05-11T06:06:18Z" level=fatal msg="fai`,
	}
	if diff := cmp.Diff(want, gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	components := map[string]int{}
	for _, e := range b.Events {
		components[e.Component]++
		if !strings.Contains(lines[e.Source.Line-1], e.Text) {
			t.Errorf("%q does not stand in line %d", e.Text, e.Source.Line)
		}
	}
	wantComponents := map[string]int{timeline.Kubelet: 3, timeline.Kernel: 4, "etcd": 3, timeline.Command: 1}
	if diff := cmp.Diff(wantComponents, components); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if len(b.Containers) != 1 || len(b.Versions) != 1 || b.Versions[0].Node != "minikube" {
		t.Errorf("containers %+v, versions %+v", b.Containers, b.Versions)
	}
}

// minikube logs --length=N keeps N of each: a log with fewer is whole.
func TestMinikubeTruncation(t *testing.T) {
	line := func(program string) string {
		return "Nov 30 08:32:06 minikube " + program + "[3543]: I1130 08:32:06.000001    3543 a.go:1] x\n"
	}
	for _, c := range []struct {
		kubelet, containerd int
		want                int // gaps
	}{
		{60, 60, 2}, {60, 59, 1}, {60, 200, 2}, {200, 31, 1}, {0, 0, 0}, {48, 12, 0}, {48, 48, 2}, {3, 3, 0},
	} {
		text := "==> containerd <==\n" + strings.Repeat(line("containerd"), c.containerd) + "\n==> kubelet <==\n" + strings.Repeat(line("kubelet"), c.kubelet)
		b := readWith(t, minikubeLogsParser, "logs.txt", text)
		if len(b.Input.Gaps) != c.want {
			t.Errorf("%d and %d lines: %d gaps, want %d: %v", c.kubelet, c.containerd, len(b.Input.Gaps), c.want, b.Input.Gaps)
		}
	}
}

func TestTailSections(t *testing.T) {
	const text = `==> /var/log/kubelet.log <==
E1130 08:32:06.000001    3543 nestedpendingoperations.go:348] failed

==> /proc/17/mountinfo <==
23 28 0:22 / /proc rw,nosuid shared:14 - proc proc rw
24 28 0:23 / /sys rw,nosuid shared:7 - sysfs sysfs rw

==> /etc/hostname <==
w-4
`
	f := &File{Path: "pasted", Text: text, FirstLine: 1}
	b := timeline.NewBuilder(f.Path)
	if format := parseFile(f, b, All()); format != tailSectionsParser.Name {
		t.Fatalf("read as %q", format)
	}
	if len(b.Events) != 1 || b.Events[0].Component != timeline.Kubelet || b.Events[0].Source.Line != 2 {
		t.Errorf("events %+v", b.Events)
	}
	if len(b.Mounts) != 2 || b.Mounts[0].PID != 17 || b.Mounts[0].Source.Line != 5 {
		t.Errorf("mounts %+v", b.Mounts)
	}
	if b.Input.Node != "w-4" {
		t.Errorf("node %q", b.Input.Node)
	}
}

func TestDmesgHuman(t *testing.T) {
	b := readWith(t, dmesgParser, "dmesg", "[  +5.004376] first\n[Dec31 23:59] second\n[ +65.500000] third\n[Jan 1 00:02] fourth\n")
	at := func(month time.Month, day, hour, minute int, more time.Duration) time.Time {
		return time.Date(0, month, day, hour, minute, 0, 0, time.UTC).Add(more)
	}
	want := []time.Time{{}, at(12, 31, 23, 59, 0), at(1, 1, 0, 0, 5500*time.Millisecond), at(1, 1, 0, 2, 0)}
	for i, e := range b.Events {
		if !e.Time.Equal(want[i]) || e.Stamp.NoYear == e.Time.IsZero() {
			t.Errorf("%q at %v, want %v", e.Text, e.Time, want[i])
		}
	}
	if len(b.Events) != len(want) {
		t.Errorf("%d events", len(b.Events))
	}
	for _, no := range []string{"[+x] a\n[ +5.5 s] b\n", "[info] a\n[warn] b\n", "[Nov31] a\n[Foo30 07:35] b\n"} {
		if dmesgParser.Sniff(&File{Text: no}) {
			t.Errorf("%q is taken for dmesg's", no)
		}
	}
}

func FuzzSections(f *testing.F) {
	f.Add(minikubeSample)
	f.Add("==> a.log <==\n\n==> /b <==\n* ==> kubelet <==\n* x")
	f.Add("==> kernel <==\nLinux a 1 #1 SMP x86_64\r\n\r\n==> dmesg <==\r\n[Nov30 07:35] x")
	f.Fuzz(func(t *testing.T, s string) {
		lines := strings.Split(s, "\n")
		for _, p := range []Parser{minikubeLogsParser, tailSectionsParser} {
			file := &File{Path: "fuzz", Text: s, FirstLine: 1}
			p.Sniff(file)
			b := timeline.NewBuilder("fuzz")
			if err := p.Parse(file, b); err != nil {
				t.Error(err)
			}
			checkSources(t, s, b)
			for _, block := range p.Blocks(file) {
				first, _, _ := strings.Cut(block.Text, "\n")
				if block.Text != "" && (block.FirstLine > len(lines) || !strings.Contains(lines[block.FirstLine-1], first)) {
					t.Errorf("%q does not stand in line %d", first, block.FirstLine)
				}
			}
		}
	})
}
