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

// logParsers are the readers of logs, in the order in which they may be asked.
func logParsers() []Parser {
	return []Parser{journalExportParser, journalJSONParser, journalShortParser, containerLogParser, talosLogParser, jsonLogParser, klogParser, logfmtParser, dmesgParser, plainLogParser}
}

// parseLog parses a text with the first reader that takes it.
func parseLog(t testing.TB, path, text string) (string, *timeline.Builder) {
	t.Helper()
	f := &File{Path: path, Text: text, FirstLine: 1}
	for _, p := range logParsers() {
		if p.Sniff(f) {
			b := timeline.NewBuilder(path)
			if err := p.Parse(f, b); err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			return p.Name, b
		}
	}
	t.Fatalf("nobody reads %.80q", text)
	return "", nil
}

// shared finds real evidence, which is not part of the repository.
func shared(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join("..", "..", "shared", pattern))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Skipf("no real evidence at %s", pattern)
	}
	return found
}

func readText(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// record is what a test wants to know of an event.
type record struct {
	Time      string
	Component string
	Node      string
	PID       int
	Level     timeline.Level
	Message   string
	Lines     [2]int
}

func recordsOf(b *timeline.Builder) []record {
	var got []record
	for _, e := range b.Events {
		layout := time.RFC3339Nano
		if e.Stamp.Wall {
			layout = "2006-01-02 15:04:05.999999999"
		}
		if e.Stamp.NoYear {
			layout = "Jan _2 15:04:05.999999999"
		}
		at := e.Time.Format(layout)
		if e.Stamp.HasSinceBoot {
			at = e.Stamp.SinceBoot.String()
		}
		got = append(got, record{at, e.Component, e.Node, e.PID, e.Level, e.Message, [2]int{e.Source.Line, e.Source.LastLine}})
	}
	return got
}

const (
	info  = timeline.LevelInfo
	warn  = timeline.LevelWarning
	wrong = timeline.LevelError
)

func TestLogs(t *testing.T) {
	tests := []struct {
		name, path, text, format string
		want                     []record
	}{
		{
			"klog with an err block", "file-1", "" +
				"I1130 08:32:05.224725    3543 kubelet.go:2588] \"SyncLoop ADD\" source=\"api\" pods=[\"data-redis/redis-cache-0\"]\n" +
				"E1130 08:32:06.000001    3543 nestedpendingoperations.go:348] Operation failed err=<\n" +
				"\tUnmounting arguments: /var/lib/kubelet/pods/8a1b/mount\n" +
				"\tOutput: umount: /var/lib/kubelet/pods/8a1b/mount: target is busy.\n" +
				" >\n", "klog",
			[]record{
				{"Nov 30 08:32:05.224725", "kubelet", "", 3543, info, "I1130 08:32:05.224725    3543 kubelet.go:2588] \"SyncLoop ADD\" source=\"api\" pods=[\"data-redis/redis-cache-0\"]", [2]int{1, 0}},
				{"Nov 30 08:32:06.000001", "kubelet", "", 3543, wrong, "E1130 08:32:06.000001    3543 nestedpendingoperations.go:348] Operation failed err=<\n\tUnmounting arguments: /var/lib/kubelet/pods/8a1b/mount\n\tOutput: umount: /var/lib/kubelet/pods/8a1b/mount: target is busy.\n >", [2]int{2, 5}},
			},
		},
		{
			"journal-short with an err block and another program in between", "file-2", "" +
				"Nov 30 08:32:06 worker-1 kubelet[3543]: E1130 08:32:06.900001    3543 nestedpendingoperations.go:348] Operation failed err=<\n" +
				"Nov 30 08:32:07 worker-1 containerd[368]: time=\"2026-11-30T07:32:07.100000001Z\" level=warning msg=\"x\"\n" +
				"Nov 30 08:32:06 worker-1 kubelet[3543]:         Output: umount: /mnt: target is busy.\n" +
				"Nov 30 08:32:06 worker-1 umount[9999]: umount: /mnt: target is busy.\n" +
				"Nov 30 08:32:06 worker-1 kubelet[3543]:  >\n", "journal-short",
			[]record{
				{"Nov 30 08:32:06.900001", "kubelet", "worker-1", 3543, wrong, "E1130 08:32:06.900001    3543 nestedpendingoperations.go:348] Operation failed err=<\n        Output: umount: /mnt: target is busy.\n >", [2]int{1, 5}},
				{"Nov 30 08:32:07.100000001", "containerd", "worker-1", 368, warn, "time=\"2026-11-30T07:32:07.100000001Z\" level=warning msg=\"x\"", [2]int{2, 0}},
				{"Nov 30 08:32:06", "umount", "worker-1", 9999, 0, "umount: /mnt: target is busy.", [2]int{4, 0}},
			},
		},
		{
			"journalctl -r", "file-3", "" +
				"Nov 30 08:32:09 n1 kubelet[35]: I1130 08:32:09.000000      35 kubelet.go:1] later\n" +
				"Nov 30 08:32:08 n1 kubelet[35]:  >\n" +
				"Nov 30 08:32:08 n1 kubelet[35]:         Output: busy\n" +
				"Nov 30 08:32:08 n1 kubelet[35]: E1130 08:32:08.000000      35 kubelet.go:2] failed err=<\n" +
				"Nov 30 08:32:01 n1 kubelet[35]: I1130 08:32:01.000000      35 kubelet.go:1] first\n", "journal-short",
			[]record{
				{"Nov 30 08:32:09", "kubelet", "n1", 35, info, "I1130 08:32:09.000000      35 kubelet.go:1] later", [2]int{1, 0}},
				{"Nov 30 08:32:08", "kubelet", "n1", 35, wrong, "E1130 08:32:08.000000      35 kubelet.go:2] failed err=<\n        Output: busy\n >", [2]int{2, 4}},
				{"Nov 30 08:32:01", "kubelet", "n1", 35, info, "I1130 08:32:01.000000      35 kubelet.go:1] first", [2]int{5, 0}},
			},
		},
		{
			"header in UTC gives year and zone", "file-4", "" +
				"-- Logs begin at Fri 2022-02-11 18:58:10 UTC, end at Sat 2022-02-12 10:00:00 UTC. --\n" +
				"-- Reboot --\n" +
				"Feb 12 09:59:59 n1 systemd[1]: Stopped Kubernetes Kubelet Server.\n", "journal-short",
			[]record{
				{"2022-02-12T09:59:59Z", "journald", "n1", 0, 0, "-- Reboot --", [2]int{2, 0}},
				{"2022-02-12T09:59:59Z", "systemd", "n1", 1, 0, "Stopped Kubernetes Kubelet Server.", [2]int{3, 0}},
			},
		},
		{
			"header in a named zone gives the year", "file-5", "" +
				"-- Logs begin at Mon 2025-12-29 01:39:18 CET, end at Thu 2026-01-01 02:14:06 CET. --\n" +
				"Dec 31 23:59:59 n1 dockerd[7]: plain\n" +
				"Jan 01 02:14:07 n1 dockerd[7]: plain\n", "journal-short",
			[]record{
				{"2025-12-31 23:59:59", "dockerd", "n1", 7, 0, "plain", [2]int{2, 0}},
				{"2026-01-01 02:14:07", "dockerd", "n1", 7, 0, "plain", [2]int{3, 0}},
			},
		},
		{
			"short-iso in both spellings, short-full, short-unix", "file-6", "" +
				"2026-11-30T08:32:05+0100 w kubelet[3]: one\n" +
				"2026-11-30T08:32:05.123456+01:00 w kubelet[3]: two\n" +
				"Mon 2026-11-30 08:32:05 UTC w kubelet[3]: three\n" +
				"1796027525.546509 w kernel: four\n", "journal-short",
			[]record{
				{"2026-11-30T07:32:05Z", "kubelet", "w", 3, 0, "one", [2]int{1, 0}},
				{"2026-11-30T07:32:05.123456Z", "kubelet", "w", 3, 0, "two", [2]int{2, 0}},
				{"2026-11-30T08:32:05Z", "kubelet", "w", 3, 0, "three", [2]int{3, 0}},
				{"2026-11-30T08:32:05.546509Z", "kernel", "w", 0, 0, "four", [2]int{4, 0}},
			},
		},
		{
			"syslog kernel line without its seconds", "messages", "" +
				"Jun  9 21:07:44 ml-gpu-5 kernel: [7114200.125643] INFO: task jbd2/sdc1-8:465 blocked for more than 120 seconds.\n" +
				"Jun  9 21:07:45 ml-gpu-5 k3s: I0609 21:07:45.000009     77 gc_controller.go:348] \"PodGC is force deleting Pod\"\n", "journal-short",
			[]record{
				{"Jun  9 21:07:44", "kernel", "ml-gpu-5", 0, 0, "INFO: task jbd2/sdc1-8:465 blocked for more than 120 seconds.", [2]int{1, 0}},
				{"Jun  9 21:07:45.000009", "kube-controller-manager", "ml-gpu-5", 0, info, "I0609 21:07:45.000009     77 gc_controller.go:348] \"PodGC is force deleting Pod\"", [2]int{2, 0}},
			},
		},
		{
			"export with a binary message", "x", "" +
				"__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1796027525224838\n__MONOTONIC_TIMESTAMP=3381963741\n_BOOT_ID=77\n_HOSTNAME=worker-1\n" +
				"PRIORITY=6\n_TRANSPORT=stdout\nSYSLOG_IDENTIFIER=kubelet\n_PID=3543\n_SYSTEMD_UNIT=kubelet.service\n" +
				"MESSAGE\n\x0b\x00\x00\x00\x00\x00\x00\x00one\n\ntwo=2\n\n\n" +
				"__REALTIME_TIMESTAMP=1796027526000000\n_TRANSPORT=kernel\nMESSAGE=oom\n\n", "journal-export",
			[]record{
				{"2026-11-30T08:32:05.224838Z", "kubelet", "worker-1", 3543, info, "one\n\ntwo=2\n", [2]int{1, 15}},
				{"2026-11-30T08:32:06Z", "kernel", "", 0, 0, "oom", [2]int{17, 19}},
			},
		},
		{
			"journal JSON with bytes, null and a repeated field", "x", "" +
				`{"__CURSOR" : "s=1", "__REALTIME_TIMESTAMP":"1796027525224838","_HOSTNAME":"w","SYSLOG_IDENTIFIER":"containerd","_PID":"36","MESSAGE":[104,195,164,10,104]}` + "\n" +
				`{"__REALTIME_TIMESTAMP":"1796027525224839","_HOSTNAME":"w","_COMM":"kubelet","_PID":["36","37"],"MESSAGE":null}` + "\n" +
				`{"__REALTIME_TIMESTAMP":"1796027525224840","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":"a \"b\" \u00e4 \ud83d\ude00","PRIORITY":"3"}` + "\n", "journal-json",
			[]record{
				{"2026-11-30T08:32:05.224838Z", "containerd", "w", 36, 0, "hä\nh", [2]int{1, 0}},
				{"2026-11-30T08:32:05.224839Z", "kubelet", "w", 36, 0, "", [2]int{2, 0}},
				{"2026-11-30T08:32:05.22484Z", "kubelet", "", 0, wrong, "a \"b\" ä 😀", [2]int{3, 0}},
			},
		},
		{
			"klog JSON becomes klog text", "kubelet.json", "" +
				`{"ts":1796027525224.838,"caller":"kubelet/kubelet.go:2425","msg":"SyncLoop DELETE","v":2,"source":"api","pods":[{"name":"web-0","namespace":"shop"}]}` + "\n" +
				`{"ts":1796027525.224839,"caller":"kubelet.go:9","msg":"Failed","pod":{"name":"web-0","namespace":"shop"},"id":{"Type":"containerd", "ID":"5d"},"n":3,"err":"a \"b\""}` + "\n", "json-log",
			[]record{
				{"2026-11-30T08:32:05.224838Z", "kubelet", "", 0, info, `I1130 08:32:05.224838       1 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/web-0"]`, [2]int{1, 0}},
				{"2026-11-30T08:32:05.224839Z", "kubelet", "", 0, wrong, `E1130 08:32:05.224839       1 kubelet.go:9] "Failed" err="a \"b\"" pod="shop/web-0" id={"Type":"containerd","ID":"5d"} n=3`, [2]int{2, 0}},
			},
		},
		{
			"containerd JSON becomes logrus text", "file-7", "" +
				`{"level":"info","msg":"StopContainer for \"5b0a\" with timeout 30 (s)","time":"2025-11-15T06:58:57.437121856Z"}` + "\n" +
				`{"error":"no \"x\"","id":"5b0a","level":"error","msg":"failed","time":"2025-11-15T06:58:58Z"}` + "\n", "json-log",
			[]record{
				{"2025-11-15T06:58:57.437121856Z", "containerd", "", 0, info, `time="2025-11-15T06:58:57.437121856Z" level=info msg="StopContainer for \"5b0a\" with timeout 30 (s)"`, [2]int{1, 0}},
				{"2025-11-15T06:58:58Z", "containerd", "", 0, wrong, `time="2025-11-15T06:58:58Z" level=error msg=failed error="no \"x\"" id=5b0a`, [2]int{2, 0}},
			},
		},
		{
			"talosctl logs", "file-8", "" +
				`10.5.9.4: {"level": "info", "msg": "StopContainer for \"5b0a\" returns successfully", "time": "2025-11-15T06:58:57.437Z"}` + "\n" +
				"10.5.9.4: kern:    info: [2025-11-15T06:58:58Z]: oom_reaper: reaped process 1\n", "talos-log",
			[]record{
				{"2025-11-15T06:58:57.437Z", "containerd", "10.5.9.4", 0, info, `time="2025-11-15T06:58:57.437Z" level=info msg="StopContainer for \"5b0a\" returns successfully"`, [2]int{1, 0}},
				{"2025-11-15T06:58:58Z", "kernel", "10.5.9.4", 0, info, "oom_reaper: reaped process 1", [2]int{2, 0}},
			},
		},
		{
			"CRI with a partial line and a klog block", "var/log/pods/kube-system_kcm-n1_8a1b/kcm/0.log", "" +
				"2016-10-06T00:17:09.669794202Z stderr F E1006 00:17:09.669000       1 gc_controller.go:1] failed err=<\n" +
				"2016-10-06T00:17:09.669794203Z stderr F \tinner\n" +
				"2016-10-06T00:17:10.113242941Z stdout P part one, \n" +
				"2016-10-06T00:17:10.113242942Z stdout F part two\n", "container-log",
			[]record{
				{"2016-10-06T00:17:09.669794202Z", "kube-controller-manager", "", 1, wrong, "E1006 00:17:09.669000       1 gc_controller.go:1] failed err=<\n\tinner", [2]int{1, 2}},
				{"2016-10-06T00:17:10.113242941Z", "kcm", "", 0, 0, "part one, part two", [2]int{3, 4}},
			},
		},
		{
			"Docker's json-file", "file-9", "" +
				`{"log":"E0801 19:09:15.260306    1709 kubelet_volumes.go:154] Orphaned pod \"f6\" found\n","stream":"stderr","time":"2025-08-01T17:09:15.260306474Z"}` + "\n", "container-log",
			[]record{
				{"2025-08-01T17:09:15.260306474Z", "kubelet", "", 1709, wrong, `E0801 19:09:15.260306    1709 kubelet_volumes.go:154] Orphaned pod "f6" found`, [2]int{1, 0}},
			},
		},
		{
			"kubectl logs --timestamps", "namespaces/shop/pods/web-0/web/web/logs/current.log", "" +
				"2021-06-09T21:07:13.326796123Z I0609 21:07:13.326700       1 leader.go:1] x\n" +
				"2021-06-09T21:08:13.5Z plain\n", "container-log",
			[]record{
				{"2021-06-09T21:07:13.326796123Z", "web", "", 1, info, "I0609 21:07:13.326700       1 leader.go:1] x", [2]int{1, 0}},
				{"2021-06-09T21:08:13.5Z", "web", "", 0, 0, "plain", [2]int{2, 0}},
			},
		},
		{
			"kubectl cluster-info dump", "shop/web-0/logs.txt", "" +
				"==== START logs for container web of pod shop/web-0 ====\n" +
				"I0609 21:07:13.326700       1 leader.go:1] x\n" +
				"==== END logs for container web of pod shop/web-0 ====\n", "klog",
			[]record{
				{"Jun  9 21:07:13.3267", "web", "", 1, info, "I0609 21:07:13.326700       1 leader.go:1] x", [2]int{2, 0}},
			},
		},
		{
			"short-monotonic", "x", "" +
				"[ 3381.963741] worker-1 kubelet[3543]: E1130 08:32:05.224725    3543 kubelet.go:2588] x err=<\n" +
				"[ 3381.963749] worker-1 kubelet[3543]:  >\n" +
				"[ 3382.000001] worker-1 kernel: oom\n", "journal-short",
			[]record{
				{"56m21.963741s", "kubelet", "worker-1", 3543, wrong, "E1130 08:32:05.224725    3543 kubelet.go:2588] x err=<\n >", [2]int{1, 2}},
				{"56m22.000001s", "kernel", "worker-1", 0, 0, "oom", [2]int{3, 0}},
			},
		},
		{
			"dmesg", "file-10", "" +
				"[    0.098300] clocksource: jiffies\n[4675051.235451] INFO: task x:453 blocked for more than 120 seconds.\n", "dmesg",
			[]record{
				{"98.3ms", "kernel", "", 0, 0, "clocksource: jiffies", [2]int{1, 0}},
				{"1298h37m31.235451s", "kernel", "", 0, 0, "INFO: task x:453 blocked for more than 120 seconds.", [2]int{2, 0}},
			},
		},
		{
			"dmesg -T and --time-format iso", "file-11", "" +
				"[Mon Nov 30 07:35:43 2026] one\n2026-11-30T07:35:43,098300+00:00 two\nkern  :warn  : [    1.5] three\n", "dmesg",
			[]record{
				{"2026-11-30 07:35:43", "kernel", "", 0, 0, "one", [2]int{1, 0}},
				{"2026-11-30T07:35:43.0983Z", "kernel", "", 0, 0, "two", [2]int{2, 0}},
				{"1.5s", "kernel", "", 0, warn, "three", [2]int{3, 0}},
			},
		},
		{
			"plain logs", "postgresql-0.log", "" +
				"2025-03-12 08:50:09.875 UTC [1748] LOG:  connection authorized: user=app\n" +
				"2025-06-15T20:43:04.721Z\tERROR\tcontroller\tFailed to patch\n\tstack\n", "plain-log",
			[]record{
				{"2025-03-12T08:50:09.875Z", "postgresql-0", "", 0, info, "2025-03-12 08:50:09.875 UTC [1748] LOG:  connection authorized: user=app", [2]int{1, 0}},
				{"2025-06-15T20:43:04.721Z", "postgresql-0", "", 0, wrong, "2025-06-15T20:43:04.721Z\tERROR\tcontroller\tFailed to patch\n\tstack", [2]int{2, 3}},
			},
		},
		{
			"glog's file header", "kubelet.INFO", "" +
				"Log file created at: 2024/12/31 23:59:00\nRunning on machine: n1\nBinary: Built with gc go1.13 for linux/amd64\nLog line format: [IWEF]mmdd hh:mm:ss.uuuuuu threadid file:line] msg\n" +
				"I1231 23:59:01.000000       7 a.go:1] x\r\nI0101 00:00:01.000000       7 a.go:1] y\n", "klog",
			[]record{
				{"2024-12-31 23:59:01", "kubelet", "", 7, info, "I1231 23:59:01.000000       7 a.go:1] x", [2]int{5, 0}},
				{"2025-01-01 00:00:01", "kubelet", "", 7, info, "I0101 00:00:01.000000       7 a.go:1] y", [2]int{6, 0}},
			},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			format, b := parseLog(t, test.path, test.text)
			if format != test.format {
				t.Errorf("format %s, want %s", format, test.format)
			}
			if diff := cmp.Diff(test.want, recordsOf(b)); diff != "" {
				t.Errorf("records (-want +got):\n%s", diff)
			}
			checkSources(t, test.text, b)
		})
	}
}

