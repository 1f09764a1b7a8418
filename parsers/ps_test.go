package parsers

import (
	"testing"

	"podautopsy/timeline"
)

func TestPS(t *testing.T) {
	for _, c := range []struct {
		name, command, text string
		want                []timeline.Process
	}{
		{"auxf", "", `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         627  0.1  0.0 1463600 14472 ?       Sl   08:19   0:00 /usr/bin/containerd-shim-runc-v2 -id a056
root         650  0.1  0.0    992   692 ?        Ss   08:19   0:00  \_ /pause
root         710  0.0  0.0   2268  1376 ?        D    08:19   0:00  |   \_ sleep 35
`, []timeline.Process{
			{PID: 627, State: "Sl", User: "root", Command: "/usr/bin/containerd-shim-runc-v2 -id a056"},
			{PID: 650, State: "Ss", User: "root", Command: "/pause"},
			{PID: 710, State: "D", User: "root", Command: "sleep 35"},
		}},
		{
			"-ef", "", "UID         PID   PPID  C STIME TTY          TIME CMD\nnfsnobo+ 188412 188389  0 Apr16 ?        01:12:44 /bin/node_exporter --path.procfs=/host/proc\n",
			[]timeline.Process{{PID: 188412, PPID: 188389, User: "nfsnobo+", Command: "/bin/node_exporter --path.procfs=/host/proc"}},
		},
		{"lstart", "", `F S   UID     PID    PPID    PGID     SID CLS PRI ADDR    SZ WCHAN                                 STARTED TT           TIME CMD
4 D     0    3942    3901    3942    3942  TS  19    -   248 rpc_wait_bit_killable Mon Nov 30 09:38:53 2026 ?        00:00:00 /pause now
`, []timeline.Process{{PID: 3942, PPID: 3901, State: "D", WChan: "rpc_wait_bit_killable", User: "0", Command: "/pause now"}}},
		{"start of an earlier day", "", "  PID  STARTED CMD\n    1   Nov 29 /sbin/init\n", []timeline.Process{{PID: 1, Command: "/sbin/init"}}},
		{"cgroup behind the command", "", `    PID    PPID USER     GROUP        LWP NLWP START COMMAND         CGROUP
   4007    3901 root     root        4007    1 09:38 tmux: server    9:name=systemd:/kubepods.slice,0::/x
`, []timeline.Process{{PID: 4007, PPID: 3901, TID: 4007, User: "root", Command: "tmux: server", Cgroup: "9:name=systemd:/kubepods.slice,0::/x"}}},
		{
			"threads", "", "UID          PID    PPID     LWP  C NLWP STIME TTY          TIME CMD\nroot        3901       1    3902  0   12 09:38 ?        00:00:00 shim\n",
			[]timeline.Process{{PID: 3901, PPID: 1, TID: 3902, User: "root", Command: "shim"}},
		},
		{"threads below their process", "", `USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root         161  0.9  0.3 134208 82428 ?        -    08:18   0:00 kubelet
root           -  0.9    -      -     - -        Ssl  08:18   0:00 -
root           -  0.9    -      -     - -        Dsl  08:18   0:00 -
`, []timeline.Process{{PID: 161, State: "Ssl", User: "root", Command: "kubelet"}, {PID: 161, State: "Dsl", User: "root", Command: "kubelet"}}},
		{
			"grep took the heading", "ps axo pid,ppid,stat,args | grep -E 'Z|27419'", "  27419   27398 Zsl  [init_script.sh] <defunct>\n",
			[]timeline.Process{{PID: 27419, PPID: 27398, State: "Zsl", Command: "[init_script.sh] <defunct>"}},
		},
		{
			"grep and widths", "ps -eo pid,ppid,stat,wchan:28,args | grep -E ' D'", "  31877   30612 Dl   io_uring_del_tctx_node       node /app/yarn install\n",
			[]timeline.Process{{PID: 31877, PPID: 30612, State: "Dl", WChan: "io_uring_del_tctx_node", Command: "node /app/yarn install"}},
		},
		{
			"grep in aux", "ps aux | grep '[k]ubelet'", "root         161  0.9  0.3 1342080 82428 ?       Tsl  08:18   0:00 /usr/bin/kubelet\n",
			[]timeline.Process{{PID: 161, State: "Tsl", User: "root", Command: "/usr/bin/kubelet"}},
		},
		{
			"grep in -ef", "ps -ef | grep kubelet", "root         161       1  0 08:18 ?        00:00:00 /usr/bin/kubelet --v=2\n",
			[]timeline.Process{{PID: 161, PPID: 1, User: "root", Command: "/usr/bin/kubelet --v=2"}},
		},
		{
			"one process, arguments only", "ps -p 48011 -o args", "COMMAND\n/usr/bin/containerd-shim-runc-v2 -id a946\n",
			[]timeline.Process{{PID: 48011, Command: "/usr/bin/containerd-shim-runc-v2 -id a946"}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := readNode(t, psParser, c.command, c.text)
			diffFacts(t, "processes", b.Processes, c.want)
			if len(b.Input.Gaps) > 0 {
				t.Errorf("gaps: %+v", b.Input.Gaps)
			}
		})
	}
	b := readNode(t, psParser, "ps -ef | grep df99c966dee4 | grep -v grep", "")
	checkMessages(t, b, "$ ps -ef | grep df99c966dee4 | grep -v grep (no output)")
	if len(b.Input.Gaps) > 0 {
		t.Errorf("an empty answer is no failure: %+v", b.Input.Gaps)
	}
}

