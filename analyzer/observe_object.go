package analyzer

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

var objectObservations = []Observation{
	{"object-finalizer", []string{StageFinalizers}, Failure, Decisive, "the object is in deletion and carries a finalizer that its owner has not taken off"},
	{"namespace-discovery-failure", []string{StageNamespace}, Failure, Decisive, "the namespace controller could not list some API group"},
	{"namespace-content-failure", []string{StageNamespace}, Failure, Supporting, "deleting the namespace's content failed"},
	{"namespace-content-left", []string{StageNamespace}, Failure, Decisive, "the namespace's conditions say that objects remain"},
	{"namespace-finalizers-left", []string{StageNamespace}, Failure, Decisive, "the namespace's conditions say which finalizers remain"},
	{"namespace-pods-left", []string{StageNamespace}, Failure, Supporting, "pods of the namespace are in deletion, and nothing else is deleted before them"},
	{"namespace-objects-left", []string{StageNamespace}, Failure, Supporting, "objects of the namespace are there still"},
	{"apiservice-unavailable", []string{StageNamespace}, Failure, Supporting, "an aggregated API does not answer"},
	{"protection-finalizer", []string{StageFinalizers}, Failure, Supporting, "a protection finalizer keeps the claim or volume while something uses it"},
	{"claim-in-use", []string{StageFinalizers}, Failure, Decisive, "a pod refers to the claim, finished or not"},
	{"claim-volume-deleted", []string{StageFinalizers}, Context, Supporting, "the claim's volume goes with the claim, by its reclaim policy"},
	{"claim-volume-retained", []string{StageFinalizers}, Context, Supporting, "the claim's volume outlives the claim, by its reclaim policy"},
	{"claim-volume-policy-unknown", []string{StageFinalizers}, Context, Supporting, "the bundle does not tell the reclaim policy of the claim's volume"},
	{"volume-bound", []string{StageFinalizers}, Failure, Decisive, "a claim is bound to the volume"},
	{"attacher-finalizer", []string{StageFinalizers}, Failure, Supporting, "the external attacher keeps the object until the volume is detached"},
	{"attachment-detach-error", []string{StageDetached}, Failure, Decisive, "detaching failed: the attachment's status says why"},
	{"attachment-in-deletion", []string{StageDetached}, Failure, Supporting, "the VolumeAttachment is in deletion"},
	{"attachment-node-absent", []string{StageDetached}, Failure, Decisive, "the attachment is to a node that does not exist"},
	{"webhook-changes-pod-updates", []string{StageFinalizers}, Context, Supporting, "a mutating webhook is called for updates of pods"},
	{"dependent-in-way", []string{StageFinalizers}, Failure, Decisive, "a dependent with blockOwnerDeletion is there still"},
	{"controller-speaks-of-it", []string{StageFinalizers}, Context, Supporting, "a controller's log goes on about the object since the deletion was asked for"},
	{"controller-lease-stale", []string{StageFinalizers}, Failure, Supporting, "the lease of a controller has not been renewed for long"},
	{"controller-pod-not-running", []string{StageFinalizers}, Failure, Supporting, "the pod of the controller that has to act does not run"},
	{"deleted-before-created", []string{StageNode}, Failure, Decisive, "the object's deletion lies before its creation"},
}

// lookAtObject reads what the API says of the subject beside its being a pod.
func (q *inquest) lookAtObject() {
	q.lookAtWebhooks()
	q.lookAtDependents()
	q.lookAtControllers()
	q.lookAtControllerLogs()
	o := q.object
	if o == nil || q.kind == "Pod" {
		return
	}
	b := q.s.book
	finalizers := stringsAt(o.Content, "metadata", "finalizers")
	for i, f := range finalizers {
		at := b.object(o, "metadata", "finalizers", strconv.Itoa(i))
		keys := finalizerKeys(o, i, f)
		switch {
		case f == "kubernetes.io/pvc-protection" || f == "kubernetes.io/pv-protection":
			q.observe("protection-finalizer", scopeSubject, o.AsOf, keys, at)
		case strings.HasPrefix(f, "external-attacher/"):
			q.observe("attacher-finalizer", scopeSubject, o.AsOf, keys, at)
			q.observe("object-finalizer", scopeSubject, o.AsOf, keys, at)
		case f == "foregroundDeletion":
			q.observe("foreground-deletion", scopeSubject, o.AsOf, keys, at)
		case q.kind == "Namespace" && f == "kubernetes":
		default:
			q.observe("object-finalizer", scopeSubject, o.AsOf, keys, at)
		}
	}
	switch q.kind {
	case "Namespace":
		q.lookAtNamespace()
	case "PersistentVolumeClaim":
		q.lookAtClaim()
	case "PersistentVolume":
		q.lookAtVolume()
	case "VolumeAttachment":
		q.lookAtAttachment(o.Name, true)
	}
}

