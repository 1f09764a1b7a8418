// Package docs holds the documents for people and the schema of the report.
// Those that list what the program knows are written from its own data.
package docs

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"podautopsy/analyzer"
	"podautopsy/parsers"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

const notice = "<!-- Written by `make golden` from the program's own data; changes here are lost. -->\n\n"

// fresh compares a document with what is generated now.
func fresh(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if os.Getenv("CI") != "" {
			t.Fatal("-update is not for CI: documents are reviewed")
		}
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(got), want); diff != "" {
		t.Errorf("%s is stale: run make golden (-stored +now):\n%s", file, diff)
	}
}

// plain makes text safe in Markdown's prose.
func plain(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return strings.NewReplacer("<", `\<`, "*", `\*`, "_", `\_`, "`", "\\`", "[", `\[`, "|", `\|`).Replace(text)
}

func causeLink(id string) string { return fmt.Sprintf("[%s](causes.md#%s)", id, id) }

func signatureLink(id string) string { return fmt.Sprintf("[%s](signatures.md#%s)", id, id) }

// links joins what link makes of ids.
func links(ids []string, link func(string) string) string {
	var out []string
	for _, id := range ids {
		out = append(out, link(id))
	}
	return strings.Join(out, ", ")
}

func TestCauseDocs(t *testing.T) {
	causes, err := analyzer.Causes()
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := analyzer.BuiltinSignatures()
	if err != nil {
		t.Fatal(err)
	}
	signs := map[string][]string{}
	for _, s := range catalogue.Signatures {
		for _, c := range s.Suggests {
			signs[c] = append(signs[c], s.ID)
		}
	}
	shown := fixtureCauses(t)
	defects, err := analyzer.Defects()
	if err != nil {
		t.Fatal(err)
	}

	var b strings.Builder
	b.WriteString("# Causes\n\n" + notice)
	b.WriteString(`What a report can name as the root cause, as ` + "`podautopsy explain CAUSE`" + ` tells it. Each is
one file in analyzer/causes. In proofs and commands ` + "`{path}`" + ` stands for what the evidence names,
and ` + "`{path|a volume}`" + ` for the words after the bar where it names nothing.
In a command each such word is quoted for the shell, and ` + "`{takeOffFinalizer}`" + ` is the JSON patch that
takes off the finalizer if it is still there.

`)
	b.WriteString("| cause | what holds the pod | stage |\n|---|---|---|\n")
	for _, c := range causes {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", c.ID, c.ID, plain(c.Title), c.Stage)
	}
	for _, c := range causes {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** ", c.ID, upper(plain(c.Title)))
		for i, p := range strings.Split(strings.TrimSpace(c.Explain), "\n\n") {
			if i > 0 {
				b.WriteString("\n")
			}
			b.WriteString(plain(p) + "\n")
		}
		line := func(label, text string) {
			if text != "" {
				fmt.Fprintf(&b, "\n%s: %s\n", label, text)
			}
		}
		line("Holds the stage", "`"+c.Stage+"`")
		line("Brings about", links(c.Explains, func(id string) string { return fmt.Sprintf("[%s](#%s)", id, id) }))
		line("Not to be mistaken for", plain(c.LookAlikes))
		line("Would prove it wrong", plain(c.RefutedBy))
		if len(c.Proof) > 0 {
			b.WriteString("\nProved by\n\n")
			for _, p := range c.Proof {
				fmt.Fprintf(&b, "- %s (%s)\n", plain(p.Because), p.Confidence)
			}
		}
		if len(c.Remedies) > 0 {
			b.WriteString("\nSafe way out, in this order\n\n")
			for i, r := range c.Remedies {
				fmt.Fprintf(&b, "%d. %s", i+1, plain(r.Step))
				if r.Changes != "nothing" {
					fmt.Fprintf(&b, " *(changes the %s, risk %s)*", r.Changes, r.Risk)
				}
				if r.Precondition != "" {
					b.WriteString("; first: " + plain(r.Precondition))
				}
				b.WriteString("\n")
				if r.Command != "" {
					fmt.Fprintf(&b, "\n   ```sh\n   %s\n   ```\n\n", strings.ReplaceAll(strings.TrimSpace(r.Command), "\n", "\n   "))
				}
			}
		}
		list := func(title string, items []string) {
			if len(items) > 0 {
				b.WriteString("\n" + title + "\n\n")
			}
			for _, item := range items {
				b.WriteString("- " + plain(item) + "\n")
			}
		}
		list("Never", c.Never)
		list("Prevention", c.PreventedBy())
		if known := defectsOf(c.ID, defects); len(known) > 0 {
			b.WriteString("\nKnown defects that a report names beside it\n\n- " + strings.Join(known, "\n- ") + "\n")
		}
		line("Signatures that suggest it", links(signs[c.ID], signatureLink))
		line("Fixtures", links(shown[c.ID], fixtureLink))
	}
	fresh(t, "causes.md", squeezed(b.String()))
}

