package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// Progress counts each byte of the bundle's files once, packed or not, and says
// what is done when all is read.
func TestProgressIsTrue(t *testing.T) {
	dir := t.TempDir()
	size := 0
	for name, text := range map[string]string{"a.log": strings.Repeat("Nov 30 08:21:33 worker-1 kubelet[161]: a line\n", 50_000), "b/c.txt": "short\n", "d.bin": "\x00\x01"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		size += len(text)
	}
	c := &cli{stdin: strings.NewReader(""), stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, env: func(string) string { return "" }, engine: newEngine()}
	p := c.startProgress()
	p.stage("reading")
	_, err := c.engine.read(context.Background(), bundle{paths: []string{dir}, progress: &p.bytes, assume: timeline.Options{}, reading: func(path string) {
		p.reading(path)
		if done, total := p.bytes.Bytes(); done > total || total != int64(size) {
			t.Errorf("at %s: %d of %d bytes, there are %d", path, done, total, size)
		}
	}})
	p.stop()
	if err != nil {
		t.Fatal(err)
	}
	if done, total := p.bytes.Bytes(); done != int64(size) || total != done {
		t.Errorf("%d of %d bytes were read, there are %d", done, total, size)
	}
	if line := p.line(); !strings.HasPrefix(line, "reading 100 % of 2.2 MiB, 3 files so far: ") {
		t.Errorf("it says %q", line)
	}
	if p.stage("judging"); p.line() != "judging" {
		t.Errorf("then it says %q", p.line())
	}
}
