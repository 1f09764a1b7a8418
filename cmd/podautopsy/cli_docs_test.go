package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

const cliIntro = "# On the command line\n\n" +
	"<!-- Written by `make golden` from the program's own help; changes here are lost. -->\n\n" +
	`Standard output is the report and nothing else; progress (on a terminal only), messages and hints go to
standard error. NO_COLOR, TERM=dumb and a pipe turn colour off, --color decides otherwise. Exit codes are
the same for every output format. testdata/script in cmd/podautopsy holds a script for every promise made
here.
`

// The document shows the help of every command as it is.
func TestCLIDocs(t *testing.T) {
	help := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
		if code := c.run(context.Background(), append(args, "--help")); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
		}
		for line := range strings.Lines(stdout.String()) {
			if width := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); width > 80 {
				t.Errorf("the help of podautopsy %s has a line of %d columns: %s", strings.Join(args, " "), width, line)
			}
		}
		return strings.TrimRight(stdout.String(), "\n")
	}
	var b strings.Builder
	b.WriteString(cliIntro)
	b.WriteString("\n## podautopsy\n\n```text\n" + help() + "\n```\n")
	c := &cli{engine: newEngine()}
	for _, cmd := range c.root().Commands() {
		if cmd.IsAvailableCommand() {
			b.WriteString("\n## podautopsy " + cmd.Name() + "\n\n```text\n" + help(cmd.Name()) + "\n```\n")
			if cmd.Name() == "completion" {
				continue // cobra's own, one for each shell
			}
			for _, sub := range cmd.Commands() {
				b.WriteString("\n### podautopsy " + cmd.Name() + " " + sub.Name() + "\n\n```text\n" + help(cmd.Name(), sub.Name()) + "\n```\n")
			}
		}
	}
	for _, topic := range c.root().Commands() {
		if topic.IsAdditionalHelpTopicCommand() {
			b.WriteString("\n## " + topic.Name() + "\n\n```text\n" + help(topic.Name()) + "\n```\n")
		}
	}
	const file = "../../docs/cli.md"
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: documents are reviewed")
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(stored), b.String()); diff != "" {
		t.Errorf("docs/cli.md is stale: run make golden (-stored +now):\n%s", diff)
	}
}
