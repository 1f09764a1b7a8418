package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// schemas are the contracts of what is written as JSON, with the types that it
// is written from.
var schemas = []struct {
	file string
	typ  reflect.Type
}{
	{"report.schema.json", reflect.TypeFor[analyzer.Document]()},
	{"diff.schema.json", reflect.TypeFor[analyzer.Difference]()},
	{"summary.schema.json", reflect.TypeFor[analyzer.FleetSummary]()},
}

func schemaOf(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	s, err := c.Compile("../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// follows says whether what render writes is as a schema has it.
func follows(t *testing.T, s *jsonschema.Schema, write func(*bytes.Buffer) error) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(render(t, write)))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Error(err)
	}
}

func TestDocumentsFollowTheSchema(t *testing.T) {
	s := schemaOf(t, "report.schema.json")
	docs := documents(t)
	docs["zero"] = &analyzer.Document{Schema: analyzer.Schema, ReportID: "000000000000", Subjects: []analyzer.Subject{{
		ID: "s1", Outcome: analyzer.Stuck, Confidence: analyzer.Low,
		Deletion: &analyzer.Deletion{}, Causes: []analyzer.CauseVerdict{{Role: analyzer.RoleRoot, Confidence: analyzer.Low}},
	}}, Bundle: analyzer.Bundle{Inputs: []analyzer.Input{{}}, Nodes: []analyzer.Node{{}}}}
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) {
			follows(t, s, func(b *bytes.Buffer) error { return report.JSON(b, doc, report.Options{}) })
		})
	}
}

// Whatever two captures are compared, and whatever reports are summed up.
func TestComparisonsAndSummariesFollowTheirSchemas(t *testing.T) {
	diff, summary := schemaOf(t, "diff.schema.json"), schemaOf(t, "summary.schema.json")
	docs := reports(t)
	delete(docs, "hostile") // its words are none of the report's schema
	names := slices.Sorted(maps.Keys(docs))
	empty := &analyzer.Document{Schema: analyzer.Schema}
	fleet := analyzer.NewFleet()
	changes := map[string]bool{}
	for i, name := range names {
		before, next := docs[name], docs[names[(i+1)%len(names)]]
		for _, after := range []*analyzer.Document{before, next, empty, cleaned(before)} {
			d := analyzer.CompareCaptures(before, after)
			for _, s := range d.Subjects {
				changes[s.Change] = true
			}
			t.Run(name, func(t *testing.T) {
				follows(t, diff, func(b *bytes.Buffer) error { return report.DifferenceJSON(b, d, report.Options{}) })
			})
		}
		fleet.Add(before)
		t.Run("summary up to "+name, func(t *testing.T) {
			follows(t, summary, func(b *bytes.Buffer) error { return report.FleetJSON(b, fleet.Summary(), report.Options{}) })
		})
	}
	for _, change := range []string{analyzer.Released, analyzer.Remains, analyzer.Appeared, analyzer.Lost} {
		if !changes[change] {
			t.Errorf("no comparison has a subject that is %s", change)
		}
	}
	t.Run("summary of nothing", func(t *testing.T) {
		follows(t, summary, func(b *bytes.Buffer) error {
			return report.FleetJSON(b, analyzer.NewFleet().Summary(), report.Options{})
		})
	})
}

// cleaned is a report in which nothing holds its subjects any longer.
func cleaned(doc *analyzer.Document) *analyzer.Document {
	later := *doc
	later.Subjects = slices.Clone(doc.Subjects)
	for i := range later.Subjects {
		s := &later.Subjects[i]
		s.Outcome, s.Cause, s.Residue = analyzer.Clean, nil, slices.Clone(s.Residue)
		for j := range s.Residue {
			s.Residue[j].State = analyzer.RowClear
		}
	}
	return &later
}

// What several schemas speak of is the same in each.
func TestSchemasAgree(t *testing.T) {
	var report map[string]any
	for i, schema := range schemas {
		defs := definitions(t, schema.file)
		if i == 0 {
			report = defs
			continue
		}
		for name, def := range defs {
			if of, ok := report[name]; ok && !reflect.DeepEqual(def, of) {
				t.Errorf("%s: %s is another than that of the report", schema.file, name)
			}
		}
	}
}

func definitions(t *testing.T, file string) map[string]any {
	t.Helper()
	return rootOf(t, file)["$defs"].(map[string]any)
}

func rootOf(t *testing.T, file string) map[string]any {
	t.Helper()
	data, err := os.ReadFile("../../docs/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// The schemas and the Go types must name the same fields, all of them required
// that are always written.
func TestSchemasKnowEveryField(t *testing.T) {
	for _, schema := range schemas {
		knowsEveryField(t, strings.TrimSuffix(schema.file, ".schema.json"), schema.typ, rootOf(t, schema.file))
	}
}

func knowsEveryField(t *testing.T, name string, of reflect.Type, root map[string]any) {
	t.Helper()
	defs := root["$defs"].(map[string]any)
	var check func(path string, typ reflect.Type, schema map[string]any)
	check = func(path string, typ reflect.Type, schema map[string]any) {
		for {
			if either, ok := schema["anyOf"].([]any); ok {
				schema = either[0].(map[string]any)
			} else if ref, ok := schema["$ref"].(string); ok {
				schema = defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
			} else {
				break
			}
		}
		switch typ.Kind() {
		case reflect.Pointer:
			check(path, typ.Elem(), schema)
		case reflect.Slice:
			check(path+"[]", typ.Elem(), schema["items"].(map[string]any))
		case reflect.Struct:
			if typ == reflect.TypeFor[time.Time]() {
				return
			}
			props, _ := schema["properties"].(map[string]any)
			var fields, always, named, required []string
			for i := range typ.NumField() {
				f := typ.Field(i)
				tag, option, _ := strings.Cut(f.Tag.Get("json"), ",")
				if tag == "-" { // never written
					continue
				}
				fields = append(fields, tag)
				if option != "omitempty" { // written only where there is something to say
					always = append(always, tag)
				}
				if p, ok := props[tag].(map[string]any); ok {
					check(path+"."+tag, f.Type, p)
				}
			}
			for p := range props {
				named = append(named, p)
			}
			for _, r := range schema["required"].([]any) {
				required = append(required, r.(string))
			}
			slices.Sort(fields)
			slices.Sort(always)
			slices.Sort(named)
			slices.Sort(required)
			if !slices.Equal(fields, named) {
				t.Errorf("%s: the type has %v, the schema %v", path, fields, named)
			}
			if !slices.Equal(always, required) {
				t.Errorf("%s: the type always has %v, required are %v", path, always, required)
			}
		}
	}
	check(name, of, root)
}
