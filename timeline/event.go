package timeline

import "time"

// Level is how loud the program was; LevelUnknown where it did not say.
type Level int

// Levels.
const (
	LevelUnknown Level = iota
	LevelDebug
	LevelInfo
	LevelWarning
	LevelError
)

// Components that other packages branch on. Any other program keeps its own
// name (its syslog identifier, or the name of its log file).
const (
	Kubelet    = "kubelet"
	Containerd = "containerd"
	CRIO       = "crio"
	Dockerd    = "dockerd"
	Kernel     = "kernel"
	Systemd    = "systemd"
	Journald   = "journald"
	KCM        = "kube-controller-manager"
	APIServer  = "kube-apiserver"
	Audit      = "audit"   // one line of an API server's audit log
	APIEvent   = "event"   // an Event object of the Kubernetes API
	Command    = "command" // what a person's command printed, in a transcript
)

// Event is something that happened at a time: a log line, an API Event, an
// audit entry.
type Event struct {
	// Time is UTC; zero where the bundle gives none. See Stamp for what a
	// parser may leave to Builder.Timeline to work out.
	Time      time.Time
	Precision time.Duration // 1µs for journald, 1s for RFC 3164 ...
	Stamp     Stamp

	// Ahead is what was taken off Time because the node's clock was ahead by
	// that much; negative if it was behind.
	Ahead time.Duration
	// Boot and Uptime are a journal's id of the boot and its monotonic clock,
	// which nobody sets.
	Boot   string
	Uptime time.Duration

	Node      string
	Component string
	Unit      string // systemd unit, where known
	PID       int    // of the program that spoke; 0 unknown
	Level     Level

	// Message is what the program itself wrote: a klog line with its header,
	// a logfmt line, without the prefix of syslog or journald. JSON logs are
	// rewritten to the text form of the same logger, so that one signature
	// matches both. A record of several lines is joined with "\n".
	Message string
	// Text is the evidence as it stands in the file at Source: the whole line
	// (or lines), or for formats that encode it the decoded message.
	Text string

	API *APIRecord // of API Events and audit entries

	Source Source
	AlsoAt []Source // the same entry read from other files of the bundle
	Seq    int      // order within the file
}

// Stamp is what a parser could not decide alone. Builder.Timeline resolves it.
type Stamp struct {
	// Wall: Event.Time holds the figures as printed, as if they were UTC;
	// their zone is not written.
	Wall bool
	// NoYear: only month, day and time were printed; Event.Time has year 0.
	NoYear bool
	// HasAge: the time was printed as an Age ("3m12s") at the time of capture.
	HasAge bool
	// HasSinceBoot: dmesg's seconds.
	HasSinceBoot bool

	Age, SinceBoot time.Duration
}

// Ref names a Kubernetes object; any part may be empty.
type Ref struct {
	Kind, Namespace, Name, UID string
}

// APIRecord is what an API Event or audit entry tells beside. Most events are
// lines of logs, which have none.
type APIRecord struct {
	Object Ref       // what it is about
	Count  int       // API Events repeat: how often; 0 means once
	First  time.Time // ... and since when

	// HasFirstAge: First was printed as an Age ("x29 over 6m38s") at the time
	// of capture.
	HasFirstAge bool
	FirstAge    time.Duration
}

// Object is what an API Event or audit entry is about.
func (e *Event) Object() Ref {
	if e.API == nil {
		return Ref{}
	}
	return e.API.Object
}

// Count is how often an API Event happened; 0 means once.
func (e *Event) Count() int {
	if e.API == nil {
		return 0
	}
	return e.API.Count
}

// First is since when an API Event has happened, where it is told.
func (e *Event) First() time.Time {
	if e.API == nil {
		return time.Time{}
	}
	return e.API.First
}
