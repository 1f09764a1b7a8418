package analyzer_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"podautopsy/analyzer"
	"podautopsy/parsers"
	"podautopsy/timeline"
)

// incident is one labelled input with what the whole catalogue makes of it.
type incident struct {
	name  string
	tl    *timeline.Timeline
	doc   *analyzer.Document
	says  string
	fired map[string]bool
}

// incidents reads the fixtures and, where they are at hand, all captures and
// cases. all says whether they are.
func incidents(t *testing.T) (list []*incident, all bool) {
	t.Helper()
	catalogue, err := analyzer.BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, dir := range []string{"../fixtures", "../../shared/cases", "../../shared/lab"} {
		found, err := filepath.Glob(dir + "/*/input")
		if err != nil {
			t.Fatal(err)
		}
		paths, all = append(paths, found...), len(found) > 0
	}
	for _, path := range paths {
		tl, err := parsers.Read(context.Background(), []string{path}, nil, parsers.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		in := &incident{name: path, tl: tl, fired: map[string]bool{}}
		for _, m := range catalogue.Match(tl.Events) {
			in.fired[m.Signature.ID] = true
		}
		in.doc = in.judge(t, catalogue)
		in.says = verdicts(t, in.doc)
		list = append(list, in)
	}
	return list, all
}

// judge analyzes a copy: an analysis completes what the runtime lists.
func (in *incident) judge(t *testing.T, catalogue *analyzer.Catalogue) *analyzer.Document {
	t.Helper()
	tl := *in.tl
	tl.Containers, tl.Sandboxes = slices.Clone(tl.Containers), slices.Clone(tl.Sandboxes)
	doc, err := analyzer.Analyze(&tl, analyzer.Options{Catalogue: catalogue})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// verdicts is what a report says of its subjects: outcome, causes, confidence,
// stages, advice, and the places cited for them instead of their numbers.
func verdicts(t *testing.T, doc *analyzer.Document) string {
	t.Helper()
	places := map[string]string{}
	for _, e := range doc.Evidence {
		line := 0
		if e.Line != nil {
			line = *e.Line
		}
		signature := ""
		if e.Signature != nil {
			signature = *e.Signature
		}
		places[e.ID] = fmt.Sprintf("%s:%d %s", e.File, line, signature)
	}
	data, err := json.Marshal(doc.Subjects)
	if err != nil {
		t.Fatal(err)
	}
	return cited.ReplaceAllStringFunc(string(data), func(id string) string { return places[strings.Trim(id, `"`)] })
}

var cited = regexp.MustCompile(`"e\d+"`)

// A signature that claims to be proven is needed: without it some incident is
// judged otherwise or on other evidence, or a real line that it knows means
// nothing to anybody, or it would decide where the lines that say the same in
// this incident are missing.
func TestEverySignatureIsNeeded(t *testing.T) {
	catalogue, err := analyzer.BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	list, all := incidents(t)
	alone := knownToOne(catalogue, list, realFiles(t))
	slices.SortStableFunc(list, func(a, b *incident) int { return len(a.tl.Events) - len(b.tl.Events) })
	decides, explains, standsIn := 0, 0, 0
	for _, s := range catalogue.Signatures {
		if !s.Proven {
			continue
		}
		without := catalogue.Without(s.ID)
		changes := slices.ContainsFunc(list, func(in *incident) bool {
			return in.fired[s.ID] && verdicts(t, in.judge(t, without)) != in.says
		})
		line := cmp.Or(aloneWith(without, s), alone[s.ID])
		switch {
		case changes:
			decides++
		case line != "":
			explains++
			t.Logf("%s changes no verdict; it alone explains: %.120s", s.ID, line)
		case slices.ContainsFunc(list, func(in *incident) bool {
			return in.fired[s.ID] && verdicts(t, in.judge(t, withoutPeers(catalogue, in, s))) != verdicts(t, in.judge(t, withoutPeers(without, in, s)))
		}):
			standsIn++
			t.Logf("%s changes no verdict and explains no line alone, but it would where its peers are silent", s.ID)
		case all:
			t.Errorf("%s: nothing needs it; mark it proven: false, or drop it if another says the same", s.ID)
		}
	}
	t.Logf("of %d incidents: %d signatures change a report, %d more explain a line, %d stand in for others", len(list), decides, explains, standsIn)
	if !all {
		t.Skip("the captures in ../shared are not here: need was looked for in the fixtures only")
	}
}

// withoutPeers takes away what fires in the incident and speaks for the same
// cause, or of the same stages, as s.
func withoutPeers(c *analyzer.Catalogue, in *incident, s *analyzer.Signature) *analyzer.Catalogue {
	for _, peer := range c.Signatures {
		same := peer.Polarity == s.Polarity && slices.Equal(peer.Stage, s.Stage) ||
			slices.ContainsFunc(peer.Suggests, func(cause string) bool { return slices.Contains(s.Suggests, cause) })
		if peer != s && in.fired[peer.ID] && same {
			c = c.Without(peer.ID)
		}
	}
	return c
}

// realFiles reads files of other people's clusters, where they are at hand: no
// verdict on them is known, but their lines are real.
func realFiles(t *testing.T) []timeline.Event {
	t.Helper()
	paths, err := filepath.Glob("../../shared/realdata/*")
	if err != nil {
		t.Fatal(err)
	}
	var events []timeline.Event
	for _, path := range paths {
		tl, err := parsers.Read(context.Background(), []string{path}, nil, parsers.ReadOptions{})
		if err != nil {
			continue // nothing readable in it
		}
		events = append(events, tl.Events...)
	}
	return events
}

// knownToOne finds for each signature a real line that no other knows.
func knownToOne(catalogue *analyzer.Catalogue, list []*incident, more []timeline.Event) map[string]string {
	alone := map[string]string{}
	look := func(events []timeline.Event) {
		matches := catalogue.Match(events) // in the order of events
		for i, m := range matches {
			before := i > 0 && matches[i-1].Event == m.Event
			after := i+1 < len(matches) && matches[i+1].Event == m.Event
			if !before && !after {
				alone[m.Signature.ID] = events[m.Event].Message
			}
		}
	}
	for _, in := range list {
		look(in.tl.Events)
	}
	look(more)
	return alone
}

// aloneWith is a line of the signature's own examples that no other knows.
func aloneWith(others *analyzer.Catalogue, s *analyzer.Signature) string {
	component := ""
	if len(s.Component) > 0 {
		component = s.Component[0]
	}
	for _, line := range s.Yes {
		if len(others.Match([]timeline.Event{{Component: component, Message: line}})) == 0 {
			return line
		}
	}
	return ""
}

// What no capture proves makes no verdict sure: without all such failures every
// high verdict stays.
func TestUnprovenSignaturesAreNeverTheOnlyProof(t *testing.T) {
	proven, err := analyzer.BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range proven.Signatures {
		if !s.Proven && s.Polarity == analyzer.Failure {
			proven = proven.Without(s.ID)
		}
	}
	list, _ := incidents(t)
	sure := 0
	for _, in := range list {
		reduced := map[string]analyzer.Subject{}
		for _, s := range in.judge(t, proven).Subjects {
			reduced[identity(s)] = s
		}
		for _, s := range in.doc.Subjects {
			if s.Confidence != analyzer.High || s.Cause == nil {
				continue
			}
			sure++
			r, ok := reduced[identity(s)]
			if !ok || r.Cause == nil || *r.Cause != *s.Cause || r.Confidence != analyzer.High {
				t.Errorf("%s: %s: %s is sure by unproven failures alone", in.name, identity(s), *s.Cause)
			}
		}
	}
	t.Logf("%d sure verdicts", sure)
}

func identity(s analyzer.Subject) string {
	text := func(p *string) string {
		if p == nil {
			return ""
		}
		return *p
	}
	return s.Kind + " " + text(s.Namespace) + "/" + text(s.Name) + " " + text(s.UID)
}