func TestProc(t *testing.T) {
	for _, c := range []struct {
		name, command, text string
		want                []timeline.Process
	}{
		{"wchan", "cat /proc/27602/wchan", "rpc_wait_bit_killable", []timeline.Process{{PID: 27602, WChan: "rpc_wait_bit_killable"}}},
		{"wchan of several", "grep . /proc/*/wchan", "/proc/12/wchan:do_wait\n", []timeline.Process{{PID: 12, WChan: "do_wait"}}},
		{
			"stack", "cat /proc/27602/stack", "[<0>] rpc_wait_bit_killable+0x1e/0xa0\n[<0>] nfs4_proc_getattr+0x5/0x10\n",
			[]timeline.Process{{PID: 27602, Stack: "[<0>] rpc_wait_bit_killable+0x1e/0xa0\n[<0>] nfs4_proc_getattr+0x5/0x10\n"}},
		},
		{"status", "", "Name:\tnginx\nUmask:\t0022\nState:\tD (disk sleep)\nTgid:\t5\nPid:\t27602\nPPid:\t27419\n", []timeline.Process{{PID: 27602, PPID: 27419, State: "D", Command: "nginx"}}},
		{"stat", "", "33308 (tmux: (x) server) D 16431 16485 16485 0 -1 4194560 11579 77091 0\n", []timeline.Process{{PID: 33308, PPID: 16431, State: "D", Command: "tmux: (x) server"}}},
		{"cgroup", "cat /proc/77/cgroup", "4:memory:/kubepods.slice/a\n0::/b\n", []timeline.Process{{PID: 77, Cgroup: "4:memory:/kubepods.slice/a,0::/b"}}},
		{
			"members", "", "/sys/fs/cgroup/systemd/kubepods.slice/x.scope/cgroup.procs: 681 710 \n",
			[]timeline.Process{{PID: 681, Cgroup: "/sys/fs/cgroup/systemd/kubepods.slice/x.scope"}, {PID: 710, Cgroup: "/sys/fs/cgroup/systemd/kubepods.slice/x.scope"}},
		},
		{"there", "ls -d /proc/14260", "/proc/14260\n", []timeline.Process{{PID: 14260}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			diffFacts(t, "processes", readNode(t, procParser, c.command, c.text).Processes, c.want)
		})
	}
	b := readNode(t, procParser, "cat /sys/fs/cgroup/freezer/kubepods.slice/x.scope/freezer.state", "FROZEN\n")
	checkMessages(t, b, "/sys/fs/cgroup/freezer/kubepods.slice/x.scope/freezer.state: FROZEN")
	b = readNode(t, procParser, "cat /sys/fs/fuse/connections/741/waiting", "118\n")
	checkMessages(t, b, "/sys/fs/fuse/connections/741/waiting: 118")
	b = readNode(t, procParser, "", "pid 5481: cwd=/mnt/pods/a\ntotal 0\nlr-x------ 1 root root 64 Nov 30 08:32 3 -> /mnt/pods/a/file\nlrwx------ 1 root root 64 Nov 30 08:34 2 -> socket:[183112]\n")
	diffFacts(t, "holders", b.Holders, []timeline.Holder{{Path: "/mnt/pods/a", PID: 5481, Access: "cwd", Tool: "proc"}, {Path: "/mnt/pods/a/file", PID: 5481, Access: "open", Tool: "proc"}})
}
