package main

import (
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

// narrow leaves in a document what concerns the wanted subjects.
func narrow(doc *analyzer.Document, wanted func(*analyzer.Subject) bool) {
	if wanted == nil {
		return
	}
	kept := map[string]bool{}
	doc.Subjects = slices.DeleteFunc(doc.Subjects, func(s analyzer.Subject) bool {
		if !wanted(&s) {
			return true
		}
		kept[s.ID] = true
		return false
	})
	var groups []analyzer.Group
	for _, g := range doc.Summary.Groups {
		g.Subjects = slices.DeleteFunc(slices.Clone(g.Subjects), func(id string) bool { return !kept[id] })
		if len(g.Subjects) > 0 {
			groups = append(groups, g)
		}
	}
	doc.Summary.Groups = groups
	doc.Timeline = slices.DeleteFunc(doc.Timeline, func(m analyzer.Moment) bool {
		return len(m.Subjects) > 0 && !slices.ContainsFunc(m.Subjects, func(sm analyzer.SubjectMoment) bool { return kept[sm.ID] })
	})
}
