package parsers

import (
	"strings"
	"testing"
)

func TestExecOnNode(t *testing.T) {
	for _, c := range []struct{ command, node, tool string }{
		{"docker exec kind-worker crictl ps -a", "kind-worker", "crictl ps -a"},
		{"docker exec -it -e X=1 kind-worker2 journalctl -u kubelet", "kind-worker2", "journalctl -u kubelet"},
		{"sudo podman exec -ti kind-control-plane ctr -n k8s.io tasks ls", "kind-control-plane", "ctr -n k8s.io tasks ls"},
		{"docker exec -it kind-worker bash", "kind-worker", "docker exec -it kind-worker bash"},
		{"docker exec web cat /etc/hosts", "", "docker exec web cat /etc/hosts"},
		{"docker ps -a", "", "docker ps -a"},
		{"k3s crictl ps -a", "", "crictl ps -a"},
		{"sudo k3s kubectl get pods -A", "", "kubectl get pods -A"},
		{"minikube kubectl -- get pods", "", "kubectl -- get pods"},
		{"k3s server", "", "k3s server"},
	} {
		if node, _ := nodeAsked(c.command); node != c.node {
			t.Errorf("%s: on %q, want %q", c.command, node, c.node)
		}
		calls := invocations(c.command)
		if got := strings.Join(calls[0], " "); got != c.tool {
			t.Errorf("%s: %q, want %q", c.command, got, c.tool)
		}
	}
	f := &File{Path: "p", Text: "$ docker exec -it kind-worker bash\nroot@kind-worker:/# crictl pods\nPOD ID\n", FirstLine: 1}
	for _, block := range transcriptBlocks(f) {
		if block.Node != "kind-worker" {
			t.Errorf("%q on %q", block.Command, block.Node)
		}
	}
}
