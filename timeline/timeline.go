package timeline

import (
	"slices"
	"time"
)

// Timeline is every fact of a bundle, in order. Treat it as read-only.
type Timeline struct {
	Inputs []Input
	Events []Event // by time, then by file and order in it; those without a time last

	Objects  []*Object
	Listings []Listing
	Absents  []Absent
	NodeState

	// Layout names how the collector laid the bundle out: "sosreport".
	Layout string
	// Layouts are the bundles found, by their roots.
	Layouts []FoundLayout

	// Notes are what a reader has to know of the whole: machines of one name,
	// clusters given together.
	Notes []string
	// Strangers are machines that bear a node's name and are none of the dump's
	// nodes.
	Strangers map[string]bool
	// SeveralClusters is set where dumps are of more than one cluster: what
	// one does not list may be in another.
	SeveralClusters bool

	// StandIns of what a redactor put in place of ids; nil if nothing was.
	StandIns *StandIns

	// CapturedAt is the latest moment that the bundle itself vouches for, and
	// CapturedFrom says by what.
	CapturedAt   time.Time
	CapturedFrom string

	// Clocks are the nodes' clocks, by name, as far as anything tells of them.
	Clocks []NodeClock

	// NodeAliases maps a host name as logs print it to the Node object's name.
	NodeAliases map[string]string
	// NodeAssumed is set when the only node that the pods in question run on
	// was taken for the node of files that name none.
	NodeAssumed string
}

// Skimmed says whether only a part of some log is in the timeline.
func (tl *Timeline) Skimmed() bool {
	return slices.ContainsFunc(tl.Inputs, func(in Input) bool { return in.Skimmed })
}
