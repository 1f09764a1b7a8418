package report_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// reports are the stored documents, those of the fixtures, and a hostile one.
func reports(t *testing.T) map[string]*analyzer.Document {
	t.Helper()
	docs := documents(t)
	paths, err := filepath.Glob("../../fixtures/*/want/report.json")
	if err != nil || len(paths) < 6 {
		t.Fatalf("%d reports of fixtures: %v", len(paths), err)
	}
	for _, p := range paths {
		docs[filepath.Base(filepath.Dir(filepath.Dir(p)))] = document(t, p)
	}
	docs["hostile"] = poisoned(5)
	return docs
}

func timelineIn(t *testing.T, format string, doc *analyzer.Document) []byte {
	t.Helper()
	for _, f := range report.TimelineFormats {
		if f.Name == format {
			return render(t, func(b *bytes.Buffer) error { return f.Render(b, doc, report.Options{}) })
		}
	}
	t.Fatalf("no format %s", format)
	return nil
}

// values parses JSON lines.
func values(t *testing.T, data []byte) []map[string]any {
	t.Helper()
	var out []map[string]any
	for line := range bytes.Lines(data) {
		v := map[string]any{}
		if err := json.Unmarshal(line, &v); err != nil {
			t.Fatalf("%v: %.200s", err, line)
		}
		out = append(out, v)
	}
	return out
}

func TestExportsFollowTheirSchemas(t *testing.T) {
	docs := reports(t)
	for format, file := range map[string]string{
		"ndjson":       "../../docs/event.schema.json",
		"timesketch":   "testdata/schemas/timesketch.schema.json",
		"ecs":          "testdata/schemas/ecs.schema.json",
		"otlp":         "testdata/schemas/otlp.schema.json",
		"loki":         "testdata/schemas/loki.schema.json",
		"chrome-trace": "testdata/schemas/chrome-trace.schema.json",
	} {
		c := jsonschema.NewCompiler()
		c.AssertFormat()
		schema, err := c.Compile(file)
		if err != nil {
			t.Fatal(err)
		}
		for name, doc := range docs {
			for line := range bytes.Lines(timelineIn(t, format, doc)) {
				v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
				if err != nil {
					t.Fatalf("%s, %s: %v", format, name, err)
				}
				if err := schema.Validate(v); err != nil {
					t.Errorf("%s, %s: %v", format, name, err)
				}
			}
		}
	}
}

