package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"podautopsy/analyzer"
)

func (c *cli) signaturesTest() *cobra.Command {
	return &cobra.Command{
		Use:   "test DIR...",
		Short: "check signature files of your own",
		Long: `Checks the *.yaml of a folder as --signatures would read them, and tells every
mistake with its file and line: fields, stages, causes and names of groups are
known, ids are unique also against the built-in ones, every pattern compiles,
fits each of its yes lines and none of its no lines.

A file is a list of signatures:

  - id: acme-detach-refused
    component: [acme-csi]          # whose lines; the program's name in the log
    stage: volumes-unmounted       # podautopsy signatures shows the stages
    polarity: failure              # failure, success, context or noise
    strength: decisive             # decisive, supporting or weak
    literals: ['acme: refusing ']  # one must be in the line
    match: 'acme: refusing to detach (?P<volume>\S+)'
    suggests: [csi-unpublish]      # podautopsy explain lists the causes
    meaning: The driver keeps the volume.
    yes: ['acme: refusing to detach pvc-1']
    no: ['acme: detached pvc-1']

Signatures of your own count as unproven: by them alone no verdict has more than
medium confidence.`,
		Example: `  podautopsy signatures test rules/`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("%s needs the DIR of the signatures", cmd.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, dirs []string) error {
			catalogue, err := analyzer.BuiltinSignatures()
			if err != nil {
				return err
			}
			builtin, wrong := catalogue.Count(), 0
			for _, dir := range dirs {
				extended, err := extend(catalogue, dir)
				var mistakes analyzer.Mistakes
				switch {
				case errors.As(err, &mistakes):
					wrong += len(mistakes)
					for _, m := range mistakes {
						if err := c.say(visibleLine(m.String()) + "\n"); err != nil {
							return err
						}
					}
				case err != nil:
					return err
				default:
					catalogue = extended
				}
			}
			if wrong > 0 {
				return fmt.Errorf("%s in signatures", count(wrong, "mistake"))
			}
			return c.say(count(catalogue.Count()-builtin, "signature") + ", no mistakes\n")
		},
	}
}