func (q *inquest) lookAtNamespace() {
	b, o := q.s.book, q.object
	for _, c := range []struct{ kind, id string }{
		{"NamespaceDeletionDiscoveryFailure", "namespace-discovery-failure"},
		{"NamespaceDeletionGroupVersionParsingFailure", "namespace-discovery-failure"},
		{"NamespaceDeletionContentFailure", "namespace-content-failure"},
		{"NamespaceContentRemaining", "namespace-content-left"},
		{"NamespaceFinalizersRemaining", "namespace-finalizers-left"},
	} {
		status, reason, message, since, i, ok := condition(o, c.kind)
		if ok && status == "True" {
			q.observe(c.id, scopeSubject, since, map[string]string{"reason": reason, "message": message},
				b.object(o, "status", "conditions", strconv.Itoa(i), "message"),
				b.object(o, "status", "conditions", strconv.Itoa(i), "status"))
		}
	}
	for _, x := range q.s.tl.Objects {
		if x.Namespace != q.name || x.Kind == "Event" || x.Kind == "Namespace" {
			continue
		}
		keys := map[string]string{"what": x.Kind, "object": x.Name}
		switch {
		case x.Kind == "Pod" && terminating(x):
			q.observe("namespace-pods-left", scopeSubject, x.AsOf, keys, b.object(x, "metadata", "deletionTimestamp"))
		case len(stringsAt(x.Content, "metadata", "finalizers")) > 0:
			q.observe("namespace-objects-left", scopeSubject, x.AsOf, keys, b.object(x, "metadata", "finalizers", "0"))
		}
	}
	for _, a := range q.s.objects["APIService"] {
		status, reason, message, since, i, ok := condition(a, "Available")
		if ok && status == "False" {
			q.observe("apiservice-unavailable", scopeSubject, since, map[string]string{"api": a.Name, "reason": reason, "message": message},
				b.object(a, "status", "conditions", strconv.Itoa(i), "status"))
		}
	}
}

func (q *inquest) lookAtClaim() {
	b := q.s.book
	q.lookAtReclaim()
	var names, told []string
	uses := func(name, phase string) {
		if contains(names, name) {
			return
		}
		names = append(names, name)
		told = append(told, "pod "+oneLine(name)+" ("+cmp.Or(phase, "phase not known")+")")
	}
	for _, p := range q.s.objects["Pod"] {
		if p.Namespace != q.ns {
			continue
		}
		for i, v := range mapsAt(p.Content, "spec", "volumes") {
			if stringAt(v, "persistentVolumeClaim", "claimName") == q.name {
				uses(p.Name, stringAt(p.Content, "status", "phase"))
				q.observe("claim-in-use", scopeSubject, p.AsOf, map[string]string{"user": p.Name, "phase": stringAt(p.Content, "status", "phase")},
					b.object(p, "spec", "volumes", strconv.Itoa(i), "persistentVolumeClaim", "claimName"))
			}
		}
	}
	for i, name := range stringsAt(q.object.Content, "status", "usedBy") {
		uses(name, "")
		q.observe("claim-in-use", scopeSubject, q.object.AsOf, map[string]string{"user": name}, b.object(q.object, "status", "usedBy", strconv.Itoa(i)))
	}
	// Whoever reads of one user is told of all.
	for _, sg := range q.signalsOf("claim-in-use") {
		sg.keys["users"] = strings.Join(told, " and ")
		if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(n, eachSeparator) }) {
			sg.keys[eachUser] = strings.Join(names, eachSeparator)
		}
	}
}

// lookAtReclaim tells what becomes of the data once the claim is gone: the
// reclaim policy of its PersistentVolume says so.
// https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming
func (q *inquest) lookAtReclaim() {
	b := q.s.book
	name := stringAt(q.object.Content, "spec", "volumeName")
	if name == "" {
		return // not bound: there are no data
	}
	keys := map[string]string{"pv": name}
	pv := q.s.object("PersistentVolume", "", name)
	if pv != nil {
		keys["policy"] = stringAt(pv.Content, "spec", "persistentVolumeReclaimPolicy")
	}
	id := "claim-volume-deleted"
	switch keys["policy"] {
	case "":
		q.observe("claim-volume-policy-unknown", scopeSubject, q.object.AsOf, keys, b.object(q.object, "spec", "volumeName"))
		return
	case "Retain":
		id = "claim-volume-retained"
	}
	q.observe(id, scopeSubject, pv.AsOf, keys, b.object(pv, "spec", "persistentVolumeReclaimPolicy"))
}

