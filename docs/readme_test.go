package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// README names the Go that go.mod names, and every target that it tells to make.
func TestReadmeTellsWhatIsNeeded(t *testing.T) {
	read := func(file string) string {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	readme, makefile := read("../README.md"), read("../Makefile")
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(read("../go.mod"))
	if version == nil || !strings.Contains(readme, "Go must be "+version[1]+" or later") {
		t.Errorf("README does not say that Go must be %v", version)
	}
	for _, m := range regexp.MustCompile(`(?m)^    make ([a-z-]+)`).FindAllStringSubmatch(readme, -1) {
		if !strings.Contains(makefile, "\n"+m[1]+":") {
			t.Errorf("README says make %s, and there is no such target", m[1])
		}
	}
}

// Links between documents lead somewhere.
func TestLinks(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	more, err := filepath.Glob("../*.md")
	if err != nil || len(files) == 0 || len(more) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	for _, file := range append(files, more...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			target, _, _ := strings.Cut(m[1], "#")
			if target == "" || strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s: %v", file, m[1], err)
			}
		}
	}
}
