package parsers

import (
	"strings"
	"testing"
)

// A page of a long list proves nothing of what it does not hold.
func TestListOfOnePage(t *testing.T) {
	const item = `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "uid": "u"}}`
	json := func(metadata string) string {
		return "{\n \"apiVersion\": \"v1\",\n \"kind\": \"List\",\n \"metadata\": " + metadata + ",\n \"items\": [" + item + "]\n}\n"
	}
	yaml := func(metadata string) string {
		return "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: Node\n  metadata:\n    name: n1\n    continue: no field of the list\nkind: List\n" + metadata
	}
	for name, tc := range map[string]struct {
		text, gap string // none: the list is whole
		line      int
	}{
		"json, counted":       {json("{\n  \"continue\": \"abc\",\n  \"remainingItemCount\": 400\n }"), "400 items are not in it", 5},
		"json, compact":       {json(`{"resourceVersion":"7","remainingItemCount":1}`), "1 item is not in it", 4},
		"json, token alone":   {json(`{"continue": "abc"}`), "what follows is not in it", 4},
		"json, whole":         {json(`{"continue": "", "remainingItemCount": 0}`), "", 0},
		"json, null":          {json(`{"continue": null, "resourceVersion": ""}`), "", 0},
		"json, after items":   {"{\"kind\": \"NodeList\", \"apiVersion\": \"v1\", \"items\": [" + item + "],\n\"metadata\": {\"continue\": \"x\"}}\n", "one page of several", 2},
		"json, no metadata":   {"{\"kind\": \"NodeList\", \"apiVersion\": \"v1\", \"items\": [" + item + "]}\n", "", 0},
		"yaml, counted":       {yaml("metadata:\n  continue: abc\n  remainingItemCount: 400\n"), "400 items are not in it", 10},
		"yaml, flow":          {yaml("metadata: {continue: abc}\n"), "one page of several", 9},
		"yaml, before items":  {"apiVersion: v1\nkind: NodeList\nmetadata:\n  resourceVersion: \"7\"\n  continue: \"abc\"\nitems:\n- metadata:\n    name: n1\n", "one page of several", 5},
		"yaml, whole":         {yaml("metadata:\n  continue: \"\"\n  resourceVersion: \"7\"\n"), "", 0},
		"yaml, second of two": {yaml("metadata:\n  resourceVersion: \"7\"\n") + "---\n" + yaml("metadata:\n  continue: abc\n"), "one page of several", 21},
	} {
		t.Run(name, func(t *testing.T) {
			p := kubernetesJSONParser
			if strings.HasPrefix(name, "yaml") {
				p = kubernetesYAMLParser
			}
			b := readWith(t, p, "nodes", tc.text)
			if len(b.Listings) == 0 {
				t.Fatal("no listing")
			}
			last := b.Listings[len(b.Listings)-1]
			if last.Incomplete != (tc.gap != "") || last.Items != 1 {
				t.Errorf("%+v", last)
			}
			gaps := b.Input.Gaps
			if tc.gap == "" {
				if len(gaps) > 0 {
					t.Errorf("%+v", gaps)
				}
				return
			}
			if len(gaps) != 1 || !strings.Contains(gaps[0].Detail, tc.gap) || gaps[0].Source.Line != tc.line {
				t.Errorf("%+v", gaps)
			}
		})
	}
}

func TestSelectorsLeaveSomethingOut(t *testing.T) {
	for command, selective := range map[string]bool{
		"kubectl get pods -A -o json":                               false,
		"kubectl get pods -A -l app=cart -o json":                   true,
		"kubectl get pods -A -lapp=cart -o json":                    true,
		"kubectl get pods -A --selector=app=cart":                   true,
		"kubectl get pods -A --field-selector spec.nodeName=n1":     true,
		"oc get pods -A -o wide | grep Terminating":                 true,
		"kubectl get pods -A --field-selector=status.phase=Running": true,
	} {
		if c := parseKubectl(command); c.selective != selective || c.verb != "get" {
			t.Errorf("%s: %+v", command, c)
		}
	}
}
