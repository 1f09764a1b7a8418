package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Of a log too large to be kept a pod that is asked for has all its lines, even
// if nothing is wrong with it and its name is short; and the report says that
// the log was skimmed.
func TestPodAskedForInLargeLog(t *testing.T) {
	dir := t.TempDir()
	pod := `{"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","name":"web-0","uid":"a74312cb-8cff-4e39-a7fd-b93849cb7e1d",` +
		`"creationTimestamp":"2026-11-30T07:00:00Z"},"spec":{"nodeName":"worker-1"},"status":{"phase":"Running"}}`
	var log bytes.Buffer
	for i := range 120_000 {
		at := fmt.Sprintf("2026-11-30T08:%02d:%02d+0000 worker-1 kubelet[161]: I1130 08:%02d:%02d.%06d     161 ", i/3000%60, i/50%60, i/3000%60, i/50%60, i%50)
		if i == 60_000 {
			fmt.Fprintf(&log, "%skuberuntime_container.go:779] \"Killing container with a grace period\" pod=\"shop/web-0\" podUID=\"a74312cb-8cff-4e39-a7fd-b93849cb7e1d\" containerName=\"app\" gracePeriod=30\n", at)
		}
		fmt.Fprintf(&log, "%skubelet.go:2425] \"SyncLoop (PLEG): event for pod\" pod=\"others/bystander-%d\"\n", at, i%97)
	}
	for name, data := range map[string][]byte{"pod.json": []byte(pod), "kubelet.log": log.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		var out, errs bytes.Buffer
		c := &cli{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) string { return "" }, engine: newEngine()}
		if code := c.run(context.Background(), append([]string{"analyze", dir}, args...)); code != 0 {
			t.Fatalf("code %d: %s", code, errs.String())
		}
		return out.String()
	}
	const killing = `Killing container with a grace period`
	if report := run("-o", "json", "--pod", "web-0"); !strings.Contains(report, killing) || !strings.Contains(report, `"skimmed": true`) {
		t.Errorf("asked for, the pod's line is cited: %v, the log is said to be skimmed: %v", strings.Contains(report, killing), strings.Contains(report, `"skimmed": true`))
	}
	if report := run(); !strings.Contains(report, "1 large log skimmed") {
		t.Errorf("the report does not say that the log was skimmed:\n%s", report)
	}
}
