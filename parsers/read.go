package parsers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"podautopsy/timeline"
)

// All are the formats that are recognised, in the order in which a file is
// offered to them: what has a magic or a grammar of its own before what is
// known by its looks.
func All() []Parser {
	return []Parser{
		JournalBinary, Session, MinikubeLogs, TailSections, JournalExport, JournalJSON,
		TroubleshootRun, TroubleshootErrors, TroubleshootSystem, TroubleshootSummary,
		SupportBundleMetadata, SupportBundleErrors, SupportBundleHost, Supportconfig, CollectorConsole, RancherSummary,
		PodautopsyCommands, SosManifest, InsightsMetadata, CrictlJSON, DockerJSON, AuditLog, CloudLogging, ClusterInfoStream, KubernetesJSON, KubernetesYAML,
		SosLog, MustGatherTimestamp, MustGatherSkipped, MustGatherLog,
		TalosLog, ContainerLog, JSONLog, JournalShort, KLog, Logfmt,
		Transcript,
		KubectlDescribe, KubectlEvents, CrictlTable, DockerTable,
		Mountinfo, Mounts, PS, Lsof, Fuser, Systemctl, DF, CNI, IP, Proc, LS, Date, Versions, MachineID, Hostname, CommandError,
		KubectlTable, Dmesg, PlainLog,
	}
}

// ReadOptions bound and steer the reading of a bundle.
type ReadOptions struct {
	Limits Limits
	Jobs   int // files parsed at a time; 0 is one per processor
	Assume timeline.Options
	// Parsers are the formats to recognise; nil is All.
	Parsers []Parser
	// Skim bounds what is kept of large logs; nil: all of it.
	Skim *Skim
	// Reading is told of every file before it is opened; it may be nil.
	Reading func(path string)
}

// Read opens the bundle, reads every file in the format that it is in, and
// lines the facts up. A file that cannot be
// understood becomes a gap of its input; see Open for what is an error. Where
// ctx ends, what was read until then is returned with its error.
func Read(ctx context.Context, args []string, stdin io.Reader, opt ReadOptions) (*timeline.Timeline, error) {
	if opt.Skim == nil {
		return read(ctx, args, stdin, opt, nil)
	}
	about := slices.Compact(slices.Sorted(slices.Values(opt.Skim.About)))
	hashes := map[fileID]string{}
	for {
		skimming := &skimming{from: cmp.Or(opt.Skim.From, defaultSkimFrom), lines: opt.Skim.Lines(slices.Concat(about, logNotes())), known: hashes}
		tl, err := read(ctx, args, stdin, opt, skimming)
		if err != nil || !tl.Skimmed() {
			return tl, err
		}
		for i := range tl.Inputs {
			in := &tl.Inputs[i]
			hashes[fileID{in.Path, in.Bytes}] = in.SHA256
		}
		known := len(about)
		about = slices.Compact(slices.Sorted(slices.Values(slices.Concat(about, opt.Skim.Concerns(tl)))))
		if len(about) == known {
			return tl, nil
		}
	}
}

