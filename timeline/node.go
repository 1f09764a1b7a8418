package timeline

import "time"

// The facts below are what tools printed on a node: snapshots, true at AsOf.

// Container is one row of crictl ps, crictl inspect, ctr tasks or docker ps.
type Container struct {
	ID                   string // full or shortened
	Name                 string // container name in the pod spec
	PodUID               string
	PodNamespace         string
	PodName              string
	SandboxID            string
	State                string // "running", "exited", "created", "paused", "unknown"
	PID                  int    // 0 unknown
	ExitCode             int
	Reason               string
	CreatedAt, StartedAt time.Time
	FinishedAt           time.Time
	Runtime              string // "containerd", "cri-o", "docker"
	Tool                 string // "crictl ps", "crictl inspect", "ctr tasks", "docker ps"
	Fact
}

// Sandbox is one row of crictl pods or crictl inspectp.
type Sandbox struct {
	ID                string
	PodUID            string
	PodNamespace, Pod string
	State             string // "ready", "notready"
	PID               int
	NetNS, IP         string
	Handler           string // runtime class handler
	CreatedAt         time.Time
	Tool              string
	ConfigHash        string // kubernetes.io/config.hash of a static pod
	ConfigSource      string // kubernetes.io/config.source: "api", "file"
	Network           string // "pod", "node"; "" unknown
	// Labels of the pod, without the kubelet's own; nil unknown.
	Labels map[string]string
	// HostPorts are the ports of the host that are mapped to it; nil unknown.
	HostPorts []int
	Fact
}

// Mount is one line of a mount table.
type Mount struct {
	Device, Target, FSType string
	Options                string
	Propagation            string // "shared:1" ...; "" is private in mountinfo, unknown elsewhere
	Root                   string // mountinfo's root field
	PID                    int    // whose table; 0 the host's (or PID 1's, or not told)
	Command                string // of that PID, where the same text tells
	Fact
}

// Process is one row of ps, or what /proc/PID says.
type Process struct {
	PID, PPID, TID int
	State          string // STAT as printed: "Ss", "Dl", "Z" ...
	WChan          string
	Command        string
	User           string
	Cgroup         string
	Stack          string // /proc/PID/stack or a wait channel told elsewhere
	Gone           bool   // /proc/PID was looked for and is not there
	Fact
}

// Holder is a process that fuser, lsof or a grep over /proc/*/mountinfo shows
// to hold a path.
type Holder struct {
	Path    string
	PID     int
	Command string
	Access  string // "mount", "cwd", "open" ...
	Tool    string
	Fact
}

// Listener is a socket of a node that waits for whoever comes, as ss and
// netstat show it.
type Listener struct {
	Protocol string // "tcp", "udp"
	Address  string // as printed: "0.0.0.0", "[::]", "*"
	Port     int    // 0 where its name was printed
	PIDs     []int  // that hold it; empty where that was not told
	Command  string // of the first
	Cgroup   string
	Fact
}

// ListenersOf is the kind of a Listing that has every listener of a protocol,
// and their processes.
func ListenersOf(protocol string) string { return "Listener/" + protocol }

// Unit is a systemd unit's state.
type Unit struct {
	Name              string // "kubelet.service"
	Load, Active, Sub string
	Result            string
	Restarts          int // NRestarts, where told
	ExitStatus        int // ExecMainStatus, where told
	MainPID           int
	Since             time.Time // when it entered that state, where told
	Stamp             Stamp     // of Since
	Fact
}

// Filesystem is one row of df.
type Filesystem struct {
	Device, Mount string
	UsePercent    int
	Inodes        bool // df -i
	Fact
}

// Path is a file or directory that ls or find printed.
type Path struct {
	Path   string
	Dir    bool
	Link   string // target of a symbolic link
	Size   int64
	Listed bool // the directory's own content was listed (so it may be known to be empty)
	// Modified is when it was written last: it began then or earlier. Zero where
	// the listing does not tell it to the second and with the zone.
	Modified time.Time
	Fact
}

// Interface is a network interface of the host that has its other end in a
// pod's network namespace.
type Interface struct {
	Name string // "veth7956b7b3", "cali0a1b2c3d4e5"
	// NetNS is the name of the namespace of the other end, where it has one:
	// "cni-67bfd92a-3495-9f59-49b9-26d8c810d290".
	NetNS string
	Fact
}

// PodLog is the log that a container of a pod wrote, in the folder that names
// the pod: /var/log/pods/NAMESPACE_POD_UID/CONTAINER/0.log.
type PodLog struct {
	PodNamespace, Pod, PodUID string
	Container                 string
	First, Last               time.Time // of its lines; Fact is the last one
	Fact
}

// Reservation is an address that a file of the node's IPAM keeps for a sandbox:
// host-local's, or the AWS VPC CNI's.
type Reservation struct {
	Network, IP string
	ContainerID string // "" where only the file name is known
	// The pod it was reserved for, where the CNI result kept beside it tells.
	PodUID, PodNamespace, Pod string
	ReservedAt                time.Time // where the file tells
	Fact
}

// Fact is what all snapshots share.
type Fact struct {
	Node   string
	AsOf   time.Time
	Source Source
	AlsoAt []Source
	Text   string // the line as it stands
}

// NodeVersion is a version that a tool printed on the node.
type NodeVersion struct {
	What    string // "kubelet", "containerd", "cri-o", "docker", "runc", "kernel", "systemd"
	Version string
	Fact
}
