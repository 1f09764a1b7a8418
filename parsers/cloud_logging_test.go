package parsers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"podautopsy/timeline"
)

const (
	cloudDelete = `insertId: c7842d26
labels:
  authorization.k8s.io/decision: allow
logName: projects/sample/logs/cloudaudit.googleapis.com%2Factivity
protoPayload:
  '@type': type.googleapis.com/google.cloud.audit.AuditLog
  authenticationInfo:
    principalEmail: jane@example.com
  methodName: io.k8s.core.v1.pods.delete
  request:
    '@type': core.k8s.io/v1.DeleteOptions
    gracePeriodSeconds: 0
    propagationPolicy: Background
  requestMetadata:
    callerSuppliedUserAgent: kubectl/v1.28.14
  resourceName: core/v1/namespaces/shop/pods/web-0
  serviceName: k8s.io
  status:
    code: 7
    message: 'pods "web-0" is forbidden'
timestamp: "2024-01-01T01:00:00.123456Z"
`
	cloudKubelet = `insertId: n65fdogr
jsonPayload:
  _COMM: kubelet
  _HOSTNAME: gke-default-abcd
  _PID: "1675"
  _SYSTEMD_UNIT: kubelet.service
  MESSAGE: I1119 22:48:13.914655 1675 kuberuntime_container.go:808] "Killing container with a grace period" pod="kube-system/kube-dns-1" gracePeriod=30
  PRIORITY: "6"
logName: projects/sample/logs/kubelet
resource:
  labels:
    node_name: gke-default-abcd
  type: k8s_node
timestamp: "2024-11-19T22:48:13.915Z"
`
	cloudJSON = `[
  {
    "insertId": "x",
    "jsonPayload": {"MESSAGE": "Started x.", "SYSLOG_IDENTIFIER": "systemd", "_PID": "1"},
    "logName": "projects/sample/logs/systemd",
    "resource": {"type": "k8s_node", "labels": {"node_name": "gke-default-abcd"}},
    "timestamp": "2024-11-19T22:48:14Z"
  }
]
`
)

func TestCloudLogging(t *testing.T) {
	text := cloudDelete + "---\n" + cloudKubelet
	f := &File{Path: "log.yaml", Text: text, FirstLine: 1}
	if p := claimedBy(f, All()); p == nil || p.Name != cloudLoggingParser.Name {
		t.Fatalf("taken by %v", p)
	}
	b := timeline.NewBuilder(f.Path)
	if err := cloudLoggingParser.Parse(f, b); err != nil || len(b.Events) != 2 || b.Input.Records != 2 {
		t.Fatalf("%v, %d events", err, len(b.Events))
	}
	asked, killing := b.Events[0], b.Events[1]
	want := timeline.Event{
		Time: time.Date(2024, 1, 1, 1, 0, 0, 123456000, time.UTC), Precision: time.Microsecond, Component: timeline.Audit, Level: timeline.LevelWarning,
		Message: `verb=delete resource=pods subresource= ns=shop name=web-0 user=jane@example.com code=403 grace=0 propagation=Background userAgent=kubectl/v1.28.14 reason="pods \"web-0\" is forbidden"`,
		Text:    "  methodName: io.k8s.core.v1.pods.delete",
		API:     &timeline.APIRecord{Object: timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}},
		Source:  timeline.Source{File: "log.yaml", Line: 9, Offset: int64(strings.Index(text, "  methodName"))},
	}
	if d := cmp.Diff(want, asked); d != "" {
		t.Error(d)
	}
	if killing.Node != "gke-default-abcd" || killing.Component != timeline.Kubelet || killing.PID != 1675 || killing.Source.Line != 29 ||
		!strings.HasPrefix(killing.Message, "I1119 22:48:13.914655") {
		t.Errorf("got %+v", killing)
	}

	b = timeline.NewBuilder("log.json")
	f = &File{Path: "log.json", Text: cloudJSON, FirstLine: 1}
	if p := claimedBy(f, All()); p == nil || p.Name != cloudLoggingParser.Name {
		t.Fatalf("taken by %v", p)
	}
	if err := cloudLoggingParser.Parse(f, b); err != nil || len(b.Events) != 1 || b.Events[0].Node != "gke-default-abcd" || b.Events[0].Source.Line != 4 {
		t.Errorf("%v, %+v", err, b.Events)
	}
}

func FuzzCloudLogging(f *testing.F) {
	f.Add(cloudDelete + "---\n" + cloudKubelet)
	f.Add(cloudJSON)
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "x", Text: text, FirstLine: 1}
		cloudLoggingParser.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		_ = cloudLoggingParser.Parse(file, b)
		checkCited(t, file, b)
	})
}
