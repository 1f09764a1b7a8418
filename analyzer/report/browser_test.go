package report_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

// browser starts Debian's Chromium, or skips the test where there is none. It
// is a fresh one without network services, and it is gone with the test.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium (apt-get install chromium): the page is not looked at in a browser")
	}
	profile, err := os.MkdirTemp("", "podautopsy-browser-") //nolint:usetesting // Chromium still writes into it while it ends, which TempDir takes for a failure
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	allocator, stop := chromedp.NewExecAllocator(context.Background(),
		chromedp.ExecPath(path), chromedp.UserDataDir(profile), chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("hide-scrollbars", true),
	)
	t.Cleanup(stop)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	do(ctx, t) // starts it
	return ctx
}

// tab is a fresh one, in which a hung page fails the test.
func tab(browser context.Context, t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	do(ctx, t)
	ctx, cancel = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func do(ctx context.Context, t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// ask evaluates an expression in the page.
func ask[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatalf("%s: %v", expression[:min(len(expression), 200)], err)
	}
	return v
}

// call sends a command that has no action of its own.
func call[P, R any](ctx context.Context, t *testing.T, command cdp.Command[P, R], params P) {
	t.Helper()
	if _, err := chromedp.Call(ctx, command, params); err != nil {
		t.Fatal(err)
	}
}

func phone(ctx context.Context, t *testing.T) {
	t.Helper()
	call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 375, Height: 812, DeviceScaleFactor: 2, Mobile: true})
}

func desk(ctx context.Context, t *testing.T) {
	t.Helper()
	call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: 1280, Height: 800, DeviceScaleFactor: 1})
}

func scheme(ctx context.Context, t *testing.T, name string) {
	t.Helper()
	call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}}})
}

