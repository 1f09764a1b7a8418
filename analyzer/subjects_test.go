package analyzer

import (
	"fmt"
	"testing"

	"podautopsy/timeline"
)

// One UID is one subject, though the bundle be read as if it had two: what was
// taken for a redactor's token is read under an id of its own.
func TestOneUIDIsOneSubject(t *testing.T) {
	const uid = "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203"
	standIns := timeline.NewStandIns(map[string]timeline.TokenKind{uid: timeline.UIDToken}, nil)
	pod := func(uid string, line int) *timeline.Object {
		return &timeline.Object{
			Kind: "Pod", Namespace: "shop", Name: "web-0", UID: uid,
			Source: timeline.Source{File: "pods.yaml", Line: line},
			Content: timeline.Decoded{"metadata": map[string]any{
				"name": "web-0", "namespace": "shop", "uid": uid, "deletionTimestamp": "2026-03-10T11:51:40Z",
			}},
		}
	}
	list := []*timeline.Object{pod(uid, 1), pod(standIns.Put(uid, ""), 20), pod(uid, 40)}
	sandbox := timeline.Sandbox{PodUID: standIns.Put(uid, ""), Pod: "web-0", PodNamespace: "shop", State: "ready", ID: "45bf240cf9b65ced6ac86ff010a496f51fff0f6b1989d23faf8b05ffe7d1b0fe"}
	for first := range list {
		for _, wanted := range [][]Wanted{nil, {{UID: uid}}, {{Name: "web-0"}}} {
			t.Run(fmt.Sprint(first, wanted), func(t *testing.T) {
				objects := append(append([]*timeline.Object{}, list[first:]...), list[:first]...)
				doc, err := Analyze(&timeline.Timeline{Objects: objects, NodeState: timeline.NodeState{Sandboxes: []timeline.Sandbox{sandbox}}, StandIns: standIns}, Options{
					Wanted: wanted, Follow: []Followed{{Kind: "Pod", Namespace: "shop", Name: "web-0", UID: uid}},
				})
				if err != nil {
					t.Fatal(err)
				}
				if len(doc.Subjects) != 1 || *doc.Subjects[0].UID != uid {
					t.Errorf("%d subjects of one UID", len(doc.Subjects))
				}
			})
		}
	}
}
