package report

import (
	"slices"

	"podautopsy/analyzer"
)

// stage is one step of a deletion, in the order of the pipeline.
type stage struct{ id, number, short string }

var pipeline = []stage{
	{"requested", "D0", "request"},
	{"marked", "D1", "marked"},
	{"seen-by-kubelet", "D2", "kubelet"},
	{"prestop", "D3", "preStop"},
	{"containers-stopped", "D4", "containers"},
	{"sandbox-stopped", "D5", "sandbox"},
	{"volumes-unmounted", "D6", "volumes"},
	{"cgroup-removed", "D7", "cgroup"},
	{"final-status", "D8", "status"},
	{"final-delete", "D9", "delete"},
	{"finalizers-removed", "D10", "finalizers"},
	{"object-gone", "D11", "gone"},
	{"node-clean", "D12", "node-clean"},
	{"detached", "D13", "detached"},
	{"namespace-emptied", "D14", "namespace"},
	{"node", "DN", "node"},
}

// States of a stage.
const (
	stateDone       = "done"
	stateRunning    = "running"
	stateFailed     = "failed"
	stateNotReached = "not-reached"
	stateNotNeeded  = "not-needed"
	stateUnknown    = "unknown"
)

// worst orders states for a stage that several containers or volumes went
// through: what holds it up speaks for all.
var worst = []string{stateFailed, stateRunning, stateUnknown, stateNotReached, stateDone, stateNotNeeded}

// bar is the state of every stage that the subject's verdict tells of.
func bar(s *analyzer.Subject) []stageState {
	seen := map[string]map[string]bool{}
	for _, st := range s.Stages {
		if seen[st.ID] == nil {
			seen[st.ID] = map[string]bool{}
		}
		seen[st.ID][st.State] = true
	}
	var out []stageState
	for _, st := range pipeline {
		if seen[st.id] == nil {
			continue
		}
		state := stateUnknown
		for _, w := range worst {
			if seen[st.id][w] {
				state = w
				break
			}
		}
		out = append(out, stageState{st, state})
	}
	return out
}

type stageState struct {
	stage
	state string
}

// heldAt is the stage that holds the deletion: the root cause's. Without a
// root it is every stage that goes on or has failed.
func heldAt(s *analyzer.Subject, states []stageState) []string {
	for _, c := range causesOf(s, analyzer.RoleRoot) {
		for _, st := range pipeline {
			if st.id != c.Stage {
				continue
			}
			i := slices.IndexFunc(states, func(s stageState) bool { return s.id == st.id })
			switch {
			case st.id == analyzer.StageNode:
				return []string{st.number + " " + st.id + ": the whole node, none of the pod's own stages"}
			case i < 0: // of an object that has no stages of a pod
				return []string{st.number + " " + st.id}
			case states[i].state == stateFailed || states[i].state == stateRunning:
				return []string{st.number + " " + st.id + " " + states[i].state}
			}
			return nil
		}
	}
	var open []string
	for _, st := range states {
		if st.state == stateFailed || st.state == stateRunning {
			open = append(open, st.number+" "+st.id+" "+st.state)
		}
	}
	return open
}

// marks are the signs of a report; each stands beside a word or a legend.
type marks struct {
	done, failed, running, notReached, notNeeded, unknown string
	bullet, dash, ellipsis, dot                           string
}

var (
	unicodeMarks = marks{"✔", "✗", "…", "·", "–", "?", "•", "–", "…", "·"}
	asciiMarks   = marks{"ok", "FAIL", "...", ".", "-", "?", "*", "-", "...", "|"}
)

func (o Options) marks() marks {
	if o.ASCII {
		return asciiMarks
	}
	return unicodeMarks
}

func (m marks) of(state string) string {
	switch state {
	case stateDone:
		return m.done
	case stateFailed:
		return m.failed
	case stateRunning:
		return m.running
	case stateNotReached:
		return m.notReached
	case stateNotNeeded:
		return m.notNeeded
	}
	return m.unknown
}
