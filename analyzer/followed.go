package analyzer

import (
	"slices"
	"time"

	"podautopsy/timeline"
)

// Followed is a subject of an earlier report, to be judged again: it gets a
// verdict also where nothing is wrong with it any more.
type Followed struct {
	Kind, Namespace, Name, UID, Node string
	// Seen is when the earlier report's evidence was taken: the object had begun
	// by then. Zero: not known.
	Seen time.Time
}

// is says whether an object is the one that is followed; a UID decides where
// both have one.
func (f Followed) is(kind, ns, name, uid string) bool {
	if f.Kind != kind {
		return false
	}
	if f.UID != "" && uid != "" {
		return f.UID == uid
	}
	return f.Name != "" && f.Name == name && f.Namespace == ns
}

// followUp are the followed ones that would be no subject by themselves. A Node
// is none: what is left on it is told by what it is.
func (s *scene) followUp(follow []Followed, known []*inquest) []*inquest {
	var out []*inquest
	for _, f := range follow {
		f = Followed{f.Kind, s.tl.StandIns.Put(f.Namespace, ""), s.tl.StandIns.Put(f.Name, ""), s.tl.StandIns.Put(f.UID, ""), s.tl.StandIns.Put(f.Node, ""), f.Seen}
		if f.Kind == "" || f.Kind == "Node" || slices.ContainsFunc(known, func(q *inquest) bool { return f.is(q.kind, q.ns, q.name, q.uid) }) {
			continue
		}
		if i := slices.IndexFunc(s.tl.Objects, func(o *timeline.Object) bool { return f.is(o.Kind, o.Namespace, o.Name, o.UID) }); i >= 0 {
			q := s.inquestOn(s.tl.Objects[i])
			q.wanted = true
			out = append(out, q)
			continue
		}
		out = append(out, &inquest{
			s: s, kind: f.Kind, ns: f.Namespace, name: f.Name, uid: f.UID, node: s.node(f.Node),
			nameOf: map[string]string{}, wanted: true, discovered: "an earlier report has it", begun: f.Seen,
		})
	}
	return out
}

// noticeObject decides whether the API still has an object that is no pod and
// that no dump shows.
func (q *inquest) noticeObject() {
	if q.object != nil || q.name == "" {
		return
	}
	no := false
	if at, ok := q.s.absent(q.kind, q.ns, q.name); ok {
		q.inAPI, q.goneRefs = &no, []ref{at}
		return
	}
	if o := q.s.object(q.kind, q.ns, q.name); o != nil && o.UID != "" && q.uid != "" && o.UID != q.uid {
		q.inAPI, q.goneRefs = &no, []ref{q.s.book.object(o, "metadata", "uid")}
	}
}
