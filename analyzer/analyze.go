package analyzer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// Options are what the caller knows beside the timeline.
type Options struct {
	Paths   []string // as the user gave them, for the report
	Version string   // of the program
	Wanted  []Wanted
	// Follow are subjects of an earlier report.
	Follow []Followed
	// Catalogue of signatures to know lines by; nil means the built-in one.
	Catalogue *Catalogue
	// Scene is the timeline's by that catalogue, where one was made before.
	Scene *Scene
	// Anchor moves T0 of every subject: to its request, or to a time.
	AnchorAtRequest bool
	AnchorAt        time.Time
	// Whole asks for the whole timeline beside the report's.
	Whole bool
}

// Analyze holds an inquest on every subject of the timeline and writes the
// report. The same timeline and options give the same document.
func Analyze(tl *timeline.Timeline, opt Options) (*Document, error) {
	catalogue := opt.Catalogue
	if catalogue == nil {
		builtin, err := BuiltinSignatures()
		if err != nil {
			return nil, err
		}
		catalogue = builtin
	}
	causes, err := Causes()
	if err != nil {
		return nil, err
	}
	defects, err := Defects()
	if err != nil {
		return nil, err
	}
	s := opt.Scene.of(tl, catalogue)
	s.defects = defects
	var findings []*finding
	for _, q := range s.subjects(opt.Wanted, opt.Follow) {
		findings = append(findings, q.hold(causes))
	}
	s.await(findings)
	if tl.SeveralClusters {
		doubt(findings)
	}
	slices.SortStableFunc(findings, bySeverity)

	doc := &Document{
		Schema: Schema,
		Tool: Tool{
			Name: "podautopsy", Version: cmp.Or(opt.Version, "devel"),
			Signatures: Signatures{Count: catalogue.Count(), Digest: catalogue.Digest()},
		},
		Subjects: []Subject{}, Timeline: []Moment{},
	}
	for i, f := range findings {
		doc.Subjects = append(doc.Subjects, s.write(f, fmt.Sprintf("s%d", i+1), opt))
	}
	doc.Bundle = s.describeBundle(opt, findings)
	doc.Summary = s.summaryOf(doc)
	doc.Timeline = s.moments(doc, findings)
	s.surround(doc)
	doc.Evidence = s.book.list()
	doc.restore(tl.StandIns)
	doc.ReportID = reportID(doc)
	if opt.Whole {
		doc.Whole = s.wholeStory(doc, findings)
	}
	return doc, nil
}

// doubt keeps every verdict from being sure.
func doubt(findings []*finding) {
	for _, f := range findings {
		if f.confidence == High {
			f.confidence = Medium
		}
		for _, c := range f.candidates {
			if c.confidence == High {
				c.confidence = Medium
			}
		}
	}
}

// bySeverity puts what is stuck first, then what is left, the surest and the
// longest overdue before others.
func bySeverity(a, b *finding) int {
	order := []string{Stuck, Residue, Inconclusive, InProgress, NotDeleting, Clean}
	return cmp.Or(
		cmp.Compare(asked01(a), asked01(b)),
		cmp.Compare(slices.Index(order, a.outcome)+unclear(a), slices.Index(order, b.outcome)+unclear(b)),
		-cmp.Compare(confidenceRank(a.confidence), confidenceRank(b.confidence)),
		cmp.Compare(kind01(a), kind01(b)),
		-cmp.Compare(a.q.overdue(), b.q.overdue()),
		strings.Compare(a.q.title(), b.q.title()),
		strings.Compare(a.q.uid, b.q.uid),
	)
}

// unclear puts what is not understood of other objects behind every pod.
func unclear(f *finding) int {
	if f.outcome == Inconclusive && f.q.kind != "Pod" {
		return 2
	}
	return 0
}

func asked01(f *finding) int {
	if f.q.wanted {
		return 0
	}
	return 1
}

func kind01(f *finding) int {
	switch f.q.kind {
	case "Pod":
		return 0
	case "PersistentVolume", "VolumeAttachment": // they follow their claim
		return 2
	}
	return 1
}

