package parsers

import (
	"testing"
	"time"
)

func TestRancherSummary(t *testing.T) {
	const text = "Rancher 2.x Logs Collector Summary\n==================================\n\nGenerated: Mon Nov 30 10:00:44 CET 2026\nHostname:  worker-4\nKernel:    6.1.0\n\nOS\n--\nHostname: other\n"
	b := readCollected(t, rancherSummaryParser, &File{Path: "worker-4/summary.txt", Text: text, FirstLine: 1})
	if want := time.Date(2026, 11, 30, 9, 0, 44, 0, time.UTC); !b.Input.CapturedAt.Equal(want) {
		t.Errorf("taken at %v, want %v", b.Input.CapturedAt, want)
	}
	if len(b.Input.Hosts) == 0 || b.Input.Hosts[0] != "worker-4" {
		t.Errorf("hosts %v", b.Input.Hosts)
	}
}

func FuzzRancherSummary(f *testing.F) {
	fuzzNodeTool(f, rancherSummaryParser, "", "Rancher 2.x Logs Collector Summary\n====\n\nGenerated: Mon Nov 30 10:00:44 UTC 2026\nHostname:  worker-4\n\nOS\n--\n")
}
