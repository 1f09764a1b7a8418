package parsers

import (
	"fmt"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// minikubeLogsParser reads what minikube logs prints of one node.
var minikubeLogsParser = Parser{
	Name:  "minikube-logs",
	Doc:   "What minikube logs prints of one node: sections such as \"==> kubelet <==\", each the last lines of a log or what a command printed.",
	Sniff: sniffMinikube,
	Parse: parseMinikube,

	Blocks: minikubeBlocks,
}

// minikubeTail is how many lines of each log minikube prints unless told.
const minikubeTail = 60

// sniffMinikube looks for a heading that minikube uses. Before the first there
// may be warnings.
func sniffMinikube(f *File) bool {
	head := f.head()
	if !strings.Contains(head, "==> ") {
		return false
	}
	for l := range (&File{Text: head}).lines() {
		name, ok := sectionHeading(strings.TrimPrefix(l.text, "* "))
		if !ok {
			continue
		}
		switch name {
		case "Audit", "Last Start", "container status", "describe nodes", "dmesg", "kernel", "kubelet", "containerd", "Docker", "CRI-O", "coredns":
			return true
		}
		container, id, ok := strings.Cut(name, " [")
		return ok && !strings.ContainsAny(container, "/.") && strings.HasSuffix(id, "]")
	}
	return false
}

// minikubeSections cuts the file apart. Versions before 1.26 put an asterisk
// before headings and before each or the first line below, as before anything
// that they print; it is no part of a log.
func minikubeSections(f *File) []section {
	if strings.HasPrefix(f.Text, "* ") || strings.Contains(f.Text, "\n* ==> ") {
		bare := *f
		bare.Text = strings.TrimPrefix(strings.ReplaceAll("\n"+f.Text, "\n* ", "\n"), "\n")
		f = &bare
	}
	return sections(f)
}

// minikubeRuntime says whether a section is a container runtime's, and names its unit.
func minikubeRuntime(name string) (unit string, ok bool) {
	switch name {
	case "containerd":
		return "containerd", true
	case "Docker":
		return "docker", true
	case "CRI-O":
		return "crio", true
	}
	return "", false
}

// isMinikubeLog says whether a section is the end of a log.
func isMinikubeLog(name string) bool {
	_, runtime := minikubeRuntime(name)
	return runtime || name == "kubelet" || name == "dmesg" || strings.HasSuffix(name, "]")
}

// minikubeFailure knows what minikube prints where a command failed.
func minikubeFailure(text string) (reason string, failed bool) {
	for l := range (&File{Text: text}).lines() {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if !strings.Contains(l.text, `command /bin/bash -c "`) && !strings.HasPrefix(l.text, "command ") {
			return "", false
		}
		_, reason, failed = strings.Cut(l.text, " failed with error: ")
		return prefix(reason, maxMessage), failed
	}
	return "", false
}

func parseMinikube(f *File, b *timeline.Builder) error {
	all := minikubeSections(f)
	lengths := make([]int, len(all))
	for i := range all {
		if isMinikubeLog(all[i].name) {
			lengths[i] = entries(all[i].text.Text)
		}
	}
	length := tailLength(lengths)
	for i, s := range all {
		gap := timeline.Gap{Of: minikubeProgram(s.name), Source: b.Src(max(s.text.FirstLine-1, 1), s.text.Offset)} // the heading
		reason, failed := minikubeFailure(s.text.Text)
		switch {
		case s.name == "":
			continue
		case failed:
			gap.Kind, gap.Detail = timeline.GapCommandFailed, fmt.Sprintf("minikube could not collect %q: %s", s.name, reason)
		case isMinikubeLog(s.name) && lengths[i] >= length:
			gap.Kind = timeline.GapTruncated
			gap.Detail = fmt.Sprintf("only the last %s of %q; minikube logs --length=N brings more", plural(lengths[i], "line"), s.name)
		default:
			continue
		}
		b.Input.Gaps = append(b.Input.Gaps, gap)
	}
	b.Host(minikubeNode(all))
	return nil
}

// tailLength is how many lines of each log there are at most: where two logs
// have the same number and none has more, it is that, else what minikube keeps
// unless told.
func tailLength(lengths []int) int {
	longest := slices.Max(append([]int{0}, lengths...))
	same := 0
	for _, n := range lengths {
		if n == longest {
			same++
		}
		if n == minikubeTail {
			return minikubeTail
		}
	}
	if longest > minikubeTail || same > 1 && longest >= minikubeTail/6 {
		return longest
	}
	return minikubeTail
}

// minikubeProgram is whose lines a section holds.
func minikubeProgram(name string) string {
	switch name {
	case "containerd":
		return timeline.Containerd
	case "Docker":
		return timeline.Dockerd
	case "CRI-O":
		return timeline.CRIO
	case "dmesg":
		return timeline.Kernel
	}
	container, _, _ := strings.Cut(name, " [")
	return container
}

// entries counts the entries of a log: journalctl -n counts those, not lines.
func entries(text string) int {
	n := 0
	for l := range (&File{Text: text}).lines() {
		if l.text != "" && !isIndented(l.text) && !isJournalMarker(l.text) {
			n++
		}
	}
	return n
}

// minikubeNode is the machine whose journal it is.
func minikubeNode(all []section) string {
	for _, s := range all {
		if _, runtime := minikubeRuntime(s.name); !runtime && s.name != "kubelet" {
			continue
		}
		for l := range s.text.lines() {
			if r, ok := shortHeader(l.text); ok && r.host != "" && r.identifier != "" {
				return r.host
			}
		}
	}
	return ""
}

// minikubeBlocks are the sections, with the commands that minikube ran for
// them. What minikube itself did on the user's machine is left out.
func minikubeBlocks(f *File) []File {
	all := minikubeSections(f)
	node := f.Node
	if node == "" {
		node = minikubeNode(all)
	}
	var blocks []File
	for _, s := range all {
		block := s.text
		block.Node = node
		if _, failed := minikubeFailure(block.Text); failed {
			continue
		}
		unit, runtime := minikubeRuntime(s.name)
		switch {
		case s.name == "", s.name == "Audit", s.name == "Last Start":
			continue
		case s.name == "kernel":
			blocks = append(blocks, kernelBlocks(&block)...)
			continue
		case s.name == "kubelet":
			block.Command = "journalctl -u kubelet"
		case runtime:
			block.Command = "journalctl -u " + unit
		case s.name == "container status":
			block.Command = "crictl ps -a"
			if strings.Contains(block.Text, "CONTAINER ID ") && strings.Contains(block.Text, " NAMES") {
				block.Command = "docker ps -a"
			}
		case s.name == "describe nodes":
			block.Command, block.Node = "kubectl describe nodes", ""
		case s.name == "dmesg":
			block.Command = "dmesg -H"
		default: // a container's log: "etcd [d0eaa1...]"
			block.Section, _, _ = strings.Cut(s.name, " [")
		}
		blocks = append(blocks, block)
	}
	return blocks
}

// kernelBlocks takes what uname -a printed from between uptime and grep.
func kernelBlocks(f *File) []File {
	for l := range f.lines() {
		if _, _, ok := unameLine(l.text); ok {
			block := *f
			block.Text, block.FirstLine, block.Offset, block.Command = l.text, l.number, l.offset, "uname -a"
			return []File{block}
		}
	}
	return nil
}
