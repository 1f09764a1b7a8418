package parsers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"podautopsy/timeline"
)

// leftAsDecoded parses a text twice, once decoding everything, and compares. It
// returns how many objects were left in the text.
func leftAsDecoded(t *testing.T, path, text string, parse func(*dump) error) (left, all int) {
	t.Helper()
	read := func(decodes bool) (*timeline.Builder, string) {
		b := timeline.NewBuilder(path)
		d := newDump(&File{Path: path, Text: text, FirstLine: 7, Offset: 100}, b)
		d.decodes = decodes
		if err := parse(d); err != nil {
			return b, err.Error()
		}
		return b, ""
	}
	want, wantErr := read(true)
	got, gotErr := read(false)
	if wantErr != gotErr || len(want.Objects) != len(got.Objects) {
		t.Fatalf("%s: %d objects, %q; decoded %d, %q", path, len(got.Objects), gotErr, len(want.Objects), wantErr)
	}
	for i, o := range got.Objects {
		if u, ok := o.Content.(*undecoded); ok {
			left++
			sameContent(t, path, want.Objects[i].Whole(), u)
		}
	}
	strip := func(b *timeline.Builder) *timeline.Builder {
		for i, o := range b.Objects {
			stripped := *o
			stripped.Content, stripped.Locate = nil, nil
			stripped.Lines = nil // those that stay in their text have none
			b.Objects[i] = &stripped
		}
		b.Samples = nil // they hold functions; Events are always decoded
		return b
	}
	if diff := cmp.Diff(strip(want), strip(got), cmpopts.IgnoreUnexported(timeline.Builder{}, timeline.Event{}), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s: (-decoded +left)\n%s", path, diff)
	}
	return left, len(got.Objects)
}

// sameContent compares what is handed out in every way.
func sameContent(t *testing.T, path string, want timeline.Decoded, got *undecoded) {
	t.Helper()
	if diff := cmp.Diff(want, got.Whole(), cmpopts.EquateNaNs()); diff != "" {
		t.Errorf("%s: (-decoded +left)\n%s", path, diff)
		return
	}
	keys := map[string]bool{}
	for _, key := range got.Keys() {
		keys[key] = true
	}
	for key, value := range want {
		if !keys[key] {
			t.Errorf("%s: Keys lacks %q", path, key)
		}
		if diff := cmp.Diff(value, got.Field(key), cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s: %s (-decoded +left)\n%s", path, key, diff)
		}
		inner, _ := value.(map[string]any)
		for sub, value := range inner {
			if diff := cmp.Diff(value, got.Field(key, sub), cmpopts.EquateNaNs()); diff != "" {
				t.Errorf("%s: %s.%s (-decoded +left)\n%s", path, key, sub, diff)
			}
			deeper, _ := value.(map[string]any)
			for third, value := range deeper {
				if diff := cmp.Diff(value, got.Field(key, sub, third), cmpopts.EquateNaNs()); diff != "" {
					t.Errorf("%s: %s.%s.%s (-decoded +left)\n%s", path, key, sub, third, diff)
				}
			}
		}
	}
	if len(keys) != len(want) || got.Field("none") != nil || got.Field("metadata", "none") != nil || got.Field("metadata", "name", "none") != nil {
		t.Errorf("%s: fields that are not there: %v", path, got.Keys())
	}
}

func TestLeftAsDecoded(t *testing.T) {
	left, all := 0, 0
	count := func(l, a int) { left, all = left+l, all+a }
	for path, text := range sharedFiles(t, hasExt(".yaml", ".yml")) {
		if (&File{Text: text}).head() != "" && sniffKubernetesYAML(&File{Text: text}) {
			count(leftAsDecoded(t, path, text, (*dump).yaml))
		}
	}
	for path, text := range sharedFiles(t, hasExt(".json")) {
		if sniffKubernetesJSON(&File{Text: text}) {
			count(leftAsDecoded(t, path, text, (*dump).json))
		}
	}
	t.Logf("%d of %d objects stay in their text", left, all)
}

