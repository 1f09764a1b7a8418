package main

import (
	"slices"
	"testing"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

func TestNarrow(t *testing.T) {
	id := func(s string) *string { return &s }
	late := func(n int64) *analyzer.Deletion { return &analyzer.Deletion{OverdueSeconds: &n} }
	doc := &analyzer.Document{
		ReportID: "abc",
		Bundle:   analyzer.Bundle{Nodes: []analyzer.Node{{ClockSkewFrom: []string{"e9"}}}},
		Summary:  analyzer.Summary{Headline: "all", Groups: []analyzer.Group{{Subjects: []string{"s1", "s2"}, LongestOverdueSeconds: 60}, {Subjects: []string{"s3"}}}},
		Subjects: []analyzer.Subject{
			{
				ID: "s1", Kind: "Pod", Namespace: id("a"), Name: id("x"), UID: id("u1"), Summary: "x is stuck.", Deletion: late(30), Evidence: []string{"e1"},
				Causes: []analyzer.CauseVerdict{{For: []string{"e2"}, Against: []string{"e3"}}},
			},
			{ID: "s2", Kind: "Pod", Namespace: id("a"), Name: id("y"), Deletion: late(60), Evidence: []string{"e4"}},
			{ID: "s3", Kind: "Namespace", Name: id("b"), Evidence: []string{"e5"}},
		},
		Evidence: []analyzer.Evidence{{ID: "e1"}, {ID: "e2"}, {ID: "e3"}, {ID: "e4"}, {ID: "e5"}, {ID: "e6"}, {ID: "e9"}},
		Timeline: []analyzer.Moment{
			{What: "both", Subjects: []analyzer.SubjectMoment{{ID: "s1"}, {ID: "s2"}}},
			{What: "other", Subjects: []analyzer.SubjectMoment{{ID: "s2"}}},
			{What: "nobody", Evidence: id("e6")},
		},
	}
	narrow(doc, wanted("", []timeline.Ref{{Kind: "Pod", Namespace: "a", Name: "x", UID: "u1"}}))
	if len(doc.Subjects) != 1 || doc.Summary.Headline != "x is stuck." || doc.ReportID != "abc" {
		t.Errorf("subjects %v, headline %q", doc.Subjects, doc.Summary.Headline)
	}
	if g := doc.Summary.Groups; len(g) != 1 || !slices.Equal(g[0].Subjects, []string{"s1"}) || g[0].LongestOverdueSeconds != 30 {
		t.Errorf("groups %v", doc.Summary.Groups)
	}
	var ids []string
	for _, e := range doc.Evidence {
		ids = append(ids, e.ID)
	}
	if want := []string{"e1", "e2", "e3", "e6", "e9"}; !slices.Equal(ids, want) {
		t.Errorf("evidence %v, want %v", ids, want)
	}
	if len(doc.Timeline) != 2 || len(doc.Timeline[0].Subjects) != 1 {
		t.Errorf("timeline %v", doc.Timeline)
	}
}

func TestWanted(t *testing.T) {
	id := func(s string) *string { return &s }
	pod := &analyzer.Subject{Kind: "Pod", Namespace: id("a"), Name: id("x"), UID: id("u1")}
	space := &analyzer.Subject{Kind: "Namespace", Name: id("a")}
	for _, c := range []struct {
		namespace  string
		pods       []timeline.Ref
		pod, space bool
	}{
		{"a", nil, true, true},
		{"b", nil, false, false},
		{"", []timeline.Ref{{Namespace: "a", Name: "x"}}, true, false},
		{"", []timeline.Ref{{Namespace: "a", Name: "x", UID: "u2"}}, false, false}, // another life
		{"", []timeline.Ref{{Namespace: "b", Name: "x"}}, false, false},
	} {
		keep := wanted(c.namespace, c.pods)
		if keep(pod) != c.pod || keep(space) != c.space {
			t.Errorf("wanted(%q, %v): pod %v, namespace %v", c.namespace, c.pods, keep(pod), keep(space))
		}
	}
	if wanted("", nil) != nil {
		t.Error("nothing asked for is everything")
	}
}
