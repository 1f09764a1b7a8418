package parsers

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"path"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// received is one file as it came: from disk, from stdin, or out of an archive.
type received struct {
	path   string
	r      *io.SectionReader
	data   []byte     // the content where it is in memory already
	disk   *fileState // the file, if it is on disk
	unmap  func()     // of data, where it is a file mapped into memory
	skim   content    // of a log that was skimmed
	size   int64
	depth  int    // of archives around it
	budget *int64 // bytes that may yet be unpacked, shared by all that is nested
	top    bool   // not out of an archive: its hash is worth having
	sha256 string
	packed bool // data is what a compressed file holds
	gaps   []timeline.Gap
}

// receive visits a plain file, or opens what is packed. Names are not asked:
// collectors and people rename files, bytes tell.
func (o *opener) receive(in received) error {
	if o.full != nil && in.data == nil {
		return o.unreadable(in.path, o.full)
	}
	head := make([]byte, sniffBytes)
	n, _ := in.r.ReadAt(head, 0)
	format := sniffArchive(head[:n])
	if format.name == "" {
		return o.plain(in)
	}
	if in.top && in.sha256 == "" {
		in.sha256 = o.sha256Of(&in)
	}
	if in.depth >= o.lim.MaxDepth {
		return o.closed(in, format.name, fmt.Sprintf("not opened, as it lies in %d archives; --max-depth raises the limit", in.depth))
	}
	switch {
	case format.sealed != "":
		return o.closed(in, format.name, format.sealed)
	case format.name == "tar":
		return o.untar(in.container(o, "tar"), in.r)
	case format.name == "zip":
		return o.unzip(in.container(o, "zip"), in.r)
	case format.name == collectOutput:
		return o.uncollect(in)
	default:
		return o.decompress(in, format)
	}
}

// plain visits a file that is not packed.
func (o *opener) plain(in received) error {
	if in.data == nil && !o.admit() {
		return o.unreadable(in.path, o.full)
	}
	if scanned, err := o.scanned(&in); scanned || err != nil {
		return err
	}
	if o.isLargeLog(&in) {
		return o.largeLog(&in)
	}
	data, err := o.content(&in)
	if err != nil {
		return err
	}
	// A file that is longer than may be read may have no end.
	if in.top && in.sha256 == "" && in.size <= o.lim.MaxFileBytes {
		in.sha256 = o.sha256Of(&in)
	}
	if len(data) == 0 {
		data = nil
	}
	m := &Member{Path: in.path, Data: data, Size: in.size, SHA256: in.sha256, Gaps: in.gaps, unmap: in.unmap, packed: in.packed}
	if in.unmap == nil && in.disk != nil {
		m.noteChange(in.disk)
	}
	m.hold(in.skim)
	return o.emit(m)
}

// isLargeLog says whether a file on disk is a log that is to be skimmed.
func (o *opener) isLargeLog(in *received) bool {
	if o.skimming == nil || in.disk == nil || in.size < int64(o.skimming.from) || in.size > min(o.lim.MaxFileBytes, o.lim.MaxTotalBytes-o.read) {
		return false
	}
	head := make([]byte, headBytes)
	n, _ := in.r.ReadAt(head, 0)
	return isSkimmed(head[:n])
}

// largeLog visits a log on disk that is skimmed while the walk goes on.
func (o *opener) largeLog(in *received) error {
	disk, r := in.disk, in.r
	o.read += in.size
	o.found = true
	m := &Member{Path: in.path, Size: in.size, Gaps: in.gaps}
	if err := o.emit(m); err != nil {
		return err
	}
	disk.held = true
	o.skimming.later(func() { // from here on the member is the reader's
		var sum hash.Hash
		if o.hashes && in.top {
			sum = sha256.New()
		}
		l, err := o.skimming.skim(&ctxReader{o.ctx, r}, disk, sum)
		switch {
		case o.ctx.Err() != nil:
		case err != nil:
			m.Gaps = append(m.Gaps, cutGap(m.Path, l.length, err))
		case sum != nil:
			m.SHA256 = hex.EncodeToString(sum.Sum(nil))
		}
		m.noteChange(disk)
		m.hold(l.content())
	})
	return nil
}

// noteChange notes, once, that the file is no longer what it was when it was
// opened.
func (m *Member) noteChange(disk *fileState) bool {
	gap, changed := disk.changed(m.Path)
	if !changed || m.changed {
		return false
	}
	m.changed = true
	m.Gaps = append(m.Gaps, gap)
	return true
}

// hold takes what was kept of a log that was skimmed.
func (m *Member) hold(c content) {
	if c.log == nil {
		return
	}
	m.take(c)
	if c.passed > 0 {
		m.Gaps = append(m.Gaps, gapAt(m.Path, timeline.GapTruncated, fmt.Sprintf("%d parts of lines of over %s were passed over", c.passed, binarySize(skimLine))))
	}
	if c.objects > 0 {
		m.Gaps = append(m.Gaps, gapAt(m.Path, timeline.GapNotUnderstood, fmt.Sprintf("%d objects in the middle of a large log were passed over; give them as a file of their own", c.objects)))
	}
}

