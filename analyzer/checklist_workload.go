package analyzer

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"podautopsy/timeline"
)

// statefulSet is the one that makes pods of the subject's name.
func (q *inquest) statefulSet() (*timeline.Object, bool) {
	at := strings.LastIndexByte(q.name, '-')
	if at < 0 {
		return nil, false
	}
	if ordinal, err := strconv.Atoi(q.name[at+1:]); err != nil || ordinal < 0 {
		return nil, false
	}
	set := q.s.object("StatefulSet", q.ns, q.name[:at])
	return set, set != nil && q.ns != ""
}

// identity ticks off who else speaks for the pod's name: a namesake while the
// old one runs, a lease that its name holds.
func (c *checklist) identity() {
	q := c.q
	b := q.s.book
	alive := c.state(checkContainers) == RowLeft || c.state(checkSandbox) == RowLeft || c.state(checkProcesses) == RowLeft
	namesake := q.namesake()
	var lease *timeline.Object
	for _, o := range q.s.objects["Lease"] {
		if holder := stringAt(o.Content, "spec", "holderIdentity"); o.Namespace != "kube-node-lease" && holds(holder, q.name) {
			lease = o
		}
	}
	switch {
	case namesake != nil && alive:
		detail := "pod " + q.name + " lives again (uid " + namesake.object.UID + ")"
		if namesake.node != "" {
			detail += " on " + namesake.node
		}
		refs := []ref{b.object(namesake.object, "metadata", "uid")}
		if lease != nil {
			detail += ", and its name holds the lease " + lease.Name
			refs = append(refs, b.object(lease, "spec", "holderIdentity"))
		}
		c.row(checkIdentity, RowLeft, detail+": two of one name may write, and lead", refs...)
	case lease != nil && namesake == nil && q.stillRenewed(lease):
		c.row(checkIdentity, RowLeft, "the lease "+lease.Name+" is held by its name, and was renewed after the pod was gone", b.object(lease, "spec", "holderIdentity"), b.object(lease, "spec", "renewTime"))
	case namesake != nil && c.state(checkContainers) == RowClear:
		c.row(checkIdentity, RowClear, "a pod of its name lives again, and nothing of this one runs", b.object(namesake.object, "metadata", "uid"))
	case namesake != nil:
		c.row(checkIdentity, RowUnknown, "a pod of its name lives again; whether this one runs still is not known", b.object(namesake.object, "metadata", "uid"))
	case lease != nil && !q.expired(lease):
		c.row(checkIdentity, RowUnknown, "its name held the lease "+lease.Name+"; whether that has expired is not known", b.object(lease, "spec", "holderIdentity"))
	default:
		leases, ok := c.dumped("Lease", q.ns)
		pods, also := c.dumped("Pod", q.ns)
		if ok && also && lease != nil {
			c.row(checkIdentity, RowClear, "no pod of its name lives, and the lease "+lease.Name+" that it held has expired", pods, b.object(lease, "spec", "renewTime"))
			return
		}
		if ok && also {
			c.row(checkIdentity, RowClear, "no pod of its name lives, and no lease is held by it", pods, leases)
			return
		}
		c.row(checkIdentity, RowUnknown, "the leases of its namespace are not in the bundle, or its pods are not")
	}
}

// namesake is another life of the subject's name that the API has; nil if there
// is none.
func (q *inquest) namesake() *pod {
	if q.name == "" || q.inAPI != nil && *q.inAPI {
		return nil
	}
	for _, p := range q.s.podsBy[q.ns+"/"+q.name] {
		if p.object.UID != "" && p.object.UID != q.uid {
			return p
		}
	}
	return nil
}

// holds says whether the holder of a lease is a pod of this name: people write
// the name, or the name and a UUID behind an underscore.
func holds(holder, name string) bool {
	if name == "" || holder == "" {
		return false
	}
	bare, _, _ := strings.Cut(holder, "_")
	return bare == name
}

// stillRenewed says whether a lease was renewed after the pod was missed.
func (q *inquest) stillRenewed(lease *timeline.Object) bool {
	since := q.missedSince()
	renewed := timeAt(lease.Content, "spec", "renewTime")
	return !since.IsZero() && renewed.After(since)
}

// expired says whether a lease had run out when it was dumped.
func (q *inquest) expired(lease *timeline.Object) bool {
	renewed, lasts := timeAt(lease.Content, "spec", "renewTime"), intAt(lease.Content, "spec", "leaseDurationSeconds")
	if renewed.IsZero() || lasts == nil || *lasts < 0 || *lasts > math.MaxInt32 {
		return false
	}
	return q.s.dumpedAt(lease).After(renewed.Add(time.Duration(*lasts) * time.Second))
}

// workload ticks off those who count the pod: its Job, its controller.
func (c *checklist) workload() {
	c.jobs()
	c.replicas()
}

// ownerOf is the kind and name of what made the pod, by the object or by the
// way in which controllers name pods.
func (q *inquest) ownerOf(kind string) *timeline.Object {
	if q.object != nil {
		for _, owner := range mapsAt(q.object.Content, "metadata", "ownerReferences") {
			if owner["kind"] == kind {
				name, _ := owner["name"].(string)
				return q.s.object(kind, q.ns, name)
			}
		}
		if !q.object.Partial {
			return nil
		}
	}
	var found *timeline.Object
	for _, o := range q.s.objects[kind] {
		rest, ok := strings.CutPrefix(q.name, o.Name+"-")
		const suffix = 5 // of generated names
		if ok && o.Namespace == q.ns && q.ns != "" && (len(rest) == suffix || isOrdinal(rest)) && isSuffix(rest) && (found == nil || len(o.Name) > len(found.Name)) {
			found = o
		}
	}
	return found
}

