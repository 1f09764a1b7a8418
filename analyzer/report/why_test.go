package report_test

import (
	"bytes"
	"strings"
	"testing"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// --why shows each candidate with what speaks for it and against, what is
// missing, and why it is not the root.
func TestWhyShowsTheChain(t *testing.T) {
	ptr := func(s string) *string { return &s }
	doc := &analyzer.Document{
		Evidence: []analyzer.Evidence{
			{ID: "e1", Component: "kubelet", File: "kubelet.log", Text: "umount: /x: target is busy.", Match: ptr("target is busy")},
			{ID: "e2", Component: "ps", File: "ps.txt", Text: "4242 Ssl tail -f /x"},
		},
		Subjects: []analyzer.Subject{{
			ID: "s1", Kind: "Pod", Name: ptr("a"), Outcome: analyzer.Stuck, Cause: ptr("mount-busy"), Confidence: analyzer.High,
			WouldProveWrong: ptr("nobody is at the path"),
			Causes: []analyzer.CauseVerdict{
				{ID: "mount-busy", Role: analyzer.RoleRoot, Confidence: analyzer.High, Stage: "volumes-unmounted", Because: "it is held", For: []string{"e1", "e2"}},
				{
					ID: "runtime-hung", Role: analyzer.RoleRuledOut, Confidence: analyzer.Low, Stage: "containers-stopped", Because: "a call failed (the stage is finished)",
					Demoted: ptr("the stage is finished"), Against: []string{"e2"}, Missing: []analyzer.Missing{{What: "the daemon's state"}},
				},
				{ID: "csi-unpublish", Role: analyzer.RoleConsequence, Confidence: analyzer.Medium, Because: "it fails", Demoted: ptr("it follows from mount-busy"), For: []string{"e1", "e9"}},
			},
			Remediation: []analyzer.Remedy{{Step: "stop the holder", Changes: "node", Risk: "low", Then: ptr("still in the way: the finalizer example.com/a")}},
		}},
	}
	out := string(render(t, func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{Why: true, ASCII: true}) }))
	at := 0
	for _, want := range []string{
		"1. mount-busy (root, high, at volumes-unmounted)",
		"because  it is held",
		"for      e1   kubelet umount: /x: target is busy.",
		"         e2   ps 4242 Ssl tail -f /x",
		"root     nothing upstream of it is shown; after it: csi-unpublish; ruled\n              out: runtime-hung",
		"2. runtime-hung (ruled-out, low, at containers-stopped)",
		"because  a call failed\n",
		"against  e2   ps 4242",
		"missing  the daemon's state",
		"demoted  the stage is finished",
		"3. csi-unpublish",
		"demoted  it follows from mount-busy",
		"WOULD PROVE IT WRONG\n  nobody is at the path",
		"then: still in the way: the finalizer example.com/a",
	} {
		i := strings.Index(out[at:], want)
		if i < 0 {
			t.Fatalf("no %q after byte %d of:\n%s", want, at, out)
		}
		at += i
	}

	md := string(render(t, func(b *bytes.Buffer) error { return report.Markdown(b, doc, report.Options{}) }))
	for _, want := range []string{"Then: still in the way: the finalizer example.com/a.", "#### Would prove it wrong\n\nNobody is at the path."} {
		if !strings.Contains(md, want) {
			t.Errorf("no %q in:\n%s", want, md)
		}
	}
}