// take takes the lines that were kept of a log, and tells which were let go.
func (m *Member) take(c content) {
	m.log, m.Data, m.pieces, m.lines = c.log, c.data, c.pieces, c.lines
	if c.spared == 0 {
		return
	}
	if m.spared > 0 { // more since
		m.Gaps = slices.DeleteFunc(m.Gaps, func(g timeline.Gap) bool { return g.Source.Line == m.spared })
	}
	m.Gaps = append(m.Gaps, roomGap(m.Path, c.spared, c.sparedTo))
	m.spared = c.spared
}

// content reads a file to its end; where it is cut, a gap of it says so. The
// error is only of what ends the walk.
func (o *opener) content(in *received) ([]byte, error) {
	if in.data != nil {
		return in.data, nil
	}
	if data := o.mapped(in); data != nil {
		return data, nil
	}
	var r io.Reader = in.r
	hash := sha256.New()
	wanted := o.hashes && in.top && in.sha256 == ""
	if wanted {
		r = io.TeeReader(r, hash)
	}
	read, err := o.readWhole(r, in.size, in.size)
	if ctxErr := o.ctx.Err(); ctxErr != nil {
		return nil, ctxErr
	}
	switch {
	case err != nil:
		in.gaps = append(in.gaps, cutGap(in.path, read.length, err))
	case wanted:
		in.sha256 = hex.EncodeToString(hash.Sum(nil))
	}
	in.skim, in.unmap = read, read.unmap
	return read.data, nil
}

// mapped is a large journal on disk as a part of memory: no room is taken for
// what the system has read already. nil: it is to be read.
func (o *opener) mapped(in *received) []byte {
	from := o.mapFrom
	if o.skimming != nil {
		from = int64(o.skimming.from)
	}
	if in.disk == nil || from == 0 || in.size < from || in.size > min(o.lim.MaxFileBytes, o.lim.MaxTotalBytes-o.read) {
		return nil
	}
	head := make([]byte, len(journalMagic))
	if _, err := in.r.ReadAt(head, 0); err != nil || !isJournal(head) {
		return nil
	}
	data, unmap, err := mapFile(in.disk.File, in.size)
	if err != nil {
		return nil
	}
	o.read += in.size
	in.unmap = unmap
	return data
}

// closed visits an archive that is not opened.
func (o *opener) closed(in received, format, why string) error {
	in.gaps = append(in.gaps, gapAt(in.path, timeline.GapUnreadable, why))
	return o.emit(&Member{Path: in.path, Size: in.size, SHA256: in.sha256, Format: format, Gaps: in.gaps})
}

// decompress reads a compressed stream: a tar archive, or a lone file.
func (o *opener) decompress(in received, format archiveFormat) error {
	decoded, err := format.decode(bufio.NewReader(in.r))
	if err != nil {
		return o.closed(in, format.name, fmt.Sprintf("damaged: %v", err))
	}
	defer decoded.Close()
	stream := bufio.NewReaderSize(&meter{o, decoded, in.budget}, 64<<10)
	if head, _ := stream.Peek(sniffBytes); isTar(head) {
		return o.untar(in.container(o, "tar."+format.name), stream)
	}

	if !o.admit() {
		return o.unreadable(in.path, o.full)
	}
	read, err := o.readWhole(stream, 0, 0)
	if ctxErr := o.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if err != nil {
		in.gaps = append(in.gaps, cutGap(in.path, read.length, fmt.Errorf("%s: %w", format.name, err)))
	}
	in.data, in.skim, in.unmap, in.depth, in.top, in.packed = read.data, read, read.unmap, in.depth+1, false, true
	in.r = io.NewSectionReader(bytes.NewReader(read.data), 0, int64(len(read.data)))
	return o.receive(in)
}

// meter counts what a decoder puts out, at every level of nesting, so that a
// bomb ends early even if nothing of it is kept.
type meter struct {
	*opener
	r      io.Reader
	budget *int64
}

func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if *m.budget <= 0 {
		return 0, errRatioLimit
	}
	if m.unpacked >= m.lim.MaxTotalBytes {
		m.full = errTotalLimit
		return 0, errTotalLimit
	}
	n, err := m.r.Read(p)
	m.unpacked += int64(n)
	*m.budget -= int64(n)
	return n, err
}

// container is an archive or a folder while its members are visited.
type container struct {
	*opener
	received        // the archive itself
	prefix   string // of its members' paths
	format   string

	known    map[string]bool // members and folders, to tell where links lead
	links    []memberLink
	targets  [][]string // for each link, the names that it may lead to
	skipped  []string   // what is no file
	lastGood string     // the last member that was read whole
	ended    bool       // a gap says already why nothing more was read
}

// container starts the entry that stands for the archive itself.
func (in received) container(o *opener, format string) *container {
	return &container{opener: o, received: in, prefix: in.path + "!", format: format}
}

