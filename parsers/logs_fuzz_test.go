package parsers

import (
	"path/filepath"
	"testing"

	"podautopsy/timeline"
)

// fuzzLog feeds a reader with real samples and what the fuzzer makes of them:
// it must not panic, and every record and gap must lie inside the file.
func fuzzLog(f *testing.F, p Parser, text bool, seeds []string, patterns ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join("..", "..", "shared", pattern))
		for _, path := range found[:min(len(found), 4)] {
			s := readText(f, path)
			f.Add(s[:min(len(s), 4000)])
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		file := &File{Path: "fuzz", Text: s, FirstLine: 1}
		p.Sniff(file)
		b := timeline.NewBuilder("fuzz")
		if err := p.Parse(file, b); err == nil && b.Input.Records != len(b.Events) {
			t.Fatalf("%d records, %d events", b.Input.Records, len(b.Events))
		}
		checkSources(t, s, b)
		if text {
			checkTexts(t, s, b)
		}
	})
}

const (
	fuzzKlog = "E1130 08:32:06.000001    3543 nestedpendingoperations.go:348] failed err=<\n\tOutput: busy\n >\nI1130 08:32:07.000001    3543 a.go:1] x\r\n"
	fuzzJSON = `{"ts":1796027525224.838,"caller":"kubelet.go:2425","msg":"SyncLoop DELETE","v":2,"pods":[{"name":"web-0","namespace":"shop"}],"err":"a\u00e4\ud83d\ude00"}` + "\n" +
		`{"level":"info","msg":"StopContainer for \"5b0a\"","time":"2025-11-15T06:58:57.437121856Z","n":{"a":[1,null]}}` + "\n"
	fuzzLogrus = "time=\"2026-11-30T08:32:05.545967395Z\" level=info msg=\"RunPodSandbox\"\nts=2026-11-30T08:32:05Z caller=a.go:1 level=error msg=x\n"
)

func FuzzJournalExport(f *testing.F) {
	fuzzLog(f, journalExportParser, false, []string{
		"__CURSOR=s=1\n__REALTIME_TIMESTAMP=1796027525224838\nMESSAGE\n\x0b\x00\x00\x00\x00\x00\x00\x00one\n\ntwo=2\n\n\n\n_PID=1\n__REALTIME_TIMESTAMP=18446744073709551615\n",
		"__REALTIME_TIMESTAMP=1\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\x7f\nMESSAGE=a\r\n\r\n",
	}, "lab/*/input/node/journal-*.export", "realdata/KDE+kjournald/autotests/*.export")
}

func FuzzJournalJSON(f *testing.F) {
	fuzzLog(f, journalJSONParser, false, []string{
		`{"__REALTIME_TIMESTAMP":"1796027525224838","MESSAGE":[104,195,164,10,104],"_PID":["1","2"],"X":null}` + "\n{\"__REAL",
		"[{\n\"__REALTIME_TIMESTAMP\" : \"1\"\n}\n]\x1e{}",
	}, "lab/*/input/node/journal-*.json", "realdata/tstack+lnav/test/logfile_journald.json")
}

func FuzzJournalShort(f *testing.F) {
	fuzzLog(f, journalShortParser, true, []string{
		"-- Logs begin at Mon 2025-12-29 01:39:18 CET, end at Thu 2026-01-01 02:14:06 CET. --\n-- Reboot --\nDec 31 23:59:59 n1 kubelet[7]: E1231 23:59:59.000000 7 a.go:1] x err=<\nDec 31 23:59:59 n1 kubelet[7]:  >\n          more\n-- No entries --\n",
		"Nov 30 08:32:08 n1 k[35]:  >\nNov 30 08:32:08 n1 k[35]: E1130 08:32:08.000000      35 a.go:2] failed err=<\nNov 30 08:32:01 n1 k[35]: I1130 08:32:01.000000      35 a.go:1] first\n",
		"<30>Feb 29 23:59:60 h p: m\n2026-11-30T08:32:05,1+01:00 w kernel: [1.5] x\n1796027525.546509 w (sd)[1]: y",
	}, "lab/*/formats/node/journal-all.short-precise.txt", "cases/*/input/syslog", "realdata/log2timeline+plaso/test_data/syslog/*")
}

func FuzzProgramLog(f *testing.F) {
	fuzzLog(f, klogParser, true, []string{
		fuzzKlog, fuzzJSON, fuzzLogrus,
		"Log file created at: 2024/12/31 23:59:00\nRunning on machine: n1\n" + fuzzKlog,
		"0000-01-01 00:00:00 \r\r\n",
		"2025-03-12 08:50:09.875 UTC [1748] LOG:  x\n\tstack\n2025-06-15T20:43:04.721Z\tERROR\ta\n",
	}, "lab/*/input/cluster/kube-controller-manager.log", "realdata/tstack+lnav/test/logfile_*.0")
}

func FuzzContainerLog(f *testing.F) {
	fuzzLog(f, containerLogParser, false, []string{
		"2016-10-06T00:17:09.669794202Z stderr F E1006 00:17:09.669000       1 a.go:1] failed err=<\n2016-10-06T00:17:09.669794203Z stderr F \tinner\n2016-10-06T00:17:10Z stdout P a\n2016-10-06T00:17:10Z stdout F b\n",
		`{"log":"a","stream":"stderr","time":"2025-08-01T17:09:15.260306474Z"}` + "\n" + `{"log":"b\n","stream":"stderr","time":"2025-08-01T17:09:15.260306474Z"}` + "\n",
	}, "realdata/log2timeline+plaso/test_data/cri.log", "cases/*/input/*container-json.log")
}

func FuzzDmesg(f *testing.F) {
	fuzzLog(f, dmesgParser, true, []string{
		"[    0.098300] a\n cont\n[Mon Nov 30 07:35:43 2026] b\n2026-11-30T07:35:43,098300+00:00 c\nkern  :warn  : [    1.5] d\n<6>[9999999999.9999999999] e\n",
	}, "lab/*/input/node/dmesg*.txt")
}

func FuzzTalosLog(f *testing.F) {
	fuzzLog(f, talosLogParser, true, []string{
		"10.5.9.4: " + fuzzJSON + "10.5.9.4: kern:    info: [2025-11-15T06:58:58Z]: x\n10.5.9.4: rest\n",
	}, "cases/*/input/talosctl-logs-*.txt")
}
