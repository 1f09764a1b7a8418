package timeline

import "time"

// Timeline is every fact of a bundle, in order. Treat it as read-only.
type Timeline struct {
	Inputs []Input
	Events []Event // by time, then by file and order in it; those without a time last

	Objects      []*Object
	Listings     []Listing
	Absents      []Absent
	Containers   []Container
	Sandboxes    []Sandbox
	Mounts       []Mount
	Processes    []Process
	Holders      []Holder
	Units        []Unit
	Filesystems  []Filesystem
	Paths        []Path
	Reservations []Reservation
	PodLogs      []PodLog
	Versions     []NodeVersion

	// Layout names how the collector laid the bundle out: "sosreport".
	Layout string
	// Layouts are the bundles found, by their roots.
	Layouts []FoundLayout

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
