package report_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// These tests load the exports into the engines that they are for, where those
// are installed (.ci/run says how), and count what has arrived.

// exported is a report's timeline in files, and how many events it has.
func exported(t *testing.T, formats map[string]string) (dir string, events int) {
	t.Helper()
	doc := documentOf(t, "runtime-hung")
	dir = t.TempDir()
	for file, format := range formats {
		if err := os.WriteFile(filepath.Join(dir, file), timelineIn(t, format, doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir, len(values(t, timelineIn(t, "ndjson", doc)))
}

// run is what a program prints, in a folder and a home of its own.
func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "TERM=dumb")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, complaints.String())
	}
	return strings.TrimSpace(string(out))
}

func TestLnavLoadsTheTimeline(t *testing.T) {
	dir, n := exported(t, map[string]string{"events.ndjson": "ndjson", "podautopsy_log.json": "lnav"})
	run(t, dir, "lnav", "-i", "podautopsy_log.json")
	out := run(t, dir, "lnav", "-n",
		"-c", ";SELECT count(*), sum(log_level = 'error'), min(log_time), count(DISTINCT uid) FROM podautopsy_log",
		"-c", ":write-csv-to -", "events.ndjson")
	want := strconv.Itoa(n) + ",1,2026-11-30 08:26:10.220," + strconv.Itoa(n)
	if !strings.HasSuffix(out, want) {
		t.Errorf("lnav counts\n%s\nwant %s", out, want)
	}
	// A line of the log view reads as one.
	view := run(t, dir, "lnav", "-n", "events.ndjson")
	if first, _, _ := strings.Cut(view, "\n"); !strings.Contains(first, "worker-1") || !strings.Contains(first, "e9") || !strings.Contains(first, "The kubelet has learnt of the pod") {
		t.Errorf("the first line in lnav: %s", first)
	}
}

// duckDB asks DuckDB through Node's binding to it, and gives the rows as JSON.
func duckDB(t *testing.T, dir, sql string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	if err := exec.CommandContext(t.Context(), node, "-e", "require('@duckdb/node-api')").Run(); err != nil {
		t.Skip("DuckDB is not installed: npm install @duckdb/node-api, and NODE_PATH to where")
	}
	return run(t, dir, "node", "-e", `
		const { DuckDBInstance } = require('@duckdb/node-api');
		(async () => {
			const c = await (await DuckDBInstance.create(':memory:')).connect();
			console.log(JSON.stringify((await c.runAndReadAll(process.argv[1])).getRowObjectsJson()));
		})().catch(e => { console.error(e.message); process.exit(1); });`, sql)
}

func TestDuckDBLoadsTheTimeline(t *testing.T) {
	dir, n := exported(t, map[string]string{"events.ndjson": "ndjson", "timeline.csv": "csv"})
	want := func(sql string, rows string) {
		t.Helper()
		if out := duckDB(t, dir, sql); out != rows {
			t.Errorf("%s\n%s\nwant %s", sql, out, rows)
		}
	}
	count := `[{"n":"` + strconv.Itoa(n) + `"}]`
	const events = `read_json('events.ndjson', format='newline_delimited')`
	want(`SELECT count(DISTINCT uid) AS n FROM `+events, count)
	want(`SELECT id, findings FROM `+events+` WHERE severity = 'error'`, `[{"id":"e2","findings":["runtime-hung"]}]`)
	want(`SELECT DISTINCT pod.namespace AS ns, pod.name AS pod FROM `+events+` WHERE pod IS NOT NULL`, `[{"ns":"media-prod","pod":"transcoder-hls-0"}]`)
	want(`SELECT count(*) AS n FROM read_csv('timeline.csv') WHERE datetime >= TIMESTAMPTZ '2026-11-30 08:26:00+00'`, count)
	duckDB(t, dir, `COPY (FROM `+events+`) TO 'events.parquet'`)
	want(`SELECT count(*) AS n FROM 'events.parquet'`, count)
}

// jq reads every export that is JSON.
func TestJqCountsTheExports(t *testing.T) {
	files := map[string]string{
		"events.ndjson": "ndjson", "events.jsonl": "timesketch", "ecs.ndjson": "ecs", "otlp.json": "otlp", "push.json": "loki", "trace.json": "chrome-trace",
	}
	dir, n := exported(t, files)
	for file, filter := range map[string]string{
		"events.ndjson": `length`,
		"events.jsonl":  `[.[] | select(.timestamp and .datetime and .message)] | length`,
		"ecs.ndjson":    `[.[] | select(.["@timestamp"])] | length`,
		"otlp.json":     `[.[].resourceLogs[].scopeLogs[].logRecords[]] | length`,
		"push.json":     `[.[].streams[].values[]] | length`,
		"trace.json":    `[.[].traceEvents[] | select(.ph == "i" or .ph == "X")] | length`,
	} {
		out := run(t, dir, "jq", "--slurp", filter, file)
		var got int
		if err := json.Unmarshal([]byte(out), &got); err != nil || got != n {
			t.Errorf("%s: jq counts %s events, not %d", file, out, n)
		}
	}
}
