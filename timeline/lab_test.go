package timeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"podautopsy/parsers"
	"podautopsy/timeline"
)

const lab = "../../shared/lab"

func captures(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(lab)
	if err != nil {
		t.Skip("no captures of a real cluster beside this repository")
	}
	var names []string
	for _, e := range entries {
		if _, err := os.Stat(filepath.Join(lab, e.Name(), "input")); err == nil {
			names = append(names, e.Name())
		}
	}
	return names
}

func read(t *testing.T, paths ...string) *timeline.Timeline {
	t.Helper()
	tl, err := parsers.Read(context.Background(), paths, nil, parsers.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tl
}

func TestRealCaptures(t *testing.T) {
	for _, name := range captures(t) {
		t.Run(name, func(t *testing.T) {
			tl := read(t, filepath.Join(lab, name, "input"))
			checkInputs(t, tl)
			checkEvents(t, tl)
			checkSnapshots(t, tl)
		})
	}
}

func checkInputs(t *testing.T, tl *timeline.Timeline) {
	for _, in := range tl.Inputs {
		if in.Zone == "" || in.ZoneKnown == "" || in.YearKnown == "" {
			t.Errorf("%s: clock not settled: zone %q %q, year %q", in.Path, in.Zone, in.ZoneKnown, in.YearKnown)
		}
		if in.YearKnown == timeline.Assumed {
			t.Errorf("%s: the bundle tells the year", in.Path)
		}
	}
}

func checkEvents(t *testing.T, tl *timeline.Timeline) {
	if len(tl.Events) == 0 || tl.CapturedAt.IsZero() {
		t.Fatal("no events, or no capture time")
	}
	files := map[string]bool{}
	for _, in := range tl.Inputs {
		files[in.Path] = true
	}
	limit := tl.CapturedAt.Add(5 * time.Minute)
	type key struct{ kind, namespace, name, message string }
	api := map[key][]timeline.Event{}
	for i, e := range tl.Events {
		if i > 0 && !e.Time.IsZero() && e.Time.Before(tl.Events[i-1].Time) {
			t.Fatalf("%v stands before %v", tl.Events[i-1].Source, e.Source)
		}
		if e.Time.After(limit) {
			t.Errorf("%v: %v is later than the capture at %v", e.Source, e.Time, tl.CapturedAt)
		}
		if !e.Time.IsZero() && e.Time.Year() < 2020 {
			t.Errorf("%v: %v", e.Source, e.Time)
		}
		for _, s := range append([]timeline.Source{e.Source}, e.AlsoAt...) {
			if !files[s.File] {
				t.Errorf("%v is no input", s)
			}
		}
		if e.Component == timeline.APIEvent {
			of := e.Object()
			k := key{of.Kind, of.Namespace, of.Name, strings.TrimSpace(e.Message)}
			for _, other := range api[k] {
				if apart := e.Time.Sub(other.Time).Abs(); apart <= max(e.Precision, other.Precision) && e.Source.File != other.Source.File {
					t.Errorf("%v and %v are the same API event: %s", other.Source, e.Source, e.Message)
				}
			}
			api[k] = append(api[k], e)
		}
	}
}

func checkSnapshots(t *testing.T, tl *timeline.Timeline) {
	seen := map[string]timeline.Source{}
	once := func(source timeline.Source, parts ...any) {
		k := fmt.Sprint(parts...)
		if other, dup := seen[k]; dup {
			t.Errorf("%v and %v: the same %s", other, source, k)
		}
		seen[k] = source
	}
	dumped := map[timeline.Ref]bool{}
	for _, o := range tl.Objects {
		if o.UID != "" {
			once(o.Source, "object ", o.Kind, " ", o.UID)
			dumped[timeline.Ref{Kind: o.Kind, Namespace: o.Namespace, Name: o.Name}] = true
		}
	}
	pods := 0
	for _, o := range tl.Objects {
		if o.Kind == "Pod" {
			pods++
		}
		if o.UID == "" && dumped[o.Ref()] {
			t.Errorf("%v: a table shows %s %s/%s apart from its dump", o.Source, o.Kind, o.Namespace, o.Name)
		}
	}
	if pods > 5 { // each capture is about one or two, if they are not gone yet
		t.Errorf("%d pods", pods)
	}
	for _, c := range tl.Containers {
		if c.ID != "" {
			once(c.Source, "container ", c.Node, " ", c.ID[:min(12, len(c.ID))], " ", c.State)
		}
	}
	for _, s := range tl.Sandboxes {
		if s.ID != "" {
			once(s.Source, "sandbox ", s.Node, " ", s.ID[:min(12, len(s.ID))], " ", s.State)
		}
	}
	if n := len(tl.Containers); n > 100 {
		t.Errorf("%d containers", n)
	}
	if n := len(tl.Mounts); n == 0 || n > 2000 {
		t.Errorf("%d mounts", n)
	}
}

// Every encoding of one journal, one after the other and all at once, tells
// the same.
func TestEncodingsOfOneJournal(t *testing.T) {
	for _, name := range captures(t) {
		dir := filepath.Join(lab, name, "formats", "node")
		for _, unit := range []string{"kubelet", "containerd"} {
			files, err := filepath.Glob(filepath.Join(dir, "journal-"+unit+".*"))
			if err != nil || len(files) < 2 {
				continue
			}
			t.Run(name+"/"+unit, func(t *testing.T) {
				input := filepath.Join(lab, name, "input")
				want := read(t, files[0], input) // the bundle's own may cover another span
				all := read(t, append(slices.Clone(files), input)...)
				if got, want := count(all, unit), count(want, unit); got != want {
					t.Errorf("%d events of %s in all encodings together, %d in one", got, unit, want)
					report(t, all, unit)
				}
				// Alone, each must find the same times with the bundle's help.
				for _, f := range files {
					one := read(t, f, filepath.Join(input, "cluster"))
					if at := inputOf(one, f); at.ZoneKnown == timeline.Assumed || at.YearKnown == timeline.Assumed {
						t.Errorf("%s: zone %s, year %s", f, at.ZoneKnown, at.YearKnown)
					} else if all := inputOf(all, f); at.First.Sub(all.First).Abs() > time.Second {
						t.Errorf("%s begins at %v alone and at %v beside the others", f, at.First, all.First)
					}
				}
			})
		}
	}
}

func inputOf(tl *timeline.Timeline, path string) timeline.Input {
	for _, in := range tl.Inputs {
		if in.Path == path {
			return in
		}
	}
	return timeline.Input{}
}

func count(tl *timeline.Timeline, component string) (n int) {
	for i := range tl.Events {
		if tl.Events[i].Component == component {
			n++
		}
	}
	return n
}

// report logs the first events that not all of the encodings share.
func report(t *testing.T, tl *timeline.Timeline, component string) {
	most := 0
	for _, e := range tl.Events {
		if e.Component == component {
			most = max(most, len(e.AlsoAt))
		}
	}
	shown := 0
	for _, e := range tl.Events {
		if e.Component == component && len(e.AlsoAt) < most && shown < 6 {
			shown++
			t.Logf("%v %v (also %d): %.150q", e.Source, e.Time, len(e.AlsoAt), e.Message)
		}
	}
}
