package parsers

import (
	"encoding/json"
	"path"
	"strings"

	"podautopsy/timeline"
)

// cniParser reads what network plugins keep on a node.
var cniParser = Parser{
	Name:  "cni",
	Doc:   "Addresses that host-local IPAM reserved (listing or content of /var/lib/cni/networks), cached CNI results, CNI configuration and plugins.",
	Sniff: sniffCNI,
	Parse: parseCNI,
}

// ipamDir holds a folder for each network and in it a file for each address.
const ipamDir = "/var/lib/cni/networks/"

func sniffCNI(f *File) bool {
	if (strings.Contains(f.Command, "/cni/") || isCNIDir(f.Dir)) && (f.blank() || len(commandReservations(f)) > 0 || f.ran("ls") || f.ran("cat") || f.ran("head")) {
		return !strings.HasSuffix(f.base(), ".log")
	}
	if f.blank() {
		return false
	}
	for _, s := range f.firstLines(4) {
		if name, ok := contentHeading(s); ok && strings.Contains(name, "/cni/") {
			return true
		}
		if dir, ok := listHeading(s); ok && isCNIDir(dir) {
			return true
		}
		if _, _, ok := reservationFile(s); ok {
			return true
		}
		if _, _, ok := addressBeside(s); ok {
			return true
		}
	}
	first := strings.TrimSpace(f.firstLines(1)[0])
	if _, _, ok := reservationFile(f.Path); ok && isContainerID(first) {
		return true
	}
	if strings.HasPrefix(first, "{") {
		keys := topKeys(f.head())
		return keys["cniVersion"] && (keys["plugins"] || keys["type"]) || keys["containerId"] && keys["networkName"]
	}
	return false
}

func isCNIDir(dir string) bool {
	return strings.HasPrefix(dir, "/var/lib/cni") || strings.HasPrefix(dir, "/etc/cni") || strings.HasPrefix(dir, "/opt/cni")
}

func parseCNI(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	r := cniReader{file: f, b: b, paths: newLister(f, b), found: make(map[string]int), asked: commandReservations(f)}
	if len(r.asked) == 0 {
		if network, ip, ok := reservationFile(f.Path); ok {
			r.asked = []reservation{{network, ip}}
		}
	}
	for l := range f.lines() {
		r.line(l)
	}
	r.nameOwners()
	r.rest.report(b)
	return nil
}

// reservation is a file of host-local IPAM.
type reservation struct{ network, ip string }

// cniReader reads listings and contents in one text.
type cniReader struct {
	file  *File
	b     *timeline.Builder
	paths *lister
	found map[string]int // indexes of the builder's reservations, by network/ip
	asked []reservation  // files whose content the command prints, in order
	open  string         // the file whose content the lines below are
	depth int            // of the JSON that is being passed over
	// owners are the pods that cached results name, by container ID.
	owners map[string]cniOwner
	rest   leftovers
}

// cniOwner is the pod that a CNI ADD was for.
type cniOwner struct{ uid, namespace, name string }

func (r *cniReader) line(l line) {
	s := strings.TrimSpace(l.text)
	if name, ok := contentHeading(s); ok {
		r.open, r.depth = name, 0
		return
	}
	if s == "" {
		return
	}
	if network, ip, ok := reservationFile(s); ok { // find, or grep -H with the content
		if _, id, ok := strings.Cut(s, ip+":"); ok && isContainerID(strings.TrimSpace(id)) {
			r.reserve(network, ip, strings.TrimSpace(id), l)
			return
		} else if strings.HasSuffix(s, ip) {
			r.reserve(network, ip, "", l)
			return
		}
	}
	if ip, id, ok := addressBeside(s); ok {
		network, _, found := reservationFile(ip)
		if !found {
			network = r.network()
		}
		r.reserve(network, path.Base(ip), id, l)
		return
	}
	if isContainerID(s) {
		r.content(s, l)
		return
	}
	if r.depth > 0 || strings.HasPrefix(s, "{") {
		r.json(s)
		return
	}
	if r.interfaceName(s) || r.counted(s, l) {
		return
	}
	before := len(r.b.Paths)
	if !r.paths.line(l) {
		r.rest.add(r.file, r.b, l)
		return
	}
	for _, p := range r.b.Paths[before:] {
		if network, ip, ok := reservationFile(p.Path); ok && !p.Dir {
			r.reserve(network, ip, "", l)
		}
	}
}

// content takes a container ID that an IPAM file holds: of the file whose
// heading stands above, else of the next that the command asked for.
func (r *cniReader) content(id string, l line) {
	network, ip, ok := reservationFile(r.open)
	if !ok && len(r.asked) > 0 {
		network, ip, ok = r.asked[0].network, r.asked[0].ip, true
		r.asked = r.asked[1:]
	}
	if !ok {
		r.rest.add(r.file, r.b, l)
		return
	}
	r.reserve(network, ip, id, l)
}

// addressBeside reads what a loop over the IPAM files prints, each file's name
// and its first line: "10.244.3.2 ID". The name may be a whole path.
func addressBeside(s string) (file, id string, ok bool) {
	file, rest := nextWord(s)
	id, rest = nextWord(rest)
	file = strings.TrimSuffix(file, ":")
	return file, id, isContainerID(id) && strings.TrimSpace(rest) == "" && isAddress(path.Base(file))
}

// network is that of the folder where the command ran or loops; "" if not told.
func (r *cniReader) network() string {
	if dir, ok := strings.CutPrefix(r.file.Dir, strings.TrimSuffix(ipamDir, "/")); ok {
		return strings.Trim(dir, "/")
	}
	_, after, ok := strings.Cut(r.file.Command, ipamDir)
	if !ok {
		return ""
	}
	end := strings.IndexAny(after, "/ ;&)\"'*")
	if end < 0 {
		end = len(after)
	}
	return after[:end]
}

