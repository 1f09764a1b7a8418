package parsers

import (
	"path"
	"strings"
)

// workingDir follows where the commands of a transcript run.
type workingDir struct {
	host string
	dir  string // "" if not told
}

// shown takes what the next prompt shows: a whole path, "~", or as bash writes
// it on some systems the last part alone.
func (w *workingDir) shown(host, dir string) {
	if host != w.host {
		w.host, w.dir = host, ""
	}
	switch {
	case dir == "":
	case strings.HasPrefix(dir, "/"):
		w.dir = path.Clean(dir)
	case path.Base(w.dir) != dir:
		w.dir = ""
	}
}

// change follows a cd.
func (w *workingDir) change(dir string) {
	switch {
	case strings.ContainsAny(dir, "$*?{`~") || dir == "" || dir == "-":
		w.dir = ""
	case strings.HasPrefix(dir, "/"):
		w.dir = path.Clean(dir)
	case w.dir != "":
		w.dir = path.Join(w.dir, dir)
	}
}

// changesDir reads "cd DIR" and what runs there after it: "cd DIR && ls".
func changesDir(command string) (dir, rest string, ok bool) {
	first, rest, _ := firstOfSeveral(command)
	words := strings.Fields(first)
	if len(words) == 0 || words[0] != "cd" || len(words) > 2 {
		return "", command, false
	}
	if len(words) == 2 {
		dir = strings.Trim(words[1], `"'`)
	}
	return dir, rest, true
}

// firstOfSeveral parts a line of several commands, "date; ls" or "cd x && ls",
// behind the first. A loop or a pipe is one command.
func firstOfSeveral(command string) (first, rest string, ok bool) {
	switch word, _ := nextWord(command); word {
	case "for", "while", "until", "if", "case", "{":
		return command, "", false
	}
	var quote byte
	for i := range len(command) {
		c := command[i]
		end := i + 1
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
			continue
		case c == '\'' || c == '"' || c == '`':
			quote = c
			continue
		case c == '(' || c == '|':
			return command, "", false
		case c == '&' && strings.HasPrefix(command[i:], "&&"):
			end = i + 2
		case c == ';':
		default:
			continue
		}
		first, rest = strings.TrimSpace(command[:i]), strings.TrimSpace(command[end:])
		if first == "" || rest == "" {
			return command, "", false
		}
		return first, rest, true
	}
	return command, "", false
}
