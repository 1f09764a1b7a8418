package parsers

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

// sosManifest41 is cut from what sos 4.12 writes; the file of a truncated
// output, and a timeout, as its source code would note them.
const sosManifest41 = `{
    "version": "4.12.0",
    "cmdline": "report --batch -k kubernetes.all=on",
    "start_time": "2026-11-30 10:56:53.667358",
    "compression": "auto",
    "components": {
        "report": {
            "sysroot": "/",
            "plugins": {
                "containerd": {
                    "start_time": "2026-11-30 10:56:54.577001",
                    "end_time": "2026-11-30 10:56:54.980001",
                    "timeout": 300,
                    "timeout_hit": false,
                    "commands": [
                        {
                            "command": "containerd",
                            "parameters": [
                                "config",
                                "dump"
                            ],
                            "exec": "containerd config dump",
                            "filepath": "sos_commands/containerd/containerd_config_dump",
                            "truncated": false,
                            "return_code": 0,
                            "priority": 10,
                            "start_time": 1796032614.5783885,
                            "end_time": 1796032614.63737,
                            "run_time": 0.05898165702819824,
                            "tags": []
                        },
                        {
                            "command": "journalctl",
                            "exec": "journalctl --no-pager  --unit containerd --reverse",
                            "filepath": "sos_strings/containerd/journalctl_--no-pager_--unit_containerd.tailed",
                            "truncated": true,
                            "return_code": 0,
                            "start_time": 1796032614.8809416,
                            "end_time": 1796032614.9512532,
                            "tags": [
                                "journal_containerd"
                            ]
                        }
                    ],
                    "files": []
                },
                "crio": {
                    "start_time": "2026-11-30 10:56:54.577001",
                    "timeout": 300,
                    "timeout_hit": true,
                    "commands": [
                        {
                            "exec": "crictl ps -a",
                            "filepath": null,
                            "return_code": 127
                        },
                        {
                            "exec": "crictl pods",
                            "filepath": "sos_commands/crio/crictl_pods",
                            "return_code": 124
                        },
                        {
                            "exec": "crictl info",
                            "filepath": "sos_commands/crio/crictl_info",
                            "return_code": 1
                        },
                        {
                            "exec": "systemctl status crio",
                            "filepath": "sos_commands/crio/systemctl_status_crio",
                            "return_code": 3
                        },
                        {
                            "exec": "ethtool -m lo",
                            "filepath": "sos_commands/networking/ethtool_-m_lo",
                            "return_code": 1
                        },
                        {
                            "exec": "dmidecode",
                            "filepath": null,
                            "return_code": 127
                        }
                    ]
                }
            }
        }
    }
}
`

func TestSosManifest(t *testing.T) {
	f := &File{Path: "r.tar.xz!sosreport-w1-2026-11-30-abcdefg/sos_reports/manifest.json", Text: sosManifest41, FirstLine: 1}
	b := timeline.NewBuilder(f.Path)
	if !sosManifestParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	if err := sosManifestParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	root := "r.tar.xz!sosreport-w1-2026-11-30-abcdefg/"
	at := func(micros int64) time.Time { return time.UnixMicro(micros).UTC() }
	want := []timeline.Collected{
		{Path: root + "sos_commands/containerd/containerd_config_dump", Command: "containerd config dump", At: at(1796032614578389)},
		{Path: root + "sos_strings/containerd/journalctl_--no-pager_--unit_containerd.tailed", Command: "journalctl --no-pager --unit containerd --reverse", At: at(1796032614880942), Truncated: true},
		{Path: root + "sos_commands/crio/crictl_pods", Command: "crictl pods", ExitStatus: 124, Failed: true, TimedOut: true},
		{Path: root + "sos_commands/crio/crictl_info", Command: "crictl info", ExitStatus: 1, Failed: true},
		{Path: root + "sos_commands/crio/systemctl_status_crio", Command: "systemctl status crio", ExitStatus: 3},
		{Path: root + "sos_commands/networking/ethtool_-m_lo", Command: "ethtool -m lo", ExitStatus: 1},
	}
	lines := strings.Split(f.Text, "\n")
	for i := range b.Collected {
		c := &b.Collected[i]
		if text := lines[c.Source.Line-1]; !strings.Contains(text, `"exec": "`+strings.Fields(c.Command)[0]) {
			t.Errorf("%s is said to stand in line %d: %s", c.Path, c.Source.Line, text)
		}
		c.Source = timeline.Source{}
	}
	if diff := cmp.Diff(want, b.Collected); diff != "" {
		t.Error(diff)
	}
	wantGaps := []string{
		"sos gave up its plugin crio after 300 s: what that had not collected is missing",
		"crictl ps -a: there is no such program, nothing was kept",
	}
	if diff := cmp.Diff(wantGaps, gapDetails(b)); diff != "" {
		t.Error(diff)
	}
	if got := b.Input.CapturedAt; !got.Equal(at(1796032614951253)) {
		t.Errorf("captured at %v", got)
	}
	hint := timeline.ClockHint{Local: time.Date(2026, 11, 30, 10, 56, 54, 577001000, time.UTC), UTC: at(1796032614578389)}
	if diff := cmp.Diff([]timeline.ClockHint{hint}, b.Clocks); diff != "" {
		t.Error(diff)
	}
}

