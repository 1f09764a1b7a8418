package parsers

import (
	"path"
	"strings"
)

// invocation is one simple command of a shell line: the program's bare name
// and its arguments.
type invocation []string

// invocations takes a shell line apart into its simple commands. It follows
// quotes, pipes and separators and looks behind sudo and its like; it is no
// shell, and what it cannot follow it leaves as words.
func invocations(command string) []invocation {
	var (
		all     []invocation
		words   invocation
		word    strings.Builder
		inWord  bool
		quote   byte
		endWord = func() {
			if inWord {
				words = append(words, word.String())
			}
			word.Reset()
			inWord = false
		}
		endCommand = func() {
			endWord()
			if bare := withoutWrapper(words); len(bare) > 0 {
				bare[0] = path.Base(bare[0])
				all = append(all, bare)
			}
			words = nil
		}
	)
	for i := range len(command) {
		c := command[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
				continue
			}
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == '|' || c == ';' || c == '\n' || c == '(' || c == ')':
			endCommand()
		case c == '&' && !strings.HasSuffix(word.String(), ">"):
			endCommand()
		case c == ' ' || c == '\t':
			endWord()
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	endCommand()
	return all
}

// withoutWrapper drops what stands before the program itself.
func withoutWrapper(words invocation) invocation {
	for len(words) > 0 {
		switch w := path.Base(words[0]); {
		case w == "timeout":
			words = afterOptions(words[1:])
			if len(words) > 0 {
				words = words[1:] // the duration
			}
		case w == "chroot":
			words = afterOptions(words[1:])
			if len(words) > 0 {
				words = words[1:] // the new root
			}
		case w == "nsenter":
			words = afterOptions(words[1:])
			for len(words) > 0 && isPID(words[0]) { // of -t
				words = afterOptions(words[1:])
			}
		case w == "sudo" || w == "do" || w == "then" || w == "time" || w == "nice" || w == "env" || w == "watch" || w == "{" || w == "!":
			words = afterOptions(words[1:])
		case w == "docker" || w == "podman" || w == "nerdctl":
			node, inside := execOnNode(words)
			if node == "" || !isNodeTool(inside[0]) {
				return words
			}
			words = inside
		case len(words) > 1 && carriesTools(w) && isCarried(words[1]):
			words = afterOptions(words[1:])
		case strings.Contains(w, "=") && !strings.HasPrefix(w, "-"):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

func isPID(word string) bool {
	_, ok := decimal(word)
	return ok
}

// carriesTools knows the programs that have others' tools as subcommands:
// "k3s kubectl get pods", "minikube kubectl -- get pods".
func carriesTools(name string) bool {
	switch name {
	case "k3s", "k0s", "microk8s", "minikube", "rke2":
		return true
	}
	return false
}

func isCarried(name string) bool {
	switch name {
	case "kubectl", "crictl", "ctr":
		return true
	}
	return false
}

// afterOptions drops leading options, and a "--" that ends them.
func afterOptions(words invocation) invocation {
	for len(words) > 0 && strings.HasPrefix(words[0], "-") {
		end := words[0] == "--"
		words = words[1:]
		if end {
			break
		}
	}
	return words
}

// has says whether the words follow the program name in this order.
func (v invocation) has(words ...string) bool {
	rest := v[1:]
	for _, w := range words {
		at := -1
		for i, r := range rest {
			if r == w {
				at = i
				break
			}
		}
		if at < 0 {
			return false
		}
		rest = rest[at+1:]
	}
	return true
}

// option says whether an option was given, as a letter in a cluster ("-la") or
// by its long name.
func (v invocation) option(letter byte, long string) bool {
	for _, w := range v[1:] {
		if strings.HasPrefix(w, "--") {
			if name, _, _ := strings.Cut(w[2:], "="); name == long {
				return true
			}
			continue
		}
		if len(w) > 1 && w[0] == '-' && strings.IndexByte(w[1:], letter) >= 0 {
			return true
		}
	}
	return false
}

// operands are the arguments that are no options.
func (v invocation) operands() []string {
	var words []string
	for _, w := range v[1:] {
		if !strings.HasPrefix(w, "-") && !strings.ContainsAny(w, "<>") {
			words = append(words, w)
		}
	}
	return words
}

// invocation returns the part of the file's command that runs tool with these
// words among its arguments.
func (f *File) invocation(tool string, words ...string) (invocation, bool) {
	if !strings.Contains(f.Command, tool) {
		return nil, false
	}
	for _, v := range invocations(f.Command) {
		if v[0] == tool && v.has(words...) {
			return v, true
		}
	}
	return nil, false
}

// ran says whether the file's command runs tool with these words among its
// arguments, in this order.
func (f *File) ran(tool string, words ...string) bool {
	_, ok := f.invocation(tool, words...)
	return ok
}

// filtered says that the command's output went through another program, so
// that a row's absence tells nothing.
func (f *File) filtered() bool { return strings.Contains(f.Command, "|") }

// counted says that the command prints a number of lines instead of them.
func (f *File) counted() bool {
	v, ok := f.invocation("grep")
	return f.ran("wc") || ok && v.option('c', "count")
}

// grepped is the word that a grep in the command looked for.
func (f *File) grepped() string {
	v, ok := f.invocation("grep")
	if !ok {
		return ""
	}
	if words := v.operands(); len(words) > 0 {
		return words[0]
	}
	return ""
}

// procPID finds the PID in the first /proc/PID/ of a path or command; "self"
// and "*" are none.
func procPID(s string) (int, bool) {
	for {
		i := strings.Index(s, "proc/")
		if i < 0 {
			return 0, false
		}
		whole := i == 0 || s[i-1] == '/' || s[i-1] == '!'
		s = s[i+len("proc/"):]
		end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
		if end < 0 {
			end = len(s)
		}
		if pid, ok := decimal(s[:end]); ok && whole {
			return pid, true
		}
	}
}

// pid is the process that the file's command or path is about.
func (f *File) pid() int {
	if pid, ok := procPID(f.Command); ok {
		return pid
	}
	pid, _ := procPID(f.Path)
	return pid
}
