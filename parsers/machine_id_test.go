package parsers

import (
	"slices"
	"testing"

	"podautopsy/timeline"
)

func TestIdentity(t *testing.T) {
	const machine, boot = "d50c1d1863d8eeb1e4893a00e8d3f68f", "772640d703264ac3865268f169e7ced7"
	for _, test := range []struct {
		parser           Parser
		path, text, cmd  string
		machine, address string
		boots            []string
	}{
		{machineIDParser, "etc/machine-id", machine + "\n", "", machine, "", nil},
		{machineIDParser, "node/machine-id.txt", machine + "\n772640d7-0326-4ac3-8652-68f169e7ced7\n", "", machine, "", []string{boot}},
		{machineIDParser, "proc/sys/kernel/random/boot_id", "772640d7-0326-4ac3-8652-68f169e7ced7\n", "", "", "", []string{boot}},
		{machineIDParser, "block", machine + "\n", "cat /etc/machine-id", machine, "", nil},
		{hostnameParser, "hostnamectl_status", " Static hostname: worker-4\n       Icon name: computer-container\n      Machine ID: " + machine + "\n         Boot ID: " + boot + "\n", "", machine, "", []string{boot}},
		{ipParser, "ip_-o_addr", "1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever\n2: eth0    inet 10.20.0.14/24 scope global eth0\\       valid_lft forever preferred_lft forever\n", "", "", "10.20.0.14", nil},
		{ipParser, "ip-addr.txt", "2: eth0@if9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000\n    link/ether 06:8f:98:e7:a7:1b brd ff:ff:ff:ff:ff:ff link-netnsid 0\n    inet 10.20.0.11/24 scope global eth0\n       valid_lft forever preferred_lft forever\n    inet6 fe80::48f:98ff:fee7:a71b/64 scope link \n", "", "", "10.20.0.11", nil},
		{ipParser, "ip_netns_exec_cni-0554f8d3-89a2-cb42-3c2e-b592502379ae_ip_address_show", "2: eth0@if9: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP group default qlen 1000\n    inet 10.244.4.9/24 scope global eth0\n", "", "", "", nil},
		{journalExportParser, "journal.export", "__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1796028318965286\n_MACHINE_ID=" + machine + "\n_BOOT_ID=" + boot + "\n_HOSTNAME=worker-4\nMESSAGE=hello\n\n", "", machine, "", []string{boot}},
	} {
		t.Run(test.path, func(t *testing.T) {
			f := &File{Path: test.path, Text: test.text, FirstLine: 1, Command: test.cmd}
			if !test.parser.Sniff(f) {
				t.Fatal("not claimed")
			}
			b := timeline.NewBuilder(test.path)
			if err := test.parser.Parse(f, b); err != nil {
				t.Fatal(err)
			}
			id := b.Input.Identity
			if id.MachineID != test.machine || !slices.Equal(id.BootIDs, test.boots) || (test.address == "") != (len(id.Addresses) == 0) || test.address != "" && id.Addresses[0] != test.address {
				t.Errorf("%+v", id)
			}
		})
	}
	for _, text := range []string{"", "machine-id\n", "abc\n", machine + " x\n", "0\n0\n0\n0\n0\n"} {
		if machineIDParser.Sniff(&File{Path: "etc/machine-id", Text: text, FirstLine: 1}) {
			t.Errorf("claims %q", text)
		}
	}
}

func FuzzMachineID(f *testing.F) {
	f.Add("d50c1d1863d8eeb1e4893a00e8d3f68f\n772640d7-0326-4ac3-8652-68f169e7ced7\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "etc/machine-id", Text: text, FirstLine: 1}
		b := timeline.NewBuilder(file.Path)
		if machineIDParser.Sniff(file) {
			if err := machineIDParser.Parse(file, b); err != nil || b.Input.Records == 0 {
				t.Errorf("claimed, and nothing read: %v", err)
			}
		}
	})
}
