package parsers

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"podautopsy/timeline"
)

// read parses text with p as a whole file.
func readWith(t testing.TB, p Parser, path, text string) *timeline.Builder {
	t.Helper()
	b := timeline.NewBuilder(path)
	f := &File{Path: path, Text: text, FirstLine: 1}
	if err := p.Parse(f, b); err != nil {
		t.Logf("%s: %v", path, err)
	}
	checkCited(t, f, b)
	return b
}

// checkCited holds every fact to its source: the line exists, and the text
// quoted stands there.
func checkCited(t testing.TB, f *File, b *timeline.Builder) {
	t.Helper()
	cited := func(what string, src timeline.Source, text string) {
		t.Helper()
		at := src.Offset - f.Offset
		if at < 0 || at > int64(len(f.Text)) {
			t.Fatalf("%s: offset %d is outside the file", what, src.Offset)
		}
		first := max(f.FirstLine, 1)
		if got := first + strings.Count(f.Text[:at], "\n"); got != src.Line {
			t.Fatalf("%s: line %d, but offset %d is in line %d", what, src.Line, src.Offset, got)
		}
		lines := strings.Split(f.Text[at:], "\n")
		last := max(src.LastLine, src.Line) - src.Line + 1
		if last > len(lines) {
			t.Fatalf("%s: last line %d is outside the file", what, src.LastLine)
		}
		stands := strings.ReplaceAll(strings.Join(lines[:last], "\n"), "\r\n", "\n")
		if !strings.Contains(stands, text) {
			t.Fatalf("%s: %q does not stand at %v: %q", what, text, src, prefix(stands, 300))
		}
	}
	for _, e := range b.Events {
		cited("event "+e.Message, e.Source, e.Text)
	}
	for _, l := range b.Listings {
		cited("listing of "+l.Kind, l.Source, l.Text)
	}
	for _, a := range b.Absents {
		cited("absence of "+a.Ref.Name, a.Source, a.Text)
	}
	for _, g := range b.Input.Gaps {
		if lines := 1 + strings.Count(f.Text, "\n"); g.Source.Line < max(f.FirstLine, 1) || g.Source.Line > max(f.FirstLine, 1)+lines {
			t.Fatalf("gap %q at line %d of %d", g.Detail, g.Source.Line, lines)
		}
	}
	for i, o := range b.Objects {
		cited("object "+o.Name, o.Source, o.Text)
		if o.Locate == nil || i > 100 {
			continue
		}
		for path := range strings.SplitSeq("metadata.name metadata.deletionTimestamp metadata.finalizers.0 spec.nodeName status.conditions.0.reason status.conditions status", " ") {
			if src, text, ok := o.Locate(strings.Split(path, ".")...); ok {
				cited(o.Name+" "+path, src, text)
			}
		}
	}
}

// sharedFiles are the real files of others that match, read in place.
func sharedFiles(t testing.TB, match func(path string) bool) map[string]string {
	t.Helper()
	root := filepath.Join("..", "..", "shared")
	files := map[string]string{}
	for _, dir := range []string{"lab", "lab-bundles", "cases", "realdata"} {
		_ = filepath.WalkDir(filepath.Join(root, dir), func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() || !match(filepath.ToSlash(path)) {
				return nil
			}
			if text, err := os.ReadFile(path); err == nil {
				files[path] = string(text)
			}
			return nil
		})
	}
	if len(files) == 0 {
		t.Skip("no real evidence beside the repository")
	}
	return files
}

func hasExt(exts ...string) func(string) bool {
	return func(path string) bool {
		for _, ext := range exts {
			if strings.HasSuffix(path, ext) {
				return true
			}
		}
		return false
	}
}

// sameWhole compares what objects say, be it decoded or not.
var sameWhole = cmp.FilterPath(
	func(p cmp.Path) bool { return p.Last().String() == ".Content" },
	cmp.Transformer("Whole", func(c timeline.Content) map[string]any { return c.Whole() }))

// One incident, dumped by kubectl as YAML and as JSON, must read the same.
func TestYAMLAndJSONAgree(t *testing.T) {
	compared := 0
	files := sharedFiles(t, hasExt("/cluster/pods.yaml", "/cluster/pods.json", "/cluster/events.yaml", "/cluster/events.json"))
	for path, text := range files {
		other, ok := files[strings.TrimSuffix(path, ".yaml")+".json"]
		if !ok || !strings.HasSuffix(path, ".yaml") {
			continue
		}
		y := readWith(t, kubernetesYAMLParser, path, text)
		j := readWith(t, kubernetesJSONParser, path, other)
		if len(y.Input.Gaps)+len(j.Input.Gaps) > 0 {
			t.Errorf("%s: gaps %v %v", path, y.Input.Gaps, j.Input.Gaps)
		}
		places := cmp.Options{
			cmpopts.IgnoreFields(timeline.Object{}, "Source", "Locate", "Lines", "Text"),
			cmpopts.IgnoreFields(timeline.Event{}, "Source", "Text"),
			cmpopts.IgnoreFields(timeline.Listing{}, "Source", "Text"),
			cmpopts.EquateEmpty(),
			sameWhole,
		}
		if diff := cmp.Diff(y.Objects, j.Objects, places); diff != "" {
			t.Errorf("%s: objects differ (-yaml +json):\n%s", path, diff)
		}
		if diff := cmp.Diff(y.Events, j.Events, places); diff != "" {
			t.Errorf("%s: events differ (-yaml +json):\n%s", path, diff)
		}
		if diff := cmp.Diff(y.Listings, j.Listings, places); diff != "" {
			t.Errorf("%s: listings differ (-yaml +json):\n%s", path, diff)
		}
		compared++
	}
	if compared == 0 {
		t.Skip("no pair of dumps")
	}
}

