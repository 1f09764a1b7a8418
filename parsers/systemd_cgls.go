package parsers

import (
	"path"
	"strings"
	"unicode/utf8"

	"podautopsy/timeline"
)

// systemdCglsParser reads the tree of control groups with the processes in them.
var systemdCglsParser = Parser{
	Name:  "systemd-cgls",
	Doc:   "systemd-cgls: the tree of control groups and the processes in each.",
	Sniff: sniffCgls,
	Parse: parseCgls,
}

// cgroupRoot is where the tree is mounted.
const cgroupRoot = "/sys/fs/cgroup"

func sniffCgls(f *File) bool {
	if f.blank() {
		return f.ran("systemd-cgls")
	}
	lines := f.firstLines(3)
	heading := strings.HasPrefix(lines[0], "Control group /") || strings.HasPrefix(lines[0], "Working directory /sys/fs/cgroup") ||
		lines[0] == "-.slice" || strings.HasPrefix(lines[0], "CGroup /")
	return heading && len(lines) > 1 && (lines[1] == "-.slice" || cglsDepth(lines[1]) > 0) || f.ran("systemd-cgls") && cglsDepth(lines[len(lines)-1]) > 0
}

func parseCgls(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := cglsReader{file: f, b: b}
	for l := range f.lines() {
		r.line(l)
	}
	r.rest.report(b)
	return nil
}

type cglsReader struct {
	file *File
	b    *timeline.Builder
	open []string // the groups above, by depth
	rest leftovers
}

func (r *cglsReader) line(l line) {
	s := strings.TrimRight(l.text, " ")
	depth := cglsDepth(s)
	name := strings.TrimLeft(s, cglsBranches)
	switch {
	case s == "":
		return
	case depth == 0: // a heading, or the root
		r.open = r.open[:0]
		for _, lead := range [...]string{"Control group ", "Working directory " + cgroupRoot, "CGroup "} {
			if group, ok := strings.CutPrefix(s, lead); ok {
				if group = strings.Trim(strings.TrimSuffix(group, ":"), "/"); group != "" {
					r.open = append(r.open, group)
				}
				return
			}
		}
		if s != "-.slice" {
			r.rest.add(r.file, r.b, l)
		}
		return
	case depth > maxCgroupDepth:
		r.rest.add(r.file, r.b, l)
		return
	}
	word, command := nextWord(name)
	if pid, ok := decimal(word); ok && pid > 0 && strings.TrimSpace(command) != "" {
		keepFact(r.b, &r.b.Processes, timeline.Process{
			PID: pid, Command: strings.TrimSpace(command), Cgroup: "/" + path.Join(r.open[:min(depth, len(r.open))]...), Fact: factAt(r.file, r.b, l),
		})
		return
	}
	r.open = append(r.open[:min(depth-1, len(r.open))], word)
	if p := path.Join(append([]string{cgroupRoot}, r.open...)...); tellsOfPods(p) && strings.Contains(p, "pod") {
		keepFact(r.b, &r.b.Paths, timeline.Path{Path: p, Dir: true, Fact: factAt(r.file, r.b, l)})
	}
}

// maxCgroupDepth bounds what a hostile text may nest.
const maxCgroupDepth = 64

// cglsBranches draw the tree, in UTF-8 or ASCII.
const cglsBranches = "│├└─ |`-"

// cglsDepth is how deep in the tree a line stands: each level takes two
// columns.
func cglsDepth(s string) int {
	bare := strings.TrimLeft(s, cglsBranches)
	drawn := s[:len(s)-len(bare)]
	if !strings.ContainsAny(drawn, "├└|`") {
		return 0
	}
	return utf8.RuneCountInString(drawn) / 2
}