// checkSources says that every event stands where its Source says.
func checkSources(t testing.TB, text string, b *timeline.Builder) {
	t.Helper()
	physical := strings.Split(text, "\n")
	for i, e := range b.Events {
		s := e.Source
		last := max(s.Line, s.LastLine)
		if e.Seq != i || s.Line < 1 || last > len(physical) || s.LastLine != 0 && s.LastLine < s.Line {
			t.Fatalf("event %d (seq %d) has lines %d to %d of %d", i, e.Seq, s.Line, s.LastLine, len(physical))
		}
		if s.Offset < 0 || s.Offset > int64(len(text)) || strings.Count(text[:s.Offset], "\n") != s.Line-1 {
			t.Fatalf("event %d at offset %d is not in line %d", i, s.Offset, s.Line)
		}
	}
	for _, g := range b.Input.Gaps {
		if g.Source.Line < 1 || g.Source.Line > len(physical) {
			t.Fatalf("gap %q in line %d of %d", g.Detail, g.Source.Line, len(physical))
		}
	}
}

// checkTexts says that the text of events of a text format is what stands at
// their lines.
func checkTexts(t testing.TB, text string, b *timeline.Builder) {
	t.Helper()
	physical := strings.Split(text, "\n")
	for i, e := range b.Events {
		at := e.Source.Line - 1
		for n, l := range strings.Split(e.Text, "\n") {
			for at < len(physical) && trimEnds(physical[at]) != trimEnds(l) {
				at++
			}
			if at >= len(physical) || at >= max(e.Source.Line, e.Source.LastLine) {
				t.Fatalf("event %d: line %d of its text %.100q does not stand at lines %d to %d", i, n, l, e.Source.Line, e.Source.LastLine)
			}
			at++
		}
	}
}

