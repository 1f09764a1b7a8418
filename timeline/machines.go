package timeline

import (
	"fmt"
	"maps"
	"slices"
)

// machines tells hosts apart, and which node each of them is, by more than
// their names.
type machines struct {
	nodes    []string
	identity *nodeIdentity
	hosts    map[string]*hostIdentity            // by name
	apart    map[string]map[string]*hostIdentity // by name and machine id
}

// findMachines gathers what the files of each host tell of it. hostOf is the
// host that a file is of, "" where that is not known.
func findMachines(builders []*Builder, nodes []string, hostOf func(*Builder) string) *machines {
	m := &machines{nodes: nodes, identity: identitiesOfNodes(builders), hosts: map[string]*hostIdentity{}, apart: map[string]map[string]*hostIdentity{}}
	idsOf := map[string]map[string]bool{} // folder -> machine ids seen below it
	for _, b := range builders {
		if id := b.Input.Identity.MachineID; id != "" {
			noteUpwards(idsOf, b.Input.Folder, id)
		}
	}
	for _, b := range builders {
		host := hostOf(b)
		if host == "" || !nodeSide(b) {
			continue
		}
		if m.hosts[host] == nil {
			m.hosts[host], m.apart[host] = &hostIdentity{}, map[string]*hostIdentity{}
		}
		m.hosts[host].add(b)
		id := b.Input.Identity.MachineID
		if id == "" {
			id = soleHost(idsOf, nil, b.Input.Folder)
		}
		if id == "" {
			continue
		}
		if m.apart[host][id] == nil {
			m.apart[host][id] = &hostIdentity{Identity: Identity{MachineID: id}}
		}
		m.apart[host][id].add(b)
	}
	return m
}

// noteUpwards notes a name for a folder and all above it.
func noteUpwards(of map[string]map[string]bool, folder, name string) {
	for {
		if of[folder] == nil {
			of[folder] = map[string]bool{}
		}
		of[folder][name] = true
		if folder == "" {
			return
		}
		folder = parentFolder(folder)
	}
}

// renamed finds the hosts that bear another name than the node that they are.
func (m *machines) renamed() map[string]string {
	found, claims := map[string]string{}, map[string]int{}
	for host, h := range m.hosts {
		if slices.Contains(m.nodes, host) {
			continue
		}
		node := m.identity.nodeOf(host, h)
		if !slices.Contains(m.nodes, node) {
			continue
		}
		if same := m.hosts[node]; same != nil && same.MachineID != "" && h.MachineID != "" && same.MachineID != h.MachineID {
			continue
		}
		found[host] = node
		claims[node]++
	}
	maps.DeleteFunc(found, func(_, node string) bool { return claims[node] > 1 })
	m.shorten(found)
	return found
}

// shorten joins the host that calls itself by its whole name in one bundle and
// by its short one in another.
func (m *machines) shorten(found map[string]string) {
	whole := map[string][]string{} // by short name
	for host := range m.hosts {
		if short := shortName(host); short != host && found[host] == "" && !slices.Contains(m.nodes, host) {
			whole[short] = append(whole[short], host)
		}
	}
	for short, hosts := range whole {
		other := m.hosts[short]
		if other == nil || len(hosts) > 1 {
			continue
		}
		if h := m.hosts[hosts[0]]; h.MachineID == "" || other.MachineID == "" || h.MachineID == other.MachineID {
			found[hosts[0]] = short
		}
	}
}

// nodeOfFile is the node that a file was taken on that names no host.
func (m *machines) nodeOfFile(b *Builder) string {
	h := &hostIdentity{}
	h.add(b)
	if node := m.identity.nodeOf("", h); slices.Contains(m.nodes, node) {
		return node
	}
	return ""
}

// stranger is a machine that bears the name of another.
type stranger struct {
	host, name, note string
	files            []*Builder
}

// strangers finds machines of the same name that their ids tell apart, as
// where bundles of two clusters are given together: only the one that is the
// node of that name keeps it.
func (m *machines) strangers() []stranger {
	var found []stranger
	for _, host := range slices.Sorted(maps.Keys(m.apart)) {
		several := m.apart[host]
		isNode := slices.Contains(m.nodes, host)
		for _, id := range slices.Sorted(maps.Keys(several)) {
			h := several[id]
			switch {
			case isNode && m.identity.differs(host, h):
			case len(several) > 1 && !m.identity.machines[host][id] && !m.sees(host, h):
			default:
				continue
			}
			name := fmt.Sprintf("%s (machine %s)", host, id[:min(len(id), 8)])
			note := fmt.Sprintf("%s in %s is another machine than the others of that name: its machine id is %s", host, h.files[0].Input.Path, id)
			found = append(found, stranger{host, name, note, h.files})
		}
	}
	return found
}

// sees says whether the files speak of pods that run on the node.
func (m *machines) sees(node string, h *hostIdentity) bool {
	seen := map[string]bool{}
	for _, b := range h.files {
		m.identity.podsSeen(b, "", seen)
	}
	return seen[node]
}

// rename gives the machine's files its own name.
func (s *stranger) rename(is func(host string) bool) {
	for _, b := range s.files {
		b.Gap(GapNotUnderstood, 0, s.note)
		if is(b.Input.Node) {
			b.Input.Node = s.name
		}
		for i, h := range b.Input.Hosts {
			if is(h) {
				b.Input.Hosts[i] = s.name
			}
		}
		for i := range b.Events {
			if is(b.Events[i].Node) {
				b.Events[i].Node = s.name
			}
		}
		for i := range b.Clocks {
			if is(b.Clocks[i].Host) {
				b.Clocks[i].Host = s.name
			}
		}
		for _, f := range b.Facts() {
			if is(f.Node) {
				f.Node = s.name
			}
		}
	}
}
