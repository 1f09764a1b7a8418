package parsers

import (
	"regexp"
	"strings"

	"podautopsy/timeline"
)

// sosreportLayout is what sos report makes of one machine; its folder is named
// sosreport-HOST[-LABEL][-CASE]-YYYY-MM-DD-RANDOM. What sos collect makes is
// such reports of several machines, packed once more, with a log and a manifest
// of its own.
var sosreportLayout = Layout{
	Name:  "sosreport",
	Doc:   "a report of sos (sosreport), one machine each, or several as sos collect packs them",
	Marks: [][]string{{"sos_commands/"}, {"sos_reports/"}, {"sos_logs/"}},
	Specimen: "reports of sos 4.12 and 4.0 of Debian nodes with containerd, with kubernetes.all and without, and parts of Ubuntu's (from the tests of hotsos); " +
		"archives of sos collect, of CRI-O and OpenShift nodes, and obfuscated ones after the source code alone",
	Fills: map[timeline.Carries]string{
		timeline.KubeletLog:     "sos report -o kubernetes,openshift,microk8s",
		timeline.RuntimeLog:     "sos report -o containerd,crio,docker",
		timeline.RuntimeState:   "sos report -o crio -k crio.all=on (on a node with containerd sos runs no crictl: crictl ps -a -o json, crictl pods -o json)",
		timeline.KernelLog:      "sos report -o kernel,logs",
		timeline.MountTable:     "sos report -o filesys,process",
		timeline.ProcessList:    "sos report -o process",
		timeline.PodObjects:     "sos report -o kubernetes -k kubernetes.all=on (on a control plane node)",
		timeline.APIEvents:      "sos report -o kubernetes -k kubernetes.all=on (on a control plane node)",
		timeline.NodeObjects:    "sos report -o kubernetes (on a control plane node)",
		timeline.ControllerLogs: "sos report -o kubernetes -k kubernetes.podlogs=on (on a control plane node)",
	},
	Place: placeInSosreport,
	Index: readSosHost,
}

var sosreportFolder = regexp.MustCompile(`^sosreport-(.+?)-\d{4}-\d\d-\d\d-\w+`)

// sosCollection is how sos collect names what it makes: sos-collector[-LABEL]
// -YYYY-MM-DD-RANDOM.
const sosCollection = "sos-collector-"

func placeInSosreport(root, rel string) Place {
	if strings.HasPrefix(topFolder(root), sosCollection) {
		return Place{} // of the machine that went round, not of those around
	}
	p := Place{Folder: root}
	if m := sosreportFolder.FindStringSubmatch(topFolder(root)); m != nil {
		p.Node = m[1] // perhaps with a label: readSosHost knows better
	}
	folder, below := outermost(rel)
	name := below[strings.LastIndexByte(below, '/')+1:]
	switch folder {
	case "sos_commands":
		if !strings.HasSuffix(name, ".yaml") { // an object that sos asked for itself
			p.Command = sosCommand(name)
		}
	case "sos_strings": // the end of what was too long
		if name, p.Cut = strings.CutSuffix(name, sosTail); p.Cut && !isMangledPath(name) {
			p.Command = sosCommand(name)
		}
	case "proc":
		p.Command = "cat /" + rel
	}
	return p
}

// readSosHost takes the machine's name from the machine itself: the folder's
// may carry a label and a ticket's number, "worker" and "01234567".
func readSosHost(rel string, data []byte, tell func(string, Place)) {
	switch rel {
	case "sos_commands/host/hostname", "sos_commands/general/hostname", "hostname":
		if name := hostNameIn(data); name != "" {
			tell("", Place{Node: name})
		}
	}
}

// hostNameIn is the name that hostname(1) printed or /etc/hostname holds, "" if
// it is none.
func hostNameIn(data []byte) string {
	const longest = 256
	if len(data) > longest {
		return ""
	}
	if name := strings.TrimSpace(string(data)); isDNSName(name) && !strings.HasPrefix(name, "localhost") {
		return name
	}
	return ""
}

// isMangledPath says whether a name was made of a file's path, which begins
// with one of the folders below the root.
func isMangledPath(name string) bool {
	folder, _, ok := strings.Cut(name, ".")
	if !ok {
		return false
	}
	switch folder {
	case "var", "etc", "proc", "run", "sys", "tmp", "home", "root", "opt", "usr", "boot", "dev", "lib", "srv":
		return true
	}
	return false
}

// sosCommand undoes the file name that sos makes of a command line, as far as
// that can be undone: all but letters, digits, "-", "." and "/" has become "_",
// and "/" has become ".".
func sosCommand(name string) string {
	words := strings.Split(name, "_")
	command := words[0]
	for i, word := range words[1:] {
		if (word == "true" || word == "false") && strings.HasPrefix(words[i], "--") {
			command += "=" + word
			continue
		}
		command += " " + word
	}
	return command
}
