package analyzer

import (
	"errors"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const ownSignature = `# A storage driver of our own.
- id: acme-detach-refused
  component: [acme-csi]
  stage: volumes-unmounted
  polarity: failure
  strength: decisive
  literals: ['acme: refusing to detach ']
  match: 'acme: refusing to detach (?P<volume>\S+)'
  suggests: [csi-unpublish]
  meaning: The driver keeps the volume.
  proven: true
  yes:
    - 'acme: refusing to detach pvc-1: lease held'
  no:
    - 'acme: detached pvc-1'
`

func TestExtend(t *testing.T) {
	c := builtin(t)
	own, err := c.Extend(fstest.MapFS{"acme.yml": {Data: []byte(ownSignature)}, "notes.txt": {Data: []byte("x")}})
	if err != nil {
		t.Fatal(err)
	}
	if own.Count() != c.Count()+1 || own.Digest() == c.Digest() {
		t.Errorf("%d signatures, digest %s", own.Count(), own.Digest())
	}
	s := own.Lookup("acme-detach-refused")
	if s == nil || !s.Own || s.Proven {
		t.Fatalf("%+v", s)
	}
	got := own.Match([]timeline.Event{{Component: "acme-csi", Message: s.Yes[0]}})
	if len(got) != 1 || got[0].Signature != s || got[0].Keys["volume"] != "pvc-1:" {
		t.Errorf("%+v", got)
	}
	again, err := c.Extend(fstest.MapFS{"acme.yml": {Data: []byte(ownSignature)}})
	if err != nil || again.Digest() != own.Digest() {
		t.Errorf("%s, %v: the digest is of the content", again.Digest(), err)
	}
	if _, err := own.Extend(fstest.MapFS{"b.yaml": {Data: []byte(ownSignature)}}); err == nil || !strings.Contains(err.Error(), "b.yaml:2: acme-detach-refused: this id is taken: in another folder") {
		t.Errorf("the same id in two folders: %v", err)
	}
}

func TestExtendTellsEveryMistakeAndWhere(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"an unknown field":        {"  meaning:", "  meening: x\n  meaning:", `own.yaml:10: there is no field "meening"`},
		"an unknown stage":        {"volumes-unmounted", "[node, nowhere]", `own.yaml:4: acme-detach-refused: stage "nowhere" is not known`},
		"an unknown cause":        {"csi-unpublish", "bad-luck", `own.yaml:9: acme-detach-refused: cause "bad-luck"`},
		"an unknown polarity":     {"failure", "disaster", `own.yaml:5: acme-detach-refused: polarity "disaster" is not known; there are failure,`},
		"a broken pattern":        {`(?P<volume>\S+)`, `(`, "own.yaml:8: acme-detach-refused: the pattern does not compile: missing closing ): "},
		"a pattern for all":       {`'acme: refusing to detach (?P<volume>\S+)'`, `'.*'`, "own.yaml:8: acme-detach-refused: the pattern fits an empty line"},
		"yes that does not match": {"refusing to detach pvc-1: lease", "declining", "own.yaml:13: acme-detach-refused: "},
		"no that matches":         {"acme: detached pvc-1", "acme: refusing to detach x", "own.yaml:15: acme-detach-refused: matches: "},
		"a built-in id":           {"acme-detach-refused", "kubelet-syncloop-delete", "own.yaml:2: kubelet-syncloop-delete: this id is taken: a built-in signature"},
		"an observation's id":     {"acme-detach-refused", Observations[0].ID, "this id is taken: a built-in observation"},
		"the id of another":       {"# A storage driver of our own.\n", strings.TrimPrefix(ownSignature, "# A storage driver of our own.\n"), "own.yaml:15: acme-detach-refused: this id is taken: own.yaml:1"},
		"an id of another form":   {"acme-detach-refused", "Acme Detach", "own.yaml:2: Acme Detach: an id is of lower-case"},
		"no id":                   {"id: acme-detach-refused", "versions: any", "own.yaml:2: no id"},
		"no list":                 {ownSignature, "id: x\n", "own.yaml:1: not a list of signatures"},
		"an entry of text":        {ownSignature, "- x\n", "own.yaml:1: a text where a signature is wanted"},
		"an empty entry":          {ownSignature, "-\n", "own.yaml:1: an entry is empty"},
		"an empty file":           {ownSignature, "# nothing\n", "own.yaml: holds no signature"},
		"an empty list":           {ownSignature, "[]\n", "own.yaml: holds no signature"},
		"a mapping for a list":    {"[acme-csi]", "{a: b}", "own.yaml:3: a mapping where a list is wanted"},
		"broken YAML":             {"  stage:", " stage:", "own.yaml:"},
		"a second document":       {"  no:\n    - 'acme: detached pvc-1'\n", "  no: [x]\n---\n- id: y\n", "a second document"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(ownSignature, tt.old, tt.new, 1)
			c, err := builtin(t).Extend(fstest.MapFS{"own.yaml": {Data: []byte(text)}})
			var mistakes Mistakes
			if c != nil || !errors.As(err, &mistakes) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	three := strings.NewReplacer("stage: volumes-unmounted", "stage: nowhere", "decisive", "mighty", "detached pvc-1", "refusing to detach x").Replace(ownSignature)
	_, err := builtin(t).Extend(fstest.MapFS{"own.yaml": {Data: []byte(three)}})
	var mistakes Mistakes
	if !errors.As(err, &mistakes) {
		t.Fatal(err)
	}
	var lines []int
	for _, m := range mistakes {
		lines = append(lines, m.Line)
	}
	if diff := cmp.Diff([]int{4, 6, 15}, lines); diff != "" {
		t.Errorf("not every mistake, in order: %s", diff)
	}
	if _, err := builtin(t).Extend(fstest.MapFS{}); err == nil {
		t.Error("a folder without files")
	}
}

// What is known of lines from a user alone makes a verdict no more than likely.
func TestOwnSignaturesAreNeverSure(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	own, err := builtin(t).Extend(fstest.MapFS{"own.yaml": {Data: []byte(ownSignature)}})
	if err != nil {
		t.Fatal(err)
	}
	q := &inquest{s: &scene{tl: &timeline.Timeline{}, catalogue: own}, kind: "Pod", name: "web-0", signals: []*signal{{
		id: "acme-detach-refused", polarity: Failure, strength: Decisive, stages: []string{StageVolumes}, suggests: []string{"csi-unpublish"}, scope: scopeSubject, count: 9,
	}}}
	confidence := map[string]string{}
	for _, cand := range q.consider(causes) {
		confidence[cand.cause.ID] = cand.confidence
	}
	if diff := cmp.Diff(map[string]string{"csi-unpublish": Medium}, confidence); diff != "" {
		t.Error(diff)
	}
	for _, c := range causes {
		for i := range c.Proof {
			if got := q.try(c, &c.Proof[i]); got != nil && got.confidence == High {
				t.Errorf("%s, proof %d: high", c.ID, i+1)
			}
		}
	}
}

func FuzzExtend(f *testing.F) {
	f.Add([]byte(ownSignature))
	f.Add([]byte(goodSignature))
	f.Add([]byte("- &a [*a]\n"))
	f.Add([]byte("- &a {id: x, yes: &y [z], no: *y}\n- *a\n"))
	c := builtin(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := c.Extend(fstest.MapFS{"a.yaml": {Data: data}})
		if err == nil {
			if err := got.Check(); err != nil {
				t.Error(err)
			}
			return
		}
		var mistakes Mistakes
		if !errors.As(err, &mistakes) || len(mistakes) == 0 {
			t.Fatal(err)
		}
		for _, m := range mistakes {
			if m.Line < 0 || m.Line > 1+strings.Count(string(data), "\n")+strings.Count(string(data), "\r") || m.What == "" {
				t.Errorf("%+v", m)
			}
		}
	})
}
