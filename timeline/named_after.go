package timeline

import (
	"path"
	"slices"
	"strings"
)

// nodeNames finds the nodes that files and folders are named after. That is a
// weak hint, and counts only where nothing in a file names a host.
type nodeNames struct {
	nodes []string        // that objects name
	files map[string]bool // hosts that files are named after
}

// namesOfFiles learns from all files whether it is the custom here to name
// files after nodes: "w-1-kubelet.log", "kubelet_w-2.txt".
func namesOfFiles(builders []*Builder, nodes []string) nodeNames {
	n := nodeNames{nodes: nodes, files: map[string]bool{}}
	custom := false
	for _, b := range builders {
		if host := hostOfLogName(b.Input.Path); host != "" {
			n.files[host] = true
			custom = custom || slices.Contains(nodes, host)
		}
	}
	// One name alone may be a ticket's.
	if !custom && len(n.files) < 2 {
		clear(n.files)
	}
	return n
}

// ofFile is the node that a file is named after.
func (n *nodeNames) ofFile(file string) string {
	if node := n.known(path.Base(insideArchives(file))); node != "" {
		return node
	}
	if host := hostOfLogName(file); n.files[host] {
		return host
	}
	return ""
}

// ofFolder is the node that the nearest folder or archive around a file is
// named after.
func (n *nodeNames) ofFolder(file string) string {
	for folder := parentFolder(file); folder != ""; folder = parentFolder(folder) {
		if node := n.known(path.Base(insideArchives(folder))); node != "" {
			return node
		}
	}
	return ""
}

// known finds the name of a node in another, where it stands between other
// signs; the longest, for w-1 is in w-1.example.com, too.
func (n *nodeNames) known(name string) string {
	found := ""
	for _, node := range n.nodes {
		if len(node) > len(found) && standsIn(name, node) {
			found = node
		}
	}
	return found
}

func standsIn(name, node string) bool {
	for from := 0; ; {
		i := strings.Index(name[from:], node)
		if i < 0 {
			return false
		}
		start, end := from+i, from+i+len(node)
		before := start == 0 || byteClass[name[start-1]]&wordByte == 0
		after := end == len(name) || byteClass[name[end]]&wordByte == 0
		if before && after {
			return true
		}
		from = start + 1
	}
}

// hostOfLogName takes a name apart that is made of a program's and a host's;
// "" if what is beside the program does not look like a host.
func hostOfLogName(file string) string {
	name := path.Base(insideArchives(file))
	for {
		ext := path.Ext(name)
		switch ext {
		case ".log", ".txt", ".out", ".json", ".gz", ".xz", ".zst", ".1", ".2", ".3":
			name = strings.TrimSuffix(name, ext)
			continue
		}
		break
	}
	for _, program := range [...]string{"kubelet", "containerd", "crio", "dockerd", "docker", "journalctl", "journal", "messages", "syslog", "dmesg"} {
		at := strings.Index(name, program)
		if at < 0 {
			continue
		}
		before := strings.TrimRight(name[:at], "-_.@")
		after := strings.TrimLeft(name[at+len(program):], "-_.@")
		switch {
		case after == "" && before != name[:at] && looksLikeNode(before):
			return before
		case before == "" && after != name[at+len(program):] && looksLikeNode(after):
			return after
		}
		return ""
	}
	return ""
}

// looksLikeNode wants a host name of several parts with a figure, and no date.
func looksLikeNode(s string) bool {
	letters, figures := 0, 0
	for _, c := range []byte(s) {
		switch {
		case c >= '0' && c <= '9':
			figures++
		case c >= 'a' && c <= 'z':
			letters++
		case c != '-' && c != '.':
			return false
		}
	}
	return letters > 0 && figures > 0 && figures < 8 && strings.ContainsAny(s, "-.")
}

func insideArchives(file string) string { return file[strings.LastIndexByte(file, '!')+1:] }
