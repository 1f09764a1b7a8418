package parsers

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// With --max-memory what is too much is not read, and a gap of it says so.
func TestMaxMemory(t *testing.T) {
	const budget = 20 << 20 // of which a tenth may be kept of the bundle
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: cart-0, namespace: shop, uid: 11111111-2222-4333-8444-555555550001}\n"
	var entries []archived
	for i := range 6 {
		entries = append(entries, archived{fmt.Sprintf("%d.yaml", i), pod + "spec:\n  x: " + strings.Repeat("x", 600<<10) + "\n"})
	}
	line := "2026-11-30T08:21:32+0000 w kubelet[1]: I1130 08:21:32.908842 1 a.go:1] \"quiet\"\n"
	entries = append(entries,
		archived{"0-log.txt", strings.Repeat(line, 100_000)},                   // is skimmed
		archived{"z-large.yaml", pod + strings.Repeat("# a comment\n", 1<<18)}, // is no log
	)
	opt := ReadOptions{Limits: Limits{MaxMemory: budget}, Skim: &Skim{
		Lines:    []string{"SyncLoop DELETE"},
		Concerns: func(*timeline.Timeline) []string { return nil },
	}}
	read := func() *timeline.Timeline {
		tl, err := Read(context.Background(), []string{unpackedTo(t, t.TempDir(), entries...)}, nil, opt)
		must(t, err)
		return tl
	}
	tl := read()
	var whole, refused, cut, skimmed int
	for _, in := range tl.Inputs {
		switch {
		case in.Skimmed:
			skimmed++
			if in.Records != 100_000 {
				t.Errorf("%d lines of the log are counted", in.Records)
			}
		case len(in.Gaps) == 0:
			whole++
		case in.Gaps[0].Detail == "not read: --max-memory raises the limit":
			refused++
		case strings.HasSuffix(in.Gaps[0].Detail, "--max-memory raises the limit"):
			cut++
		default:
			t.Errorf("%s: %v", in.Path, in.Gaps)
		}
	}
	if whole == 0 || refused == 0 || skimmed != 1 || whole+refused+cut+skimmed != len(entries) {
		t.Errorf("%d whole, %d refused, %d cut, %d skimmed", whole, refused, cut, skimmed)
	}
	opt.Limits.MaxMemory = 0
	for _, in := range read().Inputs {
		if len(in.Gaps) > 0 {
			t.Errorf("without the limit: %s: %v", in.Path, in.Gaps)
		}
	}
}
