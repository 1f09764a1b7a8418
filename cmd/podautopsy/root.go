package main

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// cli is the process as the commands see it.
type cli struct {
	name           string // as it was called: that of a plugin of kubectl may differ
	stdin          io.Reader
	stdout, stderr io.Writer
	env            func(string) string
	now            func() time.Time // for what a run spends its time on; nil: nothing is measured
	engine         engine
}

// run executes one command line and returns the exit code.
func (c *cli) run(ctx context.Context, args []string) int {
	root := c.root()
	root.SetArgs(c.pluginArguments(args))
	root.SetIn(c.stdin)
	root.SetOut(c.stdout)
	root.SetErr(c.stderr)
	return c.exit(root.ExecuteContext(ctx))
}

const about = `podautopsy tells from a support bundle why a Kubernetes pod is stuck in
Terminating: which step of the deletion is held, by what, with the log lines
that prove it, and the safe way out. It works offline: it opens no connection,
runs no program and changes nothing.`

// helpTemplate shows examples first.
const helpTemplate = `{{with or .Long .Short}}{{. | trimTrailingWhitespaces}}

{{end}}{{if .HasExample}}Examples:
{{.Example | trimTrailingWhitespaces}}

{{end}}{{if .Runnable}}Usage:
{{if .HasAvailableSubCommands}}  {{.CommandPath}} COMMAND{{else}}  {{.UseLine}}{{end}}
{{end}}{{if .HasAvailableSubCommands}}
Commands:
{{range .Commands}}{{if .IsAvailableCommand}}  {{rpad .Name .NamePadding}} {{.Short}}
{{end}}{{end}}{{end}}{{if and .Runnable .HasAvailableLocalFlags}}
Flags:
{{.LocalFlags.FlagUsagesWrapped 80 | trimTrailingWhitespaces}}
{{end}}{{if .HasAvailableSubCommands}}
Exit codes:
  0    the analysis ran, whatever it found
  1    it could not run: nothing readable, or an output not writable
  2    wrong usage, or a --pod that is unknown or ambiguous
  3    found what --fail-on names
  4    --strict, and a verdict is inconclusive for want of evidence
  5    a check failed: of verify, or of redact and extract on their own output
  130  interrupted; partial reports are kept and marked
{{end}}{{if .HasHelpSubCommands}}
More help:
{{range .Commands}}{{if .IsAdditionalHelpTopicCommand}}  {{$.CommandPath}} help {{rpad .Name .NamePadding}} {{.Short}}
{{end}}{{end}}{{end}}`

func (c *cli) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "podautopsy",
		Short: "tells why a pod is stuck in Terminating",
		Long:  about,
		Example: `  podautopsy analyze bundle.tar.xz
  podautopsy analyze cluster/ node-journal.txt --pod shop/cart-0
  podautopsy analyze bundle/ -o text -o markdown=ticket.md -o json=report.json
  podautopsy timeline bundle/ --pod cart-0 --since 10m
  podautopsy inventory bundle/
  podautopsy checklist bundle/
  podautopsy convert report.json -o html=report.html
  podautopsy verify report.json --bundle bundle/
  podautopsy redact bundle.tar.xz --out redacted/
  podautopsy explain mount-busy`,
		SuggestionsMinimumDistance: 2,

		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return unknownCommand(cmd, args[0])
		},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return c.configure(cmd) },
		Version:           version(),
	}
	root.Flags().Bool("version", false, "print the version")
	root.SetVersionTemplate("{{.DisplayName}} {{.Version}}\n")
	root.SetHelpTemplate(helpTemplate)
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		var text strings.Builder
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(c.stdout)
		// pflag notes the two values of every switch: noise, but the column
		// that follows is aligned to it.
		const values = "[=true|false]"
		_, _ = io.WriteString(c.stdout, strings.ReplaceAll(text.String(), values, strings.Repeat(" ", len(values))))
	})
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(err, "%s --help lists the flags", cmd.CommandPath())
	})
	root.AddCommand(c.analyze(), c.timeline(), c.checklist(), c.inventory(), c.convert(), c.verify(), c.redact(), c.extract(), c.collect(), c.diff(), c.summarize(), c.journal(), c.explain(), c.signatures(), c.versionCommand(), configTopic())
	root.SetHelpCommand(helpCommand())
	c.asPlugin(root)
	return root
}

// unknownCommand names the command that may have been meant; a path is a
// bundle that wants analyze.
func unknownCommand(root *cobra.Command, arg string) error {
	err := usagef("no command %q", arg)
	if near := root.SuggestionsFor(arg); len(near) > 0 {
		return hint(err, "did you mean %s?", strings.Join(near, " or "))
	}
	if _, statErr := os.Stat(arg); statErr == nil {
		return hint(err, "to examine a bundle: podautopsy analyze %s", arg)
	}
	return hint(err, "podautopsy --help lists the commands")
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "show the help of a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			target, rest, err := cmd.Root().Find(args)
			if err == nil && target == cmd.Root() && len(rest) > 0 {
				return unknownCommand(cmd.Root(), rest[0])
			}
			if err != nil {
				return usage(err, "podautopsy --help lists the commands")
			}
			target.InitDefaultHelpFlag()
			return target.Help()
		},
	}
}

// paths demands at least one PATH.
func paths(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return hint(usagef("%s needs the PATH of a bundle", cmd.CommandPath()), "a directory, a file, an archive, or - for standard input")
	}
	stdin := 0
	for _, a := range args {
		if a == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usagef("standard input (-) can be read once only")
	}
	return nil
}
