package parsers

import (
	"testing"

	"podautopsy/timeline"
)

func TestLS(t *testing.T) {
	const pods = "/var/lib/kubelet/pods"
	const uid = "ad0961fe-dbaa-4383-a309-7c5ea31c8b07"
	for _, c := range []struct {
		name, command, text string
		want                []timeline.Path
	}{
		{"recursive", "", pods + ":\ntotal 12\ndrwxr-x--- 3 root root 4096 Nov 30 08:19 .\ndrwxr-xr-x 9 root root 4096 Nov 30 08:19 ..\ndrwxr-x--- 5 root root 4096 Nov 30 08:19 " + uid + "\n\n" +
			pods + "/" + uid + ":\ntotal 4\nlrwxrwxrwx. 1 root root 32 Nov 14  2024 ..data -> ..2026 x\n-rw-r--r-- 1 root root 212 2026-11-30 08:19:51.000000000 +0000 a b\n", []timeline.Path{
			{Path: pods, Dir: true, Listed: true},
			{Path: pods + "/" + uid, Dir: true, Size: 4096},
			{Path: pods + "/" + uid, Dir: true, Listed: true},
			{Path: pods + "/" + uid + "/..data", Link: "..2026 x", Size: 32},
			{Path: pods + "/" + uid + "/a b", Size: 212},
		}},
		{"bare", "ls " + pods, uid + "\n", []timeline.Path{{Path: pods + "/" + uid}}},
		{"empty", "ls -la /run/netns", "total 0\ndrwxr-xr-x  2 root root  40 Nov 30 08:32 .\ndrwxr-xr-x 12 root root 320 Nov 30 08:18 ..\n", []timeline.Path{{Path: "/run/netns", Dir: true, Listed: true}}},
		{"the directory itself", "ls -ld /var/lib/kubelet", "lrwxrwxrwx 1 root root 13 Jul 10 01:09 /var/lib/kubelet -> /data/kubelet\n", []timeline.Path{{Path: "/var/lib/kubelet", Link: "/data/kubelet", Size: 13}}},
		{"find with types", "", "d " + pods + "\nd " + pods + "/" + uid + "\nf " + pods + "/" + uid + "/etc-hosts\n", []timeline.Path{
			{Path: pods, Dir: true, Listed: true}, {Path: pods + "/" + uid, Dir: true, Listed: true}, {Path: pods + "/" + uid + "/etc-hosts"},
		}},
		{"find to a depth", "find " + pods + " -maxdepth 1", pods + "\n" + pods + "/" + uid + "\n", []timeline.Path{{Path: pods, Dir: true, Listed: true}, {Path: pods + "/" + uid}}},
		{"find, cut by head", "find " + pods + " | head", pods + "\n" + pods + "/" + uid + "\n", []timeline.Path{{Path: pods, Dir: true}, {Path: pods + "/" + uid}}},
		{"find -ls", "", "   262148      4 drwxr-x---   3 root     root         4096 Nov 30 08:19 " + pods + "/" + uid + "\n", []timeline.Path{{Path: pods + "/" + uid, Dir: true, Size: 4096}}},
		{"security context", "", pods + ":\ntotal 4\ndrwxr-x---. 3 root root system_u:object_r:var_lib_t:s0 4096 Nov 30 08:19 " + uid + "\n", []timeline.Path{
			{Path: pods, Dir: true, Listed: true}, {Path: pods + "/" + uid, Dir: true, Size: 4096},
		}},
		{"elsewhere", "", "/var/log:\ntotal 4\n-rw-r--r-- 1 root root 4096 Nov 30 08:19 syslog\n", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := readNode(t, lsParser, c.command, c.text)
			diffFacts(t, "paths", b.Paths, c.want)
			if len(b.Input.Gaps) > 0 {
				t.Errorf("gaps: %+v", b.Input.Gaps)
			}
		})
	}
	b := readNode(t, lsParser, "", "total 8\nls: cannot access 'mount': Stale file handle\nd????????? ? ? ? ? ? mount\n")
	checkMessages(t, b, "ls: cannot access 'mount': Stale file handle")
}

