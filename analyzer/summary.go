package analyzer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// summaryOf groups the subjects by cause and node and says the main thing in
// one sentence.
func (sc *scene) summaryOf(doc *Document) Summary {
	s := Summary{Groups: []Group{}}
	at := map[string]int{}
	count := map[string]int{}
	for i := range doc.Subjects {
		sub := &doc.Subjects[i]
		count[sub.Outcome]++
		if sub.Outcome != Stuck && sub.Outcome != Residue {
			continue
		}
		node, cause := "", ""
		if len(sub.Nodes) > 0 {
			node = sub.Nodes[0]
		}
		if sub.Cause != nil {
			cause = *sub.Cause
		}
		key := sub.Outcome + "\x00" + cause + "\x00" + node
		g, ok := at[key]
		if !ok {
			g = len(s.Groups)
			at[key] = g
			s.Groups = append(s.Groups, Group{Cause: cause, Outcome: sub.Outcome, Node: word(node), Subjects: []string{}, Confidence: sub.Confidence})
		}
		group := &s.Groups[g]
		group.Subjects = append(group.Subjects, sub.ID)
		if confidenceRank(sub.Confidence) < confidenceRank(group.Confidence) {
			group.Confidence = sub.Confidence
		}
		group.Count(doc, sub)
	}
	slices.SortStableFunc(s.Groups, func(a, b Group) int { return -cmp.Compare(len(a.Subjects), len(b.Subjects)) })
	s.Headline = sc.headline(doc, s.Groups, count)
	for _, note := range sc.tl.Notes {
		s.Headline = sentence(note) + " " + s.Headline
	}
	return s
}

func (sc *scene) headline(doc *Document, groups []Group, count map[string]int) string {
	var parts []string
	for _, g := range groups {
		what := subjectsOf(doc, g)
		where := ""
		if g.Node != nil {
			where = " on node " + *g.Node
		}
		why := titleOf(g.Cause)
		if g.Cause == "" {
			why = "the evidence shows no cause"
		}
		parts = append(parts, fmt.Sprintf("%s%s: %s (%s confidence)", what, where, why, g.Confidence))
		if len(parts) == 3 {
			break
		}
	}
	if len(groups) > 3 {
		parts = append(parts, fmt.Sprintf("and %d more", len(groups)-3))
	}
	if len(parts) > 0 {
		return strings.Join(parts, "; ") + "."
	}
	switch {
	case count[Inconclusive] > 0 && count[InProgress] > 0:
		return fmt.Sprintf("Nothing is shown to be stuck: %s inside what is allowed; of %s in deletion the evidence does not tell what holds %s.",
			number(count[InProgress], "deletion"), number(count[Inconclusive], "object"), itThem(count[Inconclusive]))
	case count[Inconclusive] > 0 && !slices.ContainsFunc(doc.Subjects, func(s Subject) bool { return s.Outcome == Inconclusive && s.Anchor != nil }):
		return fmt.Sprintf("Of %s that the nodes or their logs show, whether the API has %s cannot be told.", number(count[Inconclusive], "object"), itThem(count[Inconclusive]))
	case count[Inconclusive] > 0:
		return fmt.Sprintf("%s in deletion, and the evidence does not tell what holds %s.", number(count[Inconclusive], "object"), itThem(count[Inconclusive]))
	case count[InProgress] > 0:
		return fmt.Sprintf("Nothing is stuck: %s inside what is allowed%s.", number(count[InProgress], "deletion"), graceLeft(doc))
	case count[NotDeleting] > 0:
		return "Nothing is being deleted."
	}
	return sc.allClear(doc) + sc.deafNodes() + sc.unmatched() + sc.unheard()
}

// graceLeft says how many of the deletions have not reached their deadline:
// whatever they wait for may yet end in time.
func graceLeft(doc *Document) string {
	running, inside := 0, 0
	var last time.Duration
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		if s.Outcome != InProgress {
			continue
		}
		running++
		if s.Anchor == nil || doc.Bundle.CapturedAt == nil {
			continue
		}
		if grace := s.Anchor.Time.Sub(*doc.Bundle.CapturedAt); grace > 0 {
			inside++
			last = max(last, grace)
		}
	}
	left := round(last)
	switch {
	case inside == 0:
		return ""
	case running == 1:
		return fmt.Sprintf(", still in its grace for %s", left)
	case inside == running:
		return fmt.Sprintf(", all still in their grace, the last for %s", left)
	}
	return fmt.Sprintf(", %d of them still in their grace, the last for %s", inside, left)
}

