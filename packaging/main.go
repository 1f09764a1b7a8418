// Command packaging builds what is released, into dist: an archive for each
// system, packages for Debian and Red Hat, container images, bills of materials,
// the manifest of the plugin for kubectl, checksums. The same commit gives the
// same bytes.
//
// It is no part of the product: it runs the Go toolchain, and tools that Go
// fetches at the versions below.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Tools that are built and run by Go itself. Their later versions want a later
// Go, or modules that are not to be had everywhere.
const (
	nfpm      = "github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.45.0"
	cyclonedx = "github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0"
)

func main() {
	out := flag.String("out", "dist", "the `FOLDER` to fill; what it holds is removed")
	only := flag.String("only", "", "build for this `OS/ARCH` alone")
	url := flag.String("url", "https://example.invalid/podautopsy", "where the archives will be fetched from, for the plugin's manifest")
	flag.Parse()
	r := &release{out: *out, url: strings.TrimSuffix(*url, "/")}
	if err := r.build(context.Background(), *only); err != nil {
		fmt.Fprintf(os.Stderr, "packaging: %v\n", err)
		os.Exit(1)
	}
}

// release is one run.
type release struct {
	out, url string
	version  string    // without the v
	time     time.Time // of every file: that of the commit
	work     string    // for what is not released
	shared   []file    // what every archive holds
	files    []string  // what has been made, in out
}

func (r *release) build(ctx context.Context, only string) (err error) {
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if r.work, err = os.MkdirTemp("", "podautopsy-dist-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if r.time, err = commitTime(ctx); err != nil {
		return err
	}
	if err := r.gather(ctx); err != nil {
		return err
	}
	var archives []archive
	for _, t := range targets {
		if only != "" && only != t.os+"/"+t.arch {
			continue
		}
		if why := t.missing(); why != "" {
			fmt.Fprintf(os.Stderr, "packaging: %s is left out: %s\n", t.name(), why)
			continue
		}
		made, err := r.target(ctx, t)
		if err != nil {
			return fmt.Errorf("%s: %w", t.name(), err)
		}
		archives = append(archives, made)
	}
	if err := r.pluginManifest(archives); err != nil {
		return err
	}
	return r.checksums()
}

// target makes everything for one system.
func (r *release) target(ctx context.Context, t target) (archive, error) {
	binary := filepath.Join(r.work, t.name(), t.binary())
	if err := goBuild(ctx, t, binary); err != nil {
		return archive{}, err
	}
	revision, err := revisionOf(binary)
	if err != nil {
		return archive{}, err
	}
	licences, err := thirdParty(ctx, binary)
	if err != nil {
		return archive{}, err
	}
	content := append([]file{{name: t.binary(), from: binary, mode: 0o755}}, r.shared...)
	content = append(content, licences...)
	if err := lay(filepath.Join(r.out, "extras"), content[1:]); err != nil {
		return archive{}, err
	}
	made, err := r.archive(t, content)
	if err != nil {
		return archive{}, err
	}
	if err := r.billOfMaterials(ctx, binary, made.base()); err != nil {
		return archive{}, err
	}
	if t.os == "linux" && t.tags == "" {
		if err := r.image(t, content, revision); err != nil {
			return archive{}, err
		}
		for _, packager := range []string{"deb", "rpm"} {
			if err := r.systemPackage(ctx, t, packager, content); err != nil {
				return archive{}, err
			}
		}
	}
	return made, nil
}

// commitTime is that of the commit, or what SOURCE_DATE_EPOCH says.
func commitTime(ctx context.Context) (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		out, err := exec.CommandContext(ctx, "git", "log", "-1", "--format=%ct").Output()
		if err != nil {
			return time.Time{}, fmt.Errorf("the time of the commit, which SOURCE_DATE_EPOCH can tell as well: %w", err)
		}
		seconds = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit: %w", err)
	}
	return time.Unix(n, 0).UTC(), nil
}
