package parsers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// Rows as iproute2 and net-tools print them.
const (
	ssBoth = `Netid State  Recv-Q Send-Q Local Address:Port  Peer Address:PortProcess
udp   UNCONN 0      0            127.0.0.1:323        0.0.0.0:*    users:(("chronyd",pid=724,fd=5))
tcp   LISTEN 0      4096         127.0.0.1:10248      0.0.0.0:*    users:(("kubelet",pid=12816,fd=29))
tcp   LISTEN 0      511                  *:8080             *:*    users:(("nginx",pid=4112,fd=6),("nginx",pid=4113,fd=6))
tcp   LISTEN 0      64             0.0.0.0:2049       0.0.0.0:*
`
	ssAll = `State    Recv-Q Send-Q   Local Address:Port    Peer Address:Port Process
LISTEN   0      128                [::]:22               [::]:*    users:(("sshd",pid=801,fd=4))
ESTAB    0      0            10.0.2.15:22        10.0.2.2:51122    users:(("sshd",pid=1990,fd=4),("sshd",pid=1912,fd=4))
TIME-WAIT 0     0            127.0.0.1:35220    127.0.0.1:10248
	 skmem:(r0,rb131072,t0,tb16384,f0,w0,o0,bl0,d0) cubic rto:1000
`
	ssExtended = `Netid State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
tcp   LISTEN 0      4096               *:6443             *:*    ino:68521 sk:b cgroup:/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pode485194365f749742f6561a2a30dd22f.slice/cri-containerd-5fd344a173e0f685ec1e6e4c1913a553e82ce7796123e2544963bfe41dbcab83.scope v6only:0 <->
u_str LISTEN 0      128    /run/containerd/containerd.sock 21890 * 0 users:(("containerd",pid=90,fd=11))
`
	netstatListening = `Active Internet connections (only servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN      801/sshd: /usr/sbin
tcp6       0      0 :::8080                 :::*                    LISTEN      4112/nginx: master
tcp        0      0 127.0.0.1:2049          0.0.0.0:*               LISTEN      -
udp        0      0 0.0.0.0:68              0.0.0.0:*                           612/dhclient
Active UNIX domain sockets (only servers)
Proto RefCnt Flags       Type       State         I-Node   PID/Program name     Path
unix  2      [ ACC ]     STREAM     LISTENING     21890    90/containerd        /run/containerd/containerd.sock
`
)

func TestSockets(t *testing.T) {
	for name, c := range map[string]struct {
		command, text string
		want          string // protocol, address, port, processes, program
		lists         []string
	}{
		"both protocols": {
			"ss -tulnp", ssBoth,
			"udp 127.0.0.1 323 [724] chronyd; tcp 127.0.0.1 10248 [12816] kubelet; tcp * 8080 [4112 4113] nginx; tcp 0.0.0.0 2049 [] ",
			[]string{"Listener/tcp", "Listener/udp"},
		},
		"without a command": {"", ssBoth, "udp 127.0.0.1 323 [724] chronyd; tcp 127.0.0.1 10248 [12816] kubelet; tcp * 8080 [4112 4113] nginx; tcp 0.0.0.0 2049 [] ", nil},
		"connections":       {"ss -tanp", ssAll, "tcp [::] 22 [801] sshd", []string{"Listener/tcp"}},
		"control groups":    {"ss -tunelp", ssExtended, "tcp * 6443 [] ", nil},
		"one state": {
			"ss -tnp state established", "Recv-Q Send-Q Local Address:Port Peer Address:Port Process\n0 0 10.0.2.15:22 10.0.2.2:51122 users:((\"sshd\",pid=1990,fd=4))\n",
			"", nil,
		},
		"a filter":       {"ss -tlnp sport = :22", ssAll, "tcp [::] 22 [801] sshd", nil},
		"grep":           {"ss -tlnp | grep 8080", `LISTEN 0 511 *:8080 *:* users:(("nginx",pid=4112,fd=6))`, "tcp * 8080 [4112] nginx", nil},
		"old iproute2":   {"ss -tlnp", "State Recv-Q Send-Q Local Address:Port Peer Address:Port\nLISTEN 0 128 :::22 :::* users:((\"sshd\",982,4))\n", "tcp :: 22 [982] sshd", []string{"Listener/tcp"}},
		"a name of port": {"ss -tlp", "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nLISTEN 0 128 0.0.0.0:ssh 0.0.0.0:* users:((\"sshd\",pid=9,fd=4))\n", "tcp 0.0.0.0 0 [9] sshd", []string{"Listener/tcp"}},
		"a program that lies": {
			"ss -tlnp", "State Recv-Q Send-Q Local Address:Port Peer Address:Port Process\nLISTEN 0 1 0.0.0.0:9 0.0.0.0:* users:((\"x\",pid=7,fd=1)\",pid=55,fd=3))\n",
			`tcp 0.0.0.0 9 [55] x",pid=7,fd=1)`,
			[]string{"Listener/tcp"},
		},
		"netstat":          {"netstat -tulnp", netstatListening, "tcp 0.0.0.0 22 [801] sshd; tcp :: 8080 [4112] nginx; tcp 127.0.0.1 2049 [] ; udp 0.0.0.0 68 [612] dhclient", []string{"Listener/tcp", "Listener/udp"}},
		"of a pod":         {"kubectl -n shop exec cart-0 -- ss -tlnp", ssAll, "", nil},
		"of a namespace":   {"ip netns exec cni-1 ss -tlnp", ssAll, "", nil},
		"entered":          {"nsenter -t 4112 -n ss -tlnp", ssAll, "", nil},
		"entered the host": {"nsenter -t 1 -m -n ss -tlnp", ssAll, "tcp [::] 22 [801] sshd", []string{"Listener/tcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := readNode(t, socketsParser, c.command, c.text)
			var got []string
			for _, l := range b.Listeners {
				got = append(got, fmt.Sprint(l.Protocol, " ", l.Address, " ", l.Port, " ", l.PIDs, " ", l.Command))
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
			var lists []string
			for _, l := range b.Listings {
				lists = append(lists, l.Kind)
			}
			if !slices.Equal(lists, c.lists) {
				t.Errorf("whole lists %v, want %v", lists, c.lists)
			}
			if len(b.Input.Gaps) > 0 {
				t.Errorf("gaps %+v", b.Input.Gaps)
			}
		})
	}
	if b := readNode(t, socketsParser, "", ssExtended); len(b.Listeners) != 1 || len(timeline.Mentions(b.Listeners[0].Cgroup).IDs) != 1 {
		t.Errorf("no control group in %+v", b.Listeners)
	}
	summary := &File{Path: "ss.txt", Command: "ss -s", Text: "Total: 187\nTCP:   12 (estab 3, closed 1, orphaned 0, timewait 1)\n", FirstLine: 1}
	if socketsParser.Sniff(summary) {
		t.Error("a summary is no list")
	}
}

func FuzzSockets(f *testing.F) {
	fuzzNodeTool(f, socketsParser, "ss -tulnp", ssBoth, ssAll, ssExtended, netstatListening)
}
