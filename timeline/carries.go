package timeline

// Carries names a kind of evidence that a bundle may carry of a deletion.
type Carries string

// Kinds of evidence. The first ones are taken on a node, the others from the API.
const (
	KubeletLog   Carries = "kubelet log"
	RuntimeLog   Carries = "runtime log"
	RuntimeState Carries = "runtime state"
	KernelLog    Carries = "kernel log"
	MountTable   Carries = "mounts"
	ProcessList  Carries = "processes"

	PodObjects       Carries = "pod objects"
	NodeObjects      Carries = "node objects"
	NamespaceObjects Carries = "namespace objects"
	StorageObjects   Carries = "storage objects" // claims, volumes, attachments, CSI nodes and drivers
	LeaseObjects     Carries = "leases"
	OtherObjects     Carries = "webhooks, API services, custom resource definitions"
	APIEvents        Carries = "API events"
	ControllerLogs   Carries = "controller logs"
	AuditLines       Carries = "audit log"

	// Unmasked is no evidence of its own: how to collect without redaction.
	Unmasked Carries = "unmasked text"
)

// FoundLayout is one bundle among what was given, as its collector laid it out.
type FoundLayout struct {
	Name string // "sosreport"
	Root string // what stands before its files' paths; "" is everything
	// Specimen names real bundles that reading this layout was tried on; empty
	// where none was to be had, so that nobody takes the reader for proven.
	Specimen string
	// Fills are the options or commands by which the same collector brings
	// what its bundle lacks; "NODE", "NS" and "POD" stand for names.
	Fills map[Carries]string
}