// strangeYAML are items of which some may stay in their text.
var strangeYAML = map[string]string{
	"plain":              "- kind: Pod\n  metadata:\n    name: a\n    labels:\n      x: \"y\"\n  spec:\n    nodeName: n\n",
	"in deletion":        "- kind: Pod\n  metadata:\n    name: a\n    deletionTimestamp: \"2026-11-01T00:00:00Z\"\n    managedFields:\n    - manager: kubelet\n",
	"managed fields":     "- kind: Pod\n  metadata:\n    managedFields:\n    - manager: kubelet\n      x: {\"a\": [}\n    - b\n    name: a\n  status: {}\n",
	"managed, deeper":    "- kind: Pod\n  metadata:\n    managedFields:\n      - manager: kubelet\n        x: y\n    name: a\n",
	"only managed":       "- kind: Pod\n  metadata:\n    managedFields:\n    - manager: kubelet\n",
	"flow":               "- kind: Pod\n  metadata: {name: a}\n",
	"flow below":         "- kind: Pod\n  metadata:\n    name: a\n  spec:\n    x: [a, b]\n",
	"anchor":             "- kind: Pod\n  metadata: &m\n    name: a\n  x: *m\n",
	"tab":                "- kind: Pod\n  metadata:\n    name:\ta\n",
	"key twice":          "- kind: Pod\n  metadata:\n    name: a\n    name: b\n",
	"section twice":      "- kind: Pod\n  metadata:\n    name: a\n  metadata:\n    uid: b\n",
	"folded":             "- kind: Pod\n  metadata:\n    name: a\n    annotations:\n      x: one\n        two: three\n      y: one\n        two\n",
	"folded well":        "- kind: Pod\n  metadata:\n    annotations:\n      y: one\n        two\n      z: 'it''s\n        so'\n    name: a\n",
	"literal":            "- kind: Pod\n  metadata:\n    annotations:\n      y: |\n        name: b\n\n          # no comment\n      z: |-\n        x\n    name: a\n",
	"literal deletion":   "- kind: Pod\n  metadata:\n    annotations:\n      y: |\n        deletionTimestamp: b\n    name: a\n    managedFields:\n    - manager: x\n",
	"comment":            "- kind: Pod\n  # said the user\n  metadata:\n    name: a\n",
	"comment deeper":     "- kind: Pod\n  metadata:\n    name: a\n      # said the user\n    uid: b\n",
	"no kind":            "- metadata:\n    name: a\n",
	"null kind":          "- kind:\n  metadata:\n    name: a\n",
	"odd kind":           "- kind: true\n  metadata:\n    name: a\n",
	"quoted kind":        "- kind: \"Secret\"\n  metadata:\n    name: a\n  data:\n    x: eQ==\n",
	"kind last":          "- data:\n    x: eQ==\n  metadata:\n    name: a\n  kind: Secret\n",
	"kind in a key":      "- \"kind\": Pod\n  metadata:\n    name: a\n",
	"broken":             "- kind: Pod\n  metadata:\n    name: \"a\n  spec:\n    x: y\n",
	"not a mapping":      "- kind: Pod\n  metadata:\n    name: a\n   x: y\n",
	"sequence of scalar": "- kind: Pod\n  args:\n  - a\n  - b: c\n    d:\n    - 1\n    - 1.5\n    - ~\n  - 0x10\n  metadata:\n    name: a\n",
	"nested dashes":      "- kind: Pod\n  args:\n  - - a\n  metadata:\n    name: a\n",
	"dash alone":         "- kind: Pod\n  args:\n  -\n    a: b\n  metadata:\n    name: a\n",
	"breaks":             "- kind: Pod\n  metadata:\n    name: a\n    annotations:\n      x: a\u2028b\n      y: é\n",
	"é":                  "- kind: Pod\n  metadata:\n    name: a\n    annotations:\n      y: é\n",
	"blank lines":        "- kind: Pod\n\n  metadata:\n\n    name: a\n\n",
	"merge":              "- kind: Pod\n  metadata:\n    <<: x\n    name: a\n",
	"node":               "- kind: Node\n  metadata:\n    name: a\n    managedFields:\n    - manager: kubelet\n",
	"event":              "- kind: Event\n  message: a\n  metadata:\n    name: a\n",
	"trailing blanks":    "- kind: Pod  \n  metadata: \n    name: a  \n",
	"blank in a key":     "- kind: Pod\n  a b: c\n  metadata:\n    name: a\n",
	"colon in a value":   "- kind: Pod\n  metadata:\n    name: a\n    image: r:v1\n    url: http://x:1/\n    bad: a:\n",
	"escapes":            "- kind: Pod\n  metadata:\n    name: a\n    x: \"a\\n\\\"b\\\"\"\n    y: \"\\u00e9\"\n",
	"name in a key":      "- kind: Pod\n  metadata:\n    name:x: a\n",
	"name at the end":    "- kind: Pod\n  metadata:\n    name:",
	"empty section":      "- kind: Pod\n  metadata:\n  spec:\n    a: b\n",
}

