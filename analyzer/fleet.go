package analyzer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// FleetSchema is the version of the document that sums up many reports.
const FleetSchema = "podautopsy.summary/v1"

// Fleet sums up any number of reports, one after another. It keeps counts, and
// of each report and subject no more than what tells it from others.
type Fleet struct {
	reports, repeated int
	subjects, again   int
	outcomes          map[string]int
	causes            map[string]*CauseCount
	counts            map[countKey]int
	seenReports       map[string]bool
	seenSubjects      map[string]bool
	first, last       time.Time
}

type countKey struct{ cause, dimension, value string }

// Dimensions by which causes are counted.
const (
	ByNode    = "node"
	ByVersion = "version" // of the kubelet
	ByDriver  = "driver"  // of a volume in the evidence of the cause
	ByWeek    = "week"    // of T0, by ISO 8601: 2026-W49
)

// NoCause stands for subjects whose report names none.
const NoCause = "no cause named"

// NewFleet starts a summary.
func NewFleet() *Fleet {
	return &Fleet{
		outcomes: map[string]int{}, causes: map[string]*CauseCount{}, counts: map[countKey]int{},
		seenReports: map[string]bool{}, seenSubjects: map[string]bool{},
	}
}

// FleetSummary is what many reports say together.
type FleetSummary struct {
	Schema string `json:"schema"`
	// Reports were counted; Repeated ones were the same as others.
	Reports  int `json:"reports"`
	Repeated int `json:"repeated"`
	// Subjects were stuck or left behind; SeenAgain ones were in an earlier
	// report already, with the same cause.
	Subjects  int            `json:"subjects"`
	SeenAgain int            `json:"seenAgain"`
	Outcomes  map[string]int `json:"outcomes"`
	// FirstT0 and LastT0 are those of the subjects.
	FirstT0 *time.Time   `json:"firstT0"`
	LastT0  *time.Time   `json:"lastT0"`
	Causes  []CauseCount `json:"causes"`
}

// CauseCount is how often a cause was found, and where.
type CauseCount struct {
	Cause                 string  `json:"cause"`
	Title                 string  `json:"title"`
	Subjects              int     `json:"subjects"`
	Sure                  int     `json:"sure"` // with high confidence
	Reports               int     `json:"reports"`
	LongestOverdueSeconds int64   `json:"longestOverdueSeconds"`
	Nodes                 []Count `json:"nodes"`
	Versions              []Count `json:"versions"`
	Drivers               []Count `json:"drivers"`
	Weeks                 []Count `json:"weeks"`
}

// Count is how often a value came up.
type Count struct {
	Value    string `json:"value"`
	Subjects int    `json:"subjects"`
}

// Add counts one report.
func (f *Fleet) Add(doc *Document) {
	if doc.ReportID != "" && f.seenReports[doc.ReportID] {
		f.repeated++
		return
	}
	f.seenReports[doc.ReportID] = true
	f.reports++
	versions := map[string]string{}
	for _, n := range doc.Bundle.Nodes {
		versions[n.Name] = n.Versions.Kubelet
	}
	here := map[string]bool{}
	for i := range doc.Subjects {
		f.subject(doc, &doc.Subjects[i], versions, here)
	}
}