func TestCNI(t *testing.T) {
	const id = "a056a764b40533773028f3c9351557978d89780d51374a1102461a52723304d6"
	b := readNode(t, cniParser, "", `/var/lib/cni/networks/labnet:
total 16
-rw-r--r-- 1 root root   70 Nov 30 08:19 10.244.1.5
-rw-r--r-- 1 root root   70 Nov 30 08:19 10.244.1.6
-rw-r--r-- 1 root root   10 Nov 30 08:19 last_reserved_ip.0
-rwxr-x--- 1 root root    0 Nov 30 08:18 lock
== /var/lib/cni/networks/labnet/last_reserved_ip.0
10.244.1.6
== /var/lib/cni/networks/labnet/10.244.1.5
`+id+`
eth0
== /var/lib/cni/results/labnet-`+id+`-eth0
{"kind":"cniCacheV1","containerId":"`+id+`","networkName":"labnet","cniArgs":[["IgnoreUnknown","1"],["K8S_POD_NAMESPACE","media-live"],["K8S_POD_NAME","packager-0"],["K8S_POD_UID","ad0961fe-dbaa-4383-a309-7c5ea31c8b07"]]}
`)
	diffFacts(t, "reservations", b.Reservations, []timeline.Reservation{
		{Network: "labnet", IP: "10.244.1.5", ContainerID: id, PodUID: "ad0961fe-dbaa-4383-a309-7c5ea31c8b07", PodNamespace: "media-live", Pod: "packager-0"},
		{Network: "labnet", IP: "10.244.1.6"},
	})
	if b.Reservations[0].Source.Line != 10 || len(b.Input.Gaps) != 0 {
		t.Errorf("the reservation stands at %v, gaps %+v", b.Reservations[0].Source, b.Input.Gaps)
	}
	for _, c := range []struct {
		command, text string
		want          []timeline.Reservation
	}{
		{"for f in /var/lib/cni/networks/cbr0/10.42.5.{17,18}; do head -1 $f; echo; done", id + "\n\n" + id + "\n", []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17", ContainerID: id}, {Network: "cbr0", IP: "10.42.5.18", ContainerID: id}}},
		{"cat /var/lib/cni/networks/cbr0/10.42.5.17", id + "\neth0\n", []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17", ContainerID: id}}},
		{"grep -r . /var/lib/cni/networks/cbr0", "/var/lib/cni/networks/cbr0/10.42.5.17:" + id + "\n", []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17", ContainerID: id}}},
		{"ls /var/lib/cni/networks/cbr0", "10.42.5.17\nlast_reserved_ip.0\nlock\n", []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17"}}},
		{"head /var/lib/cni/networks/cbr0/*", "==> /var/lib/cni/networks/cbr0/10.42.5.17 <==\n" + id + "\neth0\n", []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17", ContainerID: id}}},
	} {
		b := readNode(t, cniParser, c.command, c.text)
		diffFacts(t, "reservations", b.Reservations, c.want)
		if len(b.Input.Gaps) != 0 {
			t.Errorf("%s: gaps %+v", c.command, b.Input.Gaps)
		}
	}
	f := &File{Path: "node/var/lib/cni/networks/cbr0/10.42.5.17", Text: id + "\neth0\n", FirstLine: 1}
	diffFacts(t, "reservations", readNodeFile(t, cniParser, f).Reservations, []timeline.Reservation{{Network: "cbr0", IP: "10.42.5.17", ContainerID: id}})
	b = readNode(t, cniParser, "ls /var/lib/cni/networks/cbr0 | grep -c 10.42", "254\n")
	checkMessages(t, b, "$ ls /var/lib/cni/networks/cbr0 | grep -c 10.42: 254")
}

func TestIP(t *testing.T) {
	b := readNode(t, ipParser, "", "cni-fa22adb4-16c9-50a7-ffb1-98f8d3eb646c (id: 1)\ntotal 0\ndrwxr-xr-x  2 root root  60 Nov 30 09:20 .\n-r--r--r-- 1 root root 0 Nov 30 09:20 cni-fa22adb4-16c9-50a7-ffb1-98f8d3eb646c\n")
	if len(b.Paths) == 0 || b.Paths[0].Path != "/run/netns/cni-fa22adb4-16c9-50a7-ffb1-98f8d3eb646c" || len(b.Input.Gaps) != 0 {
		t.Errorf("paths %+v, gaps %+v", b.Paths, b.Input.Gaps)
	}
	b = readNode(t, ipParser, "", "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN\n    inet 127.0.0.1/8 scope host lo\n       valid_lft forever preferred_lft forever\n")
	if b.Input.Records != 1 || len(b.Input.Gaps) != 0 {
		t.Errorf("%d interfaces, gaps %+v", b.Input.Records, b.Input.Gaps)
	}
}
