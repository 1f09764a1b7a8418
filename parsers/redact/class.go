package redact

// Class is what a token stands for.
type Class string

// Classes of what is replaced.
const (
	Namespace Class = "namespace"
	Workload  Class = "workload" // pods and what owns them
	Node      Class = "node"     // and other machines
	Volume    Class = "volume"   // claims and volumes
	Object    Class = "object"   // any other
	Image     Class = "image"    // registries' and repositories' names
	Domain    Class = "domain"
	User      Class = "user"
	Email     Class = "email"
	IPv4      Class = "ipv4"
	IPv6      Class = "ipv6"
	MAC       Class = "mac"
	UID       Class = "uid"
	ID        Class = "id" // of containers, sandboxes, images, boots, machines
	Secret    Class = "secret"
)

// lead begins a token, in full and where there is little room. No lead begins
// like a hexadecimal number.
func (c Class) lead() (long, short string) {
	switch c {
	case Namespace:
		return "ns", "n"
	case Node:
		return "node", "h"
	case Volume:
		return "vol", "v"
	case Object:
		return "obj", "o"
	case Image:
		return "img", "r"
	case Domain:
		return "zone", "z"
	case User, Email:
		return "user", "u"
	case Workload, IPv4, IPv6, MAC, UID, ID, Secret:
	}
	return "pod", "p"
}
