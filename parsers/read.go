package parsers

import (
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
	"podautopsy/timeline/literal"
)

// All are the formats that are recognised, in the order in which a file is
// offered to them: what has a magic or a grammar of its own before what is
// known by its looks.
func All() []Parser {
	return []Parser{
		journalBinaryParser, sessionParser, minikubeLogsParser, tailSectionsParser, journalExportParser, journalJSONParser,
		troubleshootRunParser, troubleshootErrorsParser, troubleshootSystemParser, troubleshootSummaryParser,
		supportBundleMetadataParser, supportBundleErrorsParser, supportBundleHostParser, supportconfigParser,
		collectorConsoleParser, rancherSummaryParser,
		podautopsyCommandsParser, sosManifestParser, insightsMetadataParser, awsIPAMParser, awsENIsParser, crictlJSONParser,
		dockerJSONParser, auditLogParser, cloudLoggingParser, clusterInfoStreamParser, kubernetesJSONParser,
		kubernetesYAMLParser,
		sosLogParser, mustGatherTimestampParser, mustGatherSkippedParser, mustGatherLogParser,
		talosLogParser, containerLogParser, jsonLogParser, journalShortParser, klogParser, logfmtParser,
		transcriptParser,
		kubectlDescribeParser, kubectlEventsParser, crictlTableParser, dockerTableParser,
		mountinfoParser, mountsParser, psParser, socketsParser, lsofParser, fuserParser, systemctlParser, dfParser,
		cniParser, ipParser, systemdCglsParser, procParser, lsParser, dateParser, versionsParser, machineIDParser,
		hostnameParser, commandErrorParser,
		kubectlTableParser, dmesgParser, plainLogParser,
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
	// Progress counts what is read; it may be nil.
	Progress *Progress
	// Stage is told what is done from now on, by a verb; it may be nil.
	Stage func(doing string)
}

// Read opens the bundle, reads every file in the format that it is in, and
// lines the facts up. A file that cannot be
// understood becomes a gap of its input; see Open for what is an error. Where
// ctx ends, what was read until then is returned with its error.
func Read(ctx context.Context, args []string, stdin io.Reader, opt ReadOptions) (*timeline.Timeline, error) {
	if opt.Jobs <= 0 {
		opt.Jobs = runtime.GOMAXPROCS(0)
	}
	if opt.Parsers == nil {
		opt.Parsers = All()
	}
	r := reading{ReadOptions: opt}
	if opt.Skim != nil {
		r.about = slices.Compact(slices.Sorted(slices.Values(opt.Skim.About)))
	}
	for {
		tl, err := r.read(ctx, args, stdin)
		if !r.anew {
			return tl, err
		}
	}
}

// reading is the state of one Read.
type reading struct {
	ReadOptions
	about []string // words of those that the bundle is known to be about
	anew  bool     // logs could not be looked through again: read all with these words

	skimming *skimming
	members  []*Member
	bundles  foundBundles
	standIns *timeline.StandIns
	builders []*timeline.Builder
}

// read reads the bundle, and looks through its large logs again until they are
// about nobody new.
func (r *reading) read(ctx context.Context, args []string, stdin io.Reader) (*timeline.Timeline, error) {
	r.anew, r.members, r.skimming = false, nil, nil
	r.stage("reading")
	if r.Skim != nil {
		r.skimming = r.Skim.begin(r.about, r.Jobs, r.Limits.mayKeep())
		defer r.skimming.end()
	}
	defer r.drop()
	held := int64(0)
	err := open(ctx, args, stdin, r.Limits, r.skimming, r.Progress, func(m *Member) error {
		if r.Reading != nil {
			r.Reading(m.Path)
		}
		if held += m.inMemory(); held > r.Limits.mayKeep() {
			held -= m.inMemory()
			m.Data = nil
			m.Gaps = append(m.Gaps, gapAt(m.Path, timeline.GapUnreadable, "not read: "+errMemory.Error()))
		}
		r.members = append(r.members, m)
		return nil
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, err
	}
	paths := make([]string, 0, len(r.members))
	for _, m := range r.members {
		paths = append(paths, m.Path)
	}
	r.bundles = recognise(paths)
	for _, m := range r.members {
		r.bundles.ReadIndex(m.Path, m.Data)
		r.bundles.readChecksums(m)
	}
	if err == nil {
		r.bundles.missesFiles(paths)
	}
	r.standIns = findStandIns(r.members)
	r.builders = make([]*timeline.Builder, len(r.members))
	r.stage("parsing")
	r.parse(func(*Member) bool { return true })
	if err == nil && !slices.ContainsFunc(r.builders, func(b *timeline.Builder) bool { return b.Input.Records > 0 }) {
		err := fmt.Errorf("%d files, and none in a format that is read: %w", len(r.members), ErrNotBundle)
		if why := firstGap(r.members); why != "" {
			err = fmt.Errorf("%w: %s", err, why)
		}
		return nil, err
	}
	for _, b := range r.builders {
		r.bundles.Read(b.Input.Path, b.Input.Format)
	}
	tl := r.assemble()
	for err == nil && tl.Skimmed() {
		r.stage("finding out whom it is about")
		about := slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.about, r.Skim.Concerns(tl)))))
		words := slices.DeleteFunc(slices.Clone(about), func(w string) bool { _, known := slices.BinarySearch(r.about, w); return known })
		if len(words) == 0 {
			break
		}
		r.about = about
		r.stage("looking through large logs again")
		more := r.lookAgain(words)
		if r.anew {
			return nil, nil
		}
		if !more {
			break
		}
		tl = r.assemble()
		err = ctx.Err()
	}
	return tl, err
}

