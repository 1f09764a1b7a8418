package parsers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

// claimOf is the format that a file is taken for among all.
func claimOf(f *File) string {
	for _, p := range All() {
		if p.Sniff(f) {
			return p.Name
		}
	}
	return ""
}

// readCollected reads what a collector wrote about its work.
func readCollected(t *testing.T, p Parser, f *File) *timeline.Builder {
	t.Helper()
	if claim := claimOf(f); claim != p.Name {
		t.Errorf("%q is taken for %q, want %q", prefix(f.Text, 60), claim, p.Name)
	}
	b := timeline.NewBuilder(f.Path)
	if err := p.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	checkPlaces(t, f, b)
	return b
}

func TestTroubleshootRun(t *testing.T) {
	const folder = "b.tar.gz!b/host-collectors/run-host/"
	for _, c := range []struct {
		name, text string
		want       timeline.Collected
		events     []string
	}{
		{
			name: "went well",
			text: `{"command":"/usr/bin/journalctl -u kubelet --since -1h --utc --no-pager","exitCode":"0","error":"","outputDir":"","input":"","env":["PATH=/bin"]}`,
			want: timeline.Collected{Command: "/usr/bin/journalctl -u kubelet --since -1h --utc --no-pager"},
		},
		{
			name:   "failed",
			text:   `{"command":"/usr/bin/crictl ps -a","exitCode":"1","error":"time=\"2026-11-30T09:16:22Z\" level=fatal msg=\"validate service connection: connection refused\"\n","outputDir":""}`,
			want:   timeline.Collected{Command: "/usr/bin/crictl ps -a", ExitStatus: 1, Failed: true},
			events: []string{`time="2026-11-30T09:16:22Z" level=fatal msg="validate service connection: connection refused"`},
		},
		{
			name:   "took too long",
			text:   `{"command":"sh -c df -h | sort","exitCode":"-1","error":"command timed out after 10s"}`,
			want:   timeline.Collected{Command: "df -h | sort", Failed: true, TimedOut: true},
			events: []string{"command timed out after 10s"},
		},
		{
			name: "was killed when it took too long",
			text: `{"command":"/bin/bash -c ls -R /var/lib/kubelet/pods","exitCode":"signal: killed","error":""}`,
			want: timeline.Collected{Command: "ls -R /var/lib/kubelet/pods", Failed: true, TimedOut: true},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &File{Path: folder + "x-info.json", Text: c.text, FirstLine: 1}
			b := readCollected(t, troubleshootRunParser, f)
			c.want.Path, c.want.Source = folder+"x.txt", b.Src(1, 0)
			if d := cmp.Diff([]timeline.Collected{c.want}, b.Collected); d != "" {
				t.Errorf("noted (-want +got):\n%s", d)
			}
			checkMessages(t, b, c.events...)
		})
	}
}

func TestTroubleshootErrors(t *testing.T) {
	const refused = `failed to get log stream: Get "https://10.20.0.13:10250/containerLogs/shop/web-0/web?limitBytes=5000000&tailLines=500": dial tcp 10.20.0.13:10250: connect: connection refused`
	for _, c := range []struct {
		name, path, text string
		gaps             []string
		lines            []int
		events           []string
	}{
		{
			name: "by namespace", path: "cluster-resources/pods-errors.json",
			text:   "{\n  \"shop\": \"pods is forbidden: User \\\"x\\\" cannot list resource\",\n  \"web\": \"context deadline exceeded\"\n}",
			gaps:   []string{`listing pods in shop: pods is forbidden: User "x" cannot list resource`, "listing pods in web: context deadline exceeded"},
			lines:  []int{2, 3},
			events: []string{`pods is forbidden: User "x" cannot list resource`, "context deadline exceeded"},
		},
		{
			name: "of the cluster", path: "cluster-resources/auth-cani-list-errors.json", text: "[\n  \"one\",\n  \"two\"\n]",
			gaps: []string{"getting auth-cani-list: one", "getting auth-cani-list: two"}, lines: []int{2, 3}, events: []string{"one", "two"},
		},
		{
			name: "of a log", path: "cluster-resources/pods/logs/shop/web-0/web-logs-errors.log", text: refused,
			gaps: []string{refused}, lines: []int{1}, events: []string{refused},
		},
		{
			name: "of a collector", path: "collector-errors/etcd-error.json",
			text: `{"collector":"etcd","error":"current k8s distribution does not support etcd collector","timestamp":"2025-12-10T17:27:09Z"}`,
			gaps: []string{"the collector etcd: current k8s distribution does not support etcd collector"}, lines: []int{1},
			events: []string{"current k8s distribution does not support etcd collector"},
		},
		{
			name: "of one object", path: "secrets-errors/default/db.json", text: "[\n  \"secrets \\\"db\\\" not found\"\n]",
			gaps: []string{`getting default/db: secrets "db" not found`}, lines: []int{2}, events: []string{`secrets "db" not found`},
		},
		{
			name: "of copied files", path: "copy-from-host-logs/w1/error.txt", text: "failed to stream command output: command terminated with exit code 1",
			gaps: []string{"failed to stream command output: command terminated with exit code 1"}, lines: []int{1},
			events: []string{"failed to stream command output: command terminated with exit code 1"},
		},
		{
			name: "cut off", path: "pods-errors.json", text: `["one", "tw`,
			gaps: []string{"listing pods: one", "listing pods: t"}, lines: []int{1, 1}, events: []string{"one", "t"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &File{Path: "b.tar.gz!b/" + c.path, Text: c.text, FirstLine: 1}
			b := readCollected(t, troubleshootErrorsParser, f)
			checkMessages(t, b, c.events...)
			var gaps []string
			var lines []int
			for _, g := range b.Input.Gaps {
				gaps, lines = append(gaps, g.Detail), append(lines, g.Source.Line)
			}
			if d := cmp.Diff(c.gaps, gaps) + cmp.Diff(c.lines, lines); d != "" {
				t.Errorf("gaps (-want +got):\n%s", d)
			}
		})
	}
	for name, text := range map[string]string{"two.json": `["one"]`, "pods-errors.json": `[{"kind":"Pod"}]`, "x-errors.json": "", "y-errors.json": "null"} {
		if claim := claimOf(&File{Path: name, Text: text}); claim == troubleshootErrorsParser.Name {
			t.Errorf("%s %q is taken", name, text)
		}
	}
}

