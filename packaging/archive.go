package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// file is one that is packed.
type file struct {
	name string // in the archive
	from string // where it is
	mode fs.FileMode
}

// archive is one that was made.
type archive struct {
	target
	file, sha256 string
}

func (a archive) base() string {
	return strings.TrimSuffix(strings.TrimSuffix(a.file, ".zip"), ".tar.gz")
}

// archive packs files below a folder of the archive's name: zip for Windows,
// tar.gz elsewhere.
func (r *release) archive(t target, content []file) (archive, error) {
	folder := t.program() + "_" + r.version + "_" + t.os + "_" + t.arch
	pack, ending := tarball, ".tar.gz"
	if t.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	data, err := pack(folder, content, r.time)
	if err != nil {
		return archive{}, err
	}
	name := folder + ending
	if err := os.WriteFile(filepath.Join(r.out, name), data, 0o644); err != nil {
		return archive{}, err
	}
	r.files = append(r.files, name)
	sum := sha256.Sum256(data)
	return archive{t, name, hex.EncodeToString(sum[:])}, nil
}

func byName(a, b file) int { return cmp.Compare(a.name, b.name) }

func tarball(folder string, content []file, at time.Time) ([]byte, error) {
	var entries []entry
	for _, f := range slices.SortedFunc(slices.Values(content), byName) {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{folder + "/" + f.name, f.mode, data})
	}
	plain, err := packTar(entries, at)
	if err != nil {
		return nil, err
	}
	return packed(plain)
}

// entry is a file of a tar; the name of a folder ends in a slash.
type entry struct {
	name string
	mode fs.FileMode
	data []byte
}

func packTar(entries []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, e := range entries {
		header := &tar.Header{
			Typeflag: tar.TypeReg, Name: e.name, Size: int64(len(e.data)), Mode: int64(e.mode.Perm()),
			ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatPAX,
		}
		if strings.HasSuffix(e.name, "/") {
			header.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func zipped(folder string, content []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range slices.SortedFunc(slices.Values(content), byName) {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		header := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		to, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// checksums lists what was made, as sha256sum -c reads it.
func (r *release) checksums() error {
	var list strings.Builder
	for _, name := range slices.Sorted(slices.Values(r.files)) {
		data, err := os.ReadFile(filepath.Join(r.out, name))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		list.WriteString(hex.EncodeToString(sum[:]) + "  " + name + "\n")
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), []byte(list.String()), 0o644)
}
