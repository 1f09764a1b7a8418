package parsers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.yaml.in/yaml/v3"

	"podautopsy/timeline"
)

// Files that other projects keep for their own tests, and bundles that real
// collectors made. They are read where they lie.
const (
	realData    = "../../shared/realdata"
	realBundles = "../../shared/lab-bundles"
)

// notUnderstood are the files of realData that no parser reads and that are of
// no known kind either, each with the reason.
var notUnderstood = []struct{ files, reason string }{
	{"_oracle/journals.tsv", "a table about the journals, made for these tests"},
	{"GoogleCloudPlatform+khi/test/logs/oss/test-log.yaml", "an audit entry that a test wrote down as YAML; the API server writes JSON"},
	{"KDE+kjournald/autotests/journaldhelper/cleanup_string_*.txt", "words, for a test of trimming them"},
	{"derailed+k9s/internal/dao/testdata/bench/*", "results of a load test"},
	{"derailed+k9s/internal/render/testdata/b?.txt", "results of a load test"},
	{"derailed+popeye/internal/lint/testdata/config/1.yaml", "settings of popeye"},
	{"derailed+popeye/pkg/config/json/testdata/*.yaml", "settings of popeye"},
	{"fluent+fluent-bit/tests/runtime/data/in_kubernetes_events/*.out", "what fluent-bit makes of Events: records of its own"},
	{"fluent+fluent-bit/tests/runtime/data/in_kubernetes_events/watch_v1_with_lastTimestamp.json", "an answer to a watch, which no collector keeps"},
	{"fluent+fluent-bit/tests/runtime/data/kubernetes/meta/*.meta", "a pod's annotations without the pod"},
	{"fluent+fluent-bit/tests/runtime/data/kubernetes/out/*.out", "what fluent-bit makes of container logs: records of its own"},
	{"kellyjonbrazil+jc/tests/fixtures/generic/mount-parens-in-filesystem.out", "mount of macOS"},
	{"kellyjonbrazil+jc/tests/fixtures/generic/syslog-5424.out", "lines of RFC 5424, most of them broken on purpose"},
	{"kellyjonbrazil+jc/tests/fixtures/generic/timedatectl-timesync-status.out", "how far NTP is, without a time"},
	{"kellyjonbrazil+jc/tests/fixtures/linux-proc/*", "files of /proc under names of their own: known by their place alone"},
	{"liggitt+audit2rbac/testdata/demo-policy.yaml", "an audit policy"},
	{"log2timeline+plaso/test_data/audit_enriched.log", "auditd's log, by another program of that name"},
	{"log2timeline+plaso/test_data/selinux.log", "auditd's log, by another program of that name"},
	{"log2timeline+plaso/test_data/docker/graph/*/json", "an image of Docker"},
	{"log2timeline+plaso/test_data/syslog/syslog_rsyslog_*ForwardFormat", "syslog as it is sent over a network: no line has an end"},
	{"log2timeline+plaso/test_data/syslog.zip!wtmp.1", "logins, in binary form"},
	{"openshift+must-gather-clean/test/files/removed-*.txt", "a list of what was taken out of these archives"},
	{"openshift+must-gather-clean/test/files/*.tar.xz!*/*/version", "the version of the collector, in two words"},
	{"replicatedhq+troubleshoot/*/config/replicas.txt", "a number"},
	{"replicatedhq+troubleshoot/*/files/example.json", "whatever a user copies from a pod"},
	{"replicatedhq+troubleshoot/*/run-daemonset-example/*.log", "the output of a program that the user chose"},
	{"replicatedhq+troubleshoot/*/http*.json", "the answer of a web server"},
	{"replicatedhq+troubleshoot/*/run-*example*.json", "the collector's own pod and its Events, without kinds"},
	{"tstack+lnav/test/logfile_docker_compose*", "docker compose logs"},
	{"tstack+lnav/test/logfile_epoch.0", "an application's log, stamped with milliseconds"},
	{"tstack+lnav/test/logfile_generic.3", "an application's log, with stamps of its own"},
	{"tstack+lnav/test/logfile_invalid_json*.json", "an application's JSON, with fields of its own"},
	{"tstack+lnav/test/logfile_invalid_tz.0", "stamps with a zone that does not exist"},
	{"tstack+lnav/test/logfile_invalid_utf8.0", "an application's log, with stamps of its own"},
	{"tstack+lnav/test/logfile_json3.json", "an application's JSON, with fields of its own"},
	{"tstack+lnav/test/logfile_json_subsec.json", "an application's JSON, with fields of its own"},
	{"tstack+lnav/test/logfile_nested_json.json", "an application's JSON, with fields of its own"},
	{"tstack+lnav/test/logfile_otel_collector.jsonl", "OpenTelemetry's records of an application"},
	{"tstack+lnav/test/logfile_plain.0", "no log"},
	{"tstack+lnav/test/logfile_rust_tracing.0", "an application's JSON, with fields of its own"},
	{"tstack+lnav/test/logfile_syslog_fr.0", "syslog in French: journald and the runtimes write English"},
	{"tstack+lnav/test/logfile_tai64n.0", "stamps of daemontools"},
}