// write turns a finding into the document's form.
func (s *scene) write(f *finding, id string, opt Options) Subject {
	q, b := f.q, s.book
	out := Subject{
		ID: id, Kind: q.kind, Namespace: word(q.ns), Name: word(q.name), UID: word(q.uid), Nodes: []string{},
		InAPI: q.inAPI, Outcome: f.outcome, Confidence: f.confidence, Summary: f.summary,
		Causes: []CauseVerdict{}, AlsoBlocking: []string{}, Consequences: []string{}, Stages: []StageVerdict{},
		Missing: []Missing{}, Remediation: []Remedy{}, Residue: []ResidueCheck{}, Prevention: []Prevention{},
	}
	if q.filtered {
		out.InAPI = nil // likely not; nobody can tell
	}
	if q.node != nil {
		out.Nodes = append(out.Nodes, q.node.name)
	}
	out.Owner = s.owner(q)
	if f.root != nil && f.outcome != Inconclusive {
		out.Cause = word(f.root.cause.ID)
		out.Subcause = word(f.root.subcause)
	}
	out.Anchor = q.anchor(opt)
	out.Deletion = q.deletion()

	var refs []ref
	if f.root != nil {
		refs = append(refs, refsOf(f.root.signals, 8)...)
		refs = append(refs, refsOf(f.root.helps, 4)...)
		refs = append(refs, f.root.versionRefs()...)
	}
	refs = append(refs, f.refs...)
	if q.object != nil {
		refs = append(refs, q.requestRefs...)
	} else if len(refs) == 0 {
		refs = append(refs, q.requestRefs...)
	}
	if len(refs) == 0 && len(f.residue) > 0 {
		for _, r := range f.residue {
			refs = append(refs, r.refs...)
		}
	}
	force, forceRefs := q.forceDelete(f)
	out.Evidence = b.cite(append(refs, forceRefs...))
	if cited := b.cite(forceRefs); len(cited) > 0 {
		force.Because += " (" + strings.Join(cited, ", ") + ")"
	}
	out.ForceDelete = force
	for _, c := range byRole(f.candidates) {
		out.Causes = append(out.Causes, s.writeCause(q, c))
		switch c.role {
		case RoleBlocking:
			out.AlsoBlocking = appendOnce(out.AlsoBlocking, c.cause.ID)
		case RoleConsequence:
			out.Consequences = appendOnce(out.Consequences, c.cause.ID)
		}
	}
	const most = 5 // alsoBlocking and consequences together
	out.AlsoBlocking = out.AlsoBlocking[:min(len(out.AlsoBlocking), most)]
	out.Consequences = out.Consequences[:min(len(out.Consequences), most-len(out.AlsoBlocking))]
	if q.kind == "Pod" && q.stages != nil && f.outcome != NotDeleting {
		for _, stage := range stageOrder[:StageCount-1] {
			st := q.stages[stage]
			out.Stages = append(out.Stages, StageVerdict{ID: stage, State: st.state, At: moment(st.at), Evidence: b.cite(st.refs[:min(2, len(st.refs))])})
			for _, p := range q.partsOf(stage) {
				out.Stages = append(out.Stages, StageVerdict{
					ID: stage, Container: word(p.container), Volume: word(p.volume),
					State: p.state, At: moment(p.at), Evidence: b.cite(p.refs[:min(1, len(p.refs))]),
				})
			}
		}
	}
	out.Missing = q.missing(f)
	out.Remediation = q.remedies(f)
	out.WouldProveWrong = q.wouldProveWrong(f)
	for _, r := range f.residue {
		r.Evidence = b.cite(r.refs)
		out.Residue = append(out.Residue, r.ResidueCheck)
	}
	out.Prevention = q.preventions(f)
	return out
}

func appendOnce(list []string, v string) []string {
	if contains(list, v) {
		return list
	}
	return append(list, v)
}

// byRole puts the root first, then what also blocks, follows, is ruled out.
func byRole(list []*candidate) []*candidate {
	order := []string{RoleRoot, RoleBlocking, RoleConsequence, RoleRuledOut, ""}
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Compare(slices.Index(order, a.role), slices.Index(order, b.role))
	})
	return list
}

