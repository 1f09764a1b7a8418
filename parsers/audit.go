package parsers

import (
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// auditLogParser reads the API server's audit log.
var auditLogParser = Parser{
	Name:  "audit-log",
	Doc:   "Kubernetes audit log, one JSON Event of audit.k8s.io per line: who asked for which deletion, and what was refused.",
	Sniff: sniffAuditLog,
	Parse: parseAuditLog,
}

func sniffAuditLog(f *File) bool {
	for _, text := range f.firstLines(3) {
		if strings.HasPrefix(text, "{") && strings.Contains(text, `"apiVersion":"audit.k8s.io/`) && strings.Contains(text, `"auditID"`) {
			return true
		}
	}
	return false
}

// auditEvent is what we use of an audit entry.
type auditEvent struct {
	Stage          string
	RequestURI     string
	Verb           string
	User           struct{ Username string }
	UserAgent      string
	ObjectRef      *auditObject
	ResponseStatus struct {
		Code    int
		Message string
		Reason  string
	}
	RequestObject            json.RawMessage
	RequestReceivedTimestamp string
	StageTimestamp           string
	Timestamp                string // of audit.k8s.io before 1.9
}

type auditObject struct{ Resource, Namespace, Name, UID, Subresource string }

// auditRequest is what we use of what was sent: DeleteOptions, an Eviction, or
// the object or patch itself.
type auditRequest struct {
	GracePeriodSeconds *int64
	PropagationPolicy  string
	DeleteOptions      struct {
		GracePeriodSeconds *int64
		PropagationPolicy  string
	}
	Metadata struct{ Finalizers json.RawMessage }
}

func parseAuditLog(f *File, b *timeline.Builder) error {
	records := 0
	var other leftovers
	var clocks auditClocks
	lastOpen := 0
	for l := range f.lines() {
		if l.text == "" {
			continue
		}
		if l.text[0] != '{' {
			other.add(f, b, l)
			continue
		}
		records++
		if lastOpen > 0 {
			b.Gap(timeline.GapNotUnderstood, lastOpen, "an entry without an end")
		}
		lastOpen = 0
		if l.text[len(l.text)-1] != '}' {
			lastOpen = l.number
			continue
		}
		clocks.note(b, l)
		if !auditMatters(l.text) {
			continue
		}
		var a auditEvent
		if err := json.Unmarshal([]byte(l.text), &a); err != nil {
			other.add(f, b, l)
			continue
		}
		if e, ok := a.event(b, l); ok {
			b.Add(e)
		}
	}
	if lastOpen > 0 {
		b.Gap(timeline.GapTruncated, lastOpen, "the last entry is cut off")
	}
	other.report(b)
	b.Input.Records = records
	if records == 0 {
		return errors.New("no audit entry could be read")
	}
	return nil
}

// auditMatters looks for the few entries worth decoding among the many: each
// deletion, and each write to what a deletion waits for.
func auditMatters(text string) bool {
	verb := auditField(text, `"verb":"`)
	if verb == "delete" || verb == "deletecollection" {
		return true
	}
	switch verb {
	case "create":
		return strings.Contains(text, `"subresource":"eviction"`)
	case "patch", "update":
	default:
		return false
	}
	if !deletionWaitsFor(auditField(text, `"objectRef":{"resource":"`)) {
		return false
	}
	if strings.Contains(text, `finalizers`) {
		return true
	}
	_, code, ok := strings.Cut(text, `"code":`)
	return ok && code != "" && (code[0] == '4' || code[0] == '5')
}

// deletionWaitsFor says whether writes to a resource tell of deletions.
func deletionWaitsFor(resource string) bool {
	switch resource {
	case "pods", "persistentvolumeclaims", "persistentvolumes", "volumeattachments", "namespaces", "nodes", "leases":
		return true
	}
	return false
}

// auditField is the string after the first mark. The API server writes keys in
// a fixed order, those of the entry itself before any object in it.
func auditField(text, mark string) string {
	_, rest, ok := strings.Cut(text, mark)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

// auditText is what is quoted of an entry: from the request's address to the
// user, as it stands there, or of one that was refused its object and the
// answer; else the line's head, bounded.
func auditText(text string, refused bool) string {
	const longest = 2 << 10
	if answer := strings.Index(text, `"responseStatus"`); refused && answer >= 0 {
		if from := strings.Index(text, `"objectRef"`); from >= 0 && from < answer && answer-from < longest {
			answer = from // who was refused, and why, stand side by side
		}
		if end := strings.Index(text[answer:], `"code":`); end >= 0 && end < longest {
			return strings.TrimRight(text[answer:answer+end+len(`"code":429`)], ",}")
		}
	}
	from := strings.Index(text, `"requestURI"`)
	user := strings.Index(text, `"username":"`)
	if from >= 0 && user > from && user-from < longest {
		if end := strings.IndexByte(text[user+len(`"username":"`):], '"'); end >= 0 && end < longest {
			return text[from : user+len(`"username":"`)+end+1]
		}
	}
	return prefix(text, longest)
}

// finalizersPatch is what a JSON patch does to finalizers. What else it writes
// may be a secret.
func finalizersPatch(raw json.RawMessage) string {
	var operations []json.RawMessage
	if json.Unmarshal(raw, &operations) != nil {
		return ""
	}
	operations = slices.DeleteFunc(operations, func(operation json.RawMessage) bool {
		var place struct{ Path string }
		return json.Unmarshal(operation, &place) != nil || !strings.HasPrefix(place.Path, "/metadata/finalizers")
	})
	if len(operations) == 0 {
		return ""
	}
	out, _ := json.Marshal(operations) // of JSON that was read
	return string(out)
}

// event tells the entry in one line. An entry at RequestReceived is passed
// over, for the same request is told again with its answer.
func (a *auditEvent) event(b *timeline.Builder, l line) (timeline.Event, bool) {
	if a.Verb == "" || a.Stage == "RequestReceived" || a.Stage == "ResponseStarted" {
		return timeline.Event{}, false
	}
	e := timeline.Event{
		Component: timeline.Audit,
		Level:     timeline.LevelInfo,
		Precision: time.Microsecond,
		Text:      auditText(l.text, a.ResponseStatus.Code >= 400),
		Source:    b.Src(l.number, l.offset),
	}
	for _, stamp := range []string{a.StageTimestamp, a.RequestReceivedTimestamp, a.Timestamp} {
		if at, ok := timestamp(stamp); ok {
			e.Time = at
			break
		}
	}
	if e.Time.Nanosecond() == 0 && a.Timestamp != "" {
		e.Precision = time.Second
	}
	if a.ResponseStatus.Code >= 400 {
		e.Level = timeline.LevelWarning
	}
	var resource, subresource string
	if ref := a.ObjectRef; ref != nil {
		resource, subresource = ref.Resource, ref.Subresource
		kind := kindOfResource(resource)
		if kind == "" {
			kind = resource
		}
		e.API = &timeline.APIRecord{Object: timeline.Ref{Kind: kind, Namespace: ref.Namespace, Name: ref.Name, UID: ref.UID}}
	}
	query := url.Values{}
	if _, raw, ok := strings.Cut(a.RequestURI, "?"); ok {
		query, _ = url.ParseQuery(raw)
	}
	var request auditRequest
	patch := ""
	if json.Unmarshal(a.RequestObject, &request) != nil { // a JSON patch is a list
		request = auditRequest{}
		patch = finalizersPatch(a.RequestObject)
	}
	options := request.DeleteOptions // of an Eviction
	grace := query.Get("gracePeriodSeconds")
	for _, seconds := range []*int64{options.GracePeriodSeconds, request.GracePeriodSeconds} {
		if seconds != nil {
			grace = strconv.FormatInt(*seconds, 10)
		}
	}
	propagation := query.Get("propagationPolicy")
	for _, policy := range []string{options.PropagationPolicy, request.PropagationPolicy} {
		if policy != "" {
			propagation = policy
		}
	}
	var m strings.Builder
	m.WriteString("verb=" + a.Verb)
	word := func(key, value string) {
		m.WriteString(" " + key + "=")
		if strings.ContainsAny(value, " \"\n") {
			value = strconv.Quote(value)
		}
		m.WriteString(value)
	}
	word("resource", resource)
	word("subresource", subresource)
	word("ns", e.Object().Namespace)
	word("name", e.Object().Name)
	word("user", a.User.Username)
	word("code", strconv.Itoa(a.ResponseStatus.Code))
	word("grace", grace)
	word("propagation", propagation)
	word("userAgent", a.UserAgent)
	if query.Get("dryRun") != "" {
		word("dryRun", query.Get("dryRun"))
	}
	if finalizers := request.Metadata.Finalizers; finalizers != nil {
		word("finalizers", prefix(string(finalizers), maxExcerpt))
	}
	if patch != "" {
		word("patch", prefix(patch, maxExcerpt))
	}
	if a.ResponseStatus.Message != "" {
		m.WriteString(" reason=" + strconv.Quote(prefix(a.ResponseStatus.Message, maxMessage)))
	}
	e.Message = m.String()
	return e, true
}
