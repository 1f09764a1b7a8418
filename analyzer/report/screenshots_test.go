package report_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const screenshots = "../../docs/screenshots"

// screenshot is one picture of a page in the documents.
type screenshot struct {
	file                 string
	width, height, scale int64
	mobile               bool
	colors, media        string
}

var shots = []screenshot{
	{"light.png", 1280, 1640, 1, false, "light", "screen"},
	{"dark.png", 1280, 1640, 1, false, "dark", "screen"},
	{"phone.png", 375, 1500, 2, true, "light", "screen"},
	{"print.png", 794, 1123, 1, false, "light", "print"}, // A4
}

// terminalShot is the picture of the report in a terminal.
const terminalShot = "terminal.png"

// The pictures in docs/screenshots are of the report as it is now. They are
// taken by `make screenshots`, which needs Chromium; that they are fresh is
// told by a digest of what they show: how the page looks, not what it says, and
// what the terminal shows.
func TestScreenshots(t *testing.T) {
	sum := sha256.New()
	for _, f := range []string{"html/report.html.tmpl", "html/report.css", "html/report.js", terminalReport} {
		data, err := os.ReadFile(filepath.FromSlash(f))
		if err != nil {
			t.Fatal(err)
		}
		sum.Write(data)
	}
	now := hex.EncodeToString(sum.Sum(nil)) + "\n"
	mark := filepath.Join(screenshots, "made-from.sha256")
	if !*update {
		stored, err := os.ReadFile(mark)
		if err != nil {
			t.Fatal(err)
		}
		if string(stored) != now {
			t.Error("docs/screenshots show an older report: make screenshots takes them again")
		}
		return
	}
	if os.Getenv("CI") != "" {
		t.Fatal("-update is not for CI: pictures are reviewed")
	}
	ctx := tab(browser(t), t)
	url := opened(t, htmlOf(t, incident(t, "cni-teardown-fails")))
	for _, s := range shots {
		call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: s.width, Height: s.height, DeviceScaleFactor: float64(s.scale), Mobile: s.mobile})
		call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: s.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.colors}},
		})
		do(ctx, t, chromedp.Navigate("about:blank"), chromedp.Navigate(url))
		if s.media == "print" { // the sheet has margins, which the window has not
			ask[string](ctx, t, `document.body.style.padding = '53px 45px 0'`)
		}
		shoot(ctx, t, s.file)
	}
	text, err := os.ReadFile(terminalReport)
	if err != nil {
		t.Fatal(err)
	}
	do(ctx, t, chromedp.Navigate(opened(t, terminalPage(t, string(text)))))
	call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Media: "screen"})
	width := ask[int64](ctx, t, `Math.ceil(document.querySelector('pre').getBoundingClientRect().width)`)
	height := ask[int64](ctx, t, `Math.ceil(document.querySelector('pre').getBoundingClientRect().height)`)
	call(ctx, t, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{Width: width, Height: height, DeviceScaleFactor: 1})
	shoot(ctx, t, terminalShot)
	if err := os.WriteFile(mark, []byte(now), 0o644); err != nil {
		t.Fatal(err)
	}
}

func shoot(ctx context.Context, t *testing.T, file string) {
	t.Helper()
	picture, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(screenshots, file), picture.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Every picture is there and is one.
func TestScreenshotsExist(t *testing.T) {
	files := []string{terminalShot}
	for _, s := range shots {
		files = append(files, s.file)
	}
	for _, file := range files {
		data, err := os.ReadFile(filepath.Join(screenshots, file))
		if err != nil {
			t.Error(err)
		} else if !strings.HasPrefix(string(data), "\x89PNG") {
			t.Errorf("%s is no PNG", file)
		}
	}
}
