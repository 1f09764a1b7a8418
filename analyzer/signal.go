package analyzer

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// scope says whom a signal is about, seen from the subject of an inquest.
type scope string

const (
	scopeSubject    scope = "subject"    // the subject itself, by uid, id, path or name
	scopeNode       scope = "node"       // its node as a whole
	scopeNeighbours scope = "neighbours" // other pods of its node
	scopeCluster    scope = "cluster"    // control plane, controllers
)

// signal is one thing that the evidence says: a signature that fits one or
// more lines about the same key, or an observation.
type signal struct {
	id       string // of the signature or the observation
	polarity Polarity
	strength Strength
	proven   bool
	stages   []string
	suggests []string
	scope    scope
	key      string            // what it is about: a container, sandbox, volume, server ...
	keys     map[string]string // as captured
	count    int
	first    time.Time
	last     time.Time
	refs     []ref
	text     string
	events   []int

	early bool // all of it before the deletion was asked for
	ended bool // a later success took it back
	stale bool // it stopped without a success, though the log goes on
	endBy []ref
}

// keyFields are the captures that tell what a line is about, the most telling
// first. Lines about different keys are different signals.
var keyFields = []string{"container", "sandbox", "id", "volume", "unique", "path", "driver", "server", "dev", "webhook", "unit", "pid", "finalizer"}

// kernelThreadName matches the kernel's own threads in reports of hung tasks.
var kernelThreadName = regexp.MustCompile(`^(?:jbd2/|kworker/|xfsaild|xfs-|kswapd|khugepaged|kcompactd|ksoftirqd|migration/|rcu_|ext4-|dm-|md\d|loop\d|nfsd$|rpciod|kthrotld|writeback|flush-)`)

func keyOf(keys map[string]string) string {
	for _, f := range keyFields {
		if v := keys[f]; v != "" {
			if f == "container" || f == "sandbox" || f == "id" {
				return v[:min(len(v), shortID)]
			}
			return v
		}
	}
	return ""
}

// gather adds a match to the signals of the same signature, scope and key.
func (q *inquest) gather(m *Match, sc scope) {
	e := &q.s.tl.Events[m.Event]
	if kernelThreadName.MatchString(m.Keys["comm"]) {
		return // it blocks for its own reasons; no pod is in it
	}
	key, stages := keyOf(m.Keys), q.stagesOf(m)
	index := m.Signature.ID + "\x00" + string(sc) + "\x00" + key + "\x00" + strings.Join(stages, " ")
	// A line tells of the time before the request or after, and an API Event
	// repeats what a log says: these are different statements.
	if q.early(e) {
		index += "\x00early"
	}
	if e.Component == timeline.APIEvent {
		index += "\x00event"
	}
	sg := q.byIndex[index]
	if sg == nil {
		sg = &signal{
			id: m.Signature.ID, polarity: m.Signature.Polarity, strength: m.Signature.Strength, proven: m.Signature.Proven,
			stages: stages, suggests: m.Signature.Suggests, scope: sc, key: key, keys: m.Keys, first: e.Time, last: e.Time,
			early: q.early(e),
		}
		q.byIndex[index] = sg
		q.signals = append(q.signals, sg)
	}
	if e.Component == timeline.APIEvent {
		sg.count = max(sg.count, e.Count(), 1) // an Event counts its own repeats
	} else {
		sg.count++
	}
	if !e.First().IsZero() && (sg.first.IsZero() || e.First().Before(sg.first)) {
		sg.first = e.First()
	}
	if e.Time.Before(sg.first) && !e.Time.IsZero() {
		sg.first = e.Time
	}
	if !e.Time.Before(sg.last) {
		sg.last, sg.keys = e.Time, m.Keys
	}
	sg.events = append(sg.events, m.Event)
	sg.text = e.Message[:min(len(e.Message), patternReach)]
}

// stagesOf lists the stages that a match bears on. A success that may be of a
// container or of a sandbox is of the one whose id it names: the exit of a
// container does not stop the sandbox.
func (q *inquest) stagesOf(m *Match) []string {
	stages, id := m.Signature.Stage, m.Keys["id"]
	if m.Signature.Polarity != Success || id == "" || !contains(stages, StageContainers) || !contains(stages, StageSandbox) {
		return stages
	}
	same := func(x string) bool { return sameID(x, id) }
	switch {
	case slices.ContainsFunc(q.sandboxs, same):
		return []string{StageSandbox}
	case slices.ContainsFunc(slices.Collect(maps.Keys(q.nameOf)), same),
		q.pod != nil && slices.ContainsFunc(q.pod.containers, func(c podContainer) bool { return same(c.id) }):
		return []string{StageContainers}
	}
	return nil
}

// seal turns the lines of each signal into evidence: the newest one stands for
// all, and the first is cited beside it.
func (q *inquest) seal() {
	for _, sg := range q.signals {
		if len(sg.refs) > 0 || len(sg.events) == 0 {
			continue
		}
		newest := sg.events[len(sg.events)-1]
		who, count := witnessOf(&q.s.tl.Events[newest]), 0
		for _, i := range sg.events {
			if witnessOf(&q.s.tl.Events[i]) == who {
				count++
			}
		}
		if q.s.tl.Events[newest].Component == timeline.APIEvent {
			count = sg.count
		}
		sg.refs = []ref{q.s.book.repeated(newest, sg.id, count, sg.first, sg.last)}
		if first := sg.events[0]; first != newest {
			sg.refs = append(sg.refs, q.s.book.event(first, sg.id))
		}
	}
}

// observe adds what was seen in state rather than in a line.
func (q *inquest) observe(id string, sc scope, at time.Time, keys map[string]string, refs ...ref) *signal {
	o := observationByID(id)
	sg := &signal{
		id: id, polarity: o.Polarity, strength: o.Strength, proven: true, stages: o.Stage, scope: sc,
		keys: keys, key: keyOf(keys), count: 1, first: at, last: at, refs: refs,
	}
	q.signals = append(q.signals, sg)
	return sg
}

// has says whether a signal or observation is there.
func (q *inquest) has(ids ...string) bool { return q.find(ids...) != nil }

// find returns the first standing signal with one of the ids that is not of
// another pod.
func (q *inquest) find(ids ...string) *signal {
	for _, sg := range q.signals {
		if !sg.ended && sg.scope != scopeNeighbours && slices.Contains(ids, sg.id) {
			return sg
		}
	}
	return nil
}
