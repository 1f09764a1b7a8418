package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
)

func runJournal(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	c := &cli{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, env: func(string) string { return "" }, engine: newEngine()}
	code = c.run(context.Background(), append([]string{"journal"}, args...))
	return out.String(), errs.String(), code
}

func TestJournalCommand(t *testing.T) {
	const path = "../../parsers/testdata/worker.journal.xz"
	out, errs, code := runJournal(t, path)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if code != 0 || errs != "" || len(lines) < 30 {
		t.Fatalf("code %d, %d lines, %s", code, len(lines), errs)
	}
	const first = "2026-11-30T09:20:16.993921+0000 worker-1 systemd-journald[80]: System Journal (/var/log/journal/"
	if !strings.HasPrefix(lines[0], first) {
		t.Errorf("begins with %q", lines[0])
	}
	out, _, code = runJournal(t, path, "-o", "export")
	if code != 0 || !strings.HasPrefix(out, "__CURSOR=s=") || !strings.Contains(out, "\n_MACHINE_ID=") {
		t.Errorf("code %d, export begins with %.60q", code, out)
	}
	if _, errs, code := runJournal(t, "journal_test.go"); code != 1 || !strings.Contains(errs, "no binary journal file in it") {
		t.Errorf("of a text: code %d, %q", code, errs)
	}
	if _, errs, code := runJournal(t, path, "-o", "json"); code != 2 || !strings.Contains(errs, "want short, export") {
		t.Errorf("of a form that is not there: code %d, %q", code, errs)
	}
}
