package parsers

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"podautopsy/timeline"
)

func TestFindStandIns(t *testing.T) {
	tests := []struct {
		name, text string
		shaped     []string // get the shape of an id
		left       []string // stay as they are
	}{
		{"UIDs of a dump and its log", "metadata:\n  name: web-0\n  uid: x-uid-000001-x\nE0521 podUID=\"x-uid-000002-x\"", []string{"x-uid-000001-x", "x-uid-000002-x"}, []string{"web-0"}},
		{"relations in a table", `"uid": "x-uid-000001-x", "uid": "x-uid-000002-x"` + "\nx-uid-000003-x x-name-000003-x\n", []string{"x-uid-000003-x"}, []string{"x-name-000003-x"}},
		{"stars", "podUID=\"***TOKEN_UID_A1***\" cri-containerd-***TOKEN_CTR_B2***.scope\ncontainerID=\"containerd://***TOKEN_CTR_B2***\"", []string{"***TOKEN_UID_A1***", "***TOKEN_CTR_B2***"}, nil},
		{"Docker's names", "obfuscatedid12  pause:3.1  k8s_POD_web-0_shop_obfuscateduid3_0\n", []string{"obfuscatedid12", "obfuscateduid3"}, []string{"web-0"}},
		{"real ids", `"uid": "6f0c7a9e-2d5b-4b1a-9a43-0d5b0c7f9e21" "containerID": "containerd://7b86d45245f3aff77839b8d95e71adace3c21961c9dce553d9b0c8ad711996ea" podUID="ac36caae38b1b7d8b3b4b5b6b7b8b9ba"`, nil, []string{"6f0c7a9e", "7b86d45245f3", "ac36caae38b1"}},
		{
			"a UID that damage has cut", "podUID=\"7e9dcd56-770c-40cf-b02a-\xe3d8b3e9d3203\" (UID: \"7e9dcd56-77\x000c\" podUID=\"7e9dcd56-770c\nuid: 7e9dcd56-770c-4...\n podUID=\"x-uid-00\xb0001-x\"",
			nil,
			[]string{"7e9dcd56-770c-40cf-b02a-cd8b3e9d3203", "7e9dcd56-770c", "7e9dcd56-77", "x-uid-00"},
		},
		{"a Node's Event has the name for a UID", "name: worker-1.2f\n  uid: worker-1\nnodeName: worker-1\n", nil, []string{"worker-1"}},
		{"numbers and pod_namespace", `"uid": 1000, StopPodSandbox for "web-0_shop" PodSandbox for "web-1_shop" containerID=0xc00219bc60`, nil, []string{"web-0_shop", "0xc00219bc60"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := findStandIns([]*Member{{Path: "f", Data: []byte(test.text)}})
			for _, token := range test.shaped {
				m := timeline.Mentions("/" + s.Put(token, "") + "/")
				if len(m.UIDs)+len(m.IDs) != 1 {
					t.Errorf("%s is read as %s", token, s.Put(token, ""))
				}
			}
			for _, word := range test.left {
				if got := s.Put(word, ""); got != word {
					t.Errorf("%s is read as %s", word, got)
				}
			}
		})
	}
}

// What is cited of a redacted file stands there, byte by byte.
func TestRedactedSources(t *testing.T) {
	text := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: ***TOKEN_POD_1***\n  namespace: ***HIDDEN***\n  uid: ***TOKEN_UID_2***\n"
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "pod.yaml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	tl, err := Read(context.Background(), []string{dir}, nil, ReadOptions{})
	if err != nil || len(tl.Objects) != 1 {
		t.Fatalf("read %v: %v", tl, err)
	}
	src, line, ok := tl.Objects[0].Locate("metadata", "uid")
	if !ok || !strings.Contains(line, "***TOKEN_UID_2***") || !strings.HasPrefix(text[src.Offset:], line) {
		t.Errorf("cited %q at %v", line, src)
	}
}
