package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podautopsy/analyzer"
)

// Incidents of known defects name them, and where the repair is.
func TestKnownDefects(t *testing.T) {
	const cases = "../../../shared/cases"
	if _, err := os.Stat(cases); err != nil {
		t.Skip("needs ../shared/cases")
	}
	for pattern, want := range map[string]string{
		"*-kubelet-restart-mid-teardown":          "known defect kubernetes#116954, fixed in 1.27.0",
		"*-epoll-kernel-shim-timeouts":            "fixed in 5.4.0-135",
		"*-io-uring-kernel-regression":            "known defect amazon-eks-ami#2070, no fixed version known",
		"*-pod-worker-exit-no-such-container":     "perhaps the known defect kubernetes#106711, fixed in 1.22.0",
		"*-prestop-hang-doubles-grace":            "kubernetes#115817, fixed in 1.28.0",
		"*-containerd-restart-loses-exit":         "known defect containerd#12600",
		"*-decoy-crashloop-liveness-killing":      "",
		"*-pvc-protection-completed-pods":         "",
		"*-nfs-directory-removed-before-unmount":  "",
		"*-subpath-symlinked-kubelet-dir":         "kubernetes#68740, fixed in 1.13.0",
		"*-netns-busy-host-run-mount":             "fs.may_detach_mounts",
		"*-calico-csi-files-missing-after-reboot": "calico#9279",
	} {
		dirs, err := filepath.Glob(filepath.Join(cases, pattern, "input"))
		if err != nil || len(dirs) != 1 {
			t.Errorf("%s: %v, %v", pattern, dirs, err)
			continue
		}
		var stdout, stderr bytes.Buffer
		c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
		if code := c.run(context.Background(), []string{"analyze", dirs[0], "-o", "json"}); code != 0 {
			t.Errorf("%s: exit code %d: %s", pattern, code, stderr.String())
			continue
		}
		var doc analyzer.Document
		if err := json.Unmarshal(stdout.Bytes(), &doc); err != nil {
			t.Errorf("%s: %v", pattern, err)
			continue
		}
		got := ""
		for i := range doc.Subjects {
			if s := doc.Subjects[i].Subcause; s != nil && strings.Contains(*s, "known defect") {
				got += *s
			}
		}
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}