// trimEnds takes off what is no text of a line: its end, and the hole that a
// crash left before it.
func trimEnds(s string) string { return strings.TrimRight(strings.TrimLeft(s, "\x00"), "\r") }

func TestLogGaps(t *testing.T) {
	tests := []struct {
		name, text string
		want       []timeline.GapKind
	}{
		{"rate limit", "Nov 30 08:32:06 w systemd-journald[80]: Suppressed 31 messages from kubelet.service\n", []timeline.GapKind{timeline.GapSuppressed}},
		{"klog from the middle", "xyz\"\nI1130 08:32:05.224725    3543 kubelet.go:2588] a\nI1130 08:32:05.224725    3543 kubelet.go:2588] b\n", []timeline.GapKind{timeline.GapTruncated}},
		{"export cut in a field", "__REALTIME_TIMESTAMP=1796027525224838\nMESSAGE=a\n\n__REALTIME_TIMESTAMP=1796027525224839\nMESS", []timeline.GapKind{timeline.GapTruncated}},
		{"export with a lying length", "__REALTIME_TIMESTAMP=1796027525224838\nMESSAGE\n\xff\xff\xff\xff\xff\xff\xff\xff\n_PID=1\n\n", []timeline.GapKind{timeline.GapNotUnderstood}},
		{"JSON journal cut", "{\"__REALTIME_TIMESTAMP\":\"1796027525224838\",\"MESSAGE\":\"a\"}\n{\"__REALTIME_TIMEST", []timeline.GapKind{timeline.GapTruncated}},
		{"a hole", "Nov 30 08:32:06 w a[1]: x\n\x00\x00\x00Nov 30 08:32:06 w a[1]: y\n", []timeline.GapKind{timeline.GapTruncated}},
		{"one gap a run", "Nov 30 08:32:06 w a[1]: x\nNov 30 08:32:06 w a[1]: y\n-- Reboot --\njunk\njunk\njunk\nNov 30 08:32:06 w a[1]: z\n", []timeline.GapKind{timeline.GapNotUnderstood}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, b := parseLog(t, "x", test.text)
			var got []timeline.GapKind
			for _, g := range b.Input.Gaps {
				got = append(got, g.Kind)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("gaps (-want +got):\n%s\n%v", diff, b.Input.Gaps)
			}
			checkSources(t, test.text, b)
		})
	}
}