func TestStrangeYAMLLeft(t *testing.T) {
	left := map[bool]int{}
	for name, item := range strangeYAML {
		for _, kind := range []string{"List", "PodList"} {
			text := "apiVersion: v1\nitems:\n" + item + "- kind: Pod\n  metadata:\n    name: next\nkind: " + kind + "\n"
			n, _ := leftAsDecoded(t, name, text, (*dump).yaml)
			left[n == 2]++
			indented := "apiVersion: v1\nitems:\n  " + strings.ReplaceAll(strings.TrimSuffix(item, "\n"), "\n", "\n  ") + "\nkind: " + kind + "\n"
			leftAsDecoded(t, name+", indented", indented, (*dump).yaml)
		}
		whole := strings.ReplaceAll(item, "\n  ", "\n")[2:]
		leftAsDecoded(t, name+", alone", whole, (*dump).yaml)
	}
	if left[true] < 20 || left[false] < 20 {
		t.Errorf("left in their text: %d, decoded: %d", left[true], left[false])
	}
}

func FuzzLeftYAML(f *testing.F) {
	for _, item := range strangeYAML {
		f.Add("apiVersion: v1\nitems:\n" + item + "kind: List\n")
	}
	f.Fuzz(func(t *testing.T, text string) { leftAsDecoded(t, "x", text, (*dump).yaml) })
}

