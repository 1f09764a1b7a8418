package timeline

import "time"

// Object is a Kubernetes object as a dump shows it: true at AsOf, no longer.
type Object struct {
	APIVersion, Kind     string
	Namespace, Name, UID string

	// Content is nil where the object is known by name alone.
	Content Content
	// Partial: read from a table or from kubectl describe. An absent field is
	// then unknown, not unset.
	Partial bool
	// Ages holds fields that were printed as an age at the time of capture,
	// by dotted path: "metadata.deletionTimestamp": 6m10s. Builder.Timeline
	// turns them into times in Content once the capture time is known.
	Ages map[string]time.Duration
	AsOf time.Time // zero: not known

	// Ending is the earliest showing, of a table that does not tell when its
	// deletion was asked for, of the object in deletion. Nil: there is just one.
	Ending *Object

	Source Source
	AlsoAt []Source
	// Locate finds where a field of the object stands and its text there.
	// Nil or ok=false: cite Source.
	Locate func(path ...string) (src Source, text string, ok bool)
	// Lines are the lines of its file from one number to another, "" where they
	// are not the object's. Nil: nobody keeps them.
	Lines func(from, to int) []string
	// Text is the line at Source.
	Text string
}

// Ref names the object.
func (o *Object) Ref() Ref { return Ref{o.Kind, o.Namespace, o.Name, o.UID} }

// Listing records that a dump listed a kind, so that an object that is not in
// it was absent. A single object is no listing.
type Listing struct {
	Kind      string
	Namespace string // "" with AllNamespaces false: cannot be told
	// AllNamespaces is set where the command or the content shows that the
	// listing covered every namespace.
	AllNamespaces bool
	// Namespaces that the content shows to be covered.
	Namespaces []string
	Items      int
	// Incomplete: the list was cut, a selector was used, or items were lost.
	Incomplete bool
	// Unasked: the command that printed it is not known, so that nobody can tell
	// whether a selector was used.
	Unasked bool
	// Shown: nothing tells when it was made: AsOf is the newest time that it shows,
	// and it was made then or at any time later.
	Shown bool
	// RunningOnly: of containers, those that run were asked for and are all
	// listed; exited ones are not (Incomplete is set as well).
	RunningOnly bool
	// Tool that listed a node's containers or sandboxes: "crictl", "ctr", "docker".
	Tool   string
	AsOf   time.Time
	Source Source
	Text   string
}

// ofRuntime says whether a node's runtime was asked, and not the API.
func (l *Listing) ofRuntime() bool { return l.Kind == "Container" || l.Kind == "Sandbox" }

// Absent records a direct answer that an object does not exist
// (Error from server (NotFound)).
type Absent struct {
	Ref    Ref
	AsOf   time.Time
	Source Source
	Text   string
}
