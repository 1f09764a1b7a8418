package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// DifferenceSchema is the version of the document that compares two captures.
const DifferenceSchema = "podautopsy.diff/v1"

// What became of a subject from one capture to the next.
const (
	Released = "released" // it was open, and is gone or clean
	Remains  = "remains"  // it was open, and is
	Appeared = "new"      // it is open, and was not there before
	Lost     = "unknown"  // it was open, and the later capture does not tell
)

// Whether what was done between two captures worked.
const (
	Worked       = "yes"
	WorkedPartly = "partly"
	WorkedNot    = "no"
	WorkedUntold = "unknown"
)

// Difference compares two captures: what was released, what remains, what is
// new.
type Difference struct {
	Schema string `json:"schema"`
	Old    Side   `json:"old"`
	New    Side   `json:"new"`
	// ElapsedSeconds lie between the captures; null where one time is unknown.
	ElapsedSeconds *int64 `json:"elapsedSeconds"`
	// Worked says whether what was open in the old capture is released.
	Worked   string              `json:"worked"`
	Headline string              `json:"headline"`
	Subjects []SubjectDifference `json:"subjects"`
}

// Side is one of the captures.
type Side struct {
	ReportID   string     `json:"reportID"`
	Paths      []string   `json:"paths"`
	CapturedAt *time.Time `json:"capturedAt"`
}

// SubjectDifference is what became of one subject.
type SubjectDifference struct {
	Change    string        `json:"change"`
	Kind      string        `json:"kind"`
	Namespace *string       `json:"namespace"`
	Name      *string       `json:"name"`
	UID       *string       `json:"uid"`
	Nodes     []string      `json:"nodes"`
	Old       *SubjectState `json:"old"`
	New       *SubjectState `json:"new"`
	// Released, Remaining and Arisen are checks of what it left behind, and
	// stages of its deletion.
	Released  []string `json:"released"`
	Remaining []string `json:"remaining"`
	Arisen    []string `json:"arisen"`
	Because   string   `json:"because"`
	// Timeline is what happened to it between the captures.
	Timeline []Moment `json:"timeline"`
	// Evidence bears the new verdict, and the timeline.
	Evidence []Evidence `json:"evidence"`
	Missing  []Missing  `json:"missing"`
}

// SubjectState is a subject's verdict in one capture.
type SubjectState struct {
	ID             string  `json:"id"`
	Outcome        string  `json:"outcome"`
	Cause          *string `json:"cause"`
	Confidence     string  `json:"confidence"`
	SinceT0Seconds *int64  `json:"sinceT0Seconds"`
}

