package parsers

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"podautopsy/timeline"
)

// archived is one thing to pack; a name ending in "/" is a folder.
type archived struct{ name, content string }

var smallBundle = []archived{
	{"bundle/", ""},
	{"bundle/node/", ""},
	{"bundle/node/kubelet.log", "one\ntwo\n"},
	{"bundle/pods.yaml", "kind: Pod\n"},
}

func tarOf(t testing.TB, entries ...archived) []byte {
	t.Helper()
	var headers []tar.Header
	for _, e := range entries {
		h := tar.Header{Typeflag: tar.TypeReg, Name: e.name, Mode: 0o600, Size: int64(len(e.content))}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		headers = append(headers, h)
	}
	return tarOfHeaders(t, headers, entries)
}

func tarOfHeaders(t testing.TB, headers []tar.Header, entries []archived) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for i := range headers {
		must(t, w.WriteHeader(&headers[i]))
		if headers[i].Size > 0 {
			_, err := io.WriteString(w, entries[i].content)
			must(t, err)
		}
	}
	must(t, w.Close())
	return out.Bytes()
}

func zipOf(t testing.TB, entries ...archived) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		f, err := w.Create(e.name)
		must(t, err)
		_, err = io.WriteString(f, e.content)
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

func gzipOf(t testing.TB, data []byte) []byte {
	t.Helper()
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil })
}

func zstdOf(t testing.TB, data []byte) []byte {
	t.Helper()
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) })
}

func lz4Of(t testing.TB, data []byte) []byte {
	t.Helper()
	return packed(t, data, func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil })
}

