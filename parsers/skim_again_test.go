package parsers

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"podautopsy/timeline"
)

// Looked through again, a log has kept all that matters for either reason, the
// same for any number of workers and wherever its text was held.
func TestLookAgain(t *testing.T) {
	data := longLog(60_000)
	path := filepath.Join(t.TempDir(), "kubelet.log")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var first content
	for _, held := range []string{"in memory", "packed in a file", "on disk"} {
		for _, jobs := range []int{1, 4} {
			s := skimmingFor(t, jobs, 0, "target is busy")
			var disk *fileState
			switch held {
			case "packed in a file":
				s.spool.memory = 1 << 20
			case "on disk":
				f, err := os.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				disk = &fileState{File: f}
			}
			l, err := s.skim(bytes.NewReader(data), disk, nil)
			if err != nil || !l.again {
				t.Fatalf("%s: %v, to be looked through again: %v", held, err, l.again)
			}
			if more, err := l.lookAgain([]string{"no such line"}); more || err != nil {
				t.Fatalf("%s: more: %v, %v", held, more, err)
			}
			more, err := l.lookAgain([]string{`pod="shop/web-4321"`, `pod="shop/web-59999"`})
			if !more || err != nil {
				t.Fatalf("%s: more: %v, %v", held, more, err)
			}
			c := l.content()
			checkSkim(t, data, c)
			for _, want := range []string{"target is busy", "\tmain.go:1\n", `"shop/web-4321"`, `"shop/web-59999"`} {
				if got, want := bytes.Count(c.data, []byte(want)), bytes.Count(data, []byte(want)); got != want {
					t.Errorf("%s, %d workers: %d lines of %d", held, jobs, got, want)
				}
			}
			if first.data == nil {
				first = c
			} else if !bytes.Equal(first.data, c.data) {
				t.Errorf("%s, %d workers: other lines were kept", held, jobs)
			}
		}
	}
}

// What a spool cannot hold cannot be looked through again; it is told.
func TestLookAgainWithoutRoom(t *testing.T) {
	s := skimmingFor(t, 1, 0, "target is busy")
	s.spool.memory, s.spool.full = 1<<20, true
	l, err := s.skim(bytes.NewReader(longLog(30_000)), nil, nil)
	if err != nil || l.again {
		t.Errorf("%v, to be looked through again: %v", err, l.again)
	}
}

// A log that changes while it is read is said to have changed.
func TestChangedWhileRead(t *testing.T) {
	data := longLog(60_000)
	for what, change := range map[string]func(path string) error{
		"it was written to while it was read": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("another line\n")
			return err
		},
		"it changed while it was read": func(path string) error {
			return os.WriteFile(path, bytes.ToUpper(data), 0o600)
		},
		"could not be looked through again for all that is said": func(path string) error {
			return os.Truncate(path, 100_000)
		},
	} {
		path := filepath.Join(t.TempDir(), "kubelet.log")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
		changed := false
		skim := &Skim{From: 1 << 20, Lines: []string{"target is busy"}, Concerns: func(*timeline.Timeline) []string {
			if !changed {
				changed = true
				if err := change(path); err != nil {
					t.Fatal(err)
				}
			}
			return []string{`pod="shop/web-4321"`}
		}}
		tl, err := Read(context.Background(), []string{path}, nil, ReadOptions{Skim: skim})
		if err != nil {
			t.Fatal(err)
		}
		if gaps := fmt.Sprint(tl.Inputs[0].Gaps); !strings.Contains(gaps, what) {
			t.Errorf("%s: the gaps are %s", what, gaps)
		}
	}
}

// A large log that comes through a pipe or compressed is skimmed, and looked
// through again.
func TestSkimPipe(t *testing.T) {
	data := longLog(60_000)
	skim := &Skim{From: 1 << 20, Lines: []string{"target is busy"}, Concerns: func(*timeline.Timeline) []string { return []string{`pod="shop/web-4321"`} }}
	tl, err := Read(context.Background(), []string{"-"}, bytes.NewReader(data), ReadOptions{Skim: skim})
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, e := range tl.Events {
		if strings.Contains(e.Message, `"shop/web-4321"`) {
			found++
		}
	}
	if in := tl.Inputs[0]; !in.Skimmed || found != 1 || in.SHA256 == "" || in.Bytes != int64(len(data)) {
		t.Errorf("skimmed %v, found %d, hash %q, %d bytes", in.Skimmed, found, in.SHA256, in.Bytes)
	}
}
