package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"podautopsy/analyzer/report"
)

// Every real capture gives a report that follows the schema, the same one
// whatever the number of workers, in every format.
func TestRealBundles(t *testing.T) {
	inputs, err := filepath.Glob("../../../shared/lab/*/input")
	if err != nil {
		t.Fatal(err)
	}
	if len(inputs) == 0 {
		t.Skip("no captures in ../shared/lab")
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	run := func(t *testing.T, args ...string) []byte {
		t.Helper()
		var stdout, stderr bytes.Buffer
		c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
		if code := c.run(context.Background(), args); code != 0 || stderr.Len() > 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
		}
		return stdout.Bytes()
	}
	for _, in := range inputs {
		t.Run(filepath.Base(filepath.Dir(in)), func(t *testing.T) {
			one := run(t, "analyze", in, "-o", "json", "--jobs", "1")
			if many := run(t, "analyze", in, "-o", "json", "--jobs", "4"); !bytes.Equal(one, many) {
				t.Error("the report depends on the number of workers")
			}
			doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(one))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(doc); err != nil {
				t.Error(err)
			}
			dir := t.TempDir()
			for command, formats := range map[string][]report.Format{
				"analyze": report.Formats, "timeline": report.TimelineFormats, "inventory": report.InventoryFormats,
			} {
				args := []string{command, in}
				for _, f := range formats {
					args = append(args, "-o", f.Name+"="+filepath.Join(dir, command+"."+f.Name))
				}
				run(t, args...)
			}
			same, err := os.ReadFile(filepath.Join(dir, "analyze.json"))
			if err != nil || !bytes.Equal(same, one) {
				t.Errorf("the report depends on where it goes: %v", err)
			}
		})
	}
}
