package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

func (c *cli) collect() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "collect",
		Short: "print scripts that collect what an analysis wants; run nothing",
		Long: `Prints a script, spec or preset that collects what analyze wants, for you to
read and run. All of it only reads, ends in time, and never looks below the
mount of a volume; it takes no Secrets and no environment of containers. What
the scripts bring is one more bundle for analyze, with the commands, their exit
status and checksums in it.

collect --for REPORT.json says what that report lacked, by node; the commands
below print with --for only what brings that.`,
		Example: `  podautopsy collect cluster | sh
  podautopsy collect node | ssh worker-1 sudo sh
  podautopsy collect node --for report.json | ssh worker-1 sudo sh
  podautopsy collect --for report.json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return hint(usagef("%s has no command %q", cmd.CommandPath(), args[0]), "podautopsy collect --help lists them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" {
				return cmd.Help()
			}
			doc, err := c.reopen(from)
			if err != nil {
				return err
			}
			return c.say(sayLacked(doc, from))
		},
	}
	addFor(cmd.Flags(), &from)
	for _, what := range collectors {
		cmd.AddCommand(c.collector(what))
	}
	return cmd
}

func addFor(set *pflag.FlagSet, from *string) {
	set.StringVar(from, "for", "", "only what this `REPORT.json` lacked; - is standard input")
}

// collector is something to print that collects evidence.
type collector struct {
	name, short, long string
	text              string
	onNodes           bool // it can be for one node
	// only keeps what brings some kinds of evidence.
	only func(text string, wanted []string) (string, bool, error)
}

var collectors = []collector{
	{
		name: "cluster", short: "print a shell script that asks the API server", text: clusterScript, only: only,
		long: `Prints a shell script for anywhere with kubectl, oc or k3s: objects, events and
the logs of controllers, into one archive.`,
	},
	{
		name: "node", short: "print a shell script for a node", text: nodeScript, onNodes: true, only: only,
		long: `Prints a shell script for a node, to be run as root: logs, the state of the
runtime, processes, mounts and what pods may leave behind, into one archive. It
wants a POSIX shell (busybox will do) and knows kubelets under systemd, k3s,
RKE2, k0s and MicroK8s.`,
	},
	{
		name: "must-gather", short: "print a shell script for OpenShift", text: mustGatherScript, onNodes: true, only: only,
		long: `Prints a shell script that gathers with oc what a must-gather leaves out: the
namespaces and the journals of the nodes that have pods in deletion.`,
	},
	{
		name: "troubleshoot", short: "print a spec for Replicated's Troubleshoot", text: troubleshootSpec, onNodes: true, only: only,
		long: "Prints a SupportBundle for kubectl support-bundle.",
	},
	{
		name: "sos", short: "print a preset for sos report", text: sosPreset, onNodes: true, only: onlyPlugins,
		long: `Prints a preset for sos report, to be saved as /etc/sos/presets.d/podautopsy and
used with sos report --batch --preset podautopsy.`,
	},
}

func (c *cli) collector(what collector) *cobra.Command {
	var from, node string
	cmd := &cobra.Command{
		Use: what.name, Short: what.short, Long: what.long, Args: noArgs,
		Example: "  podautopsy collect " + what.name + "\n  podautopsy collect " + what.name + " --for report.json",
		RunE: func(*cobra.Command, []string) error {
			wanted, err := c.wantedFor(from, node)
			if err != nil {
				return err
			}
			text, some, err := what.only(what.text, wanted)
			switch {
			case err != nil:
				return err
			case !some:
				_, err = fmt.Fprintf(c.stderr, "podautopsy: %s lacks nothing that collect %s brings\n", from, what.name)
				return err
			}
			return c.say(text)
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	addFor(set, &from)
	if what.onNodes {
		set.StringVar(&node, "node", "", "with --for: only what it lacked of this `NODE`")
	}
	return cmd
}

// wantedFor is what a report lacked, of one node or of all; nil is everything.
func (c *cli) wantedFor(from, node string) ([]string, error) {
	if from == "" {
		if node != "" {
			return nil, usagef("--node is for --for: say on which report")
		}
		return nil, nil
	}
	doc, err := c.reopen(from)
	if err != nil {
		return nil, err
	}
	wanted := []string{}
	known := node == ""
	for _, l := range doc.Lacked() {
		if node != "" && l.Node != node && l.Node != "" {
			continue
		}
		known = known || l.Node == node
		wanted = append(wanted, l.Kinds...)
	}
	known = known || slices.ContainsFunc(doc.Bundle.Nodes, func(n analyzer.Node) bool { return n.Name == node })
	if !known {
		return nil, usagef("no node %q in %s", node, from)
	}
	return wanted, nil
}

// sayLacked says what a report lacked, and what brings it.
func sayLacked(doc *analyzer.Document, from string) string {
	lacked := doc.Lacked()
	if len(lacked) == 0 {
		return "the report lacks nothing that can be collected\n"
	}
	var b strings.Builder
	from = plainWord(from, "REPORT.json")
	for _, l := range lacked {
		where, how := "API server", "podautopsy collect cluster --for "+from+" | sh"
		if l.Node != "" {
			node := plainWord(l.Node, "NODE")
			where, how = "node "+l.Node, "podautopsy collect node --for "+from+" --node "+node+" | ssh "+node+" sudo sh"
		}
		fmt.Fprintf(&b, "%s lacks %s\n  %s\n", where, strings.Join(l.Kinds, "; "), how)
		if slices.Contains(l.Kinds, string(timeline.AuditLines)) {
			fmt.Fprintf(&b, "  podautopsy collect node --for %s | ssh CONTROL-PLANE sudo sh\n", from)
		}
	}
	return b.String()
}

// plainWord is a word that a shell takes as it stands, else what stands for it:
// a report may be anybody's.
func plainWord(word, otherwise string) string {
	plain := word != "" && word[0] != '-' && !strings.ContainsFunc(word, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._/", r))
	})
	if plain {
		return word
	}
	return otherwise
}