// realRead is a folder as it was read: once for all tests, for it is large.
type realRead struct {
	members  []*Member // with their content
	builders []*timeline.Builder
}

var readRealData = sync.OnceValues(func() (realRead, error) { return readFolder(realData) })

func readFolder(dir string) (realRead, error) {
	var read realRead
	err := Open(context.Background(), []string{dir}, nil, Limits{}, func(m *Member) error {
		kept := *m
		read.members = append(read.members, &kept)
		return nil
	})
	if err != nil {
		return read, err
	}
	var paths []string
	for _, m := range read.members {
		paths = append(paths, m.Path)
	}
	bundles := recognise(paths)
	for _, m := range read.members {
		bundles.ReadIndex(m.Path, m.Data)
	}
	for _, m := range read.members {
		read.builders = append(read.builders, readMember(m, bundles, nil, All(), nil))
	}
	return read, nil
}

func realDataRead(t *testing.T) realRead {
	t.Helper()
	if testing.Short() {
		t.Skip("takes long")
	}
	if _, err := os.Stat(realData); err != nil {
		t.Skip("no files of other projects beside the repository")
	}
	read, err := readRealData()
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// globbed is path.Match in which a star may stand for folders, too.
func globbed(pattern, name string) bool {
	words := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile("^" + words + "$").MatchString(name)
}

// Every file is read, is of a known kind, or is in the table.
func TestRealDataIsUnderstood(t *testing.T) {
	read := realDataRead(t)
	used := map[string]bool{}
	for _, b := range read.builders {
		in := &b.Input
		for _, g := range in.Gaps {
			if g.Kind == timeline.GapUnreadable {
				t.Errorf("%s: %s", in.Path, g.Detail)
			}
		}
		i := slices.IndexFunc(notUnderstood, func(n struct{ files, reason string }) bool { return globbed(n.files, in.Path) })
		switch understood := in.Format != "" || in.Unused != "" || in.Bytes == 0; {
		case understood:
		case i < 0:
			t.Errorf("%s is not understood, and nothing says why", in.Path)
		default:
			used[notUnderstood[i].files] = true
		}
	}
	for _, n := range notUnderstood {
		if !used[n.files] {
			t.Errorf("all of %s is understood by now, in spite of: %s", n.files, n.reason)
		}
	}
}

// Of the files of known layouts nearly all are recognised as what they are.
func TestRealBundlesAreRecognised(t *testing.T) {
	if _, err := os.Stat(realBundles); err != nil {
		t.Skip("no bundles beside the repository")
	}
	if testing.Short() {
		t.Skip("takes long")
	}
	bundles, err := filepath.Glob(filepath.Join(realBundles, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	bundles = append(bundles, filepath.Join(realData, "openshift+must-gather-clean/test/files/must-gather-vsphere.tar.xz"),
		filepath.Join(realData, "replicatedhq+troubleshoot/test/baselines/supportbundle/baseline.tar.gz"))
	for _, bundle := range bundles {
		if name := filepath.Base(bundle); strings.HasPrefix(name, "expect-") || name == "truth.json" {
			continue // what the makers of the bundle know
		}
		read, err := readFolder(bundle)
		if err != nil {
			continue // a checksum
		}
		all, known := 0, 0
		var strange []string
		for _, b := range read.builders {
			all++
			if b.Input.Format != "" || b.Input.Unused != "" || b.Input.Bytes == 0 {
				known++
			} else {
				strange = append(strange, b.Input.Path)
			}
		}
		if known*100 < all*95 {
			t.Errorf("%s: %d of %d files are recognised; not %s", bundle, known, all, strings.Join(strange, ", "))
		}
	}
}

// What INDEX.md says of the must-gather, and what a search for the words finds.
func TestRealMustGather(t *testing.T) {
	read := realDataRead(t)
	words := []string{`"SyncLoop DELETE"`, "Killing container with a grace period", "UnmountVolume.TearDown succeeded", "PLEG is not healthy", "Stopping pod sandbox"}
	pods := 0
	for i, m := range read.members {
		if !strings.Contains(m.Path, "must-gather-vsphere.tar.xz!") {
			continue
		}
		b := read.builders[i]
		if dir := path.Dir(m.Path); path.Ext(m.Path) == ".yaml" && path.Base(path.Dir(dir)) == "pods" {
			if len(b.Objects) != 1 || b.Objects[0].Kind != "Pod" {
				t.Errorf("%s: %d objects", m.Path, len(b.Objects))
			}
			pods++
		}
		if !strings.HasSuffix(m.Path, "_service.log") {
			continue
		}
		for _, word := range words {
			want, got := bytes.Count(m.Data, []byte(word)), 0
			for j := range b.Events {
				got += strings.Count(b.Events[j].Message, word)
			}
			if got != want {
				t.Errorf("%s: %d times %s, not %d", m.Path, got, word, want)
			}
		}
	}
	if pods < 235 || pods > 248 {
		t.Errorf("%d pods, not 235 to 248", pods)
	}
}

// Each object that an independent decoder finds is an object, an Event or a
// known gap.
func TestRealObjectCounts(t *testing.T) {
	read := realDataRead(t)
	files := 0
	for i, m := range read.members {
		b := read.builders[i]
		if b.Input.Format != kubernetesYAMLParser.Name && b.Input.Format != kubernetesJSONParser.Name {
			continue
		}
		want, ok := countObjects(m.Data, b.Input.Format == kubernetesJSONParser.Name)
		if !ok {
			continue // with headings between the documents, or broken
		}
		files++
		if got := b.Input.Records - len(b.Listings); got != want && len(b.Input.Gaps) == 0 && b.Input.Records != want {
			t.Errorf("%s: %d records, %d of them lists, but %d objects", m.Path, b.Input.Records, len(b.Listings), want)
		}
	}
	if files < 2000 {
		t.Errorf("only %d files compared", files)
	}
}

// countObjects counts the items of lists, and what is no list.
func countObjects(data []byte, isJSON bool) (int, bool) {
	var next func(any) error
	if isJSON {
		next = json.NewDecoder(bytes.NewReader(data)).Decode
	} else {
		next = yaml.NewDecoder(bytes.NewReader(data)).Decode
	}
	n := 0
	for {
		var document any
		if err := next(&document); errors.Is(err, io.EOF) {
			return n, true
		} else if err != nil {
			return 0, false
		}
		switch d := document.(type) {
		case map[string]any:
			kind, _ := d["kind"].(string)
			if items, ok := d["items"].([]any); ok && (kind == "" || strings.HasSuffix(kind, "List")) {
				n += len(items)
			} else if d["items"] == nil || kind != "" && !strings.HasSuffix(kind, "List") {
				n++
			}
		case []any:
			n += len(d)
		case nil:
		default:
			return 0, false
		}
	}
}

// The lines of a log are events, their continuations, or what journalctl writes
// between them.
func TestRealLogLines(t *testing.T) {
	read := realDataRead(t)
	for i, m := range read.members {
		b := read.builders[i]
		switch b.Input.Format {
		case journalShortParser.Name, klogParser.Name, containerLogParser.Name:
		default:
			continue
		}
		if b.Input.Encoding != "" || len(b.Input.Gaps) > 0 {
			continue
		}
		lines := strings.Split(string(m.Data), "\n")
		told := make([]bool, len(lines)+1)
		for j := range b.Events {
			src := b.Events[j].Source
			for n := src.Line; n <= max(src.Line, src.LastLine) && n < len(told); n++ {
				told[n] = true
			}
		}
		missing := 0
		for n, text := range lines {
			if text = strings.TrimSpace(text); text != "" && !told[n+1] && !strings.HasPrefix(text, "-- ") && text != "--" && !strings.HasPrefix(text, "Log ") && !strings.HasPrefix(text, "Running on machine") && !strings.HasPrefix(text, "Binary: ") {
				if missing++; missing == 1 {
					t.Logf("%s:%d: %s", m.Path, n+1, prefix(text, 120))
				}
			}
		}
		if missing > 0 {
			t.Errorf("%s: %d of %d lines are part of no event", m.Path, missing, len(lines))
		}
	}
}

// The binary journals hold as many entries as journalctl finds, between the
// same times; TestJournalBinaryAgainstExports compares entry by entry.
func TestRealJournals(t *testing.T) {
	read := realDataRead(t)
	table, err := os.ReadFile(filepath.Join(realData, "_oracle/journals.tsv"))
	if err != nil {
		t.Skip(err)
	}
	byPath := map[string]*timeline.Builder{}
	for _, b := range read.builders {
		byPath[b.Input.Path] = b
	}
	for row := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSpace(row), "\t")
		want, err := strconv.Atoi(cells[8])
		if err != nil {
			continue // the heading
		}
		b := byPath[cells[1]]
		switch {
		case b == nil:
			t.Errorf("%s was not read", cells[1])
		case b.Input.Records != want:
			t.Errorf("%s: %d entries, not %d", cells[1], b.Input.Records, want)
		case want > 0 && !slices.ContainsFunc(b.Events, func(e timeline.Event) bool { return e.Time.Format("2006-01-02T15:04:05.000000Z") == cells[11] }):
			t.Errorf("%s: no entry of %s", cells[1], cells[11])
		}
	}
}
