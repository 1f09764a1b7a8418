package parsers

import (
	"testing"

	"podautopsy/timeline"
)

// fuzzNodeTool feeds a reader anything: whatever it takes, it must not panic,
// and every fact must stand where it says.
func fuzzNodeTool(f *testing.F, p Parser, command string, seeds ...string) {
	f.Helper()
	for _, s := range seeds {
		f.Add(command, s)
		f.Add("", s)
		f.Add("", s[:len(s)*2/3])
	}
	f.Fuzz(func(t *testing.T, command, text string) {
		file := &File{Path: "bundle.tar!node/file-1", Command: command, Text: text, FirstLine: 7, Offset: 100}
		p.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		if err := p.Parse(file, b); err == nil {
			checkPlaces(t, file, b)
		}
	})
}

const fuzzLong = "drwxr-x--- 5 root root 4096 Nov 30 08:19 ad0961fe-dbaa-4383-a309-7c5ea31c8b07\n"

func FuzzCrictlJSON(f *testing.F) {
	fuzzNodeTool(f, crictlJSONParser, "crictl ps -a -o json", crictlPSJSON, `{"items": []}`,
		`{"info":{"pid":3},"status":{"id":"a","state":"SANDBOX_READY","mounts":[{"hostPath":"/a"}]}}{"status":{"conditions":[{"type":"NetworkReady","status":false}]}}`)
}

func FuzzCrictlTable(f *testing.F) {
	fuzzNodeTool(f, crictlTableParser, "crictl ps -a | grep x",
		"CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD\n165ccb274e6af       7c99011ea2a61       14 seconds ago      Running             stream              0                   a056a764b4053       x\n",
		"TASK    PID    STATUS    \n165ccb274e6af    681    RUNNING\n\nCONTAINER    IMAGE    RUNTIME\nab    c    io.containerd.runc.v2\n")
}

func FuzzDockerTable(f *testing.F) {
	fuzzNodeTool(f, dockerTableParser, "docker ps -a", "CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   NAMES\n39db37cd1784   a   \"b…\"   3 days ago   Up 3 days   k8s_POD_a_b_4977dd63_0\n")
}

func FuzzDockerJSON(f *testing.F) {
	fuzzNodeTool(f, dockerJSONParser, "docker inspect x", `[{"Id": "a", "Created": "2020-01-02T03:04:05Z", "State": {"Status": "running", "Pid": 1}, "Name": "/k8s_a_b_c_d_0"}]`)
}

func FuzzMounts(f *testing.F) {
	fuzzNodeTool(f, mountsParser, "mount", `a /mnt/a\040b nfs4 rw,hard 0 0`+"\n/dev/vda2 on / type ext4 (rw)\n/proc/7/mounts:a / b rw 0 0\nFilesystem Size Use% Mounted on\na 1 2% /\n")
}

func FuzzMountinfo(f *testing.F) {
	fuzzNodeTool(f, mountinfoParser, "grep x /proc/*/mountinfo", "/proc/7/mountinfo:24 30 0:22 / /sys rw,nosuid master:1 shared:7 - sysfs sysfs rw\n/proc/8/mountinfo\n")
}

func FuzzPS(f *testing.F) {
	fuzzNodeTool(f, psParser, "ps -eo pid,stat,lstart,args | grep D",
		"USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nroot         650  0.1  0.0    992   692 ?        Ss   08:19   0:00  \\_ /pause\nroot - 0.1 0.0 - - - Dl 08:19 0:00 -\n",
		"PID STARTED COMMAND CGROUP\n1 Mon Nov 30 09:38:53 2026 a b /x\n")
}

func FuzzProc(f *testing.F) {
	fuzzNodeTool(f, procParser, "cat /proc/7/wchan", "rpc_wait_bit_killable", "[<0>] a+0x1/0x2\n0::/b\nName:\tx\nState:\tD\nPid:\t7\n7 (a b) D 1 2 3 4 5 6 7 8 9\n",
		"pid 5: cwd=/a\nlr-x------ 1 root root 64 Nov 30 08:32 3 -> /mnt\n/sys/fs/cgroup/a/cgroup.procs: 1 2\n/proc/5\n")
}

