package analyzer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"podautopsy/timeline"
)

// How much stands around a cited line in a report.
const (
	linesAround    = 3    // before it, and behind
	widestLine     = 400  // bytes of each
	withLines      = 12   // pieces of evidence of one subject, as many as reports quote
	mostSurrounded = 300  // of all subjects
	eventsAround   = 1000 // that are looked through for the lines of one file
)

// surround adds the lines around what the verdicts rest on.
func (s *scene) surround(doc *Document) {
	places := make(map[string]ref, len(s.book.cited))
	for _, r := range s.book.cited {
		places[s.book.ids[r]] = r
	}
	facts := s.factsOf(doc, places)
	done := map[ref]bool{}
	for i := range doc.Subjects {
		for _, id := range restsOn(&doc.Subjects[i]) {
			r, ok := places[id]
			if !ok || done[r] {
				continue
			}
			if len(done) == mostSurrounded {
				return
			}
			done[r] = true
			e := &s.book.entries[r]
			if e.Line == nil && e.Cursor == nil {
				continue
			}
			var near []record
			switch of := s.book.from[r].(type) {
			case *timeline.Object:
				near = fieldLines(of, e)
			case int:
				near = s.recordsAround(of)
			case *timeline.Fact:
				near = facts[e.File]
			}
			e.Before, e.After = around(e, near)
		}
	}
}

// restsOn is what a report quotes of a subject: its evidence, and what speaks
// for the causes that hold it.
func restsOn(sub *Subject) []string {
	ids := slices.Clone(sub.Evidence)
	for _, c := range sub.Causes {
		if c.Role == RoleRoot || c.Role == RoleBlocking {
			ids = append(ids, c.For...)
		}
	}
	return ids[:min(len(ids), withLines)]
}

// record is something that a reader took from a file.
type record struct {
	line, last int // 0 in journals without lines
	offset     int64
	text       string
}

func recordOf(src timeline.Source, text string) record {
	return record{src.Line, max(src.Line, src.LastLine), src.Offset, text}
}

// around picks the records right before and behind a cited place. Where lines
// lie between that no reader kept, nothing is said to be its neighbour.
func around(e *Evidence, records []record) (before, after []Line) {
	slices.SortStableFunc(records, func(a, b record) int {
		if a.line != b.line {
			return a.line - b.line
		}
		return int(max(-1, min(a.offset-b.offset, 1)))
	})
	first, last, offset := 0, 0, int64(0)
	if e.Line != nil {
		first, last = *e.Line, max(*e.Line, *e.LastLine)
	}
	if e.Offset != nil {
		offset = *e.Offset
	}
	const near = 2 // lines, such as those that are empty between two records
	edge := first
	for _, r := range slices.Backward(records) {
		ahead := r.last < edge
		if first == 0 {
			ahead = r.offset < offset
		}
		if !ahead {
			continue
		}
		if len(before) == linesAround || edge-r.last > near {
			break
		}
		before = append(before, Line{r.line, clipped(r.text)})
		edge = r.line
	}
	slices.Reverse(before)
	edge = last
	for _, r := range records {
		behind := r.line > edge
		if first == 0 {
			behind = r.offset > offset
		}
		if !behind {
			continue
		}
		if len(after) == linesAround || r.line-edge > near {
			break
		}
		after = append(after, Line{r.line, clipped(r.text)})
		edge = r.last
	}
	return before, after
}

func clipped(text string) string {
	text, _, _ = strings.Cut(text, "\n")
	text = strings.TrimRight(text, "\r")
	if len(text) <= widestLine {
		return text
	}
	at := widestLine
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}

// recordsAround are the entries of an event's file that lie near it in time:
// in a log those are its neighbours.
func (s *scene) recordsAround(event int) []record {
	events := s.tl.Events
	file := events[event].Source.File
	if events[event].Source.Line == 0 && s.skimmed(file) {
		return nil // nothing tells what lies between
	}
	var out []record
	for i := max(0, event-eventsAround); i < min(len(events), event+eventsAround); i++ {
		if e := &events[i]; e.Source.File == file && i != event {
			out = append(out, recordOf(e.Source, e.Text))
		}
	}
	return out
}

func (s *scene) skimmed(file string) bool {
	return slices.ContainsFunc(s.tl.Inputs, func(in timeline.Input) bool { return in.Skimmed && in.Path == file })
}

// fieldLines are the lines of an object around one of its fields.
func fieldLines(o *timeline.Object, e *Evidence) []record {
	if o.Lines == nil || e.Line == nil || !slices.Contains(plainKinds, o.Kind) {
		return nil
	}
	var out []record
	from := max(1, *e.Line-linesAround)
	for i, text := range o.Lines(from, max(*e.Line, *e.LastLine)+linesAround) {
		if key := plainField.FindStringSubmatch(text); key != nil && len(text) <= widestLine && key[1] != "value" {
			out = append(out, record{line: from + i, last: from + i, text: text})
		}
	}
	return out
}

// plainKinds are the objects whose fields are shown beside each other. What
// others hold, whatever they call themselves, may be secret.
var plainKinds = []string{
	"Pod", "Node", "Namespace", "Lease", "PersistentVolume", "PersistentVolumeClaim", "VolumeAttachment",
	"PodDisruptionBudget", "StatefulSet", "Deployment", "ReplicaSet", "DaemonSet", "Job",
}

// plainField is a line of an object that is a field. What stands in arguments,
// in texts of several lines, in annotations and in the environment's values may
// be secret.
var plainField = regexp.MustCompile(`^\s*(?:- )?"?([A-Za-z][A-Za-z0-9._-]*)"?:`)

// factsOf are the rows of the files that evidence of a state is from. Other
// processes' command lines are nobody's business.
func (s *scene) factsOf(doc *Document, places map[string]ref) map[string][]record {
	out := map[string][]record{}
	for i := range doc.Subjects {
		for _, id := range restsOn(&doc.Subjects[i]) {
			if r, ok := places[id]; ok {
				if _, state := s.book.from[r].(*timeline.Fact); state {
					out[s.book.entries[r].File] = nil
				}
			}
		}
	}
	if len(out) == 0 {
		return out
	}
	state := s.tl.NodeState
	state.Processes = nil
	for _, f := range state.Facts() {
		if rows, asked := out[f.Source.File]; asked {
			out[f.Source.File] = append(rows, recordOf(f.Source, f.Text))
		}
	}
	return out
}