func packed(t testing.TB, data []byte, encoder func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := encoder(&out)
	must(t, err)
	_, err = w.Write(data)
	must(t, err)
	must(t, w.Close())
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// written writes a file of a test's own folder and returns its path.
func written(t testing.TB, name string, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	must(t, os.MkdirAll(filepath.Dir(file), 0o700))
	must(t, os.WriteFile(file, data, 0o600))
	return file
}

// unpackedTo writes entries as a folder.
func unpackedTo(t testing.TB, dir string, entries ...archived) string {
	t.Helper()
	for _, e := range entries {
		file := filepath.Join(dir, filepath.FromSlash(e.name))
		if strings.HasSuffix(e.name, "/") {
			must(t, os.MkdirAll(file, 0o700))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		must(t, os.WriteFile(file, []byte(e.content), 0o600))
	}
	return dir
}

func sha256Hex(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func openAll(t testing.TB, lim Limits, args ...string) []*Member {
	t.Helper()
	members, err := tryOpen(lim, nil, args...)
	must(t, err)
	return members
}

func tryOpen(lim Limits, stdin io.Reader, args ...string) ([]*Member, error) {
	var members []*Member
	err := Open(context.Background(), args, stdin, lim, func(m *Member) error {
		members = append(members, m)
		return nil
	})
	return members, err
}

// contents are the members that are files, by path.
func contents(members []*Member) map[string]string {
	got := map[string]string{}
	for _, m := range members {
		if m.Format == "" {
			got[m.Path] = string(m.Data)
		}
	}
	return got
}

func find(t testing.TB, members []*Member, path string) *Member {
	t.Helper()
	for _, m := range members {
		if m.Path == path {
			return m
		}
	}
	var paths []string
	for _, m := range members {
		paths = append(paths, m.Path)
	}
	t.Fatalf("no member %q, but %q", path, paths)
	return nil
}

func wantGap(t testing.TB, m *Member, kind timeline.GapKind, detail string) {
	t.Helper()
	for _, gap := range m.Gaps {
		if gap.Kind == kind && strings.Contains(gap.Detail, detail) {
			if gap.Source.File != m.Path {
				t.Errorf("the gap of %s cites %s", m.Path, gap.Source.File)
			}
			return
		}
	}
	t.Errorf("%s: no gap %s %q, but %+v", m.Path, kind, detail, m.Gaps)
}

func wantContents(t testing.TB, members []*Member, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, contents(members)); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

func TestOpenSameMembersFromEveryPacking(t *testing.T) {
	packedXZ, err := os.ReadFile("testdata/open/bundle.tar.xz")
	must(t, err)
	packedBzip2, err := os.ReadFile("testdata/open/bundle.tar.bz2")
	must(t, err)
	plain := tarOf(t, smallBundle...)
	for format, data := range map[string][]byte{
		"tar":     plain,
		"tar.gz":  gzipOf(t, plain),
		"tar.zst": zstdOf(t, plain),
		"tar.lz4": lz4Of(t, plain),
		"tar.xz":  packedXZ,
		"tar.bz2": packedBzip2,
		"zip":     zipOf(t, smallBundle...),
	} {
		t.Run(format, func(t *testing.T) {
			// The name says nothing: bytes tell.
			members := openAll(t, Limits{}, written(t, "02436811_upload", data))
			wantContents(t, members, map[string]string{
				"02436811_upload!bundle/node/kubelet.log": "one\ntwo\n",
				"02436811_upload!bundle/pods.yaml":        "kind: Pod\n",
			})
			archive := members[len(members)-1]
			want := &Member{Path: "02436811_upload", Size: int64(len(data)), SHA256: sha256Hex(data), Format: format}
			if diff := cmp.Diff(want, archive, cmpopts.IgnoreUnexported(Member{})); diff != "" {
				t.Errorf("the archive's own entry (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("folder", func(t *testing.T) {
		members := openAll(t, Limits{}, unpackedTo(t, t.TempDir(), smallBundle...))
		want := []*Member{
			{Path: "bundle/node/kubelet.log", Data: []byte("one\ntwo\n"), Size: 8, SHA256: sha256Hex([]byte("one\ntwo\n"))},
			{Path: "bundle/pods.yaml", Data: []byte("kind: Pod\n"), Size: 10, SHA256: sha256Hex([]byte("kind: Pod\n"))},
		}
		if diff := cmp.Diff(want, members, cmpopts.IgnoreUnexported(Member{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestOpenLoneCompressedFile(t *testing.T) {
	log := []byte("Nov 30 08:21:33 worker-1 kubelet[1]: hello\n")
	for name, data := range map[string][]byte{
		"gzip":      gzipOf(t, log),
		"zstd":      zstdOf(t, log),
		"lz4":       lz4Of(t, log),
		"twice":     gzipOf(t, zstdOf(t, log)),
		"two parts": append(gzipOf(t, log[:10]), gzipOf(t, log[10:])...),
	} {
		t.Run(name, func(t *testing.T) {
			members := openAll(t, Limits{}, written(t, "journal.txt.gz", data))
			want := []*Member{{Path: "journal.txt.gz", Data: log, Size: int64(len(data)), SHA256: sha256Hex(data)}}
			if diff := cmp.Diff(want, members, cmpopts.IgnoreUnexported(Member{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestOpenNested(t *testing.T) {
	inner := zipOf(t, archived{"c.log", "deep\n"}, archived{"rotated.log.gz", string(gzipOf(t, []byte("old\n")))})
	middle := gzipOf(t, tarOf(t, archived{"b.zip", string(inner)}, archived{"b.txt", "b\n"}))
	outer := zipOf(t, archived{"nodes/a.tar.gz", string(middle)})
	file := written(t, "bundle.zip", outer)

	wantContents(t, openAll(t, Limits{}, file), map[string]string{
		"bundle.zip!nodes/a.tar.gz!b.zip!c.log":          "deep\n",
		"bundle.zip!nodes/a.tar.gz!b.zip!rotated.log.gz": "old\n",
		"bundle.zip!nodes/a.tar.gz!b.txt":                "b\n",
	})

	members := openAll(t, Limits{MaxDepth: 2}, file)
	wantContents(t, members, map[string]string{"bundle.zip!nodes/a.tar.gz!b.txt": "b\n"})
	closed := find(t, members, "bundle.zip!nodes/a.tar.gz!b.zip")
	wantGap(t, closed, timeline.GapUnreadable, "--max-depth")
	if closed.Format != "zip" {
		t.Errorf("format %q", closed.Format)
	}
}

func TestOpenHostileNames(t *testing.T) {
	for name, want := range map[string]string{
		"../../etc/passwd":        "etc/passwd",
		"/etc/passwd":             "etc/passwd",
		"a/../../b":               "b",
		"./a//b":                  "a/b",
		"a\nb":                    `a\x0ab`,
		"\x1b[31mred":             `\x1b[31mred`,
		"log\u202egol.exe":        `log\u202egol.exe`,
		"caf\xe9.log":             `caf\xe9.log`,
		"b\xc3\xbccher/ok.log":    "bücher/ok.log",
		`io\x2dcsi.mount`:         `io\x2dcsi.mount`,
		strings.Repeat("x", 2000): strings.Repeat("x", 1024) + "…",
	} {
		// The zip writer takes any name as it is, the tar writer no NUL.
		members := openAll(t, Limits{}, written(t, "b.zip", zipOf(t, archived{name, "x"})))
		if got := members[0].Path; got != "b.zip!"+want {
			t.Errorf("zip %q is cited as %q, want %q", name, got, want)
		}
		members = openAll(t, Limits{}, written(t, "b.tar", tarOf(t, archived{name, "x"})))
		if got := members[0].Path; got != "b.tar!"+want {
			t.Errorf("tar %q is cited as %q, want %q", name, got, want)
		}
	}
	if got := memberPath("a\x00b"); got != `a\x00b` {
		t.Errorf("NUL: %q", got)
	}
}

func TestOpenZipOfWindows(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.CreateHeader(&zip.FileHeader{Name: `node\kubelet.log`, CreatorVersion: 0})
	must(t, err)
	_, err = io.WriteString(f, "x")
	must(t, err)
	must(t, w.Close())
	wantContents(t, openAll(t, Limits{}, written(t, "b.zip", out.Bytes())), map[string]string{"b.zip!node/kubelet.log": "x"})
}

func TestOpenKeepsMembersOfOneName(t *testing.T) {
	twice := []archived{{"a.log", "1"}, {"a.log", "2"}, {"./a.log", "3"}, {"a.log~2", "4"}}
	want := map[string]string{"b!a.log": "1", "b!a.log~2": "2", "b!a.log~3": "3", "b!a.log~2~2": "4"}
	wantContents(t, openAll(t, Limits{}, written(t, "b", tarOf(t, twice...))), want)
	wantContents(t, openAll(t, Limits{}, written(t, "b", zipOf(t, twice...))), want)
}

func TestOpenLinksInArchives(t *testing.T) {
	entries := []archived{{}, {}, {}, {}, {}, {}, {"sos/sos_commands/date", "today\n"}, {}}
	link := func(name, target string) tar.Header {
		return tar.Header{Typeflag: tar.TypeSymlink, Name: name, Linkname: target}
	}
	headers := []tar.Header{
		link("sos/date", "sos_commands/date"),           // before what it leads to
		link("sos/again", "date"),                       // to a link
		link("sos/host", "/sos_commands/date"),          // of the host's root
		link("sos/folder", "sos_commands"),              // to a folder
		link("sos/outside", "../../sos_commands/date"),  // above everything
		link("sos/dangling", "sos_commands/not-\nhere"), //
		{Typeflag: tar.TypeReg, Name: "sos/sos_commands/date", Size: 6, Mode: 0o600},
		{Typeflag: tar.TypeLink, Name: "sos/hard", Linkname: "sos/sos_commands/date"},
	}
	members := openAll(t, Limits{}, written(t, "sos.tar", tarOfHeaders(t, headers, entries)))
	wantContents(t, members, map[string]string{"sos.tar!sos/sos_commands/date": "today\n"})
	archive := find(t, members, "sos.tar")
	want := []timeline.Gap{{
		Kind:   timeline.GapUnreadable,
		Detail: `links to what is not in it: sos/outside -> ../../sos_commands/date, sos/dangling -> sos_commands/not-\x0ahere`,
		Source: timeline.Source{File: "sos.tar"},
	}}
	if diff := cmp.Diff(want, archive.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
	if want := (memberLink{"sos.tar!sos/date", "sos_commands/date"}); len(archive.links) != 7 || archive.links[0] != want {
		t.Errorf("links %+v", archive.links)
	}
}

func TestOpenSkipsDevices(t *testing.T) {
	headers := []tar.Header{
		{Typeflag: tar.TypeChar, Name: "dev/null", Devmajor: 1, Devminor: 3},
		{Typeflag: tar.TypeFifo, Name: "run/pipe"},
		{Typeflag: tar.TypeReg, Name: "a.log", Size: 1, Mode: 0o600},
	}
	members := openAll(t, Limits{}, written(t, "b.tar", tarOfHeaders(t, headers, []archived{{}, {}, {"a.log", "x"}})))
	wantContents(t, members, map[string]string{"b.tar!a.log": "x"})
	wantGap(t, find(t, members, "b.tar"), timeline.GapUnreadable, "dev/null (character device), run/pipe (named pipe)")
}

func TestOpenLinksInFolders(t *testing.T) {
	outside := written(t, "secret", []byte("not of the bundle\n"))
	dir := unpackedTo(t, t.TempDir(), archived{"logs/a.log", "a\n"})
	for name, target := range map[string]string{
		"alias.log": "logs/a.log", "loop": "loop", "folder": "logs", "secret": outside, "up": "../secret",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	members := openAll(t, Limits{}, dir)
	wantContents(t, members, map[string]string{"logs/a.log": "a\n"})
	folder := find(t, members, ".")
	if folder.Format != "directory" {
		t.Errorf("format %q", folder.Format)
	}
	wantGap(t, folder, timeline.GapUnreadable, "links to what is not in it: secret -> "+outside+", up -> ../secret")
}

func TestOpenSkipsSockets(t *testing.T) {
	dir := unpackedTo(t, t.TempDir(), archived{"a.log", "a\n"})
	socket, err := net.Listen("unix", filepath.Join(dir, "containerd.sock"))
	if err != nil {
		t.Skip("no sockets here:", err)
	}
	defer socket.Close()
	members := openAll(t, Limits{}, dir)
	wantContents(t, members, map[string]string{"a.log": "a\n"})
	wantGap(t, find(t, members, "."), timeline.GapUnreadable, "containerd.sock (socket)")
}

// noise does not compress, so that cutting an archive cuts the content.
func noise(n int) string {
	random := rand.New(rand.NewPCG(1, 2))
	var out strings.Builder
	for out.Len() < n {
		fmt.Fprintf(&out, "%x\n", random.Uint64())
	}
	return out.String()
}

func TestOpenCutArchives(t *testing.T) {
	big := noise(300 << 10)
	entries := []archived{{"first.log", "one\n"}, {"big.log", big}, {"last.log", "lost\n"}}
	plain := tarOf(t, entries...)
	for format, data := range map[string][]byte{
		"tar":     plain,
		"tar.gz":  gzipOf(t, plain),
		"tar.zst": zstdOf(t, plain),
		"zip":     zipOf(t, entries...),
	} {
		t.Run(format, func(t *testing.T) {
			members := openAll(t, Limits{}, written(t, "b", data[:len(data)*3/4]))
			if got := string(find(t, members, "b!first.log").Data); got != "one\n" {
				t.Errorf("first.log: %q", got)
			}
			cut := find(t, members, "b!big.log")
			if len(cut.Data) < 64<<10 || len(cut.Data) >= len(big) || !strings.HasPrefix(big, string(cut.Data)) {
				t.Errorf("big.log: %d bytes of %d", len(cut.Data), len(big))
			}
			wantGap(t, cut, timeline.GapTruncated, "damaged or cut off after the first")
			wantGap(t, find(t, members, "b"), timeline.GapTruncated, "the last good member is first.log")
			if _, ok := contents(members)["b!last.log"]; ok {
				t.Error("last.log should be lost")
			}
		})
	}
}

func TestOpenCutLoneFile(t *testing.T) {
	log := noise(300 << 10)
	data := gzipOf(t, []byte(log))
	members := openAll(t, Limits{}, written(t, "kubelet.gz", data[:len(data)/2]))
	if len(members) != 1 || len(members[0].Data) < 64<<10 || !strings.HasPrefix(log, string(members[0].Data)) {
		t.Fatalf("%d members", len(members))
	}
	wantGap(t, members[0], timeline.GapTruncated, "gz: unexpected EOF")
}

func TestOpenZipWithoutDirectory(t *testing.T) {
	data := zipOf(t, archived{"a/", ""}, archived{"a/first.log", "one\n"}, archived{"second.log", noise(200 << 10)})
	end := bytes.Index(data, []byte("PK\x01\x02"))
	members := openAll(t, Limits{}, written(t, "b.zip", data[:end]))
	wantContents(t, members, map[string]string{"b.zip!a/first.log": "one\n", "b.zip!second.log": noise(200 << 10)})
	wantGap(t, find(t, members, "b.zip"), timeline.GapTruncated, "the last good member is second.log")
}

func TestOpenLinksInZip(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	link := &zip.FileHeader{Name: "date"}
	link.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(link)
	must(t, err)
	_, err = io.WriteString(f, "sos_commands/date")
	must(t, err)
	pipe := &zip.FileHeader{Name: "run/pipe"}
	pipe.SetMode(fs.ModeNamedPipe | 0o600)
	_, err = w.CreateHeader(pipe)
	must(t, err)
	f, err = w.Create("sos_commands/date")
	must(t, err)
	_, err = io.WriteString(f, "today\n")
	must(t, err)
	must(t, w.Close())
	members := openAll(t, Limits{}, written(t, "b.zip", out.Bytes()))
	wantContents(t, members, map[string]string{"b.zip!sos_commands/date": "today\n"})
	archive := find(t, members, "b.zip")
	if want := []memberLink{{"b.zip!date", "sos_commands/date"}}; !slices.Equal(archive.links, want) {
		t.Errorf("links %+v", archive.links)
	}
	if len(archive.Gaps) != 1 {
		t.Errorf("gaps %+v", archive.Gaps)
	}
	wantGap(t, archive, timeline.GapUnreadable, "run/pipe (named pipe)")
}

// TestOpenCutStoredZip: members that are stored as they are, cut in the last.
func TestOpenCutStoredZip(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	stored := func(name, content string, flags uint16) {
		f, err := w.CreateRaw(&zip.FileHeader{
			Name: name, Method: zip.Store, Flags: flags,
			CompressedSize64: uint64(len(content)), UncompressedSize64: uint64(len(content)),
		})
		must(t, err)
		_, err = io.WriteString(f, content)
		must(t, err)
	}
	const encrypted, lengthFollows = 1, 8
	stored("a.log", "first\n", 0)
	stored("b.log", "????", encrypted)
	stored("c.log", "????", lengthFollows)
	stored("d.log", "it ends he", 0)
	must(t, w.Close())
	end := bytes.Index(out.Bytes(), []byte("ends he"))
	members := openAll(t, Limits{}, written(t, "b.zip", out.Bytes()[:end]))
	wantContents(t, members, map[string]string{
		"b.zip!a.log": "first\n", "b.zip!b.log": "", "b.zip!c.log": "", "b.zip!d.log": "it ",
	})
	wantGap(t, find(t, members, "b.zip!b.log"), timeline.GapUnreadable, "password")
	wantGap(t, find(t, members, "b.zip!c.log"), timeline.GapUnreadable, "its length stood in the part")
	wantGap(t, find(t, members, "b.zip!d.log"), timeline.GapTruncated, "after the first 3 bytes: unexpected EOF")
	wantGap(t, find(t, members, "b.zip"), timeline.GapTruncated, "the last good member is a.log")
}

func TestOpenDamagedTarHeader(t *testing.T) {
	data := tarOf(t, archived{"a.log", "a\n"}, archived{"b.log", "b\n"}, archived{"c.log", "c\n"})
	copy(data[1024:], "?") // the second header: its sum is wrong now
	copy(data[1024+300:], "????")
	members := openAll(t, Limits{}, written(t, "b.tar", data))
	wantContents(t, members, map[string]string{"b.tar!a.log": "a\n", "b.tar!c.log": "c\n"})
	wantGap(t, find(t, members, "b.tar"), timeline.GapTruncated, "the last good member is a.log")
}

func TestOpenAppendedTar(t *testing.T) {
	data := append(tarOf(t, archived{"a.log", "a\n"}), tarOf(t, archived{"b.log", "b\n"})...)
	members := openAll(t, Limits{}, written(t, "b.tar", data))
	wantContents(t, members, map[string]string{"b.tar!a.log": "a\n", "b.tar!b.log": "b\n"})
	if archive := find(t, members, "b.tar"); len(archive.Gaps) > 0 {
		t.Errorf("gaps %+v", archive.Gaps)
	}
}

func TestOpenFlippedZipMember(t *testing.T) {
	data := zipOf(t, archived{"a.log", "aaaa\n"}, archived{"b.log", noise(1000)}, archived{"c.log", "c\n"})
	at := bytes.Index(data, []byte("b.log")) + 200
	data[at] ^= 0x55
	members := openAll(t, Limits{}, written(t, "b.zip", data))
	got := contents(members)
	if got["b.zip!a.log"] != "aaaa\n" || got["b.zip!c.log"] != "c\n" {
		t.Errorf("members %q", got)
	}
	if len(find(t, members, "b.zip!b.log").Gaps) != 1 {
		t.Error("the damage goes unnoticed")
	}
}

func TestOpenSealed(t *testing.T) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.CreateRaw(&zip.FileHeader{Name: "secret.log", Flags: 1, CompressedSize64: 4, UncompressedSize64: 4})
	must(t, err)
	_, err = io.WriteString(f, "????")
	must(t, err)
	f, err = w.Create("open.log")
	must(t, err)
	_, err = io.WriteString(f, "open\n")
	must(t, err)
	must(t, w.Close())
	members := openAll(t, Limits{}, written(t, "b.zip", out.Bytes()))
	wantContents(t, members, map[string]string{"b.zip!open.log": "open\n", "b.zip!secret.log": ""})
	wantGap(t, find(t, members, "b.zip!secret.log"), timeline.GapUnreadable, "password")

	_, err = tryOpen(Limits{}, nil, written(t, "b.7z", []byte("7z\xbc\xaf\x27\x1c and so on")))
	if !errors.Is(err, ErrNotBundle) || !strings.Contains(err.Error(), "7z archives are not read") {
		t.Errorf("7z: %v", err)
	}
}

func TestOpenLimits(t *testing.T) {
	entries := []archived{{"a.log", strings.Repeat("a", 600)}, {"b.log", strings.Repeat("b", 600)}, {"c.log", strings.Repeat("c", 600)}}
	lengths := func(members []*Member) map[string]int {
		got := map[string]int{}
		for name, content := range contents(members) {
			got[name[strings.LastIndexAny(name, "!/")+1:]] = len(content)
		}
		return got
	}
	plain := tarOf(t, entries...)
	sources := map[string]struct{ arg, itself string }{
		"folder": {unpackedTo(t, t.TempDir(), entries...), "."},
		"tar":    {written(t, "b", plain), "b"},
		"tar.gz": {written(t, "b", gzipOf(t, plain)), "b"},
		"zip":    {written(t, "b", zipOf(t, entries...)), "b"},
	}
	for name, source := range sources {
		t.Run(name, func(t *testing.T) {
			members := openAll(t, Limits{MaxFileBytes: 500}, source.arg)
			if diff := cmp.Diff(map[string]int{"a.log": 500, "b.log": 500, "c.log": 500}, lengths(members)); diff != "" {
				t.Errorf("max file (-want +got):\n%s", diff)
			}
			wantGap(t, members[0], timeline.GapTruncated, "not read after the first 500 bytes: --max-file-size raises the limit")

			members = openAll(t, Limits{MaxFiles: 2}, source.arg)
			if diff := cmp.Diff(map[string]int{"a.log": 600, "b.log": 600}, only(lengths(members))); diff != "" {
				t.Errorf("max files (-want +got):\n%s", diff)
			}
			wantGap(t, find(t, members, source.itself), timeline.GapTruncated, "--max-files raises the limit")

			if name == "tar.gz" {
				return // what tar puts around the files counts there, too
			}
			members = openAll(t, Limits{MaxTotalBytes: 1000}, source.arg)
			if diff := cmp.Diff(map[string]int{"a.log": 600, "b.log": 400}, only(lengths(members))); diff != "" {
				t.Errorf("max total (-want +got):\n%s", diff)
			}
			wantGap(t, find(t, members, source.itself), timeline.GapTruncated, "--max-total-size raises the limit")
		})
	}
}

// only drops what was not read at all.
func only(lengths map[string]int) map[string]int {
	for name, n := range lengths {
		if n == 0 {
			delete(lengths, name)
		}
	}
	return lengths
}

func TestOpenBombs(t *testing.T) {
	zeros := strings.Repeat("\x00", 80<<20)
	bomb := gzipOf(t, []byte(zeros))
	lim := Limits{MaxRatio: 10}
	t.Run("lone", func(t *testing.T) {
		members := openAll(t, lim, written(t, "b.gz", bomb))
		if n := len(members[0].Data); n < ratioFloor || n > ratioFloor+1<<20 {
			t.Errorf("%d bytes", n)
		}
		wantGap(t, members[0], timeline.GapTruncated, "decompression bomb")
	})
	t.Run("zip", func(t *testing.T) {
		members := openAll(t, lim, written(t, "b.zip", zipOf(t, archived{"1", zeros[:40<<20]}, archived{"2", zeros[:40<<20]}, archived{"3", "x"})))
		wantGap(t, find(t, members, "b.zip!2"), timeline.GapTruncated, "decompression bomb")
		wantGap(t, find(t, members, "b.zip"), timeline.GapTruncated, "decompression bomb")
	})
	t.Run("nested", func(t *testing.T) {
		// Each level is small; what they unpack to counts together.
		inner := archived{"a.gz", string(bomb)}
		members := openAll(t, lim, written(t, "b.tar.gz", gzipOf(t, tarOf(t, inner, archived{"b.gz", string(bomb)}))))
		total := 0
		for _, m := range members {
			total += len(m.Data)
		}
		if total > ratioFloor+1<<20 {
			t.Errorf("%d bytes in all", total)
		}
		wantGap(t, find(t, members, "b.tar.gz"), timeline.GapTruncated, "decompression bomb")
	})
	t.Run("sparse", func(t *testing.T) {
		// One header that claims a terabyte of holes, as tar -S writes them.
		var out bytes.Buffer
		header := make([]byte, tarBlock)
		copy(header, "holes")
		copy(header[100:], "0000600\x00")
		copy(header[124:], "00000000000\x00")
		copy(header[136:], "00000000000\x00")
		header[156] = tar.TypeGNUSparse
		copy(header[257:], "ustar  \x00")
		copy(header[386:], "17777777777\x0000000000000\x00")
		copy(header[483:], "17777777777\x00")
		sum := 8 * int(' ')
		for i, b := range header {
			if i < 148 || i >= 156 {
				sum += int(b)
			}
		}
		copy(header[148:], fmt.Sprintf("%06o\x00 ", sum))
		out.Write(header)
		out.Write(make([]byte, 1024))
		members, err := tryOpen(Limits{MaxFileBytes: 1 << 20}, nil, written(t, "b.tar", out.Bytes()))
		must(t, err)
		if len(members[0].Data) != 1<<20 {
			t.Errorf("%d bytes, %+v", len(members[0].Data), members[0].Gaps)
		}
	})
}

func TestOpenStdin(t *testing.T) {
	members, err := tryOpen(Limits{}, strings.NewReader("kind: Pod\n"), "-")
	must(t, err)
	wantContents(t, members, map[string]string{"stdin": "kind: Pod\n"})
	if members[0].SHA256 == "" || members[0].Size != 10 {
		t.Errorf("%+v", members[0])
	}

	members, err = tryOpen(Limits{}, bytes.NewReader(zipOf(t, smallBundle...)), "-", "-")
	must(t, err)
	wantContents(t, members, map[string]string{
		"stdin!bundle/node/kubelet.log": "one\ntwo\n",
		"stdin!bundle/pods.yaml":        "kind: Pod\n",
	})

	members, err = tryOpen(Limits{MaxFileBytes: 4}, strings.NewReader("kind: Pod\n"), "-")
	must(t, err)
	wantContents(t, members, map[string]string{"stdin": "kind"})
	wantGap(t, members[0], timeline.GapTruncated, "--max-file-size")
}

func TestOpenSeveralArguments(t *testing.T) {
	dir := t.TempDir()
	one := unpackedTo(t, filepath.Join(dir, "x", "worker-3"), archived{"kubelet.log", "1\n"})
	two := unpackedTo(t, filepath.Join(dir, "y", "worker-3"), archived{"kubelet.log", "2\n"})
	file := filepath.Join(unpackedTo(t, filepath.Join(dir, "z"), archived{"worker-3", "3\n"}), "worker-3")

	wantContents(t, openAll(t, Limits{}, one, two, file, two+string(filepath.Separator)), map[string]string{
		"worker-3/kubelet.log":   "1\n",
		"worker-3~2/kubelet.log": "2\n",
		"worker-3~3":             "3\n",
	})
	// Alone, a folder puts nothing in front, not even where a file has its name.
	alone := unpackedTo(t, filepath.Join(dir, "alone"), archived{"alone", "4\n"})
	wantContents(t, openAll(t, Limits{}, alone), map[string]string{"alone": "4\n"})

	t.Chdir(one)
	wantContents(t, openAll(t, Limits{}, ".", file), map[string]string{
		"worker-3/kubelet.log": "1\n",
		"worker-3~2":           "3\n",
	})
}

func TestOpenOrder(t *testing.T) {
	dir := unpackedTo(t, t.TempDir(), archived{"b.log", "x"}, archived{"a/z.log", "x"}, archived{"a/b.log", "x"}, archived{"c", "x"})
	var paths []string
	for _, m := range openAll(t, Limits{}, dir) {
		paths = append(paths, m.Path)
	}
	if want := []string{"a/b.log", "a/z.log", "b.log", "c"}; !slices.Equal(paths, want) {
		t.Errorf("order %q, want %q", paths, want)
	}
}

func TestOpenErrors(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "no-such-bundle")
	good := written(t, "a.log", []byte("x"))
	members, err := tryOpen(Limits{}, nil, good, missing)
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "reading "+missing+": no such file or directory" {
		t.Errorf("missing: %v", err)
	}
	if len(members) > 0 {
		t.Error("arguments are to be checked before anything is read")
	}
	for name, arg := range map[string]string{
		"empty folder":  t.TempDir(),
		"empty file":    written(t, "empty", nil),
		"empty members": written(t, "e.tar", tarOf(t, archived{"a", ""}, archived{"b/", ""})),
		"no gzip":       written(t, "b.gz", []byte("\x1f\x8b\x08")),
	} {
		if _, err := tryOpen(Limits{}, nil, arg); !errors.Is(err, ErrNotBundle) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := tryOpen(Limits{}, nil); !errors.Is(err, ErrNotBundle) {
		t.Errorf("no arguments: %v", err)
	}
	if _, err := os.Stat("/dev/null"); err == nil {
		if _, err := tryOpen(Limits{}, nil, "/dev/null"); err == nil || !strings.Contains(err.Error(), "character device") {
			t.Errorf("device: %v", err)
		}
	}
}

func TestOpenWithoutPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	dir := unpackedTo(t, t.TempDir(), archived{"a.log", "a"}, archived{"closed.log", "b"}, archived{"dir/c.log", "c"})
	must(t, os.Chmod(filepath.Join(dir, "closed.log"), 0))
	must(t, os.Chmod(filepath.Join(dir, "dir"), 0))
	t.Cleanup(func() { _ = os.Chmod(filepath.Join(dir, "dir"), 0o700) })
	members := openAll(t, Limits{}, dir)
	wantContents(t, members, map[string]string{"a.log": "a", "closed.log": "", "dir": ""})
	wantGap(t, find(t, members, "closed.log"), timeline.GapUnreadable, "permission denied")
	wantGap(t, find(t, members, "dir"), timeline.GapUnreadable, "permission denied")
	if _, err := tryOpen(Limits{}, nil, filepath.Join(dir, "closed.log")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("file argument: %v", err)
	}
	if _, err := tryOpen(Limits{}, nil, filepath.Join(dir, "dir")); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("folder argument: %v", err)
	}
}

func TestOpenEnds(t *testing.T) {
	file := written(t, "b.tar.gz", gzipOf(t, tarOf(t, smallBundle...)))
	stop := errors.New("enough")
	err := Open(context.Background(), []string{file}, nil, Limits{}, func(*Member) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("visit's error: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	err = Open(ctx, []string{file}, nil, Limits{}, func(*Member) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// realArchives are those of real collectors beside the repository.
func realArchives(t *testing.T) []string {
	t.Helper()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var archives []string
	for _, root := range []string{"../../shared/lab-bundles", "../../shared/realdata", "../../shared/cases"} {
		_ = filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return nil
			}
			for _, ext := range []string{".gz", ".xz", ".zst", ".bz2", ".zip", ".tar", ".tgz"} {
				if strings.HasSuffix(path, ext) {
					archives = append(archives, path)
					break
				}
			}
			return nil
		})
	}
	if len(archives) == 0 {
		t.Skip("no real archives beside the repository")
	}
	return archives
}

// TestOpenRealArchives: all of each is readable.
func TestOpenRealArchives(t *testing.T) {
	for _, file := range realArchives(t) {
		members, err := tryOpen(Limits{}, nil, file)
		if err != nil && !errors.Is(err, ErrNotBundle) { // a few hold only empty files
			t.Errorf("%s: %v", file, err)
		}
		for _, m := range members {
			for _, gap := range m.Gaps {
				if gap.Kind != timeline.GapUnreadable || !strings.Contains(gap.Detail, "links to what is not in it") {
					t.Errorf("%s: %s: %s %s", file, m.Path, gap.Kind, gap.Detail)
				}
			}
		}
		if testing.Verbose() {
			t.Logf("%s: %d members", filepath.Base(file), len(members))
		}
	}
}

// TestOpenRealArchivesCut: of half an archive, the first part is read, and it
// is told that the rest is missing.
func TestOpenRealArchivesCut(t *testing.T) {
	const enough = 90 << 10 // decoders give out whole blocks
	for _, file := range realArchives(t) {
		data, err := os.ReadFile(file)
		must(t, err)
		if len(data) < enough {
			continue
		}
		whole, err := tryOpen(Limits{}, bytes.NewReader(data), "-")
		must(t, err)
		half, err := tryOpen(Limits{}, bytes.NewReader(data[:len(data)/2]), "-")
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		last := half[len(half)-1]
		wantGap(t, last, timeline.GapTruncated, "damaged or cut off")
		want := contents(whole)
		for path, content := range contents(half) {
			if !strings.HasPrefix(want[path], content) {
				t.Errorf("%s: %s is not what it was", file, path)
			}
		}
		t.Logf("%s: %d of %d members", filepath.Base(file), len(half), len(whole))
	}
}

// FuzzOpenArchive gives any bytes as a bundle: no panic, the limits hold, and
// two runs see the same.
func FuzzOpenArchive(f *testing.F) {
	plain := tarOf(f, smallBundle...)
	f.Add(plain)
	f.Add(gzipOf(f, plain))
	f.Add(zstdOf(f, plain))
	f.Add(lz4Of(f, plain))
	zipped := zipOf(f, smallBundle...)
	f.Add(zipped)
	f.Add(zipped[:len(zipped)-40])
	f.Add(zipOf(f, archived{"a.tar", string(plain)}, archived{"b.gz", string(gzipOf(f, []byte("x")))}))
	for _, name := range []string{"bundle.tar.xz", "bundle.tar.bz2"} {
		data, err := os.ReadFile(filepath.Join("testdata/open", name))
		must(f, err)
		f.Add(data)
	}
	f.Add([]byte("Nov 30 08:21:33 worker-1 kubelet[1]: hello\n"))
	f.Add([]byte(`{"host-collectors/run-host/df.txt": "a\n", "host-collectors/system/time.json": {"timezone": "UTC"}}`))
	lim := Limits{MaxFileBytes: 1 << 16, MaxTotalBytes: 1 << 18, MaxFiles: 100, MaxDepth: 3}
	f.Fuzz(func(t *testing.T, data []byte) {
		members, err := tryOpen(lim, bytes.NewReader(data), "-")
		var total int64
		seen := map[string]bool{}
		for _, m := range members {
			total += int64(len(m.Data))
			if int64(len(m.Data)) > lim.MaxFileBytes {
				t.Errorf("%s has %d bytes", m.Path, len(m.Data))
			}
			if seen[m.Path] {
				t.Errorf("two members are %s", m.Path)
			}
			seen[m.Path] = true
			if !utf8.ValidString(m.Path) || strings.IndexFunc(m.Path, notPrintable) >= 0 {
				t.Errorf("unprintable path %q", m.Path)
			}
		}
		if total > lim.MaxTotalBytes {
			t.Errorf("%d bytes visited", total)
		}
		if len(members) > 2*lim.MaxFiles {
			t.Errorf("%d members", len(members))
		}
		again, errAgain := tryOpen(lim, bytes.NewReader(data), "-")
		if diff := cmp.Diff(members, again, cmpopts.IgnoreUnexported(Member{})); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("two runs differ: %v, %v\n%s", err, errAgain, diff)
		}
	})
}
