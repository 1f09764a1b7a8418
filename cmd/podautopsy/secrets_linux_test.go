package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A Secret's data reaches no output of any command, and no copy that is made
// to be given away, however the Secret came into the bundle.
func TestSecretsStaySecret(t *testing.T) {
	const canary = "c4n4ry-Zm9yIG5vYm9keSdzIGV5ZXM"
	encoded := base64.StdEncoding.EncodeToString([]byte(canary))
	const stuck = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n  namespace: shop-checkout\n  uid: 99999999-2222-4333-8444-555555550001\n  deletionTimestamp: \"2026-11-30T08:21:40Z\"\n  finalizers: [example.com/hold]\n" +
		"  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      {\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"p\":\"" + canary + "\"}}\n"
	object := `{"apiVersion":"v1","data":{"p":"` + canary + `"},"kind":"Secret","metadata":{"name":"db","namespace":"shop-checkout","deletionTimestamp":"2026-11-30T08:21:40Z","finalizers":["x"]}}`
	var audit strings.Builder
	for _, verb := range []string{"create", "update", "patch", "delete"} {
		for _, code := range []string{"200", "403"} {
			audit.WriteString(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"1","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop-checkout/secrets/db","verb":"` + verb +
				`","user":{"username":"admin"},"objectRef":{"resource":"secrets","namespace":"shop-checkout","name":"db","apiVersion":"v1"},"responseStatus":{"code":` + code + `},"requestObject":` + object + `,"responseObject":` + object +
				`,"requestReceivedTimestamp":"2026-11-30T08:21:40.000000Z","stageTimestamp":"2026-11-30T08:21:40.000000Z"}` + "\n")
			audit.WriteString(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"2","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop-checkout/pods/checkout-api-0","verb":"patch","user":{"username":"admin"},` +
				`"objectRef":{"resource":"pods","namespace":"shop-checkout","name":"checkout-api-0","apiVersion":"v1"},"responseStatus":{"code":` + code + `},"requestObject":[{"op":"add","path":"/metadata/finalizers","value":["x"]},{"op":"add","path":"/spec/containers/0/env/0","value":{"name":"P","value":"` + canary +
				`"}}],"requestReceivedTimestamp":"2026-11-30T08:21:40.000000Z","stageTimestamp":"2026-11-30T08:21:40.000000Z"}` + "\n")
		}
	}
	files := append(filesOf(t, aFixture), []packed{
		{"more/secret.yaml", []byte(stuck + "data:\n  p: " + encoded + "\nstringData:\n  q: |\n    " + canary + "\n")},
		{"more/secret-tab.yaml", []byte(stuck + "data:\n\tp: " + canary + "\n")},
		{"more/secret-quote.yaml", []byte(stuck + "data:\n  p: \"" + canary + "\n")},
		{"more/secrets.json", []byte(`{"apiVersion":"v1","items":[` + object + `],"kind":"List"}`)},
		{"more/secrets-cut.json", []byte(`{"apiVersion":"v1","items":[` + object + "," + object[:strings.Index(object, canary)+len(canary)-3])},
		{"more/kubeconfig.yaml", []byte("apiVersion: v1\nkind: Config\nusers:\n- name: admin\n  user:\n    token: " + canary + "\n    client-key-data: " + encoded + "\n")},
		{"more/audit.log", []byte(audit.String())},
		{"more/session.txt", []byte("$ date\nMon Nov 30 08:22:31 UTC 2026\n$ kubectl -n shop-checkout get secret db -o yaml\n" + stuck + "data:\n  p: " + encoded + "\n$ exit\n")},
	}...)
	dir := t.TempDir()
	forms[0].write(t, filepath.Join(dir, "bundle"), files, time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC))
	none := func(what, text string) {
		t.Helper()
		for _, form := range []string{canary[:12], encoded[:12]} {
			if i := strings.Index(text, form); i >= 0 {
				t.Errorf("%s: a secret shows: %.300q", what, text[max(0, i-150):])
			}
		}
	}
	all := []string{"analyze", "bundle", "-v", "--why"}
	for _, format := range []string{"json", "text", "markdown", "html", "junit", "sarif", "csv", "ndjson", "timesketch", "ecs", "otlp", "loki", "chrome-trace", "lnav"} {
		all = append(all, "-o", format+"=out."+format)
	}
	for _, args := range [][]string{
		all,
		{"timeline", "bundle", "--all"},
		{"timeline", "bundle", "--all", "-o", "json"},
		{"inventory", "bundle", "--files"},
		{"inventory", "bundle", "--pods"},
		{"checklist", "bundle"},
		{"diff", "bundle", "bundle"},
		{"diff", "out.json", "bundle"},
		{"analyze", "bundle", "--pod", "db"},
		{"analyze", "bundle/more/secret-tab.yaml"},
		{"analyze", "bundle/more/secret-quote.yaml"},
		{"analyze", "bundle/more/kubeconfig.yaml"},
		{"analyze", "bundle/more/secrets-cut.json"},
		{"convert", "out.json", "--why"},
		{"verify", "out.json", "--bundle", "bundle"},
		{"summarize", "out.json"},
		{"signatures", "count", "bundle"},
		{"journal", "bundle"},
		{"__complete", "analyze", "bundle", "--pod", ""},
		{"__complete", "analyze", "bundle", "-n", ""},
		{"extract", "out.json", "--bundle", "bundle", "--out", "case.tar.gz", "--map", "map1"},
		{"redact", "bundle", "--out", "copy", "--map", "map2"},
	} {
		stdout, stderr, _ := call(t, func(c *exec.Cmd) { c.Dir = dir }, args...)
		what := strings.Join(args[:2], " ")
		none(what+": stdout", stdout)
		none(what+": stderr", stderr)
	}
	made := 0
	for _, f := range filesOf(t, dir) {
		switch {
		case strings.HasPrefix(f.name, "bundle/"):
		case f.name == "case.tar.gz":
			for name, text := range members(t, filepath.Join(dir, f.name)) {
				none(f.name+": "+name, text)
			}
			made++
		default:
			none(f.name, string(f.data))
			made++
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "copy", "more", "secrets-cut.json")); errors.Is(err, fs.ErrNotExist) || made < 16 {
		t.Errorf("%d files were written; the copy: %v", made, err)
	}
}

// members are the files in a .tar.gz.
func members(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	gz, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for r := tar.NewReader(gz); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[header.Name] = string(data)
	}
}
