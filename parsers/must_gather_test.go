package parsers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

func parsed(t *testing.T, p Parser, path, text string) *timeline.Builder {
	t.Helper()
	f := &File{Path: path, Text: text, FirstLine: 1}
	if !p.Sniff(f) {
		t.Fatalf("%s does not recognise %s", p.Name, path)
	}
	b := timeline.NewBuilder(path)
	if err := p.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	return b
}

// readTree reads files as one bundle.
func readTree(t *testing.T, files map[string]string) *timeline.Timeline {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tl, err := Read(t.Context(), []string{dir}, nil, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestMustGatherTimestamp(t *testing.T) {
	for _, c := range []struct {
		name, text string
		captured   time.Time
		gaps       []string
	}{
		{
			name:     "of oc",
			text:     "2021-09-14 12:14:04.302057327 +0200 CEST m=+2.026710185\n2021-09-14 12:17:49.820517427 +0200 CEST m=+227.545170152\n",
			captured: time.Date(2021, 9, 14, 10, 17, 49, 820517427, time.UTC),
		},
		{
			name:     "of three inspections, the last of which did not end",
			text:     "2021-09-14 10:14:11.219978938 +0000 UTC m=+0.811838002\n2021-09-14 10:14:20.045960034 +0000 UTC m=+9.637819120\n2021-09-14 10:14:21.032761629 +0000 UTC m=+0.950450197\n",
			captured: time.Date(2021, 9, 14, 10, 14, 21, 32761629, time.UTC),
			gaps:     []string{"a collection began and does not tell that it came to its end"},
		},
		{
			name:     "in a zone without a name",
			text:     "2026-11-30 06:57:01.5 -0300 -03 m=+0.1\n2026-11-30 06:58:01 -0300 -03 m=+60.1\n",
			captured: time.Date(2026, 11, 30, 9, 58, 1, 0, time.UTC),
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := parsed(t, mustGatherTimestampParser, "must-gather.local.1/timestamp", c.text)
			if !b.Input.CapturedAt.Equal(c.captured) {
				t.Errorf("captured at %v, want %v", b.Input.CapturedAt, c.captured)
			}
			if diff := cmp.Diff(c.gaps, gapDetails(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, text := range []string{"", "2021-09-14 12:14:04 +0200 CEST\n", "Mon Nov 30 09:57:00 UTC 2026\n", "2021-09-14T12:14:04Z started m=+1\n"} {
		if mustGatherTimestampParser.Sniff(&File{Path: "timestamp", Text: text}) {
			t.Errorf("taken for a timestamp: %q", text)
		}
	}
}

func TestMustGatherSkipped(t *testing.T) {
	b := parsed(t, mustGatherSkippedParser, "nodes/skipped_nodes.txt",
		"Failed to collect performance data from node worker-3 due to pod scheduling failure.\n"+
			"Failed to collect performance data from node worker-7.example.com due to pod scheduling failure.\n")
	if diff := cmp.Diff([]string{
		"node worker-3 was skipped (pod scheduling failure): its kubelet log and dmesg are not in the must-gather",
		"node worker-7.example.com was skipped (pod scheduling failure): its kubelet log and dmesg are not in the must-gather",
	}, gapDetails(b)); diff != "" {
		t.Error(diff)
	}
}

func TestMustGatherLog(t *testing.T) {
	text := strings.Join([]string{
		`[must-gather      ] OUT 2026-07-13T17:31:30.1Z Using must-gather plug-in image: quay.io/openshift/must-gather:latest`,
		`[must-gather-cwwln] POD 2026-07-13T17:32:38.024131739Z Gathering data for ns/openshift-apiserver-operator...`,
		`[must-gather-cwwln] POD 2026-07-13T17:32:39.024131739Z         Unable to gather previous container logs: previous terminated container "operator" in pod "web-0" not found`,
		`[must-gather-fmzgt] POD error: [skipping gathering namespaces/openshift-multus due to error: one or more errors occurred while gathering pod-specific data for namespace: openshift-multus, skipping gathering all/openshift-monitoring due to error: the server doesn't have a resource type "all", skipping gathering namespaces/openshift-dns due to error: dial tcp 10.16.39.171:10250: connect: connection refused]`,
		`[must-gather-cwwln] POD 2026-07-13T17:33:00.354493414Z [disk usage checker] Volume usage percentage: current = 80 ; allowed = 70`,
		`[must-gather-cwwln] POD 2026-07-13T17:33:00.404640920Z [disk usage checker] Disk usage exceeds the volume percentage of 70 for mounted directory, terminating...`,
		`[must-gather-cwwln] OUT 2026-07-13T17:33:38.322175Z gather never finished: context deadline exceeded`,
		``,
		`Error running must-gather collection:`,
		`    gather never finished for pod must-gather-cwwln: context deadline exceeded`,
		``,
		"Falling back to `oc adm inspect clusterversion.v1.config.openshift.io,clusteroperators.v1.config.openshift.io` to collect basic cluster types.",
		``,
	}, "\n")
	b := parsed(t, mustGatherLogParser, "must-gather.local.1/must-gather.logs", text)
	type gap struct {
		Kind   timeline.GapKind
		Line   int
		Detail string
	}
	var got []gap
	for _, g := range b.Input.Gaps {
		got = append(got, gap{g.Kind, g.Source.Line, g.Detail})
	}
	if diff := cmp.Diff([]gap{
		{timeline.GapCommandFailed, 4, "namespaces/openshift-multus was skipped, wholly or in part: one or more errors occurred while gathering pod-specific data for namespace: openshift-multus"},
		{timeline.GapCommandFailed, 4, "namespaces/openshift-dns was skipped, wholly or in part: dial tcp 10.16.39.171:10250: connect: connection refused]"},
		{timeline.GapTruncated, 6, "the collection was stopped, as its volume was full (see --volume-percentage)"},
		{timeline.GapTruncated, 7, "the collection was given up before its end: context deadline exceeded"},
		{timeline.GapCommandFailed, 12, "the must-gather failed; instead only: `oc adm inspect clusterversion.v1.config.openshift.io,clusteroperators.v1.config.openshift.io` to collect basic cluster types."},
	}, got); diff != "" {
		t.Error(diff)
	}
	if len(b.Events) != 0 {
		t.Errorf("%d events", len(b.Events))
	}
}

// The journals of all masters stand in one file in the order of their lines'
// bytes, so that October comes before September, and April before March.
func TestMustGatherMergedOverMonths(t *testing.T) {
	const path = "must-gather.local.1/quay-io-x/host_service_logs/masters/kubelet_service.log"
	text := strings.Join([]string{
		"-- Logs begin at Wed 2026-09-30 09:33:00 UTC, end at Thu 2026-10-01 00:17:30 UTC. --",
		"-- Logs begin at Wed 2026-09-30 09:33:01 UTC, end at Thu 2026-10-01 00:17:29 UTC. --",
		`Oct 01 00:00:01.000001 master-0 hyperkube[1734]: I1001 00:00:01.000001    1734 kubelet.go:1] "third"`,
		`Oct 01 00:00:02.000001 master-1 hyperkube[1735]: I1001 00:00:02.000001    1735 kubelet.go:1] "fourth"`,
		`Sep 30 23:59:58.000001 master-0 hyperkube[1734]: I0930 23:59:58.000001    1734 kubelet.go:1] "first"`,
		`Sep 30 23:59:59.000001 master-1 hyperkube[1735]: I0930 23:59:59.000001    1735 kubelet.go:1] "second"`,
		"",
	}, "\n")
	tl := readTree(t, map[string]string{path: text})
	var got []string
	for i := range tl.Events {
		e := &tl.Events[i]
		_, word, _ := strings.Cut(e.Message, "] ")
		got = append(got, e.Time.Format(time.RFC3339)+" "+e.Node+" "+word)
	}
	if diff := cmp.Diff([]string{
		`2026-09-30T23:59:58Z master-0 "first"`,
		`2026-09-30T23:59:59Z master-1 "second"`,
		`2026-10-01T00:00:01Z master-0 "third"`,
		`2026-10-01T00:00:02Z master-1 "fourth"`,
	}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzMustGatherNotes(f *testing.F) {
	f.Add("2021-09-14 12:14:04.302057327 +0200 CEST m=+2.026710185\n")
	f.Add("Failed to collect performance data from node worker-3 due to pod scheduling failure.\n")
	f.Add("[must-gather-cwwln] OUT 2026-07-13T17:33:38.322175Z gather never finished: context deadline exceeded\nskipping gathering a due to error: b, skipping gathering c due to error: d\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "must-gather.logs", Text: text, FirstLine: 1}
		lines := strings.Split(text, "\n")
		for _, p := range []Parser{mustGatherTimestampParser, mustGatherSkippedParser, mustGatherLogParser} {
			if !p.Sniff(file) {
				continue
			}
			b := timeline.NewBuilder(file.Path)
			if err := p.Parse(file, b); err != nil {
				t.Fatal(err)
			}
			for _, g := range b.Input.Gaps {
				if g.Source.Line < 1 || g.Source.Line > len(lines) || strings.TrimSpace(lines[g.Source.Line-1]) == "" {
					t.Errorf("%s: gap at line %d of %d", p.Name, g.Source.Line, len(lines))
				}
			}
		}
	})
}
