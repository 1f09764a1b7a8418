package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// collected is a bundle of thousands of files, with every kind of shortcoming.
func collected(files int) *analyzer.Document {
	at := func(minute int) *time.Time {
		t := time.Date(2026, 11, 30, 8, minute, 0, 0, time.UTC)
		return &t
	}
	node, line, verbosity := "worker-1", 812, 2
	doc := &analyzer.Document{Schema: analyzer.Schema, Tool: analyzer.Tool{Name: "podautopsy", Version: "v0.1.0"}}
	b := &doc.Bundle
	b.Paths, b.Layout, b.CapturedAt = []string{"a.tar.xz"}, "mixed", at(59)
	b.Layouts = []analyzer.Layout{
		{Name: "aks", Root: "b.zip!"},
		{Name: "sosreport", Root: "a.tar.xz!sosreport-worker-1/", Specimen: "reports of sos 4.12"},
	}
	suppressed := analyzer.Gap{Kind: "suppressed", Detail: "Suppressed 4711 messages from kubelet.service", From: at(20), To: at(21)}
	b.Inputs = []analyzer.Input{
		{Path: "a.tar.xz", Format: "tar.xz"},
		{
			Path: "a.tar.xz!sosreport-worker-1/sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet", Node: &node, Format: "journal-short",
			Records: 9000, FirstTime: at(0), LastTime: at(58), TimeZone: analyzer.TimeZone{Name: "UTC", Known: "inferred", Year: "assumed"}, Gaps: []analyzer.Gap{suppressed},
		},
		{Path: "b.zip!collect/crictl_ps.json", Node: &node, Empty: true, Gaps: []analyzer.Gap{{Kind: "command-failed", Detail: "empty: the command failed or printed nothing, and nothing here tells which"}}},
		{Path: "b.zip!collect/sysctl.txt", Unused: "kernel setting"},
	}
	for pid := range files - len(b.Inputs) {
		b.Inputs = append(b.Inputs, analyzer.Input{
			Path:   fmt.Sprintf("a.tar.xz!sosreport-worker-1/proc/%d/cpuset", pid+1),
			Format: "proc", Gaps: []analyzer.Gap{{Kind: "not-understood", Detail: "line 1: 1 lines not understood"}},
		})
	}
	b.Nodes = []analyzer.Node{{
		Name: node, Versions: analyzer.Versions{Kubelet: "v1.35.4"}, Evidence: analyzer.NodeEvidence{KubeletLog: true},
		Logs: []analyzer.NodeLog{{
			Component: "kubelet", From: at(0), To: at(58), Lines: 9000, Files: []string{b.Inputs[1].Path}, Verbosity: &verbosity,
			Holes: []analyzer.Hole{{Kind: "suppressed", From: at(20), To: at(21), File: b.Inputs[1].Path, Line: &line, Detail: suppressed.Detail}},
		}},
		Lacks: []analyzer.Missing{{What: "mounts of worker-1", Command: "cat /proc/1/mountinfo", Would: "show which volumes are still mounted", Collector: "sos report -o filesys,process (as root)"}},
	}}
	for n := range 400 {
		b.Nodes = append(b.Nodes, analyzer.Node{Name: fmt.Sprintf("idle-%d", n)})
	}
	b.Lacks = []analyzer.Missing{{What: "leases", Command: "kubectl get leases -A -o yaml", Would: "show which nodes are alive"}}
	b.Missing = []analyzer.Missing{b.Nodes[0].Lacks[0], {What: "the Node object", Command: "kubectl get node worker-1 -o yaml"}}
	return doc
}

func TestInventoryOfManyFiles(t *testing.T) {
	text := string(render(t, func(b *bytes.Buffer) error { return report.InventoryText(b, collected(17281), report.Options{}) }))
	for _, want := range []string{
		"17,280 files in 1 archive: 1 read, 17,278 known, not used, 1 empty",
		"aks  unverified: rests on the collector's source code", "sosreport  verified on reports of sos 4.12",
		"kubelet    08:00:00 – 08:58:00  9000 lines, -v=2 or more",
		"hole suppressed 08:20:00 – 08:21:00: Suppressed 4711 messages from",
		"lacks mounts of worker-1", "$ cat /proc/1/mountinfo\n    or sos report -o filesys,process\n       (as root)\n",
		"idle-0, idle-1,", "and 380 more  nothing was collected", "$ kubectl get leases -A -o yaml",
		"suppressed  1 in 1 file", "and 17,276 like it", "zone UTC inferred, year assumed  1 file:",
		"  17,277  known, not used: proc            proc/", "1  known, not used: kernel setting  collect/",
	} {
		if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, "\n      ", " "), want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Count(text, "cat /proc/1/mountinfo") != 1 {
		t.Error("what a node lacks is told twice")
	}
	lines := strings.Split(text, "\n")
	if len(lines) > 100 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if command := strings.HasPrefix(l, "     $ ") || strings.HasPrefix(l, "    or "); !command && ansi.StringWidth(l) > 80 {
			t.Errorf("wider than 80 columns: %q", l)
		}
	}
	if t.Failed() {
		t.Log(text)
	}
	all := string(render(t, func(b *bytes.Buffer) error {
		return report.InventoryText(b, collected(17281), report.Options{Files: true})
	}))
	// Those that are alike are listed once, and counted.
	flat := strings.ReplaceAll(all, "\n      ", " ")
	if strings.Count(flat, "/cpuset  known, not used: proc") != 1 || !strings.Contains(flat, "and 17,276 like it, known, not used: -o json lists each") {
		t.Error("--files does not account for 17277 files")
	}
	if n := strings.Count(all, "\n"); n > 120 {
		t.Errorf("--files takes %d lines", n)
	}
}

func TestInventoryOfManyFilesForTicket(t *testing.T) {
	text := string(render(t, func(b *bytes.Buffer) error {
		return report.InventoryMarkdown(b, collected(17281), report.Options{})
	}))
	for _, want := range []string{
		"unverified: rests on the collector's source code", "| 17,277 | known, not used: proc | 0 |", "sos report -o filesys,process", "kubelet 08:00:00 – 08:58:00 with 1 hole",
		"| suppressed | `sosreport-worker-1/sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet` | Suppressed 4711",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q", want)
		}
	}
	const ticket = 60_000
	if len(text) > ticket {
		t.Errorf("%d bytes do not go into a ticket", len(text))
	}
	if t.Failed() {
		t.Log(text)
	}
}