func FuzzSystemctl(f *testing.F) {
	fuzzNodeTool(f, systemctlParser, "systemctl is-active a b",
		"● a.service - b\n     Loaded: loaded (x)\n     Active: failed (Result: exit-code) since Mon 2026-11-30 08:22:44 UTC; 11s ago\n   Main PID: 5 (status=1)\n     CGroup: /a\n             └─161 /usr/bin/kubelet\n\nNov 30 08:19:51 w kubelet[161]: E1130 08:19:51.477262     161 log.go:32] x\nUnit b could not be found.\n",
		"UNIT LOAD ACTIVE SUB DESCRIPTION\n* a.service loaded failed failed b\n", "Id=a.service\nActiveState=active\nStateChangeTimestamp=Mon 2026-11-30 08:18:23 UTC\n\nMainPID=3\n")
}

func FuzzDF(f *testing.F) {
	fuzzNodeTool(f, dfParser, "df", "Filesystem Inodes IUsed IFree IUse% Mounted on\n/dev/a 1 2 3 4% /a b\n/dev/long\n   1 2 3 4% /\nproc 0 0 - /proc\n")
}

func FuzzLS(f *testing.F) {
	fuzzNodeTool(f, lsParser, "ls /var/lib/kubelet/pods", "/var/lib/kubelet/pods:\ntotal 4\n"+fuzzLong+"d????????? ? ? ? ? ? mount\n", "d /var/lib/kubelet/pods\nf /var/lib/kubelet/pods/a\n")
}

func FuzzCNI(f *testing.F) {
	fuzzNodeTool(f, cniParser, "head -1 /var/lib/cni/networks/cbr0/10.42.5.{17,18}",
		"/var/lib/cni/networks/a:\ntotal 1\n-rw-r--r-- 1 root root 70 Nov 30 08:19 10.244.1.5\n== /var/lib/cni/networks/a/10.244.1.5\na056a764b4053\neth0\n{\"kind\":\"cniCacheV1\",\"containerId\":\"a056a764b4053\",\"cniArgs\":[[\"K8S_POD_UID\",\"x\"]]}\n{\n  \"a\": 1\n}\n")
}

func FuzzFuser(f *testing.F) {
	fuzzNodeTool(f, fuserParser, "fuser -vm /a", "                     USER        PID ACCESS COMMAND\n/a:                  root     kernel mount /a\n                     root       5481 f.c.. tail\n/b:  5481c  6m\n")
}

func FuzzLsof(f *testing.F) {
	fuzzNodeTool(f, lsofParser, "lsof /a", "COMMAND  PID USER   FD   TYPE DEVICE SIZE/OFF NODE NAME\ntail    5481 root  cwd    DIR   0,65       60    1 /var/lib/kubelet/a\n")
}

func FuzzIP(f *testing.F) {
	fuzzNodeTool(f, ipParser, "ip netns", "cni-fa22adb4-16c9-50a7-ffb1-98f8d3eb646c (id: 1)\ntotal 0\n"+fuzzLong+"2: eth0@if9: <UP> mtu 1500\n    inet 10.0.0.1/8\n")
}

func FuzzDate(f *testing.F) {
	fuzzNodeTool(f, dateParser, "date", "Mon Nov 30 08:20:09 PM CET 2026\n2026-11-30T08:20:09.896898265+01:00\n", "      Local time: Mon 2026-11-30 21:20:09 CET\n  Universal time: Mon 2026-11-30 20:20:09 UTC\n", "1796070009")
}

func FuzzHostname(f *testing.F) {
	fuzzNodeTool(f, hostnameParser, "hostname", "worker-1\n", "Linux worker-1 6.18.44 #1 SMP GNU/Linux\n", "   Static hostname: a\n            Kernel: Linux 5.4\n")
}

func FuzzVersions(f *testing.F) {
	fuzzNodeTool(f, versionsParser, "uname -r", "Kubernetes v1.35.4\ncontainerd github.com/containerd/containerd 1.6.20 x\nRuntimeName:  cri-o\nRuntimeVersion:  1.2\nServer:\n  Version: 1\nkernel-6.1.112-122.189.amzn2023\n5.4.0-1-generic\ncrictl version v\n")
}

func FuzzCommandError(f *testing.F) {
	fuzzNodeTool(f, commandErrorParser, "crictl ps; echo rc=$?", "FATA[0005] x\ntime=\"2026-11-30T09:16:22Z\" level=error msg=\"x\"\n[rc=1]\nls: cannot access '/proc/14260': No such file or directory\n")
}