// opened is a page as a reader opens it: a file beside the ticket.
func opened(t *testing.T, page []byte) (url string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// complaints are what the browser says against a page: violations of its
// policy, script errors, loads from elsewhere.
func complaints(ctx context.Context, t *testing.T, home string) func() []string {
	t.Helper()
	var mu sync.Mutex
	var out []string
	add := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		out = append(out, s)
	}
	if err := chromedp.Listen(ctx, func(ev any) {
		switch ev := ev.(type) {
		case *cdplog.EventEntryAdded:
			add(string(ev.Entry.Source) + ": " + ev.Entry.Text)
		case *runtime.EventExceptionThrown:
			add("exception: " + ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			add("console: " + string(ev.Type))
		case *network.EventRequestWillBeSent:
			if u := ev.Request.URL; !strings.HasPrefix(u, home) && !strings.HasPrefix(u, "data:,") {
				add("request: " + u)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	call(ctx, t, cdplog.Enable, cdp.Empty{})
	call(ctx, t, runtime.Enable, cdp.Empty{})
	call(ctx, t, network.Enable, network.EnableParams{})
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(out)
	}
}

func htmlOf(t *testing.T, doc *analyzer.Document) []byte {
	t.Helper()
	return render(t, func(b *bytes.Buffer) error { return report.HTML(b, doc, report.Options{}) })
}

// pages are reports to look at: those of the fixtures with most in them, those
// of this package, and one with hostile text in every string.
func pages(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{"hostile": htmlOf(t, poisoned(6)), "script": htmlOf(t, scripted())}
	for name, doc := range documents(t) {
		out[name] = htmlOf(t, doc)
	}
	for _, name := range htmlFixtures {
		out[name] = htmlOf(t, incident(t, name))
	}
	return out
}

// incident is the stored report on a fixture.
func incident(t *testing.T, name string) *analyzer.Document {
	t.Helper()
	return document(t, filepath.Join("../../fixtures", name, "want/report.json"))
}

// attacks are what a log line may hold to get out of its place in the page.
var attacks = []string{
	`</script><script>document.title='owned'</script>`, `<img src=x onerror="document.title='owned'">`, `"><svg onload="document.title='owned'">`,
	`javascript:document.title='owned'`, `</style><style>body{display:none}</style>`, `' onfocus='document.title="owned"' autofocus x='`,
	`<!--`, `]]>`, `{{.}}`, `</pre></title><base href="//evil.example/">`, "\u202egnp.exe", "\x1b[31mred\x1b[0m", "&lt;b&gt;",
}

// scripted is a document whose every string attacks the page.
func scripted() *analyzer.Document {
	doc := poisoned(3)
	n := 0
	replaceStrings(doc, func(string) string {
		n++
		return attacks[n%len(attacks)] + attacks[(n/2)%len(attacks)]
	})
	doc.Subjects[0].Outcome, doc.Subjects[0].Evidence = analyzer.Stuck, []string{doc.Evidence[0].ID}
	return doc
}

func TestPagesInABrowser(t *testing.T) {
	chromium := browser(t)
	for name, page := range pages(t) {
		t.Run(name, func(t *testing.T) {
			ctx := tab(chromium, t)
			url := opened(t, page)
			said := complaints(ctx, t, url)
			phone(ctx, t)
			do(ctx, t, chromedp.Navigate(url))
			width, inner := ask[int](ctx, t, `document.documentElement.scrollWidth`), ask[int](ctx, t, `innerWidth`)
			// What is wider than the page must be in something that scrolls by itself.
			outside := ask[[]string](ctx, t, `[...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll, .defs, .hide, .skip, thead, svg, script') &&
				e.getBoundingClientRect().right > 376).slice(0, 5).map(e => e.tagName + ' ' + e.className + ' ' + e.textContent.slice(0, 60))`)
			if width > 375 || inner != 375 || len(outside) > 0 {
				t.Errorf("at 375 px the page is %d wide (window %d): %q", width, inner, outside)
			}
			if title := ask[string](ctx, t, `document.title`); strings.HasPrefix(title, "owned") {
				t.Error("text of the report ran as a script")
			}
			if n := ask[int](ctx, t, `document.querySelectorAll('img, iframe, object, embed, base, form, [onerror], [onload], [onfocus]').length`); n != 0 {
				t.Errorf("text of the report became markup: %d elements", n)
			}
			if n := ask[int](ctx, t, `document.scripts.length`); n != 1 {
				t.Errorf("%d scripts", n)
			}
			if complaint := said(); len(complaint) > 0 {
				t.Errorf("the browser complains: %q", complaint)
			}
		})
	}
}

// The policy is what stops a script that got in all the same, and the test
// above hears of it.
func TestThePolicyHolds(t *testing.T) {
	ctx := tab(browser(t), t)
	page := bytes.Replace(htmlOf(t, documents(t)["finalizer-held"]), []byte("<main id=main>"),
		[]byte(`<main id=main><script>document.title='owned'</script><img src="file:///beacon.png">`), 1)
	url := opened(t, page)
	heard := complaints(ctx, t, url)
	do(ctx, t, chromedp.Navigate(url))
	if title := ask[string](ctx, t, `document.title`); title == "owned" {
		t.Error("the policy let a script pass")
	}
	said := strings.Join(heard(), "\n")
	for _, directive := range []string{"script-src", "img-src"} {
		if !strings.Contains(said, directive) {
			t.Errorf("no violation of %s was reported: %s", directive, said)
		}
	}
}

// With the keyboard alone every piece of evidence can be reached, both in the
// lanes and in the text.
func TestKeyboardReachesAllEvidence(t *testing.T) {
	chromium := browser(t)
	for _, name := range []string{"cni-teardown-fails", "finalizer-and-kubelet-down"} {
		t.Run(name, func(t *testing.T) {
			doc := incident(t, name)
			ctx := tab(chromium, t)
			url := opened(t, htmlOf(t, doc))
			desk(ctx, t)
			do(ctx, t, chromedp.Navigate(url))
			// Real presses of Tab, from the top to the end of the page.
			stops := ask[int](ctx, t, `[...document.querySelectorAll('a, button, input, [tabindex]')].filter(e => e.tabIndex >= 0).length`)
			var reached, lanes []string
			for range stops + 1 {
				do(ctx, t, chromedp.KeyEvent(kb.Tab))
				at := ask[[]string](ctx, t, `(e => [e.getAttribute('href') || '', e.closest('.lanes') ? 'lane' : ''])(document.activeElement)`)
				id := strings.TrimPrefix(at[0], "#")
				if at[1] == "" {
					reached = append(reached, id)
					continue
				}
				// In a lane the right arrow walks on.
				for id != "" && !slices.Contains(lanes, id) {
					lanes = append(lanes, id)
					do(ctx, t, chromedp.KeyEvent(kb.ArrowRight))
					id = strings.TrimPrefix(ask[string](ctx, t, `document.activeElement.getAttribute('href') || ''`), "#")
				}
			}
			for _, e := range doc.Evidence {
				if cited(doc, e.ID) && !slices.Contains(reached, e.ID) {
					t.Errorf("%s cannot be reached in the text", e.ID)
				}
			}
			for _, id := range ask[[]string](ctx, t, `[...document.querySelectorAll('.lanes a')].map(a => a.getAttribute('href').slice(1))`) {
				if !slices.Contains(lanes, id) {
					t.Errorf("%s cannot be reached in the lanes", id)
				}
			}
			// Enter leads to the quotation.
			id := ask[string](ctx, t, `(a => { a.focus(); return a.getAttribute('href'); })(document.querySelector('.lanes a.root'))`)
			do(ctx, t, chromedp.KeyEvent(kb.Enter))
			if hash := ask[string](ctx, t, `location.hash`); hash != id {
				t.Errorf("Enter on %q leads to %q", id, hash)
			}
			if !ask[bool](ctx, t, `(r => r.top >= 0 && r.top < innerHeight)(document.querySelector(':target').getBoundingClientRect())`) {
				t.Error("the quotation is not in sight")
			}
		})
	}
}

// cited says whether a subject refers to a piece of evidence.
func cited(doc *analyzer.Document, id string) bool {
	for i := range doc.Subjects {
		s := &doc.Subjects[i]
		if slices.Contains(s.Evidence, id) || slices.ContainsFunc(s.Causes, func(c analyzer.CauseVerdict) bool { return slices.Contains(c.For, id) }) {
			return true
		}
	}
	return false
}

// The controls of the lanes do what they say.
func TestLaneControls(t *testing.T) {
	ctx := tab(browser(t), t)
	url := opened(t, htmlOf(t, incident(t, "cni-teardown-fails")))
	desk(ctx, t)
	do(ctx, t, chromedp.Navigate(url))
	width := func() int { return ask[int](ctx, t, `document.querySelector('.time').clientWidth`) }
	height := func() int { return ask[int](ctx, t, `document.querySelector('.time').clientHeight`) }
	shown := func() int {
		return ask[int](ctx, t, `[...document.querySelectorAll('.events tbody tr')].filter(r => !r.hidden).length`)
	}
	press := func(label string) { do(ctx, t, chromedp.Click(chromedp.CSS(`.tools button[aria-label^="`+label+`"]`))) }

	whole := width()
	press("zoom in")
	press("zoom in")
	if w := width(); w < 2*whole {
		t.Errorf("%d wide after zooming in, %d before", w, whole)
	}
	do(ctx, t, chromedp.Focus(chromedp.CSS(`.scroll`)), chromedp.KeyEvent("0"))
	if w := width(); w != whole {
		t.Errorf("%d wide after the key 0, not %d", w, whole)
	}

	tall, all := height(), shown()
	press("show the lane CNI")
	gone := ask[int](ctx, t, `[...document.querySelectorAll('.arrow')].filter(a => a.style.display === 'none').length`)
	if height() >= tall || shown() >= all || gone == 0 {
		t.Errorf("without a lane: %d of %d high, %d of %d events, %d arrows gone", height(), tall, shown(), all, gone)
	}
	press("show the lane CNI")

	do(ctx, t, chromedp.SendKeys(chromedp.CSS(`.tools input`), "plugin"))
	if n := shown(); n == 0 || n >= all {
		t.Errorf("the filter shows %d of %d events", n, all)
	}

	// A colleague's link opens the event, in the lanes too.
	event := ask[string](ctx, t, `document.querySelector('.lanes g.lane a:not([class])').getAttribute('href')`)
	do(ctx, t, chromedp.Navigate("about:blank"), chromedp.Navigate(url+event))
	if at := ask[string](ctx, t, `document.querySelector('.lanes a.here').getAttribute('href') + ' ' + document.querySelector(':target').id`); at != event+" "+event[1:] {
		t.Errorf("the link %s shows %q", event, at)
	}
}

// Without scripts everything is there.
func TestWithoutScripts(t *testing.T) {
	ctx := tab(browser(t), t)
	url := opened(t, htmlOf(t, documents(t)["finalizer-held"]))
	call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	do(ctx, t, chromedp.Navigate(url))
	text := ask[string](ctx, t, `document.querySelector('main').innerText`)
	for _, want := range []string{
		"Since when?", "Why?", "Force delete now?", "What to do next", "Stages of the deletion", "Timeline", "Evidence", "Ruled out", "Every event", "Custody",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown", want)
		}
	}
	if n := ask[int](ctx, t, `document.querySelectorAll('.lanes a').length`); n == 0 {
		t.Error("no marks in the lanes")
	}
	if n := ask[int](ctx, t, `document.querySelectorAll('button, input').length`); n != 0 {
		t.Errorf("%d controls that do nothing", n)
	}
}

// A reader at three in the morning sees the five answers without scrolling.
func TestFirstScreen(t *testing.T) {
	ctx := tab(browser(t), t)
	desk(ctx, t)
	for _, name := range htmlFixtures {
		doc := incident(t, name)
		if len(doc.Subjects) != 1 {
			continue
		}
		url := opened(t, htmlOf(t, doc))
		do(ctx, t, chromedp.Navigate(url))
		below := ask[[]string](ctx, t, `[...document.querySelectorAll('h1, .lead, .answers, .steps > li:first-child')]
			.filter(e => e.getBoundingClientRect().bottom > innerHeight).map(e => e.className || e.tagName)`)
		if len(below) > 0 {
			t.Errorf("%s: below the first screen: %q", name, below)
		}
	}
}

// axe-core is what the web tests accessibility with. It is no part of the
// repository; npm fetches it, and where it cannot the test is skipped.
const axePackage = "axe-core@4.10.3"

func axeSource(t *testing.T) string {
	t.Helper()
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("no npm: accessibility is not checked with axe-core")
	}
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", dir, "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", axePackage)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Skipf("npm cannot fetch %s, so accessibility is not checked: %v\n%s", axePackage, err, out)
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules/axe-core/axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(source)
}

func TestAccessibility(t *testing.T) {
	chromium := browser(t)
	axe := axeSource(t)
	all := pages(t)
	// One page for each part that a page may have; a run takes seconds.
	for _, name := range []string{"runtime-hung", "nothing", "cni-teardown-fails", "force-delete--container-runs-on"} {
		for _, colors := range []string{"light", "dark"} {
			t.Run(name+" "+colors, func(t *testing.T) {
				ctx := tab(chromium, t)
				url := opened(t, all[name])
				scheme(ctx, t, colors)
				do(ctx, t, chromedp.Navigate(url))
				// By the debugger, which the page's policy does not bind.
				ask[bool](ctx, t, axe+"; true")
				type violation struct {
					ID     string `json:"id"`
					Impact string `json:"impact"`
					Help   string `json:"help"`
					Where  string `json:"where"`
				}
				for _, v := range ask[[]violation](ctx, t, `axe.run(document, { resultTypes: ['violations'] }).then(r => r.violations.map(v =>
					({ id: v.id, impact: v.impact, help: v.help, where: v.nodes.length + ' places: ' + v.nodes[0].html.slice(0, 300) + ' ' + v.nodes[0].failureSummary })))`) {
					say := t.Logf
					if v.Impact == "serious" || v.Impact == "critical" {
						say = t.Errorf
					}
					say("%s (%s): %s: %s", v.ID, v.Impact, v.Help, v.Where)
				}
			})
		}
	}
}
