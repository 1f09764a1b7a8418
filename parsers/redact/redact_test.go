package redact

import (
	"encoding/base64"
	"strings"
	"testing"

	"podautopsy/timeline"
)

// shop is what is learnt of a small cluster.
func shop(texts ...string) *Redactor {
	l := NewLearner([]string{"device or resource busy"}, nil)
	tl := &timeline.Timeline{Inputs: []timeline.Input{{Path: "node/journal", Hosts: []string{"gardenia-07.corp.hortensia.com"}}}}
	tl.Objects = []*timeline.Object{
		{Kind: "Namespace", Name: "petunia"},
		{Kind: "Namespace", Name: "kube-system"},
		{Kind: "Pod", Namespace: "petunia", Name: "tigerlily-5f7d8c9b4d-x7k2p"},
		{Kind: "Pod", Namespace: "petunia", Name: "cart-0", Content: timeline.Decoded{
			"metadata": map[string]any{"finalizers": []any{"petunia.example.com/cleanup"}},
			"spec":     map[string]any{"containers": []any{map[string]any{"image": "registry.hortensia.com/magnolia/cart:1"}}},
		}},
		{Kind: "Pod", Namespace: "kube-system", Name: "kube-proxy-abcde"},
		{Kind: "Node", Name: "worker-1"},
		{Kind: "PersistentVolumeClaim", Namespace: "petunia", Name: "data-cart-0"},
	}
	l.Timeline(tl)
	for _, text := range texts {
		l.Text(text)
	}
	return l.Redactor()
}

func TestText(t *testing.T) {
	for _, text := range []string{
		"petunia", "PETUNIA", "petunia/cart-0", "tigerlily-5f7d8c9b4d-x7k2p", "data-cart-0", "worker-1", "gardenia-07", "hortensia", "magnolia",
		`"pod=\"petunia/cart-0\""`, `a\npetunia\tworker-1`, "%2Fpetunia%2F", `\x2dpetunia`, "k8s_app_cart-0_petunia_8a4a5c4e-6f7b-4c1d-9e2f-0a1b2c3d4e5f_0",
		"mymagnoliastage", base64.StdEncoding.EncodeToString([]byte("the pod petunia/cart-0 of worker-1")),
		"10.1.2.3", "ip-10-1-2-3", "2001:db8:1::5", "52:54:00:ab:cd:ef", "rosa@hortensia.com", "8a4a5c4e-6f7b-4c1d-9e2f-0a1b2c3d4e5f",
		"kubepods-podddde12ee59a9287fc4d9a8093496fd2d.slice", "kubepods-pod8a4a5c4e_6f7b_4c1d_9e2f_0a1b2c3d4e5f.slice", "containerd://0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"password=opensesame", "Authorization: Bearer abcdef0123456789", "https://user:secret77@example/", "AKIAQ7ZLMNOPQRSTUVWX",
	} {
		r := shop("10.1.2.3 2001:db8:1::5 52:54:00:ab:cd:ef rosa@hortensia.com")
		got := r.Text(text)
		if len(got) != len(text) {
			t.Errorf("%q became %q, of another length", text, got)
		}
		if got == text {
			t.Errorf("%q is left", text)
		}
		if original, _ := NewWatch(r).Find(got); original != "" {
			t.Errorf("%q became %q, which still holds %q", text, got, original)
		}
	}
}

