package timeline

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// lease is a Lease that its node renewed at one time and the API server wrote
// at another; kept says whether the record of the writing is in the dump.
func lease(node, renewed, written string) *Builder {
	b := NewBuilder("leases-" + node + ".yaml")
	meta := map[string]any{}
	if written != "" {
		meta["managedFields"] = []any{map[string]any{
			"manager": "kubelet", "operation": "Update", "time": written,
			"fieldsV1": map[string]any{"f:spec": map[string]any{"f:renewTime": map[string]any{}}},
		}}
	}
	b.AddObject(&Object{
		Kind: "Lease", Namespace: "kube-node-lease", Name: node, UID: "u-lease-" + node, Source: b.Src(1, 0),
		Content: Decoded{"metadata": meta, "spec": map[string]any{"renewTime": renewed}},
	})
	return b
}

// dated are Events that a node dated at the first of each pair of times and
// the API server at the second.
func dated(t testing.TB, node string, pairs ...string) *Builder {
	b := NewBuilder("events-" + node + ".json")
	for i := 0; i < len(pairs); i += 2 {
		at, api := moment(t, pairs[i]), moment(t, pairs[i+1])
		b.Add(Event{Time: at, API: &APIRecord{First: at}, Precision: time.Second, Component: APIEvent, Node: node, Message: fmt.Sprintf("Killing: event %d", i), Source: b.Src(i+1, 0)})
		b.Samples = append(b.Samples, ClockSample{Node: node, How: SampleEvent, At: at, API: api, AtRound: time.Second, APIRound: time.Second})
	}
	return b
}

// saidBy is a log of known times.
func saidBy(t testing.TB, node string, lines ...string) *Builder {
	b := NewBuilder("kubelet-" + node)
	b.Input.Node = node
	for i := 0; i < len(lines); i += 2 {
		b.Add(Event{Time: moment(t, lines[i]), Precision: time.Microsecond, Component: Kubelet, Node: node, Message: lines[i+1], Text: lines[i+1], Source: b.Src(i+1, 0)})
	}
	return b
}

// journal is a log whose entries hold the kernel's own seconds, too.
func journal(t testing.TB, node string, entries ...any) *Builder {
	b := NewBuilder("journal-" + node)
	b.Input.Node = node
	for i := 0; i < len(entries); i += 3 {
		boot, uptime, at := entries[i].(string), entries[i+1].(int), entries[i+2].(string)
		b.Add(Event{
			Time: moment(t, at), Precision: time.Microsecond, Component: Kernel, Node: node, Message: fmt.Sprintf("line %d", i/3), Source: b.Src(i+1, 0),
			Boot: boot, Uptime: time.Duration(uptime) * time.Second,
		})
	}
	return b
}

