package parsers

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"podautopsy/timeline"
)

// nodeTools are the readers of what tools print on a node, in the order in
// which All asks them, and the one that is tested.
func nodeTools(tested ...Parser) []Parser {
	tools := map[string]bool{}
	for _, p := range append(tested,
		awsIPAMParser, crictlJSONParser, dockerJSONParser, mountinfoParser, mountsParser, crictlTableParser, dockerTableParser,
		psParser, socketsParser, lsofParser, fuserParser, systemctlParser, systemdCglsParser, dfParser, cniParser, ipParser, procParser, lsParser,
		dateParser, versionsParser, hostnameParser, commandErrorParser,
	) {
		tools[p.Name] = true
	}
	return slices.DeleteFunc(All(), func(p Parser) bool { return !tools[p.Name] })
}

// nodeEvidence finds what lies beside the repository.
func nodeEvidence(t testing.TB, part string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "shared", part)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no %s beside the repository", part)
	}
	return dir
}

// nodeClaim names the first of the node's readers that takes the file.
func nodeClaim(f *File, tested ...Parser) string {
	for _, p := range nodeTools(tested...) {
		if p.Sniff(f) {
			return p.Name
		}
	}
	return ""
}

// readNode reads a text as the output of a command on a node.
func readNode(t testing.TB, p Parser, command, text string) *timeline.Builder {
	t.Helper()
	return readNodeFile(t, p, &File{Path: "file-1", Command: command, Text: text, FirstLine: 1})
}

func readNodeFile(t testing.TB, p Parser, f *File) *timeline.Builder {
	t.Helper()
	if claim := nodeClaim(f, p); claim != p.Name {
		t.Errorf("%q of %q is taken by %q, want %q: is it in parsers.All, and before those that could take it?", prefix(f.Text, 60), f.Command, claim, p.Name)
	}
	b := timeline.NewBuilder(f.Path)
	b.Input.Node = f.Node
	if err := p.Parse(f, b); err != nil {
		t.Errorf("%s: %v", p.Name, err)
	}
	checkPlaces(t, f, b)
	return b
}

