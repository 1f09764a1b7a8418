package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
	"podautopsy/parsers"
	"podautopsy/timeline"
)

// flags are what analyze, timeline and inventory share.
type flags struct {
	verbose   bool
	stages    *stages // of the run
	outputs   []string
	pods      []string
	namespace string
	all       bool
	stated    []string // paths as the report is to name them; nil: as given
	whole     bool     // an output tells the whole timeline
	// follow are subjects of an earlier report that this one is to tell of.
	follow []analyzer.Followed
	// facts sees what was read before it is judged; it may be nil.
	facts func(*timeline.Timeline)

	since, until moment
	zone         zone
	assumeZone   assumedZones
	assumeYear   assumedYears
	rawClocks    bool
	sourcesLack  bool // a zone's or year's source need not be in the bundle: it is a part of another
	anchor       anchor

	limits     limits
	signatures []string

	journalReader choice

	redact       choice
	redactionMap string

	profile choice

	color choice
	ascii bool
	width int
	why   bool
	files bool

	podList    bool
	longerThan time.Duration
}

func (f *flags) addOutput(set *pflag.FlagSet, formats []report.Format) {
	var names []string
	for _, x := range formats {
		names = append(names, x.Name)
	}
	set.StringArrayVarP(&f.outputs, "output", "o", nil,
		"write `FORMAT[=FILE]`: "+strings.Join(names, ", ")+"; may be repeated, one without FILE goes to standard output (default text)")
}

// addProfile is for the commands that write tickets.
func (f *flags) addProfile(set *pflag.FlagSet) {
	f.profile = choice{value: report.Profiles[0].Name}
	for _, p := range report.Profiles {
		f.profile.allowed = append(f.profile.allowed, p.Name)
	}
	set.Var(&f.profile, "profile", "the `TARGET` of -o markdown, for its markup and its size limit: "+strings.Join(f.profile.allowed, ", "))
}

func (f *flags) addSelection(set *pflag.FlagSet) {
	set.StringArrayVar(&f.pods, "pod", nil, "only this pod, `[NS/]NAME`: a name, its end, or the beginning of a UID; may be repeated")
	f.addNamespace(set)
	f.anchor = anchor{basis: anchorDeletion, text: anchorDeletion}
	set.Var(&f.anchor, "anchor", "what T counts from: deletion (its deadline), request or a time")
}

func (f *flags) addNamespace(set *pflag.FlagSet) {
	set.StringVarP(&f.namespace, "namespace", "n", "", "only this `NAMESPACE`")
	set.BoolVarP(&f.all, "all-namespaces", "A", false, "every namespace that the bundle holds, as without -n; as in kubectl it wins over -n")
}

func (f *flags) addWindow(set *pflag.FlagSet) {
	set.Var(&f.since, "since", "show nothing before this time, or this long before the capture; the verdict uses everything")
	set.Var(&f.until, "until", "show nothing after this time, or later than this long before the capture")
}

func (f *flags) addLimits(set *pflag.FlagSet) {
	d := parsers.DefaultLimits()
	f.limits = limits{fileSize: byteSize(d.MaxFileBytes), totalSize: byteSize(d.MaxTotalBytes), files: d.MaxFiles, depth: d.MaxDepth}
	set.Var(&f.limits.fileSize, "max-file-size", "read no more of one file, unpacked")
	set.Var(&f.limits.totalSize, "max-total-size", "read no more altogether, unpacked")
	set.IntVar(&f.limits.files, "max-files", f.limits.files, "read no more than `N` files")
	set.IntVar(&f.limits.depth, "max-depth", f.limits.depth, "open archives within archives down to `N` levels; 1 opens no inner ones")
}

func (f *flags) addReading(set *pflag.FlagSet) {
	f.addLimits(set)
	set.Var(&f.limits.memory, "max-memory", "keep to so much memory: smaller logs are skimmed, and what is too much is not read (default no limit)")
	set.IntVarP(&f.limits.jobs, "jobs", "j", 0, "read `N` files at a time (default the number of CPUs)")
	set.Var(&f.assumeZone, "assume-timezone", "zone of log times that name none, `[SRC=]ZONE`; SRC is a path, its beginning, a pattern or a node; may be repeated (default worked out from the bundle)")
	set.Var(&f.assumeYear, "assume-year", "year of log times that name none, `[SRC=]YEAR`, that of the last line; may be repeated (default worked out from the bundle)")
	set.BoolVar(&f.rawClocks, "no-skew-correction", false, "leave times as the nodes' clocks had them, also where these are known to be wrong")
	addSignatures(set, &f.signatures)
	if others := otherJournalReaders(); len(others) > 0 {
		f.journalReader = choice{value: ownJournalReader, allowed: append([]string{ownJournalReader}, slices.Sorted(maps.Keys(others))...)}
		set.Var(&f.journalReader, "journal-reader", "`READER` of binary journals: "+strings.Join(f.journalReader.allowed, ", "))
	}
}

