package analyzer

import (
	"slices"
	"testing"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

func livePod(namespace, name, uid string) *timeline.Object {
	return &timeline.Object{APIVersion: "v1", Kind: "Pod", Namespace: namespace, Name: name, UID: uid, Content: timeline.Decoded{
		"metadata": map[string]any{"namespace": namespace, "name": name, "uid": uid},
	}}
}

// A pod that nothing is wrong with concerns nobody, unless it was asked for.
func TestConcernsThoseAskedFor(t *testing.T) {
	c, err := BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	const uid = "a74312cb-8cff-4e39-a7fd-b93849cb7e1d"
	tl := &timeline.Timeline{Objects: []*timeline.Object{livePod("shop", "web-0", uid)}}
	if words := c.Scene(tl).Concerns(nil); len(words) > 0 {
		t.Errorf("of a pod that runs: %q", words)
	}
	words := c.Scene(tl).Concerns([]Wanted{{Namespace: "shop", Name: "web-0"}})
	for _, want := range []string{uid, "shop/web-0", "web-0_shop"} {
		if !slices.Contains(words, want) {
			t.Errorf("%q is not among %q", want, words)
		}
	}
}

// Names too short to be searched for are found by what stands before them.
func TestLinesOfShortNames(t *testing.T) {
	c, err := BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	tl := &timeline.Timeline{Objects: []*timeline.Object{livePod("a", "b", "a74312cb-8cff-4e39-a7fd-b93849cb7e1d")}}
	for asked, want := range map[bool]bool{true: true, false: false} {
		var wanted []Wanted
		if asked {
			wanted = []Wanted{{Namespace: "a", Name: "b"}}
		}
		lines := literal.New(slices.Concat(c.Lines(), c.Scene(tl).Concerns(wanted)), c.Sample())
		for _, line := range []string{
			`I1130 08:21:33.759697     161 kuberuntime_container.go:779] "Killing container with a grace period" pod="a/b" containerName="c"`,
			`I1130 08:21:33.759697     161 kubelet.go:2588] "SyncLoop UPDATE" source="api" pods=["a/b"]`,
		} {
			hit := false
			literal.Find(lines, line, func(int, int) { hit = true })
			if hit != want {
				t.Errorf("asked for: %v, found: %v, in %s", asked, hit, line)
			}
		}
	}
}
