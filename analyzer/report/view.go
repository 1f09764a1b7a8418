package report

import (
	"fmt"
	"strings"

	"podautopsy/analyzer"
)

// view is a document and the questions that every rendering asks of it.
type view struct {
	doc      *analyzer.Document
	opt      Options
	evidence map[string]*analyzer.Evidence
	subjects map[string]*analyzer.Subject
	ranked   []*analyzer.Subject // in the document's order: the most severe first
}

func newView(doc *analyzer.Document, opt Options) *view {
	v := &view{
		doc:      doc,
		opt:      opt,
		evidence: make(map[string]*analyzer.Evidence, len(doc.Evidence)),
		subjects: make(map[string]*analyzer.Subject, len(doc.Subjects)),
	}
	for i := range doc.Evidence {
		v.evidence[doc.Evidence[i].ID] = &doc.Evidence[i]
	}
	for i := range doc.Subjects {
		v.subjects[doc.Subjects[i].ID] = &doc.Subjects[i]
		v.ranked = append(v.ranked, &doc.Subjects[i])
	}
	return v
}

func overdue(s *analyzer.Subject) int64 {
	if s.Deletion == nil || s.Deletion.OverdueSeconds == nil {
		return 0
	}
	return *s.Deletion.OverdueSeconds
}

// name is how a person would call the subject.
func name(s *analyzer.Subject) string {
	var n string
	switch {
	case s.Name != nil && *s.Name != "":
		n = *s.Name
	case s.UID != nil && *s.UID != "":
		n = "uid " + *s.UID
	default:
		n = s.ID
	}
	if s.Namespace != nil && *s.Namespace != "" {
		n = *s.Namespace + "/" + n
	}
	if s.Kind != "" && s.Kind != "Pod" {
		n = s.Kind + " " + n
	}
	return printable(n)
}

// causeTitle is the cause's id and what is special about it here.
func causeTitle(s *analyzer.Subject) string {
	if s.Cause == nil || *s.Cause == "" {
		return ""
	}
	t := *s.Cause
	if s.Subcause != nil && *s.Subcause != "" {
		t += " (" + *s.Subcause + ")"
	}
	return printable(t)
}

func causesOf(s *analyzer.Subject, role string) []*analyzer.CauseVerdict {
	var out []*analyzer.CauseVerdict
	for i := range s.Causes {
		if s.Causes[i].Role == role {
			out = append(out, &s.Causes[i])
		}
	}
	return out
}

// because is the reason for a subject's verdict in one sentence.
func because(s *analyzer.Subject) string {
	for _, c := range causesOf(s, analyzer.RoleRoot) {
		if c.Because != "" {
			return c.Because
		}
	}
	return s.Summary
}

// cause is the verdict on a cause that a subject lists by its id.
func cause(s *analyzer.Subject, id string) string {
	root := ""
	var others []string // beside the root there may be several, as each finalizer has an owner
	for i := range s.Causes {
		switch c := &s.Causes[i]; {
		case c.ID != id || c.Because == "":
		case c.Role == analyzer.RoleRoot:
			root = c.Because
		case len(others) == 0 || c.Role == analyzer.RoleBlocking:
			others = append(others, c.Because)
		}
	}
	if len(others) == 0 {
		return root
	}
	return strings.Join(others, "; ")
}

// moments is the timeline inside the window.
func (v *view) moments() []analyzer.Moment {
	var out []analyzer.Moment
	for _, m := range v.doc.Timeline {
		if v.opt.shows(m.Time) {
			out = append(out, m)
		}
	}
	return out
}

// quote is the evidence's text, printable and no longer than a reader needs:
// a dump on a single line may be megabytes.
func quote(text string) string {
	const enough = 4 << 10
	if len(text) > enough {
		text = strings.ToValidUTF8(text[:enough/2], "") + " … " + strings.ToValidUTF8(text[len(text)-enough/2:], "")
	}
	return printable(text)
}

// place is where a piece of evidence stands.
func place(e *analyzer.Evidence) string {
	p := e.File
	if e.Line != nil {
		p = fmt.Sprintf("%s:%d", p, *e.Line)
		if e.LastLine != nil && *e.LastLine > *e.Line {
			p = fmt.Sprintf("%s-%d", p, *e.LastLine)
		}
	}
	return printable(p)
}

// speaker is the node and the program that a line comes from.
func speaker(node *string, component string) string {
	if node == nil || *node == "" {
		return printable(component)
	}
	return printable(strings.TrimSpace(*node + " " + component))
}

// times counts repeated evidence.
func times(e *analyzer.Evidence) string {
	if e.Count < 2 {
		return ""
	}
	return fmt.Sprintf("%d×", e.Count)
}

// cited is evidence ids as they stand behind a sentence.
func cited(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	const enough = 6
	if len(ids) > enough {
		return fmt.Sprintf("[%s +%d]", printable(strings.Join(ids[:enough], " ")), len(ids)-enough)
	}
	return "[" + printable(strings.Join(ids, " ")) + "]"
}

// tag says what a step of the way out touches, and where it is to be run.
func tag(s *analyzer.Subject, r analyzer.Remedy) string {
	touches := "changes " + printable(r.Changes)
	if r.Changes == "nothing" {
		touches = "read"
	}
	onNode := r.Changes == "node"
	if r.Command != "" {
		onNode = !strings.HasPrefix(r.Command, "kubectl ")
	}
	if onNode && len(s.Nodes) == 1 {
		touches += ", on " + printable(s.Nodes[0])
	}
	return "[" + touches + "]"
}

// forceAnswer is the answer to "may I force-delete it now?", and its reason.
func forceAnswer(s *analyzer.Subject) (answer, because string) {
	const notNeeded = "not needed"
	because = s.ForceDelete.Because
	switch {
	case s.ForceDelete.Safe == nil && strings.HasPrefix(because, notNeeded+": "):
		return notNeeded, strings.TrimPrefix(because, notNeeded+": ")
	case s.ForceDelete.Safe == nil:
		return "unknown", because
	case *s.ForceDelete.Safe:
		return "yes", because
	}
	return "no", because
}

// missing is what the evidence lacks for a subject: its own needs, then those
// of its verdicts, each once.
func missingOf(s *analyzer.Subject) []analyzer.Missing {
	seen := map[analyzer.Missing]bool{}
	var out []analyzer.Missing
	add := func(list []analyzer.Missing) {
		for _, m := range list {
			if !seen[m] {
				seen[m] = true
				out = append(out, m)
			}
		}
	}
	add(s.Missing)
	for _, c := range s.Causes {
		if c.Role != analyzer.RoleRuledOut {
			add(c.Missing)
		}
	}
	return out
}

// plural is a count and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
