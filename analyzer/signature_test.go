package analyzer

import (
	"strings"
	"testing"
	"testing/fstest"
)

func builtin(tb testing.TB) *Catalogue {
	tb.Helper()
	c, err := BuiltinSignatures()
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func TestBuiltinSignaturesFitTheirExamples(t *testing.T) {
	c := builtin(t)
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if c.Count() < 300 {
		t.Errorf("%d signatures", c.Count())
	}
	if !strings.HasPrefix(c.Digest(), "sha256:") || len(c.Digest()) != len("sha256:")+64 {
		t.Errorf("digest %s", c.Digest())
	}
}

const goodSignature = `
- id: some-id
  component: [kubelet]
  stage: node
  polarity: failure
  strength: weak
  literals: [something]
  match: something (?P<err>.*)
  suggests: [runtime-hung]
  meaning: Something.
  yes: [something else]
  no: [anything]
`

// A name that is known but that no built-in pattern gives is one too many.
func TestEveryGroupWordIsGiven(t *testing.T) {
	given := map[string]bool{}
	for _, s := range builtin(t).Signatures {
		if _, err := s.regexp(); err != nil {
			t.Fatal(err)
		}
		for _, key := range s.keys {
			given[key] = true
		}
	}
	for _, word := range groupWords {
		if !given[word] {
			t.Errorf("no signature has a group %q", word)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, tt := range map[string]struct{ old, new, want string }{
		"an unknown key":          {"meaning:", "meening: x\n  meaning:", "a.yaml"},
		"an unknown stage":        {"stage: node", "stage: nowhere", `stage "nowhere"`},
		"an unknown cause":        {"runtime-hung", "bad-luck", `cause "bad-luck"`},
		"an unknown polarity":     {"failure", "disaster", "polarity"},
		"an unknown strength":     {"weak", "mighty", "strength"},
		"a cause of a success":    {"failure", "success", "only a failure"},
		"a short literal":         {"[something]", "[some]", "shorter"},
		"a broken pattern":        {"(?P<err>.*)", "(", "missing closing"},
		"an unknown group":        {"?P<err>", "?P<podd>", `group "podd" is not known; there are ns, pod,`},
		"a pod with a namespace":  {"(?P<err>.*)\n  suggests: [runtime-hung]\n  meaning: Something.\n  yes: [something else]", "(?P<pod>.*)\n  meaning: Something.\n  yes: [something shop/web-0]", `group "pod" catches shop/web-0`},
		"yes that does not match": {"something else", "anything else", "holds no literal"},
		"no that matches":         {"[anything]", "[something else]", "matches"},
		"no examples":             {"yes: [something else]", "yes: []", "needs a line"},
		"the same id twice":       {goodSignature, goodSignature + goodSignature, "already"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(goodSignature, tt.old, tt.new, 1)
			_, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(text)}})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	if _, err := Load(fstest.MapFS{"a.yaml": {Data: []byte(goodSignature)}}); err != nil {
		t.Error(err)
	}
}