// Everything real that looks like Kubernetes objects is read without loss.
func TestRealObjects(t *testing.T) {
	for path, text := range sharedFiles(t, hasExt(".yaml", ".yml", ".json")) {
		f := &File{Path: path, Text: text}
		for _, p := range []Parser{kubernetesYAMLParser, kubernetesJSONParser} {
			if !p.Sniff(f) {
				continue
			}
			b := readWith(t, p, path, text)
			if len(b.Input.Gaps) > 0 {
				t.Logf("%s: %s: %v", p.Name, path, b.Input.Gaps)
			}
			if b.Input.Records == 0 {
				t.Errorf("%s: %s: nothing read", p.Name, path)
			}
		}
	}
}

func TestBrokenObjects(t *testing.T) {
	pod := func(name string) string {
		return "        {\n            \"apiVersion\": \"v1\",\n            \"kind\": \"Pod\",\n            \"metadata\": {\n                \"name\": \"" + name + "\",\n                \"namespace\": \"shop\"\n            }\n        }"
	}
	jsonList := func(items ...string) string {
		return "{\n    \"apiVersion\": \"v1\",\n    \"items\": [\n" + strings.Join(items, ",\n") + "\n    ],\n    \"kind\": \"List\"\n}\n"
	}
	whole := jsonList(pod("a"), pod("b"), pod("c"))
	for _, test := range []struct {
		name, text string
		names      string
		gap        timeline.GapKind
		cut        string // name of the object that is only partly there
		incomplete bool
	}{
		{name: "whole", text: whole, names: "a b c"},
		{name: "windows", text: strings.ReplaceAll(whole, "\n", "\r\n"), names: "a b c"},
		{name: "compact", text: strings.NewReplacer("\n", "", " ", "").Replace(whole), names: "a b c"},
		{name: "back to back", text: whole + whole, names: "a b c a b c"},
		{name: "cut", text: whole[:strings.LastIndex(whole, `,`+"\n                \"namespace\"")+20], names: "a b c", gap: timeline.GapTruncated, cut: "c", incomplete: true},
		{name: "junk in an item", text: strings.Replace(whole, `"b"`, `"b" ]}}} "x`, 1), names: "a c", gap: timeline.GapNotUnderstood, incomplete: true},
		{name: "open quote", text: strings.Replace(whole, `"b"`, `"b`, 1), names: "a c", gap: timeline.GapNotUnderstood, incomplete: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := readWith(t, kubernetesJSONParser, "x.json", test.text)
			var names []string
			for _, o := range b.Objects {
				names = append(names, o.Name)
				if o.Partial != (o.Name == test.cut) {
					t.Errorf("%s: partial is %v", o.Name, o.Partial)
				}
			}
			if got := strings.Join(names, " "); got != test.names {
				t.Errorf("read %q, want %q", got, test.names)
			}
			if (test.gap != "") != (len(b.Input.Gaps) > 0) || test.gap != "" && b.Input.Gaps[0].Kind != test.gap {
				t.Errorf("gaps %v, want %q", b.Input.Gaps, test.gap)
			}
			for _, l := range b.Listings {
				if l.Incomplete != test.incomplete {
					t.Errorf("listing %+v, want incomplete %v", l, test.incomplete)
				}
			}
		})
	}
}

func TestBrokenYAML(t *testing.T) {
	const list = `apiVersion: v1
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: a
    namespace: shop
- apiVersion: v1
  kind: Pod
  metadata:
    name: "b
    namespace: shop
- apiVersion: v1
  kind: Pod
  metadata:
    name: c
    namespace: web
    annotations:
      note: |
        kind: ConfigMap
        - apiVersion: v1
kind: List
`
	b := readWith(t, kubernetesYAMLParser, "x.yaml", list)
	if len(b.Objects) != 2 || b.Objects[0].Name != "a" || b.Objects[1].Name != "c" {
		t.Fatalf("objects %v", b.Objects)
	}
	if len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Source.Line != 8 {
		t.Errorf("gaps %v", b.Input.Gaps)
	}
	if l := b.Listings[0]; !l.AllNamespaces || !l.Incomplete || l.Items != 2 {
		t.Errorf("listing %+v", l)
	}

	bomb := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'k'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+p+",", 9) + "*" + p + "]\n"
	}
	b = readWith(t, kubernetesYAMLParser, "bomb.yaml", bomb)
	if len(b.Objects) != 0 || len(b.Input.Gaps) != 1 {
		t.Errorf("a bomb of aliases gave %d objects, gaps %v", len(b.Objects), b.Input.Gaps)
	}
}