func (r *reading) outdated() {
	if r.Skim.Outdated != nil {
		r.Skim.Outdated()
	}
}

func (r *reading) stage(doing string) {
	if r.Stage != nil {
		r.Stage(doing)
	}
}

// assemble lines up what the builders hold.
func (r *reading) assemble() *timeline.Timeline {
	r.stage("lining up")
	builders := r.builders
	if slices.ContainsFunc(builders, func(b *timeline.Builder) bool { return b.Input.Skimmed }) {
		builders = make([]*timeline.Builder, len(r.builders)) // these may be wanted again
		for i, b := range r.builders {
			builders[i] = b.Clone()
		}
	}
	tl := timeline.Assemble(builders, r.Assume)
	tl.Layout, tl.StandIns = r.bundles.Name(), r.standIns
	tl.Layouts = r.bundles.found()
	return tl
}

// lookAgain looks through what was skimmed for further words, and reads the
// files of which that gives more. It says whether there are any.
func (r *reading) lookAgain(words []string) bool {
	for _, m := range r.members {
		if m.log != nil && !m.log.again && !m.log.once {
			r.anew = true
			r.outdated()
			return false
		}
	}
	r.skimming.lines = append(r.skimming.lines, words...)
	matter := literal.New(words, r.Skim.Sample)
	grown := map[*Member]bool{}
	for _, m := range r.members {
		switch {
		case m.log != nil:
			grown[m] = m.lookAgain(words)
		case m.journal:
			grown[m] = holdsAny(m, matter)
		}
	}
	if !slices.ContainsFunc(r.members, func(m *Member) bool { return grown[m] }) {
		return false
	}
	r.outdated()
	all := r.standIns != nil && slices.ContainsFunc(r.members, func(m *Member) bool { return m.log != nil })
	if all {
		r.standIns = findStandIns(r.members)
	}
	r.parse(func(m *Member) bool { return all || grown[m] })
	return true
}

// lookAgain looks through the member's log. It says whether the member has
// anything new to tell.
func (m *Member) lookAgain(words []string) bool {
	if !m.log.again {
		return m.noteUnseen(errNotHeld)
	}
	more, err := m.log.lookAgain(words)
	if more {
		m.take(m.log.content())
	}
	noted := err != nil && m.noteUnseen(err)
	noted = m.log.file != nil && m.noteChange(m.log.file) || noted
	return more || noted
}

var errNotHeld = errors.New("there was no room to hold it")

// noteUnseen notes, once, that a log may say more.
func (m *Member) noteUnseen(why error) bool {
	if m.unseen {
		return false
	}
	m.unseen = true
	m.Gaps = append(m.Gaps, gapAt(m.Path, timeline.GapTruncated, fmt.Sprintf("could not be looked through again for all that is said of those it turned out to be about: %v", why)))
	return true
}

// parse reads members side by side; each has its own builder, in the order of
// the members.
func (r *reading) parse(wanted func(*Member) bool) {
	// A redactor's tokens may be known by lines that are found later.
	hold := r.standIns != nil && slices.ContainsFunc(r.members, func(m *Member) bool { return m.log != nil })
	next := make(chan int)
	var wg sync.WaitGroup
	for range r.Jobs {
		wg.Go(func() {
			for i := range next {
				m := r.members[i]
				r.builders[i] = readMember(m, r.bundles, r.standIns, r.Parsers, r.skimming)
				m.journal = r.builders[i].Input.Skimmed && m.log == nil
				if !m.journal && !hold {
					m.drop()
				}
			}
		})
	}
	for i, m := range r.members {
		if wanted(m) {
			next <- i
		}
	}
	close(next)
	wg.Wait()
}

