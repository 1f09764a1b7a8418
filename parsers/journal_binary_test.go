package parsers

import (
	"archive/tar"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/therootcompany/xz"

	"podautopsy/timeline"
)

// journalRecord is what a test compares of an entry.
type journalRecord struct{ Cursor, Time, Message string }

func readJournal(t testing.TB, text string) ([]journalRecord, *timeline.Builder) {
	t.Helper()
	b := timeline.NewBuilder("test.journal")
	if err := journalBinaryParser.Parse(&File{Path: "test.journal", Text: text}, b); err != nil {
		t.Fatal(err)
	}
	return journalRecords(b), b
}

func journalRecords(b *timeline.Builder) []journalRecord {
	records := []journalRecord{}
	for _, e := range b.Events {
		records = append(records, journalRecord{e.Source.Cursor, strconv.FormatInt(e.Time.UnixMicro(), 10), e.Text})
	}
	return records
}

// exportedEntries reads journalctl's export format the plain way: messages by
// cursor.
func exportedEntries(text string) map[string]string {
	entries := map[string]string{}
	cursor := ""
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		text = rest
		name, value, plain := strings.Cut(line, "=")
		if !plain && line != "" {
			n := binary.LittleEndian.Uint64([]byte(text))
			value, text = text[8:8+n], text[8+n+1:]
		}
		switch name {
		case "__CURSOR":
			cursor = value
			entries[cursor] = ""
		case "MESSAGE":
			entries[cursor] = value
		}
	}
	return entries
}

func unxzJournal(t testing.TB, path string) string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := xz.NewReader(file, 0)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// journalWriter writes small journals, with every layout and compression.
type journalWriter struct {
	buf     []byte
	compact bool
	pack    func(field string) (flags byte, payload []byte)
	data    map[string]int
	entries []int
	arrays  []int
}

func newJournalWriter(compact bool, pack func(string) (byte, []byte)) *journalWriter {
	w := &journalWriter{buf: make([]byte, 264), compact: compact, pack: pack, data: map[string]int{}}
	copy(w.buf, journalMagic)
	flags := uint32(journalFlagKeyed)
	if compact {
		flags |= journalFlagCompact
	}
	binary.LittleEndian.PutUint32(w.buf[12:], flags)
	for i := range 16 {
		w.buf[72+i] = byte(0xa0 + i)
	}
	return w
}

func (w *journalWriter) object(kind, flags byte, body []byte) int {
	for len(w.buf)%8 != 0 {
		w.buf = append(w.buf, 0)
	}
	at := len(w.buf)
	w.buf = append(w.buf, kind, flags, 0, 0, 0, 0, 0, 0)
	w.buf = binary.LittleEndian.AppendUint64(w.buf, uint64(16+len(body)))
	w.buf = append(w.buf, body...)
	return at
}

func (w *journalWriter) field(field string) int {
	if at, ok := w.data[field]; ok {
		return at
	}
	flags, payload := byte(0), []byte(field)
	if w.pack != nil && len(field) >= 64 {
		flags, payload = w.pack(field)
	}
	head := 48
	if w.compact {
		head = 56
	}
	at := w.object(journalObjectData, flags, append(make([]byte, head), payload...))
	w.data[field] = at
	return at
}

func (w *journalWriter) offset(body []byte, at int) []byte {
	if w.compact {
		return binary.LittleEndian.AppendUint32(body, uint32(at))
	}
	return binary.LittleEndian.AppendUint64(body, uint64(at))
}

func (w *journalWriter) entry(realtime uint64, fields ...string) {
	var items []int
	for _, f := range fields {
		items = append(items, w.field(f))
	}
	body := binary.LittleEndian.AppendUint64(nil, uint64(len(w.entries)+1))
	body = binary.LittleEndian.AppendUint64(body, realtime)
	body = binary.LittleEndian.AppendUint64(body, realtime/1000)
	for i := range 16 {
		body = append(body, byte(0xb0+i))
	}
	body = binary.LittleEndian.AppendUint64(body, 0xfeed)
	for _, at := range items {
		body = w.offset(body, at)
		if !w.compact {
			body = binary.LittleEndian.AppendUint64(body, 0x1234)
		}
	}
	w.entries = append(w.entries, w.object(journalObjectEntry, 0, body))
}

