package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// group is the subjects that share outcome, cause and node, for a summary.
type group struct {
	outcome, cause, node string
	// confidence is "high", or "low to high" where it is not the same of all.
	confidence string
	subjects   []*analyzer.Subject
	longest    int64
	// sinceT0 is that of the first; nil where none is known.
	sinceT0 *time.Duration
}

// groups sums up subjects in the order given.
func (v *view) groups(subjects []*analyzer.Subject) []*group {
	type key struct{ outcome, cause, node string }
	var out []*group
	byKey := map[key]*group{}
	for _, s := range subjects {
		k := key{outcome: s.Outcome, cause: value(s.Cause)}
		if len(s.Nodes) > 0 {
			k.node = s.Nodes[0]
		}
		g := byKey[k]
		if g == nil {
			g = &group{outcome: k.outcome, cause: k.cause, node: k.node}
			byKey[k] = g
			out = append(out, g)
		}
		g.subjects = append(g.subjects, s)
		g.longest = max(g.longest, overdue(s))
		if since, ok := v.doc.SinceT0(s); ok && (g.sinceT0 == nil || *g.sinceT0 < since) {
			g.sinceT0 = &since
		}
	}
	for _, g := range out {
		g.confidence = confidences(g.subjects)
	}
	return out
}

// confidences are the lowest and the highest of subjects.
func confidences(subjects []*analyzer.Subject) string {
	order := []string{analyzer.Low, analyzer.Medium, analyzer.High}
	low, high := len(order)-1, 0
	for _, s := range subjects {
		at := slices.Index(order, s.Confidence)
		if at < 0 {
			return s.Confidence
		}
		low, high = min(low, at), max(high, at)
	}
	if low >= high {
		return order[low]
	}
	return order[low] + " to " + order[high]
}

// about is what the subjects of a group share.
func (g *group) about() string {
	var parts []string
	if g.cause != "" {
		parts = append(parts, printable(g.cause))
	}
	parts = append(parts, "confidence "+printable(g.confidence))
	if g.node != "" {
		parts = append(parts, "on "+printable(g.node))
	}
	if g.longest > 0 {
		parts = append(parts, "overdue "+upTo(len(g.subjects))+seconds(g.longest))
	} else if g.sinceT0 != nil && *g.sinceT0 > 0 {
		parts = append(parts, "T0 "+upTo(len(g.subjects))+span(*g.sinceT0)+" before the capture")
	}
	return strings.Join(parts, ", ")
}

func upTo(n int) string {
	if n > 1 {
		return "up to "
	}
	return ""
}

// names lists the first few subjects of a group.
func (g *group) names() []string {
	const enough = 5
	var out []string
	for i, s := range g.subjects {
		if i == enough {
			break
		}
		out = append(out, name(s))
	}
	return out
}

func (g *group) line() string {
	l := g.about() + ": " + strings.Join(g.names(), ", ")
	if n := len(g.subjects) - len(g.names()); n > 0 {
		l += fmt.Sprintf(" and %d more", n)
	}
	return l
}

// tally counts the subjects by outcome.
func (v *view) tally() string {
	if len(v.ranked) == 0 {
		return "No subject to report on."
	}
	var outcomes []string
	count := map[string]int{}
	for _, s := range v.ranked {
		if count[s.Outcome]++; count[s.Outcome] == 1 {
			outcomes = append(outcomes, s.Outcome)
		}
	}
	for i, o := range outcomes {
		outcomes[i] = fmt.Sprintf("%d %s", count[o], printable(o))
	}
	return strings.Join(outcomes, ", ") + "."
}
