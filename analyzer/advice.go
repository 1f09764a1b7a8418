package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// missing is the evidence that would settle the verdict or raise its
// confidence: what the cause asks for, and what the node side lacks.
func (q *inquest) missing(f *finding) []Missing {
	list := []Missing{}
	add := func(m Missing) {
		if m.Collector == "" {
			node := ""
			if q.node != nil {
				node = q.node.name
			}
			m.Collector = q.s.collector(carriedBy(m.Command), node, map[string]string{"ns": q.ns, "name": q.name})
		}
		for _, x := range list {
			if x.Command == m.Command && (m.Command != "" || x.What == m.What) {
				return
			}
		}
		list = append(list, m)
	}
	if f.root != nil {
		for _, m := range q.missingFor(f.root) {
			add(m)
		}
	}
	if f.outcome == Clean || f.outcome == NotDeleting || (f.root != nil && f.confidence == High) {
		return list
	}
	if len(q.doubted) > 0 {
		add(q.ask("whether the API has the pod still: a later list lacks it, which may be filtered", "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields",
			"tell whether it went since", map[string]string{"ns": q.ns, "name": q.name}))
	}
	if q.kind != "Pod" {
		if q.object != nil && q.object.Partial {
			template := "kubectl get {kind} {name} -o yaml"
			if q.ns != "" {
				template = "kubectl -n {ns} get {kind} {name} -o yaml"
			}
			add(q.ask("the "+q.kind+" as the API has it", template, "show deletionTimestamp, finalizers and conditions",
				map[string]string{"ns": q.ns, "name": q.name, "kind": strings.ToLower(q.kind)}))
		}
		return list
	}
	for _, m := range q.unseen() {
		add(m)
	}
	words := q.runtimeWords()
	state := "crictl ps -a -o json; crictl pods -o json"
	if q.usesDocker() {
		state = dockerList
	}
	name := "the pod's node"
	names := map[string]string{"ns": q.ns, "name": q.name, "uid": q.uid}
	if q.node != nil {
		name = q.node.name
		names["node"] = q.node.name
	}
	if q.node == nil || q.node.logs["kubelet"] == nil {
		add(Missing{
			What: "the kubelet's log of " + name + q.s.whyNot(timeline.KubeletLog, names["node"]), Command: "journalctl -u " + words["kubeletUnit"] + " --since '-2h' -o export",
			Would: "show whether the kubelet saw the deletion and which step fails",
		})
	}
	if q.node == nil || (q.node.logs["containerd"] == nil && q.node.logs["crio"] == nil && q.node.logs["dockerd"] == nil) {
		add(Missing{
			What: "the container runtime's log of " + name + q.s.whyNot(timeline.RuntimeLog, names["node"]), Command: "journalctl -u " + words["unit"] + " --since '-2h' -o export",
			Would: "show whether containers and sandbox were stopped",
		})
	}
	if q.node == nil || (!q.node.dumped && !q.has("container-running", "container-exited", "container-without-process")) {
		add(Missing{
			What: "the runtime's state on " + name + q.s.whyNot(timeline.RuntimeState, names["node"]), Command: state,
			Would: "prove whether a container still runs",
		})
	}
	if q.node == nil || len(q.node.processes) == 0 {
		add(Missing{
			What: "the process list of " + name + q.s.whyNot(timeline.ProcessList, names["node"]), Command: "ps axo pid,ppid,stat,wchan:32,cgroup,args",
			Would: "show processes that no signal reaches",
		})
	}
	if q.node == nil || len(q.node.mounts) == 0 {
		add(Missing{
			What: "the mounts of " + name + q.s.whyNot(timeline.MountTable, names["node"]), Command: "cat /proc/1/mountinfo",
			Would: "show which volumes are still mounted",
		})
	}
	if (q.object == nil || q.object.Partial) && q.name != "" {
		add(q.ask("the pod as the API has it", "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields",
			"show deletionTimestamp, finalizers and container states", names))
	}
	if q.object == nil && q.name == "" && q.uid != "" {
		add(q.ask("the pod as the API has it, if it has", "kubectl get pods -A -o yaml | grep -B30 'uid: '{uid}",
			"show whether the API knows this UID", names))
	}
	if q.node != nil && q.node.object == nil {
		add(q.ask("the Node object", "kubectl get node {node} -o yaml", "show whether the node is ready", names))
	}
	if len(list) == 0 {
		add(q.ask("the same evidence once more, some minutes later", "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields; journalctl -u {kubeletUnit} --since '-15min' -o export",
			"show which step repeats and which goes on", names))
	}
	return list
}

