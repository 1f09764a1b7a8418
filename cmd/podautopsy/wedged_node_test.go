package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Forty pods on one node that does not answer are one finding, in the summary
// of the report as in the patrol.
func TestWedgedNodeIsOneFinding(t *testing.T) {
	dir := t.TempDir()
	var pods []any
	for n := range 40 {
		pods = append(pods, map[string]any{
			"apiVersion": "v1", "kind": "Pod",
			"metadata": map[string]any{
				"name": fmt.Sprintf("web-%d", n), "namespace": "shop", "uid": fmt.Sprintf("0a1b2c3d-0000-4000-8000-%012d", n),
				"creationTimestamp": "2026-11-30T07:00:00Z", "deletionTimestamp": "2026-11-30T08:00:30Z", "deletionGracePeriodSeconds": 30,
			},
			"spec":   map[string]any{"nodeName": "worker-7", "containers": []any{map[string]any{"name": "web", "image": "web:1"}}, "terminationGracePeriodSeconds": 30},
			"status": map[string]any{"phase": "Running"},
		})
	}
	nodes := []any{map[string]any{
		"apiVersion": "v1", "kind": "Node", "metadata": map[string]any{"name": "worker-7", "uid": "5b0a", "creationTimestamp": "2026-11-01T07:00:00Z"},
		"status": map[string]any{"conditions": []any{map[string]any{
			"type": "Ready", "status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status.",
			"lastHeartbeatTime": "2026-11-30T07:58:00Z", "lastTransitionTime": "2026-11-30T07:59:00Z",
		}}},
	}}
	for name, items := range map[string][]any{"pods.json": pods, "nodes.json": nodes} {
		data, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "date.txt"), []byte("Mon Nov 30 08:20:30 UTC 2026\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	doc := onBundle(t, dir)
	if len(doc.Subjects) != 40 || len(doc.Summary.Groups) != 1 {
		t.Fatalf("%d subjects in %d groups: %s", len(doc.Subjects), len(doc.Summary.Groups), doc.Summary.Headline)
	}
	g := doc.Summary.Groups[0]
	if len(g.Subjects) != 40 || g.LongestSinceT0Seconds == nil || *g.LongestSinceT0Seconds != 20*60 || g.Outcome != "stuck" {
		t.Errorf("group %+v", g)
	}
	if !strings.Contains(doc.Summary.Headline, "40 objects stuck on node worker-7") {
		t.Errorf("headline %q", doc.Summary.Headline)
	}
	text := printed(t, "inventory", "--pods", "--longer-than", "5m", dir)
	for _, want := range []string{"40 objects in deletion or left behind, in 1 finding", "40 objects stuck on node worker-7", "T+20m00s", "and 20 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if text := printed(t, "inventory", "--pods", "--longer-than", "30m", dir); !strings.Contains(text, "0 objects in deletion") || !strings.Contains(text, "40 with T0 less than") {
		t.Errorf("younger:\n%s", text)
	}
}
