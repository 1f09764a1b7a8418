package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The commands of the tutorial say what it shows. They run in a shell, in a
// folder that holds the bundle.
func TestTutorialDocs(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "bundle"), os.DirFS("../../fixtures/mount-busy/input")); err != nil {
		t.Fatal(err)
	}
	const file = "../../docs/tutorial.md"
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```console\n(.*?)```")
	ran := 0
	now := blocks.ReplaceAllStringFunc(string(stored), func(block string) string {
		var out strings.Builder
		for line := range strings.Lines(blocks.FindStringSubmatch(block)[1]) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			ran++
			run := exec.CommandContext(t.Context(), bash, "-c", command)
			run.Dir = dir
			run.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME=")
			var stdout, stderr bytes.Buffer
			run.Stdout, run.Stderr = &stdout, &stderr
			if err := run.Run(); err != nil || stderr.Len() > 0 {
				t.Errorf("%s: %v %s", command, err, stderr.String())
			}
			out.WriteString(line + stdout.String())
		}
		return "```console\n" + out.String() + "```"
	})
	if ran == 0 {
		t.Fatal("no commands")
	}
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: documents are reviewed")
		}
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(stored), now); diff != "" {
		t.Errorf("docs/tutorial.md is stale: run make golden (-stored +now):\n%s", diff)
	}
}