// refsOf picks what to cite of the signals: what proves most first, and of
// those that repeat the newest line, which carries the count. State may need
// two places, as a mount and the server's silence.
func refsOf(signals []*signal, most int) []ref {
	signals = slices.Clone(signals)
	slices.SortStableFunc(signals, func(a, b *signal) int { return cmp.Compare(proofRank(a), proofRank(b)) })
	var out []ref
	for _, sg := range signals {
		refs := sg.refs
		if len(sg.events) > 0 {
			refs = refs[:1]
		}
		for _, r := range refs {
			if len(out) < most && !contains(out, r) {
				out = append(out, r)
			}
		}
	}
	return out
}

// proofRank orders signals by how much they prove.
func proofRank(sg *signal) int {
	switch {
	case sg.polarity == Failure && sg.strength == Decisive:
		return 0
	case sg.polarity == Failure:
		return 1
	case sg.polarity == Context:
		return 2
	}
	return 3
}

func (s *scene) writeCause(q *inquest, c *candidate) CauseVerdict {
	role := cmp.Or(c.role, RoleRuledOut)
	because := c.because
	if c.demoted != "" {
		because += " (" + c.demoted + ")"
	}
	v := CauseVerdict{
		ID: c.cause.ID, Role: role, Confidence: c.confidence, Stage: c.stage, Because: because,
		Container: word(c.container), Volume: word(c.volume),
		For:     s.book.cite(append(refsOf(append(slices.Clone(c.signals), c.helps...), 8), c.versionRefs()...)),
		Against: s.book.cite(q.against(c)), Missing: q.missingBeside(c), Demoted: word(c.demoted),
	}
	return v
}

// owner is the controller that made the object.
func (s *scene) owner(q *inquest) *string {
	if q.object == nil {
		return nil
	}
	for _, o := range mapsAt(q.object.Content, "metadata", "ownerReferences") {
		kind, _ := o["kind"].(string)
		name, _ := o["name"].(string)
		if o["controller"] == true || kind != "" {
			return word(kind + "/" + name)
		}
	}
	return nil
}

// anchor is T0 as the user wants it.
func (q *inquest) anchor(opt Options) *Anchor {
	switch {
	case !opt.AnchorAt.IsZero():
		return &Anchor{Time: opt.AnchorAt.UTC(), Basis: "as asked for"}
	case opt.AnchorAtRequest && !q.requested.IsZero():
		return &Anchor{Time: q.requested.UTC(), Basis: "request, from " + q.requestFrom}
	case !q.deadline.IsZero():
		return &Anchor{Time: q.deadline.UTC(), Basis: q.basis}
	case !q.goneAt.IsZero():
		return &Anchor{Time: q.goneAt.UTC(), Basis: "SyncLoop REMOVE"}
	}
	return nil
}

func (q *inquest) deletion() *Deletion {
	if q.requested.IsZero() && q.deadline.IsZero() {
		return nil
	}
	d := &Deletion{RequestedAt: moment(q.requested), RequestedAtSource: q.requestFrom, RequestedBy: word(q.requestedBy()), Forced: q.forced, Finalizers: []string{}}
	if q.object != nil {
		d.DeletionTimestamp = moment(timeAt(q.object.Content, "metadata", "deletionTimestamp"))
		d.GracePeriodSeconds = q.askedGrace()
		d.Finalizers = append(d.Finalizers, stringsAt(q.object.Content, "metadata", "finalizers")...)
	}
	if over := q.overdue(); !q.deadline.IsZero() && (q.inAPI == nil || *q.inAPI) {
		seconds := int64(max(0, over).Seconds())
		d.OverdueSeconds = &seconds
	}
	return d
}

// askedGrace is the grace period that the deletion was asked for with: what
// the audit log says, the object while the kubelet has not confirmed, else the
// spec's. A 0 in the object says nothing: the kubelet's last delete writes it.
func (q *inquest) askedGrace() *int64 {
	if q.asked != nil {
		return q.asked
	}
	if q.kind != "Pod" {
		return nil // others have no grace period; the 0 says nothing
	}
	g := intAt(q.object.Content, "metadata", "deletionGracePeriodSeconds")
	if g != nil && *g == 0 && q.pod != nil && !q.pod.object.Partial {
		return &q.pod.specGrace
	}
	return g
}

// reportID names the content: the same verdicts on the same bundle.
func reportID(doc *Document) string {
	doc.ReportID = ""
	data, err := json.Marshal(doc)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:12]
}
