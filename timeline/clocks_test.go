package timeline

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// moment reads a time of a test; "12-31 23:59:58" has no year.
func moment(t testing.TB, s string) time.Time {
	t.Helper()
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999", "2006-01-02 15:04:05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC()
		}
	}
	at, err := time.Parse("2006-01-02 15:04:05", "2000-"+s)
	if err != nil {
		t.Fatalf("no time: %q", s)
	}
	return time.Date(0, at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), time.UTC)
}

// wallLog is a file whose lines have neither a zone nor, where the figures
// lack it, a year.
func wallLog(t testing.TB, path, node string, stamps ...string) *Builder {
	b := NewBuilder(path)
	b.Input.Node = node
	for i, s := range stamps {
		at := moment(t, s)
		b.Add(Event{
			Time: at, Precision: time.Second, Component: Kubelet, Message: fmt.Sprintf("line %d of %s", i, path), Text: s,
			Stamp: Stamp{Wall: true, NoYear: at.Year() == 0}, Source: b.Src(i+1, 0),
		})
	}
	return b
}

func hinted(t testing.TB, b *Builder, pairs ...string) *Builder {
	for i := 0; i < len(pairs); i += 2 {
		b.Clocks = append(b.Clocks, ClockHint{Local: moment(t, pairs[i]), UTC: moment(t, pairs[i+1])})
	}
	return b
}

func taken(t testing.TB, path, node, at string) *Builder {
	b := NewBuilder(path)
	b.Input.Node, b.Input.CapturedAt = node, moment(t, at)
	return b
}

func podInDeletion(path, namespace, name, deadline string, grace int64) *Builder {
	b := NewBuilder(path)
	b.AddObject(&Object{
		Kind: "Pod", Namespace: namespace, Name: name, UID: "u-" + name, Source: b.Src(1, 0),
		Content: Decoded{"metadata": map[string]any{"deletionTimestamp": deadline, "deletionGracePeriodSeconds": grace}},
	})
	return b
}

// timesOf are the events of a file as RFC 3339, in the order of the timeline.
func timesOf(tl *Timeline, path string) []string {
	var out []string
	for i := range tl.Events {
		if e := &tl.Events[i]; e.Source.File == path {
			out = append(out, e.Time.Format(time.RFC3339))
		}
	}
	return out
}

func input(t testing.TB, tl *Timeline, path string) Input {
	t.Helper()
	for _, in := range tl.Inputs {
		if in.Path == path {
			return in
		}
	}
	t.Fatalf("no input %s", path)
	return Input{}
}

