package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// target is a system that is built for.
type target struct {
	os, arch string
	tags     string // of the build; they want a C compiler
}

// targets are all of them. The reader of journals by systemd's own library is
// a build of its own: it needs glibc, and the static ones need nothing.
var targets = []target{
	{os: "linux", arch: "amd64"},
	{os: "linux", arch: "arm64"},
	{os: "darwin", arch: "amd64"},
	{os: "darwin", arch: "arm64"},
	{os: "windows", arch: "amd64"},
	{os: "linux", arch: runtime.GOARCH, tags: "sdjournal"},
}

func (t target) program() string {
	if t.tags != "" {
		return "podautopsy-" + t.tags
	}
	return "podautopsy"
}

func (t target) name() string { return t.program() + "_" + t.os + "_" + t.arch }

func (t target) binary() string {
	if t.os == "windows" {
		return "podautopsy.exe"
	}
	return "podautopsy"
}

// missing says what this machine lacks to build it.
func (t target) missing() string {
	if t.tags == "" {
		return ""
	}
	if runtime.GOOS != "linux" {
		return "it is built on Linux"
	}
	compiler := exec.Command("cc", "-x", "c", "-fsyntax-only", "-")
	compiler.Stdin = strings.NewReader("#include <systemd/sd-journal.h>\n")
	if compiler.Run() != nil {
		return "it needs a C compiler and systemd/sd-journal.h (apt-get install gcc libc6-dev libsystemd-dev)"
	}
	return ""
}

// goBuild leaves nothing of this machine in the program: no paths, and
// no flags of the user's.
func goBuild(ctx context.Context, t target, to string) error {
	flags := "-s -w"
	cgo := "0"
	if t.tags != "" {
		cgo = "1"
		flags += " -extldflags=-Wl,--build-id=none"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=auto", "-tags="+t.tags, "-ldflags="+flags, "-o", to, "./cmd/podautopsy")
	build.Env = append(os.Environ(),
		"GOOS="+t.os, "GOARCH="+t.arch, "CGO_ENABLED="+cgo,
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1", "GOARM64=v8.0", "CGO_CFLAGS=-O2 -g0", "CGO_LDFLAGS=")
	return run(build)
}

// run lets a program speak only if it fails.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// gather makes what every archive holds: documents, manual pages, completions.
func (r *release) gather(ctx context.Context) error {
	host := filepath.Join(r.work, "host", target{os: runtime.GOOS}.binary())
	if err := goBuild(ctx, target{os: runtime.GOOS, arch: runtime.GOARCH}, host); err != nil {
		return err
	}
	version, err := versionOf(host)
	if err != nil {
		return err
	}
	r.version = version
	for _, document := range []string{"LICENSE", "README.md", "CHANGELOG.md", "SECURITY.md"} {
		r.shared = append(r.shared, file{name: document, from: document, mode: 0o644})
	}
	pages, err := filepath.Glob("docs/man/*.1")
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return errors.New("no manual pages in docs/man: run in the top folder of the repository")
	}
	for _, page := range pages {
		r.shared = append(r.shared, file{name: "man/" + filepath.Base(page), from: page, mode: 0o644})
	}
	for shell, name := range map[string]string{
		"bash": "podautopsy.bash", "zsh": "_podautopsy", "fish": "podautopsy.fish", "powershell": "podautopsy.ps1",
	} {
		script, err := exec.CommandContext(ctx, host, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", shell, err)
		}
		to := filepath.Join(r.work, name)
		if err := os.WriteFile(to, script, 0o644); err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: "completions/" + name, from: to, mode: 0o644})
	}
	return nil
}
