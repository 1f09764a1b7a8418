package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The format that CONTRIBUTING.md writes step by step builds, is listed, and
// passes the tests that it names. It is laid over the code without being
// written there.
func TestFormatRecipe(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the parsers")
	}
	data, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	repository, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	laid := map[string]string{}
	lay := func(file, text string) {
		to := filepath.Join(dir, filepath.Base(file))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		laid[filepath.Join(repository, file)] = to
	}
	for _, m := range regexp.MustCompile("(?s)\n   ```go (\\S+)\n(.*?)   ```\n").FindAllStringSubmatch(string(data), -1) {
		lay(m[1], strings.ReplaceAll("\n"+m[2], "\n   ", "\n"))
	}
	if len(laid) != 2 {
		t.Fatalf("%d files are shown, want the format and its test", len(laid))
	}
	list, err := os.ReadFile("../parsers/read.go")
	if err != nil {
		t.Fatal(err)
	}
	const first = "return []Parser{\n"
	if !strings.Contains(string(list), first) {
		t.Fatal("parsers.All is written otherwise")
	}
	lay("parsers/read.go", strings.Replace(string(list), first, first+"\t\tpgrepParser,\n", 1))
	overlay, err := json.Marshal(map[string]any{"Replace": laid})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	tests := exec.CommandContext(t.Context(), "go", "test", "-overlay", filepath.Join(dir, "overlay.json"), "./parsers", "-run", "Pgrep", "-v")
	tests.Dir = repository
	out, err := tests.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestPgrep") || !strings.Contains(string(out), "--- PASS: FuzzPgrep") {
		t.Errorf("the recipe for a format does not work: %v\n%s", err, out)
	}
}
