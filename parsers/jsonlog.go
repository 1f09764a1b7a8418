package parsers

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// jsonLogParser reads logs of one JSON object a line.
var jsonLogParser = Parser{
	Name: "json-log",
	Doc:  "Log files of one JSON object a line, as Kubernetes components (--logging-format=json), containerd, zap and KubeVirt write them.",
	Sniff: func(f *File) bool {
		return mostLines(f, func(s string) bool {
			if s[0] != '{' {
				return false
			}
			_, ok := readJSONLog(s)
			return ok
		})
	},
	Parse: parseProgramLog,
}

// jsonRecord is a line of a JSON log, its values still raw.
type jsonRecord struct {
	ts, level, msg, caller, v, err string
	component                      string
	rest                           []jsonPair
}

type jsonPair struct{ key, raw string }

// readJSONLog reads a JSON log line and writes it in the text form of the
// logger that would have made it: klog's where there is a caller and no level,
// else logrus's.
func readJSONLog(s string) (spoken, bool) {
	var r jsonRecord
	n, ok := jsonObject(s, r.field)
	if !ok || r.msg == "" || r.ts == "" && r.level == "" || strings.TrimSpace(s[n:]) != "" {
		return spoken{}, false
	}
	at, known := jsonTime(r.ts)
	if !known && r.level == "" {
		return spoken{}, false
	}
	if r.level == "" && r.caller != "" {
		return r.klog(at), true
	}
	return r.logfmt(at), true
}

func (r *jsonRecord) field(key, raw string) {
	place := (*string)(nil)
	switch key {
	case "ts", "time", "timestamp", "@timestamp", "t":
		place = &r.ts
	case "level", "lvl", "severity":
		place = &r.level
	case "msg", "message":
		place = &r.msg
	case "caller":
		place = &r.caller
	case "v":
		place = &r.v
	case "err":
		place = &r.err
	case "component":
		r.component = unquoteJSON(raw)
	}
	if place != nil && *place == "" {
		*place = raw
		return
	}
	r.rest = append(r.rest, jsonPair{key, raw})
}

// klog is the record in klog's text form. Errors have no verbosity in JSON, and
// klog prints the error of one first.
func (r *jsonRecord) klog(at printed) spoken {
	severity := byte('I')
	if r.v == "" {
		severity = 'E'
	}
	caller := unquoteJSON(r.caller)
	if i := strings.LastIndexByte(caller, '/'); i >= 0 {
		caller = caller[i+1:]
	}
	var b strings.Builder
	b.WriteByte(severity)
	b.WriteString(at.time.Format("0102 15:04:05.000000"))
	b.WriteString("       1 ")
	b.WriteString(caller)
	b.WriteString("] ")
	b.WriteString(strconv.Quote(unquoteJSON(r.msg)))
	if r.err != "" {
		writeKlogPair(&b, "err", r.err)
	}
	for _, p := range r.rest {
		writeKlogPair(&b, p.key, p.raw)
	}
	file, _, _ := strings.Cut(caller, ":")
	return spoken{kind: spokenKlog, message: b.String(), level: klogLevel(severity), at: at, file: file, component: r.component}
}

func writeKlogPair(b *strings.Builder, key, raw string) {
	b.WriteByte(' ')
	b.WriteString(key)
	b.WriteByte('=')
	b.WriteString(klogValue(raw))
}

// klogValue prints a value as klog's text form does: an object reference as
// "namespace/name", other objects as JSON.
func klogValue(raw string) string {
	if raw[0] != '[' {
		return klogElement(raw)
	}
	var values []json.RawMessage
	if json.Unmarshal([]byte(raw), &values) != nil {
		return raw
	}
	elements := make([]string, len(values))
	for i, v := range values {
		elements[i] = klogElement(string(v))
	}
	return "[" + strings.Join(elements, ",") + "]"
}

func klogElement(raw string) string {
	switch raw[0] {
	case '"':
		return strconv.Quote(unquoteJSON(raw))
	case '{':
		if ref, ok := objectReference(raw); ok {
			return strconv.Quote(ref)
		}
	}
	return compactJSON(raw)
}

