package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// transcriptParser reads what a person copied from a terminal: the commands. What
// they printed is in other formats; transcriptBlocks hands it out.
var transcriptParser = Parser{
	Name:  "transcript",
	Doc:   "Terminal transcripts: shell prompts with commands, each followed by what it printed, and notes between them.",
	Sniff: sniffTranscript,
	Parse: parseTranscript,

	Blocks: transcriptBlocks,
}

// commandOutputParser keeps the lines that a command printed and no other parser
// understands. It is for blocks of a transcript alone.
var commandOutputParser = Parser{
	Name:  "command-output",
	Doc:   "The output of a command in a terminal transcript that has no format of its own, line by line.",
	Sniff: func(*File) bool { return false }, // never by content
	Parse: parseCommandOutput,
}

// prompt is a shell's prompt with what was typed after it.
type prompt struct {
	command string
	host    string // that the prompt shows
	dir     string // that the prompt shows: whole ("/var/log", "~"), or its last part alone
	sign    byte   // '$', '#', '%' or '>'
	named   bool   // more than the bare sign: nothing else looks like it
}

// parsePrompt takes a line apart: "$ cmd", "# cmd", "[root@host ~]# cmd",
// "user@host:~$ cmd", "host:~ # cmd", "sh-4.4# cmd", "/ # cmd", and the
// prompts of zsh, fish and PowerShell.
func parsePrompt(text string) (prompt, bool) {
	if p, ok := otherShellPrompt(text); ok {
		return p, true
	}
	if text == "$" || text == "#" {
		return prompt{sign: text[0]}, true
	}
	if strings.HasPrefix(text, "$ ") || strings.HasPrefix(text, "# ") {
		return prompt{command: strings.TrimSpace(text[2:]), sign: text[0]}, true
	}
	const longest = 160 // of a prompt
	head := text
	if len(head) > longest {
		head = head[:longest]
	}
	if rest, ok := strings.CutPrefix(head, "["); ok {
		inside, after, ok := strings.Cut(rest, "]")
		if !ok || after == "" || after[0] != '#' && after[0] != '$' || len(after) > 1 && after[1] != ' ' {
			return prompt{}, false
		}
		user, place, ok := strings.Cut(inside, "@")
		if !ok || !isLogin(user) {
			return prompt{}, false
		}
		host, dir, _ := strings.Cut(place, " ")
		if !isHost(host) {
			return prompt{}, false
		}
		typed := text[1+len(inside)+2:]
		return prompt{command: strings.TrimSpace(typed), host: host, dir: dir, sign: after[0], named: true}, true
	}
	at := strings.IndexAny(head, "#$")
	if at <= 0 || at+1 < len(text) && text[at+1] != ' ' {
		return prompt{}, false
	}
	p := prompt{command: strings.TrimSpace(text[at+1:]), sign: text[at], named: true}
	before := strings.TrimRight(head[:at], " ")
	if user, place, ok := strings.Cut(before, "@"); ok {
		host := place
		if i := strings.IndexAny(place, ": "); i >= 0 {
			host = place[:i]
			p.dir = strings.TrimLeft(place[i+1:], " ")
			if strings.Contains(p.dir, " ") {
				return prompt{}, false
			}
		}
		p.host = host
		return p, isLogin(user) && isHost(host)
	}
	if host, dir, ok := strings.Cut(before, ":"); ok && isHost(host) && isDirectory(dir) {
		p.host, p.dir = host, dir
		return p, true
	}
	shell, version, ok := strings.Cut(before, "-")
	if ok && (shell == "sh" || shell == "bash") && strings.Trim(version, "0123456789.") == "" {
		return p, true
	}
	p.dir = before
	return p, isDirectory(before) && head[at-1] == ' '
}

func isLogin(s string) bool {
	return s != "" && len(s) <= 32 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == ""
}

func isHost(s string) bool {
	return s != "" && len(s) <= 253 && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.") == ""
}

func isDirectory(s string) bool {
	return (strings.HasPrefix(s, "~") || strings.HasPrefix(s, "/")) && !strings.ContainsAny(s, " \t")
}

