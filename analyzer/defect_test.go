package analyzer

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func defectByID(t *testing.T, id string) *Defect {
	t.Helper()
	defects, err := Defects()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		if d.ID == id {
			return d
		}
	}
	t.Fatalf("no defect %s", id)
	return nil
}

func TestAffectedVersions(t *testing.T) {
	for _, c := range []struct {
		defect, version string
		want            whether
		fixed           string
	}{
		{"kubelet-restart-forgets-pod", "v1.21.14", spared, "1.27.0"},
		{"kubelet-restart-forgets-pod", "v1.22.0", affected, "1.27.0"},
		{"kubelet-restart-forgets-pod", "v1.24.9-gke.1", affected, "1.27.0"},
		{"kubelet-restart-forgets-pod", "v1.27.0", spared, "1.27.0"},
		{"kubelet-restart-forgets-pod", "", notTold, "1.27.0"},
		{"kubelet-umount-not-mounted", "v1.20.4", affected, "1.25.14"},
		{"kubelet-umount-not-mounted", "v1.25.14", spared, "1.25.14"},
		{"kubelet-umount-not-mounted", "v1.26.3", affected, "1.26.9"},
		{"kubelet-umount-not-mounted", "v1.26.9", spared, "1.26.9"},
		// Late patches of 1.18 and 1.19 have the repair; which, no source tells.
		{"kubelet-http2-dead-connection", "v1.17.3", affected, "1.20.0"},
		{"kubelet-http2-dead-connection", "v1.18.20", notTold, "1.20.0"},
		{"kubelet-http2-dead-connection", "v1.19.2", affected, "1.20.0"},
		{"kubelet-http2-dead-connection", "v1.20.0", spared, "1.20.0"},
		{"kernel-epoll-lost-wakeup", "5.4.0-131-generic", spared, "5.4.0-135"},
		{"kernel-epoll-lost-wakeup", "5.4.0-132-generic", affected, "5.4.0-135"},
		{"kernel-epoll-lost-wakeup", "5.4.0-135-generic", spared, "5.4.0-135"},
		{"kernel-epoll-lost-wakeup", "5.4.219", spared, "5.4.0-135"},
		{"kernel-io-uring-hang", "6.1.115-126.197.amzn2023.aarch64", affected, ""},
		{"kernel-io-uring-hang", "6.1.130-139.222.amzn2023.x86_64", notTold, ""},
		{"kernel-io-uring-hang", "5.15.0-105-generic", spared, ""},
		{"kernel-el7-detach-mounts", "3.10.0-1160.el7.x86_64", affected, "3.15.0"},
		{"kernel-el7-detach-mounts", "3.10.0-327.36.3.el6.x86_64", spared, "3.15.0"},
		{"containerd-restart-loses-exit", "1.7.29", notTold, ""},
		{"crio-stop-lock-after-kubelet-restart", "1.33.8", affected, ""},
		{"crio-stop-lock-after-kubelet-restart", "1.28.1", spared, ""},
	} {
		got, fixed := defectByID(t, c.defect).affects(c.version)
		if got != c.want || fixed != c.fixed {
			t.Errorf("%s with %q: %d, fixed in %q, want %d, %q", c.defect, c.version, got, fixed, c.want, c.fixed)
		}
	}
}

// A defect that a cause asks for must belong to it, and the other way round.
func TestDefectsThatProve(t *testing.T) {
	defects, err := Defects()
	if err != nil {
		t.Fatal(err)
	}
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	if len(defects) < 20 {
		t.Errorf("%d defects", len(defects))
	}
	for _, d := range defects {
		asked := false
		for _, c := range causes {
			for _, cl := range c.clauses() {
				if slices.Contains(cl.Any, defectWord+d.ID) {
					asked = true
					if !slices.Contains(d.Causes, c.ID) {
						t.Errorf("%s asks for %s, which is not of it", c.ID, d.ID)
					}
				}
			}
		}
		if asked != d.Proves {
			t.Errorf("%s: asked for %v, proves %v", d.ID, asked, d.Proves)
		}
		for _, l := range d.Links {
			if !strings.HasPrefix(l, "https://") {
				t.Errorf("%s: link %s", d.ID, l)
			}
		}
	}
}

func TestDefectFilesAreStrict(t *testing.T) {
	const good = `id: x
component: kubelet
name: kubernetes#1
title: it hangs
affected: [{ introduced: 1.22.0, fixed: 1.23.0 }]
condition: { all: [{ any: [pod-overdue] }] }
causes: [kubelet-defect]
links: [https://example.com/1]
source: the issue
`
	load := func(text string) error {
		_, err := readEach(fstest.MapFS{"x.yaml": {Data: []byte(text)}}, "defects", (*Defect).check)
		return err
	}
	if err := load(good); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, bad, want string }{
		{"id: x", "id: y", "is not the file's name"},
		{"component: kubelet", "component: kublet", "not known"},
		{"source: the issue", "", "no link or no source"},
		{"source: the issue", "sources: the issue", "sources"},
		{"fixed: 1.23.0", "fixed: 1.21.0", "out of order"},
		{"fixed: 1.23.0", "fixed: soon", "cannot be read"},
		{"fixed: 1.23.0", "fixed: 1.23.0, last: 1.22.4", "both"},
		{"any: [pod-overdue]", "any: []", "asks for nothing"},
		{"[kubelet-defect]", "[no-cause]", "not known"},
	} {
		err := load(strings.Replace(good, c.old, c.bad, 1))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.bad, err, c.want)
		}
	}
}
