package main

import (
	"bytes"
	"debug/elf"
	"errors"
	"io"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// built is the program as it is released, where any user may run it.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "podautopsy")
	if err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "podautopsy")
	build := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func binary(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// call runs the program with another environment.
func call(t *testing.T, change func(*exec.Cmd), args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary(t), args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.Env = []string{"PATH=/nonexistent", "HOME=/nonexistent"}
	if change != nil {
		change(cmd)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) || errors.Is(err, syscall.ENOSPC) {
			cannot(t, "not allowed here: %v", err)
		}
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// cannot skips a test that the machine cannot hold, and says why. In CI, root
// can: there, a skipped test would be one that nobody ever runs.
func cannot(t *testing.T, why string, args ...any) {
	t.Helper()
	if os.Getenv("CI") == "true" && os.Getuid() == 0 && !containerForbids() {
		t.Fatalf(why, args...)
	}
	t.Skipf(why, args...)
}

// containerForbids says whether this root is one of a container that may not
// make namespaces.
func containerForbids() bool {
	probe := exec.Command("true")
	probe.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	return probe.Run() != nil
}

// mounted runs the program where mounts are laid out by a script first, seen by
// nobody else.
func mounted(t *testing.T, dir, script string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		cannot(t, "no shell: %v", err)
	}
	if os.Getuid() != 0 || containerForbids() {
		cannot(t, "only root mounts")
	}
	const failed = 99
	cmd := exec.Command(sh, append([]string{"-c", "mount --make-rprivate / && " + script + " || exit 99; exec \"$0\" \"$@\"", binary(t)}, args...)...)
	cmd.Dir = dir
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if cmd.ProcessState.ExitCode() == failed {
		cannot(t, "not mounted: %s", errs.String())
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

const aFixture = "../../fixtures/finalizer-no-controller/input"

// fixtureCopy is a bundle that any user may read, its files written in the
// order of their names or in the other.
func fixtureCopy(t *testing.T, backwards bool) (dir string) {
	t.Helper()
	dir = t.TempDir()
	var files []string
	for _, pattern := range []string{"/*/*", "/*/*/*"} {
		found, err := filepath.Glob(aFixture + pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	slices.Sort(files)
	if backwards {
		slices.Reverse(files)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // a folder
		}
		rel, err := filepath.Rel(aFixture, file)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, "bundle", rel)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What opens a connection or runs a program is not linked into the binary. Two
// libraries import net and os/exec for what is not used of them.
func TestNothingToConnectWith(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}}: {{join .Imports " "}}`, ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]string{"github.com/spf13/pflag": "net", "github.com/charmbracelet/colorprofile": "os/exec"}
	std := regexp.MustCompile(`^(net|os/exec|vendor/.*|internal/.*)$`)
	for line := range strings.Lines(string(out)) {
		by, imports, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if std.MatchString(by) {
			continue
		}
		for _, imported := range strings.Fields(imports) {
			switch imported {
			case "net", "os/exec", "net/http", "net/rpc", "net/smtp", "crypto/tls", "plugin", "golang.org/x/net/http2":
				if allowed[by] != imported {
					t.Errorf("%s imports %s", by, imported)
				}
			}
		}
	}
	file, err := elf.Open(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	symbols, err := file.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	never := regexp.MustCompile(`^(net\.(Dial|Listen|\(\*Dialer\)|\(\*Resolver\)|socket|internetSocket)|net/http\.|crypto/tls\.|os/exec\.\(\*Cmd\)\.(Start|Run)|os\.StartProcess|syscall\.(Exec|StartProcess|forkExec|connect|socket|bind|listen)$)`)
	for _, s := range symbols {
		if never.MatchString(s.Name) {
			t.Errorf("the binary holds %s", s.Name)
		}
	}
}

// In a network namespace without any interface it says the same.
func TestWithoutNetwork(t *testing.T) {
	dir := fixtureCopy(t, false)
	want, _, _ := call(t, func(c *exec.Cmd) { c.Dir = dir }, "analyze", "bundle", "-o", "json")
	got, stderr, code := call(t, func(c *exec.Cmd) {
		c.Dir = dir
		c.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}, "analyze", "bundle", "-o", "json")
	if code != 0 || got != want {
		t.Errorf("exit code %d, the same report: %v; %s", code, got == want, stderr)
	}
}

// The same bundle gives the same bytes, whoever runs it wherever.
func TestSameBytesEverywhere(t *testing.T) {
	dir, backwards := fixtureCopy(t, false), fixtureCopy(t, true)
	for _, format := range []string{"json", "text", "markdown", "html"} {
		want, stderr, code := call(t, func(c *exec.Cmd) { c.Dir = dir }, "analyze", "bundle", "-o", format, "--jobs", "1")
		if code != 0 {
			t.Fatal(stderr)
		}
		for name, variant := range map[string]struct {
			dir  string
			env  []string
			args []string
		}{
			"two workers":     {dir, nil, []string{"--jobs", "2"}},
			"eight workers":   {dir, nil, []string{"--jobs", "8"}},
			"one processor":   {dir, []string{"GOMAXPROCS=1"}, nil},
			"little memory":   {dir, []string{"GOGC=5", "GOMEMLIMIT=32MiB"}, nil},
			"zone":            {dir, []string{"TZ=Pacific/Kiritimati"}, nil},
			"locale":          {dir, []string{"LANG=tr_TR.UTF-8", "LC_ALL=tr_TR.UTF-8", "LANGUAGE=tr"}, nil},
			"other folders":   {dir, []string{"TMPDIR=/nonexistent", "HOME=" + t.TempDir(), "XDG_CACHE_HOME=/nonexistent"}, nil},
			"terminal":        {dir, []string{"TERM=xterm-256color", "COLORTERM=truecolor", "COLUMNS=40"}, nil},
			"order of a disk": {backwards, nil, nil},
		} {
			got, stderr, code := call(t, func(c *exec.Cmd) {
				c.Dir = variant.dir
				c.Env = append(c.Env, variant.env...)
			}, append([]string{"analyze", "bundle", "-o", format}, variant.args...)...)
			if code != 0 || got != want {
				t.Errorf("%s, %s: exit code %d, the same bytes: %v; %s", format, name, code, got == want, stderr)
			}
		}
	}
}

// A user without rights or a home, in a folder that cannot be written.
func TestUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		cannot(t, "only root can become nobody")
	}
	dir := fixtureCopy(t, false)
	for d := dir; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		if err := os.Chmod(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const nobody = 65534
	asNobody := func(c *exec.Cmd) {
		c.Dir = dir
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	stdout, stderr, code := call(t, asNobody, "analyze", "bundle")
	if code != 0 || !strings.Contains(stdout, "lab.example.com/cleanup") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
	stdout, stderr, code = call(t, asNobody, "analyze", "bundle", "-o", "text", "-o", "json=report.json")
	if code != exitFailure || !strings.Contains(stderr, "writing report.json: ") {
		t.Errorf("exit code %d: %s%s", code, stdout, stderr)
	}
}

// A full disk is told, and costs nothing but what was to stand on it.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		cannot(t, "no full device: %v", err)
	}
	defer full.Close()
	dir := fixtureCopy(t, false)
	_, stderr, code := call(t, func(c *exec.Cmd) { c.Dir = dir; c.Stdout = full }, "analyze", "bundle", "-o", "text", "-o", "json=kept.json")
	if code != exitFailure || !strings.Contains(stderr, "writing to standard output: ") || !strings.Contains(stderr, "no space left") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	stdout, stderr, code := call(t, func(c *exec.Cmd) { c.Dir = dir }, "analyze", "bundle", "-o", "text", "-o", "html=/dev/full", "-o", "json=also.json")
	if code != exitFailure || !strings.Contains(stderr, "writing /dev/full: ") || !strings.Contains(stdout, "EVIDENCE") {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	for _, name := range []string{"kept.json", "also.json"} {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Contains(data, []byte(`"reportID"`)) {
			t.Errorf("%s is not kept: %v", name, err)
		}
	}
}

// On a disk that nobody may write to, the report is read on standard output.
func TestReadOnlyDisk(t *testing.T) {
	dir := fixtureCopy(t, false)
	const readOnly = `mount -o bind "$PWD" "$PWD" && mount -o remount,ro,bind "$PWD" && mount -o remount,ro,bind / && cd "$PWD"`
	want, stderr, code := call(t, func(c *exec.Cmd) { c.Dir = dir }, "analyze", "bundle")
	if code != 0 {
		t.Fatal(stderr)
	}
	if got, stderr, code := mounted(t, dir, readOnly, "analyze", "bundle"); code != 0 || got != want {
		t.Errorf("exit code %d, the same report: %v; %s", code, got == want, stderr)
	}
	got, stderr, code := mounted(t, dir, readOnly, "analyze", "bundle", "-o", "text", "-o", "json=report.json")
	if code != exitFailure || got != want || !strings.Contains(stderr, "writing report.json: ") || !strings.Contains(stderr, "read-only file system") {
		t.Errorf("exit code %d, the same report: %v; %s", code, got == want, stderr)
	}
}

// Where a small disk is full, an output that has no room is told and leaves
// nothing; what has room is kept, and older reports stay as they were.
func TestSmallDisk(t *testing.T) {
	dir := fixtureCopy(t, false)
	if err := os.Mkdir(filepath.Join(dir, "small"), 0o755); err != nil {
		t.Fatal(err)
	}
	// What is on the small disk is seen in there alone: it is listed at the end.
	const script = `mount -t tmpfs -o size=64k tmpfs small && echo old > small/report.html && cp small/report.html small/old && export TMPDIR="$PWD/small"`
	stdout, stderr, code := mounted(t, dir, script+` && { "$0" "$@"; code=$?; cmp small/report.html small/old; head -c 20 small/report.md; ls -A small; exit $code; }`,
		"analyze", "bundle", "-o", "text", "-o", "html=small/report.html", "-o", "markdown=small/report.md", "-o", "csv=kept.csv")
	if code != exitFailure || !strings.Contains(stderr, "writing small/report.html: ") || !strings.Contains(stderr, "no space left") || strings.Count(stderr, "writing ") != 1 {
		t.Errorf("exit code %d: %s", code, stderr)
	}
	if !strings.Contains(stdout, "EVIDENCE") || !strings.HasSuffix(stdout, "old\nreport.html\nreport.md\n") || strings.Contains(stdout, "differ") {
		t.Errorf("what is kept: %s", stdout[max(0, len(stdout)-300):])
	}
	if data, err := os.ReadFile(filepath.Join(dir, "kept.csv")); err != nil || len(data) == 0 {
		t.Errorf("kept.csv: %d bytes, %v", len(data), err)
	}
}

// Ctrl-C, SIGTERM and a terminal that is closed leave a report on what was read, marked, and nothing else.
func TestSignals(t *testing.T) {
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}
	if !ossignal.Ignored(syscall.SIGHUP) { // as under nohup, which the program heeds
		signals = append(signals, syscall.SIGHUP)
	}
	for _, signal := range signals {
		dir := fixtureCopy(t, false)
		in, endless, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(binary(t), "analyze", "bundle", "-", "-o", "json=report.json", "-o", "html=report.html")
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stdin, cmd.Stderr = dir, in, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		in.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = cmd.Wait() // the exit code says it
		}()
		go func() {
			for {
				if _, err := io.WriteString(endless, "Nov 30 08:21:33 worker-1 kubelet[1]: hello\n"); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		}()
		time.Sleep(2 * time.Second)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatal("it goes on")
		}
		endless.Close()
		if code := cmd.ProcessState.ExitCode(); code != exitInterrupted || !strings.Contains(stderr.String(), "the report is partial") {
			t.Errorf("%v: exit code %d: %s", signal, code, stderr.String())
		}
		left, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, e := range left {
			names = append(names, e.Name())
		}
		if !slices.Equal(names, []string{"bundle", "report.html", "report.json"}) {
			t.Errorf("%v: left %q", signal, names)
		}
		data, err := os.ReadFile(filepath.Join(dir, "report.json"))
		if err != nil || !bytes.Contains(data, []byte(`"partial": true`)) {
			t.Errorf("%v: not marked as partial: %v", signal, err)
		}
	}
}
