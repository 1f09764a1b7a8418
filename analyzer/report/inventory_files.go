package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"podautopsy/analyzer"
)

// state is what became of a file.
func state(in *analyzer.Input) string {
	switch {
	case isContainer(in.Format):
		return "archive"
	case in.Empty:
		return "empty"
	case in.Format != "" && in.Records > 0:
		return "read"
	case in.Unused != "":
		return "known, not used"
	case in.Format != "":
		return "known, not used"
	case slices.ContainsFunc(in.Gaps, func(g analyzer.Gap) bool { return g.Kind == "unreadable" }):
		return "unreadable"
	}
	return "not understood"
}

// isContainer says whether an input stands for what other inputs came out of.
func isContainer(format string) bool {
	switch format {
	case "directory", "tar", "tar.gz", "tar.xz", "tar.bz2", "tar.zst", "tar.lz4", "zip":
		return true
	}
	return false
}

// states are what files may have become, in the order in which they are told.
var states = []string{"read", "known, not used", "empty", "not understood", "unreadable", "archive"}

// stateLine counts the files by what became of them.
func stateLine(inputs []analyzer.Input) string {
	counts := map[string]int{}
	for n := range inputs {
		counts[state(&inputs[n])]++
	}
	var parts []string
	for _, s := range states {
		switch {
		case counts[s] == 0 || s == "archive":
		default:
			parts = append(parts, thousands(counts[s])+" "+s)
		}
	}
	total := thousands(len(inputs)-counts["archive"]) + " files"
	if len(inputs)-counts["archive"] == 1 {
		total = "1 file"
	}
	if n := counts["archive"]; n > 0 {
		total += " in " + plural(n, "archive")
	}
	if len(parts) == 0 {
		return total
	}
	return total + ": " + strings.Join(parts, ", ")
}

// thousands writes a number in groups of three digits.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for at := len(s) - 3; at > 0; at -= 3 {
		s = s[:at] + "," + s[at:]
	}
	return s
}

// folder is the files of one format below one folder.
type folder struct {
	root, path, format string
	files              int
	records            int
}

// foldersOn lists the files of each bundle by folder and format, as deep as a
// page of so many rows takes.
func foldersOn(b *analyzer.Bundle, page int) []folder {
	var rows []folder
	for depth := 6; depth >= 0; depth-- {
		if rows = byFolder(b, depth); len(rows) <= page {
			break
		}
	}
	return rows
}

// folders lists the files by folder and format.
func (i *inventory) folders() {
	const page = 40
	rows := foldersOn(i.bundle, page)
	i.heading("FILES", "by folder and format; --files lists each")
	widest := 0
	for _, r := range rows {
		widest = max(widest, len(r.format))
	}
	root := ""
	const most = 3 * page
	for n, r := range rows {
		if n == most {
			files := 0
			for _, r := range rows[n:] {
				files += r.files
			}
			i.paragraph("  ", fmt.Sprintf("and %s files in %d other rows", thousands(files), len(rows)-n))
			break
		}
		if r.root != root {
			root = r.root
			i.paragraph("  ", i.styles.strong.Render(root))
		}
		records := ""
		if r.records > 0 {
			records = "  " + i.styles.faint.Render(unbroken(thousands(r.records)+" "+recordWord(r.records)))
		}
		i.paragraph(fmt.Sprintf("  %6s  %s  ", thousands(r.files), pad(r.format, widest)), r.path+records)
	}
}

func recordWord(n int) string {
	if n == 1 {
		return "record"
	}
	return "records"
}

// byFolder counts the files of each format below each folder, folders no
// deeper than depth below their bundle.
func byFolder(b *analyzer.Bundle, depth int) []folder {
	type key struct{ root, path, format string }
	counted := map[key]*folder{}
	common := commonFolder(b.Inputs)
	for n := range b.Inputs {
		in := &b.Inputs[n]
		s := state(in)
		if s == "archive" {
			continue
		}
		root := rootOf(b, in.Path)
		if root == "" {
			root = common
		}
		k := key{root, folderOf(in.Path[len(root):], depth), formatWord(in, s)}
		f := counted[k]
		if f == nil {
			f = &folder{root: printable(root), path: printable(k.path), format: printable(k.format)}
			counted[k] = f
		}
		f.files++
		f.records += in.Records
	}
	rows := make([]folder, 0, len(counted))
	for _, f := range counted {
		rows = append(rows, *f)
	}
	slices.SortFunc(rows, func(a, b folder) int {
		return cmp.Or(strings.Compare(a.root, b.root), strings.Compare(a.path, b.path), strings.Compare(a.format, b.format))
	})
	return rows
}

