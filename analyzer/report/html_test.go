package report_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"html"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"podautopsy/analyzer"
)

// htmlFixtures are the incidents whose pages are stored: one for each shape
// that a report has.
var htmlFixtures = []string{
	"cni-teardown-fails",                  // many events over all lanes
	"finalizer-and-kubelet-down",          // two causes
	"finalizer-no-controller",             // held by the API alone
	"force-delete--container-runs-on",     // something left behind
	"foreground-deletion-waits",           // two subjects
	"healthy--draining",                   // nothing is wrong
	"namespace-configmap-finalizer",       // no pod
	"clock-behind-after-reboot",           // clocks that differ, a consequence
	"operator-loses-its-permission",       // a cause and what follows from it
	"statefulset-twin-after-force-delete", // no timeline
}

// The page's own style and script are the same in all pages: they are left out
// of what is stored.
var htmlConstant = regexp.MustCompile(`(?s)(<style>).*?(</style>)|(<script>).*?(</script>)|'sha256-[^']*'|&#39;sha256-.*?&#39;`)

func TestGoldenHTML(t *testing.T) {
	store := func(name string, doc *analyzer.Document) {
		t.Run(name, func(t *testing.T) {
			page := htmlOf(t, doc)
			if !bytes.Equal(page, htmlOf(t, doc)) {
				t.Error("the page differs from run to run")
			}
			golden(t, filepath.Join("testdata", name+".html"), htmlConstant.ReplaceAll(page, []byte("$1$2$3$4")))
		})
	}
	for name, doc := range documents(t) {
		store(name, doc)
	}
}

// A page says itself what may run in it, and that is what runs.
func TestPolicyFitsThePage(t *testing.T) {
	page := string(htmlOf(t, documents(t)["finalizer-held"]))
	meta := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)
	if meta == nil {
		t.Fatal("no policy")
	}
	policy := html.UnescapeString(meta[1])
	for directive, element := range map[string]string{"style-src": "style", "script-src": "script"} {
		_, rest, found := strings.Cut(page, "<"+element+">")
		body, _, closed := strings.Cut(rest, "</"+element+">")
		if !found || !closed || strings.Count(page, "<"+element) != 1 {
			t.Fatalf("not one %s", element)
		}
		sum := sha256.Sum256([]byte(body))
		if want := directive + " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"; !strings.Contains(policy, want) {
			t.Errorf("the policy %q lacks %q", policy, want)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") {
		t.Errorf("a loose policy: %q", policy)
	}
	if m := regexp.MustCompile(`\s(style|on[a-z]+)=`).FindString(page); m != "" {
		t.Errorf("the page has %q, which its policy forbids", m)
	}
	if m := regexp.MustCompile(`(?i)(src|href)="?(https?:|//)`).FindString(page); m != "" {
		t.Errorf("the page loads %q", m)
	}
}

// Every link leads to a place in the page, and no name is given twice.
func TestLinksLeadSomewhere(t *testing.T) {
	all := pages(t)
	ids := regexp.MustCompile(`<[a-z][^<>]*\sid="?([A-Za-z0-9_-]+)`)
	links := regexp.MustCompile(`\shref="#([^"]*)"`)
	for name, page := range all {
		places := map[string]int{}
		for _, m := range ids.FindAllSubmatch(page, -1) {
			places[string(m[1])]++
		}
		for id, n := range places {
			if n > 1 {
				t.Errorf("%s: %d places called %q", name, n, id)
			}
		}
		for _, m := range links.FindAllSubmatch(page, -1) {
			if places[string(m[1])] == 0 {
				t.Errorf("%s: a link to %q, which is nowhere", name, m[1])
			}
		}
	}
}

// What the verdict cites is in the page, with its file and its text.
func TestEvidenceIsQuoted(t *testing.T) {
	for _, name := range htmlFixtures {
		doc := incident(t, name)
		page := html.UnescapeString(string(htmlOf(t, doc)))
		for _, e := range doc.Evidence {
			if !cited(doc, e.ID) {
				continue
			}
			if !strings.Contains(page, `id="`+e.ID+`"`) || !strings.Contains(page, e.File) {
				t.Errorf("%s: %s of %s is not in the page", name, e.ID, e.File)
			}
		}
	}
}

