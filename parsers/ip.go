package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// ipParser reads the network namespaces that are left on a node.
var ipParser = Parser{
	Name:  "ip",
	Doc:   "ip netns, with a listing of /run/netns below it, and ip addr with the host's ends of pods' interfaces.",
	Sniff: sniffIP,
	Parse: parseIP,
}

func sniffIP(f *File) bool {
	if f.blank() {
		return f.ran("ip")
	}
	first := f.firstLines(1)[0]
	_, netns := namedNetns(first)
	return netns || isInterface(first)
}

func parseIP(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	names := newLister(f, b)
	names.dir = netnsDir
	var rest leftovers
	last := -1 // of the builder's interfaces, where the lines below tell of it
	for l := range f.lines() {
		switch name, ok := namedNetns(l.text); {
		case ok:
			keepFact(b, &b.Paths, timeline.Path{Path: netnsDir + "/" + name, Fact: factAt(f, b, l)})
		case isInterface(l.text):
			noteAddress(f, b, l.text)
			if last = -1; !insideNetns(f) {
				if name, ok := podInterface(l.text); ok {
					last = len(b.Interfaces)
					keepFact(b, &b.Interfaces, timeline.Interface{Name: name, NetNS: linkNetns(l.text), Fact: factAt(f, b, l)})
					continue
				}
			}
			b.Input.Records++
		case strings.HasPrefix(l.text, "    "):
			noteAddress(f, b, l.text)
			if netns := linkNetns(l.text); last >= 0 && netns != "" {
				b.Interfaces[last].NetNS = netns
			}
		case names.line(l):
		default:
			rest.add(f, b, l)
		}
	}
	rest.report(b)
	return nil
}

// noteAddress takes the address of an interface of the node itself, not of a
// pod's network namespace.
func noteAddress(f *File, b *timeline.Builder, text string) {
	if insideNetns(f) || !strings.Contains(text, " scope global") {
		return
	}
	if _, rest, ok := strings.Cut(text, " inet"); ok {
		_, rest, _ = strings.Cut(rest, " ") // inet6
		address, _ := nextWord(rest)
		address, _, _ = strings.Cut(address, "/")
		b.Identify(timeline.Identity{Addresses: []string{address}})
	}
}

// insideNetns says that the command ran in a pod's network namespace.
func insideNetns(f *File) bool {
	return strings.Contains(f.Command, "netns exec") || strings.Contains(f.base(), "netns_exec") ||
		strings.Contains(f.Command, "nsenter") || strings.Contains(f.Command, "ip -n ")
}

// podInterface is the name of an interface that has its other end elsewhere, as
// cniParser plugins make them: "9: veth7956b7b3@if2: <…". The node's own may have one
// too where the machine is a container; they are called as machines call theirs.
func podInterface(s string) (string, bool) {
	_, rest, _ := strings.Cut(s, ": ")
	name, peer, ok := strings.Cut(rest, "@")
	if !ok || !strings.HasPrefix(peer, "if") || strings.ContainsAny(name, " :") {
		return "", false
	}
	for _, prefix := range [...]string{"veth", "cali", "lxc", "eni", "azv", "gke", "vxc", "tap"} {
		if strings.HasPrefix(name, prefix) && name != "lxc_health" {
			return name, true
		}
	}
	return "", false
}

// linkNetns reads "link-netns cni-…", which ip shows where the namespace of the
// other end has a name.
func linkNetns(s string) string {
	_, rest, ok := strings.Cut(s, " link-netns ")
	if !ok {
		return ""
	}
	name, _ := nextWord(rest)
	return name
}

// netnsDir is where a runtime mounts the network namespaces of its sandboxes.
const netnsDir = "/run/netns"

// namedNetns reads "cni-fa22adb4-16c9-50a7-ffb1-98f8d3eb646c (id: 1)".
func namedNetns(s string) (string, bool) {
	name, rest := nextWord(s)
	rest = strings.TrimSpace(rest)
	if rest != "" && !strings.HasPrefix(rest, "(id: ") || len(s) > 300 || strings.ContainsAny(name, "/:=") {
		return "", false
	}
	id, cni := strings.CutPrefix(name, "cni-")
	return name, cni && isUUID(id) || strings.HasPrefix(rest, "(id: ") && strings.HasSuffix(rest, ")")
}

// isInterface recognises "2: eth0@if9: <BROADCAST,…> mtu 1500 …", and ip -o's
// form of it.
func isInterface(s string) bool {
	number, rest, ok := strings.Cut(s, ": ")
	if _, isNumber := decimal(number); !ok || !isNumber || len(number) > 7 {
		return false
	}
	return strings.Contains(rest, ": <") && strings.Contains(rest, " mtu ") || strings.Contains(rest, " inet") && strings.Contains(rest, " scope ")
}
