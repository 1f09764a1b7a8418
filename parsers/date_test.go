package parsers

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

func TestDate(t *testing.T) {
	at := time.Date(2026, 11, 30, 20, 20, 9, 0, time.UTC)
	for _, text := range []string{
		"Mon Nov 30 20:20:09 UTC 2026", "Mon Nov 30 08:20:09 PM UTC 2026", "Mon Nov 30 08:20:09 PM  UTC 2026",
		"Mon 30 Nov 2026 08:20:09 PM UTC", "Mon 30 Nov 20:20:09 UTC 2026", "Mon, 30 Nov 2026 20:20:09 +0000", "Mon 30 Nov 2026 20:20:09 GMT",
		"Mo 30. Nov 21:20:09 CET 2026", "lun. 30 nov. 2026 20:20:09 UTC", "lunedì 30 novembre 2026, 20:20:09, UTC", "seg 30 nov 2026 20:20:09 UTC", "mar. 30 nov. 2026 20:20:09 UTC", "mar 30 nov 20:20:09 UTC 2026",
		"2026-11-30T20:20:09Z", "2026-11-30 20:20:09+00:00", "2026-11-30T20:20:09+0000", "2026-11-30T15:20:09-05:00", "Mon Nov 30 12:20:09 PST 2026",
		"Mon Nov 30 23:20:09 +03 2026",
		"      Local time: Tue 2026-12-01 04:20:09 CST\n  Universal time: Mon 2026-11-30 20:20:09 UTC\n        RTC time: n/a\n",
		"Tue Dec  1 04:20:09 CST 2026\n2026-11-30T20:20:09Z\n",
	} {
		if b := readNode(t, dateParser, "", text+"\n"); !b.Input.CapturedAt.Equal(at) {
			t.Errorf("%q was read as %v", text, b.Input.CapturedAt)
		}
	}
	if b := readNode(t, dateParser, "date +%s", "1796070009\n"); !b.Input.CapturedAt.Equal(at) {
		t.Errorf("seconds were read as %v", b.Input.CapturedAt)
	}
	// 12 o'clock is where AM and PM turn.
	for text, hour := range map[string]int{"Mon Nov 30 12:20:09 AM UTC 2026": 0, "Mon Nov 30 12:20:09 PM UTC 2026": 12} {
		if b := readNode(t, dateParser, "", text); b.Input.CapturedAt.Hour() != hour {
			t.Errorf("%q was read as %v", text, b.Input.CapturedAt)
		}
	}
	b := readNode(t, dateParser, "", "Mon Nov 30 20:20:09 CST 2026\n")
	if !b.Input.CapturedAt.IsZero() || len(b.Input.Gaps) != 1 {
		t.Errorf("CST means several zones, yet it was read as %v", b.Input.CapturedAt)
	}
	for _, text := range []string{"2026-11-30", "20:20:09", "Nov 30 20:20:09 worker-1 kubelet: x", "2026-11-30T20:20:09Z stdout F x", "Mon Nov 30 20:20:09 UTC", "1796070009"} {
		if nodeClaim(&File{Path: "file-1", Text: text}) == "date" {
			t.Errorf("%q was taken for a date", text)
		}
	}
}

func TestDateTellsTheZone(t *testing.T) {
	for _, text := range []string{
		"Mon Nov 30 21:20:09 CET 2026\n", "Mon Nov 30 22:20:09 LMT 2026\n2026-11-30T21:20:09+01:00\n",
		"      Local time: Mon 2026-11-30 21:20:09 CET\n  Universal time: Mon 2026-11-30 20:20:09 UTC\n",
	} {
		b := readNode(t, dateParser, "", text)
		if len(b.Clocks) != 1 || b.Clocks[0].Local.Hour() != 21 || b.Clocks[0].UTC.Hour() != 20 {
			t.Errorf("%q gave the hints %+v", text, b.Clocks)
		}
	}
	if b := readNode(t, dateParser, "", "Mon Nov 30 20:20:09 UTC 2026\n"); len(b.Clocks) != 0 {
		t.Error("date -u does not tell the node's zone")
	}
}

