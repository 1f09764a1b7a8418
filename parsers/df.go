package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// dfParser reads how full filesystems are.
var dfParser = Parser{
	Name:  "df",
	Doc:   "df, df -h, df -T and df -i.",
	Sniff: sniffDF,
	Parse: parseDF,
}

func sniffDF(f *File) bool {
	if f.blank() {
		return f.ran("df")
	}
	for _, s := range f.firstLines(3) {
		if _, ok := dfHeader(s); ok {
			return true
		}
	}
	return false
}

func parseDF(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	var rest leftovers
	var table dfTable
	for l := range f.lines() {
		if !table.line(f, b, l) {
			rest.add(f, b, l)
		}
	}
	rest.report(b)
	return nil
}

// dfTable reads the rows below a header.
type dfTable struct {
	begun, inodes bool
	device        string // alone on its line because it is long; its row follows
}

// dfHeader recognises the header and says whether inodes are counted.
func dfHeader(s string) (inodes, ok bool) {
	s = strings.TrimSpace(s)
	if !strings.HasPrefix(s, "Filesystem ") || !strings.HasSuffix(s, "Mounted on") {
		return false, false
	}
	return strings.Contains(s, "IUse%"), strings.Contains(s, "Use%") || strings.Contains(s, "Capacity")
}

// line takes a header or a row; false if it is neither. Rows without a
// percentage (proc, sysfs) tell nothing and are passed over.
func (t *dfTable) line(f *File, b *timeline.Builder, l line) bool {
	if inodes, ok := dfHeader(l.text); ok {
		*t = dfTable{begun: true, inodes: inodes}
		b.Input.Records++
		return true
	}
	if !t.begun {
		return false
	}
	words := strings.Fields(l.text)
	if len(words) == 1 && !strings.HasPrefix(l.text, " ") {
		t.device = words[0]
		return true
	}
	percent := -1
	for i := 2; i < len(words)-1 && i < 8; i++ {
		if w := words[i]; w == "-" && strings.HasPrefix(words[i+1], "/") {
			t.device = ""
			return true
		} else if strings.HasSuffix(w, "%") && strings.HasPrefix(words[i+1], "/") {
			percent = i
			break
		}
	}
	if percent < 0 {
		return false
	}
	used, ok := decimal(strings.TrimSuffix(words[percent], "%"))
	if !ok {
		return false
	}
	fs := timeline.Filesystem{Device: words[0], UsePercent: used, Inodes: t.inodes, Fact: factAt(f, b, l)}
	if t.device != "" && strings.HasPrefix(l.text, " ") {
		fs.Device = t.device
	}
	t.device = ""
	// The mount point is the rest of the line and may hold blanks.
	fs.Mount = l.text[strings.Index(l.text, words[percent]+" ")+len(words[percent]):]
	fs.Mount = strings.TrimSpace(fs.Mount)
	keepFact(b, &b.Filesystems, fs)
	return true
}
