package timeline

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// longLog is a kubelet's log: records of which each has its own klog header.
func longLog(path, node string, n int, wall bool) *Builder {
	b := NewBuilder(path)
	b.Input.Node = node
	start := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for i := range n {
		t := start.Add(time.Duration(i) * 30 * time.Millisecond)
		e := Event{
			Time: t, Precision: time.Microsecond, Component: Kubelet, Node: node, Source: b.Src(i+1, int64(i)*200),
			Message: fmt.Sprintf(`I%s    2391 kubelet_pods.go:1234] "Something has happened to a pod" pod="shop/cart-%d" podUID="%s"`, t.Format("0102 15:04:05.000000"), i%50, testUID),
		}
		if wall {
			e.Time = t.AddDate(-2026, 0, 0)
			e.Stamp = Stamp{Wall: true, NoYear: true}
		}
		b.Add(e)
	}
	return b
}

// copyOf lets a benchmark assemble the same facts again: Assemble writes into
// its builders.
func copyOf(builders []*Builder) []*Builder {
	out := make([]*Builder, len(builders))
	for i, b := range builders {
		c := *b
		c.Events, c.Clocks, c.Units = slices.Clone(b.Events), slices.Clone(b.Clocks), slices.Clone(b.Units)
		c.Mounts, c.Listings = slices.Clone(b.Mounts), slices.Clone(b.Listings)
		c.Objects = nil
		for _, o := range b.Objects {
			object := *o
			c.Objects = append(c.Objects, &object)
		}
		out[i] = &c
	}
	return out
}

func BenchmarkAssemble(b *testing.B) {
	// A sosreport: thousands of small files, few of which say when or where.
	var sosreport []*Builder
	for i := range 6000 {
		f := NewBuilder(fmt.Sprintf("sosreport-w1/sos_commands/plugin-%d/command-%d", i%80, i))
		f.Mounts = []Mount{{Target: fmt.Sprint("/", i), Fact: Fact{Source: f.Src(1, 0)}}}
		sosreport = append(sosreport, f)
	}
	for i := range 500 {
		sosreport = append(sosreport, wallLog(b, fmt.Sprintf("sosreport-w1/var/log/log-%d", i), "", "11-30 08:00:00", "11-30 08:00:01"))
		table := NewBuilder(fmt.Sprintf("sosreport-w1/tables/get-%d", i))
		table.AddObject(&Object{Kind: "Pod", Name: fmt.Sprint("p", i), Ages: map[string]time.Duration{"metadata.creationTimestamp": time.Hour}, Content: Decoded{}, Source: table.Src(1, 0)})
		sosreport = append(sosreport, table)
	}
	sosreport = append(sosreport, hostLog("sosreport-w1/etc/hostname", "w1"), longLog("sosreport-w1/journal", "w1", 50_000, true))

	storm := NewBuilder("storm")
	for i := range 200_000 {
		storm.Add(Event{Time: time.Unix(1796000000+int64(i/20_000), 0).UTC(), Precision: time.Second, Component: Kernel, Message: "eth0: link up", Source: storm.Src(i+1, 0)})
	}
	again := copyOf([]*Builder{storm})[0]
	again.Input.Path = "storm-again"
	for i := range again.Events {
		again.Events[i].Source.File = "storm-again"
	}

	for name, files := range map[string][]*Builder{
		"one log of 200k":   {longLog("journal", "w1", 200_000, false)},
		"100k read twice":   {longLog("a", "w1", 100_000, false), longLog("b", "w1", 100_000, true)},
		"6000 files":        sosreport,
		"400k of one line":  {storm, again},
		"two nodes of 100k": {longLog("a", "w1", 100_000, true), longLog("b", "w2", 100_000, false)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				fresh := copyOf(files)
				b.StartTimer()
				Assemble(fresh, Options{})
			}
		})
	}
}

// Whatever parsers may write, the timeline is in order, cites only inputs, and
// does not depend on the order of the files.
func FuzzAssemble(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("\x03\x10\x00\x00\x10\x00\x11\x00\x00\x20\x01\x12\x00\x00\x30\x02"))
	f.Add(bytes.Repeat([]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, 20))
	f.Add(bytes.Repeat([]byte{255, 128, 64, 33, 7, 90, 201}, 40))
	f.Fuzz(func(t *testing.T, data []byte) {
		tl := Assemble(randomBuilders(data), Options{})
		shuffled := randomBuilders(data)
		slices.Reverse(shuffled)
		if got, want := facts(Assemble(shuffled, Options{})), facts(tl); got != want {
			t.Errorf("the order of the files matters:\n%s\nand\n%s", got, want)
		}
		if !slices.IsSortedFunc(tl.Events, func(a, b Event) int { return compareEvents(&a, &b) }) {
			t.Error("events are out of order")
		}
		known := map[string]bool{}
		for _, in := range tl.Inputs {
			known[in.Path] = true
			if in.ZoneKnown == "" || in.YearKnown == "" || in.Zone == "" {
				t.Errorf("%s: clock not settled: %+v", in.Path, in)
			}
		}
		for _, e := range tl.Events {
			for _, s := range append([]Source{e.Source}, e.AlsoAt...) {
				if !known[s.File] {
					t.Errorf("event of %q, which is no input", s.File)
				}
			}
			if e.Stamp.Wall && !e.Time.IsZero() {
				t.Errorf("unmarked time left: %+v", e)
			}
		}
	})
}

