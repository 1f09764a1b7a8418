package main

import (
	"fmt"
	"slices"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

// ref names a subject.
func ref(s *analyzer.Subject) timeline.Ref {
	value := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	return timeline.Ref{Kind: s.Kind, Namespace: value(s.Namespace), Name: value(s.Name), UID: value(s.UID)}
}

// wanted says which subjects the user asked for; nil is all.
func wanted(namespace string, pods []timeline.Ref) func(*analyzer.Subject) bool {
	if namespace == "" && len(pods) == 0 {
		return nil
	}
	return func(s *analyzer.Subject) bool {
		r := ref(s)
		if len(pods) > 0 {
			return slices.ContainsFunc(pods, func(p timeline.Ref) bool {
				if p.UID != "" && r.UID != "" {
					return p.UID == r.UID
				}
				return r.Kind == "Pod" && r.Namespace == p.Namespace && r.Name == p.Name
			})
		}
		return r.Namespace == namespace || r.Kind == "Namespace" && r.Name == namespace
	}
}

// narrow makes a document an excerpt that holds what concerns the wanted
// subjects. It keeps the id of the report that it is from.
func narrow(doc *analyzer.Document, wanted func(*analyzer.Subject) bool) {
	if wanted == nil {
		return
	}
	kept := map[string]bool{}
	var subjects []analyzer.Subject
	for i := range doc.Subjects {
		if s := &doc.Subjects[i]; wanted(s) {
			kept[s.ID] = true
			subjects = append(subjects, *s)
		}
	}
	if len(subjects) == len(doc.Subjects) {
		return
	}
	doc.Subjects = subjects
	doc.Summary = narrowSummary(doc, subjects, kept)
	doc.Timeline = narrowTimeline(doc.Timeline, kept)

	cited := citations(doc)
	doc.Evidence = slices.DeleteFunc(slices.Clone(doc.Evidence), func(e analyzer.Evidence) bool { return !cited[e.ID] })
}

// narrowSummary speaks of the subjects that are left.
func narrowSummary(doc *analyzer.Document, subjects []analyzer.Subject, kept map[string]bool) analyzer.Summary {
	var out analyzer.Summary
	switch len(subjects) {
	case 0:
		out.Headline = "Nothing that was asked for is being deleted or left behind."
	case 1:
		out.Headline = subjects[0].Summary
	default:
		out.Headline = fmt.Sprintf("%s (The first of %d subjects.)", subjects[0].Summary, len(subjects))
	}
	for _, g := range doc.Summary.Groups {
		g.Subjects = slices.DeleteFunc(slices.Clone(g.Subjects), func(id string) bool { return !kept[id] })
		if len(g.Subjects) == 0 {
			continue
		}
		g.LongestOverdueSeconds, g.LongestSinceT0Seconds = 0, nil
		for i := range subjects {
			if slices.Contains(g.Subjects, subjects[i].ID) {
				g.Count(doc, &subjects[i])
			}
		}
		out.Groups = append(out.Groups, g)
	}
	return out
}

// narrowTimeline keeps the moments of the subjects, and those of nobody.
func narrowTimeline(moments []analyzer.Moment, kept map[string]bool) []analyzer.Moment {
	var out []analyzer.Moment
	for _, m := range moments {
		before := len(m.Subjects)
		m.Subjects = slices.DeleteFunc(slices.Clone(m.Subjects), func(sm analyzer.SubjectMoment) bool { return !kept[sm.ID] })
		if before == 0 || len(m.Subjects) > 0 {
			out = append(out, m)
		}
	}
	return out
}

// citations are the ids of all evidence that a document refers to.
func citations(doc *analyzer.Document) map[string]bool {
	cited := map[string]bool{}
	add := func(ids []string) {
		for _, id := range ids {
			cited[id] = true
		}
	}
	for _, n := range doc.Bundle.Nodes {
		add(n.ClockSkewFrom)
	}
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		add(s.Evidence)
		for _, c := range s.Causes {
			add(c.For)
			add(c.Against)
		}
		for _, x := range s.Stages {
			add(x.Evidence)
		}
		for _, x := range s.Remediation {
			add(x.Evidence)
		}
		for _, x := range s.Residue {
			add(x.Evidence)
		}
		for _, x := range s.Prevention {
			add(x.Evidence)
		}
	}
	for _, m := range doc.Timeline {
		if m.Evidence != nil {
			cited[*m.Evidence] = true
		}
	}
	return cited
}
