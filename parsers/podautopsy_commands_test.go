package parsers

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const someCommands = commandsHeading + `
2026-11-30T16:53:27.772940894Z	2026-11-30T16:53:27.902210848Z	0	nodes/worker-1/proc/1/mountinfo	427f93	cat /proc/1/mountinfo
2026-11-30T16:53:31.043431757Z	2026-11-30T16:53:31.051277344Z	127	-	-	crictl --timeout 20s pods -o json
2026-11-30T16:53:32Z	2026-11-30T16:54:32Z	124	nodes/worker-1/crictl/ps.json	e3b0c4	crictl --timeout 20s ps -a -o json
2026-11-30T16:54:33Z	2026-11-30T16:54:34Z	1	nodes/worker-1/net/cni-networks.txt	e3b0c4	grep -rs . /var/lib/cni/networks
2026-11-30T16:54:35Z	2026-11-30T16:54:36Z	1	cluster/pods.json	e3b0c4	kubectl get pods --all-namespaces -o json
interrupted
`

func TestPodautopsyCommands(t *testing.T) {
	f := &File{Path: "x/commands.tsv", Text: someCommands, FirstLine: 1}
	if !podautopsyCommandsParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	b := timeline.NewBuilder(f.Path)
	if err := podautopsyCommandsParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	second := func(s int) time.Time { return time.Date(2026, 11, 30, 16, 53, s, 0, time.UTC) }
	want := []timeline.Collected{
		{Path: "x/nodes/worker-1/proc/1/mountinfo", Command: "cat /proc/1/mountinfo", At: time.Date(2026, 11, 30, 16, 53, 27, 772940894, time.UTC)},
		{Path: "x/nodes/worker-1/crictl/ps.json", Command: "crictl --timeout 20s ps -a -o json", At: second(32), ExitStatus: 124, TimedOut: true, Failed: true},
		{Path: "x/nodes/worker-1/net/cni-networks.txt", Command: "grep -rs . /var/lib/cni/networks", At: second(93), ExitStatus: 1}, // grep's way to say none
		{Path: "x/cluster/pods.json", Command: "kubectl get pods --all-namespaces -o json", At: second(95), ExitStatus: 1, Failed: true},
	}
	for i, line := range []int{2, 4, 5, 6} {
		want[i].Source = timeline.Source{File: f.Path, Line: line, Offset: int64(len(strings.Join(strings.SplitAfter(someCommands, "\n")[:line-1], "")))}
	}
	if diff := cmp.Diff(want, b.Collected); diff != "" {
		t.Error(diff)
	}
	var gaps []string
	for _, g := range b.Input.Gaps {
		gaps = append(gaps, g.Detail)
	}
	if diff := cmp.Diff([]string{"crictl --timeout 20s pods -o json: there is no such program, nothing was kept", "interrupted"}, gaps); diff != "" {
		t.Error(diff)
	}
	if b.Input.Records != 5 || !b.Input.CapturedAt.Equal(second(96)) {
		t.Errorf("%d records, captured at %s", b.Input.Records, b.Input.CapturedAt)
	}
}

// A list that a failed or given up command printed proves nothing absent.
func TestPodautopsyFailedLists(t *testing.T) {
	const pods = `{"apiVersion":"v1","kind":"List","items":[]}`
	for status, complete := range map[string]bool{"0": true, "1": false, "124": false} {
		tl := readTree(t, map[string]string{
			"c/commands.tsv":      commandsHeading + "\n2026-11-30T16:54:35Z\t2026-11-30T16:54:36Z\t" + status + "\tcluster/pods.json\te3b0c4\tkubectl get pods --all-namespaces -o json\n",
			"c/cluster/pods.json": pods,
		})
		if tl.Layout != "podautopsy" {
			t.Errorf("layout %q", tl.Layout)
		}
		found := false
		for _, l := range tl.Listings {
			if l.Kind == "Pod" {
				found = true
				if l.Incomplete == complete {
					t.Errorf("status %s: incomplete is %v", status, l.Incomplete)
				}
			}
		}
		if !found && complete {
			t.Error("no list of pods")
		}
	}
}

func FuzzPodautopsyCommands(f *testing.F) {
	f.Add(someCommands)
	f.Add(commandsHeading + "\n2026-11-30T16:54:33Z\t2026-11-30T16:54:34Z\t1\t../../../etc/passwd\t-\t\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "d/commands.tsv", Text: text, FirstLine: 1}
		if !podautopsyCommandsParser.Sniff(file) {
			return
		}
		b := timeline.NewBuilder(file.Path)
		_ = podautopsyCommandsParser.Parse(file, b)
		lines := strings.Count(text, "\n") + 1
		for _, c := range b.Collected {
			if c.Source.Line < 2 || c.Source.Line > lines || !strings.HasPrefix(c.Path, "d/") || slices.Contains(strings.Split(c.Path, "/"), "..") {
				t.Errorf("%q at line %d of %d", c.Path, c.Source.Line, lines)
			}
		}
		for _, g := range b.Input.Gaps {
			if g.Source.Line < 2 || g.Source.Line > lines {
				t.Errorf("gap at line %d of %d", g.Source.Line, lines)
			}
		}
	})
}