func gapDetails(b *timeline.Builder) []string {
	var details []string
	for _, g := range b.Input.Gaps {
		details = append(details, g.Detail)
	}
	return details
}

// Half a manifest still tells of the commands before the cut.
func TestSosManifestCut(t *testing.T) {
	text := sosManifest41[:strings.Index(sosManifest41, `"crictl info"`)]
	f := &File{Path: "sos_reports/manifest.json", Text: text, FirstLine: 1}
	b := timeline.NewBuilder(f.Path)
	if !sosManifestParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	if err := sosManifestParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	if len(b.Collected) != 3 || b.Collected[0].Path != "sos_commands/containerd/containerd_config_dump" {
		t.Errorf("%+v", b.Collected)
	}
	if details := gapDetails(b); !strings.Contains(strings.Join(details, "\n"), "the manifest ends in the middle") {
		t.Errorf("gaps: %q", details)
	}
}

// sos collect notes each node that it went to.
func TestSosManifestOfCollect(t *testing.T) {
	f := &File{Path: "sos-collector-x/sos_reports/manifest.json", FirstLine: 1, Text: `{
  "version": "4.5", "cmdline": "collect --batch", "start_time": "2026-11-30 10:56:53.667358",
  "components": {"collect": {"ssh_control_path": "", "nodes": {
    "cp-1": {"hostname": "cp-1", "collected_archive": "sosreport-cp-1-control-plane-2026-11-30-abcdefg.tar.xz"},
    "worker-3": {"hostname": "worker-3", "sos_version": "4.5"}
  }}}}`}
	b := timeline.NewBuilder(f.Path)
	if !sosManifestParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	if err := sosManifestParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"sos collect brought no report of node worker-3"}, gapDetails(b)); diff != "" {
		t.Error(diff)
	}
}

func TestSosLog(t *testing.T) {
	f := &File{Path: "sos_logs/sos.log", FirstLine: 1, Text: strings.Join([]string{
		`2026-11-30 09:58:08,914 INFO: [sos.report:setup] executing 'sos report --batch'`,
		`2026-11-30 09:58:08,994 WARNING: [plugin:networking] skipped command 'nft list ruleset': required kmods missing: nf_tables. `,
		`2026-11-30 09:58:09,412 WARNING: [plugin:crio] skipped command 'crictl ps -a': required services missing: crio. `,
		`2026-11-30 09:58:09,500 INFO: [plugin:kubernetes] collecting output of 'journalctl --no-pager  --unit kubelet'`,
		`2026-11-30 10:03:09,500 WARNING: [plugin:kubernetes] command 'journalctl --no-pager  --unit kubelet' timed out after 300s`,
		`2026-11-30 10:03:09,500 WARNING: [plugin:networking] command 'ss -peaonmi' timed out after 300s`,
		`2026-11-30 10:03:10,000 ERROR: [worker-5:retrieve_sosreport] Failed to retrieve sosreport`,
		`2026-11-30 10:03:11,000 ERROR: `,
		` Plugin kubernetes timed out`,
		``,
	}, "\n")}
	if !sosLogParser.Sniff(f) {
		t.Fatal("not recognised")
	}
	b := timeline.NewBuilder(f.Path)
	if err := sosLogParser.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, g := range b.Input.Gaps {
		lines = append(lines, g.Source.Line)
	}
	if diff := cmp.Diff([]string{
		"sos did not run crictl ps -a: required services missing: crio",
		"sos gave up journalctl --no-pager --unit kubelet after 300 s: its output is not whole",
		"sos collect on node worker-5: Failed to retrieve sosreport",
		"sos gave up its plugin kubernetes: what that had not collected is missing",
	}, gapDetails(b)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{3, 5, 7, 9}, lines); diff != "" {
		t.Error(diff)
	}
	if b.Input.Records != 8 || len(b.Events) != 0 {
		t.Errorf("%d records, %d events", b.Input.Records, len(b.Events))
	}
}

