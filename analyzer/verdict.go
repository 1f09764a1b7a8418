package analyzer

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// candidate is a cause that one of its proofs holds for.
type candidate struct {
	cause      *Cause
	proof      *Proof
	confidence string
	stage      string
	signals    []*signal // that prove it
	principal  []*signal // those of the first clause: what fails
	helps      []*signal
	because    string
	subcause   string
	role       string
	demoted    string // why it is not the root
	container  string
	volume     string
	known      []knownDefect // that it is a case of
}

// consider tries every cause on the subject, the strongest proof first.
func (q *inquest) consider(causes []*Cause) []*candidate {
	var list []*candidate
	for _, c := range causes {
		if !c.appliesTo(q.kind) {
			continue
		}
		var found *candidate
		for i := range c.Proof {
			if found = q.try(c, &c.Proof[i]); found != nil {
				break
			}
		}
		if found = q.tryOwn(c, found); found != nil {
			list = append(list, found)
		}
	}
	return list
}

func (c *Cause) appliesTo(kind string) bool {
	if len(c.Kinds) == 0 {
		return kind == "Pod"
	}
	return contains(c.Kinds, kind) || contains(c.Kinds, "*")
}

// try checks one proof.
func (q *inquest) try(c *Cause, p *Proof) *candidate {
	cand := &candidate{cause: c, proof: p, confidence: p.Confidence, stage: cmp.Or(p.Stage, c.Stage)}
	unproven := false // a clause rests on signatures that no capture proves
	for i := range p.All {
		found := p.All[i].holds(q)
		if found == nil {
			return nil
		}
		if i == 0 {
			cand.principal = found
		}
		cand.signals = append(cand.signals, found...)
		unproven = unproven || !p.All[i].enough(provenOnes(found))
	}
	for i := range p.None {
		if p.None[i].holds(q) != nil {
			return nil
		}
	}
	for i := range p.Helps {
		cand.helps = append(cand.helps, p.Helps[i].holds(q)...)
	}
	if p.Stage == "" {
		cand.stage = q.stageOf(cand)
	}
	stale := true
	for _, sg := range cand.signals {
		if sg.polarity == Failure {
			stale = stale && sg.stale
		}
	}
	if stale && slices.ContainsFunc(cand.signals, func(sg *signal) bool { return sg.polarity == Failure }) {
		cand.confidence = lower(cand.confidence)
	}
	if unproven && cand.confidence == High {
		cand.confidence = Medium
	}
	if uncertain(cand.signals) {
		cand.confidence = lower(cand.confidence)
	}
	vars := q.words(cand)
	cand.because = expand(p.Because, vars)
	cand.subcause = expand(p.Subcause, vars)
	if branchOf(cand.stage) == branchNode && cand.stage != StageNode {
		cand.container, cand.volume = oneLine(vars["container"]), oneLine(vars["volume"])
	}
	return cand
}

// provenOnes leaves out the failures that no capture proves.
func provenOnes(signals []*signal) []*signal {
	return slices.DeleteFunc(slices.Clone(signals), func(sg *signal) bool { return sg.polarity == Failure && !sg.proven })
}

// stageOf is the cause's stage, unless that is finished and the failures that
// prove the cause speak of another one that is not.
func (q *inquest) stageOf(c *candidate) string {
	stage := c.cause.Stage
	st := q.stages[stage]
	if st == nil || (st.state != stateDone && st.state != stateNotNeeded) {
		return stage
	}
	for _, id := range stageOrder {
		if q.stages[id].state != stateFailed {
			continue
		}
		for _, sg := range c.signals {
			if sg.polarity == Failure && contains(sg.stages, id) {
				return id
			}
		}
	}
	return stage
}

func lower(confidence string) string {
	if confidence == High {
		return Medium
	}
	return Low
}

func confidenceRank(c string) int {
	return slices.Index([]string{Low, Medium, High}, c)
}

