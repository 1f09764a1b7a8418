package analyzer

import (
	"slices"
	"strings"

	"podautopsy/timeline"
	"podautopsy/timeline/literal"
)

// literalIndex tells which signatures a text may fit.
type literalIndex struct {
	literals []string
	index    *literal.Index
	samples  string  // lines as they will be searched
	owners   [][]int // by literal: the signatures that declare it
}

// indexLiterals is for the signatures that are wanted; each is known by its
// number among all.
func indexLiterals(signatures []*Signature, wanted func(*Signature) bool) literalIndex {
	var x literalIndex
	var samples strings.Builder
	numbers := map[string]int{}
	for n, s := range signatures {
		if !wanted(s) {
			continue
		}
		for _, l := range s.Literals {
			at, ok := numbers[l]
			if !ok {
				at = len(x.literals)
				numbers[l] = at
				x.literals, x.owners = append(x.literals, l), append(x.owners, nil)
			}
			if !slices.Contains(x.owners[at], n) {
				x.owners[at] = append(x.owners[at], n)
			}
		}
		for _, yes := range s.Yes {
			samples.WriteString(yes + "\n")
		}
	}
	x.samples = samples.String()
	x.index = literal.New(x.literals, x.samples)
	return x
}

// find calls found for each signature of which text holds a literal, perhaps
// more than once.
func (x *literalIndex) find(text string, found func(signature int)) {
	literal.Find(x.index, text, func(l, _ int) {
		for _, n := range x.owners[l] {
			found(n)
		}
	})
}

// watched are in lines that stages and observations look at though no signature
// fits them: deletions that the kubelet sees, units that start and end, jumps
// of clocks, names of nodes.
var watched = []string{
	"SyncLoop DELETE", "SyncLoop REMOVE", "SyncLoop (DELETE", "SyncLoop (REMOVE",
	"Started ", "Stopped ", "Stopping ", "Failed with result", "Main process exited", "service: Deactivated successfully", "service: Succeeded",
	"PM: suspend", "Time has been changed", "Kubelet version", "kubeletVersion=", "starting containerd",
	"getting node ", "/leases/",
}

// Lines are what lines of a log hold that an analysis may need: those of failures
// and of whole nodes. What succeeded for a pod that nothing is wrong with is not
// among them, nor is what is found by the words of Concerns.
func (c *Catalogue) Lines() []string {
	literals := slices.Clone(watched)
	for _, s := range c.Signatures {
		if !slices.Equal(s.Component, Words{timeline.Command}) && (s.Polarity == Failure || s.Own || !s.namesItsPod()) {
			literals = append(literals, s.Literals...)
		}
	}
	slices.Sort(literals)
	return slices.Compact(literals)
}

// Sample are lines as logs have them.
func (c *Catalogue) Sample() string { return c.index.samples }

// namesItsPod says whether every line that fits names a pod, a container or a
// volume, so that it is found by that name where it concerns anybody.
func (s *Signature) namesItsPod() bool {
	for _, yes := range s.Yes {
		if !namesAnyPod(yes) {
			return false
		}
	}
	return len(s.Yes) > 0
}

func namesAnyPod(line string) bool {
	m := timeline.Mentions(line)
	return len(m.UIDs) > 0 || len(m.IDs) > 0 || len(m.Pods) > 0
}

// longestWord is enough of a name to find it by.
const longestWord = 64

// Concerns are the words by which lines name the subjects of an analysis: UIDs,
// names, containers, sandboxes, volumes; those wanted are subjects. Read with them, a
// bundle of very large logs has all that is said about each.
func (seen *Scene) Concerns(wanted []Wanted) []string {
	s := seen.scene.uncited()
	var words []string
	for _, q := range s.subjects(wanted, nil) {
		if q.kind == "Node" {
			continue // it is in every line of its log
		}
		words = append(words, q.uid, strings.ReplaceAll(q.uid, "-", "_"), q.name)
		if q.ns != "" {
			name := q.ns + "/" + q.name
			words = append(words, name, q.name+"_"+q.ns)
			if len(name) < literal.Shortest { // found with what is written before it
				words = append(words, `pod="`+name+`"`, `pods=["`+name+`"`)
			}
		}
		for _, id := range q.ids {
			words = append(words, id[:min(len(id), shortID)])
		}
		words = append(words, q.volumes...)
	}
	// Of a failure that names a volume or a container alone it is not known whom
	// it concerns before the other lines about these are read.
	for i := range s.matches {
		if m := &s.matches[i]; m.Signature.Polarity == Failure && m.Keys["uid"] == "" && m.Keys["pod"] == "" {
			for _, key := range []string{"volume", "unique", "attachment", "container", "sandbox", "id"} {
				words = append(words, m.Keys[key][:min(len(m.Keys[key]), longestWord)])
			}
		}
	}
	for _, w := range words {
		words = append(words, s.tl.StandIns.Restore(w)) // logs have it as it was redacted
	}
	slices.Sort(words)
	return slices.DeleteFunc(slices.Compact(words), func(w string) bool { return len(w) < literal.Shortest })
}
