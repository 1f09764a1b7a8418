package parsers

import (
	"strings"
	"testing"

	"podautopsy/timeline"
)

// The benchmarks repeat one capture to a few megabytes.
func benchLog(b *testing.B, p Parser, pattern string) {
	const size = 8 << 20
	sample := readText(b, shared(b, pattern)[0])
	f := &File{Path: "bench", Text: strings.Repeat(sample, size/len(sample)+1), FirstLine: 1}
	b.SetBytes(int64(len(f.Text)))
	b.ReportAllocs()
	for b.Loop() {
		if err := p.Parse(f, timeline.NewBuilder(f.Path)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkJournalExport(b *testing.B) {
	benchLog(b, journalExportParser, "lab/containerd-stopped--A-stopped/input/node/journal-kubelet.export")
}

func BenchmarkJournalJSON(b *testing.B) {
	benchLog(b, journalJSONParser, "lab/containerd-stopped--A-stopped/formats/node/journal-kubelet.json")
}

func BenchmarkJournalShort(b *testing.B) {
	benchLog(b, journalShortParser, "lab/containerd-stopped--A-stopped/formats/node/journal-kubelet.short.txt")
}

func BenchmarkKlog(b *testing.B) {
	benchLog(b, klogParser, "lab/containerd-stopped--A-stopped/input/cluster/kube-controller-manager.log")
}

func BenchmarkLogfmt(b *testing.B) {
	benchLog(b, logfmtParser, "cases/62-cni-plugin-not-initialized/input/containerd.log")
}

func BenchmarkContainerLog(b *testing.B) {
	benchLog(b, containerLogParser, "cases/76-decoy-orphan-flood-other-pod/input/kubelet-container-json.log")
}

func BenchmarkJSONLog(b *testing.B) {
	benchLog(b, jsonLogParser, "cases/05-kubevirt-kernel-artifacts-record/input/virt-handler.log")
}

func BenchmarkDmesg(b *testing.B) {
	benchLog(b, dmesgParser, "lab/containerd-stopped--A-stopped/input/node/dmesg-raw.txt")
}