// text closes the journal: arrays of four entries each, the last with room
// left, and preallocated space behind.
func (w *journalWriter) text() string {
	for chunk := range slices.Chunk(w.entries, 4) {
		body := make([]byte, 8)
		for i := range 4 {
			at := 0
			if i < len(chunk) {
				at = chunk[i]
			}
			body = w.offset(body, at)
		}
		w.arrays = append(w.arrays, w.object(journalObjectEntryArray, 0, body))
		if n := len(w.arrays); n > 1 {
			binary.LittleEndian.PutUint64(w.buf[w.arrays[n-2]+16:], uint64(w.arrays[n-1]))
		}
	}
	tail := w.arrays[len(w.arrays)-1]
	w.buf = append(w.buf, make([]byte, 256-len(w.buf)%8)...)
	for at, value := range map[int]int{
		88: 264, 96: len(w.buf) - 264, 136: tail, 152: len(w.entries), 176: w.arrays[0],
	} {
		binary.LittleEndian.PutUint64(w.buf[at:], uint64(value))
	}
	return string(w.buf)
}

func packJournalZstd(field string) (byte, []byte) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		panic(err)
	}
	defer w.Close()
	return journalDataZstd, w.EncodeAll([]byte(field), nil)
}

func packJournalLZ4(field string) (byte, []byte) {
	block := make([]byte, lz4.CompressBlockBound(len(field)))
	n, err := lz4.CompressBlock([]byte(field), block, nil)
	if err != nil || n == 0 {
		panic(fmt.Sprint("lz4 does not pack: ", err))
	}
	return journalDataLZ4, append(binary.LittleEndian.AppendUint64(nil, uint64(len(field))), block[:n]...)
}

// xzMessage is a field as xz packs it; there is no encoder at hand.
const xzMessagePacked = "/Td6WFoAAAFpIt42AgAhARAAAACocI6G4AboAGNdACaRRsDRlFfkj+0buo7gfc4flKXL2OHm4wnLnB72Ciy/VpJ0z8mTxmnZz7LRUf/JoWhRbKmehNFT4seVZs0mitbzyMDsubeSAp8SwSyCXDSJq+UOlia5QmeSieAtFz3s0DeOAAAAYOyKawABe+kNAAAArFQedT4wDYsCAAAAAAFZWg=="

var xzMessage = "MESSAGE=I0312 08:50:09.000000    1 kubelet.go:1] " + strings.Repeat("the journal of old hosts is packed with xz ", 40)

func packJournalXZ(field string) (byte, []byte) {
	if field != xzMessage {
		return 0, []byte(field)
	}
	payload, err := base64.StdEncoding.DecodeString(xzMessagePacked)
	if err != nil {
		panic(err)
	}
	return journalDataXZ, payload
}

var journalTestStart = time.Date(2026, 3, 12, 8, 50, 9, 875000, time.UTC)

// smallJournal has n entries of a kubelet, and a message packed away.
func smallJournal(n int, compact bool, pack func(string) (byte, []byte)) string {
	w := newJournalWriter(compact, pack)
	for i := range n {
		message := fmt.Sprintf(`MESSAGE=I0312 08:50:09.%06d    1 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/web-%d"]`, i, i)
		if i == n/2 {
			message = xzMessage
		}
		w.entry(uint64(journalTestStart.UnixMicro())+uint64(i)*1000, message, "PRIORITY=6",
			"_HOSTNAME=n1", "SYSLOG_IDENTIFIER=kubelet", "_PID=711", "_SYSTEMD_UNIT=kubelet.service", "_CMDLINE="+strings.Repeat("/usr/bin/kubelet --v=2 ", 20))
	}
	return w.text()
}

var journalLayouts = []struct {
	name    string
	compact bool
	pack    func(string) (byte, []byte)
}{
	{"regular", false, nil},
	{"compact", true, nil},
	{"zstd", true, packJournalZstd},
	{"lz4", false, packJournalLZ4},
	{"xz", false, packJournalXZ},
}

