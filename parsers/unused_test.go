package parsers

import "testing"

func TestUnusedKind(t *testing.T) {
	for _, test := range []struct{ path, command, text, want string }{
		{"a/LICENSE", "", "Apache License\nVersion 2.0\n", "licence"},
		{"a!sys/fs/cgroup/kubepods.slice/cpu.max", "", "max 100000\n", "setting or figure of a control group"},
		{"a!proc/sys/net/ipv4/ip_forward", "", "1\n", "kernel setting"},
		{"a!sos_commands/networking/x", "ethtool -k eth0", "Features for eth0:\n", "what ethtool prints"},
		{"a!sos_commands/networking/x", "ip netns exec cni-1 netstat -agn", "IPv6/IPv4 Group Memberships\n", "what netstat prints"},
		{"a!sos_commands/networking/x", "ip -6 route show table all", "::1 dev lo\n", "what ip route prints"},
		{"node/iptables-nat.txt", "", "Chain PREROUTING\n", "what iptables prints"},
		{"node/crictl-stats.json", "", "{\n  \"stats\": []\n}\n", "what crictl stats prints"},
		{"a.tar.gz!date", "", "sos_commands/date/date", "link, kept as text"},
		{"config.toml", "", "# containerd\nversion = 2\n", "configuration"},
		{"x", "", "[Unit]\nDescription=x\n", "configuration"},
		{"x", "", "<!DOCTYPE html>\n<html>\n", "web page"},
		{"x.png", "", "\x89PNG\r\n\x1a\n", "picture"},
		{"x", "", "-----BEGIN CERTIFICATE-----\nMIIB\n", "certificate or key"},
		{"x", "", "  \n\n", "blank"},
		// What somebody may have meant to be read keeps its question mark.
		{"node/kubelet.log", "", "something new\n", ""},
		{"notes.txt", "", "it hangs since noon\n", ""},
		{"node/freeze.log", "", "something new\n", ""},
		{"node/ps.txt", "ps aux", "garbled\n", ""},
		{"khi.yaml", "", "# Licensed under the Apache License, Version 2.0\na: b\n", ""},
	} {
		f := &File{Path: test.path, Command: test.command, Text: test.text, FirstLine: 1}
		if got := unusedKind(f, []byte(test.text)); got != test.want {
			t.Errorf("%s of %q is %q, not %q", test.path, test.command, got, test.want)
		}
	}
}

func FuzzUnusedKind(f *testing.F) {
	f.Add("a!proc/x", "ip route", "[x]\ny")
	f.Add("LICENSE", "ip netns exec", "File: x\n")
	f.Fuzz(func(_ *testing.T, path, command, text string) {
		unusedKind(&File{Path: path, Command: command, Text: text, FirstLine: 1}, []byte(text))
	})
}
