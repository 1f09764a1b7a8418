package analyzer

// relate looks at all findings together: what one subject's verdict says of
// another's.
func (s *scene) relate(findings []*finding) {
	for _, f := range findings {
		if f.q.kind != "Namespace" || f.root == nil || f.root.cause.ID != "namespace-content-remains" {
			continue
		}
		for _, o := range findings {
			if o.q.ns == f.q.name && o.outcome == Stuck && o.root != nil && !contains(f.left, o.q.title()) {
				f.left = append(f.left, o.q.title())
			}
		}
	}
}
