package parsers

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"podautopsy/timeline"
)

// ErrNotBundle is returned where the arguments hold nothing that can be read.
var ErrNotBundle = errors.New("nothing in it can be read as evidence")

// Member is one file of a bundle.
type Member struct {
	// Path is how reports cite it: the base name of a file argument, or the
	// path below a folder argument ("node/kubelet.export"); below several
	// arguments folders put their base name in front ("worker-3/kubelet.log").
	// Members of archives are "bundle.tar.xz!sub/file", nested ones
	// "a.tar.gz!b.zip!file"; a lone compressed file keeps its own name. Paths
	// are printable and unique ("~2" marks a second one), and are never used
	// on a file system.
	Path string
	// Data is the content, unpacked; nil for the entry of an archive or of
	// something that could not be read.
	Data []byte
	// Size and SHA256 are of the file as received: of a whole archive, of a
	// lone compressed file before it was unpacked. Members of archives have
	// no SHA256 of their own.
	Size   int64
	SHA256 string
	// Format is set on the entry that stands for an archive itself
	// ("tar.xz", "zip") or for a folder ("directory"); it comes after those
	// of its members.
	Format string
	// Gaps are what could not be read of it.
	Gaps    []timeline.Gap
	packed  bool        // Data is what a compressed file holds
	log     *skimmedLog // of which Data is a part
	pieces  []piece
	lines   int
	spared  int    // the first line that was let go of a log, which a gap tells; 0: none
	unseen  bool   // a gap says that the log may say more
	changed bool   // a gap says that it did while it was read
	journal bool   // a journal of which a part was read
	unmap   func() // of Data, where it is a file mapped into memory
	// links of an archive or folder. Nothing is read through them: what they
	// lead to inside the bundle is visited under its own name, and what is
	// outside is no part of it.
	links []memberLink
}

// memberLink is a symbolic or hard link: a path as Member.Path would be, and the
// target as written.
type memberLink struct{ Path, Target string }

// Open visits every file of a bundle once, one at a time. An argument is a
// file, a folder, an archive, or "-" for stdin. Folders are walked in order of
// their paths, archives in their own order, so the visits are the same in
// every run. What cannot be read becomes a gap and never ends the walk.
// Errors are for arguments that do not exist or cannot be opened, for a
// bundle without anything readable (ErrNotBundle), and those of ctx and visit.
func Open(ctx context.Context, args []string, stdin io.Reader, lim Limits, visit func(*Member) error) error {
	return open(ctx, args, stdin, lim, nil, nil, visit)
}

// open is Open, and skims large logs if that is wanted.
func open(ctx context.Context, args []string, stdin io.Reader, lim Limits, skimming *skimming, progress *Progress, visit func(*Member) error) error {
	o := &opener{ctx: ctx, lim: lim, skimming: skimming, hashes: true, progress: progress, visit: visit}
	err := o.all(args, stdin)
	if skimming != nil {
		skimming.logs.Wait()
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// all visits what the arguments hold.
func (o *opener) all(args []string, stdin io.Reader) error {
	o.lim, o.taken = o.lim.withDefaults(), map[string]int{}
	arguments, err := o.arguments(args)
	if err != nil {
		return err
	}
	if o.progress != nil {
		o.progress.measure(arguments)
	}
	prefixed := len(arguments) > 1
	if !prefixed {
		clear(o.taken) // a folder given alone puts no name of its own in front
	}
	for _, arg := range arguments {
		switch {
		case arg.path == "-":
			err = o.stream(arg.name, stdin)
		case arg.dir:
			err = o.folder(arg, prefixed)
		default:
			err = o.file(arg)
		}
		if err != nil {
			return err
		}
	}
	if !o.found {
		reason := cmp.Or(o.firstGap, "no files, or only empty ones")
		return fmt.Errorf("reading %s: %w: %s", strings.Join(args, ", "), ErrNotBundle, reason)
	}
	return nil
}

// opener is the state of one walk.
type opener struct {
	ctx      context.Context
	lim      Limits
	skimming *skimming // nil: everything is kept
	hashes   bool      // are wanted
	scan     *scan     // takes plain text on disk as it is read; nil: members hold it
	progress *Progress // may be nil
	mapFrom  int64     // bytes from which journals on disk are mapped; 0: skimming decides
	visit    func(*Member) error

	taken    map[string]int // paths given out, to keep them unique
	files    int            // admitted, against MaxFiles
	read     int64          // into memory, against MaxTotalBytes
	unpacked int64          // by decoders, against the same
	full     error          // the limit that ended the walk

	found    bool   // something was readable
	firstGap string // why nothing was, perhaps
}

// argument is one path that the user gave.
type argument struct {
	path, name string
	dir        bool
}

// arguments looks at all arguments before any is read, so that a typing error
// is told at once. The same file given twice is read once.
func (o *opener) arguments(args []string) ([]argument, error) {
	var out []argument
	var seen []fs.FileInfo
	for _, arg := range args {
		if arg == "-" {
			if !slices.ContainsFunc(out, func(a argument) bool { return a.path == "-" }) {
				out = append(out, argument{path: arg, name: o.claim("stdin")})
			}
			continue
		}
		info, err := os.Stat(arg)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", arg, bareError(err))
		}
		if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() && !handedPipe(arg, mode) {
			return nil, fmt.Errorf("reading %s: it is a %s, neither a file nor a folder", arg, kindOfFile(mode))
		}
		if slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
			continue
		}
		seen = append(seen, info)
		base := filepath.Base(arg)
		if abs, err := filepath.Abs(arg); err == nil {
			base = filepath.Base(abs) // "." and ".." have names, too
		}
		out = append(out, argument{path: arg, name: o.claim(memberPath(base)), dir: info.IsDir()})
	}
	return out, nil
}