func TestHostname(t *testing.T) {
	for _, c := range []struct{ path, command, text, node, kernel string }{
		{"file-1", "", "worker-1\n", "worker-1", ""},
		{"node/hostname", "", "n3\n", "n3", ""},
		{"file-1", "hostname", "n3\n", "n3", ""},
		{"file-1", "", "ip-10-0-1-2.ec2.internal\n", "ip-10-0-1-2.ec2.internal", ""},
		{"hostname_-f", "", "n3.example.com\n", "", ""},
		{"file-1", "", "Linux worker-1 6.18.44-fc-v657 #1 SMP PREEMPT_DYNAMIC @0 x86_64 GNU/Linux\n", "worker-1", "6.18.44-fc-v657"},
		{"file-1", "", "   Static hostname: juju-04f1e3\n         Icon name: computer-container\n            Kernel: Linux 5.4.0-97-generic\n", "juju-04f1e3", "5.4.0-97-generic"},
	} {
		b := readNodeFile(t, hostnameParser, &File{Path: c.path, Command: c.command, Text: c.text, FirstLine: 1})
		kernel := ""
		if len(b.Versions) > 0 {
			kernel = b.Versions[0].Version
		}
		if b.Input.Node != c.node || kernel != c.kernel {
			t.Errorf("%q was read as node %q, kernel %q", c.text, b.Input.Node, kernel)
		}
	}
	for _, text := range []string{"xfs", "FROZEN", "254", "rpc_wait_bit_killable", "d50c1d1863d8eeb1e4893a00e8d3f68f", "000a7900", "v1.35.4", "kubelet.service", "5d7235a9-be4f-11e8-9233-d6aaae40f8d1", "container-other", "auto-movable", "must-gather.sample"} {
		if nodeClaim(&File{Path: "file-1", Text: text + "\n"}) == "hostname" {
			t.Errorf("%q was taken for a host name", text)
		}
	}
	for _, path := range []string{"host/sys/module/x/parameters/policy", "report!etc/default/x", ".gitignore"} {
		if nodeClaim(&File{Path: path, Text: "level-2\n"}) == "hostname" {
			t.Errorf("the word in %s was taken for a host name", path)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		command, text string
		want          []timeline.NodeVersion
	}{
		{
			"", "Kubernetes v1.35.4\ncontainerd github.com/containerd/containerd 1.6.20~ds1 1.6.20~ds1-1+deb12u3\nrunc version 1.1.5+ds1\ncommit: 1.1.5\ncrictl version v1.36.0\n",
			[]timeline.NodeVersion{{What: "kubelet", Version: "v1.35.4"}, {What: "containerd", Version: "1.6.20~ds1"}, {What: "runc", Version: "1.1.5+ds1"}, {What: "crictl", Version: "v1.36.0"}},
		},
		{"", "Version:  0.1.0\nRuntimeName:  cri-o\nRuntimeVersion:  1.24.1\nRuntimeApiVersion:  v1\n", []timeline.NodeVersion{{What: "cri-o", Version: "1.24.1"}}},
		{"", "Client:\n  Version:  1.6.20\n\nServer:\n  Version:  1.7.1\n", []timeline.NodeVersion{{What: "containerd", Version: "1.7.1"}}},
		{"docker --version", "Docker version 20.10.7, build f0df350\n", []timeline.NodeVersion{{What: "docker", Version: "20.10.7"}}},
		{"systemctl --version", "systemd 252 (252.39-1~deb12u2)\n+PAM +AUDIT\n", []timeline.NodeVersion{{What: "systemd", Version: "252"}}},
		{"", "3.10.0-514.26.2.el7.x86_64\n", []timeline.NodeVersion{{What: "kernel", Version: "3.10.0-514.26.2.el7.x86_64"}}},
		{"uname -r", "6.8.1\n", []timeline.NodeVersion{{What: "kernel", Version: "6.8.1"}}},
		{"rpm -q kernel", "kernel-6.1.112-122.189.amzn2023\n", []timeline.NodeVersion{{What: "kernel-package", Version: "6.1.112-122.189.amzn2023"}}},
	} {
		diffFacts(t, "versions", readNode(t, versionsParser, c.command, c.text).Versions, c.want)
	}
}
