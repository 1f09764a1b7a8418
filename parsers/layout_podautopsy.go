package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// podautopsyLayout is what the scripts of podautopsy collect wrote: cluster/ of the
// API server, and nodes/NODE/ of each node.
var podautopsyLayout = Layout{
	Name:  "podautopsy",
	Doc:   "what the scripts of podautopsy collect cluster and podautopsy collect node wrote",
	Marks: [][]string{{commandsFile, "nodes/"}, {commandsFile, "cluster/"}},
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:       "podautopsy collect node | ssh NODE sudo sh",
		timeline.RuntimeLog:       "podautopsy collect node | ssh NODE sudo sh",
		timeline.RuntimeState:     "podautopsy collect node | ssh NODE sudo sh",
		timeline.KernelLog:        "podautopsy collect node | ssh NODE sudo sh",
		timeline.MountTable:       "podautopsy collect node | ssh NODE sudo sh",
		timeline.ProcessList:      "podautopsy collect node | ssh NODE sudo sh",
		timeline.AuditLines:       "podautopsy collect node | ssh CONTROL-PLANE sudo sh",
		timeline.PodObjects:       "podautopsy collect cluster | sh",
		timeline.NodeObjects:      "podautopsy collect cluster | sh",
		timeline.NamespaceObjects: "podautopsy collect cluster | sh",
		timeline.StorageObjects:   "podautopsy collect cluster | sh",
		timeline.LeaseObjects:     "podautopsy collect cluster | sh",
		timeline.OtherObjects:     "podautopsy collect cluster | sh",
		timeline.APIEvents:        "podautopsy collect cluster | sh",
		timeline.ControllerLogs:   "podautopsy collect cluster | sh",
	},
	Place:     placeInPodautopsy,
	Index:     readCommandsIndex,
	Checksums: func(rel string) bool { return rel == checksumFile || rel == commandsFile },
	Specimen:  "the output of collect node on a machine without Kubernetes, and of both scripts where stand-ins answered for crictl and kubectl",
}

// commandsFile is where the scripts note what they ran.
const commandsFile = "commands.tsv"

func placeInPodautopsy(root, rel string) Place {
	side, below := outermost(rel)
	if side != "nodes" {
		return Place{}
	}
	node, file := outermost(below)
	if file == "" {
		return Place{}
	}
	p := Place{Folder: root + side + "/" + node + "/", Node: node}
	if !strings.HasPrefix(file, "logs/") { // those were there already
		p.Zone = "UTC"
	}
	return p
}

// readCommandsIndex tells of each file which command printed it, and when.
func readCommandsIndex(rel string, data []byte, tell func(string, Place)) {
	if rel != commandsFile {
		return
	}
	for row := range strings.Lines(string(data)) {
		if ran, ok := commandRow(row); ok && ran.file != "" {
			tell(ran.file, Place{Command: ran.command, CapturedAt: ran.begun})
		}
	}
}
