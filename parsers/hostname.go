package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// hostnameParser reads whose diagnostics a folder holds.
var hostnameParser = Parser{
	Name:  "hostname",
	Doc:   "A file that holds nothing but a host name, hostnamectl, and uname -a.",
	Sniff: sniffHostname,
	Parse: parseHostname,
}

func sniffHostname(f *File) bool {
	if f.blank() {
		return f.ran("hostname") || f.ran("hostnamectl")
	}
	lines := f.firstLines(3)
	first := strings.TrimSpace(lines[0])
	if strings.HasPrefix(first, "Static hostname: ") {
		return true
	}
	if _, _, ok := unameLine(first); ok {
		return len(lines) == 1
	}
	if len(lines) > 1 || !isDNSName(first) {
		return false
	}
	if f.ran("hostname") || f.ran("uname", "-n") || f.ran("cat", "/etc/hostname") {
		return true
	}
	if name := f.base(); strings.Contains(name, "hostname") || strings.Contains(name, "nodename") {
		return true
	}
	return f.Command == "" && looksLikeHost(first) && !f.isSetting()
}

func parseHostname(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	var rest leftovers
	for l := range f.lines() {
		s := strings.TrimSpace(l.text)
		if host, kernel, ok := unameLine(s); ok {
			nameNode(f, b, host)
			keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: kernel, Fact: factAt(f, b, l)})
			continue
		}
		if key, value, ok := strings.Cut(s, ": "); ok {
			switch value = strings.TrimSpace(value); key {
			case "Static hostname":
				nameNode(f, b, value)
				b.Input.Records++
			case "Machine ID":
				b.Identify(timeline.Identity{MachineID: value})
			case "Boot ID":
				b.Identify(timeline.Identity{BootIDs: []string{value}})
			case "Kernel":
				keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: strings.TrimPrefix(value, "Linux "), Fact: factAt(f, b, l)})
			}
			continue
		}
		if isDNSName(s) {
			nameNode(f, b, s)
			b.Input.Records++
			continue
		}
		rest.add(f, b, l)
	}
	rest.report(b)
	return nil
}

// nameNode takes a host name for the name of the node that was asked, unless
// that is known already. hostname -f prints a longer name than nodes usually
// have, so it is kept as an alias only.
func nameNode(f *File, b *timeline.Builder, name string) {
	b.Host(name)
	full := strings.HasSuffix(f.base(), "-f") || strings.Contains(f.base(), "fqdn") || f.ran("hostname", "-f") || f.ran("hostname", "--fqdn")
	if b.Input.Node == "" && name != "localhost" && !(full && strings.Contains(name, ".")) {
		b.Input.Node = name
	}
}

// unameLine reads uname -a: "Linux HOST RELEASE #1 SMP … GNU/Linux".
func unameLine(s string) (host, kernel string, ok bool) {
	words := strings.Fields(s[:min(len(s), 1024)])
	if len(words) < 5 || words[0] != "Linux" || !strings.HasPrefix(words[3], "#") || !isDNSName(words[1]) {
		return "", "", false
	}
	return words[1], words[2], true
}

// isDNSName says whether s is a host name by RFC 1123.
func isDNSName(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			c := label[i]
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && !isDigit(c) && c != '-' {
				return false
			}
		}
	}
	return true
}

// looksLikeHost says whether one word alone, with no name or command beside it,
// is a host's: it has parts and a number, and is no version, UID, hash or file.
func looksLikeHost(s string) bool {
	if !strings.ContainsAny(s, "0123456789") || isUUID(s) || isHex(s) || isDigit(s[0]) || !strings.ContainsAny(s, "-.") {
		return false
	}
	if s[0] == 'v' && len(s) > 1 && isDigit(s[1]) {
		return false
	}
	switch s {
	case "container-other", "vm-other", "systemd-nspawn", "lxc-libvirt", "not-found": // systemd-detect-virt and others
		return false
	}
	if i := strings.LastIndexByte(s, '.'); i >= 0 {
		switch s[i+1:] {
		case "service", "socket", "target", "mount", "slice", "scope", "timer", "log", "txt", "json", "yaml", "yml", "conf", "sh", "so", "gz", "xz":
			return false
		}
	}
	return strings.ToLower(s) == s
}

// isSetting says whether the path is one of files that hold settings of one
// word each.
func (f *File) isSetting() bool {
	name := "/" + strings.ReplaceAll(f.Path, "!", "/")
	return strings.Contains(name, "/sys/") || strings.Contains(name, "/proc/") || strings.Contains(name, "/etc/") || strings.HasPrefix(f.base(), ".")
}