// drop lets go of what the members hold.
func (r *reading) drop() {
	for _, m := range r.members {
		m.drop()
		if m.log != nil && m.log.file != nil {
			m.log.file.Close()
		}
	}
}

// drop lets go of the content.
func (m *Member) drop() {
	m.Data = nil
	if m.unmap != nil {
		m.unmap()
		m.unmap = nil
	}
}

// inMemory is how much of memory the content takes. Of logs that are skimmed,
// little does.
func (m *Member) inMemory() int64 {
	if m.unmap != nil || m.log != nil {
		return 0
	}
	return int64(len(m.Data))
}

// firstGap is why nothing could be read, perhaps.
func firstGap(members []*Member) string {
	for _, m := range members {
		for _, gap := range m.Gaps {
			return m.Path + ": " + gap.Detail
		}
	}
	return ""
}

// readMember reads one file into a builder of its own.
func readMember(m *Member, bundles foundBundles, standIns *timeline.StandIns, parsers []Parser, skimming *skimming) (b *timeline.Builder) {
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
	in, place := &b.Input, bundles.Place(m.Path)
	in.Bytes, in.SHA256, in.Format, in.Gaps = m.Size, m.SHA256, m.Format, slices.Clone(m.Gaps)
	in.Folder, in.Node, in.Command = place.Folder, place.Node, place.Command
	if place.Zone != "" {
		in.Zone, in.ZoneKnown = place.Zone, timeline.Given
	}
	if place.Cut {
		in.Gaps = append(in.Gaps, timeline.Gap{Kind: timeline.GapTruncated, Detail: "the collector kept only a part of it", Source: timeline.Source{File: m.Path}})
	}
	defer func() { in.Gaps = append(in.Gaps, bundles.compare(m)...) }()
	if m.Data == nil {
		in.Empty = m.Size == 0 && m.Format == "" && len(m.Gaps) == 0
		return b
	}
	f := &File{Path: m.Path, FirstLine: 1, Command: place.Command, Node: place.Node, CapturedAt: place.CapturedAt, pieces: m.pieces}
	if looksBinary(m.Data) {
		f.binary, f.Text = m.Data, string(m.Data[:min(len(m.Data), headBytes)])
		if skimming != nil && len(m.Data) >= skimming.from {
			f.matter = skimming.matter()
		}
		parsers = slices.DeleteFunc(slices.Clone(parsers), func(p Parser) bool { return p.Name != journalBinaryParser.Name })
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
		parsers = append([]Parser{transcriptParser}, parsers...)
	}
	if in.Format == "" {
		claimed := claimedBy(f, parsers)
		if parts := f.parts(claimed); parts != nil {
			in.Format = parseParts(parts, b, parsers)
		} else {
			in.Format = parseAs(claimed, f, b, parsers)
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
	return parseAs(claimedBy(f, parsers), f, b, parsers)
}

// parseAs is parseFile where it is known who claims the file; nil is nobody.
func parseAs(p *Parser, f *File, b *timeline.Builder, parsers []Parser) string {
	if p == nil {
		return ""
	}
	if err := p.parse(f, b); err != nil {
		b.Gap(timeline.GapNotUnderstood, f.FirstLine, p.Name+": "+err.Error())
	}
	if p.Blocks != nil {
		parseBlocks(*p, f, b, parsers)
	}
	return p.Name
}

// Defect is how a gap begins to tell that a reader of ours broke down.
const Defect = "a defect of podautopsy"

// parse reads the file. A reader that breaks down costs what it had not read of
// one file, at night, not the report.
func (p Parser) parse(f *File, b *timeline.Builder) (err error) {
	defer func() {
		switch why := recover().(type) {
		case nil:
		case interface{ Addr() uintptr }: // of a mapped file, which whoever mapped it tells
			panic(why)
		default:
			err = fmt.Errorf("%s, please report it: %v", Defect, why)
		}
	}()
	return p.Parse(f, b)
}

// parseBlocks reads what stands in a file of several outputs, like the commands
// of a transcript. A command may have printed several in its turn.
func parseBlocks(p Parser, f *File, b *timeline.Builder, parsers []Parser) {
	parsers = slices.DeleteFunc(slices.Clone(parsers), func(q Parser) bool {
		return q.Name == p.Name || q.Name == transcriptParser.Name || q.Name == sessionParser.Name
	})
	for _, block := range p.Blocks(f) {
		if block.Text == "" && block.Command == "" {
			continue
		}
		if parseFile(&block, b, parsers) != "" {
			continue
		}
		if err := commandOutputParser.Parse(&block, b); err != nil {
			b.Gap(timeline.GapNotUnderstood, block.FirstLine, commandOutputParser.Name+": "+err.Error())
		}
	}
}
