package parsers

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"podautopsy/timeline"
)

// One journal gives the same records in whatever form it was printed. The
// forms of a capture were taken one after the other, so the last records may
// differ.
func TestJournalFormsAgree(t *testing.T) {
	for _, dir := range shared(t, "lab/*") {
		for _, program := range []string{"kubelet", "containerd"} {
			forms := append(sharedIn(dir, "formats/node/journal-"+program+".*"), sharedIn(dir, "input/node/journal-"+program+".*")...)
			var reference *timeline.Builder
			for _, path := range forms {
				if strings.HasSuffix(path, ".export") {
					_, reference = parseLog(t, path, readText(t, path))
				}
			}
			if reference == nil {
				continue
			}
			for _, path := range forms {
				text := readText(t, path)
				format, b := parseLog(t, path, text)
				checkSources(t, text, b)
				if format == "journal-short" {
					checkTexts(t, text, b)
				}
				if d := len(b.Events) - len(reference.Events); d > 20 || d < -20 {
					t.Errorf("%s: %d records, export has %d", path, len(b.Events), len(reference.Events))
				}
				for i := range min(len(b.Events), len(reference.Events)) {
					got, want := b.Events[i], reference.Events[i]
					if got.Message != want.Message || got.Component != want.Component || got.PID != want.PID || got.Node != want.Node {
						t.Errorf("%s:%d: %s[%d]@%s %q, want %s[%d]@%s %q", path, got.Source.Line,
							got.Component, got.PID, got.Node, got.Message, want.Component, want.PID, want.Node, want.Message)
						break
					}
					at := printed{time: got.Time}
					if got.Stamp.NoYear {
						at = at.inYear(want.Time.Year())
					}
					// A message is written before journald receives it, on a busy node by
					// tens of milliseconds.
					if d := at.time.Sub(want.Time); d.Abs() > got.Precision+100*time.Millisecond {
						t.Errorf("%s:%d: %v, want %v", path, got.Source.Line, at.time, want.Time)
					}
				}
			}
		}
	}
}

func sharedIn(dir, pattern string) []string {
	found, _ := filepath.Glob(filepath.Join(dir, pattern))
	return found
}

// Every log of the labelled cases is read to its last line.
func TestCaseLogs(t *testing.T) {
	read := 0
	for _, path := range shared(t, "cases/*/input/*") {
		text := readText(t, path)
		f := &File{Path: path, Text: text, FirstLine: 1}
		for _, p := range logParsers() {
			if !p.Sniff(f) {
				continue
			}
			b := timeline.NewBuilder(path)
			if err := p.Parse(f, b); err != nil {
				t.Errorf("%s: %v", path, err)
				break
			}
			read++
			for _, g := range b.Input.Gaps {
				if g.Kind == timeline.GapNotUnderstood {
					t.Errorf("%s: %s: %s", p.Name, g.Source, g.Detail)
				}
			}
			checkSources(t, text, b)
			for _, e := range b.Events {
				if e.Component == "" || e.Time.IsZero() && !e.Stamp.HasSinceBoot {
					t.Errorf("%s: %s: component %q, time %v", p.Name, e.Source, e.Component, e.Time)
					break
				}
			}
			break
		}
	}
	t.Logf("%d logs", read)
}

// A message reaches the signatures as they were written for it, in whatever
// wrapping it comes.
func TestSignatureSamples(t *testing.T) {
	var signatures []struct{ ID, Component, Regex, Sample string }
	if err := json.Unmarshal([]byte(readText(t, shared(t, "reference/signatures.json")[0])), &signatures); err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, s := range signatures {
		if s.Sample == "" || s.Regex == "" || strings.Contains(s.Sample, "\n") {
			continue
		}
		re, err := regexp.Compile(s.Regex)
		if err != nil || !re.MatchString(s.Sample) {
			continue // not for us to judge
		}
		checked++
		quoted, _ := json.Marshal(s.Sample)
		for name, text := range map[string]string{
			"short":  "Nov 30 08:32:06 worker-1 kubelet[3543]: " + s.Sample + "\n",
			"iso":    "2026-11-30T08:32:06+0000 worker-1 kubelet[3543]: " + s.Sample + "\n",
			"export": "__REALTIME_TIMESTAMP=1796027525224838\nSYSLOG_IDENTIFIER=kubelet\nMESSAGE=" + s.Sample + "\n\n",
			"json":   `{"__REALTIME_TIMESTAMP":"1796027525224838","SYSLOG_IDENTIFIER":"kubelet","MESSAGE":` + string(quoted) + "}\n",
			"cri":    "2016-10-06T00:17:09.669794202Z stderr F " + s.Sample + "\n",
			"docker": `{"log":` + strings.TrimSuffix(string(quoted), `"`) + `\n","stream":"stderr","time":"2016-10-06T00:17:09.669794202Z"}` + "\n",
		} {
			_, b := parseLog(t, name, text)
			if len(b.Events) != 1 || !re.MatchString(b.Events[0].Message) {
				t.Errorf("%s in %s: %q does not match %q", s.ID, name, b.Events[0].Message, s.Regex)
			}
		}
		if readSpoken(s.Sample).kind == spokenPlain {
			continue
		}
		if _, b := parseLog(t, "plain", s.Sample+"\n"); !re.MatchString(b.Events[0].Message) {
			t.Errorf("%s in a plain file: %q does not match %q", s.ID, b.Events[0].Message, s.Regex)
		}
	}
	t.Logf("%d of %d", checked, len(signatures))
}

func TestRealSyslogs(t *testing.T) {
	for _, pattern := range []string{
		"realdata/canonical+hotsos/tests/unit/fake_data_root/*/sos_commands/logs/journalctl_--no-pager*",
		"realdata/canonical+hotsos/tests/unit/fake_data_root/*/var/log/syslog",
		"realdata/canonical+hotsos/tests/unit/fake_data_root/*/var/log/dmesg",
		"realdata/KDE+kjournald/autotests/*.export",
		"realdata/tstack+lnav/test/logfile_journald.json",
		"realdata/coreos+go-systemd/gatewayd/json/*.json",
		"realdata/log2timeline+plaso/test_data/cri.log",
	} {
		for _, path := range shared(t, pattern) {
			text := readText(t, path)
			if text == "" {
				continue // containers have no kernel log
			}
			format, b := parseLog(t, path, text)
			for _, g := range b.Input.Gaps {
				t.Errorf("%s: %s %s", g.Source, g.Kind, g.Detail)
			}
			checkSources(t, text, b)
			if format == "journal-short" || format == "dmesg" {
				checkTexts(t, text, b)
			}
		}
	}
}
