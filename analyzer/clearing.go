package analyzer

import (
	"fmt"
	"time"

	"podautopsy/timeline"
)

// What is left goes by itself where somebody is there whose task it is, within
// a time that his source code tells (deletion pipeline: grace, the runtime
// call's two minutes, back-offs, garbage collection, six minutes until a forced
// detach). Beyond that, or where nobody is there, waiting is wrong.

// clearing says how something that is left goes.
func (q *inquest) clearing(id string, words map[string]string) *Clearing {
	told := checks[id]
	out := &Clearing{By: told.by}
	template := told.clear
	if told.clearDocker != "" && q.usesDocker() {
		template = told.clearDocker
	}
	switch {
	case id == checkAttachment:
		q.detaches(out)
	case told.by == ByKubelet:
		q.kubeletClears(out, id)
	case told.by == ByController:
		q.controllerClears(out)
	}
	how := told.hands
	if removesFolders[id] && (!q.missedSurely || q.filtered) || told.by == ByKubelet && q.likelyGone() {
		// The kubelet of a pod that the API has is at work below it.
		how, template = "leave it alone as long as the API may have the pod", "kubectl -n {ns} get pod {name} -o yaml"
		if q.inAPI != nil && *q.inAPI {
			how = "leave it alone: the API has the pod, and its folders are the kubelet's"
		}
	}
	out.Expect, out.How = sentence(out.Expect), sentence(how)
	out.Command, _ = q.commandLine(template, words)
	return out
}

// removesFolders are the rows that people clear by removing a folder.
var removesFolders = map[string]bool{checkFolder: true, checkCgroup: true}

func (c *Clearing) within(d time.Duration) {
	seconds := int64(d.Seconds())
	c.WithinSeconds = &seconds
}

// kubeletClears says what the kubelet of the node does about what is left, and
// until when it would have done it.
func (q *inquest) kubeletClears(out *Clearing, id string) {
	switch {
	case q.inAPI != nil && *q.inAPI && (id == checkFolder || id == checkLogs || id == checkCgroup):
		out.Expect = "the kubelet keeps it as long as the API has the pod, and removes it then"
	case (id == checkContainers || id == checkSandbox || id == checkProcesses) && q.namesake() != nil:
		out.By = ByHands
		out.Expect = "waiting is wrong: a pod of its name lives again beside it, and each moment may be one in which both write"
	case q.node == nil:
		out.Expect = "the kubelet of its node clears it, if that runs; nothing tells which node it was"
	case q.kubeletIsDown():
		out.By = ByHands
		out.Expect = "waiting is wrong: the kubelet" + q.onNode() + " does not run, and nobody else cleans up there. Start it (systemctl start kubelet), and it ends and removes what the API does not have"
	case q.has("node-ready-unknown", "node-object-absent") && !q.has("kubelet-alive"):
		out.By = ByHands
		out.Expect = "waiting is wrong while nobody hears of the node: whether its kubelet cleans up cannot be told. Reach the machine, or make sure that it is off"
	case q.has("kubelet-cannot-reach-api"):
		out.By = ByHands
		out.Expect = "waiting is wrong while the kubelet cannot reach the API: it does not learn that the pod is gone"
	default:
		q.kubeletSoon(out, id)
	}
}

// kubeletSoon says how long a kubelet that may run needs, and whether that time
// has passed.
func (q *inquest) kubeletSoon(out *Clearing, id string) {
	takes, why := q.kubeletTakes(id)
	out.within(takes)
	since := q.missedSince()
	if passed := q.seenLast().Sub(since); !since.IsZero() && passed > takes {
		out.By = ByHands
		out.Expect = fmt.Sprintf("the kubelet would have cleared it within %s (%s), and %s have passed: waiting longer is wrong; its log tells what it tries", round(takes), why, round(passed))
		return
	}
	out.Expect = fmt.Sprintf("a kubelet that runs clears it by itself within %s (%s)", round(takes), why)
	if !q.kubeletIsAlive() {
		out.Expect = fmt.Sprintf("whether the kubelet runs is not shown; one that does clears it within %s (%s)", round(takes), why)
	}
}