// isCommand says whether what was typed is surely a command. After a bare "#"
// that takes more, for a comment or a heading looks the same.
func (p prompt) isCommand() bool {
	if p.command == "" {
		return true
	}
	words := strings.Fields(p.command)
	calls := invocations(p.command)
	if p.named {
		return true
	}
	first := words[0]
	if p.sign == '$' {
		c := first[0]
		return c == '/' || c == '.' || c == '(' || c >= 'a' && c <= 'z' || isAssignment(first)
	}
	known := false
	for _, call := range calls {
		known = known || isTool(call[0])
		break
	}
	shaped := strings.Contains(p.command, " -") || strings.Contains(p.command, "/") || strings.Contains(p.command, "|")
	if !known {
		return shaped && (first[0] >= 'a' && first[0] <= 'z' || first[0] == '/') && isLogin(strings.TrimLeft(first, "./")) &&
			strings.HasPrefix(strings.TrimSpace(strings.TrimPrefix(p.command, first)), "-")
	}
	return shaped || len(words) == 1 || !isProse(words[1])
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && isLogin(name)
}

// isProse: after a word that is also English, these say that a sentence goes on.
func isProse(word string) bool {
	switch strings.ToLower(strings.Trim(word, ",.:;")) {
	case "the", "a", "an", "all", "that", "this", "which", "of", "on", "in", "it", "is", "was", "for", "from",
		"to", "and", "or", "at", "by", "with", "out", "what", "who", "why", "where", "how", "still", "says",
		"shows", "options", "config", "settings", "output", "section", "list", "point", "points", "table":
		return true
	}
	return false
}

// isTool knows the programs that people run on a node or against a cluster.
func isTool(name string) bool {
	switch name {
	case "kubectl", "oc", "crictl", "ctr", "nerdctl", "docker", "podman", "runc", "crun", "crio", "containerd", "kubelet",
		"k3s", "rke2", "microk8s", "talosctl", "kubeadm", "etcdctl", "helm", "calicoctl", "cilium", "virtctl", "longhornctl",
		"ps", "pgrep", "pstree", "top", "kill", "strace", "gdb", "lsof", "fuser", "stat", "ls", "find", "cat", "head", "tail",
		"less", "grep", "egrep", "zgrep", "awk", "sed", "cut", "sort", "wc", "xargs", "jq", "yq", "echo", "date", "hostname",
		"hostnamectl", "timedatectl", "uname", "uptime", "who", "w", "id", "whoami", "df", "du", "lsblk", "blkid", "findmnt",
		"mount", "umount", "mountpoint", "dmesg", "journalctl", "systemctl", "service", "loginctl", "systemd-cgls", "ip",
		"ss", "netstat", "ping", "nc", "curl", "wget", "dig", "nslookup", "iptables", "nft", "conntrack", "bridge",
		"rpm", "dpkg", "apt", "yum", "dnf", "free", "vmstat", "iostat", "sar", "mpstat", "sysctl", "lsmod", "modprobe",
		"nsenter", "unshare", "lsns", "chroot", "ssh", "sudo", "su", "timeout", "watch", "time", "for", "while", "if",
		"cd", "pwd", "readlink", "realpath", "file", "md5sum", "sha256sum", "openssl", "chronyc", "ntpq", "multipath",
		"multipathd", "iscsiadm", "rbd", "ceph", "gluster", "showmount", "rpcinfo", "nfsstat", "nfsiostat", "dmsetup",
		"lvs", "vgs", "pvs", "smartctl", "nvme", "lsscsi", "bpftool", "perf", "sosreport", "sos", "rm", "rmdir", "touch",
		"cp", "mv", "chmod", "exit", "exec", "export", "clear", "history", "gcloud", "aws", "az":
		return true
	}
	return false
}

// sniffTranscript wants one prompt that nothing else would write; where all
// are bare "#", at least as many commands as comments.
func sniffTranscript(f *File) bool {
	head := f.head()
	if strings.HasPrefix(head, "#!") {
		return false // a script
	}
	commands, comments := 0, 0
	sure := false
	for l := range (&File{Text: head}).lines() {
		p, ok := parsePrompt(l.text)
		switch {
		case !ok:
			if strings.HasPrefix(l.text, "#") {
				comments++
			}
		case !p.isCommand():
			comments++
		case p.command != "":
			commands++
			calls := invocations(p.command)
			sure = sure || p.named || p.sign == '$' && len(calls) > 0 && isTool(calls[0][0])
		}
	}
	if !sure && (&File{Text: head}).looksConfigured() {
		return false
	}
	return commands > 0 && (sure || commands >= comments)
}

// looksConfigured: "# mount ..." in a manifest or a settings file is a comment.
func (f *File) looksConfigured() bool {
	return sniffKubernetesYAML(f)
}

// transcriptLine is a line of a transcript with what it turned out to be.
type transcriptLine struct {
	line
	prompt  prompt
	command bool
	note    bool
}

