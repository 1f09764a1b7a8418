package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// view is a document and the questions that every rendering asks of it.
type view struct {
	doc      *analyzer.Document
	opt      Options
	evidence map[string]*analyzer.Evidence
	subjects map[string]*analyzer.Subject
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
	}
	return v
}

var outcomeRank = map[string]int{
	analyzer.Stuck:        0,
	analyzer.Residue:      1,
	analyzer.Inconclusive: 2,
	analyzer.InProgress:   3,
	analyzer.NotDeleting:  4,
	analyzer.Clean:        5,
}

var confidenceRank = map[string]int{analyzer.High: 0, analyzer.Medium: 1, analyzer.Low: 2}

// ranked is the subjects with the most severe first. A pod goes before what
// waits for it, a surer verdict before a guess.
func (v *view) ranked() []*analyzer.Subject {
	out := make([]*analyzer.Subject, len(v.doc.Subjects))
	for i := range v.doc.Subjects {
		out[i] = &v.doc.Subjects[i]
	}
	notPod := func(s *analyzer.Subject) int {
		if s.Kind == "Pod" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b *analyzer.Subject) int {
		return cmp.Or(
			cmp.Compare(rank(outcomeRank, a.Outcome), rank(outcomeRank, b.Outcome)),
			cmp.Compare(notPod(a), notPod(b)),
			cmp.Compare(rank(confidenceRank, a.Confidence), rank(confidenceRank, b.Confidence)),
			cmp.Compare(overdue(b), overdue(a)),
		)
	})
	return out
}

func rank(ranks map[string]int, id string) int {
	if n, ok := ranks[id]; ok {
		return n
	}
	return len(ranks)
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
	for i := range s.Causes {
		if s.Causes[i].ID == id && s.Causes[i].Because != "" {
			return s.Causes[i].Because
		}
	}
	return ""
}

// shownEvidence picks at most limit pieces of a subject's evidence, those of
// the root cause first, and puts them in order of time; more is how many are
// left out. A limit of 0 is none.
func (v *view) shownEvidence(s *analyzer.Subject, limit int) (shown []*analyzer.Evidence, more int) {
	seen := map[string]bool{}
	add := func(ids []string) {
		for _, id := range ids {
			e := v.evidence[id]
			if e == nil || seen[id] || !v.opt.shows(e.Time) {
				continue
			}
			seen[id] = true
			if limit > 0 && len(shown) >= limit {
				more++
				continue
			}
			shown = append(shown, e)
		}
	}
	for _, role := range []string{analyzer.RoleRoot, analyzer.RoleBlocking} {
		for _, c := range causesOf(s, role) {
			add(c.For)
			add(c.Against)
		}
	}
	add(s.Evidence)
	slices.SortStableFunc(shown, func(a, b *analyzer.Evidence) int { return compareTimes(a.Time, b.Time) })
	return shown, more
}

// compareTimes puts what has no time last.
func compareTimes(a, b *time.Time) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(*b)
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

// tag says what a step of the way out touches.
func tag(changes string) string {
	switch changes {
	case "nothing":
		return "[read]"
	case "cluster":
		return "[changes cluster]"
	case "node":
		return "[changes node]"
	}
	return "[" + printable(changes) + "]"
}

// forceAnswer is the answer to "may I force-delete it now?".
func forceAnswer(s *analyzer.Subject) string {
	switch {
	case s.ForceDelete.Safe == nil:
		return "unknown"
	case *s.ForceDelete.Safe:
		return "yes"
	}
	return "no"
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