// file reads a file argument.
func (o *opener) file(arg argument) error {
	f, err := os.OpenFile(arg.path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return fmt.Errorf("reading %s: %w", arg.path, bareError(err))
	}
	return o.open(arg.name, f)
}

// handedPipe says whether an argument is a pipe that the shell has opened for
// us, as <(command) does. One with a name of its own waits for a writer that
// may never come.
func handedPipe(arg string, mode fs.FileMode) bool {
	open := arg == "/dev/stdin" || strings.HasPrefix(arg, "/dev/fd/") || strings.HasPrefix(arg, "/proc/self/fd/")
	return open && mode&fs.ModeNamedPipe != 0
}

// open reads a file from disk and closes it, unless it is to be read on.
func (o *opener) open(name string, f *os.File) error {
	disk := &fileState{File: f}
	defer func() {
		if !disk.held {
			f.Close()
		}
	}()
	info, err := f.Stat()
	switch {
	case err != nil:
		return o.unreadable(name, bareError(err))
	case !info.Mode().IsRegular() || info.Size() == 0: // a pipe, or a file of /proc
		return o.stream(name, f)
	}
	disk.size, disk.modified = info.Size(), info.ModTime()
	var at io.ReaderAt = f
	if o.progress != nil {
		c := &counted{f, disk.size, o.progress}
		at = c
		defer func() {
			if !disk.held {
				c.count(c.left)
			}
		}()
	}
	return o.receive(received{
		path:   name,
		r:      io.NewSectionReader(at, 0, info.Size()),
		disk:   disk,
		size:   info.Size(),
		budget: new(o.lim.mayUnpack(info.Size())),
		top:    true,
	})
}

// stream reads what has no size yet.
func (o *opener) stream(name string, r io.Reader) error {
	if !o.admit() {
		return o.unreadable(name, o.full)
	}
	sum := sha256.New()
	if o.hashes {
		r = io.TeeReader(r, sum)
	}
	read, err := o.readWhole(r, 0, 0)
	if ctxErr := o.ctx.Err(); ctxErr != nil {
		return ctxErr
	}
	if read.log != nil {
		read.log.once = true
	}
	in := received{
		path:   name,
		r:      io.NewSectionReader(bytes.NewReader(read.data), 0, int64(len(read.data))),
		data:   read.data,
		skim:   read,
		unmap:  read.unmap,
		size:   read.length,
		budget: new(o.lim.mayUnpack(read.length)),
	}
	switch {
	case err != nil: // the hash of a part is no hash
		in.gaps = []timeline.Gap{cutGap(name, read.length, err)}
	case o.hashes:
		in.sha256 = hex.EncodeToString(sum.Sum(nil))
	}
	return o.receive(in)
}

// folder walks a folder argument.
func (o *opener) folder(arg argument, prefixed bool) error {
	root, err := os.OpenRoot(arg.path)
	if err != nil {
		return fmt.Errorf("reading %s: %w", arg.path, bareError(err))
	}
	defer root.Close()
	c := &container{opener: o, received: received{path: "."}, format: "directory"}
	if prefixed {
		c.path, c.prefix = arg.name, arg.name+"/"
	}
	if err := o.walk(root, ".", c); err != nil {
		if errors.Is(err, errNoEntries) {
			return fmt.Errorf("reading %s: %w", arg.path, err)
		}
		return err
	}
	return c.close()
}

// errNoEntries marks a folder argument that cannot be listed.
var errNoEntries = errors.New("listing the folder")

