package parsers

import "testing"

const cglsText = `Control group /:
-.slice
├─kubepods.slice 
│ └─kubepods-burstable.slice 
│   └─kubepods-burstable-pod78488bca_ffc2_4da7_a33f_dfe62138a36b.slice 
│     ├─cri-containerd-75f729e4f6b5f274733890fe795abc410f4166486a679b470f9c4fd3c65bd779.scope 
│     │ └─1721 /pause
│     └─cri-containerd-67d2c5d7d2ea205e2d5a2c67480c808682cf57138e315bfab0b8b87887f0b51a.scope 
│       ├─1754 /bin/sh -c while :; do sleep 1; done
│       └─1952 sleep 1
└─init.scope 
  └─1 /lib/systemd/systemd
`

func TestSystemdCgls(t *testing.T) {
	f := &File{Path: "cgls.txt", Text: cglsText, FirstLine: 1}
	if !systemdCglsParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	b := readNode(t, systemdCglsParser, "systemd-cgls", cglsText)
	if len(b.Input.Gaps) != 0 {
		t.Errorf("gaps %+v", b.Input.Gaps)
	}
	const slice = "/sys/fs/cgroup/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod78488bca_ffc2_4da7_a33f_dfe62138a36b.slice"
	found := false
	for _, p := range b.Paths {
		found = found || p.Path == slice
	}
	if !found {
		t.Errorf("no %s in %+v", slice, b.Paths)
	}
	groups := map[int]string{}
	for _, p := range b.Processes {
		groups[p.PID] = p.Cgroup
	}
	if groups[1] != "/init.scope" || groups[1754] != slice[len(cgroupRoot):]+"/cri-containerd-67d2c5d7d2ea205e2d5a2c67480c808682cf57138e315bfab0b8b87887f0b51a.scope" {
		t.Errorf("groups %v", groups)
	}
}

func FuzzSystemdCgls(f *testing.F) {
	fuzzNodeTool(f, systemdCglsParser, "systemd-cgls", cglsText, "├─├─12 a\n|-x\n")
}
