package parsers

import (
	"strings"
)

// otherShellPrompt takes apart the prompts of zsh ("user@host dir % cmd",
// "host% cmd", "➜  dir git:(main) ✗ cmd", "❯ cmd"), fish ("user@host ~> cmd"),
// PowerShell ("PS C:\> cmd") and Windows' command line ("C:\>cmd"). Their signs
// stand in many a log line, so that each must have its whole form; and where
// little more than the sign is there, what was typed must be a known program.
func otherShellPrompt(text string) (prompt, bool) {
	switch {
	case strings.HasPrefix(text, "➜ "):
		return arrowPrompt(text)
	case strings.HasPrefix(text, "❯"):
		typed, ok := typedAfter(text, len("❯"))
		return prompt{command: typed, sign: '>', named: true}, ok && (typed == "" || runsTool(typed))
	case strings.HasPrefix(text, "PS "), strings.HasPrefix(text, "[") && strings.Contains(prefix(text, longestPrompt), "]: PS "):
		return powerShellPrompt(text)
	case len(text) > 3 && text[1] == ':' && text[2] == '\\':
		return drivePrompt(text)
	}
	return percentPrompt(text)
}

// longestPrompt is how far into a line a prompt's sign may stand.
const longestPrompt = 160

// typedAfter is what follows a prompt's sign: nothing, or a blank and a command.
func typedAfter(text string, sign int) (string, bool) {
	rest := text[sign:]
	if rest != "" && rest[0] != ' ' {
		return "", false
	}
	return strings.TrimSpace(rest), true
}

// runsTool says whether a command begins with a program that people run here,
// and goes on as a command does.
func runsTool(command string) bool {
	calls := invocations(command)
	if len(calls) == 0 || !isTool(strings.TrimSuffix(calls[0][0], ".exe")) && !isKubectl(calls[0][0]) {
		return false
	}
	words := strings.Fields(command)
	return len(words) == 1 || !isProse(words[1])
}

// looksTyped says whether text begins as a command does.
func looksTyped(text string) bool {
	if text == "" {
		return true
	}
	c := text[0]
	return c >= 'a' && c <= 'z' || c == '/' || c == '.' || c == '(' || c == '_' || isAssignment(strings.Fields(text)[0])
}

// arrowPrompt reads "➜  dir cmd" and "➜  dir git:(main) ✗ cmd" (oh my zsh).
func arrowPrompt(text string) (prompt, bool) {
	dir, rest := nextWord(text[len("➜ "):])
	if dir == "" {
		return prompt{}, strings.TrimSpace(text) == "➜"
	}
	rest = strings.TrimSpace(rest)
	if git, ok := strings.CutPrefix(rest, "git:("); ok {
		_, after, closed := strings.Cut(git, ")")
		if !closed || after != "" && after[0] != ' ' {
			return prompt{}, false
		}
		typed := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(after), "✗"))
		return prompt{command: typed, dir: dir, sign: '>', named: true}, looksTyped(typed)
	}
	return prompt{command: rest, dir: dir, sign: '>', named: true}, rest != "" && runsTool(rest) || rest == "" && strings.HasPrefix(dir, "~")
}

// powerShellPrompt reads "PS C:\Users\me> cmd", "PS /srv/me> cmd", and that of
// a session on another machine, "[host]: PS C:\> cmd".
func powerShellPrompt(text string) (prompt, bool) {
	p := prompt{sign: '>', named: true}
	if rest, ok := strings.CutPrefix(text, "["); ok {
		p.host, text, _ = strings.Cut(rest, "]: ")
		if !isHost(p.host) {
			return prompt{}, false
		}
	}
	text = strings.TrimPrefix(text, "PS ")
	at := strings.IndexByte(prefix(text, longestPrompt), '>')
	if at <= 0 {
		return prompt{}, false
	}
	p.dir = text[:at]
	drive := len(p.dir) >= 3 && isLetter(p.dir[0]) && p.dir[1] == ':' && p.dir[2] == '\\'
	if !drive && !isDirectory(p.dir) || strings.ContainsAny(p.dir, `"<|*?`) {
		return prompt{}, false
	}
	typed, ok := typedAfter(text, at+1)
	p.command = typed
	return p, ok
}

// drivePrompt reads `C:\Users\me>cmd`.
func drivePrompt(text string) (prompt, bool) {
	at := strings.IndexByte(prefix(text, longestPrompt), '>')
	if at < 3 || !isLetter(text[0]) || strings.ContainsAny(text[3:at], `":<|*?`) {
		return prompt{}, false
	}
	typed := strings.TrimSpace(text[at+1:])
	return prompt{command: typed, dir: text[:at], sign: '>', named: true}, typed == "" || runsTool(typed)
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// percentPrompt reads zsh's "user@host dir % cmd" and "host% cmd", and fish's
// "user@host ~/dir> cmd".
func percentPrompt(text string) (prompt, bool) {
	first, rest := nextWord(prefix(text, longestPrompt))
	if first == "" || text[0] == ' ' || text[0] == '\t' {
		return prompt{}, false
	}
	if host, ok := strings.CutSuffix(first, "%"); ok {
		typed, ok := typedAfter(text, len(first))
		known := ok && isHost(host) && isLetter(host[0]) && strings.ToLower(host) == host
		return prompt{command: typed, host: host, sign: '%', named: true}, known && typed != "" && runsTool(typed) && len(strings.Fields(typed)) > 1
	}
	user, host, ok := strings.Cut(first, "@")
	if !ok || !isLogin(user) || !isHost(host) {
		return prompt{}, false
	}
	second, third := nextWord(rest)
	p := prompt{host: host, sign: '%', named: true}
	if dir, ok := strings.CutSuffix(second, ">"); ok && isDirectory(dir) {
		p.dir, p.sign = dir, '>'
		typed, ok := typedAfter(text, strings.Index(text, second)+len(second))
		p.command = typed
		return p, ok && looksTyped(typed)
	}
	if sign, _ := nextWord(third); sign == "%" && second != "" {
		p.dir = second
		at := len(first) + strings.Index(text[len(first):], " % ")
		if at < len(first) {
			return p, strings.HasSuffix(strings.TrimRight(text, " "), " %")
		}
		p.command = strings.TrimSpace(text[at+len(" % "):])
		return p, looksTyped(p.command)
	}
	return prompt{}, false
}

// beginsTyped says whether a file begins with a command at a prompt: all that
// follows, log or not, is what commands printed.
func (f *File) beginsTyped() bool {
	lines := f.firstLines(1)
	if len(lines) == 0 {
		return false
	}
	p, ok := parsePrompt(lines[0])
	return ok && p.command != "" && p.isCommand() && runsTool(p.command) && (p.named || p.sign == '$')
}
