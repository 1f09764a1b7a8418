package report_test

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// room is what each target takes, less head room.
var room = map[string]int{
	"github": 60_000, "gitlab": 60_000, "jira": 30_000, "servicenow": 3_800, "slack": 2_800, "pagerduty": 2_000, "plain": 60_000,
}

func ticket(t *testing.T, doc *analyzer.Document, profile string) string {
	t.Helper()
	return string(render(t, func(b *bytes.Buffer) error { return report.Markdown(b, doc, report.Options{Profile: profile}) }))
}

// grown is a report with ten thousand of everything.
func grown(doc *analyzer.Document) *analyzer.Document {
	const n = 10_000
	s := &doc.Subjects[0]
	for i := range n {
		e := doc.Evidence[i%len(doc.Evidence)]
		e.ID = fmt.Sprintf("x%d", i)
		e.Text = strings.Repeat("the volume is still in use ", 20)
		doc.Evidence = append(doc.Evidence, e)
		s.Evidence = append(s.Evidence, e.ID)
		c := s.Causes[0]
		c.Role, c.Because, c.Against = []string{analyzer.RoleRuledOut, analyzer.RoleBlocking}[i%2], "because of "+e.Text, []string{e.ID}
		s.Causes = append(s.Causes, c)
		at := s.Anchor.Time.Add(time.Duration(i) * time.Millisecond)
		doc.Timeline = append(doc.Timeline, analyzer.Moment{
			Time: &at, Component: "kubelet", What: e.Text, Evidence: &e.ID,
			Subjects: []analyzer.SubjectMoment{{ID: s.ID, SinceT0Seconds: float64(i) / 1000}},
		})
		s.Missing = append(s.Missing, analyzer.Missing{What: fmt.Sprintf("log %d", i), Command: "journalctl", Would: "tell"})
		s.Prevention = append(s.Prevention, analyzer.Prevention{Advice: e.Text})
		s.Residue = append(s.Residue, analyzer.ResidueCheck{Check: "mounts", State: "left", Detail: e.Text, Evidence: []string{e.ID}})
		s.AlsoBlocking = append(s.AlsoBlocking, "mount-busy")
		s.Consequences = append(s.Consequences, "duplicate-identity")
		s.Remediation = append(s.Remediation, s.Remediation[i%2])
	}
	for i := range n {
		other := analyzer.Subject{Kind: "Pod", Name: s.Name, Outcome: s.Outcome, Cause: s.Cause, Confidence: s.Confidence}
		other.ID, other.Nodes = fmt.Sprintf("s%d", i+2), []string{fmt.Sprintf("worker-%d", i)}
		doc.Subjects = append(doc.Subjects, other)
	}
	return doc
}

func TestTicketsFit(t *testing.T) {
	docs := reports(t)
	docs["hostile"] = poisoned(5000)
	for _, name := range []string{"runtime-hung", "mount-busy", "finalizer-no-controller"} {
		docs["grown "+name] = grown(documentOf(t, name))
	}
	for name, doc := range docs {
		for _, p := range report.Profiles {
			if out := ticket(t, doc, p.Name); len(out) > room[p.Name] {
				t.Errorf("%s, %s: %d bytes, there is room for %d", name, p.Name, len(out), room[p.Name])
			}
		}
	}
}

func documentOf(t *testing.T, fixture string) *analyzer.Document {
	t.Helper()
	return document(t, "../../fixtures/"+fixture+"/want/report.json")
}

// bare takes a target's markup out of a ticket, so that words can be looked for.
func bare(s string) string {
	for entity, sign := range map[string]string{"&amp;": "&", "&lt;": "<", "&gt;": ">", "&#58;": ":", "&#92;": `\`} {
		s = strings.ReplaceAll(s, entity, sign)
	}
	return regexp.MustCompile("[`\\\\*{}]|\\[/?code\\]|</?b>").ReplaceAllString(strings.Join(strings.Fields(s), " "), "")
}

// However much is cut, a ticket says what is stuck, where, whether to force,
// what to do next, what to doubt, and which report it is from.
func TestTicketsKeepWhatMatters(t *testing.T) {
	docs := reports(t)
	delete(docs, "hostile")
	docs["grown"] = grown(documentOf(t, "runtime-hung"))
	for name, doc := range docs {
		for _, p := range report.Profiles {
			out := bare(ticket(t, doc, p.Name))
			want := []string{doc.ReportID, doc.Tool.Name + " " + doc.Tool.Version}
			if len(doc.Subjects) > 0 {
				s := &doc.Subjects[0]
				want = append(want, s.Outcome, *s.Name)
				if s.Cause != nil {
					want = append(want, *s.Cause)
				}
				for _, c := range s.Causes {
					states := slices.ContainsFunc(s.Stages, func(st analyzer.StageVerdict) bool {
						return st.ID == c.Stage && (st.State == "failed" || st.State == "running")
					})
					if c.Role == analyzer.RoleRoot && states {
						want = append(want, "Blocked at", c.Stage)
					}
				}
				if s.ForceDelete.Because != "" {
					want = append(want, "Force delete now")
				}
				for i, r := range s.Remediation {
					if i < 2 {
						want = append(want, fmt.Sprintf("%d. ", i+1), bare(r.Step[:min(len(r.Step), 20)]))
					}
				}
			}
			for _, w := range want {
				if !strings.Contains(out, bare(w)) {
					t.Errorf("%s, %s: no %q in:\n%s", name, p.Name, w, out)
				}
			}
		}
	}
}

