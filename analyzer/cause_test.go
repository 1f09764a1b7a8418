package analyzer

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Every word that a cause asks for must exist: a clause with a misspelt
// signature would be a proof that can never hold.
func TestCausesAskForWhatExists(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, s := range catalogue.Signatures {
		known[s.ID] = true
	}
	for _, o := range Observations {
		if known[o.ID] {
			t.Errorf("observation %s has the name of a signature", o.ID)
		}
		known[o.ID] = true
	}
	defects, err := Defects()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		if d.Proves {
			known[defectWord+d.ID] = true
		}
	}
	ask := func(who string, clauses []*Clause) {
		for _, cl := range clauses {
			for _, want := range cl.Any {
				switch {
				case strings.HasPrefix(want, "suggests:"):
					if !slices.Contains(causeWords, want[len("suggests:"):]) {
						t.Errorf("%s asks for %s: no such cause", who, want)
					}
				case strings.HasPrefix(want, "fails:"):
					if !slices.Contains(stageWords, want[len("fails:"):]) {
						t.Errorf("%s asks for %s: no such stage", who, want)
					}
				case !known[want]:
					t.Errorf("%s asks for %s: no such signature or observation", who, want)
				}
			}
		}
	}
	for _, d := range defects {
		ask("defect "+d.ID, d.clauses())
	}
	for _, c := range causes {
		ask(c.ID, c.clauses())
		for _, id := range c.Explains {
			if !slices.Contains(causeWords, id) {
				t.Errorf("%s explains %s: no such cause", c.ID, id)
			}
		}
	}
}

func (c *Cause) clauses() []*Clause {
	var list []*Clause
	for i := range c.Proof {
		p := &c.Proof[i]
		for _, clauses := range [][]Clause{p.All, p.None, p.Helps} {
			for j := range clauses {
				list = append(list, &clauses[j])
			}
		}
	}
	for i := range c.Remedies {
		for _, cl := range []*Clause{c.Remedies[i].Met, c.Remedies[i].When} {
			if cl != nil {
				list = append(list, cl)
			}
		}
	}
	for i := range c.Prevention {
		if cl := c.Prevention[i].When; cl != nil {
			list = append(list, cl)
		}
	}
	for i := range c.Missing {
		list = append(list, &c.Missing[i].Unless)
	}
	for i := range c.Against {
		list = append(list, &c.Against[i])
	}
	return list
}

func (d *Defect) clauses() []*Clause {
	var list []*Clause
	for _, clauses := range [][]Clause{d.Condition.All, d.Condition.None} {
		for i := range clauses {
			list = append(list, &clauses[i])
		}
	}
	return list
}

// Each cause of the design has its file, so that explain can tell of it.
func TestEveryCauseHasAFile(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for _, c := range causes {
		have[c.ID] = true
	}
	for _, id := range causeWords {
		if !have[id] {
			t.Errorf("no file for cause %s", id)
		}
	}
}