// read reads the bundle once.
func read(ctx context.Context, args []string, stdin io.Reader, opt ReadOptions, skimming *skimming) (*timeline.Timeline, error) {
	var members []*Member
	err := open(ctx, args, stdin, opt.Limits, skimming, func(m *Member) error {
		if opt.Reading != nil {
			opt.Reading(m.Path)
		}
		kept := *m
		members = append(members, &kept)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	paths := make([]string, 0, len(members))
	for _, m := range members {
		paths = append(paths, m.Path)
	}
	bundles := Recognise(paths)
	for _, m := range members {
		bundles.ReadIndex(m.Path, m.Data)
	}
	standIns := findStandIns(members)
	builders := parseMembers(members, bundles, standIns, opt, skimming)
	if err == nil && !slices.ContainsFunc(builders, func(b *timeline.Builder) bool { return b.Input.Records > 0 }) {
		return nil, fmt.Errorf("%d files, and none in a format that is read: %w", len(members), ErrNotBundle)
	}
	for _, b := range builders {
		bundles.Read(b.Input.Path, b.Input.Format)
	}
	tl := timeline.Assemble(builders, opt.Assume)
	tl.Layout, tl.StandIns = bundles.Name(), standIns
	tl.Layouts = bundles.found()
	return tl, err
}

// parseMembers reads the members side by side; each has its own builder, in
// the order of the members.
func parseMembers(members []*Member, bundles Bundles, standIns *timeline.StandIns, opt ReadOptions, skimming *skimming) []*timeline.Builder {
	jobs := opt.Jobs
	if jobs <= 0 {
		jobs = runtime.GOMAXPROCS(0)
	}
	builders := make([]*timeline.Builder, len(members))
	parsers := opt.Parsers
	if parsers == nil {
		parsers = All()
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range jobs {
		wg.Go(func() {
			for i := range next {
				builders[i] = readMember(members[i], bundles.Place(members[i].Path), standIns, parsers, skimming)
				members[i].drop()
			}
		})
	}
	for i := range members {
		next <- i
	}
	close(next)
	wg.Wait()
	return builders
}

// drop lets go of the content.
func (m *Member) drop() {
	m.Data = nil
	if m.unmap != nil {
		m.unmap()
		m.unmap = nil
	}
}

// readMember reads one file into a builder of its own.
func readMember(m *Member, place Place, standIns *timeline.StandIns, parsers []Parser, skimming *skimming) (b *timeline.Builder) {
	b = timeline.NewBuilder(m.Path)
	if m.unmap != nil {
		defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
		defer func() {
			// A file that becomes shorter while it is mapped cannot be read on.
			if fault := recover(); fault != nil {
				b.Gap(timeline.GapUnreadable, 0, fmt.Sprintf("could not be read to the end, as it changed or its disk failed: %v", fault))
			}
		}()
	}
	in := &b.Input
	in.Bytes, in.SHA256, in.Format, in.Gaps = m.Size, m.SHA256, m.Format, slices.Clone(m.Gaps)
	in.Folder, in.Node, in.Command = place.Folder, place.Node, place.Command
	if place.Zone != "" {
		in.Zone, in.ZoneKnown = place.Zone, timeline.Given
	}
	if place.Cut {
		in.Gaps = append(in.Gaps, timeline.Gap{Kind: timeline.GapTruncated, Detail: "the collector kept only a part of it", Source: timeline.Source{File: m.Path}})
	}
	if m.Data == nil {
		in.Empty = m.Size == 0 && m.Format == "" && len(m.Gaps) == 0
		return b
	}
	f := &File{Path: m.Path, FirstLine: 1, Command: place.Command, Node: place.Node, CapturedAt: place.CapturedAt, pieces: m.pieces}
	if looksBinary(m.Data) {
		f.binary, f.Text = m.Data, string(m.Data[:min(len(m.Data), headBytes)])
		if skimming != nil && len(m.Data) >= skimming.from {
			f.matter = skimming.lines
		}
		parsers = slices.DeleteFunc(slices.Clone(parsers), func(p Parser) bool { return p.Name != JournalBinary.Name })
	} else {
		text, encoding := decodeText(m.Data)
		defer noteShortcomings(text, m.pieces, b)
		f.Text = text
		if encoding != encodingBinary && !looksExported(m.Data) && !zeroSeparated(f) {
			f.Text = asPrinted(text)
		}
		if encoding != encodingUTF8 && encoding != encodingBinary {
			in.Encoding = encoding
		}
	}
	restore := f.useStandIns(standIns)
	f.skipBlanks()
	if f.beginsTyped() {
		parsers = append([]Parser{Transcript}, parsers...)
	}
	if in.Format == "" {
		if parts := f.parts(claimedBy(f, parsers)); parts != nil {
			in.Format = parseParts(parts, b, parsers)
		} else {
			in.Format = parseFile(f, b, parsers)
		}
	}
	if in.Format == "" {
		in.Unused = unusedKind(f, m.Data)
	}
	restore(b)
	if len(m.pieces) > 0 {
		in.Skimmed = true
		in.Records += m.lines - strings.Count(f.Text, "\n")
	}
	return b
}

// parseFile gives the file to the first parser that claims it, and its blocks
// to theirs. It returns the format's name, "" if nobody
// knows it.
func parseFile(f *File, b *timeline.Builder, parsers []Parser) string {
	for _, p := range parsers {
		if !p.Sniff(f) {
			continue
		}
		if err := p.Parse(f, b); err != nil {
			b.Gap(timeline.GapNotUnderstood, f.FirstLine, p.Name+": "+err.Error())
		}
		if p.Blocks != nil {
			parseBlocks(p, f, b, parsers)
		}
		return p.Name
	}
	return ""
}

// parseBlocks reads what stands in a file of several outputs, like the commands
// of a transcript. A command may have printed several in its turn.
func parseBlocks(p Parser, f *File, b *timeline.Builder, parsers []Parser) {
	parsers = slices.DeleteFunc(slices.Clone(parsers), func(q Parser) bool {
		return q.Name == p.Name || q.Name == Transcript.Name || q.Name == Session.Name
	})
	for _, block := range p.Blocks(f) {
		if block.Text == "" && block.Command == "" {
			continue
		}
		if parseFile(&block, b, parsers) != "" {
			continue
		}
		if err := CommandOutput.Parse(&block, b); err != nil {
			b.Gap(timeline.GapNotUnderstood, block.FirstLine, CommandOutput.Name+": "+err.Error())
		}
	}
}
