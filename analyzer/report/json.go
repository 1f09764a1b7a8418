package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"podautopsy/analyzer"
)

// JSON writes the document as the contract defines it: two spaces of indent,
// empty lists as [], and nothing in a string that could steer a terminal.
func JSON(w io.Writer, doc *analyzer.Document, _ Options) error {
	return writeJSON(w, doc)
}

// InventoryJSON writes the parts of the document that describe the bundle.
func InventoryJSON(w io.Writer, doc *analyzer.Document, opt Options) error {
	if opt.Pods {
		return patrolJSON(w, doc, opt)
	}
	return writeJSON(w, struct {
		Schema string          `json:"schema"`
		Tool   analyzer.Tool   `json:"tool"`
		Bundle analyzer.Bundle `json:"bundle"`
	}{doc.Schema, doc.Tool, doc.Bundle})
}

// TimelineJSON writes the moments in the window and the evidence they cite.
func TimelineJSON(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	moments := v.moments()
	cited := map[string]bool{}
	for _, m := range moments {
		if m.Evidence != nil {
			cited[*m.Evidence] = true
		}
	}
	return writeJSON(w, struct {
		Schema   string              `json:"schema"`
		ReportID string              `json:"reportID"`
		Tool     analyzer.Tool       `json:"tool"`
		Partial  bool                `json:"partial"`
		Timeline []analyzer.Moment   `json:"timeline"`
		Evidence []analyzer.Evidence `json:"evidence"`
	}{doc.Schema, doc.ReportID, doc.Tool, doc.Partial, moments, evidenceAmong(doc, cited)})
}

// evidenceAmong is the evidence of a document that has one of the ids, in its
// order.
func evidenceAmong(doc *analyzer.Document, ids map[string]bool) []analyzer.Evidence {
	var evidence []analyzer.Evidence
	for _, e := range doc.Evidence {
		if ids[e.ID] {
			evidence = append(evidence, e)
		}
	}
	return evidence
}

func writeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(emptyForNil(reflect.ValueOf(v)).Interface()); err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	if err := writeEscaped(w, buf.Bytes()); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// emptyForNil copies v with every nil slice made empty: lists of the contract
// are never null.
func emptyForNil(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || v.Elem().Kind() != reflect.Struct || hasUnexported(v.Elem().Type()) {
			return v
		}
		out := reflect.New(v.Type().Elem())
		out.Elem().Set(emptyForNil(v.Elem()))
		return out
	case reflect.Struct:
		if hasUnexported(v.Type()) { // time.Time
			return v
		}
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(emptyForNil(v.Field(i)))
		}
		return out
	case reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(emptyForNil(v.Index(i)))
		}
		return out
	}
	return v
}

func hasUnexported(t reflect.Type) bool {
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			return true
		}
	}
	return false
}

// writeEscaped writes JSON with the runes that encoding/json leaves alone and
// a terminal would obey (C1 controls, bidirectional overrides) as \u escapes.
// Beyond ASCII there is nothing outside of strings, so any such rune may be.
func writeEscaped(w io.Writer, data []byte) error {
	out := bufio.NewWriter(w)
	plain := 0 // from here on as it stands
	for at := 0; at < len(data); {
		if data[at] < 0x7f {
			at++
			continue
		}
		r, size := utf8.DecodeRune(data[at:])
		if !unicode.IsPrint(r) {
			out.Write(data[plain:at])
			plain = at + size
			if hi, lo := utf16.EncodeRune(r); hi != utf8.RuneError {
				fmt.Fprintf(out, `\u%04x\u%04x`, hi, lo)
			} else {
				fmt.Fprintf(out, `\u%04x`, r)
			}
		}
		at += size
	}
	out.Write(data[plain:])
	return out.Flush()
}
