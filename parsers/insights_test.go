package parsers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

func TestInsightsPlaces(t *testing.T) {
	const top = "insights-w1.example.com-20261130095700.tar.gz!insights-w1.example.com-20261130095700/"
	for name, paths := range map[string][]string{
		"since 2021": {top + "insights_archive.txt", top + "meta_data/insights.specs.Specs.date.json", top + "data/insights_commands/date"},
		"before":     {top + "insights_commands/date", top + "branch_info"},
	} {
		t.Run(name, func(t *testing.T) {
			bundles := recognise(paths)
			if got := bundles.Name(); got != "insights" {
				t.Fatalf("layout %q", got)
			}
			below := top
			if name == "since 2021" {
				below += "data/"
			}
			for rel, want := range map[string]Place{
				"insights_commands/date":                         {Command: "date"},
				"insights_commands/mount":                        {Command: "mount"},
				"insights_commands/journalctl_--no-pager_--boot": {Command: "journalctl --no-pager --boot", Cut: true},
				"insights_commands/ps_auxwww":                    {Command: "ps auxwww", Cut: true},
				"insights_commands/ps_auxcww":                    {Command: "ps auxcww"},
				"proc/mounts":                                    {Command: "cat /proc/mounts"},
				"var/log/messages":                               {Cut: true},
				"etc/hostname":                                   {},
			} {
				want.Folder, want.Node = top, "w1.example.com"
				if diff := cmp.Diff(want, bundles.Place(below+rel)); diff != "" {
					t.Errorf("%s:\n%s", rel, diff)
				}
			}
			if got := bundles.Place(paths[len(paths)-1]).Folder; got != top {
				t.Errorf("%s is of %s", paths[len(paths)-1], got)
			}
			bundles.ReadIndex(below+"insights_commands/hostname", []byte("w1\n"))
			if got := bundles.Place(below + "insights_commands/mount").Node; got != "w1" {
				t.Errorf("node %q", got)
			}
		})
	}
}

func TestInsightsMetadata(t *testing.T) {
	const path = "insights-w1-20261130095700/meta_data/insights.specs.Specs.x.json"
	for _, c := range []struct {
		name, text string
		collected  []timeline.Collected
		gaps       []string
	}{
		{
			name: "a command",
			text: `{
  "name": "insights.specs.Specs.mount",
  "exec_time": 0.0002298355102539,
  "errors": [],
  "results": {
    "type": "insights.core.spec_factory.CommandOutputProvider",
    "object": {
      "rc": null,
      "cmd": "/bin/mount",
      "args": null,
      "save_as": false,
      "relative_path": "insights_commands/mount"
    }
  },
  "ser_time": 0.016474246978759766
}`,
			collected: []timeline.Collected{{
				Path: "insights-w1-20261130095700/data/insights_commands/mount", Command: "/bin/mount",
				Source: timeline.Source{File: path, Line: 12, Offset: 277},
			}},
		},
		{
			name: "files",
			text: `{"name": "insights.specs.Specs.messages", "errors": [], "results": [{"type": "insights.core.spec_factory.TextFileProvider",` +
				` "object": {"save_as": false, "relative_path": "var/log/messages", "rc": null}}]}`,
			collected: []timeline.Collected{{Path: "insights-w1-20261130095700/data/var/log/messages", Source: timeline.Source{File: path, Line: 1}}},
		},
		{
			name: "a command that took too long",
			text: `{"name": "insights.specs.Specs.lsof", "results": null, "errors": ["Traceback (most recent call last):\n  File \"dr.py\", line 1\n` +
				`insights.core.exceptions.CalledProcessError: <CalledProcessError(124, '/usr/sbin/lsof', '')>"]}`,
			gaps: []string{"insights.specs.Specs.lsof was not collected: insights.core.exceptions.CalledProcessError: <CalledProcessError(124, '/usr/sbin/lsof', '')>"},
		},
		{
			name: "a program that is not installed",
			text: `{"name": "insights.specs.Specs.docker", "results": null, "errors": ["Traceback:\ninsights.core.exceptions.ContentException: Couldn't execute: docker ps"]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := parsed(t, insightsMetadataParser, path, c.text)
			if diff := cmp.Diff(c.collected, b.Collected); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.gaps, gapDetails(b)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzInsightsMetadata(f *testing.F) {
	f.Add(`{"name": "insights.specs.Specs.mount", "errors": ["a\nTimeout"], "results": {"object": {"rc": 1, "cmd": "/bin/ps", "relative_path": "insights_commands/ps"}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "meta_data/x.json", Text: text, FirstLine: 1}
		if !insightsMetadataParser.Sniff(file) {
			return
		}
		b := timeline.NewBuilder(file.Path)
		if insightsMetadataParser.Parse(file, b) != nil {
			return
		}
		lines := strings.Count(text, "\n") + 1
		for _, c := range b.Collected {
			if c.Source.Line < 1 || c.Source.Line > lines {
				t.Errorf("line %d of %d", c.Source.Line, lines)
			}
		}
	})
}