// attack is a log line that tries everything at once.
const attack = "@here <!channel> <@U0123> @[6816f79c:Bob] [~admin] JIRA-123 GH-7 #1 !2 %3 &4 $5 {noformat} {code} ``` ` [/code] [code]<script>x</script> " +
	"https://evil.example www.evil.example evil.example *b* _i_ ~s~ || | bq. :tada: :) \u202e\u200b\x1b[31m\x00 [x](y) ![i](u) <b> -- # \n/close\n@channel"

// attacked is a document in which every text is an attack.
func attacked(t *testing.T) *analyzer.Document {
	doc := documentOf(t, "runtime-hung")
	keep := map[string]bool{"ID": true, "Role": true, "State": true, "Outcome": true, "Kind": true, "Changes": true, "Command": true, "Format": true, "Known": true, "Year": true}
	var poison func(v reflect.Value, field string)
	poison = func(v reflect.Value, field string) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				poison(v.Elem(), field)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type() != reflect.TypeFor[time.Time]() {
					poison(v.Field(i), v.Type().Field(i).Name)
				}
			}
		case reflect.Slice:
			for i := range v.Len() {
				poison(v.Index(i), field)
			}
		case reflect.String:
			if !keep[field] {
				v.SetString(attack)
			}
		}
	}
	evidence := doc.Subjects[0].Evidence
	ids := slices.Clone(evidence)
	poison(reflect.ValueOf(doc).Elem(), "")
	copy(evidence, ids)
	for i := range doc.Subjects[0].Remediation {
		doc.Subjects[0].Remediation[i].Command = attack
	}
	return doc
}

func TestTicketsObeyNoLogLine(t *testing.T) {
	doc := attacked(t)
	fence := regexp.MustCompile("(?ms)^ *(`{3,})text\n.*?^ *(`{3,})$")
	block := regexp.MustCompile(`(?s)\{noformat\}\n.*?\n\{noformat\}`)
	for _, p := range report.Profiles {
		out := ticket(t, doc, p.Name)
		for _, r := range out {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Errorf("%s: %U", p.Name, r)
			}
		}
		none := func(s string, patterns ...string) {
			for _, pattern := range patterns {
				if at := regexp.MustCompile(pattern).FindStringIndex(s); at != nil {
					t.Errorf("%s: %s: …%s…", p.Name, pattern, s[max(0, at[0]-60):min(len(s), at[1]+60)])
				}
			}
		}
		none(out, `(?m)^/`)
		switch p.Name {
		case "github", "gitlab":
			s := fence.ReplaceAllString(out, "")
			var prose []string
			for line := range strings.Lines(s) {
				prose = append(prose, outsideSpans(line))
			}
			s = strings.Join(prose, "")
			s = regexp.MustCompile(`(?m)^#{3,4} |</?details>|</?summary>`).ReplaceAllString(s, "")
			none(s, "@", `#[0-9]`, `![0-9]`, `%[0-9]`, `\$[0-9]`, `[A-Z]{2,}-[0-9]`, "://", "www", "<", ":tada:", "`")
		case "jira":
			if n := strings.Count(out, "{noformat}"); n%2 != 0 {
				t.Errorf("%d tags", n)
			}
			s := block.ReplaceAllString(out, "")
			none(s, `[^\\]\{noformat`, `[^\\]\{code`, `[^\\]\[~`, `(^|[^\\])@`, `JIRA-`, "GH-", "://", `[^\\]!`, `[^\\]\[`, `:\)`)
		case "slack":
			none(out, "[<>]")
			if n := strings.Count(out, "```"); n%2 != 0 {
				t.Errorf("%d fences", n)
			}
			s := regexp.MustCompile("(?s)```.*?```").ReplaceAllString(out, "")
			s = regexp.MustCompile("`[^`\n]*`").ReplaceAllString(s, "")
			none(s, "@", "#[0-9]", "evil", "`", ":tada:")
		case "servicenow":
			s := regexp.MustCompile(`\[code\]<b>[A-Za-z0-9 ,:()-]*</b>\[/code\]`).ReplaceAllString(out, "")
			none(s, `(?i)\[/?code`, `@\[`)
		}
	}
}

// outsideSpans removes code spans from a line, as CommonMark reads them.
func outsideSpans(s string) string {
	var out strings.Builder
	for {
		i := strings.IndexByte(s, '`')
		if i < 0 {
			return out.String() + s
		}
		out.WriteString(s[:i])
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		fence := s[i : i+n]
		rest := s[i+n:]
		for from := 0; ; {
			j := strings.Index(rest[from:], fence)
			if j < 0 {
				return out.String() + fence + rest
			}
			j += from
			k := j
			for k < len(rest) && rest[k] == '`' {
				k++
			}
			if k-j == n {
				s = rest[k:]
				break
			}
			from = k
		}
	}
}

// A command is shown as it is or not at all.
func TestTicketsCutNoCommand(t *testing.T) {
	doc := documentOf(t, "runtime-hung")
	long := "kubectl get pods " + strings.Repeat("--field-selector=metadata.name=x ", 400)
	doc.Subjects[0].Remediation[0].Command = long
	for _, p := range report.Profiles {
		out := ticket(t, doc, p.Name)
		if strings.Contains(out, "--field-selector") && !strings.Contains(out, strings.TrimSpace(long)) {
			t.Errorf("%s: a part of a command:\n%s", p.Name, out)
		}
	}
}