func TestJournalBinaryLayouts(t *testing.T) {
	for _, l := range journalLayouts {
		t.Run(l.name, func(t *testing.T) {
			records, b := readJournal(t, smallJournal(10, l.compact, l.pack))
			if len(b.Input.Gaps) > 0 {
				t.Errorf("gaps: %v", b.Input.Gaps)
			}
			if len(records) != 10 {
				t.Fatalf("%d entries", len(records))
			}
			if got, want := records[5].Message, strings.TrimPrefix(xzMessage, "MESSAGE="); got != want {
				t.Errorf("packed message: %q", got)
			}
			want := journalRecord{
				Cursor:  fmt.Sprintf("s=a0a1a2a3a4a5a6a7a8a9aaabacadaeaf;i=a;b=b0b1b2b3b4b5b6b7b8b9babbbcbdbebf;m=%x;t=%x;x=feed", (journalTestStart.UnixMicro()+9000)/1000, journalTestStart.UnixMicro()+9000),
				Time:    strconv.FormatInt(journalTestStart.UnixMicro()+9000, 10),
				Message: `I0312 08:50:09.000009    1 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["shop/web-9"]`,
			}
			if d := cmp.Diff(want, records[9]); d != "" {
				t.Error(d)
			}
			if e := b.Events[9]; e.Node != "n1" || e.Component != timeline.Kubelet || e.PID != 711 || e.Unit != "kubelet.service" {
				t.Errorf("%+v", e)
			}
		})
	}
}

// realJournals are real ones, by name: of the lab, of other people's projects, and
// the one kept here.
func realJournals(t testing.TB) map[string]string {
	found := map[string]string{"worker": unxzJournal(t, "testdata/worker.journal.xz")}
	for _, pattern := range []string{
		"../../shared/lab/*/*/node/journal-native/*.xz",
		"../../shared/lab/*/formats/node/journal-window.journal.xz",
	} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range paths {
			found[p] = unxzJournal(t, p)
		}
	}
	if file, err := os.Open("../../shared/realdata/cockpit-project+cockpit/test/verify/files/metrics-archives/journal.journal.gz"); err == nil {
		defer file.Close()
		found["cockpit.journal"] = gunzipJournal(t, file)
	}
	if file, err := os.Open("../../shared/realdata/KDE+kjournald/autotests/journal.tar.gz"); err == nil {
		defer file.Close()
		r := tar.NewReader(strings.NewReader(gunzipJournal(t, file)))
		for {
			head, err := r.Next()
			if err != nil {
				break
			}
			if text, err := io.ReadAll(r); err == nil && head.Typeflag == tar.TypeReg {
				found["kde_"+path.Base(head.Name)] = string(text)
			}
		}
	}
	if len(found) == 1 {
		t.Log("no shared journals here; only the fixture is read")
	}
	return found
}

func gunzipJournal(t testing.TB, r io.Reader) string {
	t.Helper()
	z, err := gzip.NewReader(r)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestJournalBinaryAgainstJournalctl compares with systemd's own reader where
// the machine has it.
func TestJournalBinaryAgainstJournalctl(t *testing.T) {
	journalctl, err := exec.LookPath("journalctl")
	if err != nil {
		t.Skip("no journalctl on this machine")
	}
	for name, text := range realJournals(t) {
		file := filepath.Join(t.TempDir(), "x.journal")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(journalctl, "--file", file, "-o", "export", "--all").Output()
		if err != nil {
			t.Fatal(err)
		}
		compareWithExport(t, name, text, string(out))
	}
}

// TestJournalBinaryAgainstExports compares with exports made elsewhere.
func TestJournalBinaryAgainstExports(t *testing.T) {
	exports, _ := filepath.Glob("../../shared/realdata/_oracle/*.export.zst")
	if len(exports) == 0 {
		t.Skip("no exports here")
	}
	texts := realJournals(t)
	for _, p := range exports {
		packed, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		r, err := zstd.NewReader(nil)
		if err != nil {
			t.Fatal(err)
		}
		export, err := r.DecodeAll(packed, nil)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(p), ".export.zst")
		text, ok := texts[name]
		if !ok {
			t.Errorf("no journal for %s", name)
			continue
		}
		compareWithExport(t, name, text, string(export))
	}
}