// facts writes what a reader of the timeline sees.
func facts(tl *Timeline) string {
	var s strings.Builder
	for _, e := range tl.Events {
		fmt.Fprintln(&s, e.Time, e.Precision, e.Node, e.Component, e.Message, e.Object(), e.Count(), e.First(), e.Source, e.AlsoAt)
	}
	for _, o := range tl.Objects {
		fmt.Fprintln(&s, o.Ref(), o.AsOf, o.Content, o.Source, o.AlsoAt)
	}
	fmt.Fprintln(&s, tl.Containers, tl.Sandboxes, tl.Mounts, tl.Processes, tl.Units, tl.Listings)
	fmt.Fprintln(&s, tl.CapturedAt, tl.CapturedFrom, tl.NodeAssumed, tl.NodeAliases)
	for _, in := range tl.Inputs {
		fmt.Fprintln(&s, in)
	}
	return s.String()
}

// randomBuilders makes files of the bytes, with few names and times, so that
// facts of several files meet.
func randomBuilders(data []byte) []*Builder {
	next := func() int {
		if len(data) == 0 {
			return 0
		}
		n := int(data[0])
		data = data[1:]
		return n
	}
	pick := func(names ...string) string { return names[next()%len(names)] }
	when := func() time.Time {
		var raw [2]byte
		raw[0], raw[1] = byte(next()), byte(next())
		t := time.Date(2024, 2, 28, 0, 0, 0, 0, time.UTC).Add(time.Duration(binary.BigEndian.Uint16(raw[:])) * 11 * time.Minute)
		switch next() % 8 {
		case 0:
			return time.Time{}
		case 1:
			return time.Date(0, t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
		case 2:
			return t.Add(-time.Duration(next()) * 1000 * time.Hour)
		case 3:
			return t.Add(time.Duration(next()) * time.Millisecond)
		}
		return t
	}
	precision := func() time.Duration {
		return [...]time.Duration{0, time.Microsecond, time.Second, time.Minute}[next()%4]
	}
	hosts := []string{"", "w1", "W1", "w1.example.com", "w2", "10.0.0.1"}
	var files []*Builder
	for len(data) > 0 && len(files) < 12 {
		b := NewBuilder(fmt.Sprintf("%s/file-%d", pick("a", "a/b", "c.tar!d"), len(files)))
		b.Input.Node = pick(hosts...)
		b.Host(pick(hosts...))
		b.Input.Zone, b.Input.ZoneKnown = pick("", "UTC", "Europe/Berlin", "../zone"), Known(pick("", "given"))
		if next()%4 == 0 {
			b.Input.CapturedAt = when()
		}
		for n := next() % 24; n > 0 && len(data) > 0; n-- {
			src := b.Src(n, int64(n))
			fact := Fact{Node: pick(hosts...), Source: src}
			switch next() % 8 {
			case 0:
				b.AddObject(&Object{
					Kind: pick("Pod", "Node", "Lease"), Namespace: pick("", "shop"), Name: pick("", "w1", "p"), UID: pick("", "u1", "u2"), Partial: next()%2 == 0, Source: src,
					Ages: map[string]time.Duration{pick("metadata.deletionTimestamp", "metadata", "spec.nodeName.x"): time.Duration(next()) * time.Hour},
					Content: Decoded{
						"metadata": map[string]any{"deletionTimestamp": when().Format(time.RFC3339), "resourceVersion": pick("", "1", "2", "x")},
						"spec":     map[string]any{"nodeName": pick(hosts...), "renewTime": when().Format(time.RFC3339)},
					},
				})
			case 1:
				b.Clocks = append(b.Clocks, ClockHint{Local: when(), UTC: when(), Host: pick(hosts...)})
			case 2:
				b.Boots = append(b.Boots, BootHint{At: time.Duration(next()) * time.Minute, Time: when(), Source: src})
			case 3:
				b.Containers = append(b.Containers, Container{ID: pick("", "abc", testID, testID[:12]), State: pick("", "running", "exited"), CreatedAt: when(), Fact: fact})
				b.Sandboxes = append(b.Sandboxes, Sandbox{ID: pick("", testID), State: pick("ready", ""), Fact: fact})
			case 4:
				b.Mounts = append(b.Mounts, Mount{Target: pick("/a", "/b"), Root: pick("", "/"), Fact: fact})
				b.Processes = append(b.Processes, Process{PID: next() % 3, State: pick("", "D", "Ds", "Z"), WChan: pick("", "x"), Gone: next()%5 == 0, Fact: fact})
				b.Units = append(b.Units, Unit{Name: "kubelet.service", Since: when(), Stamp: Stamp{Wall: next()%2 == 0, NoYear: next()%2 == 0}, Fact: fact})
			default:
				e := Event{
					Time: when(), Precision: precision(), Node: pick(hosts...), Component: pick(Kubelet, Kernel, APIEvent, KCM), Source: src,
					Message: pick("", "x", klogLine, logfmtLine, `"SyncLoop DELETE" source="api" pods=["shop/p"]`, "E"),
					API:     &APIRecord{Object: Ref{Kind: "Pod", Name: pick("p", "q"), UID: pick("", "u1")}, Count: next() % 3},
				}
				switch next() % 6 {
				case 0:
					e.Stamp = Stamp{Wall: true, NoYear: e.Time.Year() == 0}
				case 1:
					e.Time, e.Stamp = time.Time{}, Stamp{HasAge: true, Age: time.Duration(next()) * time.Minute}
					e.API.HasFirstAge = next()%2 == 0
				case 2:
					e.Time, e.Stamp = time.Time{}, Stamp{HasSinceBoot: true, SinceBoot: time.Duration(next()) * time.Second}
				}
				e.Source.Cursor = pick("", "", "s=1;i=1", "s=1;i=2", "s=2;i=1")
				b.Add(e)
			}
		}
		files = append(files, b)
	}
	return files
}
