package analyzer

import (
	"fmt"
	"slices"
	"strings"
)

// afterwards tells what a step leaves: what would still hold the object, and
// what is then done by itself.
func (q *inquest) afterwards(f *finding, c *candidate, command string) *string {
	if f.outcome != Stuck {
		return nil
	}
	if strings.Contains(command, "--grace-period=0") {
		return word(q.afterForce())
	}
	if strings.Contains(command, "persistentVolumeReclaimPolicy") {
		return word("the claim stays as it is, and the volume and its data outlive it")
	}
	finalizers := q.finalizersLeft(c, command)
	rest := q.stillHolding(f, c, len(finalizers) > 0)
	var s []string
	switch {
	case strings.Contains(command, "out-of-service"):
		s = append(s, "PodGC takes the object away without waiting for the node")
	case c.cause.ID == "volume-protection" && q.has("claim-volume-deleted"):
		s = append(s, "the claim goes, and the volume with its data follows it (reclaim policy "+q.find("claim-volume-deleted").keys["policy"]+")")
	case c.cause.ID == "volume-protection" && q.has("claim-volume-policy-unknown"):
		s = append(s, "the claim goes, and with the reclaim policy Delete the volume and its data follow it")
	case c.cause.ID == "volume-protection" && q.has("claim-volume-retained"):
		s = append(s, "the claim goes, and the volume keeps its data (reclaim policy Retain)")
	case q.beginsLate(c):
		s = append(s, fmt.Sprintf("its containers then get their grace of %d s, and sandbox and volumes are cleaned up", q.pod.specGrace))
	}
	for _, name := range finalizers {
		if branchOf(c.stage) == branchAPI && !slices.Contains([]string{"finalizer-held", "volume-protection", "dependents-remain"}, c.cause.ID) {
			s = append(s, "its controller can then take off the finalizer "+name)
		} else {
			rest = append(rest, "the finalizer "+name)
		}
	}
	switch {
	case len(rest) > 0:
		s = append(s, "still in the way: "+strings.Join(rest, "; "))
	case len(s) == 0:
		s = append(s, "nothing else in the evidence holds it")
	}
	return word(strings.Join(s, "; "))
}

// stillHolding tells what would hold the object when the cause of one
// candidate is cleared: other blockers, and failures of later stages that the
// candidate does not explain. Finalizers may be told by name elsewhere.
func (q *inquest) stillHolding(f *finding, cleared *candidate, byName bool) []string {
	var list []string
	for _, c := range f.candidates {
		later := c.role == RoleConsequence && branchOf(c.stage) == branchNode && stageRank(c.stage) > stageRank(cleared.stage) && !upstream(f, c)
		switch {
		case c == cleared, contains(cleared.cause.Explains, c.cause.ID):
		case byName && branchOf(c.stage) == branchAPI:
		case c.role == RoleRoot, c.role == RoleBlocking, later:
			list = appendOnce(list, c.cause.Title)
		}
	}
	// A stage fails also because the one before has not finished, but the
	// kubelet touches no volume before the sandbox has stopped.
	if q.stages == nil || cleared.stage == StageNode || branchOf(cleared.stage) != branchNode {
		return list
	}
	for _, id := range []string{StageVolumes, StageFinalDelete} {
		if q.stages[id].state == stateFailed && stageRank(id) > stageRank(cleared.stage) && !tells(f, id) {
			list = append(list, "the stage "+id+", which fails as well")
		}
	}
	return list
}

// upstream says whether a cause that is named explains the candidate: it goes
// away with that one.
func upstream(f *finding, c *candidate) bool {
	return slices.ContainsFunc(f.candidates, func(up *candidate) bool {
		return up != c && (up.role == RoleRoot || up.role == RoleBlocking) && contains(up.cause.Explains, c.cause.ID)
	})
}

// tells says whether a candidate speaks of a stage.
func tells(f *finding, stage string) bool {
	return slices.ContainsFunc(f.candidates, func(c *candidate) bool { return c.stage == stage })
}

// finalizersLeft lists the object's finalizers but those that the step takes
// off, or that go with the cause.
func (q *inquest) finalizersLeft(cleared *candidate, command string) []string {
	if q.object == nil {
		return nil
	}
	cause := map[string]bool{} // the finalizers that it is about
	for _, sg := range cleared.signals {
		cause[sg.keys["finalizer"]] = true
	}
	var list []string
	for _, name := range stringsAt(q.object.Content, "metadata", "finalizers") {
		own := cause[name] || strings.Contains(command, `"`+name+`"`) || name == "foregroundDeletion" && cleared.cause.ID == "dependents-remain"
		if !own && name != "kubernetes" {
			list = append(list, name)
		}
	}
	return list
}

// beginsLate says whether the node has still to begin when the cause is
// cleared: a kubelet that comes late grants the whole grace period.
func (q *inquest) beginsLate(c *candidate) bool {
	return q.pod != nil && q.stages != nil && (c.stage == StageNode || c.stage == StageSeen) && q.stages[StageContainers].state != stateDone &&
		slices.Contains([]string{"kubelet-down", "kubelet-cannot-reach-api", "node-unreachable", "runtime-hung"}, c.cause.ID)
}

// afterForce tells what a force delete leaves on the node.
func (q *inquest) afterForce() string {
	switch {
	case q.object != nil && len(stringsAt(q.object.Content, "metadata", "finalizers")) > 0:
		return "the object is still there: a force delete does not clear finalizers"
	case q.has("container-running", "process-running"):
		return "the object goes, and its container goes on running" + q.onNode()
	case q.has("volume-mounted"):
		return "the object goes, and its volumes stay mounted" + q.onNode()
	case q.has("node-object-absent"):
		return "the object goes; what runs on the machine, if it is up, goes on running"
	}
	return "the object goes; what is left of it" + q.onNode() + " stays until the kubelet cleans up"
}

// wouldProveWrong is the finding that would refute the verdict.
func (q *inquest) wouldProveWrong(f *finding) *string {
	if f.root == nil || f.outcome == Inconclusive {
		return nil
	}
	return word(expand(f.root.cause.RefutedBy, q.words(f.root)))
}

// against is the evidence that speaks against a candidate: successes that took
// its failures back, its stage being finished, and what its cause says speaks
// against it.
func (q *inquest) against(c *candidate) []ref {
	const most = 6
	var refs []ref
	add := func(list []ref) {
		for _, r := range list {
			if len(refs) < most && !contains(refs, r) {
				refs = append(refs, r)
			}
		}
	}
	for i := range c.proof.All {
		clause := &c.proof.All[i]
		for _, sg := range q.signals {
			if sg.ended && !sg.early && clause.asksFor(sg) && clause.inScope(sg) {
				add(sg.endBy)
			}
		}
	}
	if c.role == RoleRuledOut && q.finished(c) != "" {
		add(q.stages[c.stage].refs[:min(2, len(q.stages[c.stage].refs))])
	}
	for i := range c.cause.Against {
		add(refsOf(c.cause.Against[i].holds(q), 2))
	}
	return refs
}

// missingBeside is what would settle a candidate that may hold the object: not
// one that only follows, or whose stage is finished.
func (q *inquest) missingBeside(c *candidate) []Missing {
	if c.role == RoleConsequence || q.finished(c) != "" {
		return []Missing{}
	}
	return q.missingFor(c)
}
