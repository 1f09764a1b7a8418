package analyzer

import "strings"

// tryOwn lets a user's own signatures name the cause that they suggest, also
// where none of its proofs asks for suggestions. What a user knows counts
// where nothing built in says more.
func (q *inquest) tryOwn(c *Cause, found *candidate) *candidate {
	var asks Clause
	if c.Stage == StageNode {
		asks.Scope = string(scopeNode)
	}
	for _, s := range q.s.catalogue.own {
		if contains(s.Suggests, c.ID) {
			asks.Any = append(asks.Any, s.ID)
		}
	}
	if len(asks.Any) == 0 {
		return found
	}
	var says *signal
	for _, sg := range asks.holds(q) {
		if says == nil || sg.strength == Decisive && says.strength != Decisive {
			says = sg
		}
	}
	if says == nil {
		return found
	}
	p := &Proof{Confidence: Low, All: []Clause{asks}}
	if says.strength == Decisive {
		p.Confidence = Medium
	}
	meaning := oneLine(q.s.catalogue.Lookup(says.id).Meaning)
	p.Because = strings.TrimRight(meaning, ". ") + " ({times}, by your own signature " + says.id + ")"
	own := q.try(c, p)
	if own == nil || found != nil && confidenceRank(found.confidence) >= confidenceRank(own.confidence) {
		return found
	}
	return own
}