func isOrdinal(s string) bool {
	_, err := strconv.Atoi(strings.Split(s, "-")[0])
	return err == nil
}

// isSuffix says whether a rest of a name is an index, a generated suffix, or
// both: "x7k2p", "3", "3-x7k2p".
func isSuffix(rest string) bool {
	index, suffix, both := strings.Cut(rest, "-")
	if both {
		return isOrdinal(index) && len(suffix) == 5 && !strings.Contains(suffix, "-")
	}
	return len(index) == 5 || isOrdinal(index)
}

func (c *checklist) jobs() {
	q := c.q
	b := q.s.book
	job := q.ownerOf("Job")
	if job == nil {
		if at, ok := c.dumped("Job", q.ns); ok {
			c.row(checkJobs, RowClear, "no Job of its namespace made it", at)
			return
		}
		if q.object != nil && !q.object.Partial {
			c.row(checkJobs, RowClear, "no Job made it", b.object(q.object, "metadata", "ownerReferences"))
			return
		}
		c.row(checkJobs, RowUnknown, "no complete dump of the namespace's Jobs is in the bundle")
		return
	}
	for _, kind := range []string{"succeeded", "failed"} {
		for i, uid := range stringsAt(job.Content, "status", "uncountedTerminatedPods", kind) {
			if uid == q.uid && q.uid != "" {
				c.row(checkJobs, RowLeft, "Job "+job.Name+" has not counted it yet ("+kind+")", b.object(job, "status", "uncountedTerminatedPods", kind, strconv.Itoa(i)))
				return
			}
		}
	}
	if status, _, _, _, i, ok := condition(job, "Complete"); ok && status == "True" {
		c.row(checkJobs, RowClear, "Job "+job.Name+" is complete", b.object(job, "status", "conditions", strconv.Itoa(i), "status"))
		return
	}
	if status, _, _, _, i, ok := condition(job, "Failed"); ok && status == "True" {
		failed := b.object(job, "status", "conditions", strconv.Itoa(i), "status")
		made, refs := c.madeByCron(job)
		c.row(checkJobs, RowLeft, "Job "+job.Name+" has failed and is not tried again; what this pod had done may not be counted"+made, append([]ref{failed}, refs...)...)
		return
	}
	status := b.object(job, "status")
	made, refs := c.madeByCron(job)
	detail := "Job " + job.Name + " is not complete: it starts another pod for this one, whose work may be done already"
	c.row(checkJobs, RowLeft, detail+made, append([]ref{status}, refs...)...)
}

// madeByCron tells of the CronJob that made a Job, if one did.
func (c *checklist) madeByCron(job *timeline.Object) (string, []ref) {
	cron := c.cronJob(job)
	if cron == nil {
		return "", nil
	}
	policy := stringAt(cron.Content, "spec", "concurrencyPolicy")
	if policy == "" {
		return "; CronJob " + cron.Name + " made it", nil
	}
	return "; CronJob " + cron.Name + " (concurrency " + policy + ") made it", []ref{c.q.s.book.object(cron, "spec", "concurrencyPolicy")}
}

func (c *checklist) cronJob(job *timeline.Object) *timeline.Object {
	for _, owner := range mapsAt(job.Content, "metadata", "ownerReferences") {
		if name, _ := owner["name"].(string); owner["kind"] == "CronJob" {
			return c.q.s.object("CronJob", job.Namespace, name)
		}
	}
	return nil
}

func (c *checklist) replicas() {
	q := c.q
	b := q.s.book
	owner, ok := q.statefulSet()
	if !ok {
		for _, kind := range []string{"ReplicaSet", "ReplicationController", "DaemonSet"} {
			if owner = q.ownerOf(kind); owner != nil {
				break
			}
		}
	}
	if owner == nil {
		whole := true
		var refs []ref
		for _, kind := range []string{"StatefulSet", "ReplicaSet", "DaemonSet"} {
			at, ok := c.dumped(kind, q.ns)
			whole = whole && ok
			refs = append(refs, at)
		}
		if whole {
			c.row(checkReplicas, RowClear, "no controller of its namespace made it", refs...)
			return
		}
		c.row(checkReplicas, RowUnknown, "the controllers of its namespace are not all in the bundle")
		return
	}
	what := owner.Kind + " " + owner.Name
	wants, has := intAt(owner.Content, "spec", "replicas"), intAt(owner.Content, "status", "replicas")
	ready := []string{"status", "readyReplicas"}
	if owner.Kind == "DaemonSet" {
		wants, has = intAt(owner.Content, "status", "desiredNumberScheduled"), intAt(owner.Content, "status", "currentNumberScheduled")
		ready = []string{"status", "numberReady"}
	}
	if owner.Partial || wants == nil {
		c.row(checkReplicas, RowUnknown, "how many pods "+what+" wants and has is not in the bundle")
		return
	}
	count := func(n *int64) int64 {
		if n == nil {
			return 0
		}
		return *n
	}
	refs := []ref{b.object(owner, "status", "replicas")}
	switch n := count(intAt(owner.Content, ready...)); {
	case count(has) != *wants:
		c.row(checkReplicas, RowLeft, fmt.Sprintf("%s wants %d pods and counts %d", what, *wants, count(has)), refs...)
	case n != *wants:
		c.row(checkReplicas, RowLeft, fmt.Sprintf("%s wants %d pods and %d are ready", what, *wants, n), refs...)
	default:
		c.row(checkReplicas, RowClear, fmt.Sprintf("%s counts the %d pods that it wants, and all are ready", what, *wants), refs...)
	}
}