// interfaceName passes over the second line of an IPAM file and the last
// address handed out.
func (r *cniReader) interfaceName(s string) bool {
	return r.open != "" && len(s) <= 45 && !strings.Contains(s, " ") && strings.HasPrefix(r.open, ipamDir) ||
		len(s) <= 15 && strings.HasPrefix(s, "eth")
}

// counted keeps the answer of a count (grep -c, wc -l) with its question.
func (r *cniReader) counted(s string, l line) bool {
	if _, ok := decimal(s); !ok || !r.file.filtered() {
		return false
	}
	commandEvent(r.file, r.b, l, timeline.LevelUnknown, "$ "+r.file.Command+": "+s)
	return true
}

// reserve keeps a reservation once; its content tells more than its name.
func (r *cniReader) reserve(network, ip, id string, l line) {
	key := network + "/" + ip
	if i, ok := r.found[key]; ok {
		if id != "" {
			r.b.Reservations[i].ContainerID = id
			r.b.Reservations[i].Fact = factAt(r.file, r.b, l)
		}
		return
	}
	r.found[key] = len(r.b.Reservations)
	keepFact(r.b, &r.b.Reservations, timeline.Reservation{Network: network, IP: ip, ContainerID: id, Fact: factAt(r.file, r.b, l)})
}

// json passes over configuration and learns from a cached result whose
// container it was.
func (r *cniReader) json(s string) {
	if r.depth == 0 && strings.Contains(s, `"containerId"`) {
		var result struct {
			ContainerID string     `json:"containerId"`
			CNIArgs     [][]string `json:"cniArgs"`
		}
		if err := json.Unmarshal([]byte(s), &result); err == nil && result.ContainerID != "" {
			if r.owners == nil {
				r.owners = make(map[string]cniOwner)
			}
			owner := r.owners[result.ContainerID]
			for _, arg := range result.CNIArgs {
				if len(arg) != 2 {
					continue
				}
				switch arg[0] {
				case "K8S_POD_UID":
					owner.uid = arg[1]
				case "K8S_POD_NAMESPACE":
					owner.namespace = arg[1]
				case "K8S_POD_NAME":
					owner.name = arg[1]
				}
			}
			r.owners[result.ContainerID] = owner
		}
		r.b.Input.Records++
		return
	}
	if r.depth == 0 {
		r.b.Input.Records++
	}
	r.depth = max(r.depth+strings.Count(s, "{")-strings.Count(s, "}"), 0)
}

// nameOwners gives reservations the pods that the cached results name.
func (r *cniReader) nameOwners() {
	for i := range r.b.Reservations {
		kept := &r.b.Reservations[i]
		if owner, ok := r.owners[kept.ContainerID]; ok {
			kept.PodUID, kept.PodNamespace, kept.Pod = owner.uid, owner.namespace, owner.name
		}
	}
}

// contentHeading reads what head, tail and scripts write above a file's
// content: "==> /path <==", "== /path".
func contentHeading(s string) (name string, ok bool) {
	for _, lead := range []string{"==> ", "== ", "=== ", "--- ", "# cat ", "### "} {
		rest, ok := strings.CutPrefix(s, lead)
		if !ok {
			continue
		}
		name, _ = nextWord(rest)
		return name, strings.HasPrefix(name, "/")
	}
	return "", false
}

// reservationFile finds "…/cni/networks/NETWORK/IP" at the end of a path, or
// before the colon that grep puts behind it.
func reservationFile(s string) (network, ip string, ok bool) {
	const dir = "cni/networks/"
	i := strings.LastIndex(s, dir)
	if i < 0 || len(s) > 1024 {
		return "", "", false
	}
	network, ip, ok = strings.Cut(s[i+len(dir):], "/")
	if end := strings.IndexAny(ip, " \t"); end >= 0 {
		ip = ip[:end]
	}
	if host, id, found := cutLast(ip, ":"); found && (isContainerID(id) || id == "") {
		ip = host
	}
	return network, ip, ok && network != "" && isAddress(ip)
}

// isAddress says whether s has the shape of an IP address; an IPv6 address may
// be written with underscores in a file name.
func isAddress(s string) bool {
	if s == "" || len(s) > 45 || !strings.ContainsAny(s, ".:_") {
		return false
	}
	dots, colons := strings.Count(s, "."), strings.Count(s, ":")+strings.Count(s, "_")
	if dots != 3 && colons < 2 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) && (s[i] < 'a' || s[i] > 'f') && s[i] != '.' && s[i] != ':' && s[i] != '_' {
			return false
		}
	}
	return true
}

// commandReservations are the IPAM files that a command prints, in order.
// Braces are expanded as the shell does; a wildcard cannot be.
func commandReservations(f *File) []reservation {
	const most = 4096
	var files []reservation
	for _, v := range invocations(f.Command) {
		for _, w := range v {
			if !strings.Contains(w, "cni/networks/") {
				continue
			}
			for _, name := range expandBraces(w, most) {
				if network, ip, ok := reservationFile(name); ok {
					files = append(files, reservation{network, path.Base(ip)})
				}
			}
		}
	}
	return files
}

// expandBraces expands the first list in braces: "10.42.5.{17,18}".
func expandBraces(w string, most int) []string {
	before, rest, ok := strings.Cut(w, "{")
	list, after, closed := strings.Cut(rest, "}")
	if !ok || !closed || !strings.Contains(list, ",") {
		return []string{w}
	}
	var all []string
	for part := range strings.SplitSeq(list, ",") {
		if len(all) == most {
			break
		}
		all = append(all, before+part+after)
	}
	return all
}