// What a person types has its limits; past them, a line is output.
const (
	longestCommand = 4 << 10
	mostCommands   = 20_000
)

// readTranscript classifies the lines of f: commands, notes, and output.
func readTranscript(f *File) []transcriptLine {
	var lines []transcriptLine
	continued, command, commands := false, 0, 0
	var marks sessionMarks
	for l := range f.lines() {
		t := transcriptLine{line: l}
		if marks.mark(l.text) {
			t.note, continued = true, false
			lines = append(lines, t)
			continue
		}
		if continued {
			// the rest of a command that went on over the line's end
			typed := strings.TrimSpace(strings.TrimPrefix(l.text, ">"))
			p := &lines[command].prompt
			p.command = strings.TrimSpace(strings.TrimSuffix(p.command, `\`)) + " " + typed
			t.note = true
			continued = strings.HasSuffix(typed, `\`) && len(p.command) < longestCommand
			lines = append(lines, t)
			continue
		}
		p, ok := prompt{}, false
		if commands < mostCommands {
			p, ok = parsePrompt(l.text)
		}
		switch {
		case ok && p.isCommand():
			commands++
			t.prompt, t.command = p, true
			command = len(lines)
			continued = strings.HasSuffix(p.command, `\`)
		case ok:
			t.note = true
		}
		lines = append(lines, t)
	}
	return lines
}

func parseTranscript(f *File, b *timeline.Builder) error {
	for _, l := range readTranscript(f) {
		if l.prompt.host != "" {
			b.Host(l.prompt.host)
		}
		switch {
		case l.command && l.prompt.command != "":
			commandEvent(&File{Node: l.prompt.host}, b, l.line, timeline.LevelUnknown, "$ "+l.prompt.command)
		case l.note && strings.TrimSpace(l.text) != "":
			commandEvent(&File{}, b, l.line, timeline.LevelUnknown, strings.TrimSpace(l.text))
		}
	}
	return nil
}

// transcriptBlocks cuts a transcript into what each command printed, each as a file that
// other parsers may read. Commands that printed nothing have a block too, for
// under a filter that is an answer. What stands before the first prompt, or
// after a person's note, is a block without a command.
func transcriptBlocks(f *File) []File {
	var blocks []File
	base := f.Offset
	node, at := f.Node, f.CapturedAt
	began := sessionStart(f.Text[:lineLength(f.Text)])
	var here workingDir
	asked := node // where the block's command was typed
	block := File{Path: f.Path, FirstLine: max(f.FirstLine, 1), Offset: base, Node: node, CapturedAt: at}
	// run follows a command to the machine and the folder where it runs.
	run := func(command string) {
		block.Command, block.Node = command, asked
		if dir, rest, ok := changesDir(command); ok {
			here.change(dir)
			command = rest
		}
		block.Dir = here.dir
		switch other, stays := nodeAsked(command); {
		case other != "":
			block.Node, block.Dir = other, ""
			if stays {
				node = other
			}
		case command == "exit" || command == "logout":
			node = f.Node
		case parseKubectl(command).verb != "":
			block.Node = "" // the cluster answered, wherever it was asked
		}
	}
	finish := func(offset int64) {
		block.Text = f.Text[block.Offset-base : offset-base]
		for { // of "date; cmd" the first line is date's
			first, rest, several := firstOfSeveral(block.Command)
			head := block
			head.Command, head.Node, head.Text = first, asked, block.Text[:lineLength(block.Text)]
			moment, dated := dateOf(&head)
			if !several || !dated {
				break
			}
			at, head.CapturedAt = moment, moment
			blocks = append(blocks, head)
			block.Text = block.Text[len(head.Text):]
			block.Offset += int64(len(head.Text))
			block.FirstLine++
			block.CapturedAt = at
			run(rest)
		}
		if moment, ok := dateOf(&block); ok {
			at, block.CapturedAt = moment, moment
		}
		if block.CapturedAt.IsZero() && !printsFile(block.Command) {
			block.CapturedAt = began
		}
		if block.Command != "" || !block.blank() {
			blocks = append(blocks, block)
		}
	}
	for _, l := range readTranscript(f) {
		if !l.command && !l.note {
			continue
		}
		after := l.offset + int64(len(l.text))
		after += int64(lineLength(f.Text[after-base:])) // the line's end
		if l.note && block.Command != "" && block.Offset == l.offset && l.prompt.sign == 0 {
			block.FirstLine, block.Offset = l.number+1, after // the command's own next line
			continue
		}
		finish(l.offset)
		if l.note {
			if name := nodeOfNote(l.text); name != "" {
				node = name
			}
		}
		asked = node
		if l.prompt.host != "" {
			asked = l.prompt.host
		}
		here.shown(asked, l.prompt.dir)
		block = File{Path: f.Path, FirstLine: l.number + 1, Offset: after, Node: asked, CapturedAt: at}
		if l.command && l.prompt.command != "" {
			run(l.prompt.command)
		}
	}
	finish(base + int64(len(f.Text)))
	return blocks
}

// dateOf is the moment that a block of date printed.
func dateOf(f *File) (time.Time, bool) {
	calls := invocations(f.Command)
	if len(calls) != 1 || calls[0][0] != "date" {
		return time.Time{}, false
	}
	b := timeline.NewBuilder(f.Path)
	if err := parseDate(f, b); err != nil || b.Input.CapturedAt.IsZero() {
		return time.Time{}, false
	}
	return b.Input.CapturedAt, true
}

// nodeAsked is the machine that a command runs on: ssh host, docker exec host,
// kubectl debug node/x. interactive: the commands after it do, too.
func nodeAsked(command string) (node string, interactive bool) {
	words := strings.Fields(command)
	if len(words) > 0 && words[0] == "sudo" {
		words = words[1:]
	}
	if len(words) < 2 {
		return "", false
	}
	if words[0] == "ssh" {
		for i := 1; i < len(words); i++ {
			if w := words[i]; !strings.HasPrefix(w, "-") {
				if _, host, ok := strings.Cut(w, "@"); ok {
					w = host
				}
				if !isHost(w) {
					return "", false
				}
				return w, i == len(words)-1
			}
			if strings.ContainsAny(words[i], "ilpFoJ") && len(words[i]) == 2 {
				i++
			}
		}
		return "", false
	}
	if node, inside := execOnNode(words); node != "" {
		return node, len(inside) == 1 && isShell(inside[0])
	}
	if isKubectl(words[0]) && words[1] == "debug" {
		for _, w := range words[2:] {
			for _, resource := range []string{"node/", "no/", "nodes/"} {
				if name, ok := strings.CutPrefix(w, resource); ok && isHost(name) {
					return name, !strings.Contains(command, " -- ") || strings.HasSuffix(command, " bash") || strings.HasSuffix(command, " sh") || strings.HasSuffix(command, " /host")
				}
			}
		}
	}
	return "", false
}

// nodeOfNote reads "# on n3, 4 minutes later": the machine a person moved to.
func nodeOfNote(text string) string {
	words := strings.Fields(strings.TrimLeft(text, "# "))
	if len(words) > 1 && strings.EqualFold(words[0], "on") {
		words = words[1:]
		if strings.EqualFold(words[0], "node") && len(words) > 1 {
			words = words[1:]
		}
		name := strings.TrimRight(words[0], ",:;.")
		if isHost(name) && strings.ContainsAny(name, "0123456789-.") {
			return name
		}
	}
	return ""
}

// mostOutputLines bounds the lines kept of a command that nobody understands.
const mostOutputLines = 2000

func parseCommandOutput(f *File, b *timeline.Builder) error {
	if f.blank() {
		noOutput(f, b)
		return nil
	}
	kept := 0
	for l := range f.lines() {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		if kept++; kept > mostOutputLines {
			b.Gap(timeline.GapNotUnderstood, l.number, "only the first lines of this output were kept")
			break
		}
		l.text = prefix(l.text, 4*maxMessage)
		if absent, ok := notFound(f, b, l); ok {
			b.Absents = append(b.Absents, absent)
		}
		commandEvent(f, b, l, timeline.LevelUnknown, strings.TrimSpace(l.text))
	}
	return nil
}

// notFound reads kubectl's word that an object is not there:
// Error from server (NotFound): pods "web-0" not found.
func notFound(f *File, b *timeline.Builder, l line) (timeline.Absent, bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(l.text), "Error from server (NotFound): ")
	if !ok {
		return timeline.Absent{}, false
	}
	resource, quoted, ok := strings.Cut(rest, " \"")
	name, tail, closed := strings.Cut(quoted, "\"")
	if !ok || !closed || strings.TrimSpace(tail) != "not found" {
		return timeline.Absent{}, false
	}
	return timeline.Absent{
		Ref:    timeline.Ref{Kind: kindOfResource(resource), Namespace: commandOf(f).namespace, Name: name},
		AsOf:   f.CapturedAt,
		Source: b.Src(l.number, l.offset),
		Text:   l.text,
	}, true
}
