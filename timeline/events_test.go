package timeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// record is a line of a log as a test writes it.
type record struct {
	at, message, cursor string
	precision           time.Duration
}

func logFile(t testing.TB, path, component string, records ...record) *Builder {
	b := NewBuilder(path)
	b.Input.Node = "w1"
	for i, r := range records {
		src := b.Src(i+1, int64(i))
		src.Cursor = r.cursor
		b.Add(Event{Time: moment(t, r.at), Precision: max(r.precision, time.Microsecond), Component: component, Message: r.message, Text: r.message, Source: src})
	}
	return b
}

const (
	klogLine   = `I1130 08:21:33.000100    2391 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/cart-0"]`
	logfmtLine = `time="2026-11-30T08:21:33.000200001Z" level=info msg="StopContainer for \"x\" with timeout 30 (s)"`
)

func TestJournalCountsOnce(t *testing.T) {
	const us, s = time.Microsecond, time.Second
	for name, tt := range map[string]struct {
		component string
		files     [][]record
		want      int
		sources   int // of the first event
	}{
		"export, short and json": {
			component: Kubelet,
			files: [][]record{
				{{"2026-11-30T08:21:33.003Z", klogLine, "s=1;i=1", us}},
				{{"2026-11-30T08:21:33.0001Z", klogLine, "", us}},
				{{"2026-11-30T08:21:33.003Z", klogLine, "s=1;i=1", us}},
			},
			want: 1, sources: 3,
		},
		"received in the next second": {
			component: Kubelet,
			files:     [][]record{{{"2026-11-30T08:21:34.004Z", klogLine, "s=1;i=1", us}}, {{"2026-11-30T08:21:33.9999Z", klogLine, "", us}}},
			want:      1, sources: 2,
		},
		"containerd": {
			component: Containerd,
			files:     [][]record{{{"2026-11-30T08:21:33.003Z", logfmtLine, "s=1;i=1", us}}, {{"2026-11-30T08:21:33Z", logfmtLine, "", s}}},
			want:      1, sources: 2,
		},
		"one second and microseconds": {
			component: Systemd,
			files:     [][]record{{{"2026-11-30T08:21:33.903Z", "Stopped kubelet.service.", "s=1;i=1", us}}, {{"2026-11-30T08:21:33Z", "Stopped kubelet.service.", "", s}}},
			want:      1, sources: 2,
		},
		"some milliseconds apart, over a second's edge": {
			component: "exporter",
			files:     [][]record{{{"2026-11-30T08:21:34.001Z", "scrape failed", "s=1;i=1", us}}, {{"2026-11-30T08:21:33.990Z", "scrape failed", "", us}}},
			want:      1, sources: 2,
		},
		"repeats in one file stay": {
			component: Kernel,
			files:     [][]record{{{"2026-11-30T08:21:33Z", "eth0: link up", "", s}, {"2026-11-30T08:21:33Z", "eth0: link up", "", s}}},
			want:      2, sources: 1,
		},
		"repeats in two files pair up": {
			component: Kernel,
			files: [][]record{
				{{"2026-11-30T08:21:33.1Z", "eth0: link up", "s=1;i=1", us}, {"2026-11-30T08:21:33.2Z", "eth0: link up", "s=1;i=2", us}},
				{{"2026-11-30T08:21:33Z", "eth0: link up", "", s}, {"2026-11-30T08:21:33Z", "eth0: link up", "", s}, {"2026-11-30T08:21:33Z", "eth0: link up", "", s}},
			},
			want: 3, sources: 1, // the one that only the second file has
		},
		"a journal that was rotated between two of the same": {
			component: Kernel,
			files:     [][]record{{{"2026-11-30T08:21:33.1Z", "eth0: link up", "s=1;i=1", us}}, {{"2026-11-30T08:21:33.11Z", "eth0: link up", "s=1;i=2", us}}},
			want:      2, sources: 1,
		},
		"another journal's copy of the entry": {
			component: Kernel,
			files:     [][]record{{{"2026-11-30T08:21:33.1Z", "eth0: link up", "s=1;i=1", us}}, {{"2026-11-30T08:21:33.1Z", "eth0: link up", "s=2;i=9", us}}},
			want:      1, sources: 2,
		},
		"the same words half a second later": {
			component: Kernel,
			files:     [][]record{{{"2026-11-30T08:21:33.1Z", "eth0: link up", "", us}}, {{"2026-11-30T08:21:33.7Z", "eth0: link up", "", us}}},
			want:      2, sources: 1,
		},
		"a file that begins in the middle": {
			component: Kernel,
			files: [][]record{
				{{"2026-11-30T08:21:33.1Z", "a", "", us}, {"2026-11-30T08:21:33.5Z", "a", "", us}, {"2026-11-30T08:21:33.9Z", "a", "", us}},
				{{"2026-11-30T08:21:33.9Z", "a", "", us}},
				{{"2026-11-30T08:21:33.5Z", "a", "", us}, {"2026-11-30T08:21:33.9Z", "a", "", us}},
			},
			want: 3, sources: 1,
		},
		"the early part is read last": {
			component: Kernel,
			files: [][]record{
				{{"2026-11-30T08:21:33.9Z", "a", "", us}},
				{{"2026-11-30T08:21:33.1Z", "a", "", us}},
				{{"2026-11-30T08:21:33.1Z", "a", "", us}, {"2026-11-30T08:21:33.9Z", "a", "", us}},
			},
			want: 2, sources: 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var files []*Builder
			for i, records := range tt.files {
				files = append(files, logFile(t, fmt.Sprintf("log-%d", i), tt.component, records...))
			}
			tl := Assemble(files, Options{})
			if len(tl.Events) != tt.want {
				t.Fatalf("%d events, want %d", len(tl.Events), tt.want)
			}
			if got := 1 + len(tl.Events[0].AlsoAt); got != tt.sources {
				t.Errorf("first event has %d sources, want %d", got, tt.sources)
			}
		})
	}
}