// strangeJSON are items of which some may stay in their text.
var strangeJSON = map[string]string{
	"plain":           `{"kind":"Pod","metadata":{"name":"a","labels":{"x":"y"}},"spec":{"nodeName":"n","x":[{"a":[1,2.5,-0,1e3,12345678901234567890]},null,true,[]]}}`,
	"in deletion":     `{"kind":"Pod","metadata":{"name":"a","deletionTimestamp":"2026-11-01T00:00:00Z","managedFields":[{"manager":"kubelet"}]}}`,
	"managed fields":  `{"kind":"Pod","metadata":{"managedFields":[{"manager":"kubelet"}],"name":"a"}}`,
	"only managed":    `{"kind":"Pod","metadata":{"managedFields":[{"manager":"kubelet"}]}}`,
	"key twice":       `{"kind":"Pod","metadata":{"name":"a","name":"b"}}`,
	"section twice":   `{"kind":"Pod","metadata":{"name":"a"},"metadata":{"uid":"b"}}`,
	"twice below":     `{"kind":"Pod","metadata":{"name":"a"},"spec":{"x":{"a":1,"a":{"b":2},"a":{"c":3}}}}`,
	"escapes":         `{"kind":"Pod","metadata":{"name":"a\n\u00e9\"\/","x":"\ud83d\ude00 \ud83d \b\f\r\t"}}`,
	"escape in a key": `{"kind":"Pod","metadata":{"n\u0061me":"a"}}`,
	"escape in kind":  `{"kind":"Secr\u0065t","metadata":{"name":"a"},"data":{"x":"eQ=="}}`,
	"é":               `{"kind":"Pod","metadata":{"name":"é"}}`,
	"not UTF-8":       "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xff\"}}",
	"no kind":         `{"metadata":{"name":"a"}}`,
	"version alone":   `{"apiVersion":"v2","metadata":{"name":"a"}}`,
	"null kind":       `{"kind":null,"metadata":{"name":"a"}}`,
	"odd kind":        `{"kind":true,"metadata":{"name":"a"}}`,
	"kind last":       `{"data":{"x":"eQ=="},"metadata":{"name":"a"},"kind":"Secret"}`,
	"deletion quoted": `{"kind":"Pod","metadata":{"annotations":{"x":"deletionTimestamp"},"managedFields":[{"manager":"kubelet"}],"name":"a"}}`,
	"deletion inside": `{"kind":"Pod","metadata":{"annotations":{"x":"{\"deletionTimestamp\":1}"},"managedFields":[{"manager":"kubelet"}],"name":"a"}}`,
	"scalar sections": `{"kind":"Pod","metadata":[{"a":{"b":"c"}}],"spec":"x","status":1}`,
	"empty":           `{}`,
	"empty sections":  `{"kind":"Pod","metadata":{},"spec":[],"status":{"a":{}}}`,
	"blanks":          "{ \"kind\" :\t\"Pod\" ,\r\n \"metadata\" : { \"name\" : \"a\" } , \"spec\" : [ 1 , 2 ] }",
	"broken string":   `{"kind":"Pod","metadata":{"name":"a}}`,
	"raw tab":         "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\tb\"}}",
	"brace too many":  `{"kind":"Pod","metadata":{"name":"a"}}}`,
	"comma too many":  `{"kind":"Pod","metadata":{"name":"a",}}`,
	"comma missing":   `{"kind":"Pod" "metadata":{"name":"a"}}`,
	"bad number":      `{"kind":"Pod","metadata":{"name":"a","x":01}}`,
	"bad escape":      `{"kind":"Pod","metadata":{"name":"\x"}}`,
	"bad word":        `{"kind":"Pod","metadata":{"name":nul}}`,
	"node":            `{"kind":"Node","metadata":{"name":"a","managedFields":[{"manager":"kubelet"}]}}`,
	"event":           `{"kind":"Event","message":"x","metadata":{"name":"a"}}`,
	"no object":       `"x"`,
}

func TestStrangeJSONLeft(t *testing.T) {
	left := map[bool]int{}
	for name, item := range strangeJSON {
		next := `{"kind":"Pod","metadata":{"name":"next"}}`
		for _, text := range []string{
			"{\"apiVersion\":\"v1\",\"items\":[\n" + item + ",\n" + next + "],\"kind\":\"List\"}",
			"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"x\"},\"items\":[" + item + "," + next + "]}\n" + next,
			"[" + item + "," + next + "]",
			"Warning: x\n{\"items\":[" + item + "\n]}\n{\"items\":[" + item,
			item,
		} {
			n, _ := leftAsDecoded(t, name, text, (*dump).json)
			left[n >= 2]++
		}
	}
	if left[true] < 30 || left[false] < 30 {
		t.Errorf("left in their text: %d, decoded: %d", left[true], left[false])
	}
}

func FuzzLeftJSON(f *testing.F) {
	for _, item := range strangeJSON {
		f.Add(`{"apiVersion":"v1","items":[` + item + `],"kind":"List"}`)
	}
	f.Fuzz(func(t *testing.T, text string) { leftAsDecoded(t, "x", text, (*dump).json) })
}
