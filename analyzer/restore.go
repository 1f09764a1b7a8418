package analyzer

import (
	"reflect"

	"podautopsy/timeline"
)

// restore says the whole report in the words of a redacted bundle. What is
// cited is in them already.
func (d *Document) restore(s *timeline.StandIns) {
	if s != nil {
		restoreWords(reflect.ValueOf(d).Elem(), s)
	}
}

func restoreWords(v reflect.Value, s *timeline.StandIns) {
	switch v.Kind() {
	case reflect.String:
		if text := v.String(); text != "" {
			v.SetString(s.Restore(text))
		}
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if text, ok := v.Interface().(*string); ok { // may be shared
			restored := s.Restore(*text)
			v.Set(reflect.ValueOf(&restored))
			return
		}
		restoreWords(v.Elem(), s)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				restoreWords(f, s)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			restoreWords(v.Index(i), s)
		}
	}
}