func TestZonesAndYears(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skip("no zones on this machine")
	}
	for name, tt := range map[string]struct {
		files []*Builder
		opt   Options
		want  []string
		zone  string
		known Known
		year  Known
	}{
		"hint in the file itself": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "11-30 10:00:00"), "2026-11-30 10:00:00", "2026-11-30T08:00:00Z")},
			want:  []string{"2026-11-30T08:00:00Z"}, zone: "+02:00", known: Inferred, year: Inferred,
		},
		"hint without a year": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "01-01 00:10:00"), "01-01 00:10:02", "2025-12-31T23:10:02Z")},
			want:  []string{"2025-12-31T23:10:00Z"}, zone: "+01:00", known: Inferred, year: Inferred,
		},
		"hint in another file of the host": {
			files: []*Builder{
				wallLog(t, "log", "w1", "2026-11-30 10:00:00"),
				hinted(t, wallLog(t, "containerd", "w1"), "2026-11-30 09:00:00", "2026-11-30T03:15:00Z"),
			},
			want: []string{"2026-11-30T04:15:00Z"}, zone: "+05:45", known: Inferred, year: Given,
		},
		"a host's zone is not its neighbour's": {
			files: []*Builder{
				wallLog(t, "log", "w1", "2026-11-30 10:00:00"),
				hinted(t, wallLog(t, "containerd", "w2"), "2026-11-30 09:00:00", "2026-11-30T03:15:00Z"),
			},
			want: []string{"2026-11-30T10:00:00Z"}, zone: "UTC", known: Assumed, year: Given,
		},
		"hint beside it where nobody names a host": {
			files: []*Builder{
				wallLog(t, "node/log", "", "2026-11-30 10:00:00"),
				hinted(t, wallLog(t, "node/date", ""), "2026-11-30 06:30:00", "2026-11-30T10:00:00Z"),
			},
			want: []string{"2026-11-30T13:30:00Z"}, zone: "-03:30", known: Inferred, year: Given,
		},
		"a stale line is no zone": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "2026-11-30 10:00:00", "2026-11-30 12:00:00"),
				"2026-11-30 09:00:00", "2026-11-30T08:00:00Z",
				"2026-11-30 11:00:00", "2026-11-30T09:00:00Z",
				"2026-11-30 11:00:01", "2026-11-30T10:00:01Z")},
			want: []string{"2026-11-30T09:00:00Z", "2026-11-30T11:00:00Z"}, zone: "+01:00", known: Inferred, year: Given,
		},
		"SyncLoop DELETE against the request": {
			files: []*Builder{
				deletes(t, "log", "w1", "11-30 14:07:05", `"SyncLoop DELETE" source="api" pods=["shop/cart-0"]`),
				podInDeletion("pods.yaml", "shop", "cart-0", "2026-11-30T08:37:34Z", 30),
			},
			want: []string{"2026-11-30T08:37:05Z"}, zone: "+05:30", known: Inferred, year: Inferred,
		},
		"SyncLoop DELETE of older kubelets": {
			files: []*Builder{
				deletes(t, "log", "w1", "11-30 03:37:05", `SyncLoop (DELETE, "api"): "cart-0_shop(`+testUID+`)"`),
				podInDeletion("pods.yaml", "shop", "cart-0", "2026-11-30T08:37:34Z", 30),
			},
			want: []string{"2026-11-30T08:37:05Z"}, zone: "-05:00", known: Inferred, year: Inferred,
		},
		"SyncLoop DELETE of a namesake": {
			files: []*Builder{
				deletes(t, "log", "w1", "11-30 14:07:05", `"SyncLoop DELETE" source="api" pods=["other/cart-0"]`),
				podInDeletion("pods.yaml", "shop", "cart-0", "2026-11-30T08:37:34Z", 30),
			},
			want: []string{"2026-11-30T14:07:05Z"}, zone: "UTC", known: Assumed, year: Inferred,
		},
		"last line against date": {
			files: []*Builder{wallLog(t, "w1/log", "w1", "11-30 17:00:00", "11-30 17:29:10"), taken(t, "w1/date", "w1", "2026-11-30T09:30:00Z")},
			want:  []string{"2026-11-30T09:00:00Z", "2026-11-30T09:29:10Z"}, zone: "+08:00", known: Inferred, year: Inferred,
		},
		"a log that ended long before is of no odd zone": {
			files: []*Builder{wallLog(t, "w1/log", "w1", "11-30 08:43:00"), taken(t, "w1/date", "w1", "2026-11-30T09:30:00Z")},
			want:  []string{"2026-11-30T08:43:00Z"}, zone: "UTC", known: Assumed, year: Inferred,
		},
		"one log ended, another runs on": {
			files: []*Builder{
				wallLog(t, "w1/log", "w1", "11-30 07:29:30"),
				wallLog(t, "w1/messages", "w1", "11-30 07:00:00", "11-30 09:29:50"),
				taken(t, "w1/date", "w1", "2026-11-30T09:30:00Z"),
			},
			want: []string{"2026-11-30T07:29:30Z"}, zone: "UTC", known: Inferred, year: Inferred,
		},
		"nothing tells": {
			files: []*Builder{wallLog(t, "log", "w1", "02-29 10:00:00")},
			want:  []string{"2000-02-29T10:00:00Z"}, zone: "UTC", known: Assumed, year: Assumed,
		},
		"the year before": {
			files: []*Builder{wallLog(t, "log", "w1", "12-31 23:59:58", "01-01 00:00:03"), taken(t, "date", "w1", "2026-01-01T00:00:30Z")},
			want:  []string{"2025-12-31T23:59:58Z", "2026-01-01T00:00:03Z"}, zone: "UTC", known: Inferred, year: Inferred,
		},
		"the year after, which only the node is in": {
			files: []*Builder{
				hinted(t, wallLog(t, "log", "w1", "12-31 23:59:58", "01-01 00:00:03"), "2026-01-01 00:00:00", "2025-12-31T23:00:00Z"),
				taken(t, "date", "w1", "2025-12-31T23:00:30Z"),
			},
			want: []string{"2025-12-31T22:59:58Z", "2025-12-31T23:00:03Z"}, zone: "+01:00", known: Inferred, year: Inferred,
		},
		"years follow a log that goes on after its last hint": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "12-30 12:00:00", "01-05 12:00:00"), "2025-12-30 12:00:00", "2025-12-30T12:00:00Z")},
			want:  []string{"2025-12-30T12:00:00Z", "2026-01-05T12:00:00Z"}, zone: "UTC", known: Inferred, year: Inferred,
		},
		"a log that ended a year ago stays in one piece": {
			files: []*Builder{wallLog(t, "log", "w1", "01-10 12:00:00", "02-20 12:00:00"), taken(t, "date", "w1", "2026-01-15T00:00:00Z")},
			want:  []string{"2025-01-10T12:00:00Z", "2025-02-20T12:00:00Z"}, zone: "UTC", known: Assumed, year: Inferred,
		},
		"the days around a leap day": {
			files: []*Builder{wallLog(t, "log", "w1", "02-28 12:00:00", "02-29 12:00:00", "03-01 12:00:00"), taken(t, "date", "w1", "2026-05-01T00:00:00Z")},
			want:  []string{"2024-02-28T12:00:00Z", "2024-02-29T12:00:00Z", "2024-03-01T12:00:00Z"}, zone: "UTC", known: Assumed, year: Inferred,
		},
		"newest line first": {
			files: []*Builder{wallLog(t, "log", "w1", "01-01 00:00:03", "01-01 00:00:02", "12-31 23:59:58"), taken(t, "date", "w1", "2026-01-01T00:00:30Z")},
			want:  []string{"2025-12-31T23:59:58Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"}, zone: "UTC", known: Inferred, year: Inferred,
		},
		"the user knows zone and year": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "07-01 10:00:00", "12-01 10:00:00"), "2020-11-30 10:00:00", "2020-11-30T03:00:00Z")},
			opt:   Options{Zone: berlin, Year: 2024},
			want:  []string{"2024-07-01T08:00:00Z", "2024-12-01T09:00:00Z"}, zone: "Europe/Berlin", known: Given, year: Given,
		},
		"the user's year is the last line's": {
			files: []*Builder{wallLog(t, "log", "w1", "12-31 10:00:00", "01-01 10:00:00")},
			opt:   Options{Year: 2024},
			want:  []string{"2023-12-31T10:00:00Z", "2024-01-01T10:00:00Z"}, zone: "UTC", known: Assumed, year: Given,
		},
		"the layout knows the zone": {
			files: []*Builder{given(wallLog(t, "log", "w1", "2026-07-01 10:00:00", "2026-12-01 10:00:00"), "Europe/Berlin")},
			want:  []string{"2026-07-01T08:00:00Z", "2026-12-01T09:00:00Z"}, zone: "Europe/Berlin", known: Given, year: Given,
		},
		"summer time begins": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "2026-03-29 00:30:00", "2026-03-29 01:59:58", "2026-03-29 03:00:01", "2026-03-29 09:00:00"),
				"2026-03-28 12:00:00", "2026-03-28T11:00:00Z", "2026-03-29 03:00:05", "2026-03-29T01:00:05Z")},
			want: []string{"2026-03-28T23:30:00Z", "2026-03-29T00:59:58Z", "2026-03-29T01:00:01Z", "2026-03-29T07:00:00Z"},
			zone: "+02:00", known: Inferred, year: Given,
		},
		"summer time ends, and an hour comes twice": {
			files: []*Builder{hinted(t, wallLog(t, "log", "w1", "10-25 01:30:00", "10-25 02:30:00", "10-25 02:59:59", "10-25 02:00:01", "10-25 02:30:00", "10-25 03:10:00"),
				"2026-10-24 12:00:00", "2026-10-24T10:00:00Z", "2026-10-25 02:00:05", "2026-10-25T01:00:05Z")},
			want: []string{"2026-10-24T23:30:00Z", "2026-10-25T00:30:00Z", "2026-10-25T00:59:59Z", "2026-10-25T01:00:01Z", "2026-10-25T01:30:00Z", "2026-10-25T02:10:00Z"},
			zone: "+01:00", known: Inferred, year: Inferred,
		},
		"hints far apart hold for what is nearest": {
			files: []*Builder{
				wallLog(t, "log", "w1", "2026-10-12 12:00:00", "2026-11-15 12:00:00"),
				hinted(t, wallLog(t, "old", "w1"), "2026-10-10 12:00:00", "2026-10-10T10:00:00Z"),
				hinted(t, wallLog(t, "date", "w1"), "2026-11-20 12:00:00", "2026-11-20T11:00:00Z"),
			},
			want: []string{"2026-10-12T10:00:00Z", "2026-11-15T11:00:00Z"}, zone: "+01:00", known: Inferred, year: Given,
		},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, tt.opt)
			if got := timesOf(tl, tt.files[0].Input.Path); !slices.Equal(got, tt.want) {
				t.Errorf("got  %v\nwant %v", got, tt.want)
			}
			in := input(t, tl, tt.files[0].Input.Path)
			if in.Zone != tt.zone || in.ZoneKnown != tt.known || in.YearKnown != tt.year {
				t.Errorf("zone %s %s, year %s; want %s %s, %s", in.Zone, in.ZoneKnown, in.YearKnown, tt.zone, tt.known, tt.year)
			}
		})
	}
}

