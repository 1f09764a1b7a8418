package parsers

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// jsonObject walks the fields of the JSON object that s begins with, giving
// each key with the raw text of its value. It decodes nothing and allocates
// nothing, which is why it is here: a journal holds twenty fields a record, of
// which we want ten. It returns the length of the object; ok is false where s
// is no object, or one that is cut.
func jsonObject(s string, field func(key, raw string)) (n int, ok bool) {
	i := skipSpace(s, 0)
	if i >= len(s) || s[i] != '{' {
		return i, false
	}
	i = skipSpace(s, i+1)
	if i < len(s) && s[i] == '}' {
		return i + 1, true
	}
	for i < len(s) {
		end := jsonStringEnd(s, i)
		if end < 0 {
			return i, false
		}
		key := s[i+1 : end-1]
		if i = skipSpace(s, end); i >= len(s) || s[i] != ':' {
			return i, false
		}
		i = skipSpace(s, i+1)
		if end = jsonValueEnd(s, i); end < 0 {
			return i, false
		}
		field(key, s[i:end])
		if i = skipSpace(s, end); i >= len(s) {
			return i, false
		}
		switch s[i] {
		case '}':
			return i + 1, true
		case ',':
			i = skipSpace(s, i+1)
		default:
			return i, false
		}
	}
	return i, false
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// jsonStringEnd is the end of the string literal at s[i], -1 if there is none.
func jsonStringEnd(s string, i int) int {
	if i >= len(s) || s[i] != '"' {
		return -1
	}
	for i++; ; {
		quote := strings.IndexByte(s[i:], '"')
		if quote < 0 {
			return -1
		}
		at := i + quote
		slashes := 0
		for at-slashes > i && s[at-slashes-1] == '\\' {
			slashes++
		}
		i = at + 1
		if slashes%2 == 0 {
			return i
		}
	}
}

// jsonValueEnd is the end of the value at s[i], -1 if there is none.
func jsonValueEnd(s string, i int) int {
	if i >= len(s) {
		return -1
	}
	switch c := s[i]; {
	case c == '"':
		return jsonStringEnd(s, i)
	case c == '{' || c == '[':
		depth := 0
		for i < len(s) {
			switch s[i] {
			case '"':
				end := jsonStringEnd(s, i)
				if end < 0 {
					return -1
				}
				i = end
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	case c == '-' || c == 't' || c == 'f' || c == 'n' || isDigit(c):
		end := i
		for end < len(s) && s[end] != ',' && s[end] != '}' && s[end] != ']' && s[end] > ' ' {
			end++
		}
		return end
	}
	return -1
}

// unquoteJSON decodes a raw string value; anything else gives "".
func unquoteJSON(raw string) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	s := raw[1 : len(raw)-1]
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	writeUnquoted(&b, s)
	return b.String()
}

// writeUnquoted decodes what stands between the quotes of a string.
func writeUnquoted(b *strings.Builder, s string) {
	for next := strings.IndexByte(s, '\\'); next >= 0; next = strings.IndexByte(s, '\\') {
		b.WriteString(s[:next])
		s = s[next:]
		if len(s) < 2 {
			break
		}
		size := 2
		switch s[1] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			r := hexRune(s)
			size = min(6, len(s))
			if utf16.IsSurrogate(r) && size == 6 {
				low := hexRune(s[6:])
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					size = 12
				}
			}
			b.WriteRune(r)
		default:
			b.WriteByte(s[1])
		}
		s = s[size:]
	}
	b.WriteString(s)
}

// hexRune reads "\u00e9", RuneError if it is none.
func hexRune(s string) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return utf8.RuneError
	}
	var r rune
	for _, c := range []byte(s[2:6]) {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return utf8.RuneError
		}
	}
	return r
}

// jsonText decodes a value that a journal writes as a string, or as an array of
// byte values where the text is not clean UTF-8. journald gives a field that
// occurs several times as an array of such values; the first is taken. null
// stands for a value too large to print.
func jsonText(raw string) string {
	if raw == "" || raw[0] != '[' {
		return unquoteJSON(raw)
	}
	i := skipSpace(raw, 1)
	if i < len(raw) && (raw[i] == '"' || raw[i] == '[') {
		end := jsonValueEnd(raw, i)
		switch {
		case end < 0:
			return ""
		case raw[i] == '"':
			return unquoteJSON(raw[i:end])
		}
		raw, i = raw[i:end], 1
	}
	text := make([]byte, 0, len(raw)/4)
	value, digits := 0, 0
	for ; i < len(raw); i++ {
		switch c := raw[i]; {
		case isDigit(c) && digits < 3:
			value, digits = value*10+int(c-'0'), digits+1
		case c == ',' || c == ']':
			if digits == 0 || value > 0xff {
				return ""
			}
			text = append(text, byte(value))
			value, digits = 0, 0
		case c != ' ':
			return ""
		}
	}
	return string(text)
}
