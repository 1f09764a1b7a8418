package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// auditClocks notes what kubelets wrote by their clocks, beside the time at
// which the API server received it: one for each node, kind and minute.
type auditClocks struct {
	noted map[auditClock]time.Time
}

type auditClock struct {
	node string
	how  timeline.SampleKind
}

// note reads a write of a kubelet that carries a time of its own. Most
// policies keep no request's body: then there is none.
func (c *auditClocks) note(b *timeline.Builder, l line) {
	const plenty, every = 10_000, time.Minute
	if len(b.Samples) >= plenty {
		return
	}
	if verb := auditField(l.text, `"verb":"`); verb != "update" && verb != "patch" && verb != "create" {
		return
	}
	node := auditField(l.text, `"username":"system:node:`)
	_, body, ok := strings.Cut(l.text, `"requestObject":`)
	if node == "" || !ok || auditField(l.text, `"stage":"`) != "ResponseComplete" {
		return
	}
	// What the answer holds besides was written before.
	body, _, _ = strings.Cut(body, `"responseObject":`)
	s := timeline.ClockSample{Node: node, AtRound: time.Second}
	var mark string
	switch resource := auditField(l.text, `"objectRef":{"resource":"`); {
	case resource == "leases" && auditField(l.text, `"namespace":"`) == "kube-node-lease":
		s.How, s.AtRound, mark = timeline.SampleLease, time.Microsecond, `"renewTime":"`
	case resource == "nodes":
		s.How, mark = timeline.SampleHeartbeat, `"lastHeartbeatTime":"`
	case resource == "pods":
		s.How, mark = timeline.SamplePodStatus, `"lastTransitionTime":"`
	default:
		return
	}
	var written string
	for rest := body; ; {
		_, after, ok := strings.Cut(rest, mark)
		if !ok {
			break
		}
		value, _, _ := strings.Cut(after, `"`)
		if at, ok := timestamp(value); ok && at.After(s.At) {
			s.At, written = at, value
		}
		rest = after
	}
	s.API, ok = timestamp(auditField(l.text, `"requestReceivedTimestamp":"`))
	key := auditClock{node, s.How}
	if !ok || s.At.IsZero() || s.API.Sub(c.noted[key]).Abs() < every {
		return
	}
	if c.noted == nil {
		c.noted = map[auditClock]time.Time{}
	}
	c.noted[key] = s.API
	source, text, api := b.Src(l.number, l.offset), mark+written+`"`, s.API
	s.Cite = func() []timeline.Citation {
		return []timeline.Citation{{Source: source, Text: text, Component: timeline.Audit, Time: api}}
	}
	b.Samples = append(b.Samples, s)
}
