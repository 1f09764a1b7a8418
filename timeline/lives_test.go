package timeline

import (
	"fmt"
	"testing"
	"time"
)

// An object that is shown without its UID is the life of its name that is as
// old, else the newest.
func TestLives(t *testing.T) {
	object := func(uid, made string) *Object {
		content := Decoded{"metadata": map[string]any{"name": "web-0", "creationTimestamp": made}}
		return &Object{Kind: "Pod", Namespace: "shop", Name: "web-0", UID: uid, Content: content}
	}
	of := &lives{}
	for i, made := range []string{
		"2026-03-03T12:00:00Z", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "2026-03-03T12:00:00Z", "2026-03-02T12:01:30Z",
	} {
		of.add(object(fmt.Sprint("uid", i), made), i)
	}
	rounded := object("", "2026-03-01T12:00:00Z")
	rounded.Ages = map[string]time.Duration{"metadata.creationTimestamp": 9 * time.Hour}
	for _, test := range []struct {
		shown *Object
		want  int
	}{
		{object("", ""), 0},
		{object("", "2026-03-01T12:00:00Z"), 1},
		{object("", "2026-03-01T12:01:00Z"), 1},
		{object("", "2026-03-01T12:01:01Z"), 0},
		{object("", "2026-03-01T11:59:00Z"), 1},
		{object("", "2026-03-02T12:00:40Z"), 2},
		{object("", "2026-03-02T12:00:50Z"), 4},
		{object("", "2026-03-03T12:00:30Z"), 0},
		{object("", "2026-03-09T12:00:00Z"), 0},
		{rounded, 0},
	} {
		if got := of.shownBy(test.shown); got != test.want {
			t.Errorf("created %s: life %d, want %d", created(test.shown), got, test.want)
		}
	}
}

// However many lives a name has had, and however often it is shown without a
// UID, each showing is looked at once.
func TestLivesWithoutEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	const many = 100_000
	b := &Builder{}
	for i := range many {
		made := time.Date(2026, 3, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
		b.Objects = append(b.Objects,
			&Object{Kind: "Pod", Namespace: "shop", Name: "web-0", UID: fmt.Sprint(i), Content: Decoded{"metadata": map[string]any{"creationTimestamp": made}}},
			&Object{Kind: "Pod", Namespace: "shop", Name: "web-0", Partial: true, Content: Decoded{"metadata": map[string]any{"creationTimestamp": made}}})
	}
	done := make(chan int)
	go func() { done <- len(mergeObjects([]*Builder{b})) }()
	select {
	case n := <-done:
		if n != many {
			t.Errorf("%d objects", n)
		}
	case <-time.After(2 * time.Minute): // its square takes hours
		t.Fatal("not done after two minutes")
	}
}