func deletes(t testing.TB, path, node, stamp, message string) *Builder {
	b := wallLog(t, path, node, stamp)
	b.Events[0].Message = message
	return b
}

func given(b *Builder, zone string) *Builder {
	b.Input.Zone, b.Input.ZoneKnown = zone, Given
	return b
}

// A file of several hosts takes each host's own zone.
func TestZonePerHost(t *testing.T) {
	b := wallLog(t, "messages", "", "2026-11-30 10:00:00", "2026-11-30 04:00:01")
	b.Events[0].Node, b.Events[1].Node = "w1", "w2.example.com"
	b.Clocks = []ClockHint{
		{Local: moment(t, "2026-11-30 09:00:00"), UTC: moment(t, "2026-11-30T08:00:00Z"), Host: "w1"},
		{Local: moment(t, "2026-11-30 03:00:00"), UTC: moment(t, "2026-11-30T08:00:00Z"), Host: "w2.example.com"},
	}
	tl := Assemble([]*Builder{b}, Options{})
	if got, want := timesOf(tl, "messages"), []string{"2026-11-30T09:00:00Z", "2026-11-30T09:00:01Z"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestUnitsShareTheFilesClock(t *testing.T) {
	b := NewBuilder("w1/status")
	b.Input.Node = "w1"
	b.Units = []Unit{{Name: "kubelet.service", Since: moment(t, "2026-11-30 10:00:00"), Stamp: Stamp{Wall: true}}}
	hints := hinted(t, wallLog(t, "w1/date", "w1"), "2026-11-30 10:30:00", "2026-11-30T08:30:00Z")
	tl := Assemble([]*Builder{b, hints}, Options{})
	if got, want := tl.Units[0].Since, moment(t, "2026-11-30T08:00:00Z"); !got.Equal(want) || tl.Units[0].Stamp.Wall {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSecondsSinceBoot(t *testing.T) {
	dmesg := func() *Builder {
		b := NewBuilder("w1/dmesg")
		b.Input.Node = "w1"
		for i, s := range []time.Duration{time.Second, 100 * time.Second} {
			b.Add(Event{Component: Kernel, Message: fmt.Sprint("line ", i), Stamp: Stamp{SinceBoot: s, HasSinceBoot: true}, Source: b.Src(i+1, 0)})
		}
		return b
	}
	boots := func(path, node string, at ...string) *Builder {
		b := NewBuilder(path)
		b.Input.Node = node
		for _, s := range at {
			b.Boots = append(b.Boots, BootHint{At: 10 * time.Second, Time: moment(t, s)})
		}
		b.Add(Event{Component: Systemd, Time: moment(t, "2026-11-30T09:59:00Z"), Source: b.Src(1, 0)})
		return b
	}
	for name, tt := range map[string]struct {
		others []*Builder
		want   []string
		known  Known
	}{
		"the node's latest boot": {
			others: []*Builder{boots("w1/a", "w1", "2026-11-30T08:00:10Z", "2026-11-29T08:00:10Z"), boots("w1/b", "w1", "2026-11-28T08:00:10Z")},
			want:   []string{"2026-11-30T08:00:01Z", "2026-11-30T08:01:40Z"}, known: Given,
		},
		"another node's boot says nothing": {
			others: []*Builder{boots("w2/a", "w2", "2026-11-30T08:00:10Z"), taken(t, "w1/date", "w1", "2026-11-30T10:00:00Z")},
			want:   []string{"2026-11-30T09:58:21Z", "2026-11-30T10:00:00Z"}, known: Assumed,
		},
		"the newest moment of the bundle": {
			others: []*Builder{boots("w2/a", "w2")},
			want:   []string{"2026-11-30T09:57:21Z", "2026-11-30T09:59:00Z"}, known: Assumed,
		},
		"nothing": {want: []string{"0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"}, known: Given},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(append(tt.others, dmesg()), Options{})
			if got := timesOf(tl, "w1/dmesg"); !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
			if in := input(t, tl, "w1/dmesg"); in.ZoneKnown != tt.known {
				t.Errorf("known %s, want %s", in.ZoneKnown, tt.known)
			}
		})
	}
}

func TestAges(t *testing.T) {
	table := func(path string) *Builder {
		b := NewBuilder(path)
		b.Add(Event{
			Component: APIEvent, Message: "FailedKillPod: error killing pod", Stamp: Stamp{Age: 20 * time.Second, HasAge: true}, Source: b.Src(2, 0),
			API: &APIRecord{Object: Ref{Kind: "Pod", Namespace: "shop", Name: "cart-0"}, Count: 29, FirstAge: 6*time.Minute + 38*time.Second, HasFirstAge: true},
		})
		b.AddObject(&Object{Kind: "Pod", Name: "cart-0", Partial: true, Ages: map[string]time.Duration{"metadata.deletionTimestamp": 6 * time.Minute}, Source: b.Src(3, 0)})
		return b
	}
	dump := NewBuilder("events.json")
	dump.Add(Event{
		Component: APIEvent, API: &APIRecord{Object: Ref{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: "u1"}, Count: 29}, Message: "FailedKillPod: error killing pod",
		Time: moment(t, "2026-11-30T09:59:38Z"), Precision: time.Second, Source: dump.Src(2, 0),
	})
	late := wallLog(t, "w1/log", "w1")
	late.Add(Event{Component: Kubelet, Time: moment(t, "2026-11-30T11:00:00Z"), Source: late.Src(1, 0)})
	for name, tt := range map[string]struct {
		files       []*Builder
		time, first string
		deletion    string
	}{
		"its own time":       {files: []*Builder{at(table("t"), moment(t, "2026-11-30T10:00:00Z")), taken(t, "z/date", "", "2026-12-01T10:00:00Z")}, time: "2026-11-30T09:59:40Z", first: "2026-11-30T09:53:22Z", deletion: "2026-11-30T09:54:00Z"},
		"the folder's time":  {files: []*Builder{table("a/t"), taken(t, "a/date", "w1", "2026-11-30T10:00:00Z"), taken(t, "b/date", "w2", "2026-12-01T10:00:00Z")}, time: "2026-11-30T09:59:40Z", first: "2026-11-30T09:53:22Z", deletion: "2026-11-30T09:54:00Z"},
		"the bundle's time":  {files: []*Builder{table("a/t"), taken(t, "b/date", "w2", "2026-11-30T10:00:00Z")}, time: "2026-11-30T09:59:40Z", first: "2026-11-30T09:53:22Z", deletion: "2026-11-30T09:54:00Z"},
		"the newest record":  {files: []*Builder{table("a/t"), late}, time: "2026-11-30T10:59:40Z", first: "2026-11-30T10:53:22Z", deletion: "2026-11-30T10:54:00Z"},
		"the same in a dump": {files: []*Builder{dump, table("t"), late}, time: "2026-11-30T09:59:38Z", first: "2026-11-30T09:53:20Z", deletion: "2026-11-30T09:53:58Z"},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			var api []Event
			for _, e := range tl.Events {
				if e.Component == APIEvent {
					api = append(api, e)
				}
			}
			if len(api) != 1 {
				t.Fatalf("%d API events, want one", len(api))
			}
			e := api[0]
			if got := e.Time.Format(time.RFC3339); got != tt.time {
				t.Errorf("time %s, want %s", got, tt.time)
			}
			if got := e.First().Format(time.RFC3339); got != tt.first {
				t.Errorf("first %s, want %s", got, tt.first)
			}
			if got := deletionTime(tl.Objects[0]).Format(time.RFC3339); got != tt.deletion {
				t.Errorf("deletion %s, want %s", got, tt.deletion)
			}
		})
	}
}

