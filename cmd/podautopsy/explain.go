package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"podautopsy/analyzer"
)

func (c *cli) explain() *cobra.Command {
	var dirs []string
	cmd := &cobra.Command{
		Use:   "explain [CAUSE|SIGNATURE]",
		Short: "what a cause or a signature means, its proof, the safe way out",
		Long: `Explains a cause that reports name, or a signature that evidence is known by.
Without an argument it lists the causes; podautopsy signatures lists the others.`,
		Example: `  podautopsy explain
  podautopsy explain finalizer-held
  podautopsy explain kubelet-umount-target-busy`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("%s takes one CAUSE or SIGNATURE", cmd.CommandPath())
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			causes, err := c.engine.causes()
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			catalogue, err := c.engine.signatures(dirs)
			if err != nil {
				return nil, cobra.ShellCompDirectiveError
			}
			return append(causeIDs(causes), signatureIDs(catalogue)...), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			causes, err := c.engine.causes()
			if err != nil {
				return err
			}
			catalogue, err := c.engine.signatures(dirs)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return c.say(listCauses(causes))
			}
			id := args[0]
			if i := slices.IndexFunc(causes, func(k *analyzer.Cause) bool { return k.ID == id }); i >= 0 {
				defects, err := c.engine.defects()
				if err != nil {
					return err
				}
				return c.say(explainCause(causes[i], defects))
			}
			if s := catalogue.Lookup(id); s != nil {
				return c.say(explainSignature(s, causes))
			}
			return nothingToExplain(id, append(causeIDs(causes), signatureIDs(catalogue)...))
		},
	}
	addSignatures(cmd.Flags(), &dirs)
	return cmd
}

func nothingToExplain(id string, known []string) error {
	err := usagef("no cause or signature %q", id)
	if near := nearest(id, known); near != "" {
		return hint(err, "did you mean %s?", near)
	}
	return hint(err, "podautopsy explain lists the causes, podautopsy signatures the signatures")
}

func signatureIDs(catalogue *analyzer.Catalogue) []string {
	var ids []string
	for _, s := range catalogue.Signatures {
		ids = append(ids, s.ID)
	}
	return ids
}

func causeIDs(causes []*analyzer.Cause) []string {
	var ids []string
	for _, k := range causes {
		ids = append(ids, k.ID)
	}
	return ids
}

func listCauses(causes []*analyzer.Cause) string {
	longest := 0
	for _, k := range causes {
		longest = max(longest, len(k.ID))
	}
	var b strings.Builder
	for _, k := range causes {
		b.WriteString(item(fmt.Sprintf("%-*s  ", longest, k.ID), k.Title))
	}
	return b.String()
}

const explainWidth = 80

// explainCause is a page on one cause.
func explainCause(k *analyzer.Cause, defects []*analyzer.Defect) string {
	var b strings.Builder
	b.WriteString(item("", k.ID+": "+k.Title) + "\n")
	b.WriteString(wrapped("", k.Explain))
	fmt.Fprintf(&b, "\nHolds the stage %s.\n", k.Stage)
	if len(k.Explains) > 0 {
		b.WriteString(wrapped("", "Brings about: "+strings.Join(k.Explains, ", ")))
	}
	if k.LookAlikes != "" {
		b.WriteString("\nNot to be mistaken for\n" + wrapped("  ", k.LookAlikes))
	}
	if len(k.Proof) > 0 {
		b.WriteString("\nProved by\n")
		for _, p := range k.Proof {
			b.WriteString(item("  - ", p.Because+" ("+p.Confidence+")"))
		}
	}
	if len(k.Remedies) > 0 {
		b.WriteString("\nSafe way out, in this order\n")
		for i, r := range k.Remedies {
			step := "changes " + r.Changes
			if r.Changes == "nothing" {
				step = "read"
			}
			b.WriteString(item(fmt.Sprintf("  %d. ", i+1), "["+step+"] "+r.Step))
			if r.Precondition != "" {
				b.WriteString(item("     first: ", r.Precondition))
			}
			for line := range strings.Lines(r.Command) {
				b.WriteString("     $ " + strings.TrimRight(line, "\n") + "\n")
			}
		}
	}
	list := func(title string, items []string) {
		if len(items) > 0 {
			b.WriteString("\n" + title + "\n")
		}
		for _, s := range items {
			b.WriteString(item("  - ", s))
		}
	}
	list("Never", k.Never)
	list("Prevention", k.PreventedBy())
	if k.RefutedBy != "" {
		list("Would prove it wrong", []string{k.RefutedBy})
	}
	list("Known defects behind it", knownDefects(k.ID, defects))
	return b.String()
}

// knownDefects lists those that may be behind a cause.
func knownDefects(cause string, defects []*analyzer.Defect) []string {
	var list []string
	for _, d := range defects {
		if !slices.Contains(d.Causes, cause) {
			continue
		}
		s := d.Name + " (" + d.Component + "): " + d.Title
		if fixed := d.Repaired(); fixed != "" {
			s += "; fixed in " + fixed
		}
		list = append(list, s+"; "+d.Links[0])
	}
	return list
}

// wrapped fits paragraphs to the width; an empty line parts them.
func wrapped(indent, text string) string {
	var b strings.Builder
	for i, p := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(item(indent, p))
	}
	return b.String()
}

// item wraps text behind a lead-in, under which later lines are indented.
func item(lead, text string) string {
	text = ansi.Wordwrap(strings.Join(strings.Fields(text), " "), explainWidth-len(lead), "")
	return lead + strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", len(lead))) + "\n"
}
