package analyzer

import (
	"cmp"
	"strings"
)

// knownDefect is a defect that the evidence shows.
type knownDefect struct {
	*Defect
	told  whether // what the version says
	fixed string  // the first version without it, "" if not known
	refs  []ref   // where the version stands
	// finalizer that it leaves on objects, if it is about one.
	finalizer string
}

// recognize says whether the evidence shows the defect: the pattern holds, and
// the version is not one that is known to be free of it.
func (q *inquest) recognize(d *Defect) (knownDefect, bool) {
	version, refs := q.versionOf(d.Component)
	told, fixed := d.affects(version)
	if told == spared || told == notTold && d.ByVersion {
		return knownDefect{}, false
	}
	finalizer := ""
	for i := range d.Condition.All {
		found := d.Condition.All[i].holds(q)
		if found == nil {
			return knownDefect{}, false
		}
		finalizer = cmp.Or(finalizer, found[0].keys["finalizer"])
	}
	for i := range d.Condition.None {
		if d.Condition.None[i].holds(q) != nil {
			return knownDefect{}, false
		}
	}
	if told == notTold {
		fixed = d.Repaired()
	}
	return knownDefect{d, told, fixed, refs, finalizer}, true
}

// String is how a verdict calls it: "known defect kubernetes#116954, fixed in
// 1.27.0".
func (k knownDefect) String() string {
	s := "known defect " + k.Name
	if k.told == notTold && k.NeedsVersion {
		s = "perhaps the " + s
	}
	if k.fixed != "" {
		return s + ", fixed in " + k.fixed
	}
	return s + ", no fixed version known"
}

// advice is the step of the way out that the defect asks for.
func (k knownDefect) advice() Remedy {
	step := k.String() + ": " + k.Title
	if k.fixed != "" {
		step += "; upgrade the " + k.Component
	}
	if k.Workaround != "" {
		step += "; until then " + k.Workaround
	}
	changes := "node"
	if k.Component == "kube-controller-manager" || k.Component == "csi-driver" || k.Component == "cni-plugin" {
		changes = "cluster"
	}
	return Remedy{Step: step + " (" + k.Links[0] + ")", Changes: changes, Risk: cmp.Or(k.Risk, "low"), Evidence: []string{}}
}

// versionRefs is where the versions stand that tell of the defects.
func (c *candidate) versionRefs() []ref {
	var refs []ref
	for _, k := range c.known {
		refs = append(refs, k.refs...)
	}
	return refs
}

// lookAtDefects makes signals of the defects that causes ask for.
func (q *inquest) lookAtDefects() {
	if q.pod == nil || q.node == nil {
		return
	}
	q.lookAtSilence()
	for _, d := range q.s.defects {
		if !d.Proves {
			continue
		}
		k, ok := q.recognize(d)
		if !ok {
			continue
		}
		sg := &signal{id: defectWord + d.ID, polarity: Failure, strength: Decisive, proven: true, scope: scopeSubject, stages: []string{d.Stage}, keys: map[string]string{}}
		if k.told == notTold && d.NeedsVersion {
			sg.strength = Supporting
		}
		for i := range d.Condition.All {
			for _, part := range d.Condition.All[i].holds(q) {
				if part.count > sg.count {
					sg.count, sg.keys = part.count, part.keys
				}
				if sg.first.IsZero() || part.first.Before(sg.first) {
					sg.first = part.first
				}
				sg.last = latest(sg.last, part.last)
				for _, r := range part.refs[:min(1, len(part.refs))] {
					if !contains(sg.refs, r) {
						sg.refs = append(sg.refs, r)
					}
				}
			}
		}
		q.signals = append(q.signals, sg)
	}
}

// defectWord is before a defect's id where a clause asks for it.
const defectWord = "defect:"

// uncertain says whether a defect stands among the signals whose version is
// not known to have it.
func uncertain(signals []*signal) bool {
	for _, sg := range signals {
		if strings.HasPrefix(sg.id, defectWord) && sg.strength != Decisive {
			return true
		}
	}
	return false
}

// nameDefects tells of the root cause which known defect is behind it. A cause
// that asks for a defect has it; others are compared with all of theirs.
func (q *inquest) nameDefects(f *finding) {
	if f.root == nil || f.outcome == Inconclusive {
		return
	}
	for _, d := range q.s.defects {
		if !contains(d.Causes, f.root.cause.ID) {
			continue
		}
		if d.Proves {
			asked := false
			for _, sg := range f.root.signals {
				asked = asked || sg.id == defectWord+d.ID
			}
			if !asked {
				continue
			}
		}
		k, ok := q.recognize(d)
		if !ok {
			continue
		}
		f.root.known = append(f.root.known, k)
		if f.root.subcause != "" {
			f.root.subcause += "; "
		}
		f.root.subcause += k.String()
	}
}

// versionOf is the version of a component on the subject's node and where it
// stands: in the Node object, in what a tool printed, in the kubelet's first
// line.
func (q *inquest) versionOf(component string) (version string, refs []ref) {
	n := q.node
	if n == nil {
		return "", nil
	}
	switch component {
	case componentKubelet:
		version = n.kubelet
	case componentKernel:
		version = n.kernel
	case componentContainerd, componentCRIO, componentDocker:
		name, v, _ := strings.Cut(n.runtime, " ")
		if name == component {
			version = v
		}
	}
	if n.object != nil && version != "" {
		field := map[string]string{componentKubelet: "kubeletVersion", componentKernel: "kernelVersion"}[component]
		if field == "" {
			field = "containerRuntimeVersion"
		}
		if strings.HasSuffix(stringAt(n.object.Content, "status", "nodeInfo", field), version) {
			return version, []ref{q.s.book.object(n.object, "status", "nodeInfo", field)}
		}
	}
	for i := range q.s.tl.Versions {
		v := &q.s.tl.Versions[i]
		if v.Node == n.name && v.What == component && (version == "" || v.Version == version) {
			return v.Version, []ref{q.s.book.fact(&v.Fact, component)}
		}
	}
	for i := range q.s.matches {
		m := &q.s.matches[i]
		if component == componentKubelet && m.Signature.ID == "kubelet-started" && version != "" && m.Keys["version"] == version && q.s.tl.Events[m.Event].Node == n.name {
			return version, []ref{q.s.book.event(m.Event, m.Signature.ID)}
		}
	}
	return version, nil
}
