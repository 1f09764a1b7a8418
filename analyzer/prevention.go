package analyzer

import "time"

// alertRule is what would have called somebody: kube-state-metrics exports the
// deletionTimestamp of every pod that has one.
const alertRule = `groups:
  - name: pods-in-deletion
    rules:
      - alert: PodStuckTerminating
        expr: time() - kube_pod_deletion_timestamp > 300
        for: 1m
        labels:
          severity: warning
        annotations:
          summary: '{{ $labels.namespace }}/{{ $labels.pod }} is more than five minutes past its deletionTimestamp'
`

// preventions are what would have avoided the incident, each with the line that
// shows that it would have.
func (q *inquest) preventions(f *finding) []Prevention {
	list := []Prevention{}
	if f.outcome == Clean || f.outcome == Inconclusive {
		return list
	}
	for _, c := range f.candidates {
		if c != f.root && c.role != RoleBlocking {
			continue
		}
		for i := range c.cause.Prevention {
			p := &c.cause.Prevention[i]
			refs := refsOf(c.signals, 2)
			if p.When != nil {
				found := p.When.holds(q)
				if found == nil {
					continue
				}
				refs = refsOf(found, 2)
			}
			if len(refs) > 0 {
				list = append(list, Prevention{Advice: expand(p.Advice, q.words(c)), Evidence: q.s.book.cite(refs), Config: p.Config})
			}
		}
	}
	const alarming = 5 * time.Minute
	if q.kind == "Pod" && q.object != nil && f.outcome == Stuck && q.overdue() > alarming && q.basis == "deletionTimestamp" {
		list = append(list, Prevention{
			Advice:   "an alert on pods whose deletionTimestamp is older than five minutes; it would have called somebody " + round(q.overdue()-alarming).String() + " before this evidence ends",
			Evidence: q.s.book.cite([]ref{q.s.book.object(q.object, "metadata", "deletionTimestamp")}), Config: alertRule,
		})
	}
	return list
}
