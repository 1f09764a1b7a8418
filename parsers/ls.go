package parsers

import (
	"path"
	"strings"
	"time"

	"podautopsy/timeline"
)

// lsParser reads directories as ls and find print them.
var lsParser = Parser{
	Name:  "ls",
	Doc:   "ls -l and ls -lR, bare ls of a directory that the command names, and find: the kubelet's pod folders, CNI's and the runtimes'.",
	Sniff: sniffLS,
	Parse: parseLS,
}

func sniffLS(f *File) bool {
	if f.blank() {
		return f.ran("ls") || f.ran("find")
	}
	lines := f.firstLines(4)
	for i, s := range lines {
		if isLongLine(s) || isFoundPath(s) {
			return true
		}
		if _, ok := listHeading(s); ok && i+1 < len(lines) && (strings.HasPrefix(lines[i+1], "total ") || isLongLine(lines[i+1])) {
			return true
		}
	}
	if strings.HasPrefix(lines[0], "total 0") && len(lines) == 1 {
		return true
	}
	return f.ran("ls") && listedDirectory(f) != "" && !strings.Contains(lines[0], " ")
}

func parseLS(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := newLister(f, b)
	var rest leftovers
	for l := range f.lines() {
		if !r.line(l) {
			rest.add(f, b, l)
		}
	}
	r.end()
	rest.report(b)
	return nil
}

// lister reads the lines of ls and find.
type lister struct {
	file *File
	b    *timeline.Builder
	dir  string // whose content is being listed, "" if not told
	bare bool   // names without details, as plain ls prints them
	seen bool
	// places are the indexes of paths that find printed, by path, to learn from
	// their children that they are directories.
	places map[string]int
	whole  bool // find showed every level
}

func newLister(f *File, b *timeline.Builder) *lister {
	r := &lister{file: f, b: b, dir: listedDirectory(f), places: make(map[string]int)}
	_, r.bare = f.invocation("ls")
	r.bare = r.bare && r.dir != ""
	if v, ok := f.invocation("find"); ok {
		r.whole = !f.filtered()
		for _, w := range v {
			switch w {
			case "-maxdepth", "-name", "-path", "-newer", "-mtime", "-prune", "-mindepth", "-type", "-xdev", "-mount":
				r.whole = false
			}
		}
	}
	return r
}

// listedDirectory is the directory whose bare names the text must hold: the
// one operand of ls, the folder where it ran, or what the file's name says.
func listedDirectory(f *File) string {
	if v, ok := f.invocation("ls"); ok {
		dirs := v.operands()
		if f.counted() {
			return ""
		}
		if len(dirs) == 0 && f.Dir != "" {
			return f.Dir
		}
		if len(dirs) == 1 && !v.option('d', "directory") && strings.HasPrefix(dirs[0], "/") && !strings.ContainsAny(dirs[0], "*?[") {
			return path.Clean(dirs[0])
		}
		return ""
	}
	name := f.base()
	if f.Command != "" {
		if name = f.shownFile(); name == "" {
			return ""
		}
	}
	name, _, _ = strings.Cut(name, ".")
	switch name = strings.ReplaceAll(name, "_", "-"); {
	case strings.HasSuffix(name, "netns"):
		return netnsDir
	case strings.HasSuffix(name, "kubelet-pods"):
		return "/var/lib/kubelet/pods"
	}
	return ""
}

// line takes one line; false if it belongs to no listing.
func (r *lister) line(l line) bool {
	s := l.text
	switch {
	case strings.TrimSpace(s) == "":
		return true
	case strings.HasPrefix(s, "total "):
		if _, ok := nextNumber(s[len("total "):]); !ok {
			return false
		}
		if !r.seen {
			r.listed(l)
		}
		return true
	case r.entry(s, l):
		return true
	case isFoundPath(s):
		r.found(s, l)
		return true
	}
	if dir, ok := listHeading(s); ok {
		r.dir, r.seen = dir, false
		r.listed(l)
		return true
	}
	if r.bare && !strings.Contains(s, " ") {
		r.keep(timeline.Path{Path: path.Join(r.dir, s), Fact: factAt(r.file, r.b, l)})
		return true
	}
	return false
}