// knows notes a member or folder and the folders around it.
func (c *container) knows(name string) {
	if c.known == nil {
		c.known = map[string]bool{".": true}
	}
	for name = memberPath(name); !c.known[name]; name = path.Dir(name) {
		c.known[name] = true
	}
}

// link notes a link. Symbolic ones are relative to the folder they are in.
func (c *container) link(name, target string, symbolic bool) {
	if !c.admit() {
		return
	}
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	c.links = append(c.links, memberLink{Path: c.prefix + memberPath(name), Target: printable(target)})
	var leads []string
	switch {
	case symbolic && strings.HasPrefix(target, "/"):
		// Collectors keep links of the host as they are: its root is then the
		// archive's, or the one folder in which everything is.
		top, _, _ := strings.Cut(name, "/")
		leads = []string{memberPath(target), memberPath(top + target)}
	case symbolic:
		if at := path.Join(path.Dir(name), target); at != ".." && !strings.HasPrefix(at, "../") {
			leads = []string{memberPath(at)}
		}
	default:
		leads = []string{memberPath(target)}
	}
	c.targets = append(c.targets, leads)
	c.knows(name) // a link may lead to a link: the last one tells
}

// skip notes what is no file.
func (c *container) skip(name, what string) {
	if c.admit() {
		c.skipped = append(c.skipped, fmt.Sprintf("%s (%s)", memberPath(name), what))
	}
}

// member reads one member and visits it, or what is packed in it. The result
// is only of what ends the walk. The size is what the archive claims.
func (c *container) member(name string, r io.Reader, size int64) error {
	if !c.admit() {
		return nil
	}
	c.knows(name)
	cited := c.claim(c.prefix + memberPath(name))
	const credible = 1 << 20 // more room is made only for bytes that are there
	read, err := c.readMember(r, max(0, min(size, credible)), size)
	if ctxErr := c.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	in := received{
		path:   cited,
		r:      io.NewSectionReader(bytes.NewReader(read.data), 0, int64(len(read.data))),
		data:   read.data,
		skim:   read,
		unmap:  read.unmap,
		size:   read.length,
		depth:  c.depth + 1,
		budget: c.budget,
	}
	if err != nil {
		in.gaps = []timeline.Gap{cutGap(cited, in.size, err)}
	} else {
		c.lastGood = memberPath(name)
	}
	return c.receive(in)
}

// readMember is readWhole. Archives of nothing but empty files are to cost
// nothing but their entries.
func (c *container) readMember(r io.Reader, size, promised int64) (content, error) {
	if size == 0 {
		var first [1]byte
		switch _, err := io.ReadFull(r, first[:]); {
		case errors.Is(err, io.EOF):
			return content{data: []byte{}}, nil
		case err != nil:
			return content{}, err
		}
		r = io.MultiReader(bytes.NewReader(first[:]), r)
	}
	read, err := c.readWhole(r, size, promised)
	if read.data == nil && read.log == nil {
		read.data = []byte{} // it was read: it is empty
	}
	return read, err
}

// lost emits a member that cannot be read at all.
func (c *container) lost(name, why string) error {
	if !c.admit() {
		return nil
	}
	c.knows(name)
	cited := c.claim(c.prefix + memberPath(name))
	return c.emit(&Member{Path: cited, Gaps: []timeline.Gap{gapAt(cited, timeline.GapUnreadable, why)}})
}

// stopped notes once why nothing more was read.
func (c *container) stopped(why error) {
	if c.ended {
		return
	}
	c.ended = true
	detail := fmt.Sprintf("not everything was read: %v", why)
	if !isLimit(why) {
		detail = fmt.Sprintf("damaged or cut off (%v)", why)
		if c.lastGood != "" {
			detail += "; the last good member is " + c.lastGood
		}
	}
	c.gap(timeline.GapTruncated, detail)
}

func (c *container) gap(kind timeline.GapKind, detail string) {
	c.gaps = append(c.gaps, gapAt(c.path, kind, detail))
}

// close visits the entry of the archive or folder itself, once its members are
// known.
func (c *container) close() error {
	var dangling []string
	for i, link := range c.links {
		if !c.leadsInside(c.targets[i]) {
			dangling = append(dangling, strings.TrimPrefix(link.Path, c.prefix)+" -> "+link.Target)
		}
	}
	if len(dangling) > 0 {
		c.gap(timeline.GapUnreadable, "links to what is not in it: "+some(dangling))
	}
	if len(c.skipped) > 0 {
		c.gap(timeline.GapUnreadable, "not files, skipped: "+some(c.skipped))
	}
	if c.format == "directory" && len(c.gaps) == 0 && len(c.links) == 0 {
		return nil // a folder is nothing that was received
	}
	return c.emit(&Member{
		Path: c.path, Size: c.size, SHA256: c.sha256, Format: c.format, Gaps: c.gaps, links: c.links,
	})
}

func (c *container) leadsInside(names []string) bool {
	for _, name := range names {
		if c.known[name] {
			return true
		}
	}
	return false
}

// some lists the first few of many.
func some(of []string) string {
	const few = 3
	if len(of) <= few {
		return strings.Join(of, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(of[:few], ", "), len(of)-few)
}
