package parsers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"podautopsy/parsers"
	"podautopsy/timeline"
)

const exampleBundle = "../fixtures/finalizer-no-controller/input"

// Read takes folders, files and archives, and tells for every fact where it
// stands.
func ExampleRead() {
	tl, err := parsers.Read(context.Background(), []string{exampleBundle}, nil, parsers.ReadOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range tl.Objects {
		if o.Kind == "Pod" && o.Namespace == "shop-checkout" {
			fmt.Println(o.Namespace, o.Name, o.UID)
		}
	}
	first := ""
	for _, e := range tl.Events {
		if first == "" && e.Component == "kubelet" && strings.Contains(e.Message, "SyncLoop DELETE") {
			first = e.Node + " " + e.Time.Format(time.RFC3339) + " " + e.Source.File
		}
	}
	fmt.Println(first)
	// Output:
	// shop-checkout checkout-api-0 a74312cb-8cff-4e39-a7fd-b93849cb7e1d
	// worker-1 2026-11-30T08:21:32Z node/journal-kubelet.short-iso.txt
}

// A program that embeds the readers can add formats of its own; they are tried
// before the others.
func ExampleParser() {
	backups := parsers.Parser{
		Name:  "backup-log",
		Doc:   "What our backup agent logs.",
		Sniff: func(f *parsers.File) bool { return strings.HasPrefix(f.Text, "BACKUP ") },
		Parse: func(f *parsers.File, b *timeline.Builder) error {
			for i, line := range strings.Split(strings.TrimSpace(f.Text), "\n") {
				stamp, message, _ := strings.Cut(strings.TrimPrefix(line, "BACKUP "), " ")
				at, err := time.Parse(time.RFC3339, stamp)
				if err != nil {
					b.Gap(timeline.GapNotUnderstood, f.FirstLine+i, "no time")
					continue
				}
				b.Add(timeline.Event{
					Time: at, Precision: time.Second, Component: "backup-agent",
					Message: message, Text: line, Source: b.Src(f.FirstLine+i, f.Offset),
				})
			}
			return nil
		},
	}
	all := append([]parsers.Parser{backups}, parsers.All()...)
	stdin := strings.NewReader("BACKUP 2026-11-30T08:21:40Z volume data-0 is held for a snapshot\nBACKUP soon\n")
	tl, err := parsers.Read(context.Background(), []string{"-"}, stdin, parsers.ReadOptions{Parsers: all})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range tl.Events {
		fmt.Println(e.Time.Format(time.RFC3339), e.Component, e.Message)
	}
	for _, g := range tl.Inputs[0].Gaps {
		fmt.Println("line", g.Source.Line, g.Kind, g.Detail)
	}
	// Output:
	// 2026-11-30T08:21:40Z backup-agent volume data-0 is held for a snapshot
	// line 2 not-understood no time
}

// Open shows the files of a bundle, those in archives included, without
// reading them as evidence.
func ExampleOpen() {
	files, bytes := 0, int64(0)
	err := parsers.Open(context.Background(), []string{exampleBundle}, nil, parsers.DefaultLimits(), func(m *parsers.Member) error {
		if text, _, ok := m.Text(); ok && strings.Contains(text, "SyncLoop DELETE") {
			fmt.Println(m.Path)
		}
		files++
		bytes += m.Size
		return nil
	})
	fmt.Println(err, files > 60, bytes > 100_000)
	// Output:
	// node/journal-kubelet.short-iso.txt
	// node/systemctl-status.txt
	// <nil> true true
}

// Nothing to read is an error that can be told from others.
func ExampleErrNotBundle() {
	_, err := parsers.Read(context.Background(), []string{"-"}, strings.NewReader(""), parsers.ReadOptions{})
	fmt.Println(errors.Is(err, parsers.ErrNotBundle))
	// Output:
	// true
}
