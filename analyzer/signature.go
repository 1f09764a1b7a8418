package analyzer

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed signatures/*.yaml
var signatureFiles embed.FS

// Signature says what one line of evidence means. It concludes nothing: a
// failure may be old, of another pod, or cancelled by a later success.
type Signature struct {
	// ID is stable for ever; reports cite it.
	ID string `yaml:"id"`
	// Component lists whose lines it applies to, in the timeline's words;
	// empty means anybody's.
	Component Words `yaml:"component"`
	// Stage lists the stages of the deletion that it speaks of.
	Stage    Words    `yaml:"stage"`
	Polarity Polarity `yaml:"polarity"`
	Strength Strength `yaml:"strength"`
	// Versions of the component that print it so, for people.
	Versions string `yaml:"versions"`
	// Literals: a message that holds none of them is not looked at closer.
	// Only patterns for few lines (of a named component) may go without.
	Literals []string `yaml:"literals"`
	// Pattern is an RE2 expression over the message. Its named groups are
	// keys, of groupWords; a trailing digit of a name is dropped, so that
	// alternatives can capture the same key. {{pod}}, {{uid}}, {{q}} are
	// fragments.
	Pattern string `yaml:"match"`
	// Suggests lists the causes that a failure may be a sign of.
	Suggests []string `yaml:"suggests"`
	Meaning  string   `yaml:"meaning"`
	// Trap is how the line misleads.
	Trap string `yaml:"trap"`
	// Remedy is short safe advice.
	Remedy string `yaml:"remedy"`
	// Source is where the wording comes from.
	Source string `yaml:"source"`
	// Proven: a real capture holds the line; otherwise it was read from source
	// code or a report.
	Proven bool `yaml:"proven"`
	// Yes must match and No must not.
	Yes []string `yaml:"yes"`
	No  []string `yaml:"no"`
	// Own: from a user's file. It is never proven, whatever the file says.
	Own bool `yaml:"-"`

	compile  sync.Once
	pattern  *regexp.Regexp
	requires requirement
	plain    *plainPattern // nil where only regexp can tell
	keys     []string      // of the pattern's groups, "" for those without a name
	err      error
}

// Polarity is what a signature says about its stage.
type Polarity string

// Polarities.
const (
	Failure Polarity = "failure"
	Success Polarity = "success"
	Context Polarity = "context" // explains other lines
	Noise   Polarity = "noise"   // looks like evidence and is none
)

// Strength is how far a signature may be trusted alone.
type Strength string

// Strengths.
const (
	Decisive   Strength = "decisive"
	Supporting Strength = "supporting"
	Weak       Strength = "weak"
)

// Words is a list that YAML may write as a single word.
type Words []string

// UnmarshalYAML reads a word or a list of words.
func (w *Words) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*w = Words{n.Value}
		return nil
	}
	return n.Decode((*[]string)(w))
}

// Catalogue is a set of signatures.
type Catalogue struct {
	Signatures []*Signature // in the order of files and lines

	digest   string
	index    literalIndex
	unmarked []int // signatures without literals
	own      []*Signature
}

// BuiltinSignatures is the catalogue that the program carries, read once.
func BuiltinSignatures() (*Catalogue, error) { return builtinSignatures() }

var builtinSignatures = sync.OnceValues(func() (*Catalogue, error) {
	// A test checks what Load would.
	signatures, digest, err := known(signatureFiles, "signatures", readSignatures, func(*Signature) error { return nil })
	if err != nil {
		return nil, err
	}
	return newCatalogue(signatures, digest), nil
})

// Load reads and checks every *.yaml file of fsys.
func Load(fsys fs.FS) (*Catalogue, error) {
	signatures, err := readSignatures(fsys)
	if err != nil {
		return nil, err
	}
	digest, err := digestOf(fsys)
	if err != nil {
		return nil, err
	}
	c := newCatalogue(signatures, digest)
	return c, c.Check()
}

// readSignatures reads those of every *.yaml file of fsys.
func readSignatures(fsys fs.FS) ([]*Signature, error) {
	files, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	var signatures []*Signature
	seen := map[string]string{}
	for _, file := range files {
		data, err := fs.ReadFile(fsys, file)
		if err != nil {
			return nil, fmt.Errorf("reading signatures: %w", err)
		}
		var list []*Signature
		dec := yaml.NewDecoder(bytes.NewReader(data))
		dec.KnownFields(true)
		if err := dec.Decode(&list); err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("reading signatures: %s: %w", file, err)
		}
		for _, s := range list {
			if s == nil {
				return nil, fmt.Errorf("reading signatures: %s: an entry is empty", file)
			}
			if faults := s.validate(); len(faults) > 0 {
				return nil, fmt.Errorf("reading signatures: %s: %s: %w", file, s.ID, faults[0].err)
			}
			if other, ok := seen[s.ID]; ok {
				return nil, fmt.Errorf("reading signatures: %s: %s is in %s already", file, s.ID, other)
			}
			seen[s.ID] = file
		}
		signatures = append(signatures, list...)
	}
	return signatures, nil
}

// newCatalogue prepares signatures for matching.
func newCatalogue(signatures []*Signature, digest string) *Catalogue {
	c := &Catalogue{Signatures: signatures, digest: digest, index: indexLiterals(signatures, func(*Signature) bool { return true })}
	for n, s := range signatures {
		if len(s.Literals) == 0 {
			c.unmarked = append(c.unmarked, n)
		}
		if s.Own {
			c.own = append(c.own, s)
		}
	}
	return c
}

// Without is the catalogue less one signature: what would be known without it.
func (c *Catalogue) Without(id string) *Catalogue {
	rest := slices.DeleteFunc(slices.Clone(c.Signatures), func(s *Signature) bool { return s.ID == id })
	return newCatalogue(rest, c.digest+" without "+id)
}

// Digest identifies the content of the catalogue.
func (c *Catalogue) Digest() string { return c.digest }

// Count is how many signatures there are.
func (c *Catalogue) Count() int { return len(c.Signatures) }

// Lookup finds a signature by its id; nil if there is none.
func (c *Catalogue) Lookup(id string) *Signature {
	for _, s := range c.Signatures {
		if s.ID == id {
			return s
		}
	}
	return nil
}

// fragments stand for what many patterns share. Quotes of an inner message are
// escaped once per level it was wrapped in.
var fragments = strings.NewReplacer(
	"{{q}}", `\\*"`,
	"{{pod}}", `pod="(?P<ns>[^/"]+)/(?P<pod>[^"]+)"`,
	"{{uid}}", `podUID="?(?P<uid>[0-9a-f-]{32,36})"?`,
)

// regexp compiles the pattern when it is first needed. A dot matches the line
// ends inside a record, and ^ and $ those around each of its lines.
func (s *Signature) regexp() (*regexp.Regexp, error) {
	s.compile.Do(func() {
		pattern := "(?ms)" + s.Expression()
		if s.pattern, s.err = regexp.Compile(pattern); s.err != nil {
			return
		}
		s.requires, s.plain = requiredBy(pattern), plainPatternOf(pattern)
		for _, name := range s.pattern.SubexpNames() {
			s.keys = append(s.keys, groupWord(name))
		}
	})
	return s.pattern, s.err
}

// Expression is the pattern with its fragments put in.
func (s *Signature) Expression() string { return fragments.Replace(s.Pattern) }

// stageWords are the stages of a deletion, D0 to D14, and the whole node.
var stageWords = []string{
	"requested", "marked", "seen-by-kubelet", "prestop", "containers-stopped", "sandbox-stopped",
	"volumes-unmounted", "cgroup-removed", "final-status", "final-delete", "finalizers-removed",
	"object-gone", "node-clean", "detached", "namespace-emptied", "node",
}

// causeWords are the causes that signatures may suggest.
var causeWords = []string{
	"finalizer-held", "webhook-blocking", "dependents-remain", "namespace-discovery-failed",
	"namespace-content-remains", "volume-protection", "volume-attachment-stuck", "node-object-missing",
	"controller-down", "permission-denied",
	"prestop-hang", "long-grace", "sidecar-drain", "d-state", "zombie-unreaped",
	"mount-busy", "subpath-teardown", "volume-dir-not-empty", "csi-driver-missing", "csi-unpublish",
	"csi-unstage", "storage-io-error", "storage-device-gone", "fuse-dead",
	"network-storage-unresponsive", "stale-file-handle",
	"runtime-hung", "runtime-lost-exit", "disk-full", "cgroup-teardown", "cni-del-failing",
	"kubelet-down", "node-unreachable", "kubelet-cannot-reach-api", "kubelet-defect", "clock-skew",
	"ghost-container", "orphaned-pod-dir", "ip-leak", "stale-endpoint", "duplicate-identity",
	"eviction-blocked",
}
