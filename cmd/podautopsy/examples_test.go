package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// What README and the help of each command show to type works as it is written,
// in a folder that has the bundles and reports that they name.
func TestExamplesWork(t *testing.T) {
	type example struct{ from, line string }
	var examples []example
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(readme)) {
		if command, ok := strings.CutPrefix(line, "    "); ok {
			examples = append(examples, example{"README.md", strings.TrimSpace(command)})
		}
	}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Example) {
			examples = append(examples, example{cmd.CommandPath() + " --help", strings.TrimSpace(line)})
		}
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	c := &cli{engine: newEngine()}
	walk(c.root())

	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]bool{}
	for _, x := range examples {
		for _, args := range commandLines(x.line) {
			line := strings.Join(args, " ")
			if ran[line] {
				continue
			}
			ran[line] = true
			t.Run(line, func(t *testing.T) {
				if !runExample(t, repository, args) {
					t.Errorf("%s shows a command that does not work", x.from)
				}
			})
		}
	}
	if len(ran) < 40 {
		t.Errorf("only %d examples were found", len(ran))
	}
}

var (
	comment      = regexp.MustCompile(`\s+#.*`)
	alternatives = regexp.MustCompile(`[a-z-]+(\|[a-z-]+)+`)
	settings     = regexp.MustCompile(`^([A-Z_]+=\S+ )+`)
)

// commandLines are the arguments of our program in a line for a shell: what
// others do with its output is left out, and a|b is one line for each.
func commandLines(line string) [][]string {
	line = comment.ReplaceAllString(line, "")
	if words := alternatives.FindString(line); words != "" {
		var all [][]string
		for word := range strings.SplitSeq(words, "|") {
			all = append(all, commandLines(strings.Replace(line, words, word, 1))...)
		}
		return all
	}
	for part := range strings.SplitSeq(line, " | ") {
		part = settings.ReplaceAllString(part, "")
		if args, ok := strings.CutPrefix(part, "podautopsy "); ok {
			args, _, _ = strings.Cut(args, " > ")
			return [][]string{strings.Fields(args)}
		}
	}
	return nil
}

// runExample runs a command line in a folder of its own.
func runExample(t *testing.T, repository string, args []string) bool {
	t.Helper()
	t.Chdir(exampleFolder(t, repository))
	input := "bundle/pods.yaml"
	if args[0] == "summarize" {
		input = "report.json"
	}
	stdin, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	if args[0] == "verify" && slices.Contains(args, "worker-1/") { // a report on two folders
		ours(t, nil, "analyze", "cluster", "worker-1", "-o", "json=report.json")
	}
	code, _ := ours(t, stdin, expanded(t, args)...)
	return code == 0 || code == exitFound
}

// ours runs our program; what it complains of is logged.
func ours(t *testing.T, stdin []byte, args ...string) (code int, stdout []byte) {
	t.Helper()
	var out, complaints bytes.Buffer
	c := &cli{stdin: bytes.NewReader(stdin), stdout: &out, stderr: &complaints, env: func(string) string { return "" }, engine: newEngine()}
	if code = c.run(context.Background(), args); code != 0 {
		t.Logf("exit code %d: %s", code, complaints.String())
	}
	return code, out.Bytes()
}

// expanded has the files that a shell finds for a pattern.
func expanded(t *testing.T, args []string) []string {
	t.Helper()
	var out []string
	for _, a := range args {
		files, err := filepath.Glob(a)
		if err != nil {
			t.Fatal(err)
		}
		if len(files) == 0 {
			files = []string{a}
		}
		out = append(out, files...)
	}
	return out
}

// exampleFolder has what examples name.
func exampleFolder(t *testing.T, repository string) string {
	t.Helper()
	dir := t.TempDir()
	put := func(name string, data []byte) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, bundle := range []string{"bundle/", "cluster/", "worker-1/", "after/", "bundle.tar.xz/", "sosreport.tar.xz/", "before.tar.gz/", "after.tar.gz/"} {
		put(bundle+"pods.yaml", []byte(examplePods))
	}
	journal, err := os.ReadFile(filepath.Join(repository, "parsers/testdata/worker.journal.xz"))
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"node/var/log/journal/", "bundle/", "bundle.tar.xz/", "sosreport.tar.xz/"} {
		put(folder+"worker.journal.xz", journal)
	}
	const line = "Nov 30 08:21:33 worker-1 kubelet[9]: I1130 08:21:33.000000       9 kubelet.go:1] \"Starting\"\n"
	put("node-journal.txt", []byte(line))
	put("journal.log", []byte(line))
	put("rules/mine.yaml", exampleSignature(t, repository))
	_, report := ours(t, nil, "analyze", filepath.Join(dir, "bundle"), "-o", "json")
	put("report.json", report)
	put("reports/report.json", report)
	return dir
}

// exampleSignature is the one that CONTRIBUTING shows to those who write their
// first.
func exampleSignature(t *testing.T, repository string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(repository, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "   ```yaml\n")
	block, _, found := strings.Cut(block, "   ```\n")
	if !found {
		t.Fatal("CONTRIBUTING.md shows no signature")
	}
	return []byte(strings.ReplaceAll("\n"+block, "\n   ", "\n"))
}

const examplePods = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    creationTimestamp: "2026-11-30T08:21:23Z"
    deletionGracePeriodSeconds: 0
    deletionTimestamp: "2026-11-30T08:21:33Z"
    finalizers:
    - lab.example.com/cleanup
    name: cart-0
    namespace: shop
    uid: a74312cb-8cff-4e39-a7fd-b93849cb7e1d
  spec:
    containers:
    - name: cart
      image: cart:1
    nodeName: worker-1
    terminationGracePeriodSeconds: 30
  status:
    phase: Running
    containerStatuses:
    - name: cart
      state:
        terminated:
          exitCode: 0
          finishedAt: "2026-11-30T08:21:33Z"
`
