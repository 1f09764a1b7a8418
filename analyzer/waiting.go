package analyzer

import (
	"regexp"
	"slices"
)

// await takes back what was said of objects that wait for others, where all
// that they wait for is itself being deleted inside what it is allowed: a
// namespace for its pods, a claim for its users, an owner for its dependents.
func (s *scene) await(findings []*finding) {
	for _, f := range findings {
		if f.outcome != Stuck || f.root == nil {
			continue
		}
		waits := slices.DeleteFunc(s.awaited(f, findings), func(x *finding) bool { return x.outcome == Clean })
		if len(waits) == 0 || slices.ContainsFunc(waits, func(x *finding) bool { return x.outcome != InProgress }) {
			continue
		}
		f.root.role, f.root.demoted = RoleRuledOut, "what it waits for is being deleted inside what it is allowed"
		f.root, f.outcome, f.confidence = nil, InProgress, Medium
		f.q.summarize(f)
	}
}

// remaining are the resources in a namespace's condition: "Some resources are
// remaining: pods. has 1 resource instances".
var remaining = regexp.MustCompile(`([a-z0-9][a-z0-9.-]*?)\.? has \d+ resource instances`)

// awaited lists the findings on what the object waits for; none where that is
// not all told.
func (s *scene) awaited(f *finding, findings []*finding) []*finding {
	q := f.q
	var on []*finding
	switch f.root.cause.ID {
	case "namespace-content-remains":
		for _, c := range mapsAt(q.object.Content, "status", "conditions") {
			message, _ := c["message"].(string)
			if c["status"] != "True" || c["type"] == "NamespaceDeletionContentFailure" || c["type"] == "NamespaceFinalizersRemaining" {
				if c["status"] == "True" {
					return nil
				}
				continue
			}
			for _, m := range remaining.FindAllStringSubmatch(message, -1) {
				if m[1] != "pods" {
					return nil
				}
			}
		}
		for _, x := range findings {
			if x.q.ns == q.name {
				on = append(on, x)
			}
		}
	case "volume-protection":
		if q.kind != "PersistentVolumeClaim" {
			return nil
		}
		for _, o := range s.objects["Pod"] {
			p := podFrom(o)
			if o.Namespace != q.ns || !slices.ContainsFunc(p.volumes, func(v podVolume) bool { return v.claim == q.name }) {
				continue
			}
			x := findingOn(findings, o.UID, o.Name)
			if x == nil {
				return nil // a user that stays
			}
			on = append(on, x)
		}
	case "dependents-remain":
		for _, o := range s.objects["Pod"] {
			for _, ref := range mapsAt(o.Content, "metadata", "ownerReferences") {
				if ref["uid"] != q.uid {
					continue
				}
				x := findingOn(findings, o.UID, o.Name)
				if x == nil {
					return nil
				}
				on = append(on, x)
			}
		}
	}
	return on
}

// findingOn is the finding on a pod; nil if it is no subject.
func findingOn(findings []*finding, uid, name string) *finding {
	i := slices.IndexFunc(findings, func(x *finding) bool {
		return x.q.kind == "Pod" && x.q.name == name && (x.q.uid == uid || x.q.uid == "" || uid == "")
	})
	if i < 0 {
		return nil
	}
	return findings[i]
}