// missingFor is the evidence that would settle one cause.
func (q *inquest) missingFor(c *candidate) []Missing {
	list := []Missing{}
	vars := q.words(c)
	for _, m := range c.cause.Missing {
		if m.Unless.holds(q) == nil {
			list = append(list, q.ask(expand(m.What, vars), m.Command, expand(m.Would, vars), vars))
		}
	}
	return list
}

// ask is one piece of missing evidence, with the command that gets it.
func (q *inquest) ask(what, template, would string, vars map[string]string) Missing {
	command, ok := q.commandLine(template, vars)
	if !ok {
		what += leftOut
	}
	return Missing{What: what, Command: command, Would: would}
}

// remedies are the steps of the cause, those whose condition holds, with the
// precondition checked against the evidence.
func (q *inquest) remedies(f *finding) []Remedy {
	list := []Remedy{}
	if f.outcome == Clean || f.outcome == Inconclusive || f.root == nil {
		return list
	}
	add := func(c *candidate) {
		vars := q.words(c)
		for i := range c.cause.Remedies {
			r := &c.cause.Remedies[i]
			if r.When != nil && r.When.holds(q) == nil {
				continue
			}
			command, ok := q.commandLine(r.Command, vars)
			step := Remedy{
				Step: expand(r.Step, vars), Command: command, Changes: r.Changes, Risk: r.Risk,
				Precondition: expand(r.Precondition, vars), Evidence: []string{},
			}
			if !ok {
				step.Step += leftOut
			}
			if r.Changes != "nothing" {
				step.Then = q.afterwards(f, c, step.Command)
			}
			if r.Met != nil {
				// Not shown to be met is unknown, not unmet.
				if met := r.Met.holds(q); met != nil {
					yes := true
					step.PreconditionMet = &yes
					step.Evidence = q.s.book.cite(refsOf(met, 3))
				}
			}
			if !slices.ContainsFunc(list, func(x Remedy) bool { return x.Command == step.Command && (x.Command != "" || x.Step == step.Step) }) {
				list = append(list, step)
			}
		}
	}
	add(f.root)
	for _, k := range f.root.known {
		step := k.advice()
		step.Then = q.afterwards(f, f.holding(k.finalizer), "")
		list = append(list, step)
	}
	for _, c := range f.candidates {
		if c.role == RoleBlocking {
			add(c)
		}
	}
	if q.likelyGone() {
		list = q.askFirst(list)
	}
	// Look first, whatever the step belongs to.
	slices.SortStableFunc(list, func(a, b Remedy) int { return cmp.Compare(lookFirst(a), lookFirst(b)) })
	return list
}

// likelyGone says whether a pod is taken to be gone that the API may have: only
// a list lacks it that may be filtered, or of another cluster.
func (q *inquest) likelyGone() bool {
	return q.kind == "Pod" && q.inAPI != nil && !*q.inAPI && (q.filtered || !q.missedSurely && q.untied() && len(q.namesakes()) == 0)
}

