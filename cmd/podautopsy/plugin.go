package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
)

// Names that kubectl looks for in the path: a plugin, and what completes the
// words after it.
const (
	pluginPrefix = "kubectl-"
	pluginWords  = "kubectl_complete-podautopsy"
)

// calledAs is the name of the program's file.
func calledAs(arg0 string) string {
	return strings.TrimSuffix(filepath.Base(arg0), ".exe")
}

// pluginArguments turns kubectl's question for completions into the one that
// cobra answers.
func (c *cli) pluginArguments(args []string) []string {
	if c.name == pluginWords {
		return append([]string{cobra.ShellCompRequestCmd}, args...)
	}
	return args
}

var ownCommand = regexp.MustCompile(`(?:kubectl )?\bpodautopsy ([a-z]+\b|--[a-z]+)`)

// typed writes commands as the user of a plugin types them.
func (c *cli) typed(text string) string {
	if !strings.HasPrefix(c.name, pluginPrefix) {
		return text
	}
	return ownCommand.ReplaceAllString(text, "kubectl podautopsy $1")
}

// asPlugin makes the help speak of kubectl podautopsy, if that is what was
// typed.
func (c *cli) asPlugin(root *cobra.Command) {
	if !strings.HasPrefix(c.name, pluginPrefix) {
		return
	}
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl podautopsy"}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Example = c.typed(cmd.Example)
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(root)
}