// Follow are the subjects of a report that a later capture should tell of.
func (d *Document) Follow() []Followed {
	list := []Followed{}
	for i := range d.Subjects {
		s := &d.Subjects[i]
		if !open(s) {
			continue
		}
		f := Followed{Kind: s.Kind, Namespace: deref(s.Namespace), Name: deref(s.Name), UID: deref(s.UID)}
		if len(s.Nodes) > 0 {
			f.Node = s.Nodes[0]
		}
		if d.Bundle.CapturedAt != nil {
			f.Seen = *d.Bundle.CapturedAt
		}
		list = append(list, f)
	}
	return list
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// open says whether a subject wants to be watched.
func open(s *Subject) bool { return s.Outcome != Clean && s.Outcome != NotDeleting }

// CompareCaptures says what became of the subjects of the old report in the new
// one, which should have followed them.
func CompareCaptures(before, after *Document) *Difference {
	d := &Difference{Schema: DifferenceSchema, Old: side(before), New: side(after), Subjects: []SubjectDifference{}}
	if d.Old.CapturedAt != nil && d.New.CapturedAt != nil {
		seconds := int64(d.New.CapturedAt.Sub(*d.Old.CapturedAt).Seconds())
		d.ElapsedSeconds = &seconds
	}
	matched := map[string]bool{}
	for i := range before.Subjects {
		was := &before.Subjects[i]
		is := after.same(was)
		if is != nil {
			matched[is.ID] = true
		}
		if open(was) {
			d.Subjects = append(d.Subjects, became(before, after, was, is))
		} else if is != nil && open(is) {
			matched[is.ID] = false // it has gone wrong since
		}
	}
	for i := range after.Subjects {
		if s := &after.Subjects[i]; !matched[s.ID] && open(s) {
			d.Subjects = append(d.Subjects, appeared(before, after, s))
		}
	}
	order := []string{Remains, Lost, Appeared, Released}
	slices.SortStableFunc(d.Subjects, func(a, b SubjectDifference) int {
		return cmp.Compare(slices.Index(order, a.Change), slices.Index(order, b.Change))
	})
	d.judge()
	return d
}

func side(doc *Document) Side {
	paths := doc.Bundle.Paths
	if paths == nil {
		paths = []string{}
	}
	return Side{ReportID: doc.ReportID, Paths: paths, CapturedAt: doc.Bundle.CapturedAt}
}

// same finds a subject of another report: by its UID, else by its name where one
// side has no UID.
func (d *Document) same(s *Subject) *Subject {
	f := Followed{Kind: s.Kind, Namespace: deref(s.Namespace), Name: deref(s.Name), UID: deref(s.UID)}
	for i := range d.Subjects {
		o := &d.Subjects[i]
		if f.is(o.Kind, deref(o.Namespace), deref(o.Name), deref(o.UID)) {
			return o
		}
	}
	return nil
}

func stateOf(doc *Document, s *Subject) *SubjectState {
	if s == nil {
		return nil
	}
	state := &SubjectState{ID: s.ID, Outcome: s.Outcome, Cause: s.Cause, Confidence: s.Confidence}
	if since, ok := doc.SinceT0(s); ok {
		seconds := int64(since.Seconds())
		state.SinceT0Seconds = &seconds
	}
	return state
}

func differenceOf(s *Subject) SubjectDifference {
	return SubjectDifference{
		Kind: s.Kind, Namespace: s.Namespace, Name: s.Name, UID: s.UID, Nodes: s.Nodes,
		Released: []string{}, Remaining: []string{}, Arisen: []string{}, Timeline: []Moment{}, Evidence: []Evidence{}, Missing: []Missing{},
	}
}

// became tells what became of a subject that was open.
func became(before, after *Document, was, is *Subject) SubjectDifference {
	out := differenceOf(was)
	out.Old, out.New = stateOf(before, was), stateOf(after, is)
	switch {
	case is == nil:
		out.Change, out.Because = Lost, "the new capture says nothing of it: neither that it is there nor, by a complete list, that it is gone"
		return out
	case is.Outcome == Clean:
		out.Change = Released
	case is.Outcome == NotDeleting, is.Outcome == Inconclusive && (is.InAPI == nil || !*is.InAPI):
		out.Change = Lost
	default:
		out.Change = Remains
	}
	out.Because = is.Summary
	if is.Outcome == NotDeleting && is.InAPI == nil {
		out.Because = "the new capture has no dump of the API that would show it, and cannot tell what became of it"
	}
	out.Timeline = after.since(before, is)
	out.Evidence = after.cited(is.Evidence, mostCited)
	for _, m := range out.Timeline {
		if m.Evidence != nil && !slices.ContainsFunc(out.Evidence, func(e Evidence) bool { return e.ID == *m.Evidence }) {
			out.Evidence = append(out.Evidence, after.cited([]string{*m.Evidence}, 1)...)
		}
	}
	out.Missing = is.Missing
	if out.Missing == nil {
		out.Missing = []Missing{}
	}
	out.compareParts(was, is)
	if untold := untoldOf(was, is); out.Change == Released && len(untold) > 0 {
		out.Change = Lost
		out.Because = "the new capture shows nothing left, but does not tell what became of what the old one shows: " + strings.Join(untold, ", ")
	}
	return out
}

// untoldOf are the checks of what was left behind that the new capture cannot
// tick off.
func untoldOf(was, is *Subject) []string {
	clear := map[string]bool{}
	for _, r := range is.Residue {
		clear[r.Check] = r.State == "clear"
	}
	var untold []string
	for _, r := range was.Residue {
		if r.State == "left" && !clear[r.Check] {
			untold = append(untold, r.Check)
		}
	}
	return untold
}

// mostCited is how much evidence a difference quotes of one subject.
const mostCited = 6

// compareParts goes through what was left behind and through the stages.
func (out *SubjectDifference) compareParts(was, is *Subject) {
	had := map[string]string{}
	for _, r := range was.Residue {
		had[r.Check] = r.State
	}
	for _, r := range is.Residue {
		switch {
		case r.State == "left" && had[r.Check] == "left":
			out.Remaining = append(out.Remaining, r.Check)
		case r.State == "left":
			out.Arisen = append(out.Arisen, r.Check)
		case r.State == "clear" && had[r.Check] == "left":
			out.Released = append(out.Released, r.Check)
		}
	}
	stood := map[string]string{}
	for _, st := range was.Stages {
		if st.Container == nil && st.Volume == nil {
			stood[st.ID] = st.State
		}
	}
	for _, st := range is.Stages {
		if st.Container != nil || st.Volume != nil {
			continue
		}
		halted := stood[st.ID] == stateFailed || stood[st.ID] == stateRunning
		switch {
		case st.State == stateDone && halted:
			out.Released = append(out.Released, st.ID)
		case (st.State == stateFailed || st.State == stateRunning) && halted:
			out.Remaining = append(out.Remaining, st.ID)
		}
	}
}

// appeared tells of a subject that the old report does not have.
func appeared(before, after *Document, s *Subject) SubjectDifference {
	out := differenceOf(s)
	out.Change, out.New, out.Because = Appeared, stateOf(after, s), s.Summary
	if s.Anchor != nil && before.Bundle.CapturedAt != nil && !s.Anchor.Time.After(*before.Bundle.CapturedAt) {
		out.Because += " Its T0 is before the old capture, which does not show it."
	}
	out.Evidence = after.cited(s.Evidence, mostCited)
	if s.Missing != nil {
		out.Missing = s.Missing
	}
	return out
}

// mostSince is how much of the time between the captures is told.
const mostSince = 8

// since is what happened to a subject after an earlier capture, the last of it
// where that is much.
func (d *Document) since(before *Document, s *Subject) []Moment {
	list := []Moment{}
	if before.Bundle.CapturedAt == nil {
		return list
	}
	for _, m := range d.Timeline {
		if m.Time != nil && m.Time.After(*before.Bundle.CapturedAt) && slices.ContainsFunc(m.Subjects, func(sm SubjectMoment) bool { return sm.ID == s.ID }) {
			list = append(list, m)
		}
	}
	return list[max(0, len(list)-mostSince):]
}

// cited are the first few pieces of evidence with these ids.
func (d *Document) cited(ids []string, most int) []Evidence {
	list := []Evidence{}
	for _, id := range ids {
		if i := slices.IndexFunc(d.Evidence, func(e Evidence) bool { return e.ID == id }); i >= 0 && len(list) < most {
			list = append(list, d.Evidence[i])
		}
	}
	return list
}

// judge says whether it worked.
func (d *Difference) judge() {
	count := map[string]int{}
	for i := range d.Subjects {
		count[d.Subjects[i].Change]++
	}
	was := count[Released] + count[Remains] + count[Lost]
	switch {
	case was == 0 || count[Released]+count[Remains] == 0:
		d.Worked = WorkedUntold
	case count[Released] == was:
		d.Worked = Worked
	case count[Released] > 0:
		d.Worked = WorkedPartly
	default:
		d.Worked = WorkedNot
	}
	switch {
	case was == 0:
		d.Headline = "Nothing was open in the old capture."
	case d.Worked == Worked:
		d.Headline = "It worked: all that was in deletion or left behind (" + number(was, "object") + ") is released."
	case d.Worked == WorkedPartly:
		d.Headline = "It worked in part: of " + number(was, "object") + " " + number(count[Released], "object") + " released, " + tally(count) + "."
	case d.Worked == WorkedNot:
		d.Headline = "It did not work: of " + number(was, "object") + " none is released, " + tally(count) + "."
	default:
		d.Headline = "Whether it worked cannot be told: the new capture does not show what became of " + number(was, "object") + "."
	}
	if n := count[Appeared]; n > 0 {
		d.Headline += " New since: " + number(n, "object") + "."
	}
	if d.ElapsedSeconds != nil && *d.ElapsedSeconds < 0 {
		d.Headline = "The new capture is older than the old one: are they in the right order? " + d.Headline
	}
}

func tally(count map[string]int) string {
	s := number(count[Remains], "object") + " as before"
	if n := count[Lost]; n > 0 {
		s += ", " + number(n, "object") + " unknown"
	}
	return s
}
