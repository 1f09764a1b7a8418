package docs

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const reportIntro = `# The JSON report

` + notice + `What ` + "`analyze -o json`" + ` writes is a contract, [report.schema.json](report.schema.json): the first field is
the version, and within ` + "`podautopsy.report/v1`" + ` fields are added, never renamed or removed. The same bundle gives the same
bytes. A value that is not known is null; a list that is empty is there. Times are UTC, RFC 3339. This is the schema as a
table; a field that may be missing is marked *optional*.

    # what is stuck, why, how sure
    jq -r '.subjects[] | select(.outcome == "stuck") | [.namespace, .name, .cause, .confidence] | @tsv' report.json
    # the lines that prove it, as they stand in the bundle
    jq -r '.evidence as $all | .subjects[0].causes[] | select(.role == "root") | .for[] as $id
      | $all[] | select(.id == $id) | "\(.file):\(.line): \(.text)"' report.json
    # what is missing, and what brings it
    jq -r '.subjects[].missing[] | "\(.what): \(.command)"' report.json

[What ` + "`diff`" + `](#diff) and [` + "`summarize`" + `](#summarize) write is told below. Events, one a line, are another contract: [event.schema.json](event.schema.json), in [scale.md](scale.md).
`

// The report's fields are told as the schema has them.
func TestReportDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString(reportIntro)
	told := map[string]bool{}
	for _, of := range []struct{ heading, intro, file string }{
		{"report", "", "report.schema.json"},
		{"diff", diffIntro, "diff.schema.json"},
		{"summarize", summaryIntro, "summary.schema.json"},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n%s", of.heading, of.intro)
		writeSchema(t, &b, of.file, told)
	}
	fresh(t, "report.md", b.String())
}

const (
	diffIntro = "What `diff -o json` writes, [diff.schema.json](diff.schema.json), under the same promises.\n\n" +
		"    # did it work, and what is left\n" +
		"    jq -r '.worked, (.subjects[] | select(.change == \"remains\") | \"\\(.namespace)/\\(.name): \\(.remaining | join(\", \"))\")' diff.json\n\n"
	summaryIntro = "What `summarize -o json` writes, [summary.schema.json](summary.schema.json), under the same promises.\n\n" +
		"    # the most frequent causes, and the node that has most of each\n" +
		"    jq -r '.causes[] | [.subjects, .cause, .nodes[0].value] | @tsv' summary.json\n\n"
)

// writeSchema is a schema as tables, without what an earlier one has told.
func writeSchema(t *testing.T, b *strings.Builder, file string, told map[string]bool) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node // which keeps the order that a map would lose
	if err := yaml.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	schema := doc.Content[0]
	writeFields(b, "", schema)
	defs := entry(schema, "$defs")
	for i := 0; i < len(defs.Content); i += 2 {
		name, def := defs.Content[i].Value, defs.Content[i+1]
		if told[name] || entry(def, "properties") == nil {
			continue
		}
		told[name] = true
		fmt.Fprintf(b, "\n## %s\n\n", name)
		if about := entry(def, "description"); about != nil {
			b.WriteString(upper(plain(about.Value)) + ".\n\n")
		}
		writeFields(b, "", def)
	}
}

// writeFields is a table; those of an object inside stand below it.
func writeFields(b *strings.Builder, prefix string, of *yaml.Node) {
	if prefix == "" {
		b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	}
	required := map[string]bool{}
	if list := entry(of, "required"); list != nil {
		for _, r := range list.Content {
			required[r.Value] = true
		}
	}
	fields := entry(of, "properties")
	for i := 0; fields != nil && i < len(fields.Content); i += 2 {
		name, field := fields.Content[i].Value, fields.Content[i+1]
		meaning := ""
		if about := entry(field, "description"); about != nil {
			meaning = plain(about.Value)
		}
		if words := entry(field, "enum"); words != nil {
			var quoted []string
			for _, w := range words.Content {
				quoted = append(quoted, "`"+w.Value+"`")
			}
			meaning = strings.TrimPrefix(meaning+": "+strings.Join(quoted, ", "), ": ")
		}
		if !required[name] {
			meaning = strings.TrimSpace("*optional* " + meaning)
		}
		fmt.Fprintf(b, "| `%s%s` | %s | %s |\n", prefix, name, typeOf(field), meaning)
		inner := field
		if items := entry(field, "items"); items != nil {
			inner = items
		}
		if entry(inner, "properties") != nil {
			writeFields(b, prefix+name+".", inner)
		}
	}
}

// typeOf is a field's type in words.
func typeOf(field *yaml.Node) string {
	if ref := entry(field, "$ref"); ref != nil {
		name := strings.TrimPrefix(ref.Value, "#/$defs/")
		if name == "subjectID" {
			return "string"
		}
		return fmt.Sprintf("[%s](#%s)", name, strings.ToLower(name))
	}
	for _, either := range []string{"anyOf", "oneOf"} {
		if list := entry(field, either); list != nil {
			var words []string
			for _, one := range list.Content {
				words = append(words, typeOf(one))
			}
			return strings.Join(words, " or ")
		}
	}
	kind := entry(field, "type")
	switch {
	case entry(field, "const") != nil:
		return "`" + entry(field, "const").Value + "`"
	case kind == nil && entry(field, "enum") != nil:
		return "string"
	case kind == nil:
		return "any"
	case kind.Kind == yaml.SequenceNode:
		var words []string
		for _, k := range kind.Content {
			words = append(words, k.Value)
		}
		return strings.Join(words, " or ")
	case kind.Value == "array":
		if items := entry(field, "items"); items != nil {
			return "list of " + typeOf(items)
		}
	case kind.Value == "string" && entry(field, "format") != nil && entry(field, "format").Value == "date-time":
		return "time"
	}
	return kind.Value
}

// entry is a value of a mapping; nil if it has none.
func entry(of *yaml.Node, key string) *yaml.Node {
	for i := 0; of.Kind == yaml.MappingNode && i+1 < len(of.Content); i += 2 {
		if of.Content[i].Value == key {
			return of.Content[i+1]
		}
	}
	return nil
}