// What a verdict rests on stays.
func TestTextStays(t *testing.T) {
	r := shop("v 1.2.3.4")
	for _, text := range []string{
		"kube-system/kube-proxy-abcde", "petunia.example.com/cleanup", "device or resource busy", "SyncLoop DELETE", "default", "data: {}",
		"MESSAGE_ID=fc2e22bc6ee647b6b90729ab34a250b1", "127.0.0.1:10250", "::1", "0x7f9633fe2b40", "containerd-1.6.20.1", "08:21:33.908842", "20261130082133908842",
		"kubernetes.io/pvc-protection", `secret "other" not found`, "token expired", "getty@tty1.service", "v1.35.4",
	} {
		if got := r.Text(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Parts of what belongs together still do.
func TestJoins(t *testing.T) {
	r := shop("10.1.2.3 10.1.2.4 10.9.2.4")
	id := "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	long := r.Text(id)
	if short := r.Text(id[:13]); !strings.HasPrefix(long, short) {
		t.Errorf("%s is not the beginning of %s", short, long)
	}
	if claim, pod := r.Text("data-cart-0"), r.Text("cart-0"); claim != "data-"+pod {
		t.Errorf("the claim of %s is %s", pod, claim)
	}
	uid := "8a4a5c4e-6f7b-4c1d-9e2f-0a1b2c3d4e5f"
	if a, b := r.Text("pvc-"+uid), r.Text(strings.ReplaceAll(uid, "-", "_")); strings.ReplaceAll(a, "-", "_") != "pvc_"+b {
		t.Errorf("%s is not %s", a, b)
	}
	network := func(s string) string { return s[:strings.LastIndexByte(s, '.')] }
	a, b, c := r.Text("10.1.2.3"), r.Text("10.1.2.4"), r.Text("10.9.2.4")
	if network(a) != network(b) || network(a) == network(c) || !strings.HasPrefix(a, "10.") {
		t.Errorf("the networks of %s, %s and %s", a, b, c)
	}
	if again := shop("10.1.2.3 10.1.2.4 10.9.2.4"); again.Text("petunia/cart-0 10.1.2.3") != r.Text("petunia/cart-0 10.1.2.3") {
		t.Error("a second run has other tokens")
	}
}

// Another bundle gets the same tokens from the mapping of the first.
func TestMappingGoesOn(t *testing.T) {
	first := shop("10.1.2.3 52:54:00:ab:cd:ef rosa@hortensia.com")
	text := "petunia cart-0 worker-1 10.1.2.3 52:54:00:ab:cd:ef rosa@hortensia.com 8a4a5c4e-6f7b-4c1d-9e2f-0a1b2c3d4e5f"
	want := first.Text(text)
	l := NewLearner(nil, first.Mapping())
	l.Name(Namespace, "aster")
	l.Text("10.1.2.9 10.200.1.1")
	second := l.Redactor()
	if got := second.Text(text); got != want {
		t.Errorf("%s, and with its mapping %s", want, got)
	}
	if got := second.Text("aster 10.1.2.9"); strings.Contains(got, "aster") || strings.Contains(got, "10.1.2.9") || strings.Contains(want, strings.Fields(got)[0]) {
		t.Errorf("what is new became %s", got)
	}
}

// Data of Secrets, variables and passwords go wherever they stand.
func TestConceal(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"yaml": {
			"apiVersion: v1\ndata:\n  key: c2VjcmV0\n  file: |\n    line one\nkind: Secret\nmetadata:\n  name: a\n",
			"apiVersion: v1\ndata:\n  key: xxxxxxxx\n  file: |\n    xxxxxxxx\nkind: Secret\nmetadata:\n  name: a\n",
		},
		"yaml list": {
			"items:\n- apiVersion: v1\n  data:\n    a: bGVhaw==\n  kind: Secret\n- apiVersion: v1\n  data:\n    a: stays\n  kind: Other\n",
			"items:\n- apiVersion: v1\n  data:\n    a: xxxxxxxx\n  kind: Secret\n- apiVersion: v1\n  data:\n    a: stays\n  kind: Other\n",
		},
		"json": {
			`{"data":{"a":"bGVhaw=="},"kind":"Secret","type":"Opaque"} {"data":{"a":"stays"},"kind":"Other"}`,
			`{"data":{"a":"xxxxxxxx"},"kind":"Secret","type":"Opaque"} {"data":{"a":"stays"},"kind":"Other"}`,
		},
		"json that is cut": {
			`{"apiVersion":"v1","items":[{"data":{"a":"c3RheXM="},"kind":"Other"},{"apiVersion":"v1","data":{"a":"bGVhaw==","b":{"c":["aGFsZg`,
			`{"apiVersion":"v1","items":[{"data":{"a":"c3RheXM="},"kind":"Other"},{"apiVersion":"v1","data":{"a":"xxxxxxxx","b":{"c":["xxxxxx`,
		},
		"json that breaks": {
			"{\"kind\":\"Secret\",\"data\":{\"a\":\"bGVhaw==\",\"b\":\"aGFsZg\n\"c\":\"d\"}}\nnext\n",
			"{\"kind\":\"Secret\",\"data\":{\"a\":\"xxxxxxxx\",\"b\":\"xxxxxx\n\"c\":\"d\"}}\nnext\n",
		},
		"json that closes what it did not open": {`{"kind":"Secret","data":{"a":"bGVhaw=="]}}`, `{"kind":"Secret","data":{"a":"xxxxxxxx"]}}`},
		"env that is cut":                       {`{"env":["A=secret","B=half`, `{"env":["A=xxxxxx","B=xxxx`},
		"indented json": {
			"{\n  \"metadata\": {\n    \"annotations\": {\n      \"kubectl.kubernetes.io/last-applied-configuration\": \"{\\\"a\\\"}\",\n      \"b\": \"c\"\n    }\n  },\n  \"data\": {\n    \"k\": \"leak\"\n  },\n  \"kind\": \"Secret\"\n}\n",
			"{\n  \"metadata\": {\n    \"annotations\": {\n      \"kubectl.kubernetes.io/last-applied-configuration\": \"x\\\"x\\\"x\",\n      \"b\": \"c\"\n    }\n  },\n  \"data\": {\n    \"k\": \"xxxx\"\n  },\n  \"kind\": \"Secret\"\n}\n",
		},
		"env in yaml": {
			"    env:\n    - name: A\n      value: \"one two\"\n    - name: KUBERNETES_PORT\n      value: \"6443\"\n    image: a\n",
			"    env:\n    - name: A\n      value: \"xxxxxxx\"\n    - name: KUBERNETES_PORT\n      value: \"6443\"\n    image: a\n",
		},
		"env in json": {`{"env":["A=secret","PATH=/bin"],"envs":[{"key":"B","value":"c"}]}`, `{"env":["A=xxxxxx","PATH=/bin"],"envs":[{"key":"B","value":"x"}]}`},
		"describe":    {"    Environment:\n      A:  secret\n      B:  <set to the key 'b' in secret 'c'>\n    Mounts:  <none>\n", "    Environment:\n      A:  xxxxxx\n      B:  <set to the key 'b' in secret 'c'>\n    Mounts:  <none>\n"},
		"pem":         {"-----BEGIN PRIVATE KEY-----\nMIIEvQ==\n-----END PRIVATE KEY-----\n", "-----BEGIN PRIVATE KEY-----\nxxxxxxxx\n-----END PRIVATE KEY-----\n"},
		"flag":        {"etcd --password hunter2 --name a", "etcd --password xxxxxxx --name a"},
		"json log":    {`{"msg":"login","password":"hunter2","ok":true}`, `{"msg":"login","password":"xxxxxxx","ok":true}`},
		"no secret":   {`MountVolume.SetUp failed for volume "a" : secret "b" not found; password: <nil>`, `MountVolume.SetUp failed for volume "a" : secret "b" not found; password: <nil>`},
	} {
		if got := conceal(c.text, nil); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestPlaces(t *testing.T) {
	p := places{}
	for _, c := range []struct{ path, want string }{
		{"a/b", "a/b"}, {"a/b", "a/b~2"}, {"a", "a~2"}, {"a/b/c", "a/b~2~2/c"}, {"a/b/d", "a/b~2~2/d"}, {"x", "x"}, {"x/y", "x~2/y"},
	} {
		if got := p.take(c.path); got != c.want {
			t.Errorf("%s is put to %s, want %s", c.path, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		`I1130 08:21:32.908842 161 kubelet.go:2604] "SyncLoop DELETE" source="api" pods=["petunia/cart-0","petunia/tigerlily-5f7d8c9b4d-x7k2p"]`,
		"kind: Secret\ndata:\n  a: b\n- env:\n  - name: A\n    value: |\n      x\n", `{"kind":"Secret","data":{"a":{"b":["c"]}},"env":["A=b"]}`,
		"10.1.2.3 fe80::1 ::ffff:10.0.0.1 52:54:00:ab:cd:ef a@b.com eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ0aWdlcmxpbHkifQ.x https://a:b@c/ password=x\\",
		"8a4a5c4e-6f7b-4c1d-9e2f-0a1b2c3d4e5f pod8a4a5c4e_6f7b_4c1d_9e2f_0a1b2c3d4e5f \\x2d cGV0dW5pYS9jYXJ0LTA= %2 \\u00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r := shop(text)
		got := r.Text(text)
		if len(got) < len(text) || strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q became %q", text, got)
		}
		NewWatch(r).Find(got)
		r.Mapping()
	})
}