// walk visits the files at and below dir in order of their names. os.Root
// keeps it inside the argument whatever links there are.
func (o *opener) walk(root *os.Root, dir string, c *container) error {
	entries, err := list(root, dir)
	if err != nil {
		if dir == "." && len(entries) == 0 {
			return fmt.Errorf("%w: %w", errNoEntries, bareError(err))
		}
		if err := o.unreadable(o.claim(c.prefix+memberPath(dir)), bareError(err)); err != nil {
			return err
		}
	}
	for _, entry := range entries {
		if o.full != nil {
			c.stopped(o.full)
			return nil //nolint:nilerr // what could not be listed is a gap already
		}
		name := path.Join(dir, entry.Name())
		var err error
		switch mode := entry.Type(); {
		case mode.IsDir():
			if !o.admit() {
				continue
			}
			c.knows(name)
			err = o.walk(root, name, c)
		case mode.IsRegular():
			c.knows(name)
			err = o.below(root, name, o.claim(c.prefix+memberPath(name)))
		case mode&fs.ModeSymlink != 0:
			target, linkErr := root.Readlink(name)
			if linkErr != nil {
				target = "?"
			}
			c.link(name, filepath.ToSlash(target), true)
		default:
			c.skip(name, kindOfFile(mode))
		}
		if err != nil {
			return err
		}
	}
	if o.full != nil {
		c.stopped(o.full)
	}
	return nil
}

// below reads one file of a folder.
func (o *opener) below(root *os.Root, name, cited string) error {
	// What was a file when the folder was listed may be a pipe by now: opening
	// never waits.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return o.unreadable(cited, bareError(err))
	}
	return o.open(cited, f)
}

// list reads a folder. fs.ReadDir would refuse names that are not UTF-8.
func list(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// admit counts one more entry, and says whether it may be read.
func (o *opener) admit() bool {
	if o.full == nil && o.files >= o.lim.MaxFiles {
		o.full = errFilesLimit
	}
	o.files++
	return o.full == nil
}

// claim makes a path unique.
func (o *opener) claim(cited string) string {
	n := o.taken[cited]
	if n == 0 {
		o.taken[cited] = 1
		return cited
	}
	for {
		n++
		other := fmt.Sprintf("%s~%d", cited, n)
		if o.taken[other] == 0 {
			o.taken[cited], o.taken[other] = n, 1
			return other
		}
	}
}

// emit hands a member to the caller.
func (o *opener) emit(m *Member) error {
	if err := o.ctx.Err(); err != nil {
		return err
	}
	if len(m.Data) > 0 {
		o.found = true
	}
	if len(m.Gaps) > 0 && o.firstGap == "" {
		o.firstGap = m.Gaps[0].Detail
	}
	return o.visit(m)
}

// unreadable emits a file that is there and cannot be read.
func (o *opener) unreadable(cited string, why error) error {
	detail := why.Error()
	if isLimit(why) {
		detail = "not read: " + detail
	}
	return o.emit(&Member{Path: cited, Gaps: []timeline.Gap{gapAt(cited, timeline.GapUnreadable, detail)}})
}

// gapAt is a gap of a whole file.
func gapAt(cited string, kind timeline.GapKind, detail string) timeline.Gap {
	return timeline.Gap{Kind: kind, Detail: detail, Source: timeline.Source{File: cited}}
}

// cutGap says that a file was read up to its first n bytes.
func cutGap(cited string, n int64, why error) timeline.Gap {
	if n == 0 {
		return gapAt(cited, timeline.GapUnreadable, fmt.Sprintf("not read: %v", why))
	}
	how := "damaged or cut off"
	if isLimit(why) {
		how = "not read"
	}
	return gapAt(cited, timeline.GapTruncated, fmt.Sprintf("%s after the first %s: %v", how, binarySize(n), why))
}

// ctxReader ends a long read when the run is interrupted.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// sha256Of hashes a file as received, in hex; "" if it cannot be read to the end, is
// larger than all that may be read, or is not wanted.
func (o *opener) sha256Of(in *received) string {
	if !o.hashes || in.r.Size() > o.lim.MaxTotalBytes {
		return ""
	}
	var r io.ReaderAt = in.r
	if in.disk != nil {
		r = in.disk.File
	}
	h := sha256.New()
	if _, err := io.Copy(h, &ctxReader{o.ctx, io.NewSectionReader(r, 0, in.r.Size())}); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// bareError drops the path that the os package repeats: messages name it as
// the user gave it, and reports must not name folders outside the bundle.
func bareError(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// kindOfFile names what is neither a file nor a folder.
func kindOfFile(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeCharDevice != 0:
		return "character device"
	case mode&fs.ModeDevice != 0:
		return "block device"
	case mode&fs.ModeNamedPipe != 0:
		return "named pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	default:
		return "special file"
	}
}
