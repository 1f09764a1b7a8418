package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"podautopsy/analyzer"
	"podautopsy/timeline"
)

var update = flag.Bool("update", false, "rewrite the outputs stored in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"podautopsy": main,
		// The names that kubectl calls a plugin by.
		"kubectl-podautopsy":          main,
		"kubectl_complete-podautopsy": main,
		// The same command line over a document that is already judged:
		// PATH/document.json. It tests what this package does by itself.
		"on-document": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
			defer stop()
			c := &cli{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, env: os.Getenv, engine: documentEngine()}
			os.Exit(c.run(ctx, os.Args[1:]))
		},
	})
}

func TestScripts(t *testing.T) {
	if *update && os.Getenv("CI") != "" {
		t.Fatal("-update is not for CI: stored outputs are reviewed")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond != "pty" {
				return false, fmt.Errorf("no condition is called %q", cond)
			}
			if terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
				return true, terminal.Close()
			}
			return false, nil
		},
		Setup: func(env *testscript.Env) error {
			packages, err := filepath.Abs("../..") // for what a script cannot hold
			env.Setenv("PACKAGES", packages)
			return err
		},
	})
}

// documentEngine reads PATH/document.json instead of judging a bundle. Its
// pods are those of the document and those in PATH/pods.json.
func documentEngine() engine {
	var doc *analyzer.Document
	return engine{
		read: func(ctx context.Context, b bundle) (*timeline.Timeline, error) {
			data, err := os.ReadFile(filepath.Join(b.paths[0], "document.json"))
			if b.paths[0] == "-" {
				data, err = io.ReadAll(b.stdin)
			}
			if err != nil {
				return nil, fmt.Errorf("reading the bundle: %w", err)
			}
			doc = &analyzer.Document{}
			if err := json.Unmarshal(data, doc); err != nil {
				return nil, err
			}
			tl := &timeline.Timeline{}
			for i := range doc.Subjects {
				if r := ref(&doc.Subjects[i]); r.Kind == "Pod" {
					tl.Objects = append(tl.Objects, &timeline.Object{Kind: "Pod", Namespace: r.Namespace, Name: r.Name, UID: r.UID})
				}
			}
			var more []*timeline.Object
			data, err = os.ReadFile(filepath.Join(b.paths[0], "pods.json"))
			if err == nil {
				err = json.Unmarshal(data, &more)
			}
			tl.Objects = append(tl.Objects, more...)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			if _, err := os.Stat(filepath.Join(b.paths[0], "interrupt-me")); err == nil {
				self, err := os.FindProcess(os.Getpid())
				if err != nil {
					return nil, err
				}
				if err := self.Signal(os.Interrupt); err != nil {
					return nil, err
				}
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Second):
					return nil, errors.New("the interrupt did not arrive")
				}
				return tl, ctx.Err()
			}
			return tl, nil
		},
		analyze: func(_ *timeline.Timeline, q query) (*analyzer.Document, error) {
			out := *doc
			out.Bundle.Paths = q.paths
			return &out, nil
		},
		causes: analyzer.Causes, defects: analyzer.Defects, signatures: signatures,
	}
}
