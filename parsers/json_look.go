package parsers

import (
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// jsonLook looks through JSON once, without decoding it, and notes where the
// fields of objects are that may be left in their text. What it takes for valid
// is so to encoding/json.
type jsonLook struct {
	text   string
	fields []fieldPlace // of the object at hand
	base   int          // where that begins
	top    int          // the field right in it that we are in, in fields
	leave  bool         // it may be left, as far as it was looked at
	wide   bool         // not all of it is ASCII
}

// lookedAt is an object that was looked through.
type lookedAt struct {
	from, to int
	fields   []fieldPlace // nil: it has to be decoded
}

// lookedList is a list of objects that was looked through.
type lookedList struct {
	to       int
	meta     typeMeta
	metadata jsonMember // as in the list's text
	items    []lookedAt
}

// lookJSONList looks through the list that begins at. There is none where the
// text is not valid to the list's end, or where anything is unusual.
func lookJSONList(text string, at int) (list lookedList, ok bool) {
	l := jsonLook{text: text}
	if l.byte(at) == '[' {
		list.items, list.to = l.items(at)
		return list, list.to >= 0
	}
	array := false
	var seen [4]bool
	i := l.space(at + 1)
	for l.byte(i) == '"' {
		quote := i
		if i = l.str(i + 1); i < 0 {
			return list, false
		}
		key := text[quote+1 : i-1]
		from := l.space(i)
		if l.byte(from) != ':' {
			return list, false
		}
		from = l.space(from + 1)
		if key == "items" && l.byte(from) == '[' {
			array = true
			list.items, i = l.items(from)
		} else {
			i = l.value(from, unnoted)
		}
		if i < 0 {
			return list, false
		}
		for n, name := range [...]string{"kind", "apiVersion", "metadata", "items"} {
			if key != name {
				continue
			}
			if seen[n] {
				return list, false // the last one counts: a rare case
			}
			seen[n] = true
			switch n {
			case 0:
				list.meta.kind = jsonString(text[from:i])
			case 1:
				list.meta.apiVersion = jsonString(text[from:i])
			case 2:
				list.metadata = jsonMember{key, quote - at, quote - at + len(key) + 2, from - at, i - at}
			}
		}
		i = l.space(i)
		switch l.byte(i) {
		case ',':
			i = l.space(i + 1)
		case '}':
			list.to = i + 1
			return list, array
		default:
			return list, false
		}
	}
	return list, false
}

// items looks through an array of objects; the end is -1 where it is none.
func (l *jsonLook) items(at int) (items []lookedAt, to int) {
	i := l.space(at + 1)
	if l.byte(i) == ']' {
		return nil, i + 1
	}
	for l.byte(i) == '{' {
		o := l.item(i)
		if o.to < 0 {
			return nil, -1
		}
		items = append(items, o)
		i = l.space(o.to)
		switch l.byte(i) {
		case ',':
			i = l.space(i + 1)
		case ']':
			return items, i + 1
		default:
			return nil, -1
		}
	}
	return nil, -1
}

// item looks through an object of the API.
func (l *jsonLook) item(at int) lookedAt {
	const longest = 1 << 31
	l.base, l.fields, l.leave, l.wide = at, l.fields[:0], true, false
	o := lookedAt{from: at, to: l.object(at, 0)}
	if o.to < 0 || !l.leave || o.to-at > longest || l.wide && !utf8.ValidString(l.text[at:o.to]) {
		return o
	}
	o.fields = append(make([]fieldPlace, 0, len(l.fields)), l.fields...)
	return o
}

// The depth from which on fields are not noted any more, and that beyond which
// nothing is looked at.
const (
	unnoted     = 2
	deepestJSON = 200
)

func (l *jsonLook) byte(i int) byte {
	if i < len(l.text) {
		return l.text[i]
	}
	return 0
}

// value is the end of the value that begins at i; -1 if it is not valid.
func (l *jsonLook) value(i, depth int) int {
	switch c := l.byte(i); c {
	case '"':
		return l.str(i + 1)
	case '{':
		return l.object(i, depth)
	case '[':
		return l.array(i, depth)
	case 't':
		return l.word(i, "true")
	case 'f':
		return l.word(i, "false")
	case 'n':
		return l.word(i, "null")
	}
	return l.number(i)
}

func (l *jsonLook) word(i int, word string) int {
	if end := i + len(word); end <= len(l.text) && l.text[i:end] == word {
		return end
	}
	return -1
}

func (l *jsonLook) object(i, depth int) int {
	if depth > deepestJSON {
		return -1
	}
	i = l.space(i + 1)
	if l.byte(i) == '}' {
		return i + 1
	}
	for l.byte(i) == '"' {
		from := i + 1
		if i = l.str(from); i < 0 {
			return -1
		}
		to := i - 1
		if l.byte(i) != ':' {
			if i = l.space(i); l.byte(i) != ':' {
				return -1
			}
		}
		i = l.space(i + 1)
		if depth < unnoted && l.leave {
			l.note(from, to, i, depth)
		}
		if i = l.value(i, depth+1); i < 0 {
			return -1
		}
		if l.byte(i) != ',' {
			i = l.space(i)
		}
		switch l.byte(i) {
		case ',':
			i = l.space(i + 1)
		case '}':
			return i + 1
		default:
			return -1
		}
	}
	return -1
}

func (l *jsonLook) array(i, depth int) int {
	if depth > deepestJSON {
		return -1
	}
	i = l.space(i + 1)
	if l.byte(i) == ']' {
		return i + 1
	}
	depth = max(depth+1, unnoted)
	for {
		if i = l.value(i, depth); i < 0 {
			return -1
		}
		i = l.space(i)
		switch l.byte(i) {
		case ',':
			i = l.space(i + 1)
		case ']':
			return i + 1
		default:
			return -1
		}
	}
}

// note notes a key and what its value begins with. A key that comes twice, or
// has to be unquoted, is for those who decode.
func (l *jsonLook) note(from, to, value, depth int) {
	key := l.text[from:to]
	f := fieldPlace{at: uint32(from - l.base), size: uint16(len(key)), level: topField}
	const longest = 1000
	if len(key) > longest {
		l.leave = false
		return
	}
	for i := range len(key) {
		if key[i] == '\\' {
			l.leave = false
		}
	}
	if depth == 0 {
		l.top = len(l.fields)
		if l.byte(value) == '{' {
			f.level = withSubfields
		}
		if key == "kind" && l.byte(value) == '"' {
			end := l.str(value + 1)
			l.leave = l.leave && end > 0 && leftInText(l.text[value+1:end-1])
		}
	} else {
		f.level = subfield
		if key == "managedFields" && l.fields[l.top].key(l.text[l.base:]) == "metadata" {
			return
		}
	}
	if placed(l.text[l.base:], l.fields, l.top, f) {
		l.leave = false
	}
	l.fields = append(l.fields, f)
}

// space is where the next thing begins that is not blank.
func (l *jsonLook) space(i int) int {
	const spaces = 0x2020202020202020
	text := l.text
	for i < len(text) {
		switch text[i] {
		case ' ', '\n':
			i++
			for i+8 <= len(text) { // nearly all is indentation
				other := word(text, i) ^ spaces
				if other != 0 {
					i += bits.TrailingZeros64(other) / 8
					break
				}
				i += 8
			}
		case '\r', '\t':
			i++
		default:
			return i
		}
	}
	return i
}

// str is the end of the string whose text begins at i; -1 if it has none, or is
// not valid.
func (l *jsonLook) str(i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	text := l.text
	from := i
	for i < len(text) {
		if i+8 <= len(text) {
			w := word(text, i)
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			// The lowest byte that is flagged is one that is meant.
			special := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*' ')&^w) & highs
			l.wide = l.wide || w&highs != 0
			if special == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(special) / 8
		}
		switch c := text[i]; {
		case c == '"':
			if i-from == len("deletionTimestamp") && text[from:i] == "deletionTimestamp" {
				l.leave = false
			}
			return i + 1
		case c == '\\':
			if i = escaped(text, i+1); i < 0 {
				return -1
			}
		case c < ' ':
			return -1
		default:
			l.wide = l.wide || c >= utf8.RuneSelf
			i++
		}
	}
	return -1
}

