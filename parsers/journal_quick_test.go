package parsers

import (
	"strings"
	"testing"
	"time"

	"podautopsy/timeline"
)

// What is read quickly is what is read in general.

func FuzzFlatJSON(f *testing.F) {
	for _, s := range []string{
		`{"__REALTIME_TIMESTAMP":"1796027525546509","MESSAGE":"a \"quoted\" \\ \u00e9\n","_PID":"871"}`,
		`{"MESSAGE":"one","MESSAGE":"two\t","__CURSOR":""}`, `{"MESSAGE":"a\"`, `{"A\\":"b","MESSAGE":"c\\"}`, `{"A\":":"b"}`, `{"":"b"}`,
		`{"MESSAGE":[97,98],"_PID":null}`, `{"_PID":"8\u0037"}`, `{"PRIORITY":6}`, `{}`, `{"MESSAGE" : "a"}`,
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, s string) {
		var flat flatJSON
		flat.read(before, &journalEntry{}) // whose layout is taken for that of the next
		var quick, general journalEntry
		size, ok := flat.read(s, &quick)
		if !ok || s == "" || s[0] != '{' {
			return
		}
		want, ok := jsonObject(s, general.setJSON)
		if !ok || size != want || quick != general {
			t.Errorf("%q: %d %+v, want %d %+v, %v", s, size, quick, want, general, ok)
		}
	})
}

func FuzzShortReader(f *testing.F) {
	for _, s := range []string{
		"2026-11-30T08:21:33+0000 w3 kubelet[871]: I1130 08:21:33.000001 871 a.go:1] b", "2026-11-30T08:21:33+0000 w3 kernel: c",
		"Nov 30 08:21:33 w3 systemd[1]: Started.", "Nov 30 08:21:33 2026 w3 a: b", "<30>Nov 30 08:21:33 w3 a: b", "[    1.234567] w3 kernel: x",
		"Fri 2022-02-11 18:58:10 UTC w3 a: b", "2026-11-30T08:21:33 CET a: b", "Nov 30 08:21:33 kubelet: no host", "1796027525.546509 w3 a[1]: b", "Nov 30 08:21:33 w3 ",
	} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, s string) {
		var r shortReader
		r.header(before)
		ok := r.header(s)
		want, wanted := shortHeader(s)
		got := r.last
		got.lead = want.lead
		if ok != wanted || ok && got != want {
			t.Errorf("%q after %q: %+v, want %+v", s, before, got, want)
		}
	})
}

func TestClockHintsLocalOffset(t *testing.T) {
	utc := time.Date(2026, 2, 28, 22, 0, 0, 5e6, time.UTC)
	for _, ahead := range []time.Duration{0, 2 * time.Hour, -5 * time.Hour, 20 * time.Hour} {
		var h clockHints
		for i := range 5000 {
			at := utc.Add(time.Duration(i) * 5 * time.Minute / 3)
			local := at.Add(ahead + time.Duration(i%7)*time.Second - time.Duration(i%11)*time.Millisecond)
			if i%2 == 0 {
				local = yearless(int(local.Month()), local.Day(), local.Hour()*3600+local.Minute()*60+local.Second(), local.Nanosecond())
			}
			if got, want := h.localOffset(local, at), localOffset(local, at); got != want {
				t.Fatalf("%v at %v: %v, want %v", local, at, got, want)
			}
		}
	}
}

// A klog message of several records is joined whoever else speaks, and whatever
// the record was before it was carried on.
func TestJournalVoices(t *testing.T) {
	const record = "__REALTIME_TIMESTAMP=179602752554650%d\n_PID=%s\nSYSLOG_IDENTIFIER=%s\nMESSAGE=%s\n\n"
	entry := func(n, pid, program, message string) string {
		return strings.NewReplacer("%d", n, "_PID=%s", "_PID="+pid, "IDENTIFIER=%s", "IDENTIFIER="+program, "MESSAGE=%s", "MESSAGE="+message).Replace(record)
	}
	const klog = "E1130 08:21:33.000001     871 a.go:1] first"
	text := entry("1", "871", "kubelet", klog) + entry("2", "1", "systemd", "Started.") + entry("3", "871", "kubelet", "second")
	b := timeline.NewBuilder("f")
	if err := journalExportParser.Parse(&File{Path: "f", Text: text, FirstLine: 1}, b); err != nil {
		t.Fatal(err)
	}
	if len(b.Events) != 2 || b.Events[0].Message != klog+"\nsecond" || b.Input.Records != 2 {
		t.Errorf("%d events of %d records: %+v", len(b.Events), b.Input.Records, b.Events)
	}
}
