package timeline

import (
	"cmp"
	"maps"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// placeNodes gives every fact that was taken on a node that node's name: from
// the line itself, else from the host names of its file, its folder, or the
// nearest folder above that knows just one; and maps host names to the names
// of Node objects.
func placeNodes(tl *Timeline, builders []*Builder) {
	nodes, wanted, sole := knownNodes(builders)
	hostsOf := map[string]map[string]bool{} // folder -> host names seen below it
	note := func(folder, host string) {
		if host != "" {
			noteUpwards(hostsOf, folder, host)
		}
	}
	alias := func(host string) string {
		if host == "" {
			return ""
		}
		if name, ok := tl.NodeAliases[host]; ok {
			return name
		}
		name := nodeNamed(host, nodes)
		tl.NodeAliases[host] = name
		return name
	}
	rename := func(host, name string) {
		for alias, of := range tl.NodeAliases {
			if of == host {
				tl.NodeAliases[alias] = name
			}
		}
		tl.NodeAliases[host] = name
		for _, b := range builders {
			if b.Input.Node == host {
				b.Input.Node = name
			}
		}
		for _, hosts := range hostsOf {
			if hosts[host] {
				delete(hosts, host)
				hosts[name] = true
			}
		}
	}
	dumps := map[string]bool{} // folders with a dump of several nodes, which are of none
	spoken := false            // a host has, more than a list of nodes
	noteHosts := func(b *Builder) {
		in := &b.Input
		note(in.Folder, in.Node)
		spoken = spoken || in.Node != ""
		if in.Node == "" {
			listed := nodesListed(b)
			for _, h := range in.Hosts {
				if host := alias(h); listed[h] {
					dumps[in.Folder] = true
				} else {
					note(in.Folder, host)
					spoken = true
				}
			}
		}
	}
	for _, b := range builders {
		in := &b.Input
		if in.Folder == "" {
			in.Folder = parentFolder(in.Path)
		}
		in.Node = alias(in.Node)
		b.on = in.Node
		noteHosts(b)
	}

	known := findMachines(builders, nodes, func(b *Builder) string {
		if b.Input.Node != "" {
			return b.Input.Node
		}
		if len(b.Input.Hosts) > 0 && len(nodesListed(b)) == 0 {
			if len(b.Input.Hosts) > 1 {
				return ""
			}
			return alias(b.Input.Hosts[0])
		}
		return soleHost(hostsOf, dumps, b.Input.Folder)
	})
	for host, name := range known.renamed() {
		rename(host, name)
	}
	strangers := known.strangers()
	for i := range strangers {
		x := &strangers[i]
		x.rename(func(host string) bool { return host != "" && alias(host) == x.host })
		tl.NodeAliases[x.name] = x.name
		if tl.Strangers == nil {
			tl.Strangers = map[string]bool{}
		}
		tl.Strangers[x.name] = true
	}
	if len(strangers) > 0 {
		clear(hostsOf)
		for _, b := range builders {
			noteHosts(b)
		}
	}
	// What names no host may speak of pods or addresses of one node.
	for _, b := range builders {
		if in := &b.Input; in.Node == "" && len(in.Hosts) == 0 && nodeSide(b) {
			if in.Node = known.nodeOfFile(b); in.Node != "" {
				note(in.Folder, in.Node)
				spoken = true
			}
		}
	}

	// A bundle that names no host, about pods of one node, is of that node.
	if !spoken {
		tl.NodeAssumed = sole
	}
	// One host that no Node object matches, and one node that the pods in
	// deletion run on: two spellings of one machine.
	if host := only(hostsOf[""]); host != "" && len(wanted) == 1 && !slices.Contains(nodes, host) && len(strangers) == 0 {
		for alias, name := range tl.NodeAliases {
			if name == host {
				tl.NodeAliases[alias] = wanted[0]
			}
		}
		for folder := range hostsOf {
			hostsOf[folder] = map[string]bool{wanted[0]: true}
		}
		for _, b := range builders {
			if b.Input.Node == host {
				b.Input.Node = wanted[0]
			}
		}
	}

	for host, name := range nodesOfKubelets(builders, tl.NodeAliases, nodes) {
		if !tl.Strangers[host] {
			rename(host, name)
		}
	}

	names := namesOfFiles(builders, nodes)
	for _, b := range builders {
		in := &b.Input
		if in.Node == "" && len(in.Hosts) == 0 && !elsewhere(b) {
			in.Node = names.ofFile(in.Path)
		}
		if in.Node == "" {
			in.Node = soleHost(hostsOf, dumps, in.Folder)
		}
		if in.Node == "" && len(in.Hosts) == 0 && !elsewhere(b) {
			in.Node = names.ofFolder(in.Path)
		}
		if in.Node == "" && !elsewhere(b) {
			in.Node = tl.NodeAssumed
		}
		for i := range b.Events {
			e := &b.Events[i]
			switch {
			case e.Node != "":
				e.Node = alias(e.Node)
			case e.Component != APIEvent && e.Component != Audit && e.Component != KCM && e.Component != APIServer:
				e.Node = in.Node
			}
		}
		for i := range b.Clocks {
			b.Clocks[i].Host = alias(b.Clocks[i].Host)
		}
		for i := range b.Samples {
			b.Samples[i].Node = alias(b.Samples[i].Node)
		}
		if b.on == "" && nodeSide(b) {
			b.on = only(hostsOf[in.Folder])
		}
		b.on = alias(b.on)
		for _, f := range b.Facts() {
			if f.Node == "" {
				f.Node = in.Node
			} else {
				f.Node = alias(f.Node)
			}
		}
		if !nodeSide(b) {
			in.Node = ""
		}
	}
}

// ownNode is how a kubelet calls the one Node and Lease that it may write.
var ownNode = regexp.MustCompile(`/(?:nodes|kube-node-lease/leases)/([a-z0-9][a-z0-9.-]*)|error getting node \\?"([a-z0-9][a-z0-9.-]*)\\?"`)

// nodesOfKubelets finds the Node of each host that bears another name: what
// its kubelet asks the API server for, where that is one known Node.
func nodesOfKubelets(builders []*Builder, aliases map[string]string, nodes []string) map[string]string {
	asked := map[string]map[string]bool{} // by host
	for _, b := range builders {
		for i := range b.Events {
			e := &b.Events[i]
			host := cmp.Or(e.Node, b.Input.Node)
			if e.Component != Kubelet || host == "" || slices.Contains(nodes, cmp.Or(aliases[host], host)) ||
				!(strings.Contains(e.Message, "/nodes/") || strings.Contains(e.Message, "/leases/") || strings.Contains(e.Message, "getting node ")) {
				continue
			}
			for _, m := range ownNode.FindAllStringSubmatch(e.Message[:min(len(e.Message), 4096)], 4) {
				if asked[host] == nil {
					asked[host] = map[string]bool{}
				}
				asked[host][cmp.Or(m[1], m[2])] = true
			}
		}
	}
	found := map[string]string{}
	for host, names := range asked {
		if name := only(names); slices.Contains(nodes, name) {
			found[host] = name
		}
	}
	return found
}

// nodesListed are the nodes of which a dump lists several: it does not say on
// which of them the files beside it were taken.
func nodesListed(b *Builder) map[string]bool {
	listed := map[string]bool{}
	for _, o := range b.Objects {
		if o.Kind == "Node" {
			listed[o.Name] = true
		}
	}
	if len(listed) < 2 {
		return nil
	}
	return listed
}

// nodeSide says whether a file holds anything that was taken on a node.
func nodeSide(b *Builder) bool {
	for i := range b.Events {
		switch b.Events[i].Component {
		case APIEvent, Audit, KCM, APIServer:
		default:
			return true
		}
	}
	return len(b.Facts()) > 0 || (len(b.Objects) == 0 && len(b.Events) == 0)
}

// elsewhere says whether a file is the log of programs that run on any node or
// on none: controllers, operators, drivers.
func elsewhere(b *Builder) bool {
	if len(b.Events) == 0 || len(b.Facts()) > 0 {
		return false
	}
	return !slices.ContainsFunc(b.Events, func(e Event) bool {
		switch e.Component {
		case Kubelet, Containerd, CRIO, Dockerd, Kernel, Systemd, Journald, Command:
			return true
		}
		return false
	})
}

// knownNodes are the names of Node objects and of nodes that pods are bound
// to, and those that pods in deletion are bound to.
// sole is the only node that a bundle without host names can be of.
func knownNodes(builders []*Builder) (nodes, wanted []string, sole string) {
	known, asked := map[string]bool{}, map[string]bool{}
	for _, b := range builders {
		for _, o := range b.Objects {
			switch o.Kind {
			case "Node":
				known[o.Name] = true
			case "Pod":
				name := o.textAt("spec", "nodeName")
				known[name] = true
				if showsEnding(o) || o.Ages["metadata.deletionTimestamp"] != 0 {
					asked[name] = true
				}
			}
		}
	}
	delete(known, "")
	delete(asked, "")
	nodes, wanted = slices.Sorted(maps.Keys(known)), slices.Sorted(maps.Keys(asked))
	switch {
	case len(wanted) == 1:
		sole = wanted[0]
	case len(wanted) == 0 && len(nodes) == 1:
		sole = nodes[0]
	}
	return nodes, wanted, sole
}

// nodeNamed finds the Node that a host name means: itself, or the one that
// differs only in case or in its domain.
func nodeNamed(host string, nodes []string) string {
	if slices.Contains(nodes, host) {
		return host
	}
	for _, same := range [...]func(n string) bool{
		func(n string) bool { return strings.EqualFold(n, host) },
		func(n string) bool { return strings.EqualFold(shortName(n), shortName(host)) },
	} {
		found := ""
		for _, n := range nodes {
			if !same(n) {
				continue
			}
			if found != "" {
				return host // two nodes fit: keep apart
			}
			found = n
		}
		if found != "" {
			return found
		}
	}
	return host
}

// shortName is a host name without its domain. An address has none.
func shortName(host string) string {
	if _, err := netip.ParseAddr(host); err == nil {
		return host
	}
	short, _, _ := strings.Cut(host, ".")
	return short
}

// soleHost is the only host that the folder, or the nearest folder above it
// that knows any, has seen. A dump of the cluster is of none.
func soleHost(hostsOf map[string]map[string]bool, dumps map[string]bool, folder string) string {
	for {
		if hosts := hostsOf[folder]; len(hosts) > 0 || dumps[folder] || folder == "" {
			return only(hosts)
		}
		folder = parentFolder(folder)
	}
}

// only is the one host of a set, "" if there are none or several.
func only(hosts map[string]bool) string {
	if len(hosts) != 1 {
		return ""
	}
	for h := range hosts {
		return h
	}
	return ""
}

// parentFolder goes one up, also out of an archive ("a.tar!b" -> "a.tar").
func parentFolder(name string) string {
	return name[:max(0, strings.LastIndexAny(name, "/!"))]
}
