package redact

import (
	"strings"
)

// isConfidential says of which kinds the data is taken out.
func isConfidential(kind string) bool { return kind == "Secret" || kind == "ConfigMap" }

// objects takes out the data of Secrets and ConfigMaps, the values of variables
// of the environment, and what kubectl keeps of applied objects.
func (b *blanks) objects() {
	s := b.text
	if strings.Contains(s, "Secret") || strings.Contains(s, `"data"`) || strings.Contains(s, `"stringData"`) || strings.Contains(s, "ConfigMap") || strings.Contains(s, "env") || strings.Contains(s, "Env") || strings.Contains(s, lastApplied) {
		b.json()
		b.yaml()
	}
}

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

func isEnv(key string) bool {
	return key == "env" || key == "envs" || key == "Env" || key == "environment"
}

func isData(key string) bool { return key == "data" || key == "stringData" || key == "binaryData" }

// json takes confidential things out of JSON, wherever some begins a line. What
// is broken is left where it breaks, and the next line looked at.
func (b *blanks) json() {
	s := b.text
	for i := 0; i < len(s); {
		line := spanFrom(s, i, func(c byte) bool { return c == ' ' || c == '\t' })
		if line < len(s) && (s[line] == '{' || s[line] == '[') {
			i = b.jsonValue(line)
			continue
		}
		// An audit log's or a journal's line may have something in front.
		end := strings.IndexByte(s[i:], '\n')
		if end < 0 {
			end = len(s) - i
		}
		if at := strings.Index(s[i:i+end], `{"`); at >= 0 {
			if to := b.jsonValue(i + at); to > i+end {
				i = to
				continue
			}
		}
		i += end + 1
	}
}

// span is a part of the text.
type span struct{ from, to int }

// frame is a JSON object or list that is not closed yet.
type frame struct {
	list      bool
	key       string // of the value that comes next
	env       bool   // of variables, or one of them
	data      bool   // of something that may be a Secret
	kind      string
	name      string
	values    []span // strings in its data
	wantValue bool
}

// jsonValue reads one value and says where it ends or breaks.
func (b *blanks) jsonValue(i int) int {
	s := b.text
	var stack []frame
	for i < len(s) {
		switch c := s[i]; c {
		case '{', '[':
			f := frame{list: c == '['}
			if n := len(stack); n > 0 {
				top := &stack[n-1]
				f.env = isEnv(top.key) || top.env && top.list
				f.data = top.data || !top.list && isData(top.key)
			}
			stack = append(stack, f)
			const deepest = 200
			if len(stack) > deepest {
				b.brokenOff(stack)
				return i + 1
			}
			i++
		case '}', ']':
			n := len(stack) - 1
			if n < 0 || stack[n].list != (c == ']') {
				b.brokenOff(stack)
				return i + 1
			}
			f := stack[n]
			stack = stack[:n]
			if isConfidential(f.kind) {
				b.data(&f)
			} else if f.data && n > 0 {
				stack[n-1].values = append(stack[n-1].values, f.values...)
			}
			if n == 0 {
				return i + 1
			}
			stack[n-1].wantValue = false
			i++
		case '"':
			end := stringEnd(s, i)
			if end < 0 {
				if len(stack) > 0 {
					line, _, _ := strings.Cut(s[i+1:], "\n")
					b.jsonString(&stack[len(stack)-1], i+1, i+1+len(line))
				}
				b.brokenOff(stack)
				return i + 1
			}
			if len(stack) == 0 {
				return end
			}
			b.jsonString(&stack[len(stack)-1], i+1, end-1)
			i = end
		case ':':
			if len(stack) > 0 {
				stack[len(stack)-1].wantValue = true
			}
			i++
		case ',':
			if len(stack) > 0 {
				stack[len(stack)-1].wantValue = false
			}
			i++
		default:
			i++
		}
	}
	b.brokenOff(stack)
	return i
}

// data takes out the strings in an object's data.
func (b *blanks) data(f *frame) {
	for _, v := range f.values {
		if f.kind == "ConfigMap" {
			b.blank(v.from, v.to)
		} else {
			b.secret(v.from, v.to)
		}
	}
}

// brokenOff takes out what the objects hold within which JSON ends or breaks.
// kubectl prints the data before the kind: of one that is not known it may be a
// Secret's.
func (b *blanks) brokenOff(stack []frame) {
	for n := len(stack) - 1; n >= 0; n-- {
		f := &stack[n]
		switch {
		case isConfidential(f.kind), f.kind == "" && (n == 0 || !f.data):
			b.data(f)
		case f.data && n > 0:
			stack[n-1].values = append(stack[n-1].values, f.values...)
		}
	}
}

// stringEnd is behind the string that begins there; -1 if it has no end.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return -1
		}
	}
	return -1
}

// jsonString looks at a string, which is a key or a value.
func (b *blanks) jsonString(f *frame, from, to int) {
	text := b.text[from:to]
	if !f.list && !f.wantValue {
		f.key = text
		return
	}
	switch {
	case f.data, !f.list && isData(f.key):
		f.values = append(f.values, span{from, to})
	case f.list && f.env:
		if eq := strings.IndexByte(text, '='); eq > 0 {
			b.variable(text[:eq], from+eq+1, to)
		}
	case f.list:
	case f.key == "kind":
		f.kind = text
	case f.env && (f.key == "name" || f.key == "key"):
		f.name = text
	case f.env && f.key == "value":
		b.variable(f.name, from, to)
	case f.key == lastApplied:
		b.blank(from, to)
	case isEnv(f.key) && strings.Contains(text, "="):
		b.blank(from, to)
	}
}