// addVerbose adds what tells of the run itself.
func (f *flags) addVerbose(set *pflag.FlagSet) {
	set.BoolVarP(&f.verbose, "verbose", "v", false, "tell on standard error how long each stage took")
}

// ownJournalReader is the one that every build has.
const ownJournalReader = "podautopsy"

// parsers are the formats to recognise, with the reader of journals that was
// asked for; nil is all of them.
func (f *flags) parsers() []parsers.Parser {
	other, ok := otherJournalReaders()[f.journalReader.value]
	if !ok {
		return nil
	}
	all := parsers.All()
	for i := range all {
		if all[i].Name == other.Name {
			all[i] = other
		}
	}
	return all
}

func (f *flags) addDisplay(set *pflag.FlagSet) {
	f.zone.loc = time.UTC
	set.Var(&f.zone, "timezone", "show times in this zone; parsing is not affected")
	f.color = choice{value: "auto", allowed: []string{"auto", "always", "never"}}
	set.Var(&f.color, "color", "colour on standard output: auto, always or never")
	set.BoolVar(&f.ascii, "ascii", false, "draw with ASCII only")
	set.IntVar(&f.width, "width", 0, "text width in `COLUMNS` (default the terminal's, else 80)")
}

// check finds mistakes that pflag cannot see.
func (f *flags) check() error {
	if f.all {
		f.namespace = ""
	}
	switch {
	case f.width < 0:
		return usagef("--width must not be negative")
	case f.limits.files < 1 || f.limits.depth < 1:
		return usagef("--max-files and --max-depth must be 1 or more")
	case f.limits.jobs < 0:
		return usagef("--jobs must not be negative")
	}
	return f.checkRedaction()
}

// assumed is what the user knows of the clocks in the bundle at these paths.
func (f *flags) assumed(paths []string) timeline.Options {
	opt := timeline.Options{KeepClocks: f.rawClocks}
	for _, z := range f.assumeZone {
		if z.source == "" {
			opt.Zone = z.loc
		} else {
			opt.Zones = append(opt.Zones, timeline.AssumedZone{Source: inBundle(z.source, paths), Zone: z.loc})
		}
	}
	for _, y := range f.assumeYear {
		if y.source == "" {
			opt.Year = y.year
		} else {
			opt.Years = append(opt.Years, timeline.AssumedYear{Source: inBundle(y.source, paths), Year: y.year})
		}
	}
	return opt
}

// options are for a report to standard output; files get no colour.
func (f *flags) options(c *cli, doc *analyzer.Document) (report.Options, error) {
	since, err := f.since.resolve(doc.Bundle.CapturedAt)
	if err != nil {
		return report.Options{}, usage(fmt.Errorf("--since: %w", err), "give a time in RFC 3339 instead")
	}
	until, err := f.until.resolve(doc.Bundle.CapturedAt)
	if err != nil {
		return report.Options{}, usage(fmt.Errorf("--until: %w", err), "give a time in RFC 3339 instead")
	}
	return report.Options{
		Profile: f.profile.value, Width: c.width(f.width), Color: c.colored(f.color.value), ASCII: f.ascii, Why: f.why, Files: f.files, Pods: f.podList, LongerThan: f.longerThan,
		Location: f.zone.loc, Since: since, Until: until,
	}, nil
}

// colored decides by the flag, then by the conventions of NO_COLOR,
// CLICOLOR_FORCE, FORCE_COLOR and TERM, then by where the output goes.
func (c *cli) colored(when string) bool {
	switch {
	case when != "auto":
		return when == "always"
	case c.env("NO_COLOR") != "":
		return false
	case set(c.env("CLICOLOR_FORCE")) || set(c.env("FORCE_COLOR")):
		return true
	case c.env("TERM") == "dumb":
		return false
	}
	return isTerminal(c.stdout)
}

func set(v string) bool { return v != "" && v != "0" }

// width is the flag's, else the terminal's up to what a line can be read at.
func (c *cli) width(flag int) int {
	const widest = 120
	if flag > 0 {
		return flag
	}
	f, ok := c.stdout.(*os.File)
	if !ok || !term.IsTerminal(f.Fd()) {
		return 0
	}
	if n, err := strconv.Atoi(c.env("COLUMNS")); err == nil && n > 0 {
		return min(n, widest)
	}
	if n, _, err := term.GetSize(f.Fd()); err == nil && n > 0 {
		return min(n, widest)
	}
	return 0
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(f.Fd())
}

// completions for flags with a fixed set of words.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	// The only error is an unknown flag: nothing then to complete.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
