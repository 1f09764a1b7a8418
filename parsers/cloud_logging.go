package parsers

import (
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"podautopsy/timeline"
)

// cloudLoggingParser reads what GKE sends to Cloud Logging: the API server's audit
// log and the journals of the nodes, as gcloud and the console export them.
var cloudLoggingParser = Parser{
	Name:  "cloud-logging",
	Doc:   "Google Cloud's LogEntry as YAML or JSON (gcloud logging read, the console's download): audit entries of the Kubernetes API and records of kubelet and containerd.",
	Sniff: sniffCloudLogging,
	Parse: parseCloudLogging,
}

func sniffCloudLogging(f *File) bool {
	head := f.head()
	name, id := strings.Index(head, "logName"), strings.Contains(head, "insertId")
	if name < 0 || !id {
		return false
	}
	rest := strings.TrimLeft(head[name+len("logName"):], "\"': \t")
	for _, owner := range [...]string{"projects/", "organizations/", "folders/"} {
		if strings.HasPrefix(rest, owner) {
			return true
		}
	}
	return false
}

// logEntry is what we use of a LogEntry.
type logEntry struct {
	LogName      string
	Timestamp    string
	TextPayload  string
	JSONPayload  map[string]any
	ProtoPayload struct {
		AuthenticationInfo struct{ PrincipalEmail string }
		MethodName         string
		Request            json.RawMessage
		RequestMetadata    struct{ CallerSuppliedUserAgent string }
		ResourceName       string
		ServiceName        string
		Status             struct {
			Code    int
			Message string
		}
	}
	Resource struct {
		Type   string
		Labels map[string]string
	}
}

func parseCloudLogging(f *File, b *timeline.Builder) error {
	records := 0
	for document := range cloudDocuments(f) {
		if !strings.Contains(document.text, "logName") {
			continue
		}
		var entry logEntry
		if err := decodeLogEntry(document.text, &entry); err != nil {
			b.Gap(timeline.GapNotUnderstood, document.number, "no LogEntry: "+prefix(err.Error(), 100))
			continue
		}
		records++
		event, ok := entry.event()
		if !ok {
			continue
		}
		l := document.holding(entry.quoted())
		event.Source = b.Src(l.number, l.offset)
		if at, ok := timestamp(entry.Timestamp); ok {
			event.Time, event.Precision = at, time.Microsecond
		}
		if said, _, _ := strings.Cut(event.Text, "\n"); said == "" || !strings.Contains(l.text, said) {
			event.Text = prefix(l.text, maxMessage) // as YAML folds and quotes it
		}
		b.Add(event)
	}
	b.Input.Records = records
	if records == 0 {
		return errors.New("no entry of Cloud Logging could be read")
	}
	return nil
}

// decodeLogEntry takes either form. The field's names are JSON's in both.
func decodeLogEntry(text string, entry *logEntry) error {
	data := []byte(text)
	if !strings.HasPrefix(text, "{") {
		var value any
		if err := yaml.Unmarshal(data, &value); err != nil {
			return err
		}
		var err error
		if data, err = json.Marshal(value); err != nil {
			return err
		}
	}
	return json.Unmarshal(data, entry)
}

// cloudDocuments walks the entries of a file: YAML documents, or JSON objects.
func cloudDocuments(f *File) iter.Seq[line] {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	if strings.HasPrefix(head, "{") || strings.HasPrefix(head, "[") {
		return func(yield func(line) bool) {
			lines := newLineFinder(f)
			for v := range jsonDocuments(f.Text) {
				if !yield(line{text: v.text, number: lines.at(v.at).number, offset: f.Offset + int64(v.at)}) {
					return
				}
			}
		}
	}
	return func(yield func(line) bool) {
		begin, number := 0, max(f.FirstLine, 1)
		for l := range f.lines() {
			at := int(l.offset - f.Offset)
			if !strings.HasPrefix(l.text, "---") || at == 0 {
				continue
			}
			if !yield(line{text: f.Text[begin:at], number: number, offset: f.Offset + int64(begin)}) {
				return
			}
			begin, number = at, l.number
		}
		yield(line{text: f.Text[begin:], number: number, offset: f.Offset + int64(begin)})
	}
}

