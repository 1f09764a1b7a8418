package parsers

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"podautopsy/timeline"
)

func TestKubectlTables(t *testing.T) {
	type want struct {
		object  timeline.Ref
		content string // dotted path=value
		age     time.Duration
	}
	for _, test := range []struct {
		name, command, path, text string
		objects                   []want
		listing                   timeline.Listing
	}{
		{
			name: "pods of all namespaces", text: `NAMESPACE      NAME              READY   STATUS        RESTARTS        AGE   IP            NODE       NOMINATED NODE   READINESS GATES
edge-ingress   ingress-proxy-0   0/1     Terminating   12 (30m ago)    99s   10.244.1.12   worker-1   <none>           <none>
`,
			objects: []want{{timeline.Ref{Kind: "Pod", Namespace: "edge-ingress", Name: "ingress-proxy-0"}, "status.displayed=Terminating spec.nodeName=worker-1", 99 * time.Second}},
			listing: timeline.Listing{Kind: "Pod", AllNamespaces: true, Namespaces: []string{"edge-ingress"}, Items: 1, Unasked: true},
		},
		{
			name: "filtered", command: "kubectl -n shop get pods | grep web", text: "NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          9d\n",
			objects: []want{{timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}, "status.phase=Running", 9 * 24 * time.Hour}},
			listing: timeline.Listing{Kind: "Pod", Namespace: "shop", Namespaces: []string{"shop"}, Items: 1, Incomplete: true},
		},
		{
			name: "cut short by hand", text: "NAMESPACE   NAME                             READY   STATUS   RESTARTS   AGE\nkubevirt    virt-handler-9k2dx               1/1     Running  0          21d\n",
			objects: []want{{timeline.Ref{Kind: "Pod", Namespace: "kubevirt", Name: "virt-handler-9k2dx"}, "status.phase=Running", 21 * 24 * time.Hour}},
			listing: timeline.Listing{Kind: "Pod", AllNamespaces: true, Namespaces: []string{"kubevirt"}, Items: 1, Unasked: true},
		},
		{
			name: "nothing", command: "kubectl -n qa get job", text: "No resources found in qa namespace.\n",
			listing: timeline.Listing{Kind: "Job", Namespace: "qa", Namespaces: []string{"qa"}},
		},
		{
			name: "nothing, in a file", path: "pods-metrics-tools.txt", text: "No resources found in metrics-tools namespace.\n",
			listing: timeline.Listing{Kind: "Pod", Namespace: "metrics-tools", Namespaces: []string{"metrics-tools"}, Unasked: true},
		},
		{
			name: "no answer", text: "E1130 09:59:07.603775   40394 memcache.go:265] \"Unhandled Error\" err=\"x\"\nThe connection to the server localhost:8080 was refused - did you specify the right host or port?\n",
		},
		{
			name: "a volume", text: "NAME      CAPACITY   ACCESS MODES   RECLAIM POLICY   STATUS        CLAIM               STORAGECLASS   REASON   AGE\npvc-442   1Gi        RWO            Delete           Terminating   tenant-7/datadir    cinder-az               41d\n",
			objects: []want{{timeline.Ref{Kind: "PersistentVolume", Name: "pvc-442"}, "status.displayed=Terminating spec.claimRef.name=datadir", 41 * 24 * time.Hour}},
			listing: timeline.Listing{Kind: "PersistentVolume", AllNamespaces: true, Items: 1, Unasked: true},
		},
		{
			name: "a node", text: "NAME    STATUS                        ROLES    AGE   VERSION\nk-2     NotReady,SchedulingDisabled   <none>   9h    v1.21.9-eks-0d102a7\n",
			objects: []want{{timeline.Ref{Kind: "Node", Name: "k-2"}, "status.displayed=NotReady,SchedulingDisabled status.nodeInfo.kubeletVersion=v1.21.9-eks-0d102a7", 9 * time.Hour}},
			listing: timeline.Listing{Kind: "Node", AllNamespaces: true, Items: 1, Unasked: true},
		},
		{
			name: "grep took the header", command: "kubectl get pods -A | grep Term", text: "shop  web-0  0/1  Terminating  3 (2m ago)  5d\n",
			objects: []want{{timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}, "status.displayed=Terminating", 5 * 24 * time.Hour}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &File{Path: test.path, Text: test.text, FirstLine: 1, Command: test.command}
			if f.Path == "" {
				f.Path = "out.txt"
			}
			if !kubectlTableParser.Sniff(f) {
				t.Fatal("not taken for a table")
			}
			b := timeline.NewBuilder(f.Path)
			if err := kubectlTableParser.Parse(f, b); err != nil {
				t.Fatal(err)
			}
			checkCited(t, f, b)
			if len(b.Objects) != len(test.objects) {
				t.Fatalf("%d objects, want %d", len(b.Objects), len(test.objects))
			}
			for i, want := range test.objects {
				o := b.Objects[i]
				if o.Ref() != want.object || o.Ages["metadata.creationTimestamp"] != want.age {
					t.Errorf("object %v aged %v, want %v aged %v", o.Ref(), o.Ages, want.object, want.age)
				}
				for pair := range strings.FieldsSeq(want.content) {
					path, value, _ := strings.Cut(pair, "=")
					if got := field(o.Whole(), strings.Split(path, ".")...); got != value {
						t.Errorf("%s is %q, want %q", path, got, value)
					}
				}
			}
			if test.listing.Kind == "" {
				return
			}
			if len(b.Listings) != 1 {
				t.Fatalf("listings %+v", b.Listings)
			}
			if diff := cmp.Diff(test.listing, b.Listings[0], cmpopts.IgnoreFields(timeline.Listing{}, "Source", "Text"), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("listing (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNotTables(t *testing.T) {
	for _, text := range []string{
		"NAME        MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT\nsda  8:0 0 1T 0 disk\n",
		"CONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   NAMES\n",
		"POD ID   CREATED   STATE   NAME   NAMESPACE   ATTEMPT   RUNTIME\n",
		"NAME\tNAMESPACE\tREVISION\tUPDATED\n",
		"Filesystem      Size  Used Avail Use% Mounted on\n",
		"LAST SEEN   TYPE      REASON   OBJECT   MESSAGE\n",
	} {
		if kubectlTableParser.Sniff(&File{Text: text}) {
			t.Errorf("%q was taken for a table", text)
		}
	}
}

func TestAges(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"45s": 45 * time.Second, "6m10s": 370 * time.Second, "2d18h": 66 * time.Hour, "412d": 412 * 24 * time.Hour, "3y20d": (3*365 + 20) * 24 * time.Hour,
		"": -1, "<unknown>": -1, "12": -1, "s": -1, "99999999999999999y": -1, "5x": -1,
	} {
		got, ok := parseAge(s)
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %v, want %v", s, got, want)
		}
	}
}

func TestKubectlEvents(t *testing.T) {
	const text = `NAMESPACE   LAST SEEN             TYPE      REASON        OBJECT       SUBOBJECT   SOURCE              MESSAGE              FIRST SEEN   COUNT   NAME
shop        60s (x16 over 38m)    Warning   FailedMount   pod/web-0                kubelet, worker-1   a «mount» failed     38m          16      web-0.1
shop        2026-11-30T08:00:00Z  Normal    Killing       pod/web-0                kubelet, worker-1   Stopping container   38m          1       web-0.2
default     <unknown>             Normal    NodeNotReady  node/w-2                 controllermanager   not ready            5m           1       w-2.1
`
	b := readWith(t, kubectlEventsParser, "events.txt", text)
	if len(b.Events) != 3 {
		t.Fatalf("events %+v", b.Events)
	}
	want := timeline.Event{
		Component: timeline.APIEvent, Level: timeline.LevelWarning, Node: "worker-1",
		Message: "FailedMount: a «mount» failed", Stamp: timeline.Stamp{Age: time.Minute, HasAge: true},
		API: &timeline.APIRecord{Object: timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}, Count: 16, FirstAge: 38 * time.Minute, HasFirstAge: true},
	}
	if diff := cmp.Diff(want, b.Events[0], cmpopts.IgnoreFields(timeline.Event{}, "Source", "Text", "Seq")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if b.Events[1].Time.IsZero() || b.Events[2].Object().Kind != "Node" || b.Events[2].Node != "" {
		t.Errorf("events %+v", b.Events[1:])
	}
	b = readWith(t, kubectlEventsParser, "events.txt", "LAST SEEN   TYPE      REASON      OBJECT      MESSAGE\n5m          Warning   Unhealthy   pod/web-0   probe failed: one\ntwo\n")
	if len(b.Events) != 1 || !strings.HasSuffix(b.Events[0].Message, "one\ntwo") || b.Events[0].Source.LastLine != 3 {
		t.Errorf("events %+v", b.Events)
	}
}

func TestDescribe(t *testing.T) {
	const pod = `Name:                      web-0
Namespace:                 shop
Node:                      worker-1/10.20.0.11
Start Time:                Sat, 15 Nov 2025 06:59:40 +0000
Labels:                    app=web
                           tier=front
Annotations:               <none>
Status:                    Terminating (lasts 6m10s)
Termination Grace Period:  30s
Controlled By:             StatefulSet/web
Containers:
  web:
    Container ID:   containerd://7b86
    State:          Terminated
      Reason:       Error
      Exit Code:    137
      Finished:     Sat, 15 Nov 2025 07:00:11 +0000
    Ready:          False
    Restart Count:  2
    Mounts:
      /data from data (rw,path="sub")
Conditions:
  Type              Status
  Initialized       True 
  Ready             False 
Volumes:
  data:
    Type:       PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)
    ClaimName:  data-web-0
Events:
  Type     Reason         Age                  From     Message
  ----     ------         ----                 ----     -------
  Normal   Killing        2m (x5 over 10m)     kubelet  spec.containers{web}: Stopping container web
`
	b := readWith(t, kubectlDescribeParser, "describe.txt", pod+"\n\n"+strings.Replace(pod, "web-0\nN", "web-1\nN", 1))
	if len(b.Objects) != 2 || len(b.Events) != 2 {
		t.Fatalf("%d objects, %d events", len(b.Objects), len(b.Events))
	}
	o := b.Objects[0]
	want := map[string]any{
		"kind": "Pod",
		"metadata": map[string]any{
			"name": "web-0", "namespace": "shop", "deletionGracePeriodSeconds": int64(30),
			"labels":          map[string]any{"app": "web", "tier": "front"},
			"ownerReferences": []any{map[string]any{"kind": "StatefulSet", "name": "web", "controller": true}},
		},
		"spec": map[string]any{
			"nodeName":   "worker-1",
			"containers": []any{map[string]any{"name": "web", "volumeMounts": []any{map[string]any{"mountPath": "/data", "name": "data", "subPath": "sub"}}}},
			"volumes":    []any{map[string]any{"name": "data", "persistentVolumeClaim": map[string]any{"claimName": "data-web-0"}}},
		},
		"status": map[string]any{
			"displayed": "Terminating", "hostIP": "10.20.0.11", "startTime": "2025-11-15T06:59:40Z",
			"conditions": []any{map[string]any{"type": "Initialized", "status": "True"}, map[string]any{"type": "Ready", "status": "False"}},
			"containerStatuses": []any{map[string]any{
				"name": "web", "containerID": "containerd://7b86", "ready": false, "restartCount": int64(2),
				"state": map[string]any{"terminated": map[string]any{"reason": "Error", "exitCode": int64(137), "finishedAt": "2025-11-15T07:00:11Z"}},
			}},
		},
	}
	if diff := cmp.Diff(timeline.Decoded(want), o.Content); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !o.Partial || o.Ages["metadata.deletionTimestamp"] != 370*time.Second {
		t.Errorf("ages %v", o.Ages)
	}
	for path, line := range map[string]int{
		"metadata.deletionTimestamp": 8, "status.containerStatuses.0.state.terminated.exitCode": 14,
		"status.conditions.1.status": 25, "spec.volumes.0.persistentVolumeClaim.claimName": 27,
	} {
		if src, text, ok := o.Locate(strings.Split(path, ".")...); !ok || src.Line != line || text != strings.Split(pod, "\n")[line-1] {
			t.Errorf("%s stands at %v: %q, want line %d", path, src, text, line)
		}
	}
	e := b.Events[0]
	if e.Message != "Killing: Stopping container web" || e.Node != "worker-1" || e.Count() != 5 || e.Stamp.Age != 2*time.Minute || e.Object() != o.Ref() {
		t.Errorf("event %+v", e)
	}
}

func TestDescribeGeneric(t *testing.T) {
	const text = `Name:         csi-537
Namespace:    
Labels:       <none>
Annotations:  csi.alpha.kubernetes.io/node-id: worker-5
API Version:  storage.k8s.io/v1
Kind:         VolumeAttachment
Metadata:
  Creation Timestamp:             2024-11-23T17:31:24Z
  Deletion Grace Period Seconds:  0
  Deletion Timestamp:             2024-11-29T12:25:15Z
  Finalizers:
    external-attacher/cinder-csi-openstack-org
  UID:               4dd2b7af-69bd-411a-bb10-0506fca864f3
Spec:
  Attacher:   cinder.csi.openstack.org
  Node Name:  worker-5
  Source:
    Persistent Volume Name:  pvc-44219a27
Status:
  Attached:  true
Events:      <none>
`
	b := readWith(t, kubectlDescribeParser, "va.txt", text)
	want := map[string]any{
		"apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttachment",
		"metadata": map[string]any{
			"name": "csi-537", "annotations": map[string]any{"csi.alpha.kubernetes.io/node-id": "worker-5"},
			"creationTimestamp": "2024-11-23T17:31:24Z", "deletionTimestamp": "2024-11-29T12:25:15Z", "deletionGracePeriodSeconds": int64(0),
			"finalizers": []any{"external-attacher/cinder-csi-openstack-org"}, "uid": "4dd2b7af-69bd-411a-bb10-0506fca864f3",
		},
		"spec":   map[string]any{"attacher": "cinder.csi.openstack.org", "nodeName": "worker-5", "source": map[string]any{"persistentVolumeName": "pvc-44219a27"}},
		"status": map[string]any{"attached": true},
	}
	if len(b.Objects) != 1 {
		t.Fatal("no object")
	}
	if diff := cmp.Diff(timeline.Decoded(want), b.Objects[0].Content); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// kubectl get and describe, and the object itself, must tell the same of a pod.
func TestDescribeAgreesWithObject(t *testing.T) {
	files := sharedFiles(t, func(path string) bool {
		return strings.HasSuffix(path, "/cluster/pods.json") || strings.Contains(path, "/cluster/describe-pod-")
	})
	for path, text := range files {
		if !strings.Contains(path, "describe-pod-") {
			continue
		}
		if !kubectlDescribeParser.Sniff(&File{Text: text}) {
			continue // not found
		}
		described := readWith(t, kubectlDescribeParser, path, text)
		dir, _, _ := cutLast(path, "describe-pod-")
		dumped := readWith(t, kubernetesJSONParser, "pods.json", files[dir+"pods.json"])
		for _, o := range described.Objects {
			for _, whole := range dumped.Objects {
				if whole.Namespace != o.Namespace || whole.Name != o.Name {
					continue
				}
				for _, path := range []string{"spec.nodeName", "status.podIP", "status.startTime", "spec.serviceAccountName"} {
					parts := strings.Split(path, ".")
					if got, want := field(o.Whole(), parts...), field(whole.Whole(), parts...); got != "" && got != want {
						t.Errorf("%s: %s is %q, the object says %q", o.Name, path, got, want)
					}
				}
				_, aged := o.Ages["metadata.deletionTimestamp"]
				deleting := aged || hasPath(map[string]any(o.Whole()), []string{"status", "withinGrace"})
				if deleting != (field(whole.Whole(), "metadata", "deletionTimestamp") != "") && field(o.Whole(), "status", "phase") == "" {
					t.Errorf("%s: deletion differs", o.Name)
				}
			}
		}
	}
}

func TestAuditLog(t *testing.T) {
	const entry = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"c39","stage":"ResponseComplete","requestURI":"/api/v1/namespaces/shop/pods/web-0?gracePeriodSeconds=5","verb":"delete","user":{"username":"kubernetes-admin"},"userAgent":"kubectl/v1.35 (linux/amd64)","objectRef":{"resource":"pods","namespace":"shop","name":"web-0","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":200},"requestObject":{"kind":"DeleteOptions","gracePeriodSeconds":0,"propagationPolicy":"Background"},"requestReceivedTimestamp":"2026-11-30T08:36:42.120000Z","stageTimestamp":"2026-11-30T08:36:42.129472Z"}`
	get := strings.Replace(entry, `"verb":"delete"`, `"verb":"get"`, 1)
	received := strings.Replace(entry, "ResponseComplete", "RequestReceived", 1)
	patch := strings.NewReplacer(`"verb":"delete"`, `"verb":"patch"`, `{"kind":"DeleteOptions","gracePeriodSeconds":0,"propagationPolicy":"Background"}`, `[{"op":"remove","path":"/metadata/finalizers"},{"op":"add","path":"/spec/containers/0/env/0","value":{"name":"PASSWORD","value":"hunter2","was":"finalizers"}}]`, `"code":200`, `"code":422,"message":"no \"such\" thing"`).Replace(entry)
	b := readWith(t, auditLogParser, "audit.log", strings.Join([]string{get, received, entry, patch, entry[:200]}, "\n"))
	if len(b.Events) != 2 || b.Input.Records != 5 {
		t.Fatalf("%d events of %d records", len(b.Events), b.Input.Records)
	}
	e := b.Events[0]
	const want = `verb=delete resource=pods subresource= ns=shop name=web-0 user=kubernetes-admin code=200 grace=0 propagation=Background userAgent="kubectl/v1.35 (linux/amd64)"`
	if e.Message != want || e.Object() != (timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}) || e.Time.Nanosecond() != 129472000 {
		t.Errorf("event %+v", e)
	}
	if m := b.Events[1].Message; !strings.Contains(m, `code=422`) || !strings.Contains(m, `finalizers`) || strings.Contains(m, "hunter2") || !strings.HasSuffix(m, `reason="no \"such\" thing"`) {
		t.Errorf("patch %q", m)
	}
	if len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Kind != timeline.GapTruncated {
		t.Errorf("gaps %v", b.Input.Gaps)
	}
}

func FuzzKubectlTable(f *testing.F) {
	f.Add("NAME    READY   STATUS    RESTARTS   AGE\nweb-0   1/1     Running   0          9d\n\nNAME  STATUS  AGE\nNo resources found\n")
	fuzzText(f, kubectlTableParser)
}

func FuzzKubectlEvents(f *testing.F) {
	f.Add("LAST SEEN   TYPE      REASON      OBJECT      MESSAGE\n5m (x3 over 2h)   Warning   Unhealthy   pod/web-0   prøbe\ntwo\n")
	fuzzText(f, kubectlEventsParser)
}

func FuzzKubectlDescribe(f *testing.F) {
	f.Add("Name:  a\nLabels:  x=y\n         z=1\nContainers:\n  c:\n    State: Running\nNode: n/1\nConditions:\n  Type  Status\n  Ready  True\nEvents:\n  Type  Reason  Age  From  Message\n  N  K  2m  kubelet  m\n")
	f.Add("Name: x\nLabels: \nAPI Version: v1\nKind: Foo\nMetadata:\n  UID: 1\nSpec:\n  A B: 1\n    C:\n")
	fuzzText(f, kubectlDescribeParser)
}

func FuzzAuditLog(f *testing.F) {
	f.Add(`{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"1","verb":"delete","objectRef":{"resource":"pods"},"stageTimestamp":"2026-11-30T08:36:42Z"}` + "\n{")
	fuzzText(f, auditLogParser)
}

func fuzzText(f *testing.F, p Parser) {
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "pods.txt", Text: text, FirstLine: 3, Offset: 50}
		p.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		_ = p.Parse(file, b)
		checkCited(t, file, b)
	})
}

func TestLoneRows(t *testing.T) {
	for _, test := range []struct{ text, kind, name, namespace, node string }{
		{"shop          cart-0   1/1     Terminating   3 (5h ago)    2d18h   10.244.1.14   worker-1   <none>           <none>", "Pod", "cart-0", "shop", "worker-1"},
		{"cart-0 0/1 Terminating 0 10m", "Pod", "cart-0", "", ""},
		{"cart-0   0/2   Init:0/1   12 (30s ago)   45m   <none>   worker-2", "Pod", "cart-0", "", "worker-2"},
		{"worker-2   NotReady,SchedulingDisabled   <none>   40d   v1.29.3", "Node", "worker-2", "", ""},
		{"Nov 30 10:00:00 worker-1 kubelet[161]: 1/1 Running 0 5d", "", "", "", ""},
		{"cart-0 1/1 running 0 10m", "", "", "", ""},
		{"cart-0 1/x Running 0 10m", "", "", "", ""},
		{"Cart_0 1/1 Running 0 10m", "", "", "", ""},
		{"a b c d e", "", "", "", ""},
	} {
		kind, g, cells, ok := loneRow(test.text)
		cell := func(name string) string {
			if i := g.column(name); ok && i >= 0 {
				return cells[i]
			}
			return ""
		}
		if ok != (test.kind != "") || kind != test.kind || cell("NAME") != test.name || cell("NAMESPACE") != test.namespace || cell("NODE") != test.node {
			t.Errorf("%q is read as %s %v %v", test.text, kind, g.names, cells)
		}
	}
}

func TestBentTables(t *testing.T) {
	for name, text := range map[string]string{
		"tabs":     "NAME\tREADY\tSTATUS\tRESTARTS\tAGE\tNODE\ncart-0\t1/1\tTerminating\t3 (5h ago)\t10m\tworker-1\n",
		"squeezed": "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES\ncart-0 1/1 Terminating 3 (5h ago) 10m 10.0.0.1 worker-1 <none> <none>\n",
		"columns":  "NAME     STATUS        AGE   NODE\ncart-0   Terminating   10m   worker-1\n",
		"rows":     "cart-1   1/1   Running       0   2d    10.0.0.2   worker-1   <none>   <none>\ncart-0   1/1   Terminating   0   10m   10.0.0.1   worker-1   <none>   <none>\n",
		"mixed":    "NAME     READY   STATUS        RESTARTS   AGE\nshop cart-0 1/1 Terminating 0 10m 10.0.0.1 worker-1 <none> <none>\n",
	} {
		t.Run(name, func(t *testing.T) {
			f := &File{Path: "x.txt", Text: text, FirstLine: 1}
			if !kubectlTableParser.Sniff(f) {
				t.Fatal("not claimed")
			}
			b := timeline.NewBuilder(f.Path)
			if err := kubectlTableParser.Parse(f, b); err != nil {
				t.Fatal(err)
			}
			for _, o := range b.Objects {
				spec, _ := o.Field("spec").(map[string]any)
				status, _ := o.Field("status").(map[string]any)
				if o.Name == "cart-0" && o.Kind == "Pod" && spec["nodeName"] == "worker-1" && status["displayed"] == "Terminating" {
					return
				}
			}
			t.Errorf("read %v", b.Objects)
		})
	}
}