func TestTroubleshootSummary(t *testing.T) {
	const text = `
============ Collectors summary =============
Succeeded (S), eXcluded (X), Failed (F)
=============================================
cluster-resources (S)     : 1,643ms
logs/app=checkout-api (F) : 60,000ms
run-host/crictl-ps (X)    : 1ms

============ Redactors summary =============
In-cluster collectors (F) : 3,636ms

Duration: 5,368ms
`
	f := &File{Path: "execution-data/summary.txt", Text: text, FirstLine: 1}
	b := readCollected(t, troubleshootSummaryParser, f)
	var got []string
	for _, g := range b.Input.Gaps {
		got = append(got, g.Detail)
	}
	if d := cmp.Diff([]string{"the collector logs/app=checkout-api failed", "the collector run-host/crictl-ps was excluded"}, got); d != "" || b.Input.Records != 3 {
		t.Errorf("%d records, gaps (-want +got):\n%s", b.Input.Records, d)
	}
}

func TestTroubleshootSystem(t *testing.T) {
	b := readCollected(t, troubleshootSystemParser, &File{Path: "b/host-collectors/system/file.json", FirstLine: 1, Text: "{\n \"name\": \"worker-3\",\n \"kernelVersion\": \"6.1.0-25-amd64\",\n \"platformVersion\": \"12.15\",\n \"platform\": \"debian\"\n}"})
	if len(b.Input.Hosts) != 1 || b.Input.Hosts[0] != "worker-3" || len(b.Versions) != 1 || b.Versions[0].Version != "6.1.0-25-amd64" || b.Versions[0].Source.Line != 3 {
		t.Errorf("hosts %v, versions %+v", b.Input.Hosts, b.Versions)
	}
	b = readCollected(t, troubleshootSystemParser, &File{Path: "b/host-collectors/system/file.json", FirstLine: 1, Text: `{"info": {"major": "1", "gitVersion": "v1.35.4"}, "string": "v1.35.4"}`})
	if len(b.Versions) != 1 || b.Versions[0].What != timeline.APIServer || b.Versions[0].Version != "v1.35.4" {
		t.Errorf("versions %+v", b.Versions)
	}
	b = readCollected(t, troubleshootSystemParser, &File{Path: "b/host-collectors/system/file.json", FirstLine: 1, Text: `[{"Unit":"●","Load":"getty@tty1.service","Active":"masked","Sub":"inactive"},{"Unit":"kubelet.service","Load":"loaded","Active":"inactive","Sub":"dead"}]`})
	var units []string
	for _, u := range b.Units {
		units = append(units, u.Name+" "+u.Load+" "+u.Active+" "+u.Sub)
	}
	if d := cmp.Diff([]string{"getty@tty1.service masked inactive ", "kubelet.service loaded inactive dead"}, units); d != "" {
		t.Errorf("units (-want +got):\n%s", d)
	}
}