// Every export holds the same events under the same ids.
func TestExportsAgree(t *testing.T) {
	at := func(v any, path ...any) any {
		for _, p := range path {
			switch p := p.(type) {
			case string:
				v = v.(map[string]any)[p]
			case int:
				v = v.([]any)[p]
			}
		}
		return v
	}
	for name, doc := range reports(t) {
		dated := 0
		for _, m := range doc.Timeline {
			if m.Time != nil {
				dated++
			}
		}
		ids := map[string][]string{}
		for _, e := range values(t, timelineIn(t, "ndjson", doc)) {
			ids["ndjson"] = append(ids["ndjson"], at(e, "id").(string))
		}
		for _, e := range values(t, timelineIn(t, "timesketch", doc)) {
			ids["timesketch"] = append(ids["timesketch"], at(e, "evidence_id").(string))
		}
		for _, e := range values(t, timelineIn(t, "ecs", doc)) {
			ids["ecs"] = append(ids["ecs"], at(e, "labels", "evidence_id").(string))
		}
		for _, e := range values(t, timelineIn(t, "otlp", doc)) {
			for _, a := range at(e, "resourceLogs", 0, "scopeLogs", 0, "logRecords", 0, "attributes").([]any) {
				if at(a, "key") == "podautopsy.evidence_id" {
					ids["otlp"] = append(ids["otlp"], at(a, "value", "stringValue").(string))
				}
			}
		}
		for _, push := range values(t, timelineIn(t, "loki", doc)) {
			for _, s := range at(push, "streams").([]any) {
				last := ""
				for _, v := range at(s, "values").([]any) {
					if now := at(v, 0).(string); len(now) == len(last) && now < last {
						t.Errorf("%s: loki: a stream goes back in time", name)
					} else {
						last = now
					}
					ids["loki"] = append(ids["loki"], at(v, 2, "evidence_id").(string))
				}
			}
		}
		for _, trace := range values(t, timelineIn(t, "chrome-trace", doc)) {
			for _, e := range at(trace, "traceEvents").([]any) {
				if ph := at(e, "ph"); ph == "i" || ph == "X" {
					ids["chrome-trace"] = append(ids["chrome-trace"], at(e, "args", "evidence").(string))
				}
			}
		}
		rows, err := csv.NewReader(bytes.NewReader(timelineIn(t, "csv", doc))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if len(rows)-1 != dated || len(ids["ndjson"]) != dated {
			t.Errorf("%s: %d moments have a time, csv has %d and ndjson %d", name, dated, len(rows)-1, len(ids["ndjson"]))
		}
		want := slices.Sorted(slices.Values(ids["ndjson"]))
		for _, format := range slices.Sorted(maps.Keys(ids)) {
			if diff := cmp.Diff(want, slices.Sorted(slices.Values(ids[format]))); diff != "" {
				t.Errorf("%s: %s holds other events than ndjson:\n%s", name, format, diff)
			}
		}
	}
}

// An interval of a trace begins and ends once, in that order; an arrow has both
// its ends.
func TestChromeTraceIsWhole(t *testing.T) {
	chains := 0
	for name, doc := range reports(t) {
		var trace struct {
			Events []struct {
				Ph   string `json:"ph"`
				ID   string `json:"id"`
				TS   int64  `json:"ts"`
				Bind string `json:"bind_id"`
				In   bool   `json:"flow_in"`
				Out  bool   `json:"flow_out"`
			} `json:"traceEvents"`
		}
		if err := json.Unmarshal(timelineIn(t, "chrome-trace", doc), &trace); err != nil {
			t.Fatal(err)
		}
		open, ended := map[string]int64{}, map[string]bool{}
		in, out := map[string]int{}, map[string]int{}
		for _, e := range trace.Events {
			switch e.Ph {
			case "b":
				if _, again := open[e.ID]; again {
					t.Errorf("%s: interval %s begins twice", name, e.ID)
				}
				open[e.ID] = e.TS
			case "e":
				if from, ok := open[e.ID]; !ok || ended[e.ID] || e.TS < from {
					t.Errorf("%s: interval %s ends wrongly", name, e.ID)
				}
				ended[e.ID] = true
			case "X":
				if e.In {
					in[e.Bind]++
				}
				if e.Out {
					out[e.Bind]++
				}
			}
		}
		if len(open) != len(ended) {
			t.Errorf("%s: %d intervals begin, %d end", name, len(open), len(ended))
		}
		if diff := cmp.Diff(out, in); diff != "" {
			t.Errorf("%s: arrows without an end:\n%s", name, diff)
		}
		chains += len(in)
	}
	if chains == 0 {
		t.Error("no report has a chain of causes")
	}
}

// The id of a place is that place's in every report, and no other's.
func TestEventUIDs(t *testing.T) {
	doc := documents(t)["runtime-hung"]
	first := values(t, timelineIn(t, "ndjson", doc))
	doc.ReportID = "another"
	for i := range doc.Evidence {
		doc.Evidence[i].ID = "x" + doc.Evidence[i].ID
	}
	for i := range doc.Timeline {
		if doc.Timeline[i].Evidence != nil {
			id := "x" + *doc.Timeline[i].Evidence
			doc.Timeline[i].Evidence = &id
		}
	}
	seen := map[any]bool{}
	for i, e := range values(t, timelineIn(t, "ndjson", doc)) {
		if e["uid"] != first[i]["uid"] {
			t.Errorf("%v is %v in one report, %v in the other", e["id"], first[i]["uid"], e["uid"])
		}
		if seen[e["uid"]] {
			t.Errorf("two events have the uid %v", e["uid"])
		}
		seen[e["uid"]] = true
	}
}

// No cell of the table is a formula for a spreadsheet.
func TestCSVHoldsNoFormula(t *testing.T) {
	doc := documents(t)["runtime-hung"]
	attacks := []string{`=cmd|'/c calc'!A1`, "+1", "-1+1", "@SUM(A1)", " =1", "\t=1", "\r=1", "＝1", "\u00a0@x"}
	for i := range doc.Timeline {
		a := attacks[i%len(attacks)]
		doc.Timeline[i].What, doc.Timeline[i].Component = a, a
	}
	rows, err := csv.NewReader(bytes.NewReader(timelineIn(t, "csv", doc))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	numbers := []int{1, 7, 12} // timestamp, t_rel_s, clock_ahead_s
	for _, row := range rows[1:] {
		for i, cell := range row {
			cell = strings.TrimLeft(cell, " \u00a0\t\r")
			if !slices.Contains(numbers, i) && cell != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(cell)[0]) {
				t.Errorf("column %s: %q", rows[0][i], cell)
			}
		}
	}
}

func TestGoldenExports(t *testing.T) {
	for name, doc := range documents(t) {
		for _, format := range []string{"ndjson", "timesketch", "ecs", "otlp", "loki", "chrome-trace"} {
			t.Run(fmt.Sprintf("%s %s", name, format), func(t *testing.T) {
				golden(t, filepath.Join("testdata", "exports", name+"."+format+".json"), timelineIn(t, format, doc))
			})
		}
	}
}
