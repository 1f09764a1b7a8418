//go:build unix

package parsers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"podautopsy/timeline"
)

// inTime fails rather than hangs where a pipe is waited for.
func inTime(t *testing.T, do func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a writer")
	}
}

func TestOpenRefusesNamedPipes(t *testing.T) {
	dir := unpackedTo(t, t.TempDir(), archived{"a.log", "a\n"})
	pipe := filepath.Join(dir, "pipe")
	must(t, syscall.Mkfifo(pipe, 0o600))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(pipe, link))
	for _, arg := range []string{pipe, link} {
		inTime(t, func() {
			if _, err := tryOpen(Limits{}, nil, arg); err == nil || !strings.Contains(err.Error(), "named pipe") {
				t.Errorf("%s: %v", arg, err)
			}
		})
	}
	inTime(t, func() {
		members := openAll(t, Limits{}, dir)
		wantContents(t, members, map[string]string{"a.log": "a\n"})
		wantGap(t, find(t, members, "."), timeline.GapUnreadable, "pipe (named pipe)")
	})
}

// A file may have become a pipe since the folder was listed.
func TestOpenNeverWaitsForAWriter(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	root, err := os.OpenRoot(dir)
	must(t, err)
	defer root.Close()
	inTime(t, func() {
		o := &opener{ctx: t.Context(), lim: DefaultLimits(), visit: func(*Member) error { return nil }, taken: map[string]int{}}
		must(t, o.below(root, "pipe", "pipe"))
	})
}

// What the shell hands over, as <(command) does, is read.
func TestOpenReadsHandedPipes(t *testing.T) {
	if _, err := os.Stat("/dev/fd"); err != nil {
		t.Skip("no /dev/fd here:", err)
	}
	r, w, err := os.Pipe()
	must(t, err)
	defer r.Close()
	_, err = w.WriteString("kind: Pod\n")
	must(t, err)
	must(t, w.Close())
	inTime(t, func() {
		members, err := tryOpen(Limits{}, nil, fmt.Sprintf("/dev/fd/%d", r.Fd()))
		must(t, err)
		if len(members) != 1 || string(members[0].Data) != "kind: Pod\n" {
			t.Errorf("%+v", members)
		}
	})
}