func at(b *Builder, t time.Time) *Builder {
	b.Input.CapturedAt = t
	return b
}

func TestAgePrecision(t *testing.T) {
	for age, want := range map[time.Duration]time.Duration{
		9 * time.Minute: time.Second, 11 * time.Minute: time.Minute, 9 * time.Hour: time.Hour, 9 * 24 * time.Hour: 24 * time.Hour,
	} {
		if got := agePrecision(age); got != want {
			t.Errorf("%v: got %v, want %v", age, got, want)
		}
	}
}

// What a dump shows of the future (certificates, deadlines, schedules) does
// not say when it was taken.
func TestDumpsAreDatedByWhatHappened(t *testing.T) {
	b := NewBuilder("dump.yaml")
	b.AddObject(&Object{Kind: "Certificate", UID: "u", Source: b.Src(1, 0), Content: Decoded{
		"metadata": map[string]any{
			"creationTimestamp": "2026-11-01T00:00:00Z", "deletionTimestamp": "2026-12-24T00:00:00Z", "deletionGracePeriodSeconds": int64(30 * 24 * 3600),
			"annotations":   map[string]any{"expires": "2027-01-01T00:00:00Z"},
			"managedFields": []any{map[string]any{"time": "2026-11-30T08:00:00Z", "fieldsV1": map[string]any{"f:time": "2030-01-01T00:00:00Z"}}},
		},
		"spec":   map[string]any{"startTime": "2027-02-01T00:00:00Z"},
		"status": map[string]any{"notAfter": "2027-03-01T00:00:00Z", "conditions": []any{map[string]any{"lastTransitionTime": "2026-11-30T07:00:00Z"}}},
	}})
	lease := NewBuilder("leases.yaml")
	lease.AddObject(&Object{Kind: "Lease", UID: "l", Source: lease.Src(1, 0), Content: Decoded{"spec": map[string]any{"renewTime": "2026-11-30T08:30:00.123456Z"}}})
	tl := Assemble([]*Builder{b, lease}, Options{})
	if got, want := tl.Objects[0].AsOf, moment(t, "2026-11-30T08:00:00Z"); !got.Equal(want) {
		t.Errorf("dump as of %v, want %v", got, want)
	}
	if got, want := tl.CapturedAt, moment(t, "2026-11-30T08:30:00.123456Z"); !got.Equal(want) {
		t.Errorf("captured at %v, want %v", got, want)
	}
}

func TestZonesInUse(t *testing.T) {
	for minutes, want := range map[int]bool{0: true, 345: true, -210: true, 840: true, -720: true, 15: false, 45: false, -45: false, 900: false, -780: false} {
		if got := isZoneInUse(time.Duration(minutes) * time.Minute); got != want {
			t.Errorf("%d minutes: %v", minutes, got)
		}
	}
}
