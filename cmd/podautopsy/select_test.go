package main

import (
	"slices"
	"testing"

	"podautopsy/timeline"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"abc", "abc", 0},
		{"abc", "", 3},
		{"", "ab", 2},
		{"abc", "acb", 1},
		{"payemnts", "payments", 1},
		{"worker-1", "worker-0", 1},
		{"kitten", "sitting", 3},
		{"ca", "abc", 3},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if distance(c.a, c.b) != distance(c.b, c.a) {
			t.Errorf("distance(%q, %q) is not symmetric", c.a, c.b)
		}
	}
}

func TestMatchPods(t *testing.T) {
	pods := []timeline.Ref{
		{Kind: "Pod", Namespace: "a", Name: "cart-0", UID: "1111aaaa"},
		{Kind: "Pod", Namespace: "a", Name: "cart-0", UID: "2222aaaa"},
		{Kind: "Pod", Namespace: "a", Name: "big-cart-0", UID: "3333aaaa"},
		{Kind: "Pod", Namespace: "b", Name: "api-7c9d8b6f4-x2x9q"},
		{Kind: "Pod", Namespace: "c", Name: "1111"},
	}
	for _, c := range []struct {
		asked, namespace string
		want             []int
	}{
		{"cart-0", "", []int{0, 1}},   // two lives of one name
		{"a/cart-0", "", []int{0, 1}}, //
		{"b/cart-0", "", nil},         //
		{"art-0", "", []int{0, 1, 2}}, // the end of a name
		{"x2x9q", "", []int{3}},       //
		{"api", "", []int{3}},         // the beginning
		{"2222", "", []int{1}},        // a UID
		{"1111", "", []int{4}},        // a name before a UID
		{"111", "", []int{4}},         // too short for a UID
		{"cart-0", "b", nil},          //
		{"", "", nil}, {"a/", "", nil}, {"zzz", "", nil},
	} {
		var want []timeline.Ref
		for _, i := range c.want {
			want = append(want, pods[i])
		}
		if got := matchPods(c.asked, c.namespace, pods); !slices.Equal(got, want) {
			t.Errorf("matchPods(%q, %q) = %v, want %v", c.asked, c.namespace, got, want)
		}
	}
}

func TestPodsInKnowsGhosts(t *testing.T) {
	tl := &timeline.Timeline{
		Objects: []*timeline.Object{{Kind: "Pod", Namespace: "a", Name: "listed", UID: "u1"}, {Kind: "Node", Name: "n"}},
		NodeState: timeline.NodeState{
			Containers: []timeline.Container{{PodNamespace: "a", PodName: "ghost", PodUID: "u2"}, {}},
			Sandboxes:  []timeline.Sandbox{{PodNamespace: "a", Pod: "ghost"}},
		},
		Events: []timeline.Event{
			{Message: `"SyncLoop DELETE" source="api" pods=["a/logged"]`},
			{API: &timeline.APIRecord{Object: timeline.Ref{Kind: "Pod", Namespace: "a", Name: "listed"}}},
		},
	}
	got := podNames(podsIn(tl))
	if want := []string{"a/ghost", "a/listed", "a/logged"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if n := len(podsIn(tl)); n != 3 {
		t.Errorf("%d pods, want 3: a name without a UID is the one with it", n)
	}
}
