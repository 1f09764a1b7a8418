package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// undecoded is an object that is left in the text that it stands in. Nearly all
// of a large dump is not in deletion, and of those that are not little is ever
// asked: where each field begins was noted when the text was looked through,
// and a field is decoded when it is asked for.
type undecoded struct {
	text   string
	fields []fieldPlace
	value  func(text string, f fieldPlace) any // of the field, in the text's format
	list   typeMeta                            // what the list says of an object that names no type
}

// fieldPlace is where a key stands.
type fieldPlace struct {
	at    uint32 // of the key's first letter in the object's text
	size  uint16 // of the key
	level fieldLevel
}

type fieldLevel uint8

const (
	topField      fieldLevel = iota // right in the object
	withSubfields                   // the same, with fields that are noted one by one
	subfield                        // of the section before it
)

func (f fieldPlace) key(text string) string { return text[f.at : int(f.at)+int(f.size)] }

// placed says whether a key is among the fields already: right in the object, or
// in the section top.
func placed(text string, fields []fieldPlace, top int, f fieldPlace) bool {
	below := f.level == subfield
	if below {
		fields = fields[top+1:]
	}
	key := f.key(text)
	for _, other := range fields {
		if other.size == f.size && (other.level == subfield) == below && other.key(text) == key {
			return true
		}
	}
	return false
}

// Field implements timeline.Content.
func (u *undecoded) Field(path ...string) any {
	if len(path) == 0 {
		return nil
	}
	i := u.find(0, path[0], withSubfields)
	if i < 0 {
		if len(path) == 1 {
			return u.typeOf(path[0])
		}
		return nil
	}
	f := u.fields[i]
	if f.level == withSubfields {
		if len(path) == 1 {
			return u.section(i)
		}
		if i = u.find(i+1, path[1], subfield); i < 0 {
			return nil
		}
		f, path = u.fields[i], path[1:]
	}
	value := u.value(u.text, f)
	if len(path) == 1 {
		return value
	}
	m, _ := value.(map[string]any)
	return timeline.Decoded(m).Field(path[1:]...)
}

// find finds a key from the field i on: one right in the object, or, if
// subfields are wanted, before the next that is.
func (u *undecoded) find(i int, key string, most fieldLevel) int {
	for ; i < len(u.fields); i++ {
		f := u.fields[i]
		if most == subfield && f.level <= withSubfields {
			return -1
		}
		if int(f.size) == len(key) && (f.level == subfield) == (most == subfield) && f.key(u.text) == key {
			return i
		}
	}
	return -1
}

// typeOf is what the list says where the object does not.
func (u *undecoded) typeOf(key string) any {
	if u.list.kind == "" || u.find(0, "kind", withSubfields) >= 0 {
		return nil
	}
	switch key {
	case "kind":
		return u.list.kind
	case "apiVersion":
		return u.list.apiVersion
	}
	return nil
}

// section decodes the fields of the section i.
func (u *undecoded) section(i int) map[string]any {
	content := map[string]any{}
	for _, f := range u.fields[i+1:] {
		if f.level <= withSubfields {
			break
		}
		content[f.key(u.text)] = u.value(u.text, f)
	}
	return content
}

// Keys implements timeline.Content.
func (u *undecoded) Keys() []string {
	var keys []string
	for _, f := range u.fields {
		if f.level <= withSubfields {
			keys = append(keys, f.key(u.text))
		}
	}
	if u.list.kind != "" && u.find(0, "kind", withSubfields) < 0 {
		keys = append(keys, "kind")
		if u.find(0, "apiVersion", withSubfields) < 0 {
			keys = append(keys, "apiVersion")
		}
	}
	return keys
}

// Whole implements timeline.Content.
func (u *undecoded) Whole() timeline.Decoded {
	content := timeline.Decoded{}
	for i, f := range u.fields {
		switch f.level {
		case topField:
			content[f.key(u.text)] = u.value(u.text, f)
		case withSubfields:
			content[f.key(u.text)] = u.section(i)
		case subfield: // of a section, which has it
		}
	}
	if u.list.kind != "" && u.find(0, "kind", withSubfields) < 0 {
		content["kind"], content["apiVersion"] = u.list.kind, u.list.apiVersion
	}
	return content
}

// letters are what a kind is written in.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// leftInText says of which kinds objects that are not in deletion may stay in
// the text: Nodes and Leases keep who wrote them last, of others only a part
// is kept, and Events are no objects to us.
func leftInText(kind string) bool {
	switch kind {
	case "", "Event", "Status", "Node", "Lease":
		return false
	}
	if strings.Trim(kind, letters) != "" {
		return false
	}
	return !onlyMetadata(kind) && !confidential(kind)
}

// blanks is how many spaces text begins with.
func blanks(text string) int {
	n := 0
	for n < len(text) && text[n] == ' ' {
		n++
	}
	return n
}

// place is where the key of a field of a section begins; -1 if there is none.
func (u *undecoded) place(section, key string) int {
	i := u.find(0, section, withSubfields)
	if i < 0 || u.fields[i].level != withSubfields {
		return -1
	}
	if i = u.find(i+1, key, subfield); i < 0 {
		return -1
	}
	return int(u.fields[i].at)
}
