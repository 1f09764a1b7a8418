package main

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// completionPatience is how long a shell that asks for names is kept waiting;
// what has been read by then is offered.
const completionPatience = 3 * time.Second

// shellWord is a name that Kubernetes would have accepted: a bundle's other
// names do not reach a shell.
var shellWord = regexp.MustCompile(`^[a-z0-9][a-z0-9./-]*$`)

// completeBundle offers the pods and namespaces of the bundle that stands on
// the command line.
func (c *cli) completeBundle(cmd *cobra.Command, f *flags) {
	// The only error is an unknown flag: nothing then to complete.
	_ = cmd.RegisterFlagCompletionFunc("pod", func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return podWords(c.podsAt(cmd.Context(), f, args), f.namespace, word), cobra.ShellCompDirectiveNoFileComp
	})
	_ = cmd.RegisterFlagCompletionFunc("namespace", func(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
		return namespaceWords(c.podsAt(cmd.Context(), f, args), word), cobra.ShellCompDirectiveNoFileComp
	})
}

// podsAt names the pods of a bundle, as far as it is read in time.
func (c *cli) podsAt(ctx context.Context, f *flags, paths []string) []string {
	if len(paths) == 0 || slices.Contains(paths, "-") {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, completionPatience)
	defer cancel()
	tl, err := c.engine.read(ctx, bundle{paths: paths, stdin: c.stdin, limits: f.limits, parsers: f.parsers()})
	if tl == nil || err != nil && ctx.Err() == nil {
		return nil // a shell can show no error
	}
	return slices.DeleteFunc(podNames(podsIn(tl)), func(name string) bool { return !shellWord.MatchString(name) })
}

// podWords is what could become of a word: names with their namespace, and
// without where one has been typed or is asked for.
func podWords(names []string, namespace, word string) []string {
	var words []string
	for _, name := range names {
		ns, bare, ok := strings.Cut(name, "/")
		if !ok {
			ns, bare = "", name
		}
		if namespace != "" && ns != namespace {
			continue
		}
		if namespace == "" && strings.HasPrefix(name, word) {
			words = append(words, name)
		} else if word != "" || namespace != "" {
			if strings.HasPrefix(bare, word) {
				words = append(words, bare)
			}
		}
	}
	return words
}

func namespaceWords(names []string, word string) []string {
	var words []string
	for _, name := range names {
		if ns, _, ok := strings.Cut(name, "/"); ok && strings.HasPrefix(ns, word) {
			words = append(words, ns)
		}
	}
	slices.Sort(words)
	return slices.Compact(words)
}
