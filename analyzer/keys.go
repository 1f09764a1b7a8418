package analyzer

import (
	"strings"
)

// fieldKeys maps the fields of structured log lines to keys.
var fieldKeys = map[string]string{
	"podUID": "uid", "podID": "uid", "containerID": "container",
	"podSandboxID": "sandbox", "sandboxID": "sandbox", "containerName": "name",
	"err": "err", "error": "err", "gracePeriod": "grace", "exitCode": "exit",
	"phase": "phase", "localPhase": "local", "path": "path", "node": "node", "volumeName": "volume", "volumeSpecName": "volume", "pods": "pods",
}

// keysOf collects what a message is about: the fields that a klog or logfmt
// line carries beside its text, in whatever order, and over them the groups of
// the pattern.
func (s *Signature) keysOf(message string, groups []int) map[string]string {
	keys := map[string]string{}
	for field, value := range fieldsOf(message) {
		if field == "pod" || field == "object" {
			if ns, name, ok := strings.Cut(value, "/"); ok && ns != "" && name != "" {
				keys["ns"], keys["pod"] = ns, name
			}
			continue
		}
		if key, ok := fieldKeys[field]; ok {
			if value = clean(key, value); value != "" {
				keys[key] = value
			}
		}
	}
	for i, key := range s.keys {
		if key == "" || groups[2*i] < 0 {
			continue
		}
		if value := clean(key, message[groups[2*i]:groups[2*i+1]]); value != "" {
			keys[key] = value
		}
	}
	if len(keys) == 0 {
		return nil
	}
	return keys
}

// unitDashes undoes what systemd does to the dashes of a UID in unit names.
var unitDashes = strings.NewReplacer(`\\x2d`, "-", `\x2d`, "-", "_", "-")

// clean brings a value into the form in which facts are compared.
func clean(key, value string) string {
	switch key {
	case "uid":
		return strings.ToLower(unitDashes.Replace(value))
	case "container", "sandbox", "id":
		return strings.ToLower(runtimeID(value))
	case "pods":
		return strings.Join(strings.FieldsFunc(value, func(r rune) bool {
			return strings.ContainsRune(`[]"\, `, r)
		}), " ")
	}
	value = unescape(value)
	if key == "err" {
		value = strings.TrimSuffix(strings.TrimPrefix(value, "<"), ">")
		value = strings.TrimSpace(value)
	}
	if strings.Count(value, `"`)%2 == 1 { // of the quotes around the message
		value = strings.TrimSuffix(value, `"`)
	}
	return value
}

// runtimeID is the id in "containerd://ID", {"Type":"containerd","ID":"ID"} and
// {containerd ID}.
func runtimeID(value string) string {
	if _, id, ok := strings.Cut(value, "://"); ok {
		return id
	}
	if _, id, ok := strings.Cut(value, `"ID":"`); ok {
		id, _, _ = strings.Cut(id, `"`)
		return id
	}
	if strings.HasPrefix(value, "{") {
		fields := strings.Fields(strings.Trim(value, "{}"))
		if len(fields) > 0 {
			return strings.TrimPrefix(fields[len(fields)-1], "ID:")
		}
	}
	return value
}

// unescape removes the backslashes that quoting has put before quotes, at any
// depth, and turns \n and \t into what they stand for.
func unescape(value string) string {
	if strings.IndexByte(value, '\\') < 0 {
		return value
	}
	var b strings.Builder
	b.Grow(len(value))
	for i := 0; i < len(value); {
		if value[i] != '\\' {
			b.WriteByte(value[i])
			i++
			continue
		}
		end := i
		for end < len(value) && value[end] == '\\' {
			end++
		}
		switch {
		case end < len(value) && value[end] == '"':
			b.WriteByte('"')
			end++
		case end < len(value) && value[end] == 'n':
			b.WriteByte('\n')
			end++
		case end < len(value) && value[end] == 't':
			b.WriteByte('\t')
			end++
		default:
			b.WriteString(value[i:end])
		}
		i = end
	}
	return b.String()
}

// fieldsOf walks the key=value fields of a klog or logfmt line. Values lose
// their outer quotes; what is escaped inside stays so.
func fieldsOf(message string) func(yield func(field, value string) bool) {
	return func(yield func(field, value string) bool) {
		for i := 0; i < len(message); {
			switch c := message[i]; {
			case c == '"': // klog's text
				i = quotedEnd(message, i)
			case c == '=' && i > 0:
				start := i
				for start > 0 && isFieldByte(message[start-1]) {
					start--
				}
				end := valueEnd(message, i+1)
				if start < i && (start == 0 || message[start-1] == ' ' || message[start-1] == '\t') {
					if !yield(message[start:i], unquoted(message[i+1:end])) {
						return
					}
				}
				i = max(end, i+1)
			default:
				i++
			}
		}
	}
}

func unquoted(value string) string {
	if len(value) > 1 && value[0] == '"' {
		return strings.TrimSuffix(value[1:], `"`)
	}
	return value
}

func isFieldByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-'
}

// quotedEnd is the index after the quoted string that starts at i.
func quotedEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// valueEnd is the index after the value that starts at i: a quoted string,
// klog's block of lines, a bracketed list or struct, or a word.
func valueEnd(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return quotedEnd(s, i)
	case '<':
		if end := strings.Index(s[i:], "\n >"); end >= 0 {
			return i + end + len("\n >")
		}
		return len(s)
	case '[', '{':
		for depth := 0; i < len(s); i++ {
			switch s[i] {
			case '"':
				i = quotedEnd(s, i) - 1
			case '[', '{':
				depth++
			case ']', '}':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return len(s)
	}
	if end := strings.IndexAny(s[i:], " \t\n"); end >= 0 {
		return i + end
	}
	return len(s)
}