// compareWithExport expects the same events of both encodings, and of each
// entry what journalctl says of it.
func compareWithExport(t *testing.T, name, text, export string) {
	t.Helper()
	_, got := readJournal(t, text)
	want := timeline.NewBuilder(got.Input.Path)
	if err := journalExportParser.Parse(&File{Path: got.Input.Path, Text: export}, want); err != nil && export != "" {
		t.Fatal(err)
	}
	if len(got.Input.Gaps) > 0 {
		t.Errorf("%s: gaps: %v", name, got.Input.Gaps)
	}
	anywhere := cmpopts.IgnoreFields(timeline.Source{}, "Line", "LastLine", "Offset")
	if d := cmp.Diff(want.Events, got.Events, anywhere, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s:\n%.2000s", name, d)
	}
	if d := cmp.Diff(want.Boots, got.Boots, anywhere, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s:\n%.2000s", name, d)
	}
	if d := cmp.Diff(want.Input.Hosts, got.Input.Hosts); d != "" {
		t.Errorf("%s:\n%s", name, d)
	}
	entries := exportedEntries(export)
	for _, e := range got.Events {
		message, ok := entries[e.Source.Cursor]
		if first, _, _ := strings.Cut(e.Text, "\n"); !ok || !strings.HasPrefix(message, first) {
			t.Errorf("%s: entry %s has %q, not %q", name, e.Source.Cursor, message, first)
		}
	}
}

// zeroJournal wipes a part of a journal.
func zeroJournal(text string, from, to int) string {
	return text[:from] + strings.Repeat("\x00", to-from) + text[to:]
}

func TestJournalBinaryDamage(t *testing.T) {
	whole := smallJournal(400, true, packJournalZstd)
	all, _ := readJournal(t, whole)
	_, middle := journalEntryAt(t, whole, 200)
	size := len(whole)
	random := make([]byte, 4096)
	source := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(source.Uint32())
	}
	for _, c := range []struct {
		name  string
		text  string
		least int // entries that must be read
		gap   timeline.GapKind
	}{
		{"cut in half", whole[:size/2], 190, timeline.GapTruncated},
		{"cut at an entry", whole[:middle], 200, timeline.GapTruncated},
		{"cut inside an entry", whole[:middle+40], 200, timeline.GapTruncated},
		{"hole", zeroJournal(whole, middle, middle+4096), 380, timeline.GapUnreadable},
		{"hole at an odd place", zeroJournal(whole, middle+33, middle+4099), 380, timeline.GapUnreadable},
		{"noise", whole[:middle] + string(random) + whole[middle+4096:], 380, timeline.GapUnreadable},
		{"no list of entries", zeroJournal(whole, 176, 184), 400, ""},
		{"header of lies", whole[:88] + strings.Repeat("\xff", 120) + whole[208:], 400, timeline.GapUnreadable},
		{"unknown feature", whole[:13] + "\x80" + whole[14:], 400, timeline.GapNotUnderstood},
		{"size that leaps", whole[:middle+8] + "\x00\x20" + whole[middle+10:], 399, ""},
		{"list in a loop", loopedJournal(whole), 400, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			records, b := readJournal(t, c.text)
			if len(records) < c.least {
				t.Errorf("%d of %d entries; gaps %v", len(records), len(all), b.Input.Gaps)
			}
			known := map[journalRecord]bool{}
			for _, r := range all {
				known[r] = true
			}
			for _, r := range records {
				if !known[r] {
					t.Errorf("not in the whole journal: %+v", r)
				}
			}
			if c.gap != "" && !slices.ContainsFunc(b.Input.Gaps, func(g timeline.Gap) bool { return g.Kind == c.gap }) {
				t.Errorf("no gap %q: %v", c.gap, b.Input.Gaps)
			}
			if c.gap == "" && len(records) == len(all) && len(b.Input.Gaps) > 0 {
				t.Errorf("nothing is missing, yet: %v", b.Input.Gaps)
			}
		})
	}
}

