package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every command is run by a script, and so is every flag of it; docs/cli.md has
// the help of all.
func TestEveryFlagHasAScript(t *testing.T) {
	c := &cli{engine: newEngine()}
	root := c.root()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	used := usedInScripts(t, root)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if !used[path] {
			t.Errorf("no script in testdata/script runs %s", path)
		}
		cmd.InitDefaultHelpFlag()
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" && !used[path+" --"+f.Name] {
				t.Errorf("no script in testdata/script runs %s with --%s", path, f.Name)
			}
		})
		if cmd.Name() == "completion" {
			return // below it is cobra's own, one for each shell: completion.txtar
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// usedInScripts is the commands that scripts run, "podautopsy signatures", and
// the flags that they give them, "podautopsy signatures --cause".
func usedInScripts(t *testing.T, root *cobra.Command) map[string]bool {
	t.Helper()
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	used := map[string]bool{}
	for _, script := range scripts {
		data, err := os.ReadFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(txtar.Parse(data).Comment)) {
			words := strings.Fields(strings.TrimLeft(line, "!? "))
			if len(words) < 2 || words[0] != "exec" {
				continue
			}
			switch words[1] {
			case "podautopsy", "on-document", "kubectl-podautopsy":
			default:
				continue
			}
			words = words[2:]
			cmd := root
			for len(words) > 0 {
				sub := child(cmd, words[0])
				if sub == nil {
					break
				}
				cmd, words = sub, words[1:]
			}
			path := cmd.CommandPath()
			used[path] = true
			for _, w := range words {
				name, _, _ := strings.Cut(strings.TrimLeft(w, "-"), "=")
				switch {
				case strings.HasPrefix(w, "--"):
					used[path+" --"+name] = true
				case strings.HasPrefix(w, "-") && name != "":
					if f := cmd.Flags().ShorthandLookup(name[:1]); f != nil {
						used[path+" --"+f.Name] = true
					} else if name == "h" {
						used[path+" --help"] = true
					}
				}
			}
		}
	}
	return used
}

func child(cmd *cobra.Command, name string) *cobra.Command {
	for _, sub := range cmd.Commands() {
		if sub.Name() == name {
			return sub
		}
	}
	return nil
}
