package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each test that reliability.md names is there.
func TestReliabilityNamesTests(t *testing.T) {
	page, err := os.ReadFile("reliability.md")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range declared.FindAllSubmatch(source, -1) {
			have[string(m[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+)`").FindAllSubmatch(page, -1)
	if len(named) == 0 {
		t.Error("it names none")
	}
	for _, m := range named {
		if !have[string(m[1])] {
			t.Errorf("there is no %s", m[1])
		}
	}
}