// Other programs' logs are not sos's.
func TestSosLogOfOthers(t *testing.T) {
	for _, text := range []string{
		"2026-11-30 09:58:08,914 INFO: starting\n2026-11-30 09:58:08,914 ERROR: no route\n",
		"2026-11-30 09:58:08,914 INFO [main] org.example: started\n",
		"",
	} {
		if sosLogParser.Sniff(&File{Path: "var/log/app.log", Text: text}) {
			t.Errorf("taken for a log of sos: %q", text)
		}
	}
}

// What real reports note of their files is about files that they hold.
func TestSosManifestOfRealReports(t *testing.T) {
	archives, err := filepath.Glob("../../shared/lab-bundles/*/sosreport-*.tar.xz")
	if err != nil || len(archives) == 0 {
		t.Skip("no real reports here")
	}
	for _, archive := range archives {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			files := map[string]*Member{}
			if err := Open(t.Context(), []string{archive}, nil, Limits{}, func(m *Member) error {
				kept := *m
				files[m.Path] = &kept
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			links := map[string]bool{}
			for _, m := range files {
				for _, l := range m.links {
					links[l.Path] = true
				}
			}
			for path, m := range files {
				if !strings.HasSuffix(path, "/"+sosManifestPath) {
					continue
				}
				f := &File{Path: path, Text: string(m.Data), FirstLine: 1}
				b := timeline.NewBuilder(path)
				if !sosManifestParser.Sniff(f) {
					t.Fatal("not recognised")
				}
				if err := sosManifestParser.Parse(f, b); err != nil {
					t.Fatal(err)
				}
				missing := 0
				for _, c := range b.Collected {
					if files[c.Path] == nil && !links[c.Path] {
						missing++
					}
				}
				if len(b.Collected) < 300 || missing*50 > len(b.Collected) {
					t.Errorf("%d commands, of which %d wrote files that are not there", len(b.Collected), missing)
				}
			}
		})
	}
}

func FuzzSosManifest(f *testing.F) {
	f.Add(sosManifest41)
	f.Add(`{"cmdline":"collect","components":{"collect":{"nodes":{"a":{},"b":{"collected_archive":"x"}}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "sos_reports/manifest.json", Text: text, FirstLine: 1}
		if !sosManifestParser.Sniff(file) {
			return
		}
		b := timeline.NewBuilder(file.Path)
		_ = sosManifestParser.Parse(file, b)
		lines := strings.Count(text, "\n") + 1
		for _, c := range b.Collected {
			if c.Source.Line < 1 || c.Source.Line > lines {
				t.Errorf("line %d of %d", c.Source.Line, lines)
			}
		}
		for _, g := range b.Input.Gaps {
			if g.Source.Line < 1 || g.Source.Line > lines {
				t.Errorf("gap at line %d of %d", g.Source.Line, lines)
			}
		}
	})
}

func FuzzSosLog(f *testing.F) {
	f.Add("2026-11-30 09:58:08,914 INFO: [sos.report:setup] executing 'sos'\n2026-11-30 10:03:09,500 WARNING: [plugin:kubernetes] command 'journalctl' timed out after 300s\n")
	f.Add("2026-11-30 10:03:11,000 ERROR: \n Plugin kubernetes timed out\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "sos_logs/ui.log", Text: text, FirstLine: 1}
		if !sosLogParser.Sniff(file) {
			return
		}
		b := timeline.NewBuilder(file.Path)
		if err := sosLogParser.Parse(file, b); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		for _, g := range b.Input.Gaps {
			if g.Source.Line < 1 || g.Source.Line > len(lines) || strings.TrimSpace(lines[g.Source.Line-1]) == "" {
				t.Errorf("gap at line %d of %d", g.Source.Line, len(lines))
			}
		}
	})
}