// What an index tells decides how its neighbours are read.
func TestTroubleshootIndex(t *testing.T) {
	files := map[string]string{
		"b/host-collectors/journald/kubelet-info.json":    `{"command":"/usr/bin/journalctl -u kubelet --utc --no-pager","exitCode":"0","error":""}`,
		"b/host-collectors/journald/kubelet.txt":          "",
		"b/host-collectors/run-host/pods-info.json":       `{"command":"/bin/sh -c crictl pods -o json","exitCode":"0","error":""}`,
		"b/host-collectors/run-host/pods.txt":             "",
		"b/host-collectors/run-host/w1/mounts-info.json":  `{"command":"mount","exitCode":"0","error":""}`,
		"b/host-collectors/run-host/w1/mounts.txt":        "",
		"b/host-collectors/system/time.json":              `{"timezone":"Europe/Berlin","ntp_synchronized":true,"ntp_active":true}`,
		"b/host-collectors/system/w1/time.json":           `{"timezone":"Asia/Tokyo","ntp_synchronized":true,"ntp_active":true}`,
		"b/host-collectors/run-host/broken-info.json":     `{"command":`,
		"b/host-collectors/run-host/broken.txt":           "",
		"other/host-collectors/run-host/plain.txt":        "",
		"other/host-collectors/run-host/nobody-info.json": `{"command":"ps","exitCode":"0","error":""}`,
	}
	var paths []string
	for path := range files {
		paths = append(paths, path)
	}
	bundles := recognise(paths)
	for path, text := range files {
		bundles.ReadIndex(path, []byte(text))
	}
	for path, want := range map[string]Place{
		"b/host-collectors/journald/kubelet.txt":   {Folder: "b/host-collectors/", Command: "/usr/bin/journalctl -u kubelet --utc --no-pager", Zone: "UTC"},
		"b/host-collectors/run-host/pods.txt":      {Folder: "b/host-collectors/", Command: "crictl pods -o json", Zone: "Europe/Berlin"},
		"b/host-collectors/run-host/broken.txt":    {Folder: "b/host-collectors/", Zone: "Europe/Berlin"},
		"b/host-collectors/run-host/w1/mounts.txt": {Node: "w1", Command: "mount", Zone: "Asia/Tokyo"},
		"other/host-collectors/run-host/plain.txt": {Folder: "other/host-collectors/"},
	} {
		if d := cmp.Diff(want, bundles.Place(path)); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

func FuzzTroubleshootRun(f *testing.F) {
	fuzzNodeTool(f, troubleshootRunParser, "", `{"command":"/usr/bin/crictl ps -a","exitCode":"1","error":"FATA[0005] a\nb\n","outputDir":"","env":null}`)
}

func FuzzTroubleshootErrors(f *testing.F) {
	fuzzNodeTool(f, troubleshootErrorsParser, "", "{\n  \"shop\": \"pods is forbidden\"\n}", "[\"one\",\n\"two\"]")
}

func FuzzTroubleshootSummary(f *testing.F) {
	fuzzNodeTool(f, troubleshootSummaryParser, "", "===== Collectors summary ====\na (F) : 1ms\n==== Redactors summary ===\n")
}

func FuzzTroubleshootSystem(f *testing.F) {
	fuzzNodeTool(f, troubleshootSystemParser, "", `[{"Unit":"●","Load":"a.service","Active":"masked","Sub":"inactive"}]`, `{"name":"w1","kernelVersion":"6.1","platformVersion":"1"}`, `{"timezone":"UTC","ntp_synchronized":false}`)
}

// Before 2022 Troubleshoot wrote the items of a list alone.
func TestTroubleshootBareLists(t *testing.T) {
	const pod = "[\n  {\n    \"metadata\": {\"name\": \"web-0\", \"namespace\": \"shop\", \"creationTimestamp\": \"2026-11-30T09:57:32Z\"}\n  }\n]"
	for text, want := range map[string]int{"[]": 0, pod: 1} {
		f := &File{Path: "b/cluster-resources/pods/shop.json", Text: text, FirstLine: 1, Command: "kubectl get pods --namespace shop -o json"}
		b := readCollected(t, kubernetesJSONParser, f)
		if len(b.Objects) != want || len(b.Listings) != 1 || b.Listings[0].Kind != "Pod" || b.Listings[0].Namespace != "shop" || b.Listings[0].Items != want {
			t.Errorf("%q: %d objects, listings %+v", text, len(b.Objects), b.Listings)
		}
	}
	if claim := claimOf(&File{Path: "analysis.json", Text: "[]"}); claim != "" {
		t.Errorf("an empty list of anything is taken for %s", claim)
	}
}