func TestNoEntries(t *testing.T) {
	_, b := parseLog(t, "x", "-- Logs begin at Fri 2022-02-11 18:58:10 UTC, end at Sat 2022-02-12 10:00:00 UTC. --\n-- No entries --\n")
	if b.Input.Records != 0 || len(b.Input.Gaps) != 0 {
		t.Errorf("%d records, gaps %v", b.Input.Records, b.Input.Gaps)
	}
}

func TestClockHints(t *testing.T) {
	tests := []struct {
		name, text string
		offset     time.Duration
	}{
		{"containerd in syslog", "Nov 30 10:32:06 w containerd[368]: time=\"2026-11-30T08:32:06.1Z\" level=info msg=x\nNov 30 10:32:07 w containerd[368]: time=\"2026-11-30T08:32:07.1Z\" level=info msg=x\n", 2 * time.Hour},
		{"klog in Docker's json-file", `{"log":"E0801 19:09:15.260306    1709 kubelet_volumes.go:154] x\n","stream":"stderr","time":"2025-08-01T17:09:15.260306474Z"}` + "\n", 2 * time.Hour},
		{"klog in an export", "__REALTIME_TIMESTAMP=1796027525224838\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=I1130 03:02:05.224725    3543 kubelet.go:2588] a\n\n", -5*time.Hour - 30*time.Minute},
		{"over New Year", "Jan  1 01:00:00 w crio[368]: time=\"2026-12-31 23:00:00.1Z\" level=info msg=x\n", 2 * time.Hour},
		{"short-iso", "2026-11-30T08:32:05+0100 w kubelet[3]: I1130 08:32:05.224725    3543 kubelet.go:2588] a\n", time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, b := parseLog(t, "x", test.text)
			if len(b.Clocks) != 1 {
				t.Fatalf("%d hints", len(b.Clocks))
			}
			h := b.Clocks[0]
			if got := localOffset(h.Local, h.UTC).Round(zoneStep); got != test.offset {
				t.Errorf("offset %v, want %v (%+v)", got, test.offset, h)
			}
		})
	}
}