// defectsOf is a line for each known defect of a cause.
func defectsOf(cause string, defects []*analyzer.Defect) []string {
	var list []string
	for _, d := range defects {
		if !slices.Contains(d.Causes, cause) {
			continue
		}
		s := fmt.Sprintf("[%s](%s) (%s): %s", d.Name, d.Links[0], d.Component, plain(d.Title))
		if fixed := d.Repaired(); fixed != "" {
			s += "; fixed in " + fixed
		}
		list = append(list, s)
	}
	return list
}

func TestSignatureDocs(t *testing.T) {
	files, err := filepath.Glob("../analyzer/signatures/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no signatures: %v", err)
	}
	shown := fixtureSignatures(t)
	var contents, body strings.Builder
	total := 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		catalogue, err := analyzer.Load(fstest.MapFS{filepath.Base(file): {Data: data}})
		if err != nil {
			t.Fatal(err)
		}
		total += catalogue.Count()
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		about, _, _ := strings.Cut(string(data), "\n")
		about = strings.TrimSpace(strings.TrimPrefix(about, "#"))
		fmt.Fprintf(&contents, "- [%s](#%s) (%d): %s\n", name, name, catalogue.Count(), plain(about))
		fmt.Fprintf(&body, "\n## %s\n\n%s\n", name, plain(about))
		for _, s := range catalogue.Signatures {
			writeSignature(&body, s, shown[s.ID])
		}
	}
	var b strings.Builder
	b.WriteString("# Signatures\n\n" + notice)
	fmt.Fprintf(&b, `What one line of evidence means: %d patterns, by the component that writes them.
A signature concludes nothing. Whether a line counts depends on whose it is, when it was written and
what came after it; causes.md says what is concluded from several.

A *failure* speaks for an unfinished stage, a *success* for a finished one, *context* explains other
lines, and *noise* looks like evidence and is none. *Decisive* lines prove their point alone where
they are the subject's own and stand; *supporting* ones need company; *weak* ones are hints.

`, total)
	contents.WriteString("- [observations](#observations): the same for state\n")
	b.WriteString(contents.String() + body.String())
	b.WriteString("\n## Observations\n\nWhat a piece of state means: a field of an object, a row of crictl, the silence of a log.\n\n")
	b.WriteString("| observation | meaning | says | stage |\n|---|---|---|---|\n")
	for _, o := range analyzer.Observations {
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s |\n", o.ID, plain(o.Meaning), o.Strength, o.Polarity, strings.Join(o.Stage, ", "))
	}
	fresh(t, "signatures.md", squeezed(b.String()))
}

