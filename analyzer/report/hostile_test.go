package report_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"podautopsy/analyzer"
	"podautopsy/analyzer/report"
)

const hostile = "x\x1b[2J\u202e`````\n# h @u #1 <b>|</b>\x00\u009b\xff $(rm) "

// poisoned is a document with hostile text in every string it has, ids and
// states too, and long lists.
func poisoned(n int) *analyzer.Document {
	at := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	var fill func(v reflect.Value)
	fill = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem())
		case reflect.Struct:
			if v.Type() == reflect.TypeFor[time.Time]() {
				v.Set(reflect.ValueOf(at))
				return
			}
			for i := range v.NumField() {
				fill(v.Field(i))
			}
		case reflect.Slice:
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
			for i := range v.Len() {
				fill(v.Index(i))
			}
		case reflect.String:
			v.SetString(strings.Repeat(hostile, 3))
		case reflect.Float64:
			v.SetFloat(1e300)
		case reflect.Int, reflect.Int64:
			v.SetInt(1 << 60)
		}
	}
	doc := &analyzer.Document{}
	fill(reflect.ValueOf(doc).Elem())
	e := doc.Evidence[0]
	e.Text = strings.Repeat(hostile, 1<<12)
	doc.Evidence, doc.Subjects[0].Evidence = nil, nil
	s := doc.Subjects[0]
	doc.Subjects = nil
	for i := range n {
		e.ID = fmt.Sprintf("e%d", i)
		doc.Evidence = append(doc.Evidence, e)
		s.Evidence = append(s.Evidence, e.ID)
	}
	for i := range n {
		s.Nodes = []string{fmt.Sprintf("node-%d", i)}
		s.Outcome = []string{analyzer.Stuck, analyzer.Residue, hostile}[i%3]
		doc.Subjects = append(doc.Subjects, s)
	}
	return doc
}

func TestHostileTextStaysText(t *testing.T) {
	doc := poisoned(50)
	formats := append(append(append([]report.Format{}, report.Formats...), report.TimelineFormats...), report.InventoryFormats...)
	for _, f := range formats {
		for _, opt := range []report.Options{{}, {Why: true, ASCII: true, Width: 1}} {
			out := render(t, func(b *bytes.Buffer) error { return f.Render(b, doc, opt) })
			if !utf8.Valid(out) {
				t.Errorf("%s: not UTF-8", f.Name)
			}
			for i, r := range string(out) {
				if r != '\n' && !unicode.IsPrint(r) && r != utf8.RuneError {
					t.Errorf("%s: %U at %d", f.Name, r, i)
					break
				}
			}
			if f.Name == "json" && !json.Valid(out) {
				t.Error("invalid JSON")
			}
		}
	}
}

// GitHub takes 65,536 characters.
func TestMarkdownFitsATicket(t *testing.T) {
	doc := poisoned(5000)
	out := render(t, func(b *bytes.Buffer) error { return report.Markdown(b, doc, report.Options{}) })
	if len(out) > 60_000 {
		t.Errorf("%d bytes", len(out))
	}
}

func TestTextKeepsToItsWidth(t *testing.T) {
	for name, doc := range documents(t) {
		for _, width := range []int{60, 80, 120} {
			out := render(t, func(b *bytes.Buffer) error {
				return report.Text(b, doc, report.Options{Width: width, Why: true})
			})
			for line := range strings.Lines(string(out)) {
				line = strings.TrimSuffix(line, "\n")
				if w := uniseg.StringWidth(line); w > width && !strings.Contains(line, " $ ") {
					t.Errorf("%s: %d columns in a width of %d: %s", name, w, width, line)
				}
			}
		}
	}
}

// Colour adds escapes and nothing else.
func TestColorChangesNoWord(t *testing.T) {
	for name, doc := range documents(t) {
		plain := render(t, func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{}) })
		colored := render(t, func(b *bytes.Buffer) error { return report.Text(b, doc, report.Options{Color: true}) })
		if !bytes.Contains(colored, []byte("\x1b[")) {
			t.Errorf("%s: no colour", name)
		}
		if got := stripSGR(string(colored)); got != string(plain) {
			t.Errorf("%s: colour changes the text", name)
		}
	}
}

func stripSGR(s string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, s, _ = strings.Cut(rest, "m")
	}
}

func TestWindowHidesMoments(t *testing.T) {
	doc := documents(t)["finalizer-held"]
	at := time.Date(2026, 11, 30, 8, 21, 33, 0, time.UTC)
	out := string(render(t, func(b *bytes.Buffer) error {
		return report.TimelineText(b, doc, report.Options{Since: at, Until: at})
	}))
	if !strings.Contains(out, "deadline of the deletion") || strings.Contains(out, "unmounted") || strings.Contains(out, "sees the deletion") {
		t.Errorf("wrong window:\n%s", out)
	}
}

func TestOtherZone(t *testing.T) {
	doc := documents(t)["finalizer-held"]
	out := string(render(t, func(b *bytes.Buffer) error {
		return report.Text(b, doc, report.Options{Location: time.FixedZone("UTC+9", 9*3600)})
	}))
	if !strings.Contains(out, "17:21:32.908") || !strings.Contains(out, "2026-11-30 17:21:33+09:00") {
		t.Errorf("times are not in the zone:\n%s", out)
	}
}