// listed notes that the content of the present directory follows.
func (r *lister) listed(l line) {
	r.seen = true
	if r.dir != "" {
		r.keep(timeline.Path{Path: r.dir, Dir: true, Listed: !r.file.filtered(), Fact: factAt(r.file, r.b, l)})
	}
}

// entry reads a line of ls -l or find -ls; false if it is none.
func (r *lister) entry(s string, l line) bool {
	mode, size, name, ok := longLine(s)
	if !ok || name == "." || name == ".." {
		return ok
	}
	p := timeline.Path{Dir: mode == 'd', Size: int64(size), Modified: fullISO(s), Fact: factAt(r.file, r.b, l)}
	if mode == 'l' {
		name, p.Link, _ = strings.Cut(name, " -> ")
	}
	switch {
	case strings.HasPrefix(name, "/"):
		p.Path = path.Clean(name)
	case r.dir != "":
		p.Path = path.Join(r.dir, name)
	default:
		p.Path = name
	}
	r.keep(p)
	return true
}

// found reads a line of find: a path, with -printf a letter for the type
// before it.
func (r *lister) found(s string, l line) {
	p := timeline.Path{Fact: factAt(r.file, r.b, l)}
	if len(s) > 2 && s[1] == ' ' {
		p.Dir, s = s[0] == 'd', s[2:]
	}
	p.Path = path.Clean(s)
	p.Listed = p.Dir && r.whole
	if i, ok := r.places[path.Dir(p.Path)]; ok {
		r.b.Paths[i].Dir, r.b.Paths[i].Listed = true, !r.file.filtered()
	}
	if r.keep(p) {
		r.places[p.Path] = len(r.b.Paths) - 1
	}
}

// keep drops what lies elsewhere than pods, volumes and networks do: a listing
// of /var/log or /lib would bury the rest.
func (r *lister) keep(p timeline.Path) bool {
	if !strings.HasPrefix(p.Path, "/") && r.dir != "" || !tellsOfPods(p.Path) && !r.asked(p.Path) {
		return false
	}
	keepFact(r.b, &r.b.Paths, p)
	return true
}

// asked says that the command names this very place.
func (r *lister) asked(p string) bool {
	return r.file.Command != "" && strings.Contains(r.file.Command, p)
}

// tellsOfPods says whether a path lies where a pod may leave something.
func tellsOfPods(p string) bool {
	for _, part := range [...]string{"kubelet", "/pods", "/cni", "netns", "containerd", "/docker", "crio", "/containers", "kubernetes", "/proc/", "/cgroup", "/dev/"} {
		if strings.Contains(p, part) {
			return true
		}
	}
	return false
}

func (r *lister) end() { r.places = nil }

// listHeading reads "/var/lib/kubelet/pods:", which heads each directory of
// ls -R.
func listHeading(s string) (dir string, ok bool) {
	dir, ok = strings.CutSuffix(s, ":")
	if !ok || len(dir) > 4096 || !strings.HasPrefix(dir, "/") {
		return "", false
	}
	return path.Clean(dir), true
}

// isFoundPath recognises a line of find under an absolute path.
func isFoundPath(s string) bool {
	if len(s) > 2 && s[1] == ' ' && strings.IndexByte("dflpsbcDN", s[0]) >= 0 {
		s = s[2:]
	}
	return len(s) > 1 && s[0] == '/' && s[1] != '/' && len(s) < 4096 && !strings.HasSuffix(s, ":") &&
		!strings.Contains(s, ": ") && strings.Count(s, " ") < 3 && strings.Count(s, "/") > 1 &&
		!strings.HasPrefix(s, "/sys/") && !strings.HasPrefix(s, "/proc/")
}

// isLongLine recognises a line of ls -l, or of find -ls.
func isLongLine(s string) bool {
	_, _, _, ok := longLine(s)
	return ok
}