// kubeletIsAlive says whether the kubelet logged until the end of the evidence.
func (q *inquest) kubeletIsAlive() bool {
	if q.node == nil || q.kubeletIsDown() {
		return false
	}
	l := q.node.logs[timeline.Kubelet]
	return l != nil && q.vantage().Sub(l.last) < quiet
}

// kubeletTakes is how long a kubelet that runs needs at most, if nothing fails,
// and what that is made of.
func (q *inquest) kubeletTakes(id string) (time.Duration, string) {
	const (
		retry   = 15 * time.Second // of a pod worker
		collect = time.Minute      // garbage collection
		backOff = 2*time.Minute + 2*time.Second
	)
	grace, whose := q.graceOnNode()
	takes := grace + retry
	why := fmt.Sprintf("%s of %s, and a retry after 15s", round(grace), whose)
	switch id {
	case checkSandbox, checkLogs, checkNetNS, checkAddress:
		return takes + collect, why + ", and the garbage collection once a minute"
	case checkMounts, checkFolder, checkCgroup:
		return takes + backOff, why + ", and the back-off of unmounting, up to 2m2s"
	}
	return takes, why
}

// graceOnNode is the grace that the kubelet gives a pod that is gone from the
// API. Since 1.31 grace 0 is one second; from 1.22 to 1.30 a kubelet that knows
// the pod falls back to the grace of its spec. One that finds the pod in the
// runtime alone, after a restart, gives one second.
func (q *inquest) graceOnNode() (time.Duration, string) {
	if q.has("kubelet-ghost-unknown-pod", "kubelet-restarted") {
		return 2 * time.Second, "grace for a pod that it finds in the runtime alone"
	}
	if sg := q.find("kubelet-killing-container", "kubelet-killing-container-legacy"); sg != nil && sg.keys["grace"] != "" {
		if d, err := time.ParseDuration(sg.keys["grace"] + "s"); err == nil && d >= 0 && d < 24*time.Hour {
			return d, "grace, by its own line"
		}
	}
	spec, whose := 30*time.Second, "grace, the default, as the spec is not in the bundle"
	if q.pod != nil {
		spec, whose = time.Duration(q.pod.specGrace)*time.Second, "grace, by the spec"
	}
	switch minor := q.node.minorOf(); {
	case minor >= 31 && q.forced != nil && *q.forced:
		return 2 * time.Second, "grace, as 0 means one second since 1.31"
	case minor == 0:
		return spec, whose + "; the kubelet's version is not known"
	}
	return spec, whose
}

// detaches says when the attach/detach controller lets go of a volume.
func (q *inquest) detaches(out *Clearing) {
	const force = 6 * time.Minute
	minor := q.node.minorOf()
	unhealthy := q.has("node-ready-unknown", "node-not-ready", "node-shown-not-ready", "node-object-absent")
	switch {
	case minor > 0 && minor < 24:
		out.within(force)
		out.Expect = "before 1.24 the controller detaches by force after 6m, also from a node that is well: if it is still mounted there, its filesystem breaks"
	case unhealthy:
		out.within(force)
		out.Expect = "the node is not ready, so the controller detaches by force 6m after the deletion, unless --disable-force-detach-on-timeout is set (since 1.30); the taint out-of-service does it at once"
	default:
		out.By = ByHands
		out.Expect = "since 1.24 nobody detaches by force from a node that is ready, however long it takes: it goes once the kubelet has unmounted it. Waiting is wrong if the kubelet does not"
	}
}

// controllerClears says whether the controllers that act on API objects are
// there.
func (q *inquest) controllerClears(out *Clearing) {
	const takes = time.Minute
	for _, o := range q.s.objects["Lease"] {
		if o.Name != "kube-controller-manager" {
			continue
		}
		renewed := timeAt(o.Content, "spec", "renewTime")
		if age := q.vantage().Sub(renewed); !renewed.IsZero() && age > leaseLapse {
			out.By = ByHands
			out.Expect = fmt.Sprintf("waiting is wrong: the controller manager has not renewed its lease for %s", round(age))
			return
		}
	}
	out.within(takes)
	out.Expect = "a controller manager that runs clears it within seconds; if it is still there after a minute, waiting is wrong"
}