func (q *inquest) lookAtVolume() {
	b := q.s.book
	if stringAt(q.object.Content, "status", "phase") == "Bound" {
		q.observe("volume-bound", scopeSubject, q.object.AsOf, map[string]string{"claim": stringAt(q.object.Content, "spec", "claimRef", "name"), "claimNamespace": stringAt(q.object.Content, "spec", "claimRef", "namespace")},
			b.object(q.object, "status", "phase"))
	}
	for _, va := range q.s.objects["VolumeAttachment"] {
		if stringAt(va.Content, "spec", "source", "persistentVolumeName") == q.name {
			q.lookAtAttachment(va.Name, false)
		}
	}
}

// lookAtAttachment reads a VolumeAttachment, of the subject or for it.
func (q *inquest) lookAtAttachment(name string, itself bool) {
	b := q.s.book
	va := q.s.object("VolumeAttachment", "", name)
	if va == nil {
		return
	}
	keys := map[string]string{"attachment": name, "attachedTo": stringAt(va.Content, "spec", "nodeName"), "driver": stringAt(va.Content, "spec", "attacher")}
	if terminating(va) && !itself {
		q.observe("attachment-in-deletion", scopeSubject, va.AsOf, keys, b.object(va, "metadata", "deletionTimestamp"))
	}
	if message := stringAt(va.Content, "status", "detachError", "message"); message != "" {
		keys["err"] = message
		q.observe("attachment-detach-error", scopeSubject, timeAt(va.Content, "status", "detachError", "time"), keys,
			b.object(va, "status", "detachError", "message"))
	}
	if at, ok := q.s.absent("Node", "", keys["attachedTo"]); ok && keys["attachedTo"] != "" {
		q.observe("attachment-node-absent", scopeSubject, va.AsOf, keys, b.object(va, "spec", "nodeName"), at)
	}
}

// lookAtWebhooks finds mutating webhooks that are called for updates of pods:
// one that changes the spec makes every update of a pod invalid.
func (q *inquest) lookAtWebhooks() {
	if q.kind != "Pod" {
		return
	}
	for _, o := range q.s.objects["MutatingWebhookConfiguration"] {
		for i, w := range mapsAt(o.Content, "webhooks") {
			name, _ := w["name"].(string)
			for j, r := range mapsAt(w, "rules") {
				operations, resources := stringsAt(r, "operations"), stringsAt(r, "resources")
				if (contains(operations, "UPDATE") || contains(operations, "*")) && slices.ContainsFunc(resources, func(s string) bool {
					return s == "pods" || s == "*" || s == "pods/*" || s == "*/*"
				}) {
					q.observe("webhook-changes-pod-updates", scopeCluster, o.AsOf, map[string]string{"webhook": name},
						q.s.book.object(o, "webhooks", strconv.Itoa(i), "rules", strconv.Itoa(j), "operations"))
				}
			}
		}
	}
}

// lookAtDependents finds what foregroundDeletion waits for.
func (q *inquest) lookAtDependents() {
	if q.uid == "" || q.object == nil || !contains(stringsAt(q.object.Content, "metadata", "finalizers"), "foregroundDeletion") {
		return
	}
	for _, x := range q.s.tl.Objects {
		for i, owner := range mapsAt(x.Content, "metadata", "ownerReferences") {
			if owner["uid"] == q.uid && owner["blockOwnerDeletion"] == true {
				q.observe("dependent-in-way", scopeSubject, x.AsOf, map[string]string{"what": x.Kind, "object": x.Name},
					q.s.book.object(x, "metadata", "ownerReferences", strconv.Itoa(i), "blockOwnerDeletion"))
			}
		}
	}
}

// leaseLapse is how old a controller's lease may be before it counts as not
// renewed: leaders renew every 2 s to 10 s and lose it after 15 s to 60 s.
const leaseLapse = 5 * time.Minute