// longLine takes a line of ls -l apart: type, size and the name, for a link
// with its target. Owner, group and security context may stand in between.
func longLine(s string) (mode byte, size int, name string, ok bool) {
	if len(s) < 10 || len(s) > 8192 || strings.IndexByte("-dlcbps 0123456789", s[0]) < 0 {
		return 0, 0, "", false
	}
	w, rest := nextWord(s)
	for range 2 { // find -ls and ls -is print inode and blocks first
		if _, isNumber := decimal(w); isNumber {
			w, rest = nextWord(rest)
		}
	}
	if !isFileMode(w) {
		return unreadableEntry(w, rest)
	}
	mode = w[0]
	last := ""
	for range 8 {
		w, rest = nextWord(rest)
		if w == "" {
			return 0, 0, "", false
		}
		after, dated := afterListDate(w, rest)
		if !dated {
			last = w
			continue
		}
		size, _ = decimal(last)
		name = strings.TrimPrefix(after, " ")
		return mode, size, name, name != ""
	}
	return 0, 0, "", false
}

// unreadableEntry reads "d????????? ? ? ? ? ? mount", which ls prints of what
// it cannot stat: the mount below is dead.
func unreadableEntry(mode, rest string) (byte, int, string, bool) {
	if len(mode) != 10 || mode[1:] != "?????????" {
		return 0, 0, "", false
	}
	name := strings.TrimLeft(rest, " ?")
	return mode[0], 0, name, name != ""
}

// afterListDate reads the date that begins with word and returns what follows:
// "Nov 30 08:19", "Nov 14  2024", "30 Nov 08:19", "2026-11-30 08:19" or
// "2026-11-30 08:19:51.000000000 +0000".
func afterListDate(word, rest string) (after string, ok bool) {
	if len(word) == 10 && word[4] == '-' && word[7] == '-' {
		_, rest = nextWord(rest)
		if zone, after := nextWord(rest); len(zone) == 5 && (zone[0] == '+' || zone[0] == '-') {
			return after, true
		}
		return rest, true
	}
	second, after := nextWord(rest)
	clock, after := nextWord(after)
	if len(clock) < 4 || len(clock) > 5 || !isDigit(clock[0]) {
		return "", false
	}
	day, name := second, word
	if len(word) <= 2 {
		day, name = word, second
	}
	_, isDay := decimal(day)
	_, isMonth := monthNamed(strings.TrimSuffix(name, "."))
	return after, isDay && len(day) <= 2 && isMonth
}

// isFileMode recognises "drwxr-x---", with a mark for a context or ACL.
func isFileMode(w string) bool {
	if len(w) != 10 && (len(w) != 11 || strings.IndexByte(".+@", w[10]) < 0) || strings.IndexByte("-dlcbps", w[0]) < 0 {
		return false
	}
	for i := 1; i < 10; i++ {
		if strings.IndexByte("rwxsStT-", w[i]) < 0 {
			return false
		}
	}
	return true
}

// nextNumber reads a size as "total" prints it: digits, a dot, a unit.
func nextNumber(s string) (string, bool) {
	w, _ := nextWord(s)
	return w, w != "" && isDigit(w[0])
}

// fullISO reads the time of ls --time-style=full-iso, the only one that is
// whole: "2026-11-30 08:19:51.000000000 +0000".
func fullISO(s string) time.Time {
	const form = "2006-01-02 15:04:05.000000000 -0700"
	for i := strings.IndexByte(s, '-'); i >= 0 && i+len(form) < len(s); {
		if i >= 4 && i+len(form)-4 <= len(s) {
			if t, err := time.Parse(form, s[i-4:i-4+len(form)]); err == nil {
				return t.UTC()
			}
		}
		next := strings.IndexByte(s[i+1:], '-')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return time.Time{}
}

// shownFile is the name of the one file that a command showed as it stood: what
// a listing was saved in tells of which directory it is.
func (f *File) shownFile() string {
	for _, tool := range [...]string{"cat", "type", "less", "more"} {
		if v, ok := f.invocation(tool); ok && !f.filtered() {
			if names := v.operands(); len(names) == 1 {
				return path.Base(names[0])
			}
		}
	}
	return ""
}
