package parsers

import (
	"cmp"
	"strings"
	"time"

	"podautopsy/timeline"
)

// Layout is a way in which a collector lays out a bundle.
type Layout struct {
	// Name is the layout as reports print it: "sosreport".
	Name string
	// Doc says in one sentence what writes it.
	Doc string
	// Marks are what tells the layout, as alternatives: a bundle holds all
	// paths of one of them. A path ends in "/" where anything below it will
	// do; "*" stands for one name.
	Marks [][]string
	// Format names the parser of files that are each a bundle of their own.
	Format string
	// Specimen names bundles that the real collector made and that this layout
	// was tried on. Empty: it rests on the collector's source code alone, and
	// reports say that it is unverified.
	Specimen string
	// Fills are the options or commands by which the same collector brings
	// what its bundles lack, by kind of evidence; NODE, NS and POD stand for
	// names.
	Fills map[timeline.Carries]string
	// Place says what the layout tells of a file. root is where the bundle
	// begins, "" or with "/" or "!" at its end; rel is the file's path below.
	Place func(root, rel string) Place
	// Index reads a file in which the collector notes what it did, and tells
	// what that says of other files, by their paths below root or, ending in
	// "/", of all that is below. Nil where the collector writes none.
	Index func(rel string, data []byte, tell func(rel string, told Place))
	// Checksums says whether a file, by its path below root, notes the
	// checksums of others. Nil where the collector notes none.
	Checksums func(rel string) bool
}

// Place is what a bundle's layout tells of one file; what is not told is zero.
type Place struct {
	// Folder is the part of the path below which everything is of one machine.
	Folder string
	// Node is that machine's name as the layout tells it. The machine itself
	// knows better: a folder's name may carry a ticket number, or be masked.
	Node string
	// Command printed the file.
	Command string
	// Zone of times that carry none: "UTC" where the collector sees to it.
	Zone string
	// CapturedAt is when the collector began.
	CapturedAt time.Time
	// Cut: the collector kept only a part of the file.
	Cut bool
}

// Layouts are the layouts that are recognised. Kubectl, what everything else
// is, comes last.
func Layouts() []Layout {
	return []Layout{
		podautopsyLayout, sosreportLayout, insightsLayout, mustGatherLayout, troubleshootLayout, rancherSupportBundleLayout,
		rancherLogsLayout, eksLayout, aksLayout, periscopeLayout,
		kindLayout, minikubeLayout, logDumpLayout, clusterAPILayout, clusterInfoDumpLayout, kubectlLayout,
	}
}

// foundBundles are the bundles found among the files given.
type foundBundles struct {
	roots map[string]Layout
	told  map[string]Place // by the bundles' own indexes; by path, or by folder with its "/"
	loose map[string]bool  // dumps and logs that are in no bundle

	checksums checksums
}

// ReadIndex lets the bundle that a file is in say what the file tells of others.
func (b foundBundles) ReadIndex(path string, data []byte) {
	root, layout, ok := b.enclosing(path)
	if !ok || layout.Index == nil {
		return
	}
	layout.Index(path[len(root):], data, func(rel string, told Place) {
		known := b.told[root+rel]
		b.told[root+rel] = known.with(told)
	})
}

// with adds what is told of a file.
func (p Place) with(told Place) Place {
	p.Folder = cmp.Or(told.Folder, p.Folder)
	p.Node = cmp.Or(told.Node, p.Node)
	p.Command = cmp.Or(told.Command, p.Command)
	p.Zone = cmp.Or(told.Zone, p.Zone)
	p.Cut = p.Cut || told.Cut
	if !told.CapturedAt.IsZero() {
		p.CapturedAt = told.CapturedAt
	}
	return p
}

// recognise finds the bundles among paths, which are those of all members.
// There may be several, also one inside another: sos collect packs sosreports.
func recognise(paths []string) foundBundles {
	bundles := foundBundles{roots: map[string]Layout{}, told: map[string]Place{}, loose: map[string]bool{}, checksums: newChecksums()}
	for _, layout := range Layouts() {
		for _, alternative := range layout.Marks {
			for _, root := range rootsOf(paths, alternative) {
				if _, taken := bundles.roots[root]; !taken {
					bundles.roots[root] = layout
				}
			}
		}
	}
	for _, p := range paths {
		if _, _, ok := bundles.enclosing(p); !ok && isDumpOrLog(p) {
			bundles.loose[p] = true
		}
	}
	return bundles
}

