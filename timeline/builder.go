package timeline

import (
	"slices"
	"time"
	"unicode/utf8"
)

// GapKind says why something of a source is not in the timeline.
type GapKind string

// Kinds of gaps.
const (
	GapTruncated     GapKind = "truncated"
	GapRotated       GapKind = "rotated"
	GapSuppressed    GapKind = "suppressed" // journald's rate limit
	GapMasked        GapKind = "masked"     // redacted before we got it
	GapUnreadable    GapKind = "unreadable"
	GapCommandFailed GapKind = "command-failed"
	GapNotUnderstood GapKind = "not-understood"
)

// Gap is something seen and not understood, or known to be missing.
type Gap struct {
	Kind   GapKind
	Detail string
	Source Source

	// Of says whose lines are missing, where they are one program's.
	Of string
	// Node that they are missing of, and between which of its lines; zero
	// where that is not known. Assemble works it out for gaps inside a log.
	Node     string
	From, To time.Time
}

// Input describes one file of the bundle as it was received.
type Input struct {
	Path   string
	Format string // name of the parser that read it, "" if none
	Bytes  int64
	// Unused says what a file without a format is, where that is known: of a
	// kind that tells nothing of a deletion ("kernel setting"), or "empty".
	Unused string
	// Command printed the file, as the layout or the collector tells.
	Command string
	// Empty: there is nothing in it, which by itself says neither that there
	// was nothing to tell nor that somebody failed.
	Empty bool
	// Encoding that the text was in, where it was not UTF-8.
	Encoding string
	SHA256   string // hex; "" for a member of an archive whose hash is given

	// Folder groups what was collected together (one node's diagnostics):
	// files in one folder, or below it, are of one node unless they say else.
	Folder string
	// Node is who wrote or was asked, if the layout or the content tells.
	Node     string
	Hosts    []string // host names that the content shows
	Identity Identity // of the machine, as the content shows it
	Records  int
	// Skimmed: of a log too large to be kept only what may matter is in the
	// timeline; all of it is in Records.
	Skimmed    bool
	First      time.Time // of its records
	Last       time.Time
	CapturedAt time.Time // when it was taken, where it says so itself
	Zone       string    // zone of its unmarked times
	ZoneKnown  Known
	YearKnown  Known
	Gaps       []Gap

	// Offset is what turns the unmarked times of this file into UTC, once known.
	Offset time.Duration
}

// Builder collects the facts of one file. It is not safe for concurrent use;
// give each file its own.
type Builder struct {
	Input Input

	Events   []Event
	Objects  []*Object
	Listings []Listing
	Absents  []Absent
	NodeState
	Clocks    []ClockHint
	Boots     []BootHint
	Collected []Collected
	Samples   []ClockSample

	// on is the node whose clock dated the collection of the file: as its
	// layout tells, also where it holds nothing of that node, or the only one
	// that its folder knows.
	on string
	// dated is the newest time that a dump shows, where it was dated by that.
	dated time.Time
}

// ClockHint ties the unmarked local time of a source to UTC: the same moment
// written twice. Parsers add one wherever a line carries both.
type ClockHint struct {
	Local time.Time // figures as printed, year 0 if not printed
	UTC   time.Time
	Host  string // of the node whose local zone it tells, where known
}

// BootHint ties a node's seconds since boot to wall time.
type BootHint struct {
	At     time.Duration // since boot
	Time   time.Time     // UTC
	Source Source
}

// NewBuilder starts the facts of the file at path.
func NewBuilder(path string) *Builder { return &Builder{Input: Input{Path: path}} }

// longestQuote bounds what is quoted of one record: its place tells where the
// rest stands.
const longestQuote = 32 << 10

// quoted is the beginning of a record that is too long to be quoted whole.
func quoted(text string) string {
	if len(text) <= longestQuote {
		return text
	}
	end := longestQuote
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Add appends an event and counts it as a record.
func (b *Builder) Add(e Event) {
	e.Quote(e.Message, e.Text)
	e.Seq = len(b.Events)
	b.Events = append(b.Events, e)
	b.Input.Records++
}

// Begin appends an event like Add, but an empty one that is filled where it is:
// of a large log, moving events would take longer than reading them. It is good
// until the next one.
func (b *Builder) Begin() *Event {
	n := len(b.Events)
	if n == cap(b.Events) {
		b.Events = slices.Grow(b.Events, 1)
	}
	b.Events = b.Events[:n+1]
	e := &b.Events[n]
	*e = Event{Seq: n}
	b.Input.Records++
	return e
}

// Quote gives an event its message and text, or what is quoted of them.
func (e *Event) Quote(message, text string) {
	e.Message, e.Text = quoted(message), quoted(text)
}

// AddObject appends an object and counts it as a record.
func (b *Builder) AddObject(o *Object) {
	b.Objects = append(b.Objects, o)
	b.Input.Records++
}

// Gap notes that something at a line was not understood or is missing.
func (b *Builder) Gap(kind GapKind, line int, detail string) {
	b.Input.Gaps = append(b.Input.Gaps, Gap{Kind: kind, Detail: detail, Source: Source{File: b.Input.Path, Line: line}})
}

// Host notes a host name that the content shows.
func (b *Builder) Host(name string) {
	if name == "" || name == "localhost" {
		return
	}
	for _, h := range b.Input.Hosts {
		if h == name {
			return
		}
	}
	b.Input.Hosts = append(b.Input.Hosts, name)
}

// Src is a source in this file.
func (b *Builder) Src(line int, offset int64) Source {
	return Source{File: b.Input.Path, Line: line, Offset: offset}
}
