package parsers

import (
	"path"
	"strings"
)

// kubectlCommand is what a kubectl (or oc) command line asked for.
type kubectlCommand struct {
	verb          string   // "get", "describe"; "" when the command is another
	kinds         []string // of the resources named, where known
	names         []string
	namespace     string
	allNamespaces bool
	// selective: a selector, a name or a filter behind a pipe left something
	// out, so that what is not shown may still exist.
	selective bool
	// guessed: the name of a file tells, not the command itself: it would not
	// tell of a selector.
	guessed bool
}

// parseKubectl reads a command line. It understands no shell beyond quotes and
// pipes.
func parseKubectl(command string) kubectlCommand {
	words, piped := shellWords(command)
	c := kubectlCommand{selective: piped}
	for len(words) > 0 && !isKubectl(words[0]) {
		words = words[1:] // sudo, timeout 60, KUBECONFIG=...
	}
	if len(words) == 0 {
		return kubectlCommand{}
	}
	var args []string
	for i := 1; i < len(words); i++ {
		flag, value, inline := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			args = append(args, words[i])
			continue
		}
		take := func() string {
			if !inline && i+1 < len(words) {
				i++
				return words[i]
			}
			return value
		}
		switch flag {
		case "-n", "--namespace":
			c.namespace = take()
		case "-A", "--all-namespaces":
			c.allNamespaces = value != "false"
		case "-l", "--selector", "--field-selector":
			c.selective = true
			take()
		case "-o", "--output", "--sort-by", "--context", "--kubeconfig", "--cluster", "--user",
			"-s", "--server", "--request-timeout", "--grace-period", "-L", "--label-columns",
			"-p", "--patch", "--type", "-f", "--filename", "-v", "--timeout", "--chunk-size",
			"-c", "--container", "--token", "--as":
			take()
		default:
			if strings.HasPrefix(flag, "-l") { // -lapp=cart
				c.selective = true
			}
			if rest, ok := strings.CutPrefix(flag, "-n"); ok && rest != "" && !strings.HasPrefix(flag, "--") {
				c.namespace = rest
			}
		}
	}
	if len(args) == 0 {
		return c
	}
	c.verb, args = args[0], args[1:]
	for i, arg := range args {
		if resource, name, ok := strings.Cut(arg, "/"); ok {
			c.kinds = append(c.kinds, kindOfResource(resource))
			c.names = append(c.names, name)
			continue
		}
		if i > 0 {
			c.names = append(c.names, arg)
			continue
		}
		for resource := range strings.SplitSeq(arg, ",") {
			c.kinds = append(c.kinds, kindOfResource(resource))
		}
	}
	return c
}

func isKubectl(word string) bool {
	switch strings.TrimSuffix(strings.TrimPrefix(path.Base(word), `.\`), ".exe") {
	case "kubectl", "oc", "k", "kubecolor":
		return true
	}
	return false
}

// shellWords splits the first command of a line at blanks outside quotes and
// says whether its output went through a pipe.
func shellWords(command string) (words []string, piped bool) {
	var word strings.Builder
	inWord := false
	var quote byte
	flush := func() {
		if inWord {
			words = append(words, word.String())
		}
		word.Reset()
		inWord = false
	}
	for i := range len(command) {
		c := command[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			} else {
				word.WriteByte(c)
			}
		case c == '\'' || c == '"':
			quote, inWord = c, true
		case c == ' ' || c == '\t':
			flush()
		case c == '|':
			flush()
			return words, true
		case c == ';':
			flush()
			return words, false
		default:
			word.WriteByte(c)
			inWord = true
		}
	}
	flush()
	return words, false
}

// commandOf is the kubectl command behind a file: the one that is told, or
// else what its path says of it.
func commandOf(f *File) kubectlCommand {
	if c := parseKubectl(f.Command); c.verb != "" {
		return c
	}
	return commandFromPath(f.Path)
}

// commandFromPath reads kind and namespace from the names that collectors
// give: "shop-prod/pods.json", "cluster-resources/pods/shop-prod.json",
// "kubectl_get_-o_json_--namespace_shop_pods", "get-pods-wide.txt".
func commandFromPath(name string) kubectlCommand {
	if _, member, ok := cutLast(name, "!"); ok {
		name = member
	}
	dir, base := path.Split(name)
	dir = strings.TrimSuffix(dir, "/")
	if i := strings.Index(base, "kubectl_"); i >= 0 {
		c := parseKubectl("kubectl " + strings.ReplaceAll(base[i+len("kubectl_"):], "_", " "))
		for _, n := range c.names { // sos puts the resource last
			if kind := kindOfResource(n); kind != "" && len(c.kinds) == 0 {
				c.kinds = append(c.kinds, kind)
			}
		}
		return c
	}
	base = strings.TrimSuffix(base, path.Ext(base))
	c := kubectlCommand{verb: "get", guessed: true}
	if kind := kindOfResource(base); kind != "" {
		c.kinds = []string{kind}
		c.namespace = namespaceOfDir(dir)
		return c
	}
	if kind := kindOfResource(path.Base(dir)); kind != "" {
		// a file below a folder of its kind: one namespace, or one object
		c.kinds = []string{kind}
		if !clusterScoped(kind) && path.Base(path.Dir(dir)) == "cluster-resources" {
			c.namespace = base
		} else {
			c.selective = true
		}
		return c
	}
	for word := range strings.FieldsFuncSeq(base, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		if kind := kindOfResource(word); kind != "" {
			c.kinds = []string{kind}
			return c
		}
	}
	return kubectlCommand{}
}

// namespaceOfDir is the namespace of must-gather's "namespaces/<ns>/core" and
// of support-bundle-kit's "namespaced/<ns>/v1".
func namespaceOfDir(dir string) string {
	parts := strings.Split(dir, "/")
	for i, part := range parts {
		if (part == "namespaces" || part == "namespaced") && i+1 < len(parts) {
			return parts[i+1]
		}
	}
	return ""
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
