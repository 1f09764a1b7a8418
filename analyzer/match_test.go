package analyzer

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const (
	uidA = "8a1b2c3d-0000-4000-8000-1234567890ab"
	idA  = "256a184124d5b4715ef4caf2deab0b6a25ba338aa78805b6aa2b0a055eeb159c"
)

func TestMatchKeys(t *testing.T) {
	for name, tt := range map[string]struct {
		component, message, signature string
		want                          map[string]string
	}{
		"klog fields": {
			timeline.Kubelet, `I0102 03:04:05.000001    1234 kuberuntime_container.go:864] "Killing container with a grace period" pod="shop/web-0" podUID="` + uidA + `" containerName="app" containerID="containerd://` + idA + `" gracePeriod=30`,
			"kubelet-killing-container",
			map[string]string{"ns": "shop", "pod": "web-0", "uid": uidA, "name": "app", "container": idA, "grace": "30"},
		},
		"an error before the pod": {
			timeline.Kubelet, `E0102 03:04:05.000001    1234 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \"KillContainer\" for \"app\" with KillContainerError: \"rpc error: code = DeadlineExceeded desc = context deadline exceeded\"" pod="shop/web-0" podUID="` + uidA + `"`,
			"kubelet-error-syncing-pod",
			map[string]string{"ns": "shop", "pod": "web-0", "uid": uidA, "err": `failed to "KillContainer" for "app" with KillContainerError: "rpc error: code = DeadlineExceeded desc = context deadline exceeded"`},
		},
		"an error of several lines": {
			timeline.Kubelet, "E0102 03:04:05.000001    1234 pod_workers.go:1324] \"Error syncing pod, skipping\" err=<\n\tfailed to x\n\tOutput: y\n > pod=\"shop/web-0\" podUID=" + uidA,
			"kubelet-error-syncing-pod",
			map[string]string{"ns": "shop", "pod": "web-0", "uid": uidA, "err": "failed to x\n\tOutput: y"},
		},
		"an id as a struct": {
			timeline.Kubelet, `E0102 03:04:05.000001    1234 kuberuntime_manager.go:1600] "Failed to stop sandbox" podSandboxID={"Type":"containerd","ID":"` + idA + `"}`,
			"kubelet-failed-stop-sandbox",
			map[string]string{"sandbox": idA},
		},
		"a pod and its namespace in one field": {
			"calico-kube-controllers", `2026-11-30 08:00:00.000 [WARNING][1] kube-controllers/ipam_allocation.go 205: Confirmed IP leak after 15m0s handle="k8s-pod-network.abc" ip="10.1.1.1" node="n1" pod="shop/web-0"`,
			"ipam-calico-leak",
			map[string]string{"what": "Confirmed IP leak", "ip": "10.1.1.1", "node": "n1", "ns": "shop", "pod": "web-0"},
		},
		"several pods": {
			timeline.Kubelet, `I0102 03:04:05.000001    1234 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/web-0" "shop/web-1"]`,
			"kubelet-syncloop-delete",
			map[string]string{"pods": "shop/web-0 shop/web-1"},
		},
		"an escaped unmount": {
			timeline.Kubelet, `I0102 03:04:05.000001    1234 reconciler_common.go:163] "operationExecutor.UnmountVolume started for volume \"data\" (UniqueName: \"kubernetes.io/csi/d^1\") pod \"` + uidA + `\" (UID: \"` + uidA + `\") "`,
			"kubelet-unmount-started",
			map[string]string{"volume": "data", "unique": "kubernetes.io/csi/d^1", "uid": uidA},
		},
		"the old grammar of an unmount": {
			"origin-node", `E0614 09:49:24.548337    4046 nestedpendingoperations.go:263] Operation for "\"kubernetes.io/secret/` + uidA + `-tok\" (\"` + uidA + `\")" failed. No retries permitted until 2025-06-14 09:49:25.048337782 +0000 UTC (durationBeforeRetry 500ms). Error: UnmountVolume.TearDown failed for volume "kubernetes.io/secret/` + uidA + `-tok" (volume.spec.Name: "tok") pod "` + uidA + `" (UID: "` + uidA + `") with: remove /var/lib/origin/openshift.local.volumes/pods/` + uidA + `/volumes/kubernetes.io~secret/tok: device or resource busy`,
			"kubelet-teardown-failed",
			map[string]string{"volume": "tok", "unique": "kubernetes.io/secret/" + uidA + "-tok", "uid": uidA, "err": "remove /var/lib/origin/openshift.local.volumes/pods/" + uidA + "/volumes/kubernetes.io~secret/tok: device or resource busy"},
		},
		"the uid of a path": {
			"any-csi-driver", "Output: umount: /var/lib/kubelet/pods/" + uidA + "/volumes/kubernetes.io~csi/v/mount: target is busy.",
			"kubelet-umount-target-busy",
			map[string]string{"uid": uidA, "path": "/var/lib/kubelet/pods/" + uidA + "/volumes/kubernetes.io~csi/v/mount"},
		},
		"a slice": {
			timeline.Systemd, "Removed slice kubepods-burstable-pod8a1b2c3d_0000_4000_8000_1234567890ab.slice - libcontainer container.",
			"systemd-podslice-removed",
			map[string]string{"uid": uidA},
		},
		"a mount unit": {
			timeline.Systemd, `var-lib-kubelet-pods-8a1b2c3d\x2d0000\x2d4000\x2d8000\x2d1234567890ab-volumes-kubernetes.io\x7eprojected-tok.mount: Deactivated successfully.`,
			"systemd-kubelet-mount-unit",
			map[string]string{"uid": uidA, "unit": `var-lib-kubelet-pods-8a1b2c3d\x2d0000\x2d4000\x2d8000\x2d1234567890ab-volumes-kubernetes.io\x7eprojected-tok.mount`},
		},
		"logfmt": {
			timeline.Containerd, `time="2024-06-26T07:44:44Z" level=error msg="StopContainer for \"` + idA + `\" failed" error="rpc error: code = Unknown desc = x \"y\""`,
			"containerd-stopcontainer-failed",
			map[string]string{"container": idA, "err": `rpc error: code = Unknown desc = x "y"`},
		},
		"an exit event of the older form": {
			timeline.Containerd, `time="2024-06-26T07:42:44Z" level=info msg="received exit event &TaskExit{ContainerID:` + idA + `,ID:` + idA + `,Pid:4242,ExitStatus:137,ExitedAt:x,}"`,
			"containerd-exit-event",
			map[string]string{"container": idA, "exit": "137"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got map[string]string
			for _, m := range builtin(t).Match([]timeline.Event{{Component: tt.component, Message: tt.message}}) {
				if m.Signature.ID == tt.signature {
					got = m.Keys
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMatchHeedsTheComponent(t *testing.T) {
	const line = `I0102 03:04:05.000001    1234 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/web-0"]`
	c := builtin(t)
	for component, want := range map[string]bool{
		"kubelet": true, "k3s": true, "k3s-agent": true, "snap.microk8s.daemon-kubelite": true,
		"origin-node": true, "": true, "postgres": false, "kernel": false,
	} {
		if got := len(c.Match([]timeline.Event{{Component: component, Message: line}})) > 0; got != want {
			t.Errorf("%q: %v", component, got)
		}
	}
}

// evidence reads the text logs of the captures and cases in a crude way: no
// parser's work is needed to see which signatures fire at all.
func evidence(tb testing.TB) []timeline.Event {
	tb.Helper()
	var events []timeline.Event
	for _, dir := range []string{"../../shared/lab", "../../shared/cases"} {
		if _, err := os.Stat(dir); err != nil {
			tb.Skip("no captures here:", err)
		}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			base := filepath.Base(path)
			if base == "truth.json" || base == "case.json" || base == "expect.json" || strings.HasSuffix(path, ".xz") {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, "gz") {
				if data, err = gunzip(data); err != nil {
					return err
				}
			}
			if strings.HasSuffix(path, ".tgz") {
				for r := tar.NewReader(bytes.NewReader(data)); ; {
					h, err := r.Next()
					if errors.Is(err, io.EOF) {
						return nil
					} else if err != nil {
						return err
					}
					member, err := io.ReadAll(io.LimitReader(r, 64<<20))
					if err != nil {
						return err
					}
					events = append(events, messages(path+"!"+h.Name, member)...)
				}
			}
			events = append(events, messages(path, data)...)
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return events
}

func gunzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, 64<<20))
}

var syslogPrefix = regexp.MustCompile(`^(?:[A-Z][a-z]{2} +\d+ [\d:.]+|\d{4}-\d\d-\d\dT[\d:.,]+(?:Z|[+-]\d\d:?\d\d)?) \S+ ([\w./@-]+?)(?:\[\d+\])?: `)

func messages(path string, data []byte) []timeline.Event {
	var events []timeline.Event
	who := ""
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		line := lines.Text()
		e := timeline.Event{Message: line, Source: timeline.Source{File: path}}
		if id, ok := strings.CutPrefix(line, "SYSLOG_IDENTIFIER="); ok {
			who = id
		}
		if text, ok := strings.CutPrefix(line, "MESSAGE="); ok {
			e.Message, e.Component = text, who
		} else if m := syslogPrefix.FindStringSubmatchIndex(line); m != nil {
			e.Message, e.Component = line[m[1]:], line[m[2]:m[3]]
		} else if strings.HasPrefix(line, "{") {
			var entry struct {
				Message any    `json:"MESSAGE"`
				Who     string `json:"SYSLOG_IDENTIFIER"`
				Log     string `json:"log"`
			}
			if json.Unmarshal([]byte(line), &entry) == nil {
				if text, ok := entry.Message.(string); ok {
					e.Message, e.Component = text, entry.Who
				} else if entry.Log != "" {
					e.Message = entry.Log
				}
			}
		}
		events = append(events, e)
	}
	return events
}

// TestSignaturesThatCapturesProve pins which signatures fire on real captures:
// one that falls silent has been broken, and one that is new deserves a look.
func TestSignaturesThatCapturesProve(t *testing.T) {
	events := evidence(t)
	c := builtin(t)
	fired := map[string]bool{}
	for _, m := range c.Match(events) {
		fired[m.Signature.ID] = true
	}
	for _, s := range c.Signatures {
		if s.Proven && !fired[s.ID] {
			t.Errorf("%s says that it is proven, but fires nowhere", s.ID)
		}
	}
	const pinned = "testdata/proven-signatures.txt"
	got := strings.Join(slices.Sorted(maps.Keys(fired)), "\n") + "\n"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(pinned, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(pinned)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("UPDATE=1 writes the list anew\n%s", diff)
	}
}

func TestMatchIsDeterministic(t *testing.T) {
	events := examples(t, 5000)
	c := builtin(t)
	first := c.Match(events)
	if !slices.IsSortedFunc(first, func(a, b Match) int { return a.Event - b.Event }) {
		t.Error("not in the order of events")
	}
	second := c.matchRange(events, 0, len(events))
	if len(first) != len(second) {
		t.Fatalf("%d and %d matches", len(first), len(second))
	}
	for i := range first {
		if first[i].Signature != second[i].Signature || first[i].Event != second[i].Event {
			t.Fatalf("match %d differs", i)
		}
	}
}

// examples repeats the catalogue's own lines until there are n events.
func examples(tb testing.TB, n int) []timeline.Event {
	var lines []timeline.Event
	for _, s := range builtin(tb).Signatures {
		component := ""
		if len(s.Component) > 0 {
			component = s.Component[0]
		}
		for _, l := range append(s.Yes, s.No...) {
			lines = append(lines, timeline.Event{Component: component, Message: l})
		}
	}
	events := make([]timeline.Event, n)
	for i := range events {
		events[i] = lines[i%len(lines)]
	}
	return events
}

func FuzzMatch(f *testing.F) {
	c := builtin(f)
	for _, s := range c.Signatures {
		for _, l := range s.Yes {
			f.Add(l)
		}
	}
	f.Fuzz(func(t *testing.T, message string) {
		for _, m := range c.Match([]timeline.Event{{Message: message}}) {
			for k, v := range m.Keys {
				if k == "" || v == "" {
					t.Errorf("%s: key %q is %q", m.Signature.ID, k, v)
				}
			}
		}
	})
}

// BenchmarkMatch is worse than life: every line fits one signature or nearly.
func BenchmarkMatch(b *testing.B) {
	c := builtin(b)
	events := examples(b, 100_000)
	b.ReportAllocs()
	for b.Loop() {
		c.Match(events)
	}
}

func BenchmarkMatchCaptures(b *testing.B) {
	c := builtin(b)
	events := evidence(b)
	size := 0
	for _, e := range events {
		size += len(e.Message)
	}
	b.SetBytes(int64(size))
	for b.Loop() {
		c.Match(events)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(events)), "ns/event")
}

func BenchmarkBuiltinSignatures(b *testing.B) {
	for b.Loop() {
		if _, err := BuiltinSignatures(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTally(b *testing.B) {
	c, err := BuiltinSignatures()
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for text.Len() < 1<<20 {
		for _, s := range c.Signatures {
			for _, line := range s.Yes {
				text.WriteString(line + "\n" + strings.Repeat("I1128 03:00:00.000000    1893 server.go:1] nothing of note is said here\n", 20))
			}
		}
	}
	lines := []byte(text.String())
	t := c.NewTally(c.Signatures)
	b.SetBytes(int64(len(lines)))
	b.ReportAllocs()
	for b.Loop() {
		t.Lines(lines)
	}
}