// holding is the first line of a document that holds the words, or its first.
func (l line) holding(words string) line {
	f := File{Text: l.text, FirstLine: l.number, Offset: l.offset}
	first := line{number: l.number, offset: l.offset}
	for one := range f.lines() {
		if first.text == "" {
			first.text = one.text
		}
		if strings.Contains(one.text, words) {
			return one
		}
	}
	return first
}

// quoted is what the line to cite holds.
func (e *logEntry) quoted() string {
	switch {
	case e.ProtoPayload.MethodName != "":
		return e.ProtoPayload.MethodName
	case e.JSONPayload["MESSAGE"] != nil:
		return "MESSAGE"
	case e.TextPayload != "":
		return "textPayload"
	}
	return "logName"
}

// event is what an entry tells; false for those that tell nothing.
func (e *logEntry) event() (timeline.Event, bool) {
	switch {
	case e.ProtoPayload.MethodName != "":
		return e.audit()
	case e.TextPayload != "":
		event, _ := programEvent(e.Resource.Labels["container_name"], e.TextPayload)
		return event, true
	}
	var entry journalEntry
	for name, value := range e.JSONPayload {
		if text, ok := value.(string); ok {
			entry.set(name, text)
		}
	}
	if entry.message == "" {
		if text, ok := e.JSONPayload["message"].(string); ok {
			entry.message = text
		}
	}
	if entry.message == "" {
		return timeline.Event{}, false
	}
	if entry.syslogIdentifier == "" && entry.comm == "" {
		entry.syslogIdentifier = e.LogName[strings.LastIndexByte(e.LogName, '/')+1:]
	}
	event := entry.event()
	if event.Node == "" {
		event.Node = e.Resource.Labels["node_name"]
	}
	return event, true
}

// audit turns an AuditLog of the Kubernetes API into the entry that the API
// server wrote: io.k8s.core.v1.pods.status.patch on
// core/v1/namespaces/NS/pods/NAME/status.
func (e *logEntry) audit() (timeline.Event, bool) {
	p := &e.ProtoPayload
	if p.ServiceName != "k8s.io" {
		return timeline.Event{}, false
	}
	a := auditEvent{Stage: "ResponseComplete", UserAgent: p.RequestMetadata.CallerSuppliedUserAgent, Timestamp: e.Timestamp, RequestObject: p.Request}
	a.Verb = p.MethodName[strings.LastIndexByte(p.MethodName, '.')+1:]
	a.User.Username = p.AuthenticationInfo.PrincipalEmail
	a.ResponseStatus.Code = httpStatus(p.Status.Code)
	a.ResponseStatus.Message = p.Status.Message
	ref := resourceNamed(p.ResourceName)
	a.ObjectRef = &ref
	if !a.matters() {
		return timeline.Event{}, false
	}
	event, ok := a.event(timeline.NewBuilder(""), line{})
	event.Text = ""
	return event, ok
}

// resourceNamed reads core/v1/namespaces/NS/pods/NAME/SUBRESOURCE.
func resourceNamed(name string) (ref auditObject) {
	parts := strings.Split(name, "/")
	parts = parts[min(2, len(parts)):] // group and version
	if len(parts) > 2 && parts[0] == "namespaces" && parts[2] != "status" && parts[2] != "finalize" {
		ref.Namespace, parts = parts[1], parts[2:]
	}
	for i, place := range [...]*string{&ref.Resource, &ref.Name, &ref.Subresource} {
		if i < len(parts) {
			*place = parts[i]
		}
	}
	return ref
}

// httpStatus is the API server's answer behind a google.rpc.Code.
func httpStatus(code int) int {
	statuses := [...]int{
		0: 200, 1: 499, 2: 500, 3: 400, 4: 504, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 12: 501, 13: 500, 14: 503, 15: 500, 16: 401,
	}
	if code < 0 || code >= len(statuses) {
		return code
	}
	return statuses[code]
}

// matters is what auditMatters asks of an entry's text.
func (a *auditEvent) matters() bool {
	switch a.Verb {
	case "delete", "deletecollection":
		return true
	case "create":
		return a.ObjectRef.Subresource == "eviction"
	case "patch", "update":
		return deletionWaitsFor(a.ObjectRef.Resource) && (a.ResponseStatus.Code >= 400 || strings.Contains(string(a.RequestObject), "finalizers"))
	}
	return false
}
