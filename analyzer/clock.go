package analyzer

import (
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// skew is how far a node's clock runs ahead of the API server's, measured from
// the same moment told by both: the deletion of a pod as the API dates it, and
// the kubelet's notice of it.
type skew struct {
	ahead  time.Duration
	spread time.Duration
	refs   []ref
	known  bool
}

// noticeable is the least difference that is a difference of clocks: the
// kubelet hears of a deletion within a second, and deletionTimestamp is cut to
// whole seconds.
const noticeable = 3 * time.Second

// measureSkew compares, for each pod in deletion whose request time the object
// still tells, the request with the kubelet's first SyncLoop DELETE. A kubelet
// that was late makes a sample too large, so the smallest counts.
func (s *scene) measureSkew() {
	samples := map[string][]time.Duration{}
	refs := map[string][]ref{}
	for _, p := range s.pods {
		if p.deletion.IsZero() || p.grace == nil || *p.grace == 0 || p.node == "" {
			continue
		}
		requested := p.deletion.Add(-time.Duration(*p.grace) * time.Second)
		for _, i := range s.byName[p.object.Namespace+"/"+p.object.Name] {
			e := &s.tl.Events[i]
			if e.Component != timeline.Kubelet || e.Node != p.node || e.Time.IsZero() || e.Precision > time.Second ||
				!strings.Contains(e.Message, "SyncLoop") || !strings.Contains(e.Message, "DELETE") || s.precedes(i, p) {
				continue
			}
			const most = 6 * time.Hour
			if d := e.Time.Sub(requested); d.Abs() < most {
				samples[p.node] = append(samples[p.node], d)
				refs[p.node] = append(refs[p.node], s.book.event(i, ""))
			}
			break
		}
	}
	for name, list := range samples {
		smallest := slices.Min(list)
		// One pod alone may be mistaken; two that agree are a clock.
		agree := 0
		for _, d := range list {
			if d-smallest <= noticeable {
				agree++
			}
		}
		if agree < 2 && smallest.Abs() >= noticeable {
			continue
		}
		s.node(name).skew = skew{ahead: smallest, spread: slices.Max(list) - smallest + time.Second, refs: refs[name][:1], known: true}
	}
}

// precedes says whether a line that names the pod by name alone is about its
// predecessor: the same log goes on to remove and add the name.
func (s *scene) precedes(i int, p *pod) bool {
	if contains(s.mentioned[i].UIDs, p.object.UID) {
		return false
	}
	for _, j := range s.byName[p.object.Namespace+"/"+p.object.Name] {
		if j > i && s.tl.Events[j].Component == timeline.Kubelet && strings.Contains(s.tl.Events[j].Message, "SyncLoop") && strings.Contains(s.tl.Events[j].Message, "REMOVE") {
			return true
		}
	}
	return false
}

// byAPI is the time of an event by the API server's clock, as far as the skew
// of its node is known and large enough to matter.
func (s *scene) byAPI(e *timeline.Event) time.Time {
	if e.Node == "" || e.Component == timeline.Audit {
		return e.Time // an API Event of a kubelet carries its node's time
	}
	return e.Time.Add(-s.nodes[e.Node].ahead())
}

func (n *node) ahead() time.Duration {
	if n == nil || !n.skew.known || n.skew.ahead.Abs() < noticeable {
		return 0
	}
	return n.skew.ahead
}

// furthestAhead is how far the fastest clock runs ahead.
func (s *scene) furthestAhead() time.Duration {
	most := time.Duration(0)
	for _, n := range s.nodes {
		most = max(most, n.ahead())
	}
	return most
}