func writeSignature(b *strings.Builder, s *analyzer.Signature, fixtures []string) {
	whose := strings.Join(s.Component, ", ")
	if whose == "" {
		whose = "anybody"
	}
	fmt.Fprintf(b, "\n### %s\n\n%s\n\n", s.ID, plain(s.Meaning))
	fmt.Fprintf(b, "%s %s", upper(string(s.Strength)), s.Polarity)
	if len(s.Stage) > 0 {
		b.WriteString(" of " + strings.Join(s.Stage, ", "))
	}
	b.WriteString(", written by " + whose)
	if len(s.Suggests) > 0 {
		b.WriteString("; suggests " + links(s.Suggests, causeLink))
	}
	b.WriteString(".\n")
	if s.Trap != "" {
		fmt.Fprintf(b, "\n*Trap:* %s\n", plain(s.Trap))
	}
	if s.Remedy != "" {
		fmt.Fprintf(b, "\n*What to do:* %s\n", plain(s.Remedy))
	}
	known := "read from source code or a report"
	if s.Proven {
		known = "seen in a real capture"
	}
	if s.Source != "" {
		known += " (" + plain(s.Source) + ")"
	}
	fmt.Fprintf(b, "\n*Known from:* %s", known)
	if len(fixtures) > 0 {
		b.WriteString("; cited in " + links(fixtures, fixtureLink))
	}
	const longest = 240
	sample, _, _ := strings.Cut(s.Yes[0], "\n")
	if r := []rune(sample); len(r) > longest {
		sample = string(r[:longest]) + "…"
	}
	fmt.Fprintf(b, "\n\n```text\n%s\n```\n", strings.ReplaceAll(sample, "```", "'''"))
}

func TestFormatDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Formats and layouts\n\n" + notice)
	b.WriteString(`A file is recognised by its content, by its path only where the content does not tell. What nobody
recognises is listed by ` + "`podautopsy inventory`" + `. Folders, tar, zip, gzip, xz, zstd, bzip2 and lz4
are opened, one inside another, too.

## Formats

| format | what it is |
|---|---|
`)
	for _, p := range parsers.All() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", p.Name, plain(p.Doc))
	}
	b.WriteString("\n## Layouts\n\nA layout tells which machine a file is of and which command wrote it. Where there was no bundle that the\nreal collector made, a layout rests on the collector's source code and is marked *unverified*.\n\n| layout | what it is | verified with |\n|---|---|---|\n")
	for _, l := range parsers.Layouts() {
		verified := "*unverified*"
		if l.Specimen != "" {
			verified = plain(l.Specimen)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", l.Name, plain(l.Doc), verified)
	}
	b.WriteString("| `mixed` | several of these | |\n")
	fresh(t, "formats.md", b.String())
}

// storedReport is what is looked up in a fixture's report.
type storedReport struct {
	Subjects []struct {
		Cause        string
		AlsoBlocking []string
		Consequences []string
	}
	Evidence []struct{ Signature string }
}

func eachReport(t *testing.T, f func(fixture string, r *storedReport)) {
	t.Helper()
	paths, err := filepath.Glob("../fixtures/*/want/report.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixtures: %v", err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		r := &storedReport{}
		if err := json.Unmarshal(data, r); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		f(filepath.Base(filepath.Dir(filepath.Dir(path))), r)
	}
}

// fixtureCauses says in which fixtures' reports a cause is named.
func fixtureCauses(t *testing.T) map[string][]string {
	t.Helper()
	shown := map[string][]string{}
	eachReport(t, func(fixture string, r *storedReport) {
		named := map[string]bool{}
		for _, s := range r.Subjects {
			for _, c := range slices.Concat([]string{s.Cause}, s.AlsoBlocking, s.Consequences) {
				named[c] = true
			}
		}
		for c := range maps.Keys(named) {
			shown[c] = append(shown[c], fixture)
		}
	})
	return shown
}

// fixtureSignatures says in which fixtures' reports a signature is cited.
func fixtureSignatures(t *testing.T) map[string][]string {
	t.Helper()
	shown := map[string][]string{}
	eachReport(t, func(fixture string, r *storedReport) {
		named := map[string]bool{}
		for _, e := range r.Evidence {
			named[e.Signature] = true
		}
		for s := range maps.Keys(named) {
			shown[s] = append(shown[s], fixture)
		}
	})
	return shown
}

func fixtureLink(name string) string {
	return fmt.Sprintf("[%s](../fixtures/%s/README.md)", name, name)
}

func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// squeezed leaves one empty line where there are several.
func squeezed(s string) string {
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return strings.TrimRight(s, "\n") + "\n"
}
