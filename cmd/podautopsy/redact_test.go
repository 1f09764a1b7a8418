package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podautopsy/parsers/redact"
)

// planted are a file of a bundle and what must not be left of it.
var planted = map[string]string{
	"cluster/secrets.yaml": `apiVersion: v1
items:
- apiVersion: v1
  data:
    password: aHVudGVyMi1pcy1sb25n
    config.json: |
      {"user": "batman-and-robin"}
  kind: Secret
  metadata:
    annotations:
      kubectl.kubernetes.io/last-applied-configuration: |
        {"apiVersion":"v1","data":{"pin":"cGluLTQ3MTEtcGlu"},"kind":"Secret"}
    name: tigerlily-credentials
    namespace: petunia
- apiVersion: v1
  kind: Pod
  metadata:
    name: tigerlily-5f7d8c9b4d-x7k2p
    namespace: petunia
    uid: 1f0e9d8c-7b6a-4958-8473-625140f3e2d1
  spec:
    containers:
    - env:
      - name: GREETING
        value: "good morning vietnam"
      - name: DB_PASSWORD
        value: correct-horse-battery
      image: registry.hortensia-corp.com:5000/magnolia/tigerlily:1.2
      name: app
    nodeName: gardenia-07.hortensia-corp.com
  status:
    podIP: 10.91.17.23
kind: List
`,
	"cluster/secret.json": `{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","data":{"key":"c2VjcmV0LWluLWpzb24h"},"kind":"Secret","metadata":{"name":"tigerlily-tls","namespace":"petunia"}}]}
`,
	"node/app.log": `2026-11-30T08:22:00Z calling https://alice:wonderland99@db.hortensia-corp.com:5432/x as rosa.luxemburg@hortensia-corp.com
2026-11-30T08:22:01Z from 10.91.17.23 via 2a01:4f8:c17:b8f::2 (52:54:00:ab:cd:ef) to 203.0.113.77 host gardenia-07 ip-10-91-17-23
2026-11-30T08:22:02Z Authorization: Bearer eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ0aWdlcmxpbHkifQ.c2lnbmF0dXJlLW9mLWl0
2026-11-30T08:22:03Z AWS_ACCESS_KEY_ID=AKIAQ7ZLMNOPQRSTUVWX password=opensesame77 --token 0123abcdef456789abcd
2026-11-30T08:22:04Z connected with correct-horse-battery and hunter2-is-long
-----BEGIN PRIVATE ` + `KEY-----
MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7
-----END PRIVATE KEY-----
`,
}

var plantedOriginals = []string{
	"hunter2-is-long", "tigerlily", "petunia", "correct-horse-battery", "hortensia-corp", "magnolia", "gardenia-07", "secret-in-json!", "wonderland99", "rosa.luxemburg", "10.91.17.23", "10-91-17-23", "2a01:4f8:c17:b8f::2", "52:54:00:ab:cd:ef",
	"203.0.113.77", "c2lnbmF0dXJlLW9mLWl0", "AKIAQ7ZLMNOPQRSTUVWX", "opensesame77", "0123abcdef456789abcd", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7",
	"1f0e9d8c-7b6a-4958-8473-625140f3e2d1",
}

// plantedInPlace are taken out where they stand, for there is nothing about
// them that would tell them from other words.
var plantedInPlace = []string{"batman-and-robin", "good morning vietnam", "cGluLTQ3MTEtcGlu", "alice:"}

// fiveSpellings are those in which an original must not be found.
func fiveSpellings(text string) []string {
	quoted, _ := json.Marshal(text)
	return []string{
		text, strings.ToLower(text), strings.ToUpper(text), url.QueryEscape(text), string(bytes.Trim(quoted, `"`)),
		strings.TrimRight(base64.StdEncoding.EncodeToString([]byte(text)), "="),
	}
}

