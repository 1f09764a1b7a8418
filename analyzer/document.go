package analyzer

import "time"

// Schema is the version of the report document; its first field.
const Schema = "podautopsy.report/v1"

// Document is the report contract (docs/report.schema.json). Every renderer
// draws from it alone. Fields may be added within v1, never renamed; pointers
// are fields that may be null.
type Document struct {
	Schema   string     `json:"schema"`
	ReportID string     `json:"reportID"`
	Tool     Tool       `json:"tool"`
	Partial  bool       `json:"partial"`
	Bundle   Bundle     `json:"bundle"`
	Summary  Summary    `json:"summary"`
	Subjects []Subject  `json:"subjects"`
	Evidence []Evidence `json:"evidence"`
	Timeline []Moment   `json:"timeline"`
	// Redaction says how names were replaced; nil where they were not.
	Redaction *Redaction `json:"redaction,omitempty"`

	// Whole is told to exports; nil where it was not asked for. It is no part
	// of what is stored.
	Whole *Whole `json:"-"`
}

// Whole is a timeline with every line that concerns the subjects, and the
// evidence of the document with that.
type Whole struct {
	Timeline []Moment
	Evidence []Evidence
}

// Entire is the document with its whole timeline, or the one that it has.
func (d *Document) Entire() *Document {
	if d.Whole == nil {
		return d
	}
	out := *d
	out.Timeline, out.Evidence, out.Whole = d.Whole.Timeline, d.Whole.Evidence, nil
	return &out
}

// Redaction tells a report with tokens in place of names.
type Redaction struct {
	Profile string `json:"profile"` // default; strict: what follows known errors is cut, too
	// LearntFrom tells from what names were learnt: the bundle, or the report
	// alone.
	LearntFrom string `json:"learntFrom"`
}

// Tool says what made the report.
type Tool struct {
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Signatures Signatures `json:"signatures"`
}

// Signatures identifies the signature set.
type Signatures struct {
	Count  int    `json:"count"`
	Digest string `json:"digest"`
}

// Bundle describes what was read.
type Bundle struct {
	Paths            []string   `json:"paths"`
	Layout           string     `json:"layout"`
	Layouts          []Layout   `json:"layouts"`
	CapturedAt       *time.Time `json:"capturedAt"`
	CapturedAtSource string     `json:"capturedAtSource"`
	Inputs           []Input    `json:"inputs"`
	Nodes            []Node     `json:"nodes"`
	// Lacks is what the bundle has nothing of on the API's side, whether or not
	// a verdict asks for it.
	Lacks   []Missing `json:"lacks,omitempty"`
	Missing []Missing `json:"missing"`
}

// Layout is one bundle among what was read, as its collector laid it out.
type Layout struct {
	Name string `json:"name"`
	Root string `json:"root"` // what its files' paths begin with; "" is everything
	// Specimen names real bundles that reading it was tried on; "" means that
	// nobody has shown that it is read rightly.
	Specimen string `json:"specimen"`
}

