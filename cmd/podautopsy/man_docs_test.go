package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const manPages = "../../docs/man"

// Every command has a manual page, which is its help in the form of man. (Those
// of cobra/doc read a flag's usage as Markdown and print its zero value.)
func TestManDocs(t *testing.T) {
	c := &cli{engine: newEngine()}
	pages := map[string]string{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		pages[dashed(cmd)+".1"] = manPage(cmd)
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				walk(sub)
			}
		}
	}
	walk(c.root())
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: documents are reviewed")
		}
		if err := os.RemoveAll(manPages); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(manPages, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, page := range pages {
			if err := os.WriteFile(filepath.Join(manPages, name), []byte(page), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	stored, err := filepath.Glob(manPages + "/*.1")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stored {
		if _, ok := pages[filepath.Base(file)]; !ok {
			t.Errorf("%s: there is no such command: run make golden", file)
		}
	}
	for name, page := range pages {
		got, err := os.ReadFile(filepath.Join(manPages, name))
		if err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(string(got), page); diff != "" {
			t.Errorf("docs/man/%s is stale: run make golden (-stored +now):\n%s", name, diff)
		}
	}
}

func dashed(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manPage(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".\\\" Written by make golden from the program's own help.\n")
	fmt.Fprintf(&b, ".TH %s 1 \"\" podautopsy \"podautopsy Manual\"\n", strings.ToUpper(dashed(cmd)))
	b.WriteString(".SH NAME\n" + roff(dashed(cmd)) + ` \- ` + roff(cmd.Short) + "\n")
	b.WriteString(".SH SYNOPSIS\n")
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() && !cmd.HasParent() {
		use = "podautopsy COMMAND"
	}
	b.WriteString(".B " + roff(use) + "\n.SH DESCRIPTION\n")
	about := cmd.Long
	if about == "" {
		about = upperFirst(cmd.Short) + "."
	}
	b.WriteString(paragraphs(about))
	if cmd.Example != "" {
		b.WriteString(".SH EXAMPLES\n" + literal(cmd.Example))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString(".SH COMMANDS\n")
		for _, sub := range cmd.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(&b, ".TP\n.BR %s (1)\n%s\n", roff(dashed(sub)), roff(sub.Short))
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		b.WriteString(".SH OPTIONS\n")
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				b.WriteString(manOption(f))
			}
		})
	}
	if !cmd.HasParent() {
		b.WriteString(".SH EXIT STATUS\n" + literal(exitCodes()))
		b.WriteString(".SH ENVIRONMENT AND FILES\n" + paragraphs(aboutConfig))
		b.WriteString(".PP\n" + roff("NO_COLOR, TERM=dumb and a pipe turn colour off; CLICOLOR_FORCE and FORCE_COLOR turn it on. COLUMNS is the width of a terminal.") + "\n")
		return b.String()
	}
	b.WriteString(".SH SEE ALSO\n")
	for parent := cmd.Parent(); parent != nil; parent = parent.Parent() {
		fmt.Fprintf(&b, ".BR %s (1)\n", roff(dashed(parent)))
	}
	return b.String()
}

// manOption is a flag as man shows it: its names, what it takes, its default.
func manOption(f *pflag.Flag) string {
	value, usage := pflag.UnquoteUsage(f)
	names := "--" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", " + names
	}
	out := ".TP\n\\fB" + roff(names) + "\\fR"
	switch {
	case f.NoOptDefVal != "" && f.Value.Type() == "bool":
	case f.NoOptDefVal != "":
		out += "[=\\fI" + roff(value) + "\\fR]"
	case value != "":
		out += " \\fI" + roff(value) + "\\fR"
	}
	switch f.DefValue {
	case "", "0", "[]", "false":
	default:
		usage += " (default " + f.DefValue + ")"
	}
	return out + "\n" + roff(usage) + "\n"
}

// paragraphs are prose, in which what is indented stays as it is.
func paragraphs(text string) string {
	var b strings.Builder
	for _, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(p, " ") {
			b.WriteString(literal(p))
			continue
		}
		b.WriteString(".PP\n" + roff(p) + "\n")
	}
	return b.String()
}

func literal(text string) string {
	return ".PP\n.nf\n" + roff(text) + "\n.fi\n"
}

var leadingDot = regexp.MustCompile(`(?m)^([.'])`)

// roff writes text that the formatter takes for nothing else.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "~", `\(ti`, "^", `\(ha`, "`", `\(ga`).Replace(text)
	return leadingDot.ReplaceAllString(text, `\&$1`)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// exitCodes is what the help says of them.
func exitCodes() string {
	_, rest, _ := strings.Cut(helpTemplate, "Exit codes:\n")
	codes, _, _ := strings.Cut(rest, "\n{{")
	return codes
}
