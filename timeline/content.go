package timeline

import (
	"maps"
	"slices"
)

// Content is what an object says, in the API's own field names: decoded, or
// still in the text that it was read from. Nothing that it hands out may be
// changed. Numbers are int64 or float64.
type Content interface {
	// Field is the value at a path of keys; nil if there is none.
	Field(path ...string) any
	// Keys are those of the fields that stand right in the object.
	Keys() []string
	// Whole is all of it.
	Whole() Decoded
}

// Decoded is a decoded object, or a part of one.
type Decoded map[string]any

// Field implements Content.
func (d Decoded) Field(path ...string) any {
	if len(path) == 0 {
		return nil
	}
	var value any
	at := map[string]any(d)
	for _, key := range path {
		value = at[key]
		at, _ = value.(map[string]any)
	}
	return value
}

// Keys implements Content.
func (d Decoded) Keys() []string { return slices.Collect(maps.Keys(d)) }

// Whole implements Content.
func (d Decoded) Whole() Decoded { return d }

// Field is the value at a path of keys in the object's content; nil if there is
// none.
func (o *Object) Field(path ...string) any {
	if o.Content == nil {
		return nil
	}
	return o.Content.Field(path...)
}

// textAt is the text of the field at a path; "" if there is none.
func (o *Object) textAt(path ...string) string {
	s, _ := o.Field(path...).(string)
	return s
}

func (o *Object) keys() []string {
	if o.Content == nil {
		return nil
	}
	return o.Content.Keys()
}

// Whole is all of the object's content, to be read only.
func (o *Object) Whole() Decoded {
	if o.Content == nil {
		return nil
	}
	return o.Content.Whole()
}

// decode makes the content one that can be changed.
func (o *Object) decode() Decoded {
	whole := o.Whole()
	if whole == nil {
		whole = Decoded{}
	}
	o.Content = whole
	return whole
}