// Input is one file of the bundle.
type Input struct {
	Path   string `json:"path"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	Format string `json:"format"`
	// Unused says what a file without a format is, where that is known and it
	// tells nothing of a deletion: "kernel setting".
	Unused     string     `json:"unused,omitempty"`
	Node       *string    `json:"node"`
	Records    int        `json:"records"`
	FirstTime  *time.Time `json:"firstTime"`
	LastTime   *time.Time `json:"lastTime"`
	CapturedAt *time.Time `json:"capturedAt"`
	TimeZone   TimeZone   `json:"timeZone"`
	Command    string     `json:"command,omitempty"` // that printed it; "" where not known
	Empty      bool       `json:"empty,omitempty"`
	Skimmed    bool       `json:"skimmed,omitempty"` // only lines that may matter were looked at closer
	Gaps       []Gap      `json:"gaps"`
}

// TimeZone is the zone of a source's unmarked times and how it is known.
type TimeZone struct {
	Name  string `json:"name"`
	Known string `json:"known"` // given, inferred, assumed
	Year  string `json:"year"`  // the same for the year
}

// Gap is what could not be used of an input.
type Gap struct {
	Kind   string `json:"kind"`
	Detail string `json:"detail"`
	// Of names the program whose lines are missing, From and To the lines
	// between which they are; where that is known.
	Of   string     `json:"of,omitempty"`
	From *time.Time `json:"from,omitempty"`
	To   *time.Time `json:"to,omitempty"`
}

// Node is one machine of the bundle.
type Node struct {
	Name             string   `json:"name"`
	ClockSkewSeconds *float64 `json:"clockSkewSeconds"`
	ClockSkewSpread  *float64 `json:"clockSkewSpread"`
	ClockSkewFrom    []string `json:"clockSkewFrom"`
	// ClockSkewMethod says what was compared, ClockSkewSince since when by the
	// node's clock that holds where it was set, and ClockSkewApplied that the
	// node's times were put right by it.
	ClockSkewMethod  string     `json:"clockSkewMethod"`
	ClockSkewSince   *time.Time `json:"clockSkewSince"`
	ClockSkewApplied bool       `json:"clockSkewApplied"`
	// ClockSkewAsk is the command that would tell, where evidence is dated by a
	// clock of which nothing tells.
	ClockSkewAsk string       `json:"clockSkewAsk"`
	Versions     Versions     `json:"versions"`
	Evidence     NodeEvidence `json:"evidence"`
	// Logs are what the kubelet's and the runtime's logs of the node cover.
	Logs []NodeLog `json:"logs,omitempty"`
	// Lacks is what the bundle has nothing of, of a node that it has some of or
	// that something is stuck on.
	Lacks []Missing `json:"lacks,omitempty"`
}

// NodeLog is what the lines of one program on a node cover.
type NodeLog struct {
	Component string     `json:"component"`
	From      *time.Time `json:"from"`
	To        *time.Time `json:"to"`
	Lines     int        `json:"lines"`
	Files     []string   `json:"files"`
	// Verbosity is the least klog level that the lines prove; null of programs
	// that have none, and where no line tells.
	Verbosity *int `json:"verbosity,omitempty"`
	// Holes are where silence proves nothing.
	Holes []Hole `json:"holes,omitempty"`
}

// Hole is a time in which a log has lost lines.
type Hole struct {
	Kind   string     `json:"kind"`
	From   *time.Time `json:"from"`
	To     *time.Time `json:"to"`
	File   string     `json:"file"`
	Line   *int       `json:"line,omitempty"`
	Detail string     `json:"detail"`
}

// Versions of a node's software, "" where unknown.
type Versions struct {
	Kubelet string `json:"kubelet"`
	Runtime string `json:"runtime"`
	Kernel  string `json:"kernel"`
}

// NodeEvidence says which kinds of evidence the bundle holds of a node.
type NodeEvidence struct {
	KubeletLog   bool `json:"kubeletLog"`
	RuntimeLog   bool `json:"runtimeLog"`
	RuntimeState bool `json:"runtimeState"`
	Mounts       bool `json:"mounts"`
	Processes    bool `json:"processes"`
}

// Missing is evidence that is not in the bundle and how to get it.
type Missing struct {
	What    string `json:"what"`
	Command string `json:"command"`
	Would   string `json:"would"`
	// Collector is how the collector that made the bundle is told to bring it;
	// "" where it cannot, or nobody knows how.
	Collector string `json:"collector,omitempty"`
}

// Summary is for a manager.
type Summary struct {
	Headline string  `json:"headline"`
	Groups   []Group `json:"groups"`
}

// Group is the subjects of one node that share outcome and cause.
type Group struct {
	Cause                 string   `json:"cause"` // "" where none is shown
	Outcome               string   `json:"outcome,omitempty"`
	Node                  *string  `json:"node"`
	Subjects              []string `json:"subjects"`
	Confidence            string   `json:"confidence"`
	LongestOverdueSeconds int64    `json:"longestOverdueSeconds"`
	// LongestSinceT0Seconds is how long before the capture the first T0 was.
	LongestSinceT0Seconds *int64 `json:"longestSinceT0Seconds,omitempty"`
}

// Count takes a subject of the document into the group.
func (g *Group) Count(doc *Document, s *Subject) {
	if s.Deletion != nil && s.Deletion.OverdueSeconds != nil {
		g.LongestOverdueSeconds = max(g.LongestOverdueSeconds, *s.Deletion.OverdueSeconds)
	}
	if since, ok := doc.SinceT0(s); ok {
		seconds := int64(since.Seconds())
		if g.LongestSinceT0Seconds == nil || *g.LongestSinceT0Seconds < seconds {
			g.LongestSinceT0Seconds = &seconds
		}
	}
}

// SinceT0 is how long before the capture a subject's T0 was; false where one of
// the two is not known.
func (d *Document) SinceT0(s *Subject) (time.Duration, bool) {
	if s.Anchor == nil || d.Bundle.CapturedAt == nil {
		return 0, false
	}
	return d.Bundle.CapturedAt.Sub(s.Anchor.Time), true
}

// Outcome ids.
const (
	Stuck        = "stuck"
	InProgress   = "in-progress"
	Residue      = "residue"
	Clean        = "clean"
	NotDeleting  = "not-deleting"
	Inconclusive = "inconclusive"
)

// Confidence ids.
const (
	High   = "high"
	Medium = "medium"
	Low    = "low"
)

// Subject is one pod or other object and the verdict on it.
type Subject struct {
	ID           string         `json:"id"`
	Kind         string         `json:"kind"`
	Namespace    *string        `json:"namespace"`
	Name         *string        `json:"name"`
	UID          *string        `json:"uid"`
	Nodes        []string       `json:"nodes"`
	Owner        *string        `json:"owner"`
	InAPI        *bool          `json:"inAPI"`
	Outcome      string         `json:"outcome"`
	Cause        *string        `json:"cause"`
	Subcause     *string        `json:"subcause"`
	Confidence   string         `json:"confidence"`
	Summary      string         `json:"summary"`
	Anchor       *Anchor        `json:"anchor"`
	Deletion     *Deletion      `json:"deletion"`
	Causes       []CauseVerdict `json:"causes"`
	AlsoBlocking []string       `json:"alsoBlocking"`
	Consequences []string       `json:"consequences"`
	Stages       []StageVerdict `json:"stages"`
	Evidence     []string       `json:"evidence"`
	ForceDelete  ForceDelete    `json:"forceDelete"`
	Missing      []Missing      `json:"missing"`
	Remediation  []Remedy       `json:"remediation"`
	// WouldProveWrong is the finding that would refute the verdict; null
	// without a cause.
	WouldProveWrong *string        `json:"wouldProveWrong"`
	Residue         []ResidueCheck `json:"residue"`
	Prevention      []Prevention   `json:"prevention"`
	// Moments is how many the bundle has of the subject, of which the timeline
	// tells a part.
	Moments int `json:"moments"`
}

// Anchor is T0 and what it was taken from.
type Anchor struct {
	Time  time.Time `json:"time"`
	Basis string    `json:"basis"`
}

// Deletion is what is known of the request.
type Deletion struct {
	RequestedAt        *time.Time `json:"requestedAt"`
	RequestedAtSource  string     `json:"requestedAtSource"`
	RequestedBy        *string    `json:"requestedBy"`
	DeletionTimestamp  *time.Time `json:"deletionTimestamp"`
	GracePeriodSeconds *int64     `json:"gracePeriodSeconds"`
	Forced             *bool      `json:"forced"`
	OverdueSeconds     *int64     `json:"overdueSeconds"`
	Finalizers         []string   `json:"finalizers"`
}

// Roles of a cause.
const (
	RoleRoot        = "root"
	RoleBlocking    = "blocking"
	RoleConsequence = "consequence"
	RoleRuledOut    = "ruled-out"
)

// CauseVerdict is one cause that was considered.
type CauseVerdict struct {
	ID         string  `json:"id"`
	Role       string  `json:"role"`
	Confidence string  `json:"confidence"`
	Stage      string  `json:"stage"`
	Container  *string `json:"container"`
	Volume     *string `json:"volume"`
	Because    string  `json:"because"`
	// Demoted is why it is not the root, null of the root.
	Demoted *string   `json:"demoted"`
	For     []string  `json:"for"`
	Against []string  `json:"against"`
	Missing []Missing `json:"missing"`
}

// StageVerdict is how far one stage got.
type StageVerdict struct {
	ID        string     `json:"id"`
	Container *string    `json:"container"`
	Volume    *string    `json:"volume"`
	State     string     `json:"state"` // done, running, failed, not-reached, not-needed, unknown
	At        *time.Time `json:"at"`
	Evidence  []string   `json:"evidence"`
}

// ForceDelete answers whether forcing would be safe now; Safe is null where
// the evidence does not reach.
type ForceDelete struct {
	Safe    *bool  `json:"safe"`
	Because string `json:"because"`
}

// Remedy is one step of the safe way out.
type Remedy struct {
	Step            string `json:"step"`
	Command         string `json:"command"`
	Changes         string `json:"changes"` // nothing, cluster, node
	Risk            string `json:"risk"`    // none, low, high
	Precondition    string `json:"precondition"`
	PreconditionMet *bool  `json:"preconditionMet"`
	// Then is what would still hold the object afterwards; null for steps that
	// change nothing, and where nothing is held.
	Then     *string  `json:"then"`
	Evidence []string `json:"evidence"`
}

// ResidueCheck is one row of the list of what a pod may leave behind.
type ResidueCheck struct {
	Check    string   `json:"check"`
	State    string   `json:"state"` // clear, left, unknown
	Detail   string   `json:"detail"`
	Evidence []string `json:"evidence"`
	Command  string   `json:"command"` // that would tell, where the state is unknown
	// May is what it may do as long as it is left.
	May string `json:"may"`
	// Clearing is how it goes; null where nothing is left.
	Clearing *Clearing `json:"clearing"`
}

// Clearing is how something that a pod left goes away.
type Clearing struct {
	By string `json:"by"` // kubelet, controller, hands
	// WithinSeconds is how long it takes at most if it goes by itself and
	// nothing fails; null where only hands clear it.
	WithinSeconds *int64 `json:"withinSeconds"`
	// Expect says what will happen without anybody, and when waiting is wrong.
	Expect string `json:"expect"`
	// How is the safe way to clear it by hand, and Command what begins it.
	How     string `json:"how"`
	Command string `json:"command"`
}

// Prevention is advice tied to evidence.
type Prevention struct {
	Advice   string   `json:"advice"`
	Evidence []string `json:"evidence"`
	// Config is what can be put to use as it stands: a rule, a setting.
	Config string `json:"config"`
}

// Evidence is one cited place.
type Evidence struct {
	ID               string     `json:"id"`
	Time             *time.Time `json:"time"`
	PrecisionSeconds float64    `json:"precisionSeconds"`
	// ClockAheadSeconds is by how much the clock that dated it was ahead of the
	// API server's: Time is by that clock, as it stands in the file, and this
	// is to be taken off where it is compared with others.
	ClockAheadSeconds float64    `json:"clockAheadSeconds"`
	Node              *string    `json:"node"`
	Component         string     `json:"component"`
	File              string     `json:"file"`
	Line              *int       `json:"line"`
	LastLine          *int       `json:"lastLine"`
	Offset            *int64     `json:"offset"`
	Cursor            *string    `json:"cursor"`
	AlsoAt            []Place    `json:"alsoAt"`
	Signature         *string    `json:"signature"`
	Count             int        `json:"count"`
	FirstTime         *time.Time `json:"firstTime"`
	LastTime          *time.Time `json:"lastTime"`
	Text              string     `json:"text"`
	// Match is the part of the text that the signature fits; renderers keep it
	// in sight where they cut.
	Match *string `json:"match"`
	// Before and After are what stands around it in the file, in that order; of
	// what verdicts rest on.
	Before []Line `json:"before,omitempty"`
	After  []Line `json:"after,omitempty"`
}

// Line is a line of a file beside a cited one, or the record of a journal. A
// long text is cut.
type Line struct {
	Line int    `json:"line,omitempty"` // 0 where the format has none
	Text string `json:"text"`
}

// ByAPI is Time by the API server's clock, as far as it is known how far the
// clock that gave it was ahead.
func (e *Evidence) ByAPI() *time.Time {
	if e.Time == nil || e.ClockAheadSeconds == 0 {
		return e.Time
	}
	t := e.Time.Add(-time.Duration(e.ClockAheadSeconds * float64(time.Second)))
	return &t
}

// Place is a file and line.
type Place struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// Moment is one entry of the report's timeline.
type Moment struct {
	Time *time.Time `json:"time"`
	// ClockAheadSeconds was taken off the time that the node's clock gave.
	ClockAheadSeconds float64         `json:"clockAheadSeconds"`
	Node              *string         `json:"node"`
	Component         string          `json:"component"`
	What              string          `json:"what"`
	Subjects          []SubjectMoment `json:"subjects"`
	Evidence          *string         `json:"evidence"`
	Inferred          bool            `json:"inferred"`
}

// SubjectMoment places a moment relative to a subject's T0.
type SubjectMoment struct {
	ID             string  `json:"id"`
	SinceT0Seconds float64 `json:"sinceT0Seconds"`
}
