package analyzer

import (
	"slices"
	"testing"
	"time"

	"podautopsy/timeline"
)

// on is an inquest on a pod of a node, without evidence.
func on(n *node) *inquest {
	s := &scene{tl: &timeline.Timeline{}, nodes: map[string]*node{}}
	s.book = newBook(s.tl)
	return &inquest{s: s, kind: "Pod", node: n, pod: &pod{object: &timeline.Object{}}, byIndex: map[string]*signal{}, nameOf: map[string]string{}}
}

func (q *inquest) sees(id string, polarity Polarity, sc scope, count int, text string, stages ...string) *signal {
	sg := &signal{id: id, polarity: polarity, strength: Decisive, proven: true, scope: sc, count: count, text: text, stages: stages, keys: map[string]string{}}
	q.signals = append(q.signals, sg)
	return sg
}

func TestRecognizeAsksTheVersion(t *testing.T) {
	for _, c := range []struct{ kubelet, want string }{
		{"v1.24.9", "known defect kubernetes#116954, fixed in 1.27.0"},
		{"", "perhaps the known defect kubernetes#116954, fixed in 1.27.0"},
		{"v1.27.3", ""},
		{"v1.20.10", ""},
	} {
		q := on(&node{name: "n", kubelet: c.kubelet})
		q.sees("pod-kubelet-not-confirmed", Context, scopeSubject, 1, "")
		q.sees("kubelet-restarted", Context, scopeNode, 1, "")
		q.sees("kubelet-silent-on-pod", Context, scopeSubject, 1, "")
		k, ok := q.recognize(defectByID(t, "kubelet-restart-forgets-pod"))
		got := ""
		if ok {
			got = k.String()
		}
		if got != c.want {
			t.Errorf("kubelet %q: %q, want %q", c.kubelet, got, c.want)
		}
		// A volume that is not unmounted is what holds it then.
		q.sees("kubelet-teardown-failed", Failure, scopeSubject, 3, "", StageVolumes)
		if _, ok := q.recognize(defectByID(t, "kubelet-restart-forgets-pod")); ok {
			t.Errorf("kubelet %q: recognised though a volume fails", c.kubelet)
		}
	}
}

func TestRecognizeByVersionAlone(t *testing.T) {
	d := defectByID(t, "kernel-epoll-lost-wakeup")
	for kernel, want := range map[string]bool{"5.4.0-132-generic": true, "5.4.0-131-generic": false, "": false, "5.15.0-105-generic": false} {
		q := on(&node{name: "n", kernel: kernel})
		q.sees("containerd-kill-rpc-failed", Failure, scopeSubject, 2, "", StageContainers)
		if _, ok := q.recognize(d); ok != want {
			t.Errorf("kernel %q: %v, want %v", kernel, ok, want)
		}
	}
}

// Without the version a defect that needs it makes its cause one less sure.
func TestDefectProofWithoutVersion(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(causes, func(c *Cause) bool { return c.ID == "kubelet-defect" })
	for kubelet, want := range map[string]string{"v1.24.9": High, "": Medium} {
		q := on(&node{name: "n", kubelet: kubelet, logs: map[string]*logSpan{}})
		q.s.defects, err = Defects()
		if err != nil {
			t.Fatal(err)
		}
		q.sees("pod-kubelet-not-confirmed", Context, scopeSubject, 1, "").last = time.Unix(1, 0)
		q.sees("kubelet-restarted", Context, scopeNode, 1, "")
		q.sees("kubelet-silent-on-pod", Context, scopeSubject, 1, "")
		q.lookAtDefects()
		q.reconstruct()
		if c := q.try(causes[i], &causes[i].Proof[0]); c == nil || c.confidence != want {
			t.Errorf("kubelet %q: %+v, want confidence %s", kubelet, c, want)
		}
	}
}

func TestVersionIsCited(t *testing.T) {
	n := &node{name: "n", runtime: "containerd 1.6.20", kernel: "5.4.0-132-generic"}
	q := on(n)
	q.s.tl.Versions = []timeline.NodeVersion{{What: "containerd", Version: "1.6.20", Fact: timeline.Fact{Node: "n", Source: timeline.Source{File: "versions.txt", Line: 3}, Text: "containerd 1.6.20"}}}
	if v, refs := q.versionOf(componentContainerd); v != "1.6.20" || len(refs) != 1 {
		t.Errorf("containerd %q, %d places", v, len(refs))
	}
	if v, _ := q.versionOf(componentDocker); v != "" {
		t.Errorf("docker %q on a node that runs containerd", v)
	}
	if v, _ := on(nil).versionOf(componentKernel); v != "" {
		t.Errorf("kernel %q of no node", v)
	}
}
