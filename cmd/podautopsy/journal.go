package main

import (
	"bufio"
	"bytes"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"podautopsy/parsers"
	"podautopsy/timeline"
)

func (c *cli) journal() *cobra.Command {
	var f flags
	format := choice{value: "short", allowed: []string{"short", "export"}}
	cmd := &cobra.Command{
		Use:   "journal PATH...",
		Short: "print binary journals, whole or damaged, in one order",
		Long: `Prints the entries of all binary journal files of a bundle in journald's order,
each once: for machines without journalctl, and for files that it refuses. What
of a file is damaged is said on standard error.`,
		Example: `  podautopsy journal node/var/log/journal
  podautopsy journal bundle -o export | systemd-journal-remote -o all.journal -`,
		Args: paths,
		RunE: func(cmd *cobra.Command, args []string) error {
			journals, gaps, err := parsers.OpenJournals(cmd.Context(), args, c.stdin, f.limits.reading())
			if err != nil {
				return err
			}
			c.warn(gaps)
			var opened []*parsers.Journal
			for _, j := range journals {
				opened = append(opened, j.Journal)
				defer j.Close()
			}
			return parsers.WhileMapped(func() error { return c.printJournals(opened, format.value == "export") })
		},
	}
	set := cmd.Flags()
	set.SortFlags = false
	set.VarP(&format, "output", "o", "`FORMAT`: short (time, host, program, message) or export (every field, as journalctl -o export)")
	f.addLimits(set)
	completeWords(cmd, "output", format.allowed...)
	return cmd
}

// warn tells what could not be read.
func (c *cli) warn(gaps []timeline.Gap) {
	for _, g := range gaps {
		fmt.Fprintf(c.stderr, "podautopsy: %s: %s\n", visibleLine(g.Source.File), visibleLine(g.Detail))
	}
}

func (c *cli) printJournals(journals []*parsers.Journal, export bool) error {
	w := bufio.NewWriterSize(c.stdout, 256<<10)
	var b []byte
	for e := range parsers.MergeJournals(journals) {
		if export {
			b = e.AppendExport(b[:0])
		} else {
			b = appendShort(b[:0], e)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return w.Flush()
}

// appendShort writes an entry as journalctl -o short-iso-precise does, in UTC.
// Control characters of a message do not reach a terminal.
func appendShort(b []byte, e *parsers.JournalEntry) []byte {
	var host, identifier, comm, pid, message []byte
	for field := range e.Fields() {
		name, value, _ := bytes.Cut(field, []byte("="))
		switch string(name) {
		case "_HOSTNAME":
			host = append(host[:0], value...)
		case "SYSLOG_IDENTIFIER":
			identifier = append(identifier[:0], value...)
		case "_COMM":
			comm = append(comm[:0], value...)
		case "_PID":
			pid = append(pid[:0], value...)
		case "MESSAGE":
			message = append(message[:0], value...)
		}
	}
	if len(identifier) == 0 {
		identifier = comm
	}
	b = time.UnixMicro(int64(e.Realtime)).UTC().AppendFormat(b, "2006-01-02T15:04:05.000000-0700 ")
	b = append(append(append(b, visibleLine(string(host))...), ' '), visibleLine(string(identifier))...)
	if len(pid) > 0 {
		b = append(append(append(b, '['), visibleLine(string(pid))...), ']')
	}
	b = append(b, ": "...)
	for i, line := range bytes.Split(message, []byte{'\n'}) {
		if i > 0 {
			b = append(b, "\n    "...)
		}
		b = append(b, visibleLine(string(line))...)
	}
	return append(b, '\n')
}
