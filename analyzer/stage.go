package analyzer

import "slices"

// Stage ids, in the order in which a deletion passes them. D0 to D14 of
// docs/architecture.md; StageNode stands for what holds a whole node.
const (
	StageRequested   = "requested"
	StageMarked      = "marked"
	StageSeen        = "seen-by-kubelet"
	StagePreStop     = "prestop"
	StageContainers  = "containers-stopped"
	StageSandbox     = "sandbox-stopped"
	StageVolumes     = "volumes-unmounted"
	StageCgroup      = "cgroup-removed"
	StageFinalStatus = "final-status"
	StageFinalDelete = "final-delete"
	StageFinalizers  = "finalizers-removed"
	StageGone        = "object-gone"
	StageClean       = "node-clean"
	StageDetached    = "detached"
	StageNamespace   = "namespace-emptied"
	StageNode        = "node"
)

// stageOrder lists the stages of a pod's deletion in order.
var stageOrder = []string{
	StageRequested, StageMarked, StageSeen, StagePreStop, StageContainers, StageSandbox, StageVolumes,
	StageCgroup, StageFinalStatus, StageFinalDelete, StageFinalizers, StageGone, StageClean, StageDetached, StageNamespace,
}

// stageRank orders stages; what holds the node comes before anything that the
// node has to do.
func stageRank(id string) int {
	if id == StageNode {
		return slices.Index(stageOrder, StageSeen)
	}
	return slices.Index(stageOrder, id)
}

// Branches run beside each other. Finalizers are worked on while the node
// works; the node's cleaning and the detach do not hold the object.
const (
	branchNode      = "node"      // D2 to D9
	branchAPI       = "api"       // D0, D1, D10, D11, D14
	branchAftermath = "aftermath" // D12, D13
)

func branchOf(stage string) string {
	switch stage {
	case StageSeen, StagePreStop, StageContainers, StageSandbox, StageVolumes, StageCgroup, StageFinalStatus, StageFinalDelete, StageNode:
		return branchNode
	case StageClean, StageDetached:
		return branchAftermath
	}
	return branchAPI
}

// StageCount is the number of stages from request to emptied namespace.
const StageCount = 15