// The reading that tells the time best stands for all.
func TestBestTimeStands(t *testing.T) {
	files := []*Builder{
		logFile(t, "a", Systemd, record{at: "2026-11-30T08:21:33Z", message: "Stopped x.", precision: time.Second}),
		logFile(t, "b", Systemd, record{at: "2026-11-30T08:21:33.5Z", message: "Stopped x.", cursor: "s=1;i=1"}),
		logFile(t, "c", Systemd, record{at: "2026-11-30T08:21:33.5Z", message: "Stopped x.", cursor: "s=1;i=1"}),
	}
	tl := Assemble(files, Options{})
	if len(tl.Events) != 1 {
		t.Fatalf("%d events", len(tl.Events))
	}
	e := tl.Events[0]
	if e.Source.File != "b" || e.Time.Nanosecond() == 0 || len(e.AlsoAt) != 2 {
		t.Errorf("%v at %v, also at %v", e.Source, e.Time, e.AlsoAt)
	}
}

func TestNodesKeepTheirOwnLines(t *testing.T) {
	a := logFile(t, "a", Kernel, record{at: "2026-11-30T08:21:33Z", message: "x", precision: time.Second})
	b := logFile(t, "b", Kernel, record{at: "2026-11-30T08:21:33Z", message: "x", precision: time.Second})
	b.Input.Node = "w2"
	if tl := Assemble([]*Builder{a, b}, Options{}); len(tl.Events) != 2 {
		t.Errorf("%d events, want 2", len(tl.Events))
	}
}

