package parsers

import (
	"strings"
	"testing"
	"time"

	"podautopsy/timeline"
)

// samplesOf parses a text and checks that what samples cite stands there.
func samplesOf(t *testing.T, p Parser, text string) []timeline.ClockSample {
	t.Helper()
	f := &File{Path: "f", Text: text, FirstLine: 1}
	b := timeline.NewBuilder("f")
	if err := p.Parse(f, b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	for _, s := range b.Samples {
		for _, c := range s.Cite() {
			if c.Source.Line < 1 || c.Source.Line > len(lines) || !strings.Contains(lines[c.Source.Line-1], strings.TrimSpace(c.Text)) {
				t.Errorf("%q does not stand at line %d", c.Text, c.Source.Line)
			}
		}
	}
	return b.Samples
}

func TestEventsTellClocks(t *testing.T) {
	event := func(name, host, first, created string) string {
		return `{"apiVersion": "v1", "kind": "Event",
"metadata": {"name": "` + name + `", "namespace": "shop",
"creationTimestamp": "` + created + `"},
"involvedObject": {"kind": "Pod", "name": "cart-0", "namespace": "shop"},
"reason": "Killing", "message": "Stopping container cart", "source": {"component": "kubelet", "host": "` + host + `"},
"firstTimestamp": "` + first + `",
"lastTimestamp": "` + first + `", "count": 1}
`
	}
	got := samplesOf(t, kubernetesJSONParser, event("cart-0.18ecca23f262c0f1", "w4", "2026-11-30T09:56:47Z", "2026-11-30T09:55:14Z"))
	if len(got) != 1 {
		t.Fatalf("%d samples", len(got))
	}
	s := got[0]
	if s.Node != "w4" || s.How != timeline.SampleEvent || s.At.Format(time.RFC3339) != "2026-11-30T09:56:47Z" || s.At.Nanosecond() == 0 || s.AtRound != 0 ||
		s.API.Format(time.RFC3339) != "2026-11-30T09:55:14Z" || s.APIRound != time.Second {
		t.Errorf("%+v", s)
	}
	// A name that holds no time, or another, is none.
	for _, name := range []string{"cart-0", "cart-0.18ecca23f262c0f1f", "cart-0.1"} {
		if s := samplesOf(t, kubernetesJSONParser, event(name, "w4", "2026-11-30T09:56:47Z", "2026-11-30T09:55:14Z"))[0]; s.At.Nanosecond() != 0 || s.AtRound != time.Second {
			t.Errorf("%s: %+v", name, s)
		}
	}
	// Nobody's clock, and an Event without its times.
	for _, text := range []string{event("a", "", "2026-11-30T09:56:47Z", "2026-11-30T09:55:14Z"), event("a", "w4", "null", "2026-11-30T09:55:14Z"), event("a", "w4", "2026-11-30T09:56:47Z", "")} {
		if got := samplesOf(t, kubernetesJSONParser, text); len(got) != 0 {
			t.Errorf("%d samples of %s", len(got), text)
		}
	}
}

func TestAuditTellsClocks(t *testing.T) {
	entry := func(user, verb, resource, namespace, received, body string) string {
		return `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"a","stage":"ResponseComplete","requestURI":"/x","verb":"` + verb + `","user":{"username":"` + user +
			`"},"objectRef":{"resource":"` + resource + `","namespace":"` + namespace + `","name":"w4"},"responseStatus":{"metadata":{},"code":200},"requestObject":` + body +
			`,"requestReceivedTimestamp":"` + received + `","stageTimestamp":"` + received + "\"}\n"
	}
	const lease = `{"kind":"Lease","spec":{"holderIdentity":"w4","renewTime":"2026-11-30T09:59:01.599586Z"}}`
	text := entry("system:node:w4", "update", "leases", "kube-node-lease", "2026-11-30T09:57:28.610000Z", lease) +
		entry("system:node:w4", "update", "leases", "kube-node-lease", "2026-11-30T09:57:38.610000Z", lease) + // too soon after
		entry("system:node:w4", "patch", "nodes", "", "2026-11-30T09:57:30.100000Z", `{"status":{"conditions":[{"lastHeartbeatTime":"2026-11-30T09:59:02Z","type":"Ready"},{"lastHeartbeatTime":"2026-11-30T09:59:03Z","type":"DiskPressure"}]}}`) +
		entry("system:node:w4", "patch", "pods", "shop", "2026-11-30T09:57:31.100000Z", `{"status":{"conditions":[{"lastTransitionTime":"2026-11-30T09:59:04Z","type":"Ready"}]}}`) +
		entry("system:kube-scheduler", "update", "leases", "kube-system", "2026-11-30T09:57:28Z", lease) + // not a node's
		entry("system:node:w4", "update", "leases", "elsewhere", "2026-11-30T09:57:28Z", lease) +
		entry("system:node:w4", "update", "leases", "kube-node-lease", "soon", lease) +
		entry("system:node:w4", "get", "leases", "kube-node-lease", "2026-11-30T09:57:28Z", `{}`)
	got := samplesOf(t, auditLogParser, text)
	want := []struct {
		how timeline.SampleKind
		d   time.Duration
	}{{timeline.SampleLease, 92989586 * time.Microsecond}, {timeline.SampleHeartbeat, 92900 * time.Millisecond}, {timeline.SamplePodStatus, 92900 * time.Millisecond}}
	if len(got) != len(want) {
		t.Fatalf("%d samples, want %d: %+v", len(got), len(want), got)
	}
	for i, s := range got {
		if s.Node != "w4" || s.How != want[i].how || s.At.Sub(s.API) != want[i].d {
			t.Errorf("sample %d: %+v", i, s)
		}
	}
}

func TestJournalsTellUptime(t *testing.T) {
	b := timeline.NewBuilder("f")
	err := journalExportParser.Parse(&File{Path: "f", FirstLine: 1, Text: "__REALTIME_TIMESTAMP=1773144000000000\n__MONOTONIC_TIMESTAMP=100000000\n_BOOT_ID=b1\nSYSLOG_IDENTIFIER=x\nMESSAGE=x\n\n" +
		"__REALTIME_TIMESTAMP=1773144000000000\n__MONOTONIC_TIMESTAMP=1773144000000001\n_BOOT_ID=b1\nSYSLOG_IDENTIFIER=x\nMESSAGE=lies\n\n"}, b)
	if err != nil {
		t.Fatal(err)
	}
	if e := b.Events[0]; e.Boot != "b1" || e.Uptime != 100*time.Second {
		t.Errorf("%+v", e)
	}
	if e := b.Events[1]; e.Boot != "" || e.Uptime != 0 {
		t.Errorf("%+v", e)
	}
}