// journalEntryAt finds the n-th entry object.
func journalEntryAt(t testing.TB, text string, n int) (*journalFile, int) {
	t.Helper()
	j, err := openJournal([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	entries, whole := j.chain()
	if !whole || n >= len(entries) {
		t.Fatalf("%d entries, whole=%v", len(entries), whole)
	}
	return j, entries[n]
}

// loopedJournal lets the second array of entries lead back to the first.
func loopedJournal(text string) string {
	buf := []byte(text)
	first := binary.LittleEndian.Uint64(buf[176:])
	second := binary.LittleEndian.Uint64(buf[first+16:])
	binary.LittleEndian.PutUint64(buf[second+16:], first)
	return string(buf)
}

// TestJournalBinaryCuts cuts a real journal at many places; no cut loses an
// entry that lies before it.
func TestJournalBinaryCuts(t *testing.T) {
	text := unxzJournal(t, "testdata/worker.journal.xz")
	j, _ := journalEntryAt(t, text, 0)
	entries, _ := j.chain()
	for i, at := range entries {
		e, _ := j.object(uint64(at))
		for _, cut := range []int{e.at, e.at + 1, e.end - 1, e.end} {
			part, err := openJournal([]byte(text[:cut]))
			if err != nil {
				t.Fatal(err)
			}
			want := i
			if cut >= e.end {
				want++
			}
			if found, _ := part.entries(); len(found) != want {
				t.Errorf("cut at %d: %d entries, want %d", cut, len(found), want)
			}
		}
	}
}

func TestJournalBinaryLyingSizes(t *testing.T) {
	bomb := func(field string) (byte, []byte) {
		if field != xzMessage {
			return 0, []byte(field)
		}
		_, payload := packJournalZstd("MESSAGE=" + strings.Repeat("A", journalFieldLimit+1))
		return journalDataZstd, payload
	}
	lie := func(field string) (byte, []byte) {
		if field != xzMessage {
			return 0, []byte(field)
		}
		_, payload := packJournalLZ4(field)
		binary.LittleEndian.PutUint64(payload, 1<<62)
		return journalDataLZ4, payload
	}
	nothing := func(field string) (byte, []byte) {
		if field != xzMessage {
			return 0, []byte(field)
		}
		return journalDataLZ4, append(make([]byte, 8), "\x10 a literal that is copied sixteen bytes at a time"...)
	}
	for name, pack := range map[string]func(string) (byte, []byte){"bomb": bomb, "lie": lie, "nothing": nothing} {
		records, b := readJournal(t, smallJournal(4, false, pack))
		if len(records) != 3 {
			t.Errorf("%s: %d entries", name, len(records))
		}
		if len(b.Input.Gaps) == 0 {
			t.Errorf("%s: no gap", name)
		}
	}
}

func TestJournalBinaryNothingReadable(t *testing.T) {
	whole := smallJournal(3, false, nil)
	for _, text := range []string{journalMagic, whole[:207], whole[:264], whole[:264] + strings.Repeat("x", 999)} {
		if err := journalBinaryParser.Parse(&File{Path: "x", Text: text}, timeline.NewBuilder("x")); err == nil {
			t.Errorf("no error for %d bytes", len(text))
		}
	}
}

func FuzzJournalBinary(f *testing.F) {
	for _, l := range journalLayouts {
		text := smallJournal(6, l.compact, l.pack)
		f.Add(text)
		f.Add(text[:len(text)*2/3])
		f.Add(loopedJournal(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		b := timeline.NewBuilder("x.journal")
		if err := journalBinaryParser.Parse(&File{Path: "x.journal", Text: text}, b); err != nil && len(b.Events) > 0 {
			t.Errorf("an error though %d entries were read: %v", len(b.Events), err)
		}
		for _, e := range b.Events {
			if e.Source.Offset < 0 || e.Source.Offset+journalEntryItems > int64(len(text)) {
				t.Errorf("entry at %d of %d", e.Source.Offset, len(text))
			}
			if text[e.Source.Offset] != journalObjectEntry || !strings.HasPrefix(e.Source.Cursor, "s=") {
				t.Errorf("no entry at %d: %q", e.Source.Offset, e.Source.Cursor)
			}
		}
		for _, g := range b.Input.Gaps {
			if g.Source.Offset < 0 || g.Source.Offset > int64(len(text)) {
				t.Errorf("gap at %d of %d", g.Source.Offset, len(text))
			}
		}
	})
}

func BenchmarkJournalBinary(b *testing.B) {
	for _, l := range []int{0, 1, 2} {
		layout := journalLayouts[l]
		text := smallJournal(50000, layout.compact, layout.pack)
		b.Run(layout.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if err := journalBinaryParser.Parse(&File{Path: "x", Text: text}, timeline.NewBuilder("x")); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppendExport(b *testing.B) {
	text := smallJournal(50000, true, nil)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		j, err := openJournalData([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		var out []byte
		for e := range MergeJournals([]*Journal{j}) {
			out = e.AppendExport(out[:0])
		}
		j.Close()
	}
}
