package main

import (
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// versionOf is the version that the toolchain stamped a program with.
func versionOf(binary string) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", err
	}
	if info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "0.0.0", nil
	}
	return strings.TrimPrefix(info.Main.Version, "v"), nil
}

// revisionOf is the commit that the toolchain stamped a program with, if any.
func revisionOf(binary string) (string, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return "", err
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value, nil
		}
	}
	return "", nil
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)`)

// thirdParty is the licence texts of everything that is linked into a program,
// Go's own library included. A module without one must not be released.
func thirdParty(ctx context.Context, binary string) ([]file, error) {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	var found []file
	take := func(module, dir string) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		licences := 0
		for _, e := range entries {
			if e.IsDir() || !licenceFile.MatchString(e.Name()) {
				continue
			}
			if !strings.HasPrefix(strings.ToLower(e.Name()), "notice") {
				licences++
			}
			found = append(found, file{name: path.Join("third-party", module, e.Name()), from: filepath.Join(dir, e.Name()), mode: 0o644})
		}
		if licences == 0 {
			return fmt.Errorf("%s has no licence text", module)
		}
		return nil
	}
	if err := take("go", strings.TrimSpace(string(goroot))); err != nil {
		return nil, err
	}
	for _, dep := range info.Deps {
		dir, err := exec.CommandContext(ctx, "go", "mod", "download", "-json", dep.Path+"@"+dep.Version).Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dep.Path, err)
		}
		folder := downloadedTo.FindSubmatch(dir)
		if folder == nil {
			return nil, fmt.Errorf("%s is not in the module cache", dep.Path)
		}
		if err := take(dep.Path+"@"+dep.Version, filepath.FromSlash(string(folder[1]))); err != nil {
			return nil, err
		}
	}
	return found, nil
}

var downloadedTo = regexp.MustCompile(`"Dir": "([^"]+)"`)