// nodeFacts are all facts of a builder with their places.
func nodeFacts(b *timeline.Builder) []timeline.Fact {
	var facts []timeline.Fact
	for _, x := range b.Containers {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Sandboxes {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Mounts {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Processes {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Holders {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Units {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Filesystems {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Paths {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Reservations {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Versions {
		facts = append(facts, x.Fact)
	}
	for _, x := range b.Listings {
		facts = append(facts, timeline.Fact{Source: x.Source, Text: x.Text})
	}
	for _, x := range b.Events {
		facts = append(facts, timeline.Fact{Source: x.Source, Text: x.Text})
	}
	return facts
}

// checkPlaces proves that every fact stands where it says: in that line of the
// file, which begins at that offset.
func checkPlaces(t testing.TB, f *File, b *timeline.Builder) {
	t.Helper()
	if f.blank() {
		return // the place is the command's, outside of this text
	}
	lines := strings.Split(f.Text, "\n")
	for _, fact := range nodeFacts(b) {
		n := fact.Source.Line - max(f.FirstLine, 1)
		if n < 0 || n >= len(lines) {
			t.Fatalf("line %d of a text of %d lines: %q", fact.Source.Line, len(lines), fact.Text)
		}
		// Evidence of several lines stands in the first of them and in others,
		// in that order, down to the last.
		last := max(fact.Source.LastLine-max(f.FirstLine, 1), n)
		for at, want := n, strings.Split(fact.Text, "\n"); len(want) > 0; at++ {
			if at > last || at >= len(lines) {
				t.Fatalf("lines %d to %d do not hold %q of %q", fact.Source.Line, fact.Source.LastLine, want[0], fact.Text)
			}
			if strings.Contains(lines[at], want[0]) || !utf8.ValidString(lines[at]) {
				want = want[1:]
			} else if at == n {
				t.Fatalf("line %d is %q, not %q", fact.Source.Line, lines[n], fact.Text)
			}
		}
		if at := fact.Source.Offset - f.Offset; at < 0 || at > int64(len(f.Text)) || !strings.HasPrefix(f.Text[at:], lines[n]) {
			t.Fatalf("line %d does not begin at offset %d", fact.Source.Line, fact.Source.Offset)
		}
	}
	for _, g := range b.Input.Gaps {
		if n := g.Source.Line - max(f.FirstLine, 1); n < 0 || n >= len(lines) {
			t.Fatalf("a gap at line %d of a text of %d lines", g.Source.Line, len(lines))
		}
	}
}

// labClaims are the readers of the files that one collector leaves of a node.
// "" are files of other readers, or of none.
var labClaims = map[string]string{
	"cgroup-kubepods.txt": "proc", "cni-conf.txt": "cni", "cni-networks.txt": "cni", "containerd-config.toml": "",
	"crictl-images.json": "", "crictl-info.json": "crictl-json", "crictl-pods.json": "crictl-json", "crictl-pods.txt": "crictl-table",
	"crictl-ps-a.json": "crictl-json", "crictl-ps-a.txt": "crictl-table", "crictl-stats.json": "", "crictl-version.txt": "versions",
	"ctr-tasks.txt": "crictl-table", "date.txt": "date", "df-h.txt": "df", "df-i.txt": "df", "find-kubelet-pods.txt": "ls",
	"free.txt": "", "fuser-vm.txt": "fuser", "holder-proc.txt": "proc", "hostname.txt": "hostname", "ip-addr.txt": "ip", "ip-route.txt": "",
	"journal-disk-usage.txt": "", "kubelet-config.yaml": "", "lsof-volume.txt": "lsof", "machine-id.txt": "", "proc-mounts.txt": "mounts",
	"proc-self-mountinfo.txt": "mountinfo", "ps-auxf.txt": "ps", "ps-threads-D.txt": "ps", "ps-wchan.txt": "ps",
	"systemctl-show-kubelet.txt": "systemctl", "systemctl-status.txt": "systemctl", "systemctl-units.txt": "systemctl",
	"uname.txt": "hostname", "uptime.txt": "", "var-lib-kubelet-pods.txt": "ls", "versions.txt": "versions", "dmesg.txt": "", "dmesg-raw.txt": "",
}

func TestNodeToolsClaimLabFiles(t *testing.T) {
	lab := nodeEvidence(t, "lab")
	seen := make(map[string]int)
	err := filepath.WalkDir(lab, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "truth.json" || d.Name() == "expect.json" || strings.HasSuffix(p, ".xz") {
			return err
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		// The content decides: the file might have any name.
		f := &File{Path: p, Text: string(raw), FirstLine: 1}
		claim := nodeClaim(f)
		name := filepath.Base(p)
		want := ""
		switch dir := filepath.Base(filepath.Dir(p)); {
		case dir == "crictl-inspect" || dir == "crictl-inspectp":
			want = "crictl-json"
		case dir == "node" && strings.HasSuffix(name, ".stderr.txt"):
			want = "command-error"
		case dir == "node" && name == "ip-netns.txt":
			if want = "ls"; strings.HasPrefix(f.Text, "cni-") {
				want = "ip"
			}
		case dir == "node" && strings.TrimSpace(f.Text) != "":
			want = labClaims[name]
		}
		if claim != want {
			t.Errorf("%s is taken by %q, want %q", p, claim, want)
		}
		if claim == "" {
			return nil
		}
		seen[claim]++
		renamed := &File{Path: "file-1", Text: f.Text, FirstLine: 1}
		if again := nodeClaim(renamed); again != claim && name != "ip-netns.txt" {
			t.Errorf("%s without its name is taken by %q, want %q", p, again, claim)
		}
		for _, parser := range nodeTools() {
			if parser.Name != claim {
				continue
			}
			b := timeline.NewBuilder(p)
			if err := parser.Parse(f, b); err != nil {
				t.Errorf("%s: %v", p, err)
			}
			checkPlaces(t, f, b)
			for _, g := range b.Input.Gaps {
				if g.Kind != timeline.GapCommandFailed {
					t.Errorf("%s: %s: %s", p, g.Kind, g.Detail)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range nodeTools() {
		if seen[p.Name] == 0 && !slices.Contains([]string{"docker-table", "docker-json", "aws-ipam", "systemd-cgls", "sockets"}, p.Name) {
			t.Errorf("no file of the lab was taken by %s", p.Name)
		}
	}
}

// fixtureClaims are the readers of other projects' fixtures, by file name.
var fixtureClaims = map[string]string{
	"date.out": "date", "date2.out": "date", "date-before-midnight.out": "date", "date-after-midnight.out": "date",
	"timedatectl.out": "date", "timedatectl-rtc-local.out": "date",
	"df.out": "df", "df-h.out": "df", "df-long-filesystem.out": "df", "lsof.out": "lsof", "lsof-sudo.out": "lsof",
	"mount.out": "mounts", "mount-spaces-in-mountpoint.out": "mounts", "mount-spaces-in-filename.out": "mounts",
	"ps-axu.out": "ps", "ps-ef.out": "ps", "systemctl.out": "systemctl",
	"pid_mountinfo": "mountinfo", "pid_stat": "proc", "pid_stat_hack": "proc", "pid_status": "proc",
}

func TestNodeToolsClaimFixturesOfOthers(t *testing.T) {
	dir := nodeEvidence(t, filepath.Join("realdata", "kellyjonbrazil+jc", "tests"))
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		f := &File{Path: "file-1", Text: string(raw), FirstLine: 1}
		claim := nodeClaim(f)
		if want := fixtureClaims[d.Name()]; claim != want {
			t.Errorf("%s is taken by %q, want %q", p, claim, want)
		}
		for _, parser := range nodeTools() {
			if parser.Name == claim {
				readNodeFile(t, parser, f)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Logs, manifests and kubectl's tables belong to other readers.
func TestNodeToolsLeaveOthersAlone(t *testing.T) {
	for _, part := range []string{
		"realdata/tstack+lnav", "realdata/kubecolor+kubecolor", "realdata/derailed+popeye", "realdata/derailed+k9s",
		"realdata/argoproj+gitops-engine", "realdata/log2timeline+plaso", "realdata/fluent+fluent-bit", "realdata/GoogleCloudPlatform+khi",
	} {
		dir := filepath.Join("..", "..", "shared", filepath.FromSlash(part))
		if _, err := os.Stat(dir); err != nil {
			t.Logf("no %s beside the repository", part)
			continue
		}
		claims := make(map[string]string)
		_ = filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			if claim := nodeClaim(&File{Path: "file-1", Text: string(raw), FirstLine: 1}); claim != "" && d.Name() != "logfile_procstate.0" && // that one is a ps
				!(claim == dockerJSONParser.Name && strings.HasPrefix(d.Name(), "config.")) {
				claims[p] = claim
			}
			return nil
		})
		for _, p := range slices.Sorted(maps.Keys(claims)) {
			t.Errorf("%s is taken by %s", p, claims[p])
		}
	}
}

func TestNodeToolsAreDistinctAndDocumented(t *testing.T) {
	seen := make(map[string]bool)
	for _, p := range nodeTools() {
		if p.Name == "" || p.Doc == "" || p.Sniff == nil || p.Parse == nil || seen[p.Name] {
			t.Errorf("%q is incomplete or there twice", p.Name)
		}
		seen[p.Name] = true
	}
}