func (f *Fleet) subject(doc *Document, s *Subject, versions map[string]string, here map[string]bool) {
	cause := NoCause
	if s.Cause != nil {
		cause = *s.Cause
	}
	who := deref(s.UID)
	if who == "" && deref(s.Name) != "" {
		// Of a namesake in another cluster or life, T0 is another.
		who = deref(s.Namespace) + "/" + *s.Name
		if s.Anchor != nil {
			who += s.Anchor.Time.String()
		}
	}
	if who != "" {
		key := strings.Join([]string{s.Kind, who, s.Outcome, cause}, "\x00")
		if f.seenSubjects[key] {
			if s.Outcome == Stuck || s.Outcome == Residue {
				f.again++
			}
			return
		}
		f.seenSubjects[key] = true
	}
	f.outcomes[s.Outcome]++
	if s.Outcome != Stuck && s.Outcome != Residue {
		return
	}
	f.subjects++
	c := f.causes[cause]
	if c == nil {
		c = &CauseCount{Cause: cause, Title: titleOf(cause)}
		f.causes[cause] = c
	}
	c.Subjects++
	if s.Confidence == High {
		c.Sure++
	}
	if !here[cause] {
		here[cause] = true
		c.Reports++
	}
	if s.Deletion != nil && s.Deletion.OverdueSeconds != nil {
		c.LongestOverdueSeconds = max(c.LongestOverdueSeconds, *s.Deletion.OverdueSeconds)
	}
	count := func(dimension, value string) { f.counts[countKey{cause, dimension, cmp.Or(value, "unknown")}]++ }
	node := ""
	if len(s.Nodes) > 0 {
		node = s.Nodes[0]
	}
	if node != "" || s.Kind == "Pod" { // claims and namespaces are on none
		count(ByNode, node)
		count(ByVersion, versions[node])
	}
	for _, driver := range doc.drivers(s) {
		count(ByDriver, driver)
	}
	at := doc.Bundle.CapturedAt
	if s.Anchor != nil {
		at = &s.Anchor.Time
		if f.first.IsZero() || at.Before(f.first) {
			f.first = *at
		}
		f.last = latest(f.last, *at)
	}
	week := ""
	if at != nil {
		y, w := at.UTC().ISOWeek()
		week = fmt.Sprintf("%04d-W%02d", y, w)
	}
	count(ByWeek, week)
}

// driverNames find the driver of a volume: CSI's by the unique name that the
// kubelet gives a volume, its own words, or the attacher's finalizer; others by
// their plugin.
var driverNames = []*regexp.Regexp{
	regexp.MustCompile(`kubernetes\.io/csi/([a-z0-9][a-z0-9.-]*[a-z0-9])\^`),
	regexp.MustCompile(`driver name ([a-z0-9][a-z0-9.-]*[a-z0-9]) not found`),
	regexp.MustCompile(`external-attacher/([a-z0-9][a-z0-9.-]*[a-z0-9])`),
	regexp.MustCompile(`kubernetes\.io[/~]((?:nfs|cephfs|rbd|iscsi|fc|glusterfs|flexvolume|azure-file|azure-disk|aws-ebs|gce-pd|vsphere-volume|cinder|portworx-volume|local-volume))\b`),
}

// drivers are those of the volumes in the evidence for a subject's root cause.
func (d *Document) drivers(s *Subject) []string {
	var found []string
	for _, c := range s.Causes {
		if c.Role != RoleRoot {
			continue
		}
		for _, e := range d.cited(c.For, len(c.For)) {
			for _, pattern := range driverNames {
				if m := pattern.FindStringSubmatch(e.Text); m != nil {
					found = appendOnce(found, m[1])
				}
			}
		}
	}
	return found
}

// Summary is what the reports so far say.
func (f *Fleet) Summary() *FleetSummary {
	out := &FleetSummary{
		Schema: FleetSchema, Reports: f.reports, Repeated: f.repeated, Subjects: f.subjects, SeenAgain: f.again,
		Outcomes: f.outcomes, FirstT0: moment(f.first), LastT0: moment(f.last), Causes: []CauseCount{},
	}
	for _, c := range f.causes {
		counted := *c
		counted.Nodes, counted.Versions = f.by(c.Cause, ByNode), f.by(c.Cause, ByVersion)
		counted.Drivers, counted.Weeks = f.by(c.Cause, ByDriver), f.by(c.Cause, ByWeek)
		slices.SortFunc(counted.Weeks, func(a, b Count) int { return cmp.Compare(a.Value, b.Value) })
		out.Causes = append(out.Causes, counted)
	}
	slices.SortFunc(out.Causes, func(a, b CauseCount) int {
		return cmp.Or(-cmp.Compare(a.Subjects, b.Subjects), cmp.Compare(a.Cause, b.Cause))
	})
	return out
}

// by counts a cause by one dimension, the most frequent value first.
func (f *Fleet) by(cause, dimension string) []Count {
	list := []Count{}
	for k, n := range f.counts {
		if k.cause == cause && k.dimension == dimension {
			list = append(list, Count{k.value, n})
		}
	}
	slices.SortFunc(list, func(a, b Count) int {
		return cmp.Or(-cmp.Compare(a.Subjects, b.Subjects), cmp.Compare(a.Value, b.Value))
	})
	return list
}