// A ticket takes the page whatever the bundle was: many subjects, many events,
// endless lines.
func TestHTMLFitsATicket(t *testing.T) {
	docs := map[string]*analyzer.Document{"subjects": poisoned(5000), "events": crowded(20_000), "two thousand": crowded(2000)}
	for name, doc := range docs {
		page := htmlOf(t, doc)
		if len(page) > 1_500_000 {
			t.Errorf("%s: %d bytes", name, len(page))
		}
		shown := bytes.Count(page, []byte("<tr id=\"")) + bytes.Count(page, []byte("<article class="))
		if strings.HasPrefix(name, "two") && shown < 2000 || name == "events" && (shown < 2000 || !bytes.Contains(page, []byte("2000 of 20000 events"))) {
			t.Errorf("%s: %d events shown", name, shown)
		}
		if !utf8.Valid(page) {
			t.Errorf("%s: not UTF-8", name)
		}
	}
}

// crowded is a report with so many events, each on a line of common length.
func crowded(n int) *analyzer.Document {
	t0 := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	node, name := "worker-1", "cart-0"
	doc := &analyzer.Document{Schema: analyzer.Schema, ReportID: "0123456789ab", Bundle: analyzer.Bundle{Layout: "kubectl", CapturedAt: &t0}}
	s := analyzer.Subject{ID: "s1", Kind: "Pod", Name: &name, Nodes: []string{node}, Outcome: analyzer.Stuck, Confidence: analyzer.High, Anchor: &analyzer.Anchor{Time: t0, Basis: "deletionTimestamp"}}
	for i := range n {
		at := t0.Add(time.Duration(i-n/2) * 731 * time.Millisecond)
		id, line := fmt.Sprintf("e%d", i+1), i+1
		component := []string{"kubelet", "containerd", "kernel", "audit"}[i%4]
		doc.Evidence = append(doc.Evidence, analyzer.Evidence{
			ID: id, Time: &at, PrecisionSeconds: 1e-6, Node: &node, Component: component, File: "node/journal-" + component + ".export", Line: &line, Count: 1,
			Text: fmt.Sprintf(`E1130 08:00:00.%06d    3543 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \"KillPodSandbox\" for \"54de89bc-3e18-4e57-9546-3478d12a1a85\" with KillPodSandboxError: \"rpc error: code = Unknown desc = failed to destroy network for sandbox" pod="shop/cart-0"`, i),
		})
		doc.Timeline = append(doc.Timeline, analyzer.Moment{
			Time: &at, Node: &node, Component: component, What: "tearing down the network of the sandbox fails, and the kubelet tries again", Evidence: &id,
			Subjects: []analyzer.SubjectMoment{{ID: "s1", SinceT0Seconds: at.Sub(t0).Seconds()}},
		})
	}
	doc.Subjects = []analyzer.Subject{s}
	return doc
}

// No text of the report steers the reader's browser or terminal.
func TestHostileHTML(t *testing.T) {
	for name, doc := range map[string]*analyzer.Document{"poisoned": poisoned(50), "scripted": scripted()} {
		page := string(htmlOf(t, doc))
		body := htmlConstant.ReplaceAllString(page, "")
		for i, r := range body {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%s: %U at %d", name, r, i)
			}
		}
		for _, bad := range []string{"<img", "<svg onload", "<base", "<!--", "<style>body", "document.title='owned'</script>"} {
			if strings.Contains(body, bad) {
				t.Errorf("%s: %q came through", name, bad)
			}
		}
	}
}

// FuzzHTML: whatever a report says, its page is sound and small.
func FuzzHTML(f *testing.F) {
	for _, s := range attacks {
		f.Add(s, "e1", int64(0))
	}
	f.Add("x", "e1 e2", int64(1<<62))
	f.Fuzz(func(t *testing.T, text, id string, nanos int64) {
		doc := poisoned(2)
		replaceStrings(doc, func(string) string { return text })
		at := time.Unix(0, nanos).UTC()
		doc.Evidence[0].ID, doc.Subjects[0].Evidence = id, []string{id, text}
		doc.Evidence[1].Time, doc.Timeline[0].Time, doc.Timeline[0].Evidence = &at, &at, &id
		page := htmlOf(t, doc)
		if len(page) > 1_500_000 || !utf8.Valid(page) || bytes.Count(page, []byte("<script")) != 1 || bytes.Count(page, []byte("<style")) != 1 {
			t.Errorf("%d bytes, %d scripts", len(page), bytes.Count(page, []byte("<script")))
		}
	})
}

// replaceStrings puts another text into every string of a document.
func replaceStrings(doc *analyzer.Document, with func(string) string) {
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				walk(v.Elem())
			}
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				return
			}
			for i := range v.NumField() {
				walk(v.Field(i))
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case reflect.String:
			v.SetString(with(v.String()))
		}
	}
	walk(reflect.ValueOf(doc).Elem())
}
