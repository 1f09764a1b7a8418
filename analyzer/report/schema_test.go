package report_test

import (
	"bytes"
	"encoding/json"
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

const schemaFile = "../../docs/report.schema.json"

func schemaOf(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDocumentsFollowTheSchema(t *testing.T) {
	s := schemaOf(t)
	docs := documents(t)
	docs["zero"] = &analyzer.Document{Schema: analyzer.Schema, ReportID: "000000000000", Subjects: []analyzer.Subject{{
		ID: "s1", Outcome: analyzer.Stuck, Confidence: analyzer.Low,
		Deletion: &analyzer.Deletion{}, Causes: []analyzer.CauseVerdict{{Role: analyzer.RoleRoot, Confidence: analyzer.Low}},
	}}, Bundle: analyzer.Bundle{Inputs: []analyzer.Input{{}}, Nodes: []analyzer.Node{{}}}}
	for name, doc := range docs {
		t.Run(name, func(t *testing.T) {
			v, err := jsonschema.UnmarshalJSON(bytes.NewReader(render(t, func(b *bytes.Buffer) error {
				return report.JSON(b, doc, report.Options{})
			})))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Validate(v); err != nil {
				t.Error(err)
			}
		})
	}
}

// The schema and the Go types must name the same fields, all of them required
// that are always written.
func TestSchemaKnowsEveryField(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
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
	check("report", reflect.TypeFor[analyzer.Document](), root)
}