// rootOf is what stands before the paths of the bundle that a file is in, the
// innermost.
func rootOf(b *analyzer.Bundle, path string) string {
	root := ""
	for _, l := range b.Layouts {
		if len(l.Root) > len(root) && strings.HasPrefix(path, l.Root) {
			root = l.Root
		}
	}
	return root
}

// shownPath is a path as an inventory names it: without the archive around the
// folder that a bundle is packed in.
func shownPath(b *analyzer.Bundle, path string) string {
	root := rootOf(b, path)
	name := strings.TrimRight(root, "/!")
	return path[strings.LastIndexAny(name, "/!")+1:]
}

// formatWord is the format, or why there is none.
func formatWord(in *analyzer.Input, state string) string {
	switch state {
	case "read":
		return in.Format
	case "known, not used":
		return "known, not used: " + cmp.Or(in.Unused, in.Format)
	}
	return "(" + state + ")"
}

// folderOf is a file's folder, cut to a number of names.
func folderOf(path string, depth int) string {
	end := 0
	for range depth {
		next := strings.IndexAny(path[end:], "/!")
		if next < 0 {
			break
		}
		end += next + 1
	}
	if end == 0 {
		return "."
	}
	return path[:end]
}

// commonFolder is the longest folder that all files are below.
func commonFolder(inputs []analyzer.Input) string {
	common, first := "", true
	for n := range inputs {
		if isContainer(inputs[n].Format) {
			continue
		}
		path := inputs[n].Path
		dir := path[:strings.LastIndexAny(path, "/!")+1]
		if first {
			common, first = dir, false
		}
		for !strings.HasPrefix(dir, common) {
			common = common[:strings.LastIndexAny(strings.TrimRight(common, "/!"), "/!")+1]
		}
	}
	return common
}

// files lists every file below its node, with its gaps.
func (i *inventory) files() {
	for _, g := range byNode(i.bundle.Inputs) {
		title := "no node"
		if g.node != "" {
			title = "node " + printable(g.node)
		}
		i.heading("INPUTS", title+", "+plural(len(g.inputs), "file"))
		for _, like := range i.similar(g.inputs) {
			if len(like) <= fewAlike {
				for _, in := range like {
					i.file(in)
				}
				continue
			}
			i.file(like[0])
			i.paragraph("      ", i.styles.faint.Render(fmt.Sprintf("and %s like it, %s: -o json lists each", thousands(len(like)-1), state(like[0]))))
		}
	}
}

// fewAlike files are listed each, although nothing but a figure is different.
const fewAlike = 3

// similar puts files together that differ in figures alone, such as those of
// every process, and those of one part of a bundle that are not used, for the same
// reason. Logs are no such files: each covers a time of its own.
func (i *inventory) similar(inputs []*analyzer.Input) [][]*analyzer.Input {
	var groups [][]*analyzer.Input
	at := map[string]int{}
	for n, in := range inputs {
		key := strconv.Itoa(n)
		if in.FirstTime == nil {
			about := figures.ReplaceAllString(in.Path, "#")
			if state(in) == "known, not used" || state(in) == "empty" {
				root := rootOf(i.bundle, in.Path)
				about = root + folderOf(in.Path[len(root):], 1)
			}
			word := in.Format
			if s := state(in); s != "read" {
				word = s
			}
			key = about + "\x00" + word
			for _, g := range in.Gaps {
				key += "\x00" + g.Kind + figures.ReplaceAllString(g.Detail, "#")
			}
		}
		g, ok := at[key]
		if !ok {
			g = len(groups)
			at[key] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], in)
	}
	return groups
}

func (i *inventory) file(in *analyzer.Input) {
	format := printable(in.Format)
	if s := state(in); s != "read" && s != "archive" {
		format = i.styles.warn.Render(printable(formatWord(in, s)))
	}
	i.paragraph("  "+i.marks.bullet+" ", printable(shownPath(i.bundle, in.Path))+"  "+format+"  "+plural(in.Records, "record")+
		i.styles.faint.Render(timeRange(*in, i.clock, i.marks.dash)))
	for _, g := range in.Gaps {
		i.paragraph("      ", i.styles.warn.Render(printable(g.Kind))+" "+quote(g.Detail))
	}
}

// nodeInputs is the files of one node, "" for those of none.
type nodeInputs struct {
	node   string
	inputs []*analyzer.Input
}

func byNode(inputs []analyzer.Input) []*nodeInputs {
	var out []*nodeInputs
	found := map[string]*nodeInputs{}
	for i := range inputs {
		n := value(inputs[i].Node)
		g := found[n]
		if g == nil {
			g = &nodeInputs{node: n}
			found[n] = g
			out = append(out, g)
		}
		g.inputs = append(g.inputs, &inputs[i])
	}
	return out
}