// objectReference reads {"name":"web-0","namespace":"shop"}.
func objectReference(raw string) (string, bool) {
	name, namespace, others := "", "", false
	_, ok := jsonObject(raw, func(key, value string) {
		switch key {
		case "name":
			name = unquoteJSON(value)
		case "namespace":
			namespace = unquoteJSON(value)
		default:
			others = true
		}
	})
	if !ok || others || name == "" {
		return "", false
	}
	if namespace != "" {
		name = namespace + "/" + name
	}
	return name, true
}

func compactJSON(raw string) string {
	if raw[0] != '{' && raw[0] != '[' {
		return raw
	}
	var b bytes.Buffer
	if json.Compact(&b, []byte(raw)) != nil {
		return raw
	}
	return b.String()
}

// logfmt is the record in logrus's text form: time, level and message, then
// the fields by name.
func (r *jsonRecord) logfmt(at printed) spoken {
	level := unquoteJSON(r.level)
	var b strings.Builder
	if !at.time.IsZero() {
		b.WriteString(`time="`)
		if r.ts[0] == '"' {
			b.WriteString(unquoteJSON(r.ts))
		} else {
			b.WriteString(at.time.Format(time.RFC3339Nano))
		}
		b.WriteString(`" `)
	}
	if level != "" {
		b.WriteString("level=")
		b.WriteString(strings.ToLower(level))
		b.WriteByte(' ')
	}
	b.WriteString("msg=")
	b.WriteString(logfmtQuote(unquoteJSON(r.msg)))
	pairs := r.rest
	for _, p := range [...]jsonPair{{"caller", r.caller}, {"err", r.err}, {"v", r.v}} {
		if p.raw != "" {
			pairs = append(pairs, p)
		}
	}
	slices.SortStableFunc(pairs, func(a, b jsonPair) int { return strings.Compare(a.key, b.key) })
	for _, p := range pairs {
		value := compactJSON(p.raw)
		if p.raw[0] == '"' {
			value = unquoteJSON(p.raw)
		}
		b.WriteByte(' ')
		b.WriteString(p.key)
		b.WriteByte('=')
		b.WriteString(logfmtQuote(value))
	}
	return spoken{kind: spokenLogfmt, message: b.String(), level: levelNamed(level), at: at, component: r.component}
}

// logfmtQuote quotes a value where logrus would.
func logfmtQuote(s string) string {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', isDigit(c):
		case strings.IndexByte("-._/@^+", c) >= 0:
		default:
			return strconv.Quote(s)
		}
	}
	return s
}

// jsonTime reads a time as text, or as seconds, milliseconds, microseconds or
// nanoseconds since 1970, told apart by size.
func jsonTime(raw string) (printed, bool) {
	if raw == "" {
		return printed{}, false
	}
	if raw[0] == '"' {
		s := unquoteJSON(raw)
		p, n := isoStamp(s)
		if n > 0 {
			return p, true
		}
		raw = s
	}
	whole, fraction, _ := strings.Cut(raw, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil { // 1.6e+12
		f, err := strconv.ParseFloat(raw, 64)
		if err != nil || f < 0 || f > 1e19 {
			return printed{}, false
		}
		n, fraction = int64(min(f, 9e18)), ""
	}
	unit := time.Second
	switch {
	case n < 1e8:
		return printed{}, false
	case n < 1e11:
	case n < 1e14:
		unit = time.Millisecond
	case n < 1e17:
		unit = time.Microsecond
	default:
		unit = time.Nanosecond
	}
	perSecond := int64(time.Second / unit)
	nano := (n % perSecond) * int64(unit)
	precision := unit
	for part := unit; fraction != "" && isDigit(fraction[0]) && part > 1; fraction = fraction[1:] {
		part /= 10
		nano += int64(fraction[0]-'0') * int64(part)
		precision = part
	}
	return printed{time: time.Unix(n/perSecond, nano).UTC(), precision: precision}, true
}
