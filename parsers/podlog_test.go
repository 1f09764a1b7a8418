package parsers

import "testing"

func TestPodLogFolder(t *testing.T) {
	const uid = "4f0c2a6e-5a0b-4f3d-9d0a-7b5c1e2f3a4b"
	for path, want := range map[string]string{
		"kind-worker/pods/shop_web-0_" + uid + "/web/0.log":                            "shop web-0 web",
		"a.tgz!pods/shop_web-0_" + uid + "/web/0.log.20261130-090000.gz":               "shop web-0 web",
		"var/log/pods/kube-system_etcd-m1_5b0a5b0a5b0a5b0a5b0a5b0a5b0a5b0a/etcd/1.log": "", // a static pod's hash
		"namespaces/shop/pods/web-0/web/web/logs/current.log":                          "",
		"pods/shop_web-0_" + uid + "/web":                                              "",
		"mypods/shop_web-0_" + uid + "/web/0.log":                                      "",
	} {
		got := ""
		if log, ok := podLogOf(path); ok {
			got = log.PodNamespace + " " + log.Pod + " " + log.Container
			if log.PodUID != uid {
				t.Errorf("%s: UID %q", path, log.PodUID)
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	b := readWith(t, containerLogParser, "pods/shop_web-0_"+uid+"/web/0.log", "2026-11-30T08:00:02Z stdout F one\n2026-11-30T08:09:02Z stderr F two\n")
	if len(b.PodLogs) != 1 || b.PodLogs[0].Last.Sub(b.PodLogs[0].First).Minutes() != 9 || b.PodLogs[0].Source.Line != 2 {
		t.Errorf("%+v", b.PodLogs)
	}
}