// plant adds what must not be given away to a copy of a bundle.
func plant(t *testing.T, input string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "bundle")
	if err := os.CopyFS(dir, os.DirFS(input)); err != nil {
		t.Fatal(err)
	}
	for name, text := range planted {
		path := filepath.Join(dir, "planted", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".log") { // every spelling, in the middle of lines
			for _, o := range plantedOriginals {
				for _, s := range fiveSpellings(o) {
					text += "2026-11-30T08:23:00Z got \"" + s + "\" and x=" + s + "\n"
				}
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// bundlesToRedact are the fixtures, and what else there is beside the
// repository; a few of them unless all are asked for.
func bundlesToRedact(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../../fixtures/*/input", "../../../shared/lab/*/input", "../../../shared/cases/*/input", "../../../shared/lab-bundles/*/engineer"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		every := 1
		if os.Getenv("ROBUSTNESS") != "full" {
			every = 6
		}
		for i, path := range found {
			if i%every == 0 {
				all = append(all, path)
			}
		}
	}
	return all
}

// sosreports are what else there is to redact: real archives of sos, and what
// is left of some as others test with them. They are large, so just one is
// taken unless all are asked for.
func sosreports(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, pattern := range []string{"../../../shared/realdata/*/tests/unit/fake_data_root/*/sos_commands", "../../../shared/realdata/*/tests/unit/fake_data_root/*/*/sos_commands"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			all = append(all, filepath.Dir(path))
		}
	}
	archives, err := filepath.Glob("../../../shared/lab-bundles/*/sosreport-*.tar.xz")
	if err != nil {
		t.Fatal(err)
	}
	if all = append(all, archives...); len(all) == 0 {
		t.Skip("no sosreports in ../shared")
	}
	if os.Getenv("ROBUSTNESS") != "full" {
		all = all[:1]
	}
	return all
}

// redact fails by itself where an original is left or a verdict differs.
func TestRedactSosreports(t *testing.T) {
	for _, input := range sosreports(t) {
		t.Run(filepath.Base(input), func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			var stdout, stderr bytes.Buffer
			c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
			if code := c.run(context.Background(), []string{"redact", input, "--out", out}); code != 0 {
				t.Fatalf("exit code %d: %s", code, stderr.String())
			}
			data, err := os.ReadFile(out + ".map.json")
			if err != nil {
				t.Fatal(err)
			}
			mapping, err := redact.ReadMapping(data)
			if err != nil {
				t.Fatal(err)
			}
			var nodes []string // looked for without the program's own means
			for _, e := range mapping.Entries {
				if e.Class == redact.Node && len(e.Original) >= 8 {
					nodes = append(nodes, fiveSpellings(e.Original)...)
				}
			}
			err = fs.WalkDir(os.DirFS(out), ".", func(name string, entry fs.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				data, err := os.ReadFile(filepath.Join(out, name))
				for _, s := range nodes {
					if bytes.Contains(data, []byte(s)) || strings.Contains(name, s) {
						t.Errorf("%s still holds %q", name, s)
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

// What is planted in a bundle is in its copy in none of its spellings, and the
// verdicts are those of the bundle: redact itself fails where they are not.
func TestRedact(t *testing.T) {
	for _, input := range bundlesToRedact(t) {
		t.Run(filepath.Base(filepath.Dir(input)), func(t *testing.T) {
			t.Parallel()
			out := filepath.Join(t.TempDir(), "out")
			run := func(args ...string) string {
				t.Helper()
				var stdout, stderr bytes.Buffer
				c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
				if code := c.run(context.Background(), args); code != 0 {
					t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
				}
				return stdout.String()
			}
			bundle := plant(t, input)
			run("redact", bundle, "--out", out)
			info, err := os.Stat(out + ".map.json")
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("the mapping is not private: %v, %v", info.Mode(), err)
			}
			secret := slices.Clone(plantedInPlace)
			for _, o := range plantedOriginals {
				secret = append(secret, fiveSpellings(o)...)
			}
			err = fs.WalkDir(os.DirFS(out), ".", func(name string, entry fs.DirEntry, err error) error {
				if err != nil || entry.IsDir() {
					return err
				}
				data, err := os.ReadFile(filepath.Join(out, name))
				for _, s := range secret {
					if at := bytes.Index(data, []byte(s)); at >= 0 {
						t.Errorf("%s still holds %q: %q", name, s, data[max(0, at-60):min(len(data), at+len(s)+20)])
					}
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			report := run("analyze", bundle, "--redact=strict", "-o", "json")
			for _, s := range secret {
				if strings.Contains(report, s) {
					t.Errorf("the report still holds %q", s)
				}
			}
		})
	}
}
