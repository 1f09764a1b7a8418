package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// versionsParser reads which software a node runs.
var versionsParser = Parser{
	Name:  "versions",
	Doc:   "kubelet --version, containerd --version, runc --version, crictl version, ctr version, docker version, systemctl --version, uname -r, rpm -q kernel, kind version.",
	Sniff: sniffVersions,
	Parse: parseVersions,
}

func sniffVersions(f *File) bool {
	if f.blank() {
		return false
	}
	lines := f.firstLines(4)
	r := versionReader{file: f}
	if _, ok := r.version(lines[0]); ok {
		return true
	}
	if strings.TrimSpace(lines[0]) == "Client:" && len(lines) > 1 && strings.HasPrefix(strings.TrimSpace(lines[1]), "Version:") {
		return true
	}
	// Rancher's collector heads its versions with date and uname.
	if _, ok := dateLine(lines[0]); ok && len(lines) > 2 {
		_, _, ok := unameLine(lines[1])
		return ok
	}
	if strings.HasPrefix(lines[0], "Version:") && strings.Contains(f.head(), "RuntimeName:") {
		return true
	}
	return len(lines) == 1 && isKernelRelease(f, lines[0])
}

func parseVersions(f *File, b *timeline.Builder) error {
	r := versionReader{file: f}
	kubernetes := 0
	for l := range f.lines() {
		s := strings.TrimSpace(l.text)
		if s == "" {
			continue
		}
		if host, kernel, ok := unameLine(s); ok {
			nameNode(f, b, host)
			keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: kernel, Fact: factAt(f, b, l)})
			continue
		}
		if d, ok := dateLine(s); ok {
			if !d.wall && b.Input.CapturedAt.IsZero() {
				b.Input.CapturedAt = d.time
			}
			continue
		}
		if v, ok := r.version(s); ok {
			v.Fact = factAt(f, b, l)
			keepFact(b, &b.Versions, v)
			kubernetes++
			continue
		}
		if isKernelRelease(f, s) {
			keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: s, Fact: factAt(f, b, l)})
		}
	}
	return nil
}

// versionReader reads one line after the other; some mean something only
// below another.
type versionReader struct {
	file    *File
	runtime string // RuntimeName of crictl version
	server  bool   // below "Server:"
}

func (r *versionReader) version(s string) (timeline.NodeVersion, bool) {
	s = strings.TrimSpace(s)
	if len(s) > 300 {
		return timeline.NodeVersion{}, false
	}
	words := strings.Fields(s)
	word := func(i int) string {
		if i < len(words) {
			return strings.TrimRight(words[i], ",")
		}
		return ""
	}
	is := func(what, version string) (timeline.NodeVersion, bool) {
		version = strings.TrimPrefix(version, "v")
		if version == "" || !isDigit(version[0]) {
			return timeline.NodeVersion{}, false
		}
		if what == "kubelet" || what == "kube-apiserver" || what == "crictl" {
			version = "v" + version
		}
		return timeline.NodeVersion{What: what, Version: version}, true
	}
	switch {
	case word(0) == "Kubernetes" && len(words) == 2 && strings.HasPrefix(word(1), "v") && len(word(1)) > 2:
		return is("kubelet", word(1))
	case word(0) == "containerd" && len(words) >= 3 && strings.Contains(word(1), "containerd"):
		return is("containerd", word(2))
	case word(0) == "runc" && word(1) == "version" && len(words) == 3:
		return is("runc", word(2))
	case word(0) == "crun" && word(1) == "version" && len(words) == 3:
		return is("crun", word(2))
	case word(0) == "crictl" && word(1) == "version" && len(words) == 3:
		return is("crictl", word(2))
	case (word(0) == "crio" || word(0) == "crio:") && word(1) == "version" && len(words) == 3:
		return is("cri-o", word(2))
	case word(0) == "Docker" && word(1) == "version" && len(words) > 2:
		return is("docker", word(2))
	case word(0) == "systemd" && len(words) >= 2 && strings.HasPrefix(word(2), "("):
		return is("systemd", word(1))
	case s == "Server:":
		r.server = true
	case s == "Client:":
		r.server = false
	case word(0) == "Version:" && r.server && len(words) == 2 && !strings.Contains(r.file.Command, "docker"):
		return is("containerd", word(1))
	case word(0) == "RuntimeName:":
		r.runtime = word(1)
	case word(0) == "RuntimeVersion:" && r.runtime != "" && word(1) != "":
		return is(r.runtime, word(1))
	case word(0) == "Server" && word(1) == "Version:" && strings.HasPrefix(word(2), "v") && len(words) == 3:
		return is("kube-apiserver", word(2))
	case word(0) == "kind" && len(words) == 4 && strings.HasPrefix(word(2), "go1"): // kind-version.txt
		return is("kind", word(1))
	case len(words) == 1 && r.file.ran("cat", "/kind/version"):
		return is("kubelet", s)
	case len(words) == 1 && strings.HasPrefix(s, "kernel-"):
		// rpm -q: installed, which is not to say that it runs.
		if _, version, ok := kernelPackage(s); ok {
			return timeline.NodeVersion{What: "kernel-package", Version: version}, true
		}
	}
	return timeline.NodeVersion{}, false
}

// kernelPackage reads "kernel-6.1.112-122.189.amzn2023".
func kernelPackage(s string) (name, version string, ok bool) {
	for i := 0; i+1 < len(s); i++ {
		if s[i] == '-' && isDigit(s[i+1]) {
			return s[:i], s[i+1:], strings.Contains(s[i+1:], "-") && strings.Count(s[i+1:], ".") >= 2
		}
	}
	return "", "", false
}

// isKernelRelease recognises uname -r: "5.4.0-132-generic". Without the
// command, what makes it a kernel's must stand behind the figures.
func isKernelRelease(f *File, s string) bool {
	s = strings.TrimSpace(s)
	if s == "" || len(s) > 80 || !isDigit(s[0]) || strings.ContainsAny(s, " \t:/") || strings.Count(s, ".") < 1 {
		return false
	}
	if f.ran("uname") {
		return true
	}
	_, tail, ok := strings.Cut(s, "-")
	if !ok || f.Command != "" {
		return false
	}
	for _, mark := range []string{"generic", ".el", "amzn", "x86_64", "aarch64", "azure", "aws", "gcp", "gke", "cloud", "default", "amd64", "arm64", ".fc", "-fc", "raspi", "lowlatency", "oracle", "talos", "flatcar", "coreos"} {
		if strings.Contains("-"+tail, mark) {
			return true
		}
	}
	return strings.Contains(f.base(), "uname")
}
