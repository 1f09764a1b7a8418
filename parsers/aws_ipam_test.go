package parsers

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

func TestAWSIPAM(t *testing.T) {
	text := `{"version":"vpc-cni-ipam/1","allocations":[
{"networkName":"aws-cni","containerID":"75f729e4f6b5f274733890fe795abc410f4166486a679b470f9c4fd3c65bd779","ifName":"eth0","ipv4":"192.0.2.17","allocationTimestamp":1796026600000000000,"metadata":{"k8sPodNamespace":"shop","k8sPodName":"cart-0"}},
{"networkName":"aws-cni","containerID":"67d2c5d7d2ea205e2d5a2c67480c808682cf57138e315bfab0b8b87887f0b51a","ifName":"eth0","ip":"192.0.2.18"}]}
`
	b := readNode(t, awsIPAMParser, "", text)
	if len(b.Reservations) != 2 || len(b.Input.Gaps) != 0 {
		t.Fatalf("%d reservations, gaps %+v", len(b.Reservations), b.Input.Gaps)
	}
	first := b.Reservations[0]
	if first.IP != "192.0.2.17" || first.Pod != "cart-0" || first.PodNamespace != "shop" || first.Source.Line != 2 ||
		!first.ReservedAt.Equal(time.Unix(1796026600, 0)) {
		t.Errorf("%+v", first)
	}
	if second := b.Reservations[1]; second.IP != "192.0.2.18" || second.Pod != "" || !second.ReservedAt.IsZero() {
		t.Errorf("%+v", second)
	}
	if b = readNode(t, awsIPAMParser, "", `{"version":"vpc-cni-ipam/1","allocations":[]}`); b.Input.Records != 1 {
		t.Errorf("an empty file tells that none is reserved: %d records", b.Input.Records)
	}
	if b = readNode(t, awsIPAMParser, "", text[:300]); len(b.Reservations) != 1 && len(b.Input.Gaps) == 0 {
		t.Errorf("cut: %+v", b)
	}
}

func FuzzAWSIPAM(f *testing.F) {
	fuzzNodeTool(f, awsIPAMParser, "cat /var/run/aws-node/ipam.json",
		`{"version":"vpc-cni-ipam/1","allocations":[{"containerID":"a","ipv4":"192.0.2.1","metadata":{"k8sPodName":"x"}},{"containerID":3},`,
		`{"allocations":{},"version":"vpc-cni-ipam/1"}`)
}

func TestPodInterfaces(t *testing.T) {
	b := readNode(t, ipParser, "ip addr", `2: eth0@if9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000
    link/ether 06:8f:98:e7:a7:1b brd ff:ff:ff:ff:ff:ff link-netnsid 0
9: veth7956b7b3@if2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master cni0 state UP group default 
    link/ether aa:18:4d:f5:50:02 brd ff:ff:ff:ff:ff:ff link-netns cni-67bfd92a-3495-9f59-49b9-26d8c810d290
10: cali0a1b2c3d4e5@if3: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1480 qdisc noqueue state UP
`)
	want := []timeline.Interface{{Name: "veth7956b7b3", NetNS: "cni-67bfd92a-3495-9f59-49b9-26d8c810d290"}, {Name: "cali0a1b2c3d4e5"}}
	if len(b.Interfaces) != len(want) {
		t.Fatalf("%+v", b.Interfaces)
	}
	for i, w := range want {
		if got := b.Interfaces[i]; got.Name != w.Name || got.NetNS != w.NetNS {
			t.Errorf("%+v, want %+v", got, w)
		}
	}
	if b = readNode(t, ipParser, "ip netns exec cni-1 ip addr", "3: veth1@if2: <UP> mtu 1500 qdisc noqueue state UP\n"); len(b.Interfaces) != 0 {
		t.Errorf("inside a pod's namespace: %+v", b.Interfaces)
	}
}

func TestListedTimes(t *testing.T) {
	b := readNode(t, lsParser, "ls -l --time-style=full-iso /var/lib/kubelet/pods",
		"total 4\ndrwxr-x--- 5 root root 4096 2026-11-30 08:22:38.227118978 +0100 78488bca-ffc2-4da7-a33f-dfe62138a36b\n")
	want := time.Date(2026, 11, 30, 7, 22, 38, 227118978, time.UTC)
	if n := len(b.Paths); n == 0 || !b.Paths[n-1].Modified.Equal(want) {
		t.Errorf("%+v", b.Paths)
	}
	b = readNode(t, lsParser, "ls -l /var/lib/kubelet/pods", "total 4\ndrwxr-x--- 5 root root 4096 Nov 30 08:22 78488bca-ffc2-4da7-a33f-dfe62138a36b\n")
	if n := len(b.Paths); n == 0 || !b.Paths[n-1].Modified.IsZero() {
		t.Errorf("a time without year and zone is none: %+v", b.Paths)
	}
}
