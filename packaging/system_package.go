package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// billOfMaterials lists the modules of a program, as CycloneDX does.
func (r *release) billOfMaterials(ctx context.Context, binary, base string) error {
	name := base + ".cdx.json"
	tool := exec.CommandContext(ctx, "go", "run", cyclonedx, "bin",
		"-json", "-noserial", "-notimestamp", "-std", "-version", "v"+r.version, "-output", filepath.Join(r.out, name), binary)
	r.files = append(r.files, name)
	return run(tool)
}

// systemPackage is a deb or an rpm of what an archive holds.
func (r *release) systemPackage(ctx context.Context, t target, packager string, content []file) error {
	root := filepath.Join(r.work, "root-"+t.arch)
	if err := lay(root, append(slices.Clone(content), file{"copyright", "packaging/copyright", 0o644})); err != nil {
		return err
	}
	name := fmt.Sprintf("podautopsy_%s_%s_%s.%s", r.version, t.os, t.arch, packager)
	tool := exec.CommandContext(ctx, "go", "run", nfpm, "package",
		"--config", "packaging/nfpm.yaml", "--packager", packager, "--target", filepath.Join(r.out, name))
	tool.Env = append(os.Environ(),
		"VERSION="+r.version, "ARCH="+t.arch, "ROOT="+root, "HOMEPAGE="+r.url, fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
	r.files = append(r.files, name)
	return run(tool)
}

// lay writes files below a folder; manual pages are packed, as man wants them.
// Rights are as said, whatever the umask.
func lay(root string, content []file) error {
	for _, f := range content {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return err
		}
		name := f.name
		if strings.HasPrefix(name, "man/") {
			if data, err = packed(data); err != nil {
				return err
			}
			name += ".gz"
		}
		to := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(to, data, f.mode); err != nil {
			return err
		}
		if err := os.Chmod(to, f.mode); err != nil {
			return err
		}
	}
	return filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return os.Chmod(path, 0o755) //nolint:gosec // a folder that was made above, in a private one
	})
}

// packed is gzip's, with no name and no time in it.
func packed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