// lookAtControllers finds the controller that has to act down: its lease is not
// renewed any more, or its pod does not run.
func (q *inquest) lookAtControllers() {
	if q.pod != nil && !q.pod.created.IsZero() && !q.requested.IsZero() && q.requestFrom != "audit" && q.requested.Before(q.pod.created.Add(-time.Minute)) {
		q.observe("deleted-before-created", scopeSubject, q.requested, nil, q.s.book.object(q.object, "metadata", "creationTimestamp"))
	}
	var finalizers []string
	if q.object != nil {
		finalizers = stringsAt(q.object.Content, "metadata", "finalizers")
	}
	for _, o := range q.s.objects["Lease"] {
		renewed := timeAt(o.Content, "spec", "renewTime")
		if age := q.vantage().Sub(renewed); !renewed.IsZero() && age > leaseLapse && q.waitsFor(o.Name, finalizers) {
			q.observe("controller-lease-stale", scopeSubject, renewed, map[string]string{"controller": o.Name, "age": age.Round(time.Second).String()},
				q.s.book.object(o, "spec", "renewTime"))
		}
	}
	for _, o := range q.s.objects["Pod"] {
		if !q.waitsFor(o.Name, finalizers) {
			continue // asked first: nearly all pods of a large dump are no controllers
		}
		state := stringAt(o.Content, "status", "displayed")
		ready := stringAt(o.Content, "status", "displayedReady")
		if p := podFrom(o); state == "" && !o.Partial {
			state, ready = p.phase, "1"
			for i, c := range mapsAt(o.Content, "status", "containerStatuses") {
				if c["ready"] != true && i == 0 {
					ready = "0/"
				}
			}
			for _, c := range p.containers {
				if c.state == "waiting" && c.reason != "" {
					state = c.reason
				}
			}
		}
		if state != "" && (state != "Running" && state != "Completed" || strings.HasPrefix(ready, "0/")) {
			q.observe("controller-pod-not-running", scopeSubject, o.AsOf, map[string]string{"controller": o.Name, "state": state}, q.s.book.object(o))
		}
	}
}

// waitsFor says whether the subject, with these finalizers, waits for what a
// lease or pod of this name does: kube-controller-manager takes off the control plane's own finalizers
// and collects pods of nodes that are gone; an attacher its driver's.
func (q *inquest) waitsFor(name string, finalizers []string) bool {
	if strings.HasPrefix(name, "kube-controller-manager") {
		if q.kind == "Namespace" || q.has("node-object-absent", "pod-unscheduled") {
			return true
		}
		return slices.ContainsFunc(finalizers, func(f string) bool {
			return f == "foregroundDeletion" || strings.HasPrefix(f, "batch.kubernetes.io/") || strings.HasPrefix(f, "kubernetes.io/")
		})
	}
	return slices.ContainsFunc(finalizers, func(f string) bool {
		driver, ok := strings.CutPrefix(f, "external-attacher/")
		if !ok {
			return false
		}
		// "external-attacher-leader-rbd-csi-ceph-com", "rbd-csi-ceph-com"
		return strings.Contains(name, "attacher") && strings.Contains(name, driver) ||
			strings.Contains(name, "attacher") && !strings.Contains(name, "leader-") ||
			(strings.Contains(name, "provisioner") || strings.Contains(name, "csi") && strings.Contains(name, "controller")) && sharesWord(name, driver)
	})
}

// sharesWord says whether two dashed names share their first telling word:
// csi-rbdplugin-provisioner serves rbd-csi-ceph-com.
func sharesWord(name, driver string) bool {
	for _, word := range strings.Split(driver, "-") {
		if len(word) > 2 && word != "csi" && word != "com" && strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// lookAtControllerLogs finds a controller that works on the object, or waits,
// again and again: what it says last tells why its finalizer stays.
func (q *inquest) lookAtControllerLogs() {
	type run struct {
		first, last, count int
	}
	var order []string
	runs := map[string]*run{}
	for _, i := range q.events {
		e := &q.s.tl.Events[i]
		if !freeSpeech(e.Component) || e.Component == timeline.Command || q.early(e) {
			continue
		}
		r := runs[e.Component]
		if r == nil {
			r = &run{first: i}
			runs[e.Component] = r
			order = append(order, e.Component)
		}
		r.last = i
		r.count++
	}
	for _, component := range order {
		r := runs[component]
		if r.count < 2 {
			continue
		}
		first, last := &q.s.tl.Events[r.first], &q.s.tl.Events[r.last]
		sg := q.observe("controller-speaks-of-it", scopeSubject, last.Time, map[string]string{"controller": component},
			q.s.book.repeated(r.last, "", r.count, first.Time, last.Time))
		sg.count, sg.first = r.count, first.Time
	}
}
