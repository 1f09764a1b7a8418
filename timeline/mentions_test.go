package timeline

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	testUID = "8a1b2c3d-0000-4000-8000-1234567890ab"
	testID  = "256a184124d5b4715ef4caf2deab0b6a25ba338aa78805b6aa2b0a055eeb159c"
)

func TestMentions(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		want Mentioned
	}{
		"nothing":       {text: `E0102 03:04:05.000001 1234 kubelet.go:2412] "Skipping pod synchronization" err="container runtime is down"`},
		"empty":         {},
		"a plain word":  {text: "feedfacecafe is no id, and 170000000012 is none"},
		"a klog header": {text: `I0416 19:44:35.803861    2391 kubelet.go:2425] "SyncLoop DELETE"`},
		"killing": {
			text: `"Killing container with a grace period" pod="shop/web-0" podUID="` + testUID + `" containerName="app" containerID="containerd://` + testID + `" gracePeriod=30`,
			want: Mentioned{UIDs: []string{testUID}, IDs: []string{testID}, Pods: []PodName{{Namespace: "shop", Name: "web-0"}}},
		},
		"unquoted UID":      {text: "podUID=" + testUID, want: Mentioned{UIDs: []string{testUID}}},
		"at the end":        {text: "/pods/" + testUID, want: Mentioned{UIDs: []string{testUID}}},
		"upper case":        {text: strings.ToUpper(testUID), want: Mentioned{UIDs: []string{testUID}}},
		"cgroupfs":          {text: "/kubepods/burstable/pod" + testUID + "/" + testID, want: Mentioned{UIDs: []string{testUID}, IDs: []string{testID}}},
		"slice":             {text: "Removed slice kubepods-pod8a1b2c3d_0000_4000_8000_1234567890ab.slice.", want: Mentioned{UIDs: []string{testUID}}},
		"mount unit":        {text: `var-lib-kubelet-pods-8a1b2c3d\x2d0000\x2d4000\x2d8000\x2d1234567890ab-volumes-x.mount: Succeeded.`, want: Mentioned{UIDs: []string{testUID}}},
		"quoted mount unit": {text: `pods-8a1b2c3d\\x2d0000\\x2d4000\\x2d8000\\x2d1234567890ab-volumes`, want: Mentioned{UIDs: []string{testUID}}},
		"scope":             {text: "cri-containerd-" + testID + ".scope: Deactivated successfully.", want: Mentioned{IDs: []string{testID}}},
		"shortened id":      {text: `stopping the container "d966376d9c62e": rpc error`, want: Mentioned{IDs: []string{"d966376d9c62e"}}},
		"12 of docker":      {text: "Container 7873876b3310 failed to exit", want: Mentioned{IDs: []string{"7873876b3310"}}},
		"image digest":      {text: "image@sha256:" + testID},
		"several pods":      {text: `"SyncLoop DELETE" source="api" pods=["shop/web-0" "shop/web-1"]`, want: Mentioned{Pods: []PodName{{Namespace: "shop", Name: "web-0"}, {Namespace: "shop", Name: "web-1"}}}},
		"1.21 list":         {text: `pods=[shop/web-0 shop/web-1]`, want: Mentioned{Pods: []PodName{{Namespace: "shop", Name: "web-0"}, {Namespace: "shop", Name: "web-1"}}}},
		"1.26 list":         {text: `pods="[shop/web-0]"`, want: Mentioned{Pods: []PodName{{Namespace: "shop", Name: "web-0"}}}},
		"nested quotes":     {text: `msg="x pod=\"shop/web-0\" y"`, want: Mentioned{Pods: []PodName{{Namespace: "shop", Name: "web-0"}}}},
		"legacy": {
			text: `SyncLoop (DELETE, "api"): "web-0_shop(` + testUID + `), web-1_shop(9` + testUID[1:] + `)"`,
			want: Mentioned{
				UIDs: []string{testUID, "9" + testUID[1:]},
				Pods: []PodName{{"shop", "web-0", testUID}, {"shop", "web-1", "9" + testUID[1:]}},
			},
		},
		"not a pod": {text: `node="shop/web-0" podRef="a" tripod="a/b" pod="x"`},
		"too long":  {text: "a" + testUID + " " + testUID + "0"},
		"twice":     {text: testUID + " " + testUID, want: Mentioned{UIDs: []string{testUID}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Mentions(tt.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMentionsOfNothingAllocatesNothing(t *testing.T) {
	const text = `E0102 03:04:05.000001 1234 controller.go:195] "Failed to update lease" err="Put \"https://api:6443/apis\": context deadline exceeded"`
	if n := testing.AllocsPerRun(100, func() { Mentions(text) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzMentions(f *testing.F) {
	f.Add(`pod="shop/web-0" podUID="` + testUID + `" containerID="containerd://` + testID + `"`)
	f.Add(`pods=["shop/web-0" "shop/web-1"] web-0_shop(` + testUID + `)`)
	f.Add(`pods-8a1b2c3d\x2d0000\x2d4000\x2d8000\x2d1234567890ab-x pod=[[`)
	uid := regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	f.Fuzz(func(t *testing.T, text string) {
		m := Mentions(text)
		for _, u := range m.UIDs {
			if !uid.MatchString(u) {
				t.Errorf("uid %q of %q", u, text)
			}
		}
		for _, id := range m.IDs {
			if !strings.Contains(strings.ToLower(text), id) {
				t.Errorf("id %q is not in %q", id, text)
			}
		}
		for _, p := range m.Pods {
			if p.Namespace == "" || p.Name == "" || !strings.Contains(text, p.Name) {
				t.Errorf("pod %+v of %q", p, text)
			}
		}
	})
}

func BenchmarkMentions(b *testing.B) {
	for name, text := range map[string]string{
		"none":    `E0102 03:04:05.000001    1234 controller.go:195] "Failed to update lease" err="Put \"https://api:6443/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n1?timeout=10s\": context deadline exceeded"`,
		"several": `I0102 03:04:05.000001    1234 kuberuntime_container.go:864] "Killing container with a grace period" pod="shop/web-0" podUID="` + testUID + `" containerName="app" containerID="containerd://` + testID + `" gracePeriod=30`,
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				Mentions(text)
			}
		})
	}
}