// escaped is the end of what a backslash before i stands for; -1 for nothing.
func escaped(text string, i int) int {
	if i >= len(text) {
		return -1
	}
	switch text[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if i+5 > len(text) {
			return -1
		}
		for _, c := range []byte(text[i+1 : i+5]) {
			if !isDigit(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
				return -1
			}
		}
		return i + 5
	}
	return -1
}

// number is the end of the number that begins at i; -1 if there is none.
func (l *jsonLook) number(i int) int {
	if l.byte(i) == '-' {
		i++
	}
	if l.byte(i) == '0' {
		i++
	} else if i = l.digits(i); i < 0 {
		return -1
	}
	if l.byte(i) == '.' {
		if i = l.digits(i + 1); i < 0 {
			return -1
		}
	}
	if l.byte(i)|0x20 == 'e' {
		i++
		if c := l.byte(i); c == '+' || c == '-' {
			i++
		}
		return l.digits(i)
	}
	return i
}

// digits is the end of the digits that begin at i; -1 if there are none.
func (l *jsonLook) digits(i int) int {
	from := i
	for isDigit(l.byte(i)) {
		i++
	}
	if i == from {
		return -1
	}
	return i
}

// jsonField decodes a field that jsonLook has found.
func jsonField(text string, f fieldPlace) any {
	at := skipBlank(text, int(f.at)+int(f.size)+1)
	value, _ := validJSON(text, skipBlank(text, at+1))
	return value
}

// validJSON decodes the value that begins at, which jsonLook has found valid,
// as decodeJSONObject would, and returns its end.
func validJSON(text string, at int) (value any, end int) {
	switch text[at] {
	case '"':
		end = jsonStringEnd(text, at)
		return unquoteJSON(text[at:end]), end
	case '{':
		content := map[string]any{}
		for at = skipBlank(text, at+1); text[at] != '}'; at = skipBlank(text, at) {
			if text[at] == ',' {
				at = skipBlank(text, at+1)
			}
			end = jsonStringEnd(text, at)
			key := unquoteJSON(text[at:end])
			at = skipBlank(text, end) // the colon
			content[key], at = validJSON(text, skipBlank(text, at+1))
		}
		return content, at + 1
	case '[':
		items := []any{}
		for at = skipBlank(text, at+1); text[at] != ']'; at = skipBlank(text, at) {
			if text[at] == ',' {
				at = skipBlank(text, at+1)
			}
			var item any
			item, at = validJSON(text, at)
			items = append(items, item)
		}
		return items, at + 1
	}
	end = jsonValueEnd(text, at)
	switch raw := text[at:end]; raw {
	case "true":
		return true, end
	case "false":
		return false, end
	case "null":
		return nil, end
	default:
		return jsonNumbers(json.Number(raw)), end
	}
}
