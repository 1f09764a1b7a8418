package report_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

func text(t *testing.T, doc *analyzer.Document) string {
	t.Helper()
	return string(render(t, func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{}) }))
}

// one is a report on one pod that change makes special.
func one(change func(s *analyzer.Subject, d *analyzer.Document)) *analyzer.Document {
	name, cause, inAPI := "cart-0", "mount-busy", true
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	grace := int64(30)
	doc := &analyzer.Document{Subjects: []analyzer.Subject{{
		ID: "s1", Kind: "Pod", Name: &name, Outcome: analyzer.Stuck, Cause: &cause, Confidence: analyzer.High, InAPI: &inAPI,
		Deletion: &analyzer.Deletion{RequestedAt: &at, GracePeriodSeconds: &grace},
		Causes:   []analyzer.CauseVerdict{{ID: cause, Role: analyzer.RoleRoot, Stage: "volumes-unmounted", Because: "it is busy"}},
		Stages: []analyzer.StageVerdict{
			{ID: "sandbox-stopped", State: "failed"},
			{ID: "volumes-unmounted", State: "failed"},
		},
	}}}
	change(&doc.Subjects[0], doc)
	return doc
}

func TestText(t *testing.T) {
	yes, no := true, false
	for _, c := range []struct {
		name   string
		change func(s *analyzer.Subject, d *analyzer.Document)
		want   []string
		not    []string
	}{
		{
			"the root's stage holds", func(*analyzer.Subject, *analyzer.Document) {},
			[]string{", grace 30s", "held at D6 volumes-unmounted failed\n"},
			[]string{"held at D5", "force deleted"},
		},
		{
			"the node holds", func(s *analyzer.Subject, _ *analyzer.Document) { s.Causes[0].Stage = "node" },
			[]string{"held at DN node: the whole node, none of the pod's own stages\n"},
			nil,
		},
		{
			"nothing is held where nothing is deleted", func(s *analyzer.Subject, _ *analyzer.Document) { s.Outcome = analyzer.NotDeleting },
			nil,
			[]string{"STAGES", "held at"},
		},
		{
			"forced in vain", func(s *analyzer.Subject, _ *analyzer.Document) { s.Deletion.Forced = &yes },
			[]string{", grace 30s, force deleted as well"},
			nil,
		},
		{"forced, and gone", func(s *analyzer.Subject, _ *analyzer.Document) {
			s.Deletion.Forced, s.InAPI, s.Deletion.GracePeriodSeconds = &yes, &no, nil
		}, []string{"08:00:00Z, forced "}, []string{"grace", "as well"}},
		{"residue has its own heading", func(s *analyzer.Subject, _ *analyzer.Document) {
			s.Outcome, s.AlsoBlocking = analyzer.Residue, []string{"kubelet-down"}
		}, []string{"KEEPS IT FROM BEING CLEANED UP\n"}, []string{"ALSO BLOCKING"}},
		{"nothing to force", func(s *analyzer.Subject, _ *analyzer.Document) {
			s.ForceDelete.Because = "not needed: the object is gone"
		}, []string{"NOT NEEDED: the object is gone"}, []string{"UNKNOWN"}},
		{"preconditions", func(s *analyzer.Subject, _ *analyzer.Document) {
			s.Remediation = []analyzer.Remedy{
				{Precondition: "a", PreconditionMet: &yes}, {Precondition: "b", PreconditionMet: &no}, {Precondition: "c"},
			}
		}, []string{"first: a (met)", "first: b (NOT met)", "first: c (to be checked)"}, nil},
		{"a long reason is told in full below", func(s *analyzer.Subject, _ *analyzer.Document) {
			s.Causes[0].Because = strings.Repeat("reason ", 40) + "end"
		}, []string{"reason …", "\nWHY\n", "reason end\n"}, nil},
		{"a short reason is told once", func(*analyzer.Subject, *analyzer.Document) {}, []string{"it is busy"}, []string{"WHY"}},
		{"many ruled out", func(s *analyzer.Subject, _ *analyzer.Document) {
			for i := range 8 {
				s.Causes = append(s.Causes, analyzer.CauseVerdict{ID: fmt.Sprint("c", i), Role: analyzer.RoleRuledOut, Because: strings.Repeat("word ", 30)})
			}
		}, []string{"– c4: word", "and 3 more: --why"}, []string{"c5", "d…", "… w"}},
		{"evidence in the given order, with what its times mean", func(s *analyzer.Subject, d *analyzer.Document) {
			seen, logged := time.Date(2026, 11, 30, 8, 5, 0, 5, time.UTC), time.Date(2026, 11, 30, 8, 1, 0, 0, time.UTC)
			d.Bundle.CapturedAt = &seen
			d.Evidence = []analyzer.Evidence{
				{ID: "e1", Component: "api-object", Time: &seen, Text: "one"},
				{ID: "e2", Component: "crictl ps", Text: "two"},
				{ID: "e3", Component: "kubelet", Time: &logged, Text: "three"},
				{ID: "e4", Component: "kubelet", Text: "four"},
			}
			s.Evidence = []string{"e4", "e1", "e2", "e3"}
		}, []string{"e4  no time        kubelet", "e1  seen 08:05:00  api-object", "e2  at capture     crictl ps", "e3  08:01:00       kubelet"}, nil},
		{"a line for each other", others(3), []string{"OTHERS  3 subjects", "  STUCK  other-2  kubelet-down, high\n"}, []string{"other-1, "}},
		{"many others by cause", others(13), []string{"OTHERS  13 subjects, by cause", "• STUCK kubelet-down, confidence high: other-0, other-1", "8 more"}, []string{"other-9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := text(t, one(c.change))
			at := 0
			for _, w := range c.want {
				i := strings.Index(out[at:], w)
				if i < 0 {
					t.Fatalf("%q is missing or out of order:\n%s", w, out)
				}
				at += i
			}
			for _, n := range c.not {
				if strings.Contains(out, n) {
					t.Errorf("%q is too much:\n%s", n, out)
				}
			}
		})
	}
}

func others(n int) func(*analyzer.Subject, *analyzer.Document) {
	return func(_ *analyzer.Subject, d *analyzer.Document) {
		cause := "kubelet-down"
		for i := range n {
			name := fmt.Sprint("other-", i)
			d.Subjects = append(d.Subjects, analyzer.Subject{ID: fmt.Sprint("s", i+2), Kind: "Pod", Name: &name, Outcome: analyzer.Stuck, Cause: &cause, Confidence: analyzer.High})
		}
	}
}

// The analysis says what is most severe; a rendering does not rank again.
func TestFirstSubjectIsTheDocuments(t *testing.T) {
	doc := one(func(s *analyzer.Subject, d *analyzer.Document) {
		s.Outcome = analyzer.Clean
		others(1)(s, d)
	})
	if out := text(t, doc); !strings.Contains(out, "│ CLEAN  cart-0") {
		t.Error(out)
	}
}