// What a Secret holds never leaves the reader.
func TestSecretsStaySecret(t *testing.T) {
	const word = "aHVudGVyMg"
	y := `apiVersion: v1
kind: Secret
data:
  password: ` + word + `
metadata:
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {"data":{"password":"` + word + `"}}
  name: db
  namespace: shop
stringData: {password: ` + word + `}
`
	for name, b := range map[string]*timeline.Builder{
		"yaml":    readWith(t, kubernetesYAMLParser, "s.yaml", y),
		"flow":    readWith(t, kubernetesYAMLParser, "s.yaml", "{apiVersion: v1, kind: Secret, data: {p: "+word+"}, metadata: {name: db}}\n"),
		"json":    readWith(t, kubernetesJSONParser, "s.json", `{"apiVersion":"v1","data":{"p":"`+word+`"},"kind":"Secret","metadata":{"name":"db","annotations":{"x":"`+word+`"}}}`),
		"in list": readWith(t, kubernetesJSONParser, "s.json", `{"apiVersion":"v1","kind":"SecretList","items":[{"metadata":{"name":"db"},"data":{"p":"`+word+`"}}]}`),
	} {
		for _, o := range b.Objects {
			if strings.Contains(o.Text, word) || strings.Contains(cmp.Diff(timeline.Decoded(nil), o.Whole()), word) {
				t.Errorf("%s: the secret shows: %q %v", name, o.Text, o.Content)
			}
			if o.Locate != nil {
				t.Errorf("%s: the secret can be quoted", name)
			}
		}
		for _, l := range b.Listings {
			if strings.Contains(l.Text, word) {
				t.Errorf("%s: the listing shows the secret: %q", name, l.Text)
			}
		}
	}
}

// Whatever the quick reader accepts, the library reads the same.
func TestPlainYAMLAgrees(t *testing.T) {
	quick, all := 0, 0
	for path, text := range sharedFiles(t, hasExt(".yaml")) {
		for document := range strings.SplitSeq(text, "\n---\n") {
			content, ok := readPlainYAML(document)
			if all += len(document); !ok {
				continue
			}
			quick += len(document)
			want, err := decodeYAMLObject(document)
			if err != nil {
				t.Errorf("%s: only the quick reader reads it: %v", path, err)
			} else if diff := cmp.Diff(want, content, cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s: (-library +quick)\n%s", path, diff)
			}
		}
	}
	t.Logf("%d of %d bytes were read quickly", quick, all)
}

func FuzzPlainYAML(f *testing.F) {
	f.Add("a: b\n  c\nd:\n- e: 1\n  f: |\n    x\n     y\n\n  g: 'it''s\n    z'\n- \"q\\n\"\nh: {}\ni: 0x1f\nj: 1.5\nk: ~\nl:\n  m: []\n")
	f.Add("k:{\"name\":\"a\"}:\n  .: {}\n# c\nt: 2026-01-01T00:00:00Z\nn: null\no: 0777\nv: |-\n  x\n")
	f.Fuzz(func(t *testing.T, text string) {
		content, ok := readPlainYAML(text)
		if !ok || strings.Contains(text, "\r") {
			return
		}
		want, err := decodeYAMLObject(text)
		if err != nil {
			return // the quick reader may be more lenient
		}
		if diff := cmp.Diff(want, content, cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%q: (-library +quick)\n%s", text, diff)
		}
	})
}

func FuzzKubernetesYAML(f *testing.F) {
	f.Add("apiVersion: v1\nitems:\n- kind: Pod\n  metadata:\n    name: a\n    managedFields: []\n    finalizers:\n    - x\nkind: List\n")
	f.Add("---\nkind: Secret\nmetadata: {}\ndata:\n  a: b\n---\napiVersion: v1\nkind: Event\nmessage: a\n  b\n\n")
	fuzzObjects(f, kubernetesYAMLParser, ".yaml")
}

func FuzzKubernetesJSON(f *testing.F) {
	f.Add(`{"kind":"PodList","apiVersion":"v1","items":[{"metadata":{"name":"a","managedFields":[1]}},{}]}`)
	f.Add("{\"kind\":\"Event\",\"message\":\"a\"}\n==== START logs for container x\nfoo\n==== END logs for container x\n[{\"metadata\":{}}]")
	fuzzObjects(f, kubernetesJSONParser, ".json")
}

func fuzzObjects(f *testing.F, p Parser, ext string) {
	for _, name := range []string{"pods", "events", "nodes"} {
		if text, err := os.ReadFile(filepath.Join("..", "..", "shared", "lab", "mount-busy", "input", "cluster", name+ext)); err == nil {
			f.Add(prefix(string(text), 8<<10))
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "x" + ext, Text: text, FirstLine: 7, Offset: 100}
		p.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		_ = p.Parse(file, b)
		checkCited(t, file, b)
	})
}