// An observation that nothing asks for is a look for nothing.
func TestEveryObservationIsUsed(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	asked := map[string]bool{}
	for _, c := range causes {
		for _, cl := range c.clauses() {
			for _, want := range cl.Any {
				asked[want] = true
			}
		}
	}
	defects, err := Defects()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range defects {
		for _, cl := range d.clauses() {
			for _, want := range cl.Any {
				asked[want] = true
			}
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var code strings.Builder
	for _, f := range files {
		if !strings.HasSuffix(f, "_test.go") {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			code.Write(data)
		}
	}
	text := code.String()
	for _, o := range Observations {
		// Declared, made, and asked for by a cause, a stage or another look.
		uses := strings.Count(text, `"`+o.ID+`"`)
		if uses < 2 {
			t.Errorf("observation %s is never made", o.ID)
		}
		stage := (o.Polarity == Success || o.Polarity == Failure) && len(o.Stage) == 1
		if !asked[o.ID] && uses < 3 && !stage {
			t.Errorf("nothing asks for observation %s", o.ID)
		}
	}
}

// waits are programs that ask a mount, a device, a server or a daemon, and wait
// for as long as that does not answer.
var waits = []string{"fuser", "lsof", "df", "du", "find", "stat", "mountpoint", "showmount", "rpcinfo", "nfsstat", "iscsiadm", "multipath", "ctr", "docker", "tail", "ping"}

// unended is the first program of a command that may wait for ever; "" if each
// ends in time.
func unended(command string) string {
	for part := range strings.FieldsFuncSeq(command, func(r rune) bool { return strings.ContainsRune(";|&()`", r) }) {
		words := strings.Fields(part)
		for len(words) > 0 && slices.Contains([]string{"sudo", "do", "then", "exec", "!"}, words[0]) {
			words = words[1:]
		}
		if len(words) == 0 || !slices.Contains(waits, words[0]) {
			continue
		}
		if words[0] == "ping" && strings.HasPrefix(words[1], "-c") || words[0] == "tail" && !strings.Contains(part, "-f") && !strings.Contains(part, "/") {
			continue
		}
		return words[0]
	}
	return ""
}

// What is offered to look with ends, also where nothing answers: each cause's
// looks, what would bring missing evidence, and the check-list's.
func TestLooksEnd(t *testing.T) {
	for command, want := range map[string]string{
		"fuser -vm /a; grep -l b /proc/[0-9]*/mountinfo": "fuser", "timeout 20 fuser -vm /a": "", "grep a b || df -h": "df",
		"ls /a | tail": "", "for d in /a; do find $d; done": "find", "ping a": "ping", "ping -c3 a": "", "echo $(du /a)": "du",
	} {
		if got := unended(command); got != want {
			t.Errorf("%s: %q, want %q", command, got, want)
		}
	}
	ends := func(of, command string) {
		if program := unended(command); program != "" {
			t.Errorf("%s: %s may wait for ever, timeout does not: %s", of, program, command)
		}
	}
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	docker := on(&node{name: "n", runtime: "docker://20.10.27", logs: map[string]*logSpan{}})
	words := docker.runtimeWords()
	for _, c := range causes {
		for i := range c.Remedies {
			if r := &c.Remedies[i]; r.Changes == "nothing" {
				ends(c.ID, expand(r.Command, words))
			}
		}
		for i := range c.Missing {
			ends(c.ID, expand(c.Missing[i].Command, words))
		}
	}
	for id, c := range checks {
		ends(id, c.ask)
		ends(id, docker.askFor(id))
		ends(id, c.clear)
	}
	for _, m := range slices.Concat(docker.s.nodeLacks(docker.node, true), docker.missing(&finding{q: docker, outcome: Inconclusive})) {
		ends(m.What, m.Command)
	}
}

// Advice that circulates and is dangerous must not be given by any cause.
func TestRemediesAreSafe(t *testing.T) {
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range causes {
		for i := range c.Remedies {
			r := &c.Remedies[i]
			for _, bad := range []string{"rm -rf", `"finalizers":null`, `"finalizers":[]`, "terminationGracePeriodSeconds\":0", "umount -l "} {
				if strings.Contains(r.Command, bad) {
					t.Errorf("%s, step %d: %s", c.ID, i+1, r.Command)
				}
			}
			if strings.Contains(r.Command, `"op":"remove","path":"/metadata/finalizers`) && !strings.Contains(r.Command, `"op":"test"`) {
				t.Errorf("%s, step %d removes a finalizer without testing which", c.ID, i+1)
			}
			if !slices.Contains([]string{"nothing", "cluster", "node"}, r.Changes) || !slices.Contains([]string{"none", "low", "high"}, r.Risk) {
				t.Errorf("%s, step %d: changes %q, risk %q", c.ID, i+1, r.Changes, r.Risk)
			}
			if r.Changes == "nothing" && r.Risk != "none" {
				t.Errorf("%s, step %d changes nothing and has a risk", c.ID, i+1)
			}
		}
	}
}
