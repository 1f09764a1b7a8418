package main

import (
	"archive/tar"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"podautopsy/analyzer"
)

// obeyed is what a terminal would do something of: a colour, a title, a
// sequence in one byte, a text turned round, and a line that looks like ours.
const obeyed = "\x1b[31m\x1b]0;x\a\x9b2J\u202e\u2066\r\nverified: all is well"

// Whatever a message quotes, of the command line, of names and of contents, is
// shown: nothing of it moves the cursor, and no line is begun by it.
func TestMessagesObeyNothing(t *testing.T) {
	fixture, err := filepath.Abs(aFixture)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	quoted, err := json.Marshal(strings.ToValidUTF8(obeyed, ""))
	if err != nil {
		t.Fatal(err)
	}
	name := obeyed + "/x"
	write(name+".json", "{\"schema\": \""+obeyed)
	write(name+".yaml", "- id: \""+obeyed+"\"\n")
	write("rules/x.yaml", "- id: "+string(quoted)+"\n  "+string(quoted)+": 1\n  stage: "+string(quoted)+"\n")
	write("schema.json", `{"schema": `+string(quoted)+`}`)
	write("report.json", `{"schema": "`+analyzer.Schema+`", "reportID": `+string(quoted)+`, "tool": {"name": `+string(quoted)+`, "version": `+string(quoted)+`},
		"bundle": {"paths": [`+string(quoted)+`], "inputs": [{"path": `+string(quoted)+`, "sha256": `+string(quoted)+`}]},
		"subjects": [{"kind": `+string(quoted)+`, "name": `+string(quoted)+`, "outcome": `+string(quoted)+`, "cause": {"id": `+string(quoted)+`}}], "evidence": [{"id": `+string(quoted)+`}]}`)
	write("map.json", `{"schema": `+string(quoted)+`, `+string(quoted)+`: [}`)
	write("config/podautopsy/config.yaml", string(quoted)+": 1\n")
	write("journals/"+obeyed+".journal", "LPKSHHRH"+strings.Repeat(obeyed, 20))
	archive(t, filepath.Join(dir, "b.tar"), obeyed+".journal", "LPKSHHRH"+strings.Repeat(obeyed, 20))
	if err := os.Symlink(fixture, filepath.Join(dir, "bundle"+obeyed)); err != nil {
		t.Fatal(err)
	}

	for _, args := range [][]string{
		{obeyed},
		{name + ".json"},
		{"help", obeyed},
		{"--" + obeyed},
		{"completion", obeyed},
		{"analyze", obeyed},
		{"analyze", "--" + obeyed},
		{"analyze", fixture, "--pod", obeyed},
		{"analyze", fixture, "-n", obeyed},
		{"analyze", fixture, "-o", obeyed},
		{"analyze", fixture, "-o", "json=" + obeyed + "/none/x"},
		{"analyze", fixture, "-o", "json=" + dir + "/" + obeyed},
		{"analyze", fixture, "-o", "json=" + obeyed + "y", "-o", "text=" + obeyed + "y"},
		{"analyze", name + ".json", "-o", "json=" + name + ".json"},
		{"analyze", fixture, "--since", obeyed},
		{"analyze", fixture, "--jobs", obeyed},
		{"analyze", fixture, "--max-memory", obeyed},
		{"analyze", fixture, "--timezone", obeyed},
		{"analyze", fixture, "--assume-timezone", obeyed + "=UTC"},
		{"analyze", fixture, "--assume-year", obeyed},
		{"analyze", fixture, "--anchor", obeyed},
		{"analyze", fixture, "--fail-on", obeyed},
		{"analyze", fixture, "--profile", obeyed, "-o", "markdown"},
		{"analyze", fixture, "--signatures", obeyed},
		{"analyze", fixture, "--signatures", name + ".yaml"},
		{"analyze", fixture, "--signatures", "none" + obeyed},
		{"analyze", fixture, "--signatures", "rules"},
		{"analyze", fixture, "--redact=" + obeyed},
		{"analyze", fixture, "--redact", "--redaction-map", name + ".json"},
		{"analyze", fixture, "--redact", "--redaction-map", "map.json"},
		{"signatures", obeyed},
		{"signatures", "--cause", obeyed},
		{"signatures", "--stage", obeyed},
		{"signatures", "test", "rules"},
		{"signatures", "test", obeyed},
		{"signatures", "count", obeyed},
		{"explain", obeyed},
		{"collect", obeyed},
		{"collect", "node", "--for", name + ".json"},
		{"collect", "node", "--for", "report.json"},
		{"convert", name + ".json"},
		{"convert", "none" + obeyed},
		{"convert", "schema.json"},
		{"convert", "report.json"},
		{"verify", name + ".json", "--bundle", fixture},
		{"verify", "report.json", "--bundle", fixture},
		{"verify", "report.json", "--bundle", "none" + obeyed},
		{"summarize", "."},
		{"summarize", "none" + obeyed},
		{"diff", name + ".json", fixture},
		{"diff", "none" + obeyed, fixture},
		{"diff", "schema.json", "report.json"},
		{"journal", "journals"},
		{"journal", "b.tar"},
		{"journal", "none" + obeyed},
		{"inventory", "b.tar"},
		{"inventory", "journals", "--files"},
		{"redact", "journals", "--out", "copy1", "--map", "map1"},
		{"redact", fixture, "--out", obeyed, "--map", "map2"},
		{"redact", fixture, "--out", "copy3", "--map", "map.json"},
		{"redact", fixture, "--out", "copy" + obeyed, "--map", "map" + obeyed},
		{"extract", "report.json", "--bundle", fixture, "--out", "case.tar.gz"},
		{"extract", name + ".json", "--bundle", obeyed, "--out", "case" + obeyed},
		{"timeline", "bundle" + obeyed},
		{"checklist", "none" + obeyed},
		{"checklist", "b.tar"},
	} {
		stdout, stderr, _ := call(t, func(c *exec.Cmd) { c.Dir = dir }, args...)
		what := strings.ReplaceAll(strings.Join(args, " "), obeyed, "*")
		obeysNothing(t, what+": stdout", stdout)
		obeysNothing(t, what+": stderr", stderr)
		for line := range strings.Lines(stderr) {
			if !strings.HasPrefix(line, "podautopsy: ") {
				t.Errorf("%s: a line of its own: %q", what, line)
			}
		}
	}
	for _, env := range []string{"PODAUTOPSY_TIMEZONE=" + obeyed, "PODAUTOPSY_OUTPUT=" + obeyed, "XDG_CONFIG_HOME=" + dir + "/config", "XDG_CONFIG_HOME=" + dir + "/" + obeyed} {
		_, stderr, _ := call(t, func(c *exec.Cmd) { c.Dir, c.Env = dir, append(c.Env, env) }, "analyze", fixture, "-o", "json=report")
		obeysNothing(t, env[:12], stderr)
	}
}

func obeysNothing(t *testing.T, what, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%s: not UTF-8: %.300q", what, text)
	}
	for _, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) {
			t.Errorf("%s: %U: %.300q", what, r, text)
			return
		}
	}
	if strings.Contains(text, "\nverified: ") {
		t.Errorf("%s: a line that is not ours: %.500q", what, text)
	}
}

func archive(t *testing.T, path, member, content string) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(file)
	if err := w.WriteHeader(&tar.Header{Name: member, Mode: 0o644, Size: int64(len(content))}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}
