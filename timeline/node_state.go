package timeline

import "slices"

// NodeState is what tools printed of a node: what ran there, what was mounted
// and what lay on its disks. A list of another kind is added to each of its
// methods.
type NodeState struct {
	Containers   []Container
	Sandboxes    []Sandbox
	Mounts       []Mount
	Processes    []Process
	Holders      []Holder
	Listeners    []Listener
	Units        []Unit
	Filesystems  []Filesystem
	Paths        []Path
	Reservations []Reservation
	Interfaces   []Interface
	PodLogs      []PodLog
	Versions     []NodeVersion
}

// Facts are what all rows share, list by list.
func (s *NodeState) Facts() []*Fact {
	var facts []*Fact
	for i := range s.Containers {
		facts = append(facts, &s.Containers[i].Fact)
	}
	for i := range s.Sandboxes {
		facts = append(facts, &s.Sandboxes[i].Fact)
	}
	for i := range s.Mounts {
		facts = append(facts, &s.Mounts[i].Fact)
	}
	for i := range s.Processes {
		facts = append(facts, &s.Processes[i].Fact)
	}
	for i := range s.Holders {
		facts = append(facts, &s.Holders[i].Fact)
	}
	for i := range s.Listeners {
		facts = append(facts, &s.Listeners[i].Fact)
	}
	for i := range s.Units {
		facts = append(facts, &s.Units[i].Fact)
	}
	for i := range s.Filesystems {
		facts = append(facts, &s.Filesystems[i].Fact)
	}
	for i := range s.Paths {
		facts = append(facts, &s.Paths[i].Fact)
	}
	for i := range s.Reservations {
		facts = append(facts, &s.Reservations[i].Fact)
	}
	for i := range s.Interfaces {
		facts = append(facts, &s.Interfaces[i].Fact)
	}
	for i := range s.PodLogs {
		facts = append(facts, &s.PodLogs[i].Fact)
	}
	for i := range s.Versions {
		facts = append(facts, &s.Versions[i].Fact)
	}
	return facts
}

// add appends another file's rows.
func (s *NodeState) add(more *NodeState) {
	s.Containers = append(s.Containers, more.Containers...)
	s.Sandboxes = append(s.Sandboxes, more.Sandboxes...)
	s.Mounts = append(s.Mounts, more.Mounts...)
	s.Processes = append(s.Processes, more.Processes...)
	s.Holders = append(s.Holders, more.Holders...)
	s.Listeners = append(s.Listeners, more.Listeners...)
	s.Units = append(s.Units, more.Units...)
	s.Filesystems = append(s.Filesystems, more.Filesystems...)
	s.Paths = append(s.Paths, more.Paths...)
	s.Reservations = append(s.Reservations, more.Reservations...)
	s.Interfaces = append(s.Interfaces, more.Interfaces...)
	s.PodLogs = append(s.PodLogs, more.PodLogs...)
	s.Versions = append(s.Versions, more.Versions...)
}

func (s *NodeState) clone() NodeState {
	return NodeState{
		Containers:   slices.Clone(s.Containers),
		Sandboxes:    slices.Clone(s.Sandboxes),
		Mounts:       slices.Clone(s.Mounts),
		Processes:    slices.Clone(s.Processes),
		Holders:      slices.Clone(s.Holders),
		Listeners:    slices.Clone(s.Listeners),
		Units:        slices.Clone(s.Units),
		Filesystems:  slices.Clone(s.Filesystems),
		Paths:        slices.Clone(s.Paths),
		Reservations: slices.Clone(s.Reservations),
		Interfaces:   slices.Clone(s.Interfaces),
		PodLogs:      slices.Clone(s.PodLogs),
		Versions:     slices.Clone(s.Versions),
	}
}