// words are what a cause's sentences may name, from the signals' captures and
// the subject.
func (q *inquest) words(cand *candidate) map[string]string {
	vars := map[string]string{"pod": q.name, "ns": q.ns, "uid": q.uid, "name": q.name, "kind": strings.ToLower(q.kind)}
	if q.node != nil {
		vars["node"] = q.node.name
		vars["kubelet"] = q.node.kubelet
		vars["runtime"] = q.node.runtime
		vars["kernel"] = q.node.kernel
	}
	for k, v := range q.runtimeWords() {
		vars[k] = v
	}
	if q.pod != nil {
		vars["grace"] = fmt.Sprint(q.pod.specGrace)
		vars["finalizers"] = strings.Join(q.pod.finalizers, ", ")
	} else if q.object != nil {
		vars["finalizers"] = strings.Join(stringsAt(q.object.Content, "metadata", "finalizers"), ", ")
	}
	total := q.occurrences(cand.principal)
	var last time.Time
	for _, sg := range cand.principal {
		if sg.polarity == Failure || last.IsZero() {
			last = latest(last, sg.last)
		}
	}
	for _, list := range [][]*signal{cand.principal, cand.signals, cand.helps} {
		for _, sg := range list {
			for k, v := range sg.keys {
				switch {
				case v == "" || v == "0":
				case k == "container":
					vars["containerID"] = cmp.Or(vars["containerID"], v)
				case k == "name":
					vars["container"] = cmp.Or(vars["container"], v)
				default:
					vars[k] = cmp.Or(vars[k], strings.TrimRight(strings.TrimSpace(v), `"\`))
				}
			}
		}
	}
	if place := q.placeOf(vars["finalizer"]); place != "" {
		vars["index"] = place
	}
	vars["containerID"] = cmp.Or(vars["containerID"], q.containerToStop())
	if id := vars["containerID"]; len(id) >= shortID {
		vars["container"] = cmp.Or(q.nameOf[id[:shortID]], vars["container"], id[:shortID])
	}
	vars["shimOf"] = cmp.Or(vars["sandbox"], vars["containerID"])
	if vars["shimOf"] == "" && len(q.sandboxs) > 0 {
		vars["shimOf"] = q.sandboxs[0]
	}
	if command := vars["command"]; command != "" {
		vars["holder"] = program(command)
	}
	vars["err"] = tidy(oneLine(vars["err"]))
	if len(vars["err"]) > 160 {
		vars["err"] = vars["err"][:160] + "…"
	}
	vars["count"] = fmt.Sprint(total)
	vars["times"] = plural(total, "time")
	if !last.IsZero() {
		vars["last"] = q.clockTime(last)
		if !q.deadline.IsZero() {
			vars["sinceT0"] = signed(last.Sub(q.deadline))
		}
	}
	return vars
}

// containerToStop is the container that a command is about where no signal
// names one: that which runs, else the only one that is known. "" where neither
// tells one.
func (q *inquest) containerToStop() string {
	for _, t := range q.tracesOf(checkContainers) {
		return t.id
	}
	only := ""
	for _, id := range q.ids {
		if len(id) < shortID || contains(q.sandboxs, id[:shortID]) {
			continue
		}
		if only != "" {
			return ""
		}
		only = id
	}
	return only
}

// clockTime prints a time of day, with the date unless it is the day of T0, or,
// where that is not known, of the newest evidence.
func (q *inquest) clockTime(t time.Time) string {
	day := q.deadline
	if day.IsZero() {
		day = q.s.now
	}
	if t.UTC().Format(time.DateOnly) == day.UTC().Format(time.DateOnly) {
		return t.UTC().Format(time.TimeOnly)
	}
	return t.UTC().Format(time.DateTime)
}

// What asks Docker for its containers. The docker command waits for its daemon
// for ever; crictl gives up by itself.
const (
	dockerList = "timeout 60 docker ps -a --no-trunc"
	dockerPods = dockerList + " --filter name=k8s_POD"
)

// runtimeWords are the commands of the node's runtime: docker's own on a node
// that runs Docker, else crictl.
func (q *inquest) runtimeWords() map[string]string {
	grace := int64(30)
	if q.pod != nil {
		grace = q.pod.specGrace
	}
	if q.usesDocker() {
		return map[string]string{
			"unit": "docker", "kubeletUnit": q.s.unitOfKubelet(q.node), "list": dockerList, "longList": dockerList, "inspect": "timeout 60 docker inspect", "pods": dockerPods,
			"stop": fmt.Sprintf("docker stop --time %d", grace),
		}
	}
	unit := "containerd"
	if q.node != nil && (strings.HasPrefix(q.node.runtime, "cri-o") || q.node.logs[timeline.CRIO] != nil) {
		unit = "crio"
	} else if q.s.embedsRuntime(q.node) {
		unit = q.s.unitOfKubelet(q.node)
	}
	return map[string]string{
		"unit": unit, "kubeletUnit": q.s.unitOfKubelet(q.node), "list": "crictl ps -a --no-trunc", "longList": "timeout 60 crictl --timeout 50s ps -a --no-trunc", "inspect": "crictl inspect", "pods": "crictl pods --no-trunc",
		"stop": fmt.Sprintf("crictl stop --timeout %d", grace),
	}
}

// usesDocker says whether Docker is the runtime of the node, by the Node
// object, or by the ids that the kubelet writes.
func (q *inquest) usesDocker() bool {
	if q.node != nil && q.node.runtime != "" {
		return strings.HasPrefix(q.node.runtime, "docker")
	}
	if q.pod != nil {
		for _, c := range mapsAt(q.pod.object.Content, "status", "containerStatuses") {
			if id, _ := c["containerID"].(string); id != "" {
				return strings.HasPrefix(id, "docker://")
			}
		}
	}
	for i := range q.s.tl.Containers {
		if c := &q.s.tl.Containers[i]; c.Runtime != "" && q.node != nil && c.Node == q.node.name {
			return c.Runtime == "docker"
		}
	}
	return q.node != nil && q.node.logs[timeline.Dockerd] != nil
}

// tidy takes off an error what the log line wrote after it.
func tidy(err string) string {
	for _, after := range []string{`" pod=`, `\" pod=`, `"" pod=`, `" podUID=`} {
		if before, _, ok := strings.Cut(err, after); ok {
			err = before
		}
	}
	return strings.TrimRight(strings.TrimSpace(err), `"\`)
}

// occurrences counts the failures behind the signals by the witness that saw
// most: the kubelet, the runtime and the API's Events tell of the same tries.
func (q *inquest) occurrences(signals []*signal) int {
	seen := map[int]bool{}
	witness := map[string]int{}
	most := 0
	for _, sg := range signals {
		if sg.polarity != Failure {
			continue
		}
		if len(sg.events) == 0 {
			most = max(most, sg.count)
		}
		for _, i := range sg.events {
			e := &q.s.tl.Events[i]
			switch {
			case e.Component == timeline.APIEvent:
				most = max(most, e.Count())
			case !seen[i]:
				seen[i] = true
				witness[witnessOf(e)]++
			}
		}
	}
	for _, n := range witness {
		most = max(most, n)
	}
	return most
}

// witnessOf is who wrote a line: the component and, of klog, the place in its
// source. One failure is told by several places of one program.
func witnessOf(e *timeline.Event) string {
	if at := strings.Index(e.Message, "] "); at > 0 && at < 80 && len(e.Message) > 2 && strings.IndexByte("IWEF", e.Message[0]) >= 0 {
		return e.Component + e.Message[strings.LastIndexByte(e.Message[:at], ' ')+1:at]
	}
	return e.Component
}

func plural(n int, what string) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// signed prints a distance from T0: "T0+1m3s".
func signed(d time.Duration) string {
	d = d.Round(time.Second)
	if d < 0 {
		return "T0-" + (-d).String()
	}
	return "T0+" + d.String()
}

var variable = regexp.MustCompile(`\{(\w+)(?:\|([^}]*))?\}`)

// expand puts captured words into a sentence (never into a command, which is
// for commandLine): {path}, or {path|the path} where
// it may be missing. What is not known stays as <path>, for the reader to fill.
func expand(sentence string, vars map[string]string) string {
	return variable.ReplaceAllStringFunc(sentence, func(m string) string {
		parts := variable.FindStringSubmatch(m)
		if v := vars[parts[1]]; v != "" {
			return strings.TrimRight(oneLine(v), `"\`)
		}
		if strings.Contains(m, "|") {
			return parts[2]
		}
		return "<" + parts[1] + ">"
	})
}

// choose names the root among the candidates: the most upstream, then the
// earliest unfinished stage, then the best proof. The others become blockers
// beside it, consequences, or are ruled out.
func (q *inquest) choose(list []*candidate) *candidate {
	var open []*candidate
	for _, c := range list {
		if why := q.finished(c); why != "" {
			c.role, c.demoted = RoleRuledOut, why
			continue
		}
		open = append(open, c)
	}
	for _, c := range open {
		for _, up := range open {
			if up != c && !up.proof.Beside && !(up.proof.Loose && confidenceRank(c.confidence) > confidenceRank(up.confidence)) && contains(up.cause.Explains, c.cause.ID) && !contains(c.cause.Explains, up.cause.ID) && confidenceRank(up.confidence) >= min(confidenceRank(c.confidence), confidenceRank(Medium)) {
				c.role, c.demoted = RoleConsequence, "it follows from "+up.cause.ID
				if c.confidence == Low {
					c.role = RoleRuledOut
				}
				break
			}
		}
	}
	var roots []*candidate
	for _, c := range open {
		if c.role == "" {
			roots = append(roots, c)
		}
	}
	if len(roots) == 0 {
		return nil
	}
	slices.SortStableFunc(roots, func(a, b *candidate) int {
		return cmp.Or(
			cmp.Compare(beside(a), beside(b)),
			cmp.Compare(weight(b), weight(a)),
			cmp.Compare(stageRank(a.stage), stageRank(b.stage)),
			cmp.Compare(confidenceRank(b.confidence), confidenceRank(a.confidence)),
			cmp.Compare(len(b.signals), len(a.signals)),
			strings.Compare(a.cause.ID, b.cause.ID),
		)
	})
	if roots[0].proof.Beside {
		for _, c := range roots {
			c.role, c.demoted = RoleRuledOut, "the node has not finished, so it is not what the deletion waits for yet"
		}
		return nil
	}
	root := roots[0]
	root.role = RoleRoot
	q.rootStage(root)
	for _, c := range roots[1:] {
		switch {
		case branchOf(c.stage) != branchOf(root.stage) && branchOf(c.stage) != branchAftermath && confidenceRank(c.confidence) >= confidenceRank(Medium):
			c.role = RoleBlocking
		case branchOf(c.stage) == branchAftermath:
			c.role, c.demoted = RoleConsequence, "it does not hold the object"
		case stageRank(c.stage) > stageRank(root.stage):
			c.role, c.demoted = RoleConsequence, "an earlier stage is not finished: "+root.stage
			if c.confidence == Low {
				c.role = RoleRuledOut
			}
		default:
			c.role, c.demoted = RoleRuledOut, root.cause.ID+" explains the same stage better"
		}
	}
	return root
}

// rootStage moves the root to the earliest stage of its branch that is not
// finished: what cannot be reached or is not answered holds whichever stage is
// open.
func (q *inquest) rootStage(root *candidate) {
	if q.kind != "Pod" || q.stages == nil || root.stage == StageNode || branchOf(root.stage) != branchNode {
		return
	}
	for _, id := range stageOrder {
		if branchOf(id) != branchNode {
			continue
		}
		if id == root.stage {
			return
		}
		if st := q.stages[id].state; st != stateDone && st != stateNotNeeded {
			root.stage = id
			return
		}
	}
}

// beside puts causes behind that are never a root.
func beside(c *candidate) int {
	if c.proof.Beside {
		return 1
	}
	return 0
}

// weight puts leads behind causes that are proven: a low candidate of an early
// stage must not hide a proven one of a later stage.
func weight(c *candidate) int {
	if c.confidence == Low {
		return 0
	}
	return 1
}

// finished says why a candidate's stage cannot be what holds the subject any
// more; "" if it may.
func (q *inquest) finished(c *candidate) string {
	if q.kind != "Pod" || q.stages == nil || c.stage == StageNode {
		return ""
	}
	st := q.stages[c.stage]
	if st == nil || branchOf(c.stage) == branchAftermath {
		return ""
	}
	if st.state == stateDone || st.state == stateNotNeeded {
		return "the stage " + c.stage + " is finished"
	}
	return ""
}
