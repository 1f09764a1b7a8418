package parsers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

func TestCollectOutput(t *testing.T) {
	const whole = `{
    "host-collectors/run-host/df-info.json": "{\"command\":\"df -h\",\"exitCode\":\"0\"}",
    "host-collectors/run-host/df.txt": "Filesystem\u0020Size\n/dev/vda1 \"x\"\n",
    "host-collectors/system/time.json": {"timezone": "UTC"}
}`
	for _, c := range []struct {
		name, text string
		want       map[string]string
		gap        string
	}{
		{
			name: "whole", text: whole,
			want: map[string]string{
				"out.json!host-collectors/run-host/df-info.json": `{"command":"df -h","exitCode":"0"}`,
				"out.json!host-collectors/run-host/df.txt":       "Filesystem Size\n/dev/vda1 \"x\"\n",
				"out.json!host-collectors/system/time.json":      `{"timezone": "UTC"}`,
			},
		},
		{
			name: "cut inside a file", text: whole[:strings.Index(whole, "vda1")+4],
			want: map[string]string{
				"out.json!host-collectors/run-host/df-info.json": `{"command":"df -h","exitCode":"0"}`,
				"out.json!host-collectors/run-host/df.txt":       "Filesystem Size\n/dev/vda1",
			},
			gap: "no end",
		},
		{
			name: "cut inside an escape", text: whole[:strings.Index(whole, `\n/dev`)+1],
			want: map[string]string{
				"out.json!host-collectors/run-host/df-info.json": `{"command":"df -h","exitCode":"0"}`,
				"out.json!host-collectors/run-host/df.txt":       "Filesystem Size",
			},
			gap: "no end",
		},
		{
			name: "a path that leads out", text: `{"host-collectors/../../../etc/hostname": "w1\n"}`,
			want: map[string]string{"out.json!etc/hostname": "w1\n"},
		},
		{
			name: "any other object", text: `{"kind": "Pod"}`,
			want: map[string]string{"out.json": `{"kind": "Pod"}`},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "out.json")
			must(t, os.WriteFile(file, []byte(c.text), 0o600))
			got := map[string]string{}
			var gaps []timeline.Gap
			must(t, Open(context.Background(), []string{file}, nil, Limits{}, func(m *Member) error {
				gaps = append(gaps, m.Gaps...)
				if m.Data != nil {
					got[m.Path] = string(m.Data)
				}
				return nil
			}))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("members (-want +got):\n%s", diff)
			}
			if c.gap == "" && len(gaps) > 0 || c.gap != "" && (len(gaps) != 1 || !strings.Contains(gaps[0].Detail, c.gap)) {
				t.Errorf("gaps %v, want %q", gaps, c.gap)
			}
		})
	}
}
