package parsers

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

// busyAuditLog is of a cluster in which nearly everything has nothing to do with
// a deletion.
func busyAuditLog(size int) []byte {
	rnd := rand.New(rand.NewPCG(3, 4))
	var b bytes.Buffer
	one := func(list ...string) string { return list[rnd.IntN(len(list))] }
	for i := 0; b.Len() < size; i++ {
		at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC).Add(time.Duration(i) * 97 * time.Millisecond)
		verb, user, resource, subresource, namespace, code := one("get", "get", "list", "watch", "update", "patch", "create"), "system:serviceaccount:kube-system:x", one("pods", "configmaps", "events", "nodes", "persistentvolumeclaims"), "", "shop", 200
		name, body := fmt.Sprintf("o-%d", rnd.IntN(5000)), `{"metadata":{"labels":{"a":"b"}}}`
		switch rnd.IntN(100) {
		case 0:
			verb = one("delete", "deletecollection")
		case 1:
			verb, resource, subresource = "create", "pods", "eviction"
		case 2, 3:
			verb, body = one("patch", "update"), `{"metadata":{"finalizers":null}}`
		case 4, 5:
			code = 400 + rnd.IntN(110)
		case 6, 7, 8, 9, 10, 11:
			node := one("worker-1", "worker-2")
			verb, user, resource, namespace, name = "update", "system:node:"+node, "leases", "kube-node-lease", node
			body = `{"spec":{"renewTime":"` + at.Add(42*time.Second).Format("2006-01-02T15:04:05.000000Z07:00") + `"}}`
		}
		fmt.Fprintf(&b, `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"%08x","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/%s/%s/%s","verb":"%s","user":{"username":"%s"},"objectRef":{"resource":"%s","namespace":"%s","name":"%s","apiVersion":"v1"`,
			i, namespace, resource, name, verb, user, resource, namespace, name)
		if subresource != "" {
			fmt.Fprintf(&b, `,"subresource":"%s"`, subresource)
		}
		stamp := at.Format("2006-01-02T15:04:05.000000Z07:00")
		fmt.Fprintf(&b, `},"responseStatus":{"code":%d},"requestObject":%s,"requestReceivedTimestamp":"%s","stageTimestamp":"%s"}`+"\n", code, body, stamp, stamp)
	}
	return b.Bytes()
}

// Of a large audit log just the entries that are read of a small one are kept,
// and they say the same.
func TestSkimmedAuditLog(t *testing.T) {
	data := busyAuditLog(6 << 20)
	c := skimOf(t, data)
	checkSkim(t, data, c)
	if len(c.data)*4 > len(data) {
		t.Errorf("%d of %d bytes were kept", len(c.data), len(data))
	}
	dir := unpackedTo(t, t.TempDir(), archived{"audit.log", string(data)})
	read := func(skim *Skim) *timeline.Timeline {
		tl, err := Read(context.Background(), []string{dir}, nil, ReadOptions{Skim: skim})
		must(t, err)
		return tl
	}
	whole := read(nil)
	part := read(&Skim{From: 1 << 20, Lines: []string{"SyncLoop DELETE"}, Concerns: func(*timeline.Timeline) []string { return []string{"shop/o-1"} }})
	if whole.Skimmed() || !part.Skimmed() || part.Inputs[0].Records != whole.Inputs[0].Records {
		t.Errorf("skimmed: %v, %v; %d and %d entries", whole.Skimmed(), part.Skimmed(), whole.Inputs[0].Records, part.Inputs[0].Records)
	}
	told := func(tl *timeline.Timeline) []string {
		var all []string
		for _, e := range tl.Events {
			all = append(all, fmt.Sprint(e.Time, e.Source, e.Text, e.Message, e.API))
		}
		return all
	}
	if diff := cmp.Diff(told(whole), told(part)); diff != "" || len(whole.Events) < 100 {
		t.Errorf("of %d events (-whole +skimmed):\n%.2000s", len(whole.Events), diff)
	}
	// The clocks of the nodes, too, are told by what kubelets wrote.
	skews := func(tl *timeline.Timeline) []string {
		var all []string
		for _, c := range tl.Clocks {
			for _, s := range c.Spans {
				all = append(all, fmt.Sprintf("%s %v", c.Node, s.Ahead.Round(time.Second)))
			}
		}
		return all
	}
	if diff := cmp.Diff(skews(whole), skews(part)); diff != "" || len(skews(whole)) == 0 {
		t.Errorf("clocks %q (-whole +skimmed):\n%s", skews(whole), diff)
	}
}
