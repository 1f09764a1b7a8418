package parsers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// longLog is a log of which only some lines matter.
func longLog(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "I1130 08:%02d:%02d.%06d    1711 kubelet.go:2425] \"SyncLoop (PLEG): event for pod\" pod=\"shop/web-%d\"\n", i/60000%60, i/1000%60, i%1000, i)
		if i%5000 == 4000 {
			fmt.Fprintf(&b, "E1130 08:%02d:%02d.%06d    1711 nestedpendingoperations.go:348] Operation failed: target is busy\n\tgoroutine %d\n\tmain.go:1\n", i/60000%60, i/1000%60, i%1000, i)
		}
	}
	return b.Bytes()
}

// skimmingFor looks for some literals, with some workers.
func skimmingFor(t testing.TB, jobs, from int, literals ...string) *skimming {
	s := (&Skim{From: from, Lines: literals}).begin(nil, jobs, Limits{}.mayKeep())
	s.lines = literals // and nothing else
	t.Cleanup(s.end)
	return s
}

func skimOf(t testing.TB, data []byte, literals ...string) content {
	t.Helper()
	l, err := skimmingFor(t, 1, 0, literals...).skim(bytes.NewReader(data), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l.content()
}

// checkSkim holds that what was kept stands in the log where the pieces say.
func checkSkim(t testing.TB, data []byte, c content) {
	t.Helper()
	if c.length != int64(len(data)) || c.lines != bytes.Count(data, newline) {
		t.Fatalf("%d bytes, %d lines; the log has %d, %d", c.length, c.lines, len(data), bytes.Count(data, newline))
	}
	f := &File{Text: string(c.data), FirstLine: 1, pieces: c.pieces}
	counted, number := 0, 1
	for l := range f.lines() {
		from := int(l.offset)
		if from > len(data) || !bytes.HasPrefix(data[from:], []byte(l.text)) || from > 0 && data[from-1] != '\n' && c.passed == 0 {
			t.Fatalf("line %d, %.60q, is not at byte %d", l.number, l.text, from)
		}
		if from < counted {
			t.Fatalf("%.60q stands before the line above it", l.text)
		}
		number += bytes.Count(data[counted:from], newline)
		if counted = from; l.number != number {
			t.Fatalf("%.60q is said to be line %d, it is %d", l.text, l.number, number)
		}
	}
}

func TestSkim(t *testing.T) {
	data := longLog(200_000)
	c := skimOf(t, data, "target is busy")
	checkSkim(t, data, c)
	if len(c.data)*20 > len(data) {
		t.Errorf("%d of %d bytes were kept", len(c.data), len(data))
	}
	if got, want := bytes.Count(c.data, []byte("target is busy")), bytes.Count(data, []byte("target is busy")); got != want {
		t.Errorf("%d of %d lines that matter", got, want)
	}
	if got, want := bytes.Count(c.data, []byte("\tmain.go:1")), bytes.Count(data, []byte("\tmain.go:1")); got != want {
		t.Errorf("%d of %d records to their end", got, want)
	}
	if !bytes.HasPrefix(c.data, data[:skimEnds]) || !bytes.HasSuffix(c.data, data[len(data)-skimEnds:]) {
		t.Error("the ends were not kept whole")
	}
	last := int64(0)
	f := &File{Text: string(c.data), FirstLine: 1, pieces: c.pieces}
	for l := range f.lines() {
		if l.offset-last > 2*skimStep {
			t.Errorf("nothing of the %d bytes before line %d", l.offset-last, l.number)
		}
		last = l.offset
	}
}

func FuzzSkim(f *testing.F) {
	f.Add([]byte("a line\nthat matters not\n\tindented\n"), uint16(3))
	f.Add([]byte("no end of line"), uint16(9))
	f.Add(bytes.Repeat([]byte("target is busy\n"), 40), uint16(200))
	f.Fuzz(func(t *testing.T, unit []byte, times uint16) {
		data := bytes.Repeat(unit, int(times)%2000)
		if len(data) > 24<<20 {
			return
		}
		checkSkim(t, data, skimOf(t, data, "target is busy", "indented", "matters "))
	})
}

// Only logs in which a line stands for itself are skimmed.
func TestIsSkimmed(t *testing.T) {
	for text, want := range map[string]bool{
		string(longLog(100)): true,
		"Nov 30 08:21:33 worker-1 kubelet[161]: I1130 08:21:33.908842     161 kubelet.go:2604] \"SyncLoop DELETE\"\n": true,
		"2016-10-06T00:17:09.669794202Z stdout F The content of the log entry 1\n":                                    true,
		"apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n":                                         false,
		`{"apiVersion":"v1","kind":"List","items":[]}`:                                                                false,
		`{"level":"info","ts":1700000000.1,"msg":"hello"}` + "\n":                                                     true,
		`{"__REALTIME_TIMESTAMP":"1700000000000000","MESSAGE":"hello"}` + "\n":                                        true,
		`[{"__REALTIME_TIMESTAMP":"1700000000000000","MESSAGE":"hello"}` + "\n":                                       false,
		"{\n\t\"__REALTIME_TIMESTAMP\" : \"1700000000000000\",\n\t\"MESSAGE\" : \"hello\"\n}\n":                       false,
		`{"log":"hello\n","stream":"stderr","time":"2026-11-30T08:21:33.9Z"}` + "\n":                                  true,
		string(busyAuditLog(100)): true,
		"NAME  READY  STATUS  RESTARTS  AGE\nweb-0  1/1  Running  0  1d\n": false,
		"\x00\x01\x02\x03": false,
	} {
		if got := isSkimmed([]byte(text)); got != want {
			t.Errorf("%.50q: %v", text, got)
		}
	}
}

// A journal that becomes shorter while it is read is no reason to fall over.
func TestJournalCutWhileMapped(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files are not mapped here")
	}
	path := filepath.Join(t.TempDir(), "system.journal")
	if err := os.WriteFile(path, []byte(smallJournal(20000, true, nil)), 0o600); err != nil {
		t.Fatal(err)
	}
	all := skimmingFor(t, 1, 1<<20, "SyncLoop DELETE")
	var b *timeline.Builder
	err := open(context.Background(), []string{path}, nil, Limits{}, all, nil, func(m *Member) error {
		if m.unmap == nil {
			t.Fatal("the journal was not mapped")
		}
		if err := os.Truncate(path, 1<<16); err != nil {
			t.Fatal(err)
		}
		b = readMember(m, foundBundles{}, nil, All(), all)
		m.drop()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(b.Input.Gaps) == 0 || !strings.Contains(b.Input.Gaps[len(b.Input.Gaps)-1].Detail, "could not be read to the end") {
		t.Errorf("gaps: %v", b.Input.Gaps)
	}
}

// Skimmed, a journal gives the entries that matter, and counts all.
func TestJournalSkimmed(t *testing.T) {
	text := smallJournal(20000, true, nil)
	b := timeline.NewBuilder("system.journal")
	f := &File{Path: "system.journal", binary: []byte(text), matter: literal.New([]string{"shop/web-7777\""}, "")}
	if err := journalBinaryParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	if b.Input.Records != 20000 || !b.Input.Skimmed {
		t.Errorf("%d records, skimmed %v", b.Input.Records, b.Input.Skimmed)
	}
	found := 0
	for _, e := range b.Events {
		if strings.Contains(e.Message, `shop/web-7777"`) {
			found++
		}
	}
	if found != 1 || len(b.Events) > 2000 {
		t.Errorf("%d of what matters among %d events", found, len(b.Events))
	}
}

// A journal in JSON lines that was skimmed tells where its lines stand.
func TestSkimmedJSONPlaces(t *testing.T) {
	var log bytes.Buffer
	for i := range 20000 {
		message := fmt.Sprintf(`kubelet.go:2425] \"SyncLoop (PLEG)\" pod=\"shop/web-%d\"`, i)
		if i%3000 == 2500 {
			message = `\"Killing container with a grace period\" pod=\"shop/db-0\"`
		}
		fmt.Fprintf(&log, `{"__REALTIME_TIMESTAMP":"%d","_HOSTNAME":"worker-1","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":"I1130 08:21:33.908842     161 %s"}`+"\n", 1700000000000000+i*1000, message)
	}
	data := log.Bytes()
	c := skimOf(t, data, `"Killing container with a grace period" pod="`)
	checkSkim(t, data, c)
	b := timeline.NewBuilder("journal.json")
	if err := journalJSONParser.Parse(&File{Path: "journal.json", Text: string(c.data), FirstLine: 1, pieces: c.pieces}, b); err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range b.Events {
		if strings.Contains(e.Message, "Killing container") {
			found++
		}
		if at := int(e.Source.Offset); e.Source.Line != 1+bytes.Count(data[:at], newline) || at > 0 && data[at-1] != '\n' {
			t.Fatalf("%.60q is said to be at line %d, byte %d", e.Message, e.Source.Line, at)
		}
	}
	if found != 6 || len(b.Events) > 4000 {
		t.Errorf("%d of what matters among %d events", found, len(b.Events))
	}
}
