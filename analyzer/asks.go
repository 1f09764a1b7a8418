package analyzer

import "strings"

// Uses says how a cause uses a signature, in words that follow its name:
// "proves it (high, medium)", "rules it out", "is cited beside it", "decides on a
// remedy", "answers what is missing". Nil if it does not.
func (c *Cause) Uses(s *Signature) []string {
	sg := &signal{id: s.ID, polarity: s.Polarity, strength: s.Strength, stages: s.Stage, suggests: s.Suggests}
	asks := func(list ...Clause) bool {
		for i := range list {
			if list[i].asksFor(sg) {
				return true
			}
		}
		return false
	}
	var uses, sure []string
	for i := range c.Proof {
		if p := &c.Proof[i]; asks(p.All...) {
			confidence := p.Confidence
			if confidence == High && s.Polarity == Failure && !s.Proven {
				confidence = Medium
			}
			sure = appendOnce(sure, confidence)
		}
	}
	if len(sure) > 0 {
		uses = append(uses, "proves it ("+strings.Join(sure, ", ")+")")
	}
	for i := range c.Proof {
		if asks(c.Proof[i].None...) {
			uses = appendOnce(uses, "rules a proof out")
		}
	}
	for i := range c.Proof {
		if asks(c.Proof[i].Helps...) {
			uses = appendOnce(uses, "is cited beside the proof")
		}
	}
	for _, r := range c.Remedies {
		if r.Met != nil && asks(*r.Met) || r.When != nil && asks(*r.When) {
			uses = appendOnce(uses, "decides on a remedy")
		}
	}
	for _, m := range c.Missing {
		if asks(m.Unless) {
			uses = appendOnce(uses, "answers what is missing")
		}
	}
	if s.Own && len(uses) == 0 && contains(s.Suggests, c.ID) {
		uses = append(uses, "suggests it")
	}
	return uses
}
