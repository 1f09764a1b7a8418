package parsers

import (
	"slices"
	"strings"
	"testing"
)

const (
	catYAML = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n  namespace: shop\n  uid: 5d7235a9-be4f-11e8-9233-d6aaae40f8d1\nspec:\n  nodeName: n1\n"
	catJSON = "{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"Pod\",\n    \"metadata\": {\"name\": \"web-1\", \"namespace\": \"shop\", \"uid\": \"6d7235a9-be4f-11e8-9233-d6aaae40f8d1\"}\n}\n"

	catJournal = "-- Journal begins at Mon 2026-11-30 08:00:00 UTC, ends at Mon 2026-11-30 09:00:00 UTC. --\n" +
		"Nov 30 08:21:33 n1 kubelet[612]: E1130 08:21:33.000001     612 a.go:1] \"Failed\"\n" +
		"Nov 30 08:21:34 n1 systemd[1]: Started x.\n"
	catKlog     = "I1130 08:21:33.000001       1 a.go:1] \"Starting\"\nE1130 08:21:34.000001       1 b.go:2] \"Failed\"\n"
	catTable    = "NAMESPACE   NAME    READY   STATUS        RESTARTS   AGE\nshop        web-0   1/1     Terminating   0          3h\n"
	catDescribe = "Name:         web-0\nNamespace:    shop\nPriority:     0\nNode:         n1/10.0.0.1\nLabels:       app=web\nStatus:       Terminating (lasts 3h)\n"
	catExport   = "__CURSOR=s=1;i=1\n__REALTIME_TIMESTAMP=1615650033141819\nMESSAGE=hello\nSYSLOG_IDENTIFIER=kubelet\n_PID=3\n\n"
)

func TestParts(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want string // formats
	}{
		"pods and journal":      {catYAML + catJournal, "kubernetes-yaml journal-short"},
		"json and journal":      {catJSON + catJournal, "kubernetes-json journal-short"},
		"journal and pods":      {strings.Repeat(catJournal, 5) + catYAML, "journal-short kubernetes-yaml"},
		"table and describe":    {catTable + catDescribe, "kubectl-table kubectl-describe"},
		"describe and table":    {catDescribe + catTable, "kubectl-describe kubectl-table"},
		"table, pods and log":   {catTable + catYAML + catKlog, "kubectl-table kubernetes-yaml klog"},
		"two kinds of log":      {catJournal + catKlog, "journal-short klog"},
		"pods and export":       {catYAML + catExport, "kubernetes-yaml journal-export"},
		"two dumps":             {catYAML + catYAML, ""},
		"two dumps of JSON":     {catJSON + catJSON, ""},
		"a journal":             {strings.Repeat(catJournal, 50), ""},
		"an object in a log":    {catKlog + "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web-0\n" + catKlog, ""},
		"logs that take turns":  {catJournal + catKlog + catJournal, ""},
		"a late seam":           {strings.Repeat(catJournal, 500) + catYAML, "journal-short kubernetes-yaml"},
		"a transcript":          {"$ kubectl get pods -A\n" + catTable + "$ kubectl describe pod web-0\n" + catDescribe, ""},
		"windows' ends of line": {strings.ReplaceAll(catYAML+catJournal, "\n", "\r\n"), "kubernetes-yaml journal-short"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &File{Path: "all.txt", Text: test.text, FirstLine: 1}
			parts := f.parts(claimedBy(f, All()))
			var got []string
			whole, line := "", 1
			for i := range parts {
				if parts[i].FirstLine != line || parts[i].Offset != int64(len(whole)) {
					t.Errorf("part %d is said to begin at line %d, byte %d, not %d, %d", i, parts[i].FirstLine, parts[i].Offset, line, len(whole))
				}
				got = append(got, claimedBy(&parts[i], All()).Name)
				whole += parts[i].Text
				line += strings.Count(parts[i].Text, "\n")
			}
			if !slices.Equal(got, strings.Fields(test.want)) {
				t.Errorf("parts in %v, want %s", got, test.want)
			}
			if parts != nil && whole != test.text {
				t.Error("the parts do not make the whole")
			}
		})
	}
}

func FuzzParts(f *testing.F) {
	for _, text := range []string{catYAML + catJournal, catTable + catDescribe + catJSON, catExport + catYAML, catKlog + catTable + catKlog} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "all.txt", Text: text, FirstLine: 1}
		whole := ""
		for _, part := range file.parts(claimedBy(file, All())) {
			if part.Offset != int64(len(whole)) || part.FirstLine != 1+strings.Count(whole, "\n") {
				t.Errorf("a part is said to begin at line %d, byte %d", part.FirstLine, part.Offset)
			}
			whole += part.Text
		}
		if whole != "" && whole != text {
			t.Error("the parts do not make the whole")
		}
	})
}
