package parsers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"podautopsy/timeline"
)

// withoutPlaces compares facts by what they say; checkPlaces proves the places.
var withoutPlaces = cmpopts.IgnoreTypes(timeline.Fact{})

func diffFacts[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if d := cmp.Diff(want, got, withoutPlaces, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s differ (-want +got):\n%s", what, d)
	}
}

const crictlPSJSON = `{
  "containers": [
    {
      "id": "165ccb274e6af4fbf95443316a0add032352c97c60d3cd112fac4f1cedb96aeb",
      "podSandboxId": "a056a764b40533773028f3c9351557978d89780d51374a1102461a52723304d6",
      "metadata": {"name": "stream", "attempt": 0},
      "state": "CONTAINER_RUNNING",
      "createdAt": "1796026791714146866",
      "labels": {
        "io.kubernetes.container.name": "stream",
        "io.kubernetes.pod.name": "stream-packager-0",
        "io.kubernetes.pod.namespace": "media-live",
        "io.kubernetes.pod.uid": "ad0961fe-dbaa-4383-a309-7c5ea31c8b07"
      },
      "imageId": ""
    }
  ]
}
`

func TestCrictlPS(t *testing.T) {
	want := []timeline.Container{{
		ID:   "165ccb274e6af4fbf95443316a0add032352c97c60d3cd112fac4f1cedb96aeb",
		Name: "stream", PodUID: "ad0961fe-dbaa-4383-a309-7c5ea31c8b07", PodNamespace: "media-live", PodName: "stream-packager-0",
		SandboxID: "a056a764b40533773028f3c9351557978d89780d51374a1102461a52723304d6",
		State:     "running", CreatedAt: time.Unix(0, 1796026791714146866).UTC(), Tool: "crictl ps",
	}}
	b := readNode(t, crictlJSONParser, "crictl ps -a -o json", crictlPSJSON)
	diffFacts(t, "containers", b.Containers, want)
	if f := b.Containers[0].Fact; f.Source.Line != 4 || !strings.Contains(f.Text, `"id": "165ccb`) {
		t.Errorf("the container stands at %v: %q", f.Source, f.Text)
	}
	// On one line, only the part in question is the evidence.
	minified := `{"containers": [` + strings.Repeat(" ", 2000) + strings.ReplaceAll(strings.SplitN(strings.ReplaceAll(crictlPSJSON, "\n", ""), "[", 2)[1], "  ", "")
	b = readNode(t, crictlJSONParser, "", minified)
	diffFacts(t, "containers", b.Containers, want)
	if f := b.Containers[0].Fact; len(f.Text) > excerptLonger || !strings.HasPrefix(f.Text, `"id": "165ccb`) {
		t.Errorf("the evidence is %q", f.Text)
	}
}

