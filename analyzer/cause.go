package analyzer

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"
)

//go:embed causes/*.yaml
var causeFiles embed.FS

// Cause is a conclusion: who or what holds a subject. One file each.
type Cause struct {
	// ID is stable for ever; it is the file's name too.
	ID      string `yaml:"id"`
	Title   string `yaml:"title"`
	Explain string `yaml:"explain"`
	// Stage that stays unfinished.
	Stage string `yaml:"stage"`
	// Outcome it leads to: stuck if not said.
	Outcome string `yaml:"outcome"`
	// Kinds of objects that it is a cause for; empty means pods.
	Kinds []string `yaml:"kinds"`
	// Proof lists what is enough to name it, the strongest first.
	Proof []Proof `yaml:"proof"`
	// AtOnce: time alone cannot mend it, so no stage's allowance is waited for.
	AtOnce bool `yaml:"at_once"`
	// Waits: what it waits for is allowed until the deadline.
	Waits bool `yaml:"waits"`
	// Explains lists the causes that this one produces: where both show, this
	// one is upstream.
	Explains []string `yaml:"explains"`
	// LookAlikes is what it is mistaken for.
	LookAlikes string         `yaml:"look_alikes"`
	Remedies   []CauseRemedy  `yaml:"remedies"`
	Missing    []CauseMissing `yaml:"missing"`
	// RefutedBy is the finding that would prove the cause wrong where it was
	// named.
	RefutedBy string `yaml:"refuted_by"`
	// Against lists what speaks against the cause and is cited there; it
	// decides nothing.
	Against []Clause `yaml:"against"`
	// Never lists advice that circulates and is wrong here.
	Never      []string          `yaml:"never"`
	Prevention []CausePrevention `yaml:"prevention"`
}

// Proof is one way of proving a cause: every clause of All holds and none of
// None.
type Proof struct {
	Confidence string `yaml:"confidence"`
	// Beside: named only beside another cause, never as the root.
	Beside bool `yaml:"beside"`
	// Loose: what proves it is of the node, not tied to the subject. It does
	// not explain away a cause that is.
	Loose    bool     `yaml:"loose"`
	Because  string   `yaml:"because"`
	Subcause string   `yaml:"subcause"`
	Stage    string   `yaml:"stage"`   // where it differs from the cause's
	Outcome  string   `yaml:"outcome"` // where it differs from the cause's
	All      []Clause `yaml:"all"`
	None     []Clause `yaml:"none"`
	// Helps lists signals that are cited where they are there; each standing
	// one lifts nothing.
	Helps []Clause `yaml:"helps"`
}

// Clause asks for a signal.
type Clause struct {
	// Any lists signatures and observations; "suggests:CAUSE" means every
	// signature that suggests the cause, "fails:STAGE" every failure of exactly
	// that stage.
	Any Words `yaml:"any"`
	// Scope: subject (if not said), node, neighbours, cluster, or anywhere.
	Scope string `yaml:"scope"`
	// When: now (if not said: it stands, since the request or later), before
	// (only before the request), ever.
	When string `yaml:"when"`
	// Times and Lasts ask for repetition.
	Times int           `yaml:"times"`
	Lasts time.Duration `yaml:"lasts"`
	// Text must match the line or a captured key.
	Text string `yaml:"text"`

	text *regexp.Regexp
}

// CauseRemedy is one step of the safe way out.
type CauseRemedy struct {
	Step         string  `yaml:"step"`
	Command      string  `yaml:"command"`
	Changes      string  `yaml:"changes"`
	Risk         string  `yaml:"risk"`
	Precondition string  `yaml:"precondition"`
	Met          *Clause `yaml:"met"`  // shows that the precondition is met
	When         *Clause `yaml:"when"` // only offered if it holds
}

// CausePrevention is what would have avoided the incident: a sentence, or one
// with the evidence that must be there for it to be said.
type CausePrevention struct {
	Advice string  `yaml:"advice"`
	When   *Clause `yaml:"when"`
	// Config can be put to use as it stands.
	Config string `yaml:"config"`
}

// UnmarshalYAML reads a sentence, or the fields.
func (p *CausePrevention) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		p.Advice = n.Value
		return nil
	}
	type fields CausePrevention
	return n.Decode((*fields)(p))
}

// PreventedBy lists the sentences on what would have avoided an incident.
func (c *Cause) PreventedBy() []string {
	var list []string
	for _, p := range c.Prevention {
		list = append(list, p.Advice)
	}
	return list
}

// CauseMissing is evidence that would settle the cause, and how to get it.
type CauseMissing struct {
	Unless  Clause `yaml:"unless"`
	What    string `yaml:"what"`
	Command string `yaml:"command"`
	Would   string `yaml:"would"`
}

// Causes are those that the program carries, in the order of their ids, read
// once. Treat them as read-only.
func Causes() ([]*Cause, error) { return builtinCauses() }

var builtinCauses = sync.OnceValues(func() ([]*Cause, error) {
	causes, _, err := known(causeFiles, "causes", readCauses, func(c *Cause) error { return c.check(c.ID) })
	return causes, err
})

