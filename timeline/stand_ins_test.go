package timeline

import (
	"strings"
	"testing"
)

var someTokens = map[string]TokenKind{
	"x-uid-000001-x":          UIDToken,
	"***TOKEN_UID_2***":       UIDToken,
	"x-id-7-x":                IDToken,
	"ctr0012":                 IDToken,
	"***TOKEN_NODE_00A1***":   NameToken,
	"x-uid-000001-x-and-more": UIDToken,
}

func TestStandIns(t *testing.T) {
	s := NewStandIns(someTokens, []string{"***HIDDEN***"})
	for _, text := range []string{
		"",
		"nothing of it",
		`E0521 14:07:03.240650 3400 pod_workers.go:965] "Error syncing pod" pod="***TOKEN_NODE_00A1***/web" podUID="x-uid-000001-x"`,
		"/kubepods.slice/kubepods-burstable-podx-uid-000001-x.slice/cri-containerd-x-id-7-x.scope",
		"/var/lib/kubelet/pods/***TOKEN_UID_2***/volumes/kubernetes.io~secret/a",
		"k8s_web_web-0_shop_x-uid-000001-x_0 x-uid-000001-x-and-more ctr0012 ctr00123",
		"***HIDDEN*** and ***HIDDEN***, ***HIDDEN",
	} {
		put := s.Put(text, "file")
		if got := s.Restore(put); got != text {
			t.Errorf("%q became %q, and came back as %q", text, put, got)
		}
		if put != s.Put(text, "file") {
			t.Errorf("%q is not always read the same", text)
		}
	}
	m := Mentions(s.Put("/pods/x-uid-000001-x/a podx-uid-000001-x.slice k8s_a_b_c_x-uid-000001-x_0 x-id-7-x", ""))
	if len(m.UIDs) != 1 || len(m.IDs) != 1 {
		t.Errorf("one UID and one id were read as %v", m)
	}
	if got := s.Put("xx-uid-000001-x ctr00123 ctr001", ""); got != "xx-uid-000001-x ctr00123 ctr001" {
		t.Errorf("pieces of words are no tokens: %q", got)
	}
	cut := NewStandIns(map[string]TokenKind{"7e9dcd56-770c-": UIDToken}, nil)
	if uid := "7e9dcd56-770c-40cf-b02a-cd8b3e9d3203"; cut.Put(uid, "") != uid {
		t.Errorf("half of a UID is replaced in the whole one: %q", cut.Put(uid, ""))
	}
	// An id is shortened by tables and by sentences.
	if id := s.Put("x-id-7-x", ""); s.Restore("container "+id[:12]+" runs") != "container x-id-7-x runs" {
		t.Errorf("the short form of %s has no token", id)
	}
}

// Two masks are never the same thing.
func TestMasks(t *testing.T) {
	s := NewStandIns(nil, []string{"***HIDDEN***"})
	words := append(strings.Fields(s.Put("***HIDDEN*** ***HIDDEN***", "a")), s.Put("***HIDDEN***", "b"))
	seen := map[string]bool{}
	for _, w := range words {
		if seen[w] || !Anonymous(w) {
			t.Errorf("%q stands for two things, or for one that is known", w)
		}
		seen[w] = true
	}
	var none *StandIns
	if none.Put("a", "") != "a" || none.Restore("a") != "a" || NewStandIns(nil, nil) != nil {
		t.Error("a bundle that is not redacted is read as it stands")
	}
	if got := Mentions(`pods=["` + words[0] + "/" + words[1] + `"] pod="shop/web-0"`).Pods; len(got) != 1 {
		t.Errorf("a masked pod has a name: %v", got)
	}
}

func FuzzStandIns(f *testing.F) {
	f.Add("pods/x-uid-000001-x x-id-7-x ***HIDDEN*** ***TOKEN_UID_2***", "file")
	f.Add("x-hidden-0-00-1-x-hidden-", "")
	f.Fuzz(func(t *testing.T, text, file string) {
		s := NewStandIns(someTokens, []string{"***HIDDEN***"})
		for token, kind := range someTokens {
			if strings.Contains(text, kind.standIn(token)[:shortID]) {
				t.Skip("a stand-in by itself")
			}
		}
		if strings.Contains(text, masked) {
			s.Restore(text)
			return
		}
		if got := s.Restore(s.Put(text, file)); got != text {
			t.Errorf("%q came back as %q", text, got)
		}
	})
}
