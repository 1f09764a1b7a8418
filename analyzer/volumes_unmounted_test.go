package analyzer

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

const (
	uidOfVolumes   = "0643d1b2-f818-498b-b29e-e4e4557ff86c"
	uniqueOfSecret = "kubernetes.io/csi/secrets-store.csi.k8s.io^csi-8bf27fe0ba11919095fa7ae21ffbbd0fed69d1063dac29fa4a4955509381d402"
	uniqueOfToken  = "kubernetes.io/projected/" + uidOfVolumes + "-kube-api-access-bxqn2"
	uniqueOfClaim  = "kubernetes.io/csi/ebs.csi.aws.com^vol-1"
)

// withVolumes is an inquest on a pod with a claim, a secret of a CSI driver and
// its token.
func withVolumes() *inquest {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	q.uid, q.ns = uidOfVolumes, "pay"
	q.pod.object = &timeline.Object{Kind: "Pod", Content: timeline.Decoded{}}
	q.pod.volumes = []podVolume{{name: "data", claim: "pay-data"}, {name: "secrets-store"}, {name: "kube-api-access-bxqn2"}}
	return q
}

func (q *inquest) unmounts(volume, unique string, at time.Time) {
	sg := q.sees("kubelet-teardown-succeeded", Success, scopeSubject, 1, "", StageVolumes)
	sg.keys, sg.last = map[string]string{"volume": volume, "unique": unique}, at
}

// One volume that is unmounted speaks for itself, not for the others.
func TestVolumesAreUnmountedOneByOne(t *testing.T) {
	at := time.Date(2024, 10, 27, 10, 30, 13, 0, time.UTC)
	for _, c := range []struct {
		name  string
		lines func(*inquest)
		whole string
		parts [3]string // data, secrets-store, the token
	}{
		{
			"one of three", func(q *inquest) { q.unmounts("secrets-store", uniqueOfSecret, at) },
			stateUnknown,
			[3]string{stateUnknown, stateDone, stateUnknown},
		},
		{"each", func(q *inquest) {
			q.unmounts("secrets-store", uniqueOfSecret, at)
			q.unmounts("data", uniqueOfClaim, at)
			q.unmounts("kube-api-access-bxqn2", uniqueOfToken, at)
		}, stateDone, [3]string{stateDone, stateDone, stateDone}},
		{"as many as there are, without their names in the spec", func(q *inquest) {
			q.unmounts("", uniqueOfSecret, at)
			q.unmounts("", uniqueOfClaim, at)
			q.unmounts("", uniqueOfToken, at)
		}, stateDone, [3]string{stateDone, stateDone, stateDone}},
		{"one of three, and a spec that nobody has", func(q *inquest) {
			q.pod.object.Partial, q.pod.volumes = true, nil
			q.unmounts("secrets-store", uniqueOfSecret, at)
		}, stateUnknown, [3]string{}},
		{"the kubelet's word on the pod", func(q *inquest) {
			q.unmounts("secrets-store", uniqueOfSecret, at)
			q.sees("kubelet-volume-paths-clean", Success, scopeSubject, 1, "", StageVolumes)
		}, stateDone, [3]string{stateDone, stateDone, stateDone}},
		{"the kubelet's word on another pod", func(q *inquest) {
			q.unmounts("secrets-store", uniqueOfSecret, at)
			q.sees("kubelet-orphan-volumes-dir-cleaned", Success, scopeNeighbours, 1, "", StageClean)
		}, stateUnknown, [3]string{stateUnknown, stateDone, stateUnknown}},
		{"the kubelet goes on to the control group", func(q *inquest) {
			q.unmounts("secrets-store", uniqueOfSecret, at)
			q.sees("kubelet-cgroup-removed", Success, scopeSubject, 1, "", StageCgroup)
		}, stateDone, [3]string{stateDone, stateDone, stateDone}},
	} {
		t.Run(c.name, func(t *testing.T) {
			q := withVolumes()
			c.lines(q)
			q.reconstruct()
			if got := q.stages[StageVolumes].state; got != c.whole {
				t.Errorf("the stage is %s, want %s", got, c.whole)
			}
			for i, p := range q.partsOf(StageVolumes) {
				if p.state != c.parts[i] {
					t.Errorf("%s is %s, want %s", p.volume, p.state, c.parts[i])
				}
			}
			// The kubelet touches no volume before these are done.
			for _, id := range []string{StageContainers, StageSandbox} {
				if got := q.stages[id].state; got != stateDone {
					t.Errorf("%s is %s", id, got)
				}
			}
		})
	}
}

func TestForceDeleteIsSafeOnlyWhereAllIsProven(t *testing.T) {
	at := time.Date(2024, 10, 27, 10, 30, 13, 0, time.UTC)
	for _, c := range []struct {
		outcome string
		all     bool
		want    string
	}{
		{Stuck, true, "yes"}, {Stuck, false, "unknown"}, {Inconclusive, true, "unknown"}, {Inconclusive, false, "unknown"},
	} {
		q := withVolumes()
		q.unmounts("secrets-store", uniqueOfSecret, at)
		if c.all {
			q.unmounts("data", uniqueOfClaim, at)
			q.unmounts("kube-api-access-bxqn2", uniqueOfToken, at)
		}
		q.reconstruct()
		force, _ := q.forceDelete(&finding{q: q, outcome: c.outcome})
		got := "unknown"
		if force.Safe != nil {
			got = map[bool]string{true: "yes", false: "no"}[*force.Safe]
		}
		if got != c.want {
			t.Errorf("%s, all volumes %v: %s (%s), want %s", c.outcome, c.all, got, force.Because, c.want)
		}
	}
}
