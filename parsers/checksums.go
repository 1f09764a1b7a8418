package parsers

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// checksumFile is what sha256sum wrote of all that was collected.
const checksumFile = "SHA256SUMS"

// IsChecksumFile says whether a file holds the checksums of others, as
// sha256sum writes them. Of a copy that was rewritten they are not true.
func IsChecksumFile(name string) bool {
	return name[strings.LastIndexAny(name, "/!")+1:] == checksumFile
}

// checksum is what a collector noted of one file when it had written it.
type checksum struct {
	path, sha256 string
	list         string // that notes it
	line         int
}

// checksumsIn are what a list of a collector says, SHA256SUMS or commands.tsv;
// root is where what it names begins. What runs into a time limit may be
// written to yet when its checksum is taken.
func checksumsIn(root, list string, data []byte) []checksum {
	row := sha256sumRow
	if !IsChecksumFile(list) {
		row = func(text string) (sum, file string, ok bool) {
			ran, ok := commandRow(text)
			return ran.sha256, ran.file, ok && ran.status != timedOutStatus
		}
	}
	var noted []checksum
	n := 0
	for text := range strings.Lines(string(data)) {
		n++
		if !strings.HasSuffix(text, "\n") {
			break // cut, perhaps in the middle of a name
		}
		if sum, file, ok := row(strings.TrimRight(text, "\r\n")); ok && isSHA256(sum) && file != "" {
			noted = append(noted, checksum{path: root + memberPath(file), sha256: sum, list: list, line: n})
		}
	}
	return noted
}

// NotesChecksums says whether a text is a list of commands that has checksums
// of what they printed.
func NotesChecksums(text string) bool { return strings.HasPrefix(text, commandsHeading) }

// WithoutChecksums is a list of commands for a copy that is rewritten: with the
// checksums only of files that were no longer as collected, or not there; is
// gives those of the files that were, by Member.Path.
func WithoutChecksums(list, text string, is map[string]string) string {
	root := list[:strings.LastIndexAny(list, "/!")+1]
	var out strings.Builder
	for line := range strings.Lines(text) {
		if ran, ok := commandRow(line); ok && isSHA256(ran.sha256) {
			sum, there := is[root+memberPath(ran.file)]
			if ran.status == timedOutStatus || there && (sum == "" || sum == ran.sha256) {
				line = strings.Replace(line, "\t"+ran.sha256+"\t", "\t-\t", 1)
			}
		}
		out.WriteString(line)
	}
	return out.String()
}

// sha256sumRow reads a line of sha256sum: the sum, a blank, a blank or "*", and
// the name.
func sha256sumRow(text string) (sum, file string, ok bool) {
	const digits = 2 * sha256.Size
	if len(text) < digits+3 || text[digits] != ' ' || text[digits+1] != ' ' && text[digits+1] != '*' {
		return "", "", false
	}
	return text[:digits], text[digits+2:], true
}

func isSHA256(sum string) bool {
	raw, err := hex.DecodeString(sum)
	return err == nil && len(raw) == sha256.Size && strings.ToLower(sum) == sum
}

// Checksum is the sha256 of the member as received, in hex. It is "" where the
// file was not read whole, or came packed inside of an archive.
func (m *Member) Checksum() string {
	switch {
	case m.SHA256 != "":
		return m.SHA256
	case m.Format != "", m.packed, m.log != nil, len(m.Gaps) > 0, int64(len(m.Data)) != m.Size:
		return ""
	}
	sum := sha256.Sum256(m.Data)
	return hex.EncodeToString(sum[:])
}

// checksums are what the lists of the bundles say of their files.
type checksums struct {
	noted  map[string][]checksum     // by path
	whole  map[string]string         // roots of which a list names all other files, and that list
	absent map[string][]timeline.Gap // by list
}

func newChecksums() checksums {
	return checksums{noted: map[string][]checksum{}, whole: map[string]string{}, absent: map[string][]timeline.Gap{}}
}

// readChecksums lets the bundle that a file is in say which checksums the file
// notes of others.
func (b foundBundles) readChecksums(m *Member) {
	root, layout, ok := b.enclosing(m.Path)
	if !ok || layout.Checksums == nil || m.Data == nil || !layout.Checksums(m.Path[len(root):]) {
		return
	}
	noted := checksumsIn(root, m.Path, m.Data)
	for _, n := range noted {
		b.checksums.noted[n.path] = append(b.checksums.noted[n.path], n)
	}
	cut := len(m.Gaps) > 0 || !bytes.HasSuffix(m.Data, []byte("\n"))
	if IsChecksumFile(m.Path) && !cut && bytes.Count(m.Data, []byte("\n")) == len(noted) {
		b.checksums.whole[root] = m.Path
	}
}

// mostAbsent are the files of one list that are told one by one.
const mostAbsent = 50

// missesFiles finds out which files are listed and not among paths.
func (b foundBundles) missesFiles(paths []string) {
	there := map[string]bool{}
	for _, p := range paths {
		there[p] = true
	}
	gone := map[string][]checksum{}
	for file, noted := range b.checksums.noted {
		if !there[file] {
			gone[noted[0].list] = append(gone[noted[0].list], noted[0])
		}
	}
	for list, files := range gone {
		slices.SortFunc(files, func(x, y checksum) int { return x.line - y.line })
		root := list[:strings.LastIndexAny(list, "/!")+1]
		for i, f := range files {
			gap := gapAt(list, timeline.GapUnreadable, f.path[len(root):]+" was collected and is not there")
			gap.Source.Line = f.line
			if i == mostAbsent {
				gap.Detail = fmt.Sprintf("%d more files were collected and are not there", len(files)-i)
			}
			b.checksums.absent[list] = append(b.checksums.absent[list], gap)
			if i == mostAbsent {
				break
			}
		}
	}
}

// compare tells how a file is not what its collector wrote; of a list of
// checksums, too, what else is not there.
func (b foundBundles) compare(m *Member) []timeline.Gap {
	root, layout, ok := b.enclosing(m.Path)
	if !ok || layout.Checksums == nil || m.Format != "" {
		return nil
	}
	absent, noted := slices.Clip(b.checksums.absent[m.Path]), b.checksums.noted[m.Path]
	if list := b.checksums.whole[root]; len(noted) == 0 && list != "" && m.Path != list {
		return append(absent, gapAt(m.Path, timeline.GapNotUnderstood, "not of this collection: "+list[len(root):]+" does not list it"))
	}
	if len(noted) == 0 {
		return absent
	}
	is := m.Checksum()
	for _, n := range noted {
		if is != "" && is != n.sha256 {
			return append(absent, gapAt(m.Path, timeline.GapTruncated,
				fmt.Sprintf("not as it was collected, something may be missing or changed: its sha256 is %s, in %s:%d it is %s", is, n.list[len(root):], n.line, n.sha256)))
		}
	}
	return absent
}
