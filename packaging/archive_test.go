package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

func content(t *testing.T) []file {
	t.Helper()
	dir := t.TempDir()
	var files []file
	for name, mode := range map[string]os.FileMode{"podautopsy": 0o755, "LICENSE": 0o644, "man/podautopsy.1": 0o644} {
		from := filepath.Join(dir, filepath.Base(name))
		if err := os.WriteFile(from, []byte("text of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, file{name, from, mode})
	}
	return files
}

// The order of the files, their owner, rights and times on this machine do not
// tell on an archive.
func TestArchivesAreTheSame(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for name, pack := range map[string]func(string, []file, time.Time) ([]byte, error){"tar": tarball, "zip": zipped} {
		files := content(t)
		first, err := pack("podautopsy_1", files, at)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if err := os.Chtimes(f.from, time.Time{}, at.AddDate(-1, 0, 0)); err != nil {
				t.Fatal(err)
			}
		}
		slices.Reverse(files)
		again, err := pack("podautopsy_1", files, at)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: the same files give another archive (%v)", name, err)
		}
	}
}

func TestArchivesHoldTheProgram(t *testing.T) {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	data, err := tarball("podautopsy_1", content(t), at)
	if err != nil {
		t.Fatal(err)
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var inTar []string
	for r := tar.NewReader(unpacked); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		inTar = append(inTar, h.Name)
		if program := h.Name == "podautopsy_1/podautopsy"; program != (h.Mode == 0o755) || !h.ModTime.Equal(at) || h.Uid != 0 {
			t.Errorf("%s: mode %o, time %v, owner %d", h.Name, h.Mode, h.ModTime, h.Uid)
		}
	}
	if data, err = zipped("podautopsy_1", content(t), at); err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var inZip []string
	for _, f := range z.File {
		inZip = append(inZip, f.Name)
	}
	want := []string{"podautopsy_1/LICENSE", "podautopsy_1/man/podautopsy.1", "podautopsy_1/podautopsy"}
	if !slices.Equal(inTar, want) || !slices.Equal(inZip, want) {
		t.Errorf("tar %v, zip %v", inTar, inZip)
	}
}

// What is packed for a system is readable for everybody, whatever this machine
// thinks of new files.
func TestLaidOutFilesAreReadable(t *testing.T) {
	files := content(t) // their originals are private
	root := filepath.Join(t.TempDir(), "root")
	if err := os.MkdirAll(filepath.Join(root, "man"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := lay(root, files); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{".": 0o755, "man": 0o755, "man/podautopsy.1.gz": 0o644, "LICENSE": 0o644, "podautopsy": 0o755} {
		info, err := os.Stat(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != mode {
			t.Errorf("%s: %o, want %o", name, info.Mode().Perm(), mode)
		}
	}
}

// The manifest is what krew demands: its names, a hash and a program for each
// platform, a short description in one line.
func TestPluginManifest(t *testing.T) {
	t.Chdir("..")
	r := &release{out: t.TempDir(), url: "https://example.invalid/v1", version: "1.2.3"}
	sum := strings.Repeat("ab", 32)
	err := r.pluginManifest([]archive{
		{target{os: "linux", arch: "arm64"}, "podautopsy_1.2.3_linux_arm64.tar.gz", sum},
		{target{os: "windows", arch: "amd64"}, "podautopsy_1.2.3_windows_amd64.zip", sum},
		{target{os: "linux", arch: "amd64", tags: "sdjournal"}, "podautopsy-sdjournal_1.2.3_linux_amd64.tar.gz", sum},
	})
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(r.out, "podautopsy.krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Kind     string
		Metadata struct{ Name string }
		Spec     struct {
			Version, Homepage, Description string
			ShortDescription               string `yaml:"shortDescription"`
			Platforms                      []struct {
				Selector struct {
					MatchLabels map[string]string `yaml:"matchLabels"`
				}
				URI, SHA256, Bin string
				Files            []struct{ From, To string }
			}
		}
	}
	if err := yaml.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	s := manifest.Spec
	if manifest.Kind != "Plugin" || manifest.Metadata.Name != "podautopsy" || s.Version != "v1.2.3" || len(s.ShortDescription) > 50 || strings.HasSuffix(s.ShortDescription, ".") {
		t.Errorf("%+v", manifest)
	}
	if len(s.Platforms) != 2 {
		t.Fatalf("%d platforms", len(s.Platforms))
	}
	for _, p := range s.Platforms {
		if !strings.HasPrefix(p.URI, "https://example.invalid/v1/podautopsy_1.2.3_"+p.Selector.MatchLabels["os"]+"_"+p.Selector.MatchLabels["arch"]+".") || p.SHA256 != sum {
			t.Errorf("%+v", p)
		}
		if p.Files[0].From != "podautopsy_1.2.3_"+p.Selector.MatchLabels["os"]+"_"+p.Selector.MatchLabels["arch"]+"/"+p.Bin || p.Files[1].To != "." {
			t.Errorf("%+v", p)
		}
	}
}