// askFirst puts the question whether the API has the pod before the steps, and
// makes those that change something wait for its answer.
func (q *inquest) askFirst(steps []Remedy) []Remedy {
	ask := Remedy{
		Step:    "ask the API for the pod itself; the list that lacks it may be filtered, and if the API has it, everything is as it should be",
		Changes: "nothing", Risk: "none", Evidence: []string{},
	}
	if !q.filtered {
		ask.Step = "ask the API of the node's own cluster for the pod; the dump that lacks it may be of another, and if the API has it, everything is as it should be"
	}
	template := "kubectl get pod -n {ns} {name}"
	if q.name == "" {
		template = "kubectl get pods -A -o yaml | grep -B30 'uid: '{uid}"
	}
	ask.Command, _ = q.commandLine(template, map[string]string{"ns": q.ns, "name": q.name, "uid": q.uid})
	for i := range steps {
		if s := &steps[i]; s.Changes != "nothing" {
			s.Precondition = strings.TrimPrefix(s.Precondition+"; the first step was answered by NotFound", "; ")
			s.PreconditionMet = nil
		}
	}
	return append([]Remedy{ask}, steps...)
}

func lookFirst(r Remedy) int {
	if r.Changes == "nothing" && r.Command != "" {
		return 0
	}
	return 1
}

// forceDelete answers whether taking the object away now would be safe. It is
// never a cure: it takes away the object, not what holds it.
func (q *inquest) forceDelete(f *finding) (ForceDelete, []ref) {
	yes, no := true, false
	switch {
	case q.kind != "Pod":
		return ForceDelete{&no, "force delete is for pods; on other objects it does nothing that a delete does not"}, nil
	case len(q.untold) > 0 && !q.deletionSeen():
		return ForceDelete{nil, "whether the API has the pod cannot be told: the dump that lacks it may be older than the pod"}, nil
	case q.inAPI != nil && !*q.inAPI && !q.missedSurely:
		return ForceDelete{nil, "whether the API of its cluster has the pod cannot be told"}, nil
	case q.inAPI != nil && !*q.inAPI && q.filtered:
		return ForceDelete{nil, "whether the API has the pod cannot be told: the list that lacks it may be filtered"}, nil
	case q.inAPI != nil && !*q.inAPI:
		return ForceDelete{nil, "not needed: the API does not have the pod any more"}, nil
	case f.outcome == NotDeleting:
		return ForceDelete{&no, "no deletion was asked for"}, nil
	case f.outcome == InProgress:
		return ForceDelete{&no, "the deletion is running inside what it is allowed; wait"}, nil
	}
	if sg := q.find("container-running", "process-running"); sg != nil {
		return ForceDelete{&no, "a container of it still runs" + q.onNode() + ": force delete would leave it running without an object"}, sg.refs[:min(1, len(sg.refs))]
	}
	if sg := q.find("pod-finalizer-only"); sg != nil {
		return ForceDelete{&no, "it would change nothing: force delete does not clear finalizers, and " + sg.keys["finalizer"] + " holds the object"}, sg.refs[:min(1, len(sg.refs))]
	}
	if sg := q.find("volume-mounted"); sg != nil {
		return ForceDelete{&no, "its volumes are still mounted" + q.onNode() + ": they would stay, without an object to clean them up by"}, sg.refs[:min(1, len(sg.refs))]
	}
	volumes := q.stages != nil && q.stages[StageVolumes].state == stateDone
	stopped := q.stages != nil && q.stages[StageContainers].state == stateDone && q.stages[StageSandbox].state == stateDone
	switch {
	case stopped && volumes && f.outcome == Inconclusive:
		return ForceDelete{nil, "containers and sandbox have stopped and the volumes are unmounted, by the evidence, but what holds the object is not known"}, nil
	case stopped && !volumes && q.stages[StageVolumes].state == stateUnknown && q.someUnmounted():
		return ForceDelete{nil, "containers and sandbox have stopped, but not of every volume is it told that it is unmounted"}, nil
	case stopped && volumes:
		return ForceDelete{&yes, "containers and sandbox have stopped and the volumes are unmounted, by the evidence"}, nil
	}
	if q.stages != nil && q.stages[StageContainers].state == stateDone {
		return ForceDelete{&no, "the containers have stopped, but sandbox or volumes are not cleaned up: they would be left on the node"}, nil
	}
	return ForceDelete{nil, "the evidence does not prove that every container has stopped" + q.onNode()}, nil
}

func (q *inquest) onNode() string {
	if q.node == nil {
		return ""
	}
	return " on " + q.node.name
}
