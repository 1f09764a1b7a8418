package parsers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const clusterInfoJSON = `{
    "kind": "NodeList",
    "apiVersion": "v1",
    "metadata": {"resourceVersion": "1"},
    "items": [
        {"metadata": {"name": "w1"}}
    ]
}
{
    "kind": "PodList",
    "apiVersion": "v1",
    "metadata": {"resourceVersion": "1"},
    "items": [
        {"metadata": {"name": "web-0", "namespace": "shop"}}
    ]
}
`

const clusterInfoLogs = `==== START logs for container kube-controller-manager of pod kube-system/kcm-w0 ====
I1130 09:39:04.000001       1 controller.go:1] "Starting"
E1130 09:39:05.000001       1 controller.go:2] "Failed" err="x"
==== END logs for container kube-controller-manager of pod kube-system/kcm-w0 ====
==== START logs for container web of pod shop/web-0 ====
2026-11-30T09:39:04Z level=info msg=started
2026-11-30T09:39:14Z level=info msg="request served"==== END logs for container web of pod shop/web-0 ====
==== START logs for container side of pod shop/web-0 ====
Request log error: an error on the server ("unknown") has prevented the request from succeeding (get pods web-0)
==== END logs for container side of pod shop/web-0 ====
==== START logs for container odd of pod shop/web-0 ====
{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "not-real", "namespace": "shop"}}
==== END logs for container odd of pod shop/web-0 ====
`

func TestClusterInfoStream(t *testing.T) {
	const clusterInfoYAML = "apiVersion: v1\nitems:\n- metadata:\n    name: w1\nkind: NodeList\n---\napiVersion: v1\nitems:\n- metadata:\n    name: web-0\n    namespace: shop\nkind: PodList\n"
	for name, text := range map[string]string{
		"JSON": clusterInfoJSON + clusterInfoLogs + strings.Replace(clusterInfoJSON, "web-0", "web-1", 1),
		"YAML": clusterInfoYAML + clusterInfoLogs + "---\n" + strings.Replace(clusterInfoYAML, "web-0", "web-1", 1),
	} {
		t.Run(name, func(t *testing.T) {
			b := readCollected(t, clusterInfoStreamParser, &File{Path: "dump.txt", Text: text, FirstLine: 1})
			var objects []string
			for _, o := range b.Objects {
				objects = append(objects, o.Kind+" "+o.Name)
			}
			if d := cmp.Diff([]string{"Node w1", "Pod web-0", "Node w1", "Pod web-1"}, objects); d != "" {
				t.Errorf("objects (-want +got):\n%s", d)
			}
			var events []string
			for _, e := range b.Events {
				events = append(events, e.Component+" "+e.Message[:min(len(e.Message), 24)])
			}
			if d := cmp.Diff([]string{
				timeline.KCM + " I1130 09:39:04.000001   ", timeline.KCM + " E1130 09:39:05.000001   ",
				"web level=info msg=started", "web level=info msg=\"request", `command an error on the server`,
			}, events, cmp.Comparer(func(x, y string) bool { return strings.HasPrefix(x, y) || strings.HasPrefix(y, x) })); d != "" {
				t.Errorf("events (-want +got):\n%s", d)
			}
			if len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Kind != timeline.GapCommandFailed || !strings.Contains(b.Input.Gaps[0].Detail, "container side of pod shop/web-0") {
				t.Errorf("gaps %+v", b.Input.Gaps)
			}
		})
	}
	b := readCollected(t, clusterInfoStreamParser, &File{Path: "shop/web-0/logs.txt", Text: clusterInfoLogs[:strings.Index(clusterInfoLogs, "request")], FirstLine: 1})
	if len(b.Events) != 4 || len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Kind != timeline.GapTruncated {
		t.Errorf("%d events, gaps %+v", len(b.Events), b.Input.Gaps)
	}
}

func FuzzClusterInfoStream(f *testing.F) {
	fuzzNodeTool(f, clusterInfoStreamParser, "kubectl cluster-info dump", clusterInfoJSON+clusterInfoLogs, clusterInfoLogs)
}
