package timeline

import "testing"

func TestNamedAfterNodes(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []string
		files []string // the first is asked about
		want  string
	}{
		{"before the program", nil, []string{"w-1-kubelet.log", "w-2-kubelet.log"}, "w-1"},
		{"behind the program", nil, []string{"a.zip!logs/kubelet_ip-10-0-1-7.ec2.internal.txt.gz", "kubelet_ip-10-0-1-8.txt"}, "ip-10-0-1-7.ec2.internal"},
		{"one alone may be a ticket", nil, []string{"kubelet-case-4711.log", "containerd.log"}, ""},
		{"a date", nil, []string{"kubelet-2026-11-30.log", "kubelet-2026-11-29.log"}, ""},
		{"rotated", nil, []string{"kubelet.log.1", "kubelet.log.2"}, ""},
		{"known to objects", []string{"w1", "w10"}, []string{"crictl_w10_pods.json"}, "w10"},
		{"a part of another name", []string{"w1"}, []string{"w10-kubelet.log", "kubelet.log"}, ""},
		{"another node, by custom", []string{"w-1"}, []string{"kubelet_w-9.txt", "kubelet_w-1.txt"}, "w-9"},
		{"another node, no custom", []string{"w1"}, []string{"kubelet_case-9.txt", "pods.yaml"}, ""},
		{"the longest", []string{"w-1", "w-1.example.com"}, []string{"w-1.example.com-kubelet.log"}, "w-1.example.com"},
		{"no host", nil, []string{"old-kubelet.log", "new-kubelet.log"}, ""},
	} {
		var builders []*Builder
		for _, f := range c.files {
			builders = append(builders, NewBuilder(f))
		}
		names := namesOfFiles(builders, c.nodes)
		if got := names.ofFile(c.files[0]); got != c.want {
			t.Errorf("%s: %q is of %q, want %q", c.name, c.files[0], got, c.want)
		}
	}
	names := nodeNames{nodes: []string{"w-1", "w-2"}}
	for file, want := range map[string]string{
		"w-1/kubelet.log": "w-1", "all.tgz!w-2-diag.tar.gz!diag/kubelet.log": "w-2", "w-1/from w-2/kubelet.log": "w-2", "w-11/kubelet.log": "",
	} {
		if got := names.ofFolder(file); got != want {
			t.Errorf("%s lies in the folder of %q, want %q", file, got, want)
		}
	}
}