func readCauses(files fs.FS) ([]*Cause, error) { return readEach(files, "causes", (*Cause).check) }

func (c *Cause) check(file string) error {
	switch {
	case c.ID != file:
		return fmt.Errorf("id %q is not the file's name", c.ID)
	case !slices.Contains(causeWords, c.ID):
		return fmt.Errorf("cause %q is not known", c.ID)
	case c.Title == "" || c.Explain == "":
		return errors.New("no title or no explanation")
	case !slices.Contains(stageWords, c.Stage):
		return fmt.Errorf("stage %q is not known", c.Stage)
	case c.RefutedBy == "":
		return errors.New("nothing is said to refute it")
	}
	for i := range c.Proof {
		p := &c.Proof[i]
		if p.Confidence != High && p.Confidence != Medium && p.Confidence != Low {
			return fmt.Errorf("proof %d: confidence %q is not known", i+1, p.Confidence)
		}
		if p.Because == "" || len(p.All) == 0 {
			return fmt.Errorf("proof %d: no reason or no clause", i+1)
		}
		for _, list := range [][]Clause{p.All, p.None, p.Helps} {
			for j := range list {
				if err := list[j].check(); err != nil {
					return fmt.Errorf("proof %d: %w", i+1, err)
				}
			}
		}
	}
	for i := range c.Remedies {
		for _, cl := range []*Clause{c.Remedies[i].Met, c.Remedies[i].When} {
			if cl != nil {
				if err := cl.check(); err != nil {
					return fmt.Errorf("remedy %d: %w", i+1, err)
				}
			}
		}
	}
	for i := range c.Prevention {
		p := &c.Prevention[i]
		if p.Advice == "" {
			return fmt.Errorf("prevention %d: no advice", i+1)
		}
		if p.When != nil {
			if err := p.When.check(); err != nil {
				return fmt.Errorf("prevention %d: %w", i+1, err)
			}
		}
	}
	for i := range c.Against {
		if err := c.Against[i].check(); err != nil {
			return fmt.Errorf("against %d: %w", i+1, err)
		}
	}
	for i := range c.Missing {
		if err := c.Missing[i].Unless.check(); err != nil {
			return fmt.Errorf("missing %d: %w", i+1, err)
		}
	}
	return nil
}

func (cl *Clause) check() error {
	switch cl.Scope {
	case "", string(scopeSubject), string(scopeNode), string(scopeNeighbours), string(scopeCluster), "anywhere":
	default:
		return fmt.Errorf("scope %q is not known", cl.Scope)
	}
	switch cl.When {
	case "", "now", "before", "ever":
	default:
		return fmt.Errorf("when %q is not known", cl.When)
	}
	if len(cl.Any) == 0 {
		return errors.New("a clause asks for nothing")
	}
	if cl.Text != "" {
		re, err := regexp.Compile(cl.Text)
		if err != nil {
			return err
		}
		cl.text = re
	}
	return nil
}

// holds finds the signals that satisfy the clause.
func (cl *Clause) holds(q *inquest) []*signal {
	var found []*signal
	for _, sg := range q.signals {
		if !cl.asksFor(sg) || !cl.inScope(sg) || !cl.inTime(sg) {
			continue
		}
		if cl.text != nil && !cl.text.MatchString(sg.text) && !anyValue(sg.keys, cl.text) {
			continue
		}
		found = append(found, sg)
	}
	if !cl.enough(found) {
		return nil
	}
	return found
}

// enough says whether signals that the clause asks for repeat and last as long
// as it wants.
func (cl *Clause) enough(found []*signal) bool {
	times, first, last := 0, time.Time{}, time.Time{}
	for _, sg := range found {
		times += sg.count
		if first.IsZero() || sg.first.Before(first) {
			first = sg.first
		}
		if sg.last.After(last) {
			last = sg.last
		}
	}
	return len(found) > 0 && times >= cl.Times && last.Sub(first) >= cl.Lasts
}

// asksFor says whether the signal is one of those that the clause lists.
func (cl *Clause) asksFor(sg *signal) bool {
	for _, want := range cl.Any {
		switch {
		case want == sg.id:
			return true
		case strings.HasPrefix(want, "suggests:"):
			if contains(sg.suggests, want[len("suggests:"):]) {
				return true
			}
		case strings.HasPrefix(want, "fails:"):
			if sg.polarity == Failure && sg.strength != Weak && len(sg.stages) == 1 && sg.stages[0] == want[len("fails:"):] {
				return true
			}
		}
	}
	return false
}

func anyValue(keys map[string]string, re *regexp.Regexp) bool {
	for _, v := range keys {
		if re.MatchString(v) {
			return true
		}
	}
	return false
}

func (cl *Clause) inScope(sg *signal) bool {
	switch cl.Scope {
	case "":
		return sg.scope == scopeSubject
	case "anywhere":
		return true
	}
	return sg.scope == scope(cl.Scope)
}

func (cl *Clause) inTime(sg *signal) bool {
	switch cl.When {
	case "ever":
		return true
	case "before":
		return sg.early
	}
	return !sg.early && !sg.ended
}