// deafNodes names the nodes whose kubelet does not run, or takes note of
// nothing because the runtime does not answer: of what is deleted on them no
// log tells.
func (sc *scene) deafNodes() string {
	var deaf, unanswered []string
	for _, name := range slices.Sorted(maps.Keys(sc.nodes)) {
		q := &inquest{s: sc, kind: "Node", name: name, node: sc.nodes[name], nameOf: map[string]string{}}
		q.collect("kubelet-runtime-down")
		q.lookAtKubelet()
		down := q.find("kubelet-runtime-down")
		switch log := q.node.logs[timeline.Kubelet]; {
		case q.has("kubelet-stopped", "kubelet-unit-down", "kubelet-process-stopped"):
			deaf = append(deaf, name)
		case down != nil && log != nil && log.last.Sub(down.last) < quiet:
			unanswered = append(unanswered, name)
		}
	}
	return qualify(deaf, "the kubelet of NODE does not run", "the kubelets of NODE do not run") +
		qualify(unanswered, "the container runtime of NODE does not answer its kubelet", "the container runtimes of NODE do not answer their kubelets")
}

// qualify takes back a part of an all-clear.
func qualify(nodes []string, one, several string) string {
	if len(nodes) == 0 {
		return ""
	}
	if len(nodes) > 1 {
		one = several
	}
	return " But " + strings.Replace(one, "NODE", strings.Join(nodes[:min(3, len(nodes))], ", "), 1) +
		": what is deleted there waits, and nothing here would show it."
}

// allClear says how far the word reaches: no evidence is not evidence of
// absence.
func (sc *scene) allClear(doc *Document) string {
	nodes := 0
	dump := "dump"
	pods := len(sc.objects["Pod"]) > 0
	for _, l := range sc.tl.Listings {
		if l.Kind == "Pod" && l.Incomplete {
			dump = "whole dump" // of one that is cut or that failed, nothing is known
		}
		pods = pods || l.Kind == "Pod" && !l.Incomplete
	}
	for i := range doc.Bundle.Nodes {
		if doc.Bundle.Nodes[i].Evidence.KubeletLog {
			nodes++
		}
	}
	switch {
	case pods && nodes > 0 && (len(sc.unmatchedContainers()) > 0 || len(sc.begunSince()) > 0):
		return fmt.Sprintf("Nothing is stuck, as far as the dumps and the kubelet logs of %s show.", number(nodes, "node"))
	case pods && nodes > 0:
		return fmt.Sprintf("Nothing is stuck and nothing is left behind, as far as the dumps and the kubelet logs of %s show.", number(nodes, "node"))
	case pods:
		return "Nothing is stuck, as far as the dumps show; what is left on nodes cannot be told without their evidence."
	case nodes > 0:
		return fmt.Sprintf("The kubelet logs of %s show no deletion that is open; the bundle has no %s of the API to compare with.", number(nodes, "node"), dump)
	}
	return "Nothing can be judged: the bundle has neither a dump of pods nor a kubelet log."
}

// subjectsOf names the subjects of a group: one by name, more by number.
func subjectsOf(doc *Document, g Group) string {
	verb := map[string]string{Stuck: "stuck", Residue: "left behind"}
	var first *Subject
	for i := range doc.Subjects {
		if doc.Subjects[i].ID == g.Subjects[0] {
			first = &doc.Subjects[i]
		}
	}
	if len(g.Subjects) == 1 {
		name := ""
		switch {
		case first.Name != nil && first.Namespace != nil:
			name = *first.Namespace + "/" + *first.Name
		case first.Name != nil:
			name = *first.Name
		case first.UID != nil:
			name = *first.UID
		}
		return fmt.Sprintf("%s %s %s", first.Kind, name, verb[first.Outcome])
	}
	return fmt.Sprintf("%s %s", number(len(g.Subjects), "object"), verb[first.Outcome])
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func itThem(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

// titleOf is a cause's title; its id if no file has it.
func titleOf(id string) string {
	causes, err := Causes()
	if err != nil {
		return id
	}
	for _, c := range causes {
		if c.ID == id {
			return c.Title
		}
	}
	return id
}
