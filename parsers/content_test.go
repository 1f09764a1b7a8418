package parsers

import (
	"context"
	"os"
	"runtime"
	"strings"
	"testing"

	"podautopsy/timeline"
)

func TestOpenKeepsTheHeadOfWhatNobodyReads(t *testing.T) {
	program := "\x7fELF" + strings.Repeat("\x01\x02\x03\x00", 1<<20)
	log := strings.Repeat("a line of text\n", 1<<18)
	tree := []archived{{"core", program}, {"kubelet.log", log}}
	for name, arg := range map[string]string{
		"tar":    written(t, "b.tar.gz", gzipOf(t, tarOf(t, tree...))),
		"zip":    written(t, "b.zip", zipOf(t, tree...)),
		"folder": unpackedTo(t, t.TempDir(), tree...),
	} {
		kept := 0
		for _, m := range openAll(t, Limits{}, arg) {
			switch {
			case strings.HasSuffix(m.Path, "core"):
				kept++
				if len(m.Data) != headBytes || m.Size != int64(len(program)) || len(m.Gaps) > 0 {
					t.Errorf("%s: %d bytes of %d, %+v", name, len(m.Data), m.Size, m.Gaps)
				}
			case strings.HasSuffix(m.Path, "kubelet.log"):
				kept++
				if string(m.Data) != log {
					t.Errorf("%s: %d bytes of the log", name, len(m.Data))
				}
			}
		}
		if kept != 2 {
			t.Errorf("%s: %d members", name, kept)
		}
	}
}

func TestOpenLeavesHollowFiles(t *testing.T) {
	hollow := written(t, "hollow.log", nil)
	must(t, os.Truncate(hollow, 300<<20))
	members := openAll(t, Limits{}, hollow)
	if n := len(members[0].Data); n > hollowBytes+largestPiece || members[0].Size != 300<<20 {
		t.Errorf("%d bytes of %d", n, members[0].Size)
	}
	wantGap(t, members[0], timeline.GapTruncated, "nothing but zeros")
}

// A file is held in the pieces that it came in, whole, and as text: not in
// the many halves of a buffer that doubles.
func TestReadHoldsNoHalves(t *testing.T) {
	const size = 64 << 20
	packed := written(t, "a.log.gz", gzipOf(t, []byte(strings.Repeat("\n", size))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Read(context.Background(), []string{packed}, nil, ReadOptions{})
	runtime.ReadMemStats(&after)
	if err == nil {
		t.Error("blank lines are no evidence")
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 3*size+size/2 {
		t.Errorf("%d MiB for %d MiB", took>>20, size>>20)
	}
}

// Text far down stands where it stands.
func TestSkipBlanks(t *testing.T) {
	for _, blanks := range []int{10, 20 << 10, 1 << 20} {
		text := strings.Repeat("\n", blanks) + "  first\nsecond\n"
		f := &File{Text: text, FirstLine: 1}
		f.skipBlanks()
		for l := range f.lines() {
			if strings.TrimSpace(l.text) == "" {
				continue
			}
			if l.text != "  first" || l.number != blanks+1 || l.offset != int64(blanks) {
				t.Errorf("%d: %+v", blanks, l)
			}
			break
		}
	}
	f := &File{Text: strings.Repeat(" \n", 20<<10), FirstLine: 1}
	if f.skipBlanks(); !f.blank() {
		t.Errorf("%q", f.Text)
	}
}