// Read tells the format that a file turned out to have: some collectors write
// one file, whose name tells nothing.
func (b foundBundles) Read(path, format string) {
	if _, _, ok := b.enclosing(path); ok || format == "" {
		return
	}
	for _, layout := range Layouts() {
		if layout.Format == format {
			b.roots[path] = layout
			delete(b.loose, path)
		}
	}
}

// Name is the layout of the whole: "mixed" where there are several.
func (b foundBundles) Name() string {
	name := ""
	if len(b.loose) > 0 {
		name = kubectlLayout.Name
	}
	for _, layout := range b.roots {
		if name != "" && name != layout.Name {
			return "mixed"
		}
		name = layout.Name
	}
	if name == "" {
		return kubectlLayout.Name
	}
	return name
}

// Place says what the bundle that a file is in tells of it.
func (b foundBundles) Place(path string) Place {
	root, layout, ok := b.enclosing(path)
	if !ok {
		return Place{}
	}
	place := layout.Place(root, path[len(root):])
	if layout.Index != nil {
		place = b.indexed(place, path, len(root))
	}
	if asksForUTC(place.Command) {
		place.Zone = "UTC"
	}
	return place
}

// indexed adds what the bundle's indexes tell of a file and of the folders
// around it, from below its root on.
func (b foundBundles) indexed(place Place, path string, root int) Place {
	for end := root; ; {
		if told, ok := b.told[path[:end]]; ok {
			place = place.with(told)
		}
		next := strings.IndexByte(path[end:], '/')
		if next < 0 {
			return place.with(b.told[path])
		}
		end += next + 1
	}
}

// asksForUTC says whether a command prints times in UTC whatever the machine's
// zone is.
func asksForUTC(command string) bool {
	f := File{Command: command}
	return strings.Contains(command, "--utc") && f.ran("journalctl", "--utc")
}

// enclosing is the innermost bundle around a path.
func (b foundBundles) enclosing(path string) (string, Layout, bool) {
	for end := len(path); end >= 0; end = strings.LastIndexAny(path[:end], "/!") {
		root := path[:min(end+1, len(path))]
		if layout, ok := b.roots[root]; ok {
			return root, layout, true
		}
	}
	layout, ok := b.roots[""]
	return "", layout, ok
}

// rootsOf lists the places below which all marks are found.
func rootsOf(paths, marks []string) []string {
	seen := map[string]uint64{}
	for _, path := range paths {
		for i, mark := range marks {
			if root, ok := rootOfMark(path, mark); ok {
				seen[root] |= 1 << i
			}
		}
	}
	var roots []string
	for root, found := range seen {
		if found == 1<<len(marks)-1 {
			roots = append(roots, root)
		}
	}
	return roots
}

// rootOfMark finds a mark in a path, the outermost if there are several, and
// says what stands before it.
func rootOfMark(path, mark string) (root string, ok bool) {
	literal, _, _ := strings.Cut(strings.TrimPrefix(mark, "*/"), "*")
	if !strings.Contains(path, literal) {
		return "", false
	}
	for start := 0; ; {
		if beginsWithMark(path[start:], mark) {
			return path[:start], true
		}
		next := strings.IndexAny(path[start:], "/!")
		if next < 0 {
			return "", false
		}
		start += next + 1
	}
}

func beginsWithMark(path, mark string) bool {
	for mark != "" {
		want, markRest, more := strings.Cut(mark, "/")
		name, rest, below := strings.Cut(path, "/")
		if want != "*" && name != want || name == "" || strings.Contains(name, "!") {
			return false
		}
		if !more {
			return !below
		}
		if !below {
			return false
		}
		mark, path = markRest, rest
	}
	return true
}

// isDumpOrLog says whether a path's name is one that people give to dumps and
// logs, as against checksums and notes beside a bundle.
func isDumpOrLog(path string) bool {
	for _, suffix := range []string{".yaml", ".yml", ".json", ".log", ".export", ".journal"} {
		if strings.HasSuffix(path, suffix) {
			return true
		}
	}
	return false
}

// outermost is the first name of a path, and what is below it.
func outermost(rel string) (name, below string) {
	name, below, _ = strings.Cut(rel, "/")
	return name, below
}

// topFolder is the name of the folder that root is.
func topFolder(root string) string {
	root = strings.TrimRight(root, "/!")
	return root[strings.LastIndexAny(root, "/!")+1:]
}