func TestSkew(t *testing.T) {
	const day = "2026-11-30T"
	syncDelete := func(at, pod string) []string {
		return []string{day + at, `"SyncLoop DELETE" source="api" pods=["shop/` + pod + `"]`}
	}
	for name, tt := range map[string]struct {
		files   []*Builder
		known   bool
		ahead   time.Duration
		within  time.Duration
		applied bool
		spans   int
	}{
		"a Lease alone is enough": {
			files: []*Builder{lease("w", day+"09:59:01.599586Z", day+"09:57:28Z")},
			known: true, ahead: 93 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"of a clock that is right": {
			files: []*Builder{lease("w", day+"09:57:28.908936Z", day+"09:57:28Z")},
			known: true, within: time.Second, spans: 1,
		},
		"of a clock that is behind": {
			files: []*Builder{lease("w", day+"09:57:28.5Z", day+"09:59:00Z")},
			known: true, ahead: -92 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"a Lease without its record tells nothing": {
			files: []*Builder{lease("w", day+"09:59:01Z", ""), saidBy(t, "w", day+"09:59:00Z", "x")},
		},
		"one delete that the kubelet learnt of late is no clock": {
			files: []*Builder{
				podInDeletion("a", "shop", "cart-0", day+"10:00:30Z", 30),
				saidBy(t, "w", syncDelete("10:01:33Z", "cart-0")...),
			},
		},
		"two that agree are": {
			files: []*Builder{
				podInDeletion("a", "shop", "cart-0", day+"10:00:30Z", 30), podInDeletion("b", "shop", "cart-1", day+"10:02:30Z", 30),
				saidBy(t, "w", append(syncDelete("10:01:33.2Z", "cart-0"), syncDelete("10:03:33.4Z", "cart-1")...)...),
			},
			known: true, ahead: 93 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"a rewritten deletionTimestamp is no request": {
			files: []*Builder{
				podInDeletion("a", "shop", "cart-0", day+"10:00:30Z", 0), podInDeletion("b", "shop", "cart-1", day+"10:02:30Z", 0),
				saidBy(t, "w", append(syncDelete("10:00:00Z", "cart-0"), syncDelete("10:02:00Z", "cart-1")...)...),
			},
		},
		"a line about the namesake before is not about the pod": {
			files: []*Builder{
				podInDeletion("a", "shop", "cart-0", day+"10:00:30Z", 30),
				saidBy(t, "w", append(append(syncDelete("09:00:00Z", "cart-0"), day+"09:00:02Z", `"SyncLoop REMOVE" source="api" pods=["shop/cart-0"]`),
					syncDelete("10:00:00.3Z", "cart-0")...)...),
			},
			known: true, within: time.Second, spans: 1,
		},
		"one liar has no say": {
			files: []*Builder{
				lease("w", day+"10:01:33.5Z", day+"10:00:00Z"),
				podInDeletion("a", "shop", "cart-0", day+"10:00:30Z", 30),
				saidBy(t, "w", syncDelete("10:04:33Z", "cart-0")...), // three minutes late
				dated(t, "w", day+"10:01:35Z", day+"10:00:02Z", day+"10:01:50Z", day+"10:00:17Z"),
			},
			known: true, ahead: 93 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"nothing is dated before it happens: two Events show a clock ahead": {
			files: []*Builder{dated(t, "w", day+"10:01:35Z", day+"10:00:02Z", day+"10:01:50Z", day+"10:00:17Z")},
			known: true, ahead: 93 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"Events that waited for the API server are no clock behind": {
			files: []*Builder{dated(t, "w", day+"10:00:00Z", day+"10:00:40Z", day+"10:00:00Z", day+"10:00:40Z", day+"10:00:01Z", day+"10:00:41Z")},
		},
		"but those of minutes are": {
			files: []*Builder{dated(t, "w", day+"10:00:00Z", day+"10:00:40Z", day+"10:03:00Z", day+"10:03:40Z", day+"10:07:01Z", day+"10:07:41Z")},
			known: true, ahead: -40 * time.Second, within: time.Second, applied: true, spans: 1,
		},
		"Events that waited at first leave the clock alone": {
			files: []*Builder{dated(t, "w",
				day+"10:00:00Z", day+"10:00:40Z", day+"10:00:00Z", day+"10:00:40Z", day+"10:00:00Z", day+"10:00:40Z", day+"10:00:00Z", day+"10:00:40Z",
				day+"10:05:00Z", day+"10:05:00Z", day+"10:06:00Z", day+"10:06:00Z", day+"10:07:00Z", day+"10:07:00Z",
				day+"10:08:00Z", day+"10:08:00Z", day+"10:09:00Z", day+"10:09:00Z")},
			known: true, within: time.Second, spans: 1,
		},
		"Events show that the clock was set": {
			files: []*Builder{dated(t, "w",
				day+"10:00:00Z", day+"10:00:00Z", day+"10:01:00Z", day+"10:01:00Z", day+"10:02:00Z", day+"10:02:00Z", day+"10:03:00Z", day+"10:03:00Z",
				day+"10:06:33Z", day+"10:05:00Z", day+"10:07:33Z", day+"10:06:00Z", day+"10:08:33Z", day+"10:07:00Z", day+"10:09:33Z", day+"10:08:00Z")},
			known: true, ahead: 93 * time.Second, within: time.Second, applied: true, spans: 2,
		},
		"half of the witnesses are not most": {
			files: []*Builder{dated(t, "w", day+"10:00:00Z", day+"10:00:00Z", day+"10:05:00Z", day+"10:04:00Z")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			c := tl.Clock("w")
			if c == nil {
				if tt.known {
					t.Fatal("nothing is known of the clock")
				}
				return
			}
			last := c.Spans[len(c.Spans)-1]
			if last.Known != tt.known {
				t.Fatalf("known %v, want %v: %+v", last.Known, tt.known, c.Spans)
			}
			if !tt.known {
				return
			}
			if (last.Ahead - tt.ahead).Abs() > tt.within {
				t.Errorf("ahead %v ± %v, want %v", last.Ahead, last.Spread, tt.ahead)
			}
			if (last.Ahead - tt.ahead).Abs() > last.Spread+time.Second/2 {
				t.Errorf("%v is not within %v ± %v", tt.ahead, last.Ahead, last.Spread)
			}
			if last.Applied != tt.applied || len(c.Spans) != tt.spans {
				t.Errorf("applied %v, want %v; %d spans, want %d: %+v", last.Applied, tt.applied, len(c.Spans), tt.spans, c.Spans)
			}
			if raw := Assemble(tt.files, Options{KeepClocks: true}).Clock("w"); raw.Spans[len(raw.Spans)-1].Applied {
				t.Error("applied against the option")
			}
		})
	}
}

func TestSkewIsApplied(t *testing.T) {
	files := func() []*Builder {
		ps := taken(t, "w/ps.txt", "w", "2026-11-30T10:02:33Z")
		ps.Processes = []Process{{PID: 1, Fact: Fact{Source: ps.Src(1, 0)}}}
		ps.Units = []Unit{{Name: "kubelet.service", Since: moment(t, "2026-11-30T10:01:33Z"), Fact: Fact{Source: ps.Src(2, 0)}}}
		return []*Builder{
			lease("w", "2026-11-30T10:01:33.5Z", "2026-11-30T10:00:00Z"),
			dated(t, "w", "2026-11-30T10:01:40Z", "2026-11-30T10:00:07Z"),
			saidBy(t, "w", "2026-11-30T10:01:34Z", "later", "2026-11-30T10:01:33Z", "earlier"),
			saidBy(t, "v", "2026-11-30T10:00:00.5Z", "between"),
			ps,
		}
	}
	tl := Assemble(files(), Options{})
	var order []string
	for _, e := range tl.Events {
		order = append(order, e.Message)
		if e.Node == "w" && (e.Ahead-93*time.Second).Abs() > time.Second {
			t.Errorf("%s: %v taken off", e.Message, e.Ahead)
		}
		if e.Node == "v" && e.Ahead != 0 {
			t.Errorf("%s: %v taken off a clock of which nothing tells", e.Message, e.Ahead)
		}
	}
	if want := []string{"earlier", "between", "later", "Killing: event 0"}; !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
	captured := moment(t, "2026-11-30T10:01:00Z")
	for what, at := range map[string]time.Time{"the bundle": tl.CapturedAt, "a process": tl.Processes[0].AsOf} {
		if at.Sub(captured).Abs() > time.Second {
			t.Errorf("%s is of %v, want %v", what, at, captured)
		}
	}
	if since := moment(t, "2026-11-30T10:00:00Z"); tl.Units[0].Since.Sub(since).Abs() > time.Second {
		t.Errorf("the unit runs since %v, want %v", tl.Units[0].Since, since)
	}
	if at := tl.ByAPI("w", moment(t, "2026-11-30T10:01:33Z")); at.Sub(moment(t, "2026-11-30T10:00:00Z")).Abs() > time.Second {
		t.Errorf("by the API server %v", at)
	}

	raw := Assemble(files(), Options{KeepClocks: true})
	if !raw.CapturedAt.Equal(moment(t, "2026-11-30T10:02:33Z")) || raw.Events[0].Message != "between" {
		t.Errorf("left alone: captured %v, first %q", raw.CapturedAt, raw.Events[0].Message)
	}
	for _, e := range raw.Events {
		if e.Ahead != 0 {
			t.Errorf("left alone: %v taken off", e.Ahead)
		}
	}
}

// What a dump without a date of its own shows last may be by a clock that is
// ahead: then it is not that late.
func TestDumpIsDatedByTheAPIServer(t *testing.T) {
	leases := lease("w", "2026-11-30T10:01:33.5Z", "2026-11-30T10:00:00Z")
	leases.AddObject(&Object{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: "u1", Content: Decoded{
		"spec":   map[string]any{"nodeName": "w"},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Ready", "lastTransitionTime": "2026-11-30T10:01:35Z"}}},
	}})
	tl := Assemble([]*Builder{leases}, Options{})
	if want := moment(t, "2026-11-30T10:00:02Z"); tl.CapturedAt.Sub(want).Abs() > time.Second {
		t.Errorf("captured %v, want %v", tl.CapturedAt, want)
	}
}

func TestClockThatIsSet(t *testing.T) {
	message := func(b *Builder, i int, component, text string) *Builder {
		b.Events[i].Component, b.Events[i].Message = component, text
		return b
	}
	for name, tt := range map[string]struct {
		files []*Builder
		want  []string
	}{
		"a board without a battery boots in the past and is set by a journal's own seconds": {
			files: []*Builder{journal(t, "w",
				"b1", 1, "1970-01-01T00:00:05Z", "b1", 4, "1970-01-01T00:00:08Z",
				"b1", 30, "2026-11-30T10:00:30Z", "b1", 40, "2026-11-30T10:00:40Z")},
			want: []string{"2026-11-30T10:00:01Z", "2026-11-30T10:00:04Z", "2026-11-30T10:00:30Z", "2026-11-30T10:00:40Z"},
		},
		"at each boot anew": {
			files: []*Builder{journal(t, "w",
				"b1", 1, "2020-02-07T00:00:05Z", "b1", 30, "2026-11-30T10:00:30Z", "b1", 90, "2026-11-30T10:01:30Z",
				"b2", 1, "2020-02-07T00:00:05Z", "b2", 31, "2026-11-30T10:10:31Z")},
			want: []string{"2026-11-30T10:00:01Z", "2026-11-30T10:00:30Z", "2026-11-30T10:01:30Z", "2026-11-30T10:10:01Z", "2026-11-30T10:10:31Z"},
		},
		"a time server attests the step": {
			files: []*Builder{message(journal(t, "w", "b1", 1, "2026-11-30T10:00:01Z", "b1", 2, "2026-11-30T10:01:35Z", "b1", 3, "2026-11-30T10:01:36Z"),
				2, "systemd-timesyncd", "Initial synchronization to time server 216.239.35.8:123 (time3.google.com).")},
			want: []string{"2026-11-30T10:01:34Z", "2026-11-30T10:01:35Z", "2026-11-30T10:01:36Z"},
		},
		"a small step without anything to compare stays as it stands": {
			files: []*Builder{journal(t, "w", "b1", 1, "2026-11-30T10:00:01Z", "b1", 2, "2026-11-30T10:01:35Z")},
			want:  []string{"2026-11-30T10:00:01Z", "2026-11-30T10:01:35Z"},
		},
		"what a sample tells of one side the step tells of the other": {
			files: []*Builder{
				journal(t, "w", "b1", 1, "2026-11-30T10:00:01Z", "b1", 2, "2026-11-30T10:01:35Z", "b1", 60, "2026-11-30T10:02:33Z"),
				lease("w", "2026-11-30T10:02:33.5Z", "2026-11-30T10:01:00Z"),
			},
			want: []string{"2026-11-30T10:00:01Z", "2026-11-30T10:00:02Z", "2026-11-30T10:01:00Z"},
		},
		"set back": {
			files: []*Builder{
				journal(t, "w", "b1", 1, "2026-11-30T10:01:34Z", "b1", 2, "2026-11-30T10:01:35Z", "b1", 3, "2026-11-30T10:00:03Z", "b1", 60, "2026-11-30T10:01:00Z"),
				lease("w", "2026-11-30T10:01:00.5Z", "2026-11-30T10:01:00Z"),
			},
			want: []string{"2026-11-30T10:00:02Z", "2026-11-30T10:00:02Z", "2026-11-30T10:00:03Z", "2026-11-30T10:01:00Z"},
		},
		"a machine that slept was not set": {
			files: []*Builder{
				message(message(journal(t, "w", "b1", 1, "2026-11-30T10:00:01Z", "b1", 2, "2026-11-30T10:00:02Z", "b1", 3, "2026-11-30T12:00:02Z", "b1", 4, "2026-11-30T12:00:03Z"),
					1, Kernel, "PM: suspend entry (deep)"), 2, Kernel, "PM: suspend exit"),
			},
			want: []string{"2026-11-30T10:00:01Z", "2026-11-30T10:00:02Z", "2026-11-30T12:00:02Z", "2026-11-30T12:00:03Z"},
		},
		"text says that the clock was set": {
			files: []*Builder{message(saidBy(t, "w",
				"2020-02-07T00:00:05Z", "kernel", "2020-02-07T00:00:08Z", "x", "2026-11-30T10:00:30Z", "x", "2026-11-30T10:00:40Z", "x"),
				2, "systemd-timesyncd", "Initial clock synchronization to Mon 2026-11-30 10:00:30.123 UTC.")},
			want: []string{"2026-11-30T10:00:27Z", "2026-11-30T10:00:30Z", "2026-11-30T10:00:30Z", "2026-11-30T10:00:40Z"},
		},
		"and by how much": {
			files: []*Builder{
				message(saidBy(t, "w", "2026-11-30T10:00:00Z", "x", "2026-11-30T10:01:35Z", "x", "2026-11-30T10:02:33Z", "x"),
					1, "chronyd", "System clock was stepped by 93.000000 seconds"),
				lease("w", "2026-11-30T10:02:33.5Z", "2026-11-30T10:01:00Z"),
			},
			want: []string{"2026-11-30T10:00:00Z", "2026-11-30T10:00:02Z", "2026-11-30T10:01:00Z"},
		},
		"such a line without a gap beside it is of another day": {
			files: []*Builder{
				message(saidBy(t, "w", "2026-11-30T10:00:00Z", "x", "2026-11-30T10:00:02Z", "x", "2026-11-30T10:01:00Z", "x"),
					1, "chronyd", "System clock was stepped by 7200.0 seconds"),
			},
			want: []string{"2026-11-30T10:00:00Z", "2026-11-30T10:00:02Z", "2026-11-30T10:01:00Z"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			if len(tl.Events) != len(tt.want) {
				t.Fatalf("%d events, want %d", len(tl.Events), len(tt.want))
			}
			for i, e := range tl.Events {
				if e.Time.Sub(moment(t, tt.want[i])).Abs() > 1500*time.Millisecond {
					t.Errorf("event %d (%s) at %v, want %s", i, e.Message, e.Time, tt.want[i])
				}
			}
		})
	}
}

func TestAssumed(t *testing.T) {
	berlin, kolkata := mustZone(t, "Europe/Berlin"), mustZone(t, "Asia/Kolkata")
	files := func() []*Builder {
		return []*Builder{
			wallLog(t, "a/x/kubelet.log", "w1", "2026-07-01 12:00:00"),
			wallLog(t, "b.tar.gz!y/kubelet.log", "w2", "2026-07-01 12:00:00"),
			wallLog(t, "c.log", "w3", "07-01 12:00:00"),
		}
	}
	for name, tt := range map[string]struct {
		opt       Options
		want      []string
		unmatched []string
	}{
		"for all": {
			opt:  Options{Zone: berlin, Year: 2025},
			want: []string{"2026-07-01T10:00:00Z", "2026-07-01T10:00:00Z", "2025-07-01T10:00:00Z"},
		},
		"a node, an archive, and a file, over all": {
			opt: Options{
				Zone:  berlin,
				Zones: []AssumedZone{{"w1", time.UTC}, {"b.tar.gz", kolkata}},
				Years: []AssumedYear{{"c.log", 2024}},
			},
			want: []string{"2026-07-01T12:00:00Z", "2026-07-01T06:30:00Z", "2024-07-01T10:00:00Z"},
		},
		"a folder and a pattern; the last counts": {
			opt: Options{
				Zones: []AssumedZone{{"a", berlin}, {"a/*", kolkata}, {"*.tar.gz", berlin}},
				Years: []AssumedYear{{"?.log", 2024}, {"w3", 2023}},
			},
			want: []string{"2026-07-01T06:30:00Z", "2026-07-01T10:00:00Z", "2023-07-01T12:00:00Z"},
		},
		"what is not there": {
			opt:       Options{Zones: []AssumedZone{{"aa", berlin}, {"x", berlin}}, Years: []AssumedYear{{"[", 2020}, {"aa", 2021}}, Year: 2025},
			want:      []string{"2026-07-01T12:00:00Z", "2026-07-01T12:00:00Z", "2025-07-01T12:00:00Z"},
			unmatched: []string{"aa", "x", "["},
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(files(), tt.opt)
			got := map[string]time.Time{}
			for _, e := range tl.Events {
				got[e.Node] = e.Time
			}
			for i, want := range tt.want {
				if node := fmt.Sprintf("w%d", i+1); !got[node].Equal(moment(t, want)) {
					t.Errorf("%s: %v, want %s", node, got[node], want)
				}
			}
			if u := tt.opt.Unmatched(tl); !slices.Equal(u, tt.unmatched) {
				t.Errorf("unmatched %q, want %q", u, tt.unmatched)
			}
		})
	}
}

func mustZone(t testing.TB, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	return loc
}

// The hour that a clock lives through twice is told by what was written before,
// in a zone known by name as in one that was seen.
func TestHourLivedTwice(t *testing.T) {
	berlin := mustZone(t, "Europe/Berlin")
	autumn := []string{"2026-10-25 02:10:00", "2026-10-25 02:50:00", "2026-10-25 02:59:59", "2026-10-25 02:00:01", "2026-10-25 02:40:00", "2026-10-25 03:10:00"}
	want := []string{"2026-10-25T00:10:00Z", "2026-10-25T00:50:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:01Z", "2026-10-25T01:40:00Z", "2026-10-25T02:10:00Z"}
	spring := []string{"2026-03-29 01:59:59", "2026-03-29 03:00:00", "2026-03-29 03:30:00"}
	sprung := []string{"2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z"}
	reversed := slices.Clone(autumn)
	slices.Reverse(reversed)
	for name, tt := range map[string]struct {
		file *Builder
		opt  Options
		want []string
	}{
		"twice, by name":      {wallLog(t, "f", "w", autumn...), Options{Zone: berlin}, want},
		"twice, newest first": {wallLog(t, "f", "w", reversed...), Options{Zone: berlin}, want},
		"skipped, by name":    {wallLog(t, "f", "w", spring...), Options{Zone: berlin}, sprung},
		"twice, seen":         {hinted(t, wallLog(t, "f", "w", autumn...), "2026-10-25 02:10:00", "2026-10-25T00:10:00Z", "2026-10-25 02:40:00", "2026-10-25T01:40:00Z"), Options{}, want},
		"skipped, seen":       {hinted(t, wallLog(t, "f", "w", spring...), "2026-03-29 01:59:59", "2026-03-29T00:59:59Z", "2026-03-29 03:00:00", "2026-03-29T01:00:00Z"), Options{}, sprung},
		"twice, where nothing was written before": {wallLog(t, "f", "w", "2026-10-25 02:30:00", "2026-10-25 03:10:00"), Options{Zone: berlin}, []string{"2026-10-25T00:30:00Z", "2026-10-25T02:10:00Z"}},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble([]*Builder{tt.file}, tt.opt)
			for i, e := range tl.Events {
				if !e.Time.Equal(moment(t, tt.want[i])) {
					t.Errorf("%d: %v, want %s", i, e.Time, tt.want[i])
				}
			}
		})
	}
}

// Whatever a bundle claims of its clocks, each event keeps its own time beside
// the one it was put to, all events stay, and the spans are in order.
func FuzzClocks(f *testing.F) {
	f.Add([]byte{0, 1, 10, 1, 0, 2, 200, 2, 5, 3, 3, 3, 9, 9, 9, 9})
	f.Add([]byte("bbbb\x01\x02\x03\x04\xff\xfe\xfd\xfc0123456789abcdefghijklmnopqrstuvwxyz"))
	f.Fuzz(func(t *testing.T, data []byte) {
		base := moment(t, "2026-11-30T10:00:00Z")
		log, api := NewBuilder("w/log"), NewBuilder("dump")
		texts := []string{"line", "System clock was stepped by 93.5 seconds", "time reset -1e9 s", "Initial synchronization to time server x", "PM: suspend exit", `"SyncLoop DELETE" pods=["a/b"]`, `"SyncLoop REMOVE" pods=["a/b"]`}
		programs := []string{Kubelet, "chronyd", "ntpd", "systemd-timesyncd", Kernel, Kubelet, Kubelet}
		stamps := map[Source]time.Time{}
		for len(data) >= 4 {
			kind, a, c, d := data[0], time.Duration(int8(data[1])), time.Duration(int8(data[2])), data[3]
			data = data[4:]
			at := base.Add(a * time.Duration(1+int(d)*int(d)) * time.Second)
			switch kind % 4 {
			case 0, 1:
				e := Event{Time: at, Precision: time.Second, Component: programs[int(d)%len(programs)], Message: texts[int(d)%len(texts)], Node: "w", Source: log.Src(len(log.Events)+1, 0)}
				e.Text = fmt.Sprint(len(log.Events))
				if kind%4 == 1 {
					e.Boot, e.Uptime = string(rune('a'+d%5)), c*time.Minute
				}
				e.Message += " " + e.Text
				stamps[e.Source] = e.Time
				log.Add(e)
			case 2:
				api.Samples = append(api.Samples, ClockSample{Node: "w", How: SampleKind(d % 5), At: at, API: base.Add(c * time.Second), APIRound: time.Second})
			case 3:
				api.AddObject(&Object{Kind: "Pod", Namespace: "a", Name: "b", UID: "u", Content: Decoded{
					"spec":     map[string]any{"nodeName": "w"},
					"metadata": map[string]any{"deletionTimestamp": at.Format(time.RFC3339), "deletionGracePeriodSeconds": int64(c)},
				}})
			}
		}
		tl := Assemble([]*Builder{log, api}, Options{})
		if len(tl.Events) != len(stamps) {
			t.Fatalf("%d events of %d", len(tl.Events), len(stamps))
		}
		for i, e := range tl.Events {
			if !e.Time.Add(e.Ahead).Equal(stamps[e.Source]) {
				t.Errorf("%v with %v taken off was %v", e.Time, e.Ahead, stamps[e.Source])
			}
			if i > 0 && e.Time.Before(tl.Events[i-1].Time) {
				t.Error("out of order")
			}
		}
		for _, c := range tl.Clocks {
			for _, s := range c.Spans {
				if s.Known && s.Spread <= 0 || s.Applied && s.Ahead == 0 {
					t.Errorf("%+v", s)
				}
			}
		}
	})
}