// variable takes out the value of a variable of the environment.
func (b *blanks) variable(name string, from, to int) {
	if strings.HasPrefix(name, "KUBERNETES_") || name == "PATH" || name == "HOSTNAME" || name == "NODE_NAME" {
		return // known, or a name that is replaced as such
	}
	yes, unsure := isSecretKey(name)
	if yes || unsure || strings.HasSuffix(lower(name), "key") {
		b.secret(from, to)
		return
	}
	b.blank(from, to)
}

// scope is a YAML mapping that is not at its end yet.
type scope struct {
	indent int
	kind   string
	blocks []span // its data: the lines of values
}

// yaml takes confidential things out of YAML and of what kubectl describe
// prints.
func (b *blanks) yaml() {
	s := b.text
	var scopes []scope
	const none = -1
	data, env, described, applied := none, none, none, none // indents of blocks that the line may be in
	name := ""
	closeTo := func(indent int) {
		for n := len(scopes) - 1; n >= 0 && scopes[n].indent > indent; n-- {
			if isConfidential(scopes[n].kind) {
				for _, block := range scopes[n].blocks {
					if scopes[n].kind == "Secret" {
						b.secret(block.from, block.to)
					} else {
						b.blank(block.from, block.to)
					}
				}
			}
			scopes = scopes[:n]
		}
	}
	for i := 0; i < len(s); {
		end := len(s)
		if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
			end = i + n
		}
		at := spanFrom(s[:end], i, func(c byte) bool { return c == ' ' })
		next := end + 1
		text := strings.TrimRight(s[at:end], " \r\t")
		if text == "" {
			i = next
			continue
		}
		indent := at - i
		dash := indent
		for strings.HasPrefix(s[at:end], "- ") {
			at = spanFrom(s[:end], at+2, func(c byte) bool { return c == ' ' })
			indent = at - i
		}
		isItem := indent > dash
		switch {
		case applied != none && dash > applied:
			b.blank(at, end)
			i = next
			continue
		case data != none && (dash > data):
			if n := len(scopes) - 1; n >= 0 && scopes[n].indent == data {
				from := at
				if _, v := yamlKey(s, at, end); v > 0 {
					from = v
				}
				if !isYAMLMark(s[from:end]) {
					scopes[n].blocks = append(scopes[n].blocks, span{from + quoteAt(s, from), end - quoteAt(s, end-1)})
				}
			}
			i = next
			continue
		}
		data, applied = none, none
		if env != none && (dash < env || dash == env && !isItem) {
			env = none
		}
		if described != none && dash <= described {
			described = none
		}
		if isItem {
			closeTo(dash)
		} else {
			closeTo(indent)
		}
		if text == "---" {
			closeTo(none)
		}
		key, value := yamlKey(s, at, end)
		if key == "" {
			if text == "Environment:" {
				described = indent
			}
			i = next
			continue
		}
		if n := len(scopes); n == 0 || scopes[n-1].indent < indent {
			scopes = append(scopes, scope{indent: indent})
		}
		top := &scopes[len(scopes)-1]
		switch {
		case described != none && value > 0:
			if !strings.HasPrefix(s[value:end], "<set to") && !strings.HasPrefix(s[value:end], "(v1:") {
				b.variable(key, value, end)
			}
		case key == "kind" && value > 0:
			top.kind = strings.Trim(s[value:end], "\"' \r")
		case isData(key) && value == 0:
			data = indent
		case key == lastApplied:
			if value > 0 && !isYAMLMark(s[value:end]) {
				b.blank(value+quoteAt(s, value), end)
			}
			applied = indent
		case isEnv(key) && value == 0:
			env = indent
		case text == "Environment:":
			described = indent
		case env != none && key == "name":
			name = s[max(value, at):end]
		case env != none && key == "value" && value > 0:
			b.variable(name, value+quoteAt(s, value), end-quoteAt(s, end-1))
		}
		i = next
	}
	closeTo(none)
}

// yamlKey is the key that begins there and where its value does; 0 if that is
// not on the line.
func yamlKey(s string, at, end int) (key string, value int) {
	line := s[at:end]
	colon := strings.IndexByte(line, ':')
	if colon <= 0 || line[0] == '"' || // it is JSON
		colon+1 < len(line) && line[colon+1] != ' ' && line[colon+1] != '\r' || strings.ContainsAny(line[:colon], " {[") {
		return "", 0
	}
	value = spanFrom(s[:end], at+colon+1, func(c byte) bool { return c == ' ' || c == '\r' })
	if value == end {
		value = 0
	}
	return strings.Trim(line[:colon], "'"), value
}

// isYAMLMark says whether a value only says that it follows, or is empty.
func isYAMLMark(value string) bool {
	value = strings.TrimSpace(value)
	return value == "" || value == "{}" || value == "[]" || value == `""` || value[0] == '|' || value[0] == '>'
}

func quoteAt(s string, i int) int {
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		return 1
	}
	return 0
}
