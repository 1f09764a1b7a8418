package timeline

import (
	"maps"
	"net/netip"
	"slices"
	"strings"
)

// Identity is what tells a machine from others, whatever it is called.
type Identity struct {
	MachineID  string // of /etc/machine-id
	SystemUUID string // of the firmware
	BootIDs    []string
	Addresses  []string // of its own interfaces
}

// Identify notes what a file tells of the machine that it was taken on.
func (b *Builder) Identify(id Identity) {
	have := &b.Input.Identity
	if have.MachineID == "" {
		have.MachineID = bareID(id.MachineID)
	}
	if have.SystemUUID == "" {
		have.SystemUUID = bareID(id.SystemUUID)
	}
	const plenty = 64
	for _, boot := range id.BootIDs {
		if boot = bareID(boot); boot != "" && len(have.BootIDs) < plenty {
			have.BootIDs = once(have.BootIDs, boot)
		}
	}
	for _, address := range id.Addresses {
		if a, err := netip.ParseAddr(address); err == nil && !a.IsLoopback() && !a.IsLinkLocalUnicast() && len(have.Addresses) < plenty {
			have.Addresses = once(have.Addresses, a.String())
		}
	}
}

// bareID makes one form of the two in which such ids are written.
func bareID(id string) string { return strings.ToLower(strings.ReplaceAll(id, "-", "")) }

// nodeIdentity is what the dumps tell of the nodes: by each id and address the
// node that it belongs to. What several nodes share, as copies of one disk
// image do, belongs to none.
type nodeIdentity struct {
	byID      map[string]string // machine ids, boots, firmware
	byAddress map[string]string
	byPod     map[string]string          // UID of a pod
	machines  map[string]map[string]bool // machine ids by node: two clusters may have a node of the name
	boots     map[string]map[string]bool
}

const shared = "\x00"

func identitiesOfNodes(builders []*Builder) *nodeIdentity {
	n := &nodeIdentity{
		byID: map[string]string{}, byAddress: map[string]string{}, byPod: map[string]string{},
		machines: map[string]map[string]bool{}, boots: map[string]map[string]bool{},
	}
	tell := func(m map[string]string, key, node string) {
		if old, ok := m[key]; key != "" && (!ok || old == node) {
			m[key] = node
		} else if key != "" {
			m[key] = shared
		}
	}
	mark := func(m map[string]map[string]bool, node, id string) {
		if id != "" {
			if m[node] == nil {
				m[node] = map[string]bool{}
			}
			m[node][id] = true
		}
	}
	for _, b := range builders {
		for _, o := range b.Objects {
			switch o.Kind {
			case "Node":
				info, _ := o.Field("status", "nodeInfo").(map[string]any)
				for _, field := range [...]string{"machineID", "systemUUID", "bootID"} {
					id, _ := info[field].(string)
					tell(n.byID, bareID(id), o.Name)
					switch field {
					case "machineID":
						mark(n.machines, o.Name, bareID(id))
					case "bootID":
						mark(n.boots, o.Name, bareID(id))
					}
				}
				addresses, _ := o.Field("status", "addresses").([]any)
				for _, a := range addresses {
					m, _ := a.(map[string]any)
					address, _ := m["address"].(string)
					tell(n.byAddress, strings.ToLower(address), o.Name)
				}
				tell(n.byAddress, strings.ToLower(o.Name), o.Name)
			case "Pod":
				if node := o.textAt("spec", "nodeName"); o.UID != "" && node != "" {
					tell(n.byPod, o.UID, node)
				}
			}
		}
	}
	for _, m := range [...]map[string]string{n.byID, n.byAddress, n.byPod} {
		maps.DeleteFunc(m, func(_, node string) bool { return node == shared })
	}
	return n
}

// of is the node that an identity belongs to: "" if nothing tells, or if two
// things tell two.
func (n *nodeIdentity) of(id Identity) string {
	found := map[string]bool{}
	if node := n.byID[id.MachineID]; id.MachineID != "" && node != "" {
		return node
	}
	// Containers that play nodes share a kernel and its boot, and the nodes of
	// two sites may share an address.
	claim := func(node string) {
		if known := n.machines[node]; node != "" && (id.MachineID == "" || len(known) == 0) {
			found[node] = true
		}
	}
	for _, x := range append([]string{id.SystemUUID}, id.BootIDs...) {
		if x != "" {
			claim(n.byID[x])
		}
	}
	if len(found) == 0 {
		for _, a := range id.Addresses {
			claim(n.byAddress[a])
		}
	}
	return only(found)
}

// addressInName is the address that clouds put into a host's name:
// ip-10-0-1-7.
func addressInName(host string) string {
	digits, ok := strings.CutPrefix(shortName(host), "ip-")
	if !ok {
		return ""
	}
	a, err := netip.ParseAddr(strings.ReplaceAll(digits, "-", "."))
	if err != nil {
		return ""
	}
	return a.String()
}

// podsSeen are the nodes that the API binds those pods to of which a file that
// was taken on a node speaks: a kubelet and a runtime know none but their own.
func (n *nodeIdentity) podsSeen(b *Builder, host string, seen map[string]bool) {
	saw := func(uid string) {
		if node := n.byPod[uid]; node != "" {
			seen[node] = true
		}
	}
	for i := range b.Containers {
		saw(b.Containers[i].PodUID)
	}
	for i := range b.Sandboxes {
		saw(b.Sandboxes[i].PodUID)
	}
	if len(n.byPod) == 0 {
		return
	}
	enough := 2000 // lines
	for i := range b.Events {
		e := &b.Events[i]
		if e.Component != Kubelet || host != "" && e.Node != "" && e.Node != host || !strings.Contains(e.Message, "podUID=") && !strings.Contains(e.Message, "SyncLoop (") {
			continue
		}
		for _, uid := range Mentions(e.Message).UIDs {
			saw(uid)
		}
		if enough--; enough == 0 {
			return
		}
	}
}

// hostIdentity is what all files of one host tell of it.
type hostIdentity struct {
	Identity
	files []*Builder
}

func (h *hostIdentity) add(b *Builder) {
	id := b.Input.Identity
	h.files = append(h.files, b)
	if h.MachineID == "" {
		h.MachineID = id.MachineID
	}
	if h.SystemUUID == "" {
		h.SystemUUID = id.SystemUUID
	}
	h.BootIDs = append(h.BootIDs, id.BootIDs...)
	h.Addresses = append(h.Addresses, id.Addresses...)
}

// nodeOf is the node that the host is, by its ids, its addresses, and at last
// the pods that it speaks of.
func (n *nodeIdentity) nodeOf(name string, h *hostIdentity) string {
	id := h.Identity
	if a := addressInName(name); a != "" {
		id.Addresses = append(slices.Clone(id.Addresses), a)
	}
	if node := n.of(id); node != "" {
		return node
	}
	if node := n.byAddress[strings.ToLower(name)]; node != "" {
		return node
	}
	seen := map[string]bool{}
	for _, b := range h.files {
		n.podsSeen(b, name, seen)
	}
	return only(seen)
}

// differs says whether the machine of these files is another one than the node
// that bears its name: another machine id, and nothing that they share.
func (n *nodeIdentity) differs(node string, h *hostIdentity) bool {
	known := n.machines[node]
	if h.MachineID == "" || len(known) == 0 || known[h.MachineID] {
		return false
	}
	if slices.ContainsFunc(h.BootIDs, func(boot string) bool { return n.boots[node][boot] }) {
		return false
	}
	seen := map[string]bool{}
	for _, b := range h.files {
		n.podsSeen(b, node, seen)
	}
	return !seen[node]
}