func TestCrictlListings(t *testing.T) {
	type listing struct {
		kind                    string
		items                   int
		incomplete, runningOnly bool
	}
	for _, c := range []struct {
		name, command, path, text string
		want                      listing
	}{
		{"all", "crictl ps -a -o json", "", crictlPSJSON, listing{"Container", 1, false, false}},
		{"all, by the file's name", "", "node/crictl-ps-a.json", crictlPSJSON, listing{"Container", 1, false, false}},
		{"running", "crictl ps -o json", "", crictlPSJSON, listing{"Container", 1, true, true}},
		{"not told", "", "crictl-ps.json", crictlPSJSON, listing{"Container", 1, true, true}},
		{"selected", "crictl ps -a --pod a056 -o json", "", crictlPSJSON, listing{"Container", 1, true, false}},
		{"through a filter", "crictl ps -a -o json | jq .", "", crictlPSJSON, listing{"Container", 1, true, false}},
		{"none", "crictl ps -a -o json", "", "{\n  \"containers\": []\n}\n", listing{"Container", 0, false, false}},
		{"no sandbox", "crictl pods -o json", "", "{\"items\": []}", listing{"Sandbox", 0, false, false}},
		{"cut", "crictl ps -a -o json", "", crictlPSJSON[:590], listing{"Container", 1, true, false}},
		{"table without a row", "crictl ps -a", "", "CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD\n", listing{"Container", 0, false, false}},
		{"docker", "docker ps -a", "", "CONTAINER ID        IMAGE   COMMAND   CREATED        STATUS       NAMES\n", listing{"Container", 0, false, false}},
		{"tasks", "ctr -n k8s.io tasks ls", "", "TASK    PID    STATUS    \n", listing{"Container", 0, true, true}},
		{"tasks of another namespace", "ctr tasks ls", "", "TASK    PID    STATUS    \n", listing{"Container", 0, true, false}},
		{"grep found nothing", "docker ps -a | grep b711078d", "", "", listing{"Container", 0, true, false}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &File{Path: c.path, Command: c.command, Text: c.text, FirstLine: 2}
			claim := nodeClaim(f)
			b := timeline.NewBuilder(c.path)
			for _, p := range nodeTools() {
				if p.Name == claim {
					if err := p.Parse(f, b); err != nil {
						t.Fatal(err)
					}
				}
			}
			if len(b.Listings) != 1 {
				t.Fatalf("%q gave %d listings", claim, len(b.Listings))
			}
			l := b.Listings[0]
			if got := (listing{l.Kind, l.Items, l.Incomplete, l.RunningOnly}); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCrictlInspect(t *testing.T) {
	const text = `time="2026-11-30T08:20:10Z" level=warning msg="runtime connect using default endpoints"
{
  "info": {
    "pid": 9893,
    "runtimeSpec": {"annotations": {"io.kubernetes.cri-o.SandboxID": "c36855b8e743187a494685501d904c565bcc25142e088816459f723208f2fd55"}}
  },
  "status": {
    "createdAt": "2026-11-30T08:50:01.501313002Z", "startedAt": "2026-11-30T08:50:02Z", "finishedAt": "2026-11-30T08:55:02.5Z",
    "exitCode": 137, "reason": "Error",
    "id": "aec32527fe1e85f13606abc999af2117e0e4536a59bcf2117dc05ff424908dd3",
    "labels": {"io.kubernetes.pod.uid": "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203"},
    "metadata": {"name": "feature"},
    "state": "CONTAINER_EXITED"
  }
}
{
  "info": {
    "pid": 9861, "runtimeHandler": "kata",
    "runtimeSpec": {"linux": {"namespaces": [{"type": "pid"}, {"path": "/var/run/netns/cni-2c44a2d6", "type": "network"}]}}
  },
  "status": {
    "annotations": {"kubernetes.io/config.hash": "8f2b", "kubernetes.io/config.source": "file"},
    "createdAt": "2026-11-30T08:50:01.501313002Z",
    "id": "c36855b8e743187a494685501d904c565bcc25142e088816459f723208f2fd55",
    "metadata": {"name": "feature-store-0", "namespace": "ml-features", "uid": "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203"},
    "network": {"ip": "10.244.1.17"},
    "state": "SANDBOX_NOTREADY"
  }
}
`
	b := readNode(t, crictlJSONParser, "", text)
	created := time.Date(2026, 11, 30, 8, 50, 1, 501313002, time.UTC)
	diffFacts(t, "containers", b.Containers, []timeline.Container{{
		ID: "aec32527fe1e85f13606abc999af2117e0e4536a59bcf2117dc05ff424908dd3", Name: "feature", PodUID: "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203",
		SandboxID: "c36855b8e743187a494685501d904c565bcc25142e088816459f723208f2fd55", State: "exited", PID: 9893, ExitCode: 137, Reason: "Error",
		CreatedAt: created, StartedAt: time.Date(2026, 11, 30, 8, 50, 2, 0, time.UTC), FinishedAt: time.Date(2026, 11, 30, 8, 55, 2, 500e6, time.UTC),
		Runtime: "cri-o", Tool: "crictl inspect",
	}})
	diffFacts(t, "sandboxes", b.Sandboxes, []timeline.Sandbox{{
		ID: "c36855b8e743187a494685501d904c565bcc25142e088816459f723208f2fd55", PodUID: "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203",
		PodNamespace: "ml-features", Pod: "feature-store-0", State: "notready", PID: 9861, NetNS: "/var/run/netns/cni-2c44a2d6", IP: "10.244.1.17",
		Handler: "kata", CreatedAt: created, Tool: "crictl inspectp", ConfigHash: "8f2b", ConfigSource: "file",
	}})
}

func TestCrictlInspectOfLab(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(nodeEvidence(t, "lab"), "*", "input", "node", "crictl-inspect", "*.json"))
	for _, p := range files {
		raw, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		b := readNode(t, crictlJSONParser, "", string(raw))
		id := strings.TrimSuffix(filepath.Base(p), ".json")
		if len(b.Containers) != 1 || b.Containers[0].ID != id || b.Containers[0].Runtime != "containerd" || b.Containers[0].SandboxID == "" {
			t.Errorf("%s: %+v", p, b.Containers)
		}
		if b.Containers[0].State == "running" && len(b.Mounts) == 0 {
			t.Errorf("%s: a running container without mounts", p)
		}
	}
}

func TestCrictlInfo(t *testing.T) {
	const text = `{
  "cniconfig": {"Networks": []},
  "lastCNILoadStatus": "cni config load failed: no network config found in /etc/cni/net.d",
  "status": {
    "conditions": [
      {"message": "", "reason": "", "status": true, "type": "RuntimeReady"},
      {
        "message": "Network plugin returns error: cni plugin not initialized",
        "reason": "NetworkPluginNotReady",
        "status": false,
        "type": "NetworkReady"
      }
    ]
  }
}`
	b := readNode(t, crictlJSONParser, "crictl info -o json", text)
	want := []string{
		"crictl info: NetworkReady=false reason=NetworkPluginNotReady message=Network plugin returns error: cni plugin not initialized",
		"crictl info: lastCNILoadStatus=cni config load failed: no network config found in /etc/cni/net.d",
	}
	checkMessages(t, b, want...)
	if n := b.Events[0].Source.Line; n != 11 {
		t.Errorf("the condition stands at line %d, want 11", n)
	}
}

func checkMessages(t *testing.T, b *timeline.Builder, want ...string) {
	t.Helper()
	var got []string
	for _, e := range b.Events {
		if e.Component != timeline.Command {
			t.Errorf("an event of %q", e.Component)
		}
		got = append(got, e.Message)
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("messages differ (-want +got):\n%s", d)
	}
}

func TestCrictlTables(t *testing.T) {
	b := readNode(t, crictlTableParser, "", `WARN[0000] runtime connect using default endpoints: [unix:///run/containerd/containerd.sock]
CONTAINER ID        IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD                 NAMESPACE
165ccb274e6af       7c99011ea2a61       14 seconds ago      Running             stream              0                   a056a764b4053       stream-packager-0   media-live
265ccb274e6af                           2 days ago          Exited              init                1                   a056a764b4053       unknown

POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT             RUNTIME
11814f6f32103       43 seconds ago      NotReady            probe               default             0                   gvisor
`)
	diffFacts(t, "containers", b.Containers, []timeline.Container{
		{ID: "165ccb274e6af", Name: "stream", PodName: "stream-packager-0", PodNamespace: "media-live", SandboxID: "a056a764b4053", State: "running", Tool: "crictl ps"},
		{ID: "265ccb274e6af", Name: "init", PodName: "unknown", SandboxID: "a056a764b4053", State: "exited", Tool: "crictl ps"},
	})
	diffFacts(t, "sandboxes", b.Sandboxes, []timeline.Sandbox{
		{ID: "11814f6f32103", Pod: "probe", PodNamespace: "default", State: "notready", Handler: "gvisor", Tool: "crictl pods"},
	})
	b = readNode(t, crictlTableParser, "sudo ctr -n k8s.io tasks ls | grep df99c966dee4", "df99c966dee4ae48e45058c3ddc7ed49d96cf411573b3915210673d826c71472    14260    STOPPED\n")
	diffFacts(t, "tasks", b.Containers, []timeline.Container{
		{ID: "df99c966dee4ae48e45058c3ddc7ed49d96cf411573b3915210673d826c71472", PID: 14260, State: "exited", Runtime: "containerd", Tool: "ctr tasks"},
	})
}

func TestDockerPS(t *testing.T) {
	b := readNode(t, dockerTableParser, "docker ps -a", `CONTAINER ID   IMAGE          COMMAND                  CREATED       STATUS                     PORTS     NAMES
39db37cd1784   logstash       "/usr/local/bin/dock…"   3 days ago    Up 3 days                            k8s_logstash_cp-xlq2v_cloud_4977dd63-7de6-440c-9cb2-946d6ae7abed_0
e378e27d0306   pause:3.1      "/pause"                 3 days ago    Exited (137) 4 hours ago             k8s_POD_cp-xlq2v_cloud_4977dd63-7de6-440c-9cb2-946d6ae7abed_2
aaaabbbbcccc   busybox        "sh"                     3 days ago    Up 3 days (Paused)         80/tcp    jolly_curie
`)
	const uid = "4977dd63-7de6-440c-9cb2-946d6ae7abed"
	diffFacts(t, "containers", b.Containers, []timeline.Container{
		{ID: "39db37cd1784", Name: "logstash", PodUID: uid, PodNamespace: "cloud", PodName: "cp-xlq2v", State: "running", Runtime: "docker", Tool: "docker ps"},
		{ID: "aaaabbbbcccc", Name: "jolly_curie", State: "paused", Runtime: "docker", Tool: "docker ps"},
	})
	diffFacts(t, "sandboxes", b.Sandboxes, []timeline.Sandbox{
		{ID: "e378e27d0306", PodUID: uid, PodNamespace: "cloud", Pod: "cp-xlq2v", State: "notready", Tool: "docker ps"},
	})
}

func TestDockerInspect(t *testing.T) {
	b := readNode(t, dockerJSONParser, "", `[
    {
        "Id": "c196b758322166828d00fd2378db9e0b09d04a0b9e3b7c62703c5124f263b031",
        "Created": "2020-01-02T03:04:05.6Z",
        "Path": "java",
        "State": {"Status": "exited", "Running": false, "OOMKilled": true, "Pid": 0, "ExitCode": 137, "StartedAt": "2020-01-02T03:04:06Z", "FinishedAt": "2020-01-03T00:00:00Z"},
        "Name": "/k8s_app_web-0_shop_4977dd63-7de6-440c-9cb2-946d6ae7abed_1",
        "Config": {"Labels": {"io.kubernetes.sandbox.id": "e378e27d0306"}}
    }
]
`)
	diffFacts(t, "containers", b.Containers, []timeline.Container{{
		ID: "c196b758322166828d00fd2378db9e0b09d04a0b9e3b7c62703c5124f263b031", Name: "app", PodUID: "4977dd63-7de6-440c-9cb2-946d6ae7abed",
		PodNamespace: "shop", PodName: "web-0", SandboxID: "e378e27d0306", State: "exited", ExitCode: 137, Reason: "OOMKilled",
		CreatedAt: time.Date(2020, 1, 2, 3, 4, 5, 600e6, time.UTC), StartedAt: time.Date(2020, 1, 2, 3, 4, 6, 0, time.UTC),
		FinishedAt: time.Date(2020, 1, 3, 0, 0, 0, 0, time.UTC), Runtime: "docker", Tool: "docker inspect",
	}})
}