func TestOrderOfTies(t *testing.T) {
	const s = time.Second
	forward := logFile(t, "a", Kernel, record{"2026-11-30T08:21:33Z", "1", "", s}, record{"2026-11-30T08:21:33Z", "2", "", s}, record{"2026-11-30T08:21:35Z", "5", "", s})
	backward := logFile(t, "b", Kernel, record{"2026-11-30T08:21:34Z", "4", "", s}, record{"2026-11-30T08:21:33Z", "3b", "", s}, record{"2026-11-30T08:21:33Z", "3a", "", s})
	timeless := logFile(t, "c", Kernel, record{"2026-11-30T08:21:33Z", "last", "", s})
	timeless.Events[0].Time = time.Time{}
	tl := Assemble([]*Builder{timeless, backward, forward}, Options{})
	var got []string
	for _, e := range tl.Events {
		got = append(got, e.Message)
	}
	if want := []string{"1", "2", "3a", "3b", "4", "5", "last"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func apiEvent(path string, line int, e Event) *Builder {
	b := NewBuilder(path)
	e.Component, e.Source = APIEvent, b.Src(line, 0)
	b.Add(e)
	return b
}

func TestAPIEventsCountOnce(t *testing.T) {
	pod := Ref{Kind: "Pod", Namespace: "shop", Name: "cart-0", UID: "u1"}
	nameless := Ref{Kind: "Pod", Namespace: "shop", Name: "cart-0"}
	const killing = "Killing: Stopping container app"
	at := moment(t, "2026-11-30T08:21:33Z")
	json := func() *Builder {
		return apiEvent("events.json", 10, Event{API: &APIRecord{Object: pod, Count: 1, First: at}, Message: killing, Time: at, Precision: time.Second, Node: "w1"})
	}
	yaml := func() *Builder {
		return apiEvent("events.yaml", 10, Event{API: &APIRecord{Object: pod, Count: 1, First: at}, Message: killing + "\n", Time: at, Precision: time.Second})
	}
	table := func(age time.Duration) *Builder {
		b := apiEvent("get-events.txt", 2, Event{API: &APIRecord{Object: nameless}, Message: killing, Stamp: Stamp{Age: age, HasAge: true}})
		b.Input.CapturedAt = at.Add(58*time.Second + 700*time.Millisecond)
		return b
	}
	describe := func(age time.Duration) *Builder {
		b := table(age)
		b.Input.Path, b.Events[0].Source.File = "describe.txt", "describe.txt"
		return b
	}
	for name, tt := range map[string]struct {
		files []*Builder
		want  int
	}{
		"all forms":                   {[]*Builder{json(), yaml(), table(58 * time.Second), describe(58 * time.Second)}, 1},
		"the table is read first":     {[]*Builder{describe(58 * time.Second), json()}, 1},
		"tables alone":                {[]*Builder{describe(58 * time.Second), table(58 * time.Second)}, 1},
		"another time":                {[]*Builder{json(), table(28 * time.Second)}, 2},
		"another object":              {[]*Builder{json(), apiEvent("x", 1, Event{API: &APIRecord{Object: Ref{Kind: "Pod", Namespace: "shop", Name: "cart-1"}}, Message: killing, Time: at, Precision: time.Second})}, 2},
		"another reason":              {[]*Builder{json(), apiEvent("x", 1, Event{API: &APIRecord{Object: pod}, Message: "FailedKillPod: x", Time: at, Precision: time.Second})}, 2},
		"without any time":            {[]*Builder{json(), apiEvent("x", 1, Event{API: &APIRecord{Object: pod}, Message: killing})}, 2},
		"twice in one file":           {[]*Builder{twice(json())}, 2},
		"twice in each of two files":  {[]*Builder{twice(json()), twice(yaml())}, 2},
		"minutes are rounded by more": {[]*Builder{json(), minutes(table(0), at)}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			if len(tl.Events) != tt.want {
				t.Fatalf("%d events, want %d: %+v", len(tl.Events), tt.want, tl.Events)
			}
			if tt.want == 1 && name != "tables alone" {
				e := tl.Events[0]
				if e.Object().UID != "u1" || !e.Time.Equal(at) || e.Count() != 1 || !e.First().Equal(at) || len(e.AlsoAt) != len(tt.files)-1 {
					t.Errorf("what the dump tells is lost: %+v", e)
				}
			}
		})
	}
}

func twice(b *Builder) *Builder {
	e := b.Events[0]
	e.Source.Line++
	b.Add(e)
	return b
}

func minutes(b *Builder, t time.Time) *Builder {
	b.Events[0].Stamp.Age = 42 * time.Minute
	b.Input.CapturedAt = t.Add(42*time.Minute + 40*time.Second)
	return b
}

func dumpOf(path string, o Object) *Builder {
	b := NewBuilder(path)
	o.Kind, o.Namespace, o.Name, o.Source = "Pod", "shop", "cart-0", b.Src(1, 0)
	b.AddObject(&o)
	return b
}

// aged is a row that tells how old the pod is, as a table does.
func aged(path string, age time.Duration, taken time.Time) *Builder {
	b := dumpOf(path, Object{Partial: true, Content: Decoded{}, Ages: map[string]time.Duration{"metadata.creationTimestamp": age}})
	b.Input.CapturedAt = taken
	return b
}

func podContent(created, version, phase string) Decoded {
	return map[string]any{
		"metadata": map[string]any{"creationTimestamp": created, "resourceVersion": version},
		"status":   map[string]any{"phase": phase},
	}
}

func TestObjectsCountOnce(t *testing.T) {
	phase := func(o *Object) string {
		status, _ := o.Field("status").(map[string]any)
		s, _ := status["phase"].(string)
		return s
	}
	full := func(path, uid, created, version, ph string) *Builder {
		return dumpOf(path, Object{UID: uid, Content: podContent(created, version, ph)})
	}
	partial := func(path string) *Builder {
		return dumpOf(path, Object{Partial: true, Content: Decoded{"status": map[string]any{"phase": "Shown"}}})
	}
	bare := func(path string) *Builder {
		b := partial(path)
		b.Objects[0].Namespace = ""
		return b
	}
	for name, tt := range map[string]struct {
		files []*Builder
		want  []string // phases
		also  int      // of the first
	}{
		"yaml, json, table and describe": {
			[]*Builder{full("a.yaml", "u1", "2026-11-30T08:00:00Z", "10", "Running"), full("b.json", "u1", "2026-11-30T08:00:00Z", "10", "Running"), partial("c.txt"), partial("d.txt")},
			[]string{"Running"},
			3,
		},
		"the newer version stands": {
			[]*Builder{full("a.yaml", "u1", "2026-11-30T08:00:00Z", "9", "Running"), full("b.yaml", "u1", "2026-11-30T08:00:00Z", "10", "Succeeded")},
			[]string{"Succeeded"},
			1,
		},
		"whichever is read first": {
			[]*Builder{full("a.yaml", "u1", "2026-11-30T08:00:00Z", "10", "Succeeded"), full("b.yaml", "u1", "2026-11-30T08:00:00Z", "9", "Running")},
			[]string{"Succeeded"},
			1,
		},
		"without versions the later dump stands": {
			[]*Builder{at(full("a.yaml", "u1", "2026-11-30T08:00:00Z", "", "Succeeded"), moment(t, "2026-11-30T10:00:00Z")), at(full("b.yaml", "u1", "2026-11-30T08:00:00Z", "", "Running"), moment(t, "2026-11-30T09:00:00Z"))},
			[]string{"Succeeded"},
			1,
		},
		"two lives of one name": {
			[]*Builder{full("a.yaml", "u1", "2026-11-30T08:00:00Z", "9", "Failed"), full("b.yaml", "u2", "2026-11-30T09:00:00Z", "10", "Running"), partial("c.txt")},
			[]string{"Failed", "Running"},
			0,
		},
		"the older life, by its age": {
			[]*Builder{full("a.yaml", "u1", "2026-11-30T08:00:00Z", "9", "Failed"), full("b.yaml", "u2", "2026-11-30T09:00:00Z", "10", "Running"), aged("c.txt", 65*time.Minute, moment(t, "2026-11-30T09:05:20Z"))},
			[]string{"Failed", "Running"},
			1,
		},
		"a list without its namespace": {
			[]*Builder{bare("c.txt"), full("a.yaml", "u1", "2026-11-30T08:00:00Z", "9", "Running")},
			[]string{"Running"},
			1,
		},
		"only shown": {[]*Builder{partial("c.txt"), partial("d.txt")}, []string{"Shown"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			tl := Assemble(tt.files, Options{})
			var got []string
			for _, o := range tl.Objects {
				got = append(got, phase(o))
			}
			if !slices.Equal(got, tt.want) {
				t.Fatalf("got %v, want %v", got, tt.want)
			}
			if n := len(tl.Objects[0].AlsoAt); n != tt.also {
				t.Errorf("first is also at %d places, want %d", n, tt.also)
			}
		})
	}
}

// dmesg, dmesg -T and the journal show one kernel message at three times.
func TestKernelMessagesCountOnce(t *testing.T) {
	boot := time.Date(2026, 11, 30, 7, 0, 0, 0, time.UTC)
	const stuck = "INFO: task umount:4711 blocked for more than 120 seconds."
	log := func(path, format string, off time.Duration, sinceBoot bool, ats ...time.Duration) *Builder {
		b := NewBuilder(path)
		b.Input.Format, b.Input.Node = format, "w1"
		for i, at := range ats {
			e := Event{Component: Kernel, Node: "w1", Message: stuck, Source: b.Src(i+1, 0)}
			if sinceBoot {
				e.Stamp = Stamp{SinceBoot: at, HasSinceBoot: true}
			} else {
				e.Time, e.Precision = boot.Add(at+off).Truncate(time.Second), time.Second
			}
			b.Add(e)
		}
		return b
	}
	minute := time.Minute
	journal := log("journal.txt", "journal-short", 0, false, 10*minute, 12*minute, 14*minute)
	human := log("dmesg-T.txt", "dmesg", 20*time.Second, false, 10*minute, 12*minute, 14*minute)
	raw := log("dmesg.txt", "dmesg", 0, true, 10*minute, 12*minute, 14*minute)
	raw.Boots = append(raw.Boots, BootHint{Time: boot})
	short := log("dmesg-later.txt", "dmesg", 0, true, 14*minute, 16*minute)
	tl := Assemble([]*Builder{journal, human, raw, short}, Options{})
	if len(tl.Events) != 4 {
		t.Fatalf("%d messages, want 4", len(tl.Events))
	}
	for i := range tl.Events[:3] {
		e := &tl.Events[i]
		if e.Source.File != "journal.txt" || len(e.AlsoAt) < 2 {
			t.Errorf("%v at %v and %v: the journal's time is the one to go by", e.Time, e.Source, e.AlsoAt)
		}
	}
}

// However readings of kernel messages lie to each other, each file's are all
// there, and none is made up.
func TestKernelMessagesInAnyForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var builders []*Builder
		total, most := 0, map[string]int{}
		for f := range 1 + r.IntN(5) {
			b := NewBuilder(fmt.Sprint("f", f))
			b.Input.Format = []string{"dmesg", "journal-short"}[r.IntN(2)]
			mine := map[string]int{}
			at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
			for i := range r.IntN(12) {
				at = at.Add(time.Duration(r.IntN(4000)) * time.Millisecond)
				e := Event{Component: Kernel, Node: "w1", Message: fmt.Sprint("message ", r.IntN(3)), Time: at, Precision: time.Second, Source: b.Src(i+1, 0)}
				if b.Input.Format == "dmesg" && r.IntN(2) == 0 {
					e.Stamp = Stamp{HasSinceBoot: true, SinceBoot: time.Duration(i) * time.Second}
				}
				if r.IntN(5) == 0 {
					e.Time = time.Time{}
				}
				mine[e.Message]++
				total++
				b.Add(e)
			}
			for m, n := range mine {
				most[m] = max(most[m], n)
			}
			builders = append(builders, b)
		}
		got, places := map[string]int{}, 0
		for _, e := range mergeEvents(builders) {
			got[e.Message]++
			places += 1 + len(e.AlsoAt)
		}
		if places != total {
			t.Fatalf("%d readings have become %d", total, places)
		}
		for m, n := range most {
			if got[m] < n {
				t.Fatalf("%q stands %d times in one file, and %d are left", m, n, got[m])
			}
		}
	}
}
