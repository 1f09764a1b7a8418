package parsers

import (
	"path"
	"strings"
)

// execOnNode reads "docker exec -it kind-worker journalctl -u kubelet": the
// nodes of kind, k3d and minikube are containers. One that has a node's tools
// is a node.
func execOnNode(words []string) (node string, inside []string) {
	if len(words) < 4 || words[1] != "exec" {
		return "", nil
	}
	switch path.Base(words[0]) {
	case "docker", "podman", "nerdctl":
	default:
		return "", nil
	}
	for i := 2; i < len(words)-1; i++ {
		switch w := words[i]; {
		case w == "-e" || w == "-u" || w == "-w" || w == "--user" || w == "--env" || w == "--workdir":
			i++
		case strings.HasPrefix(w, "-"):
		case isHost(w) && (isNodeTool(words[i+1]) || isShell(words[i+1])):
			return w, words[i+1:]
		default:
			return "", nil
		}
	}
	return "", nil
}

func isNodeTool(name string) bool {
	switch name {
	case "journalctl", "crictl", "ctr", "systemctl":
		return true
	}
	return false
}

func isShell(name string) bool { return name == "bash" || name == "sh" }
