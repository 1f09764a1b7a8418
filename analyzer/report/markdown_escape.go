package report

import (
	"regexp"
	"strings"
	"unicode"
)

// prose is text of unknown origin inside a Markdown sentence. Words that a
// renderer could take for markup, a mention, a reference or a link are set as
// code; the others stay words.
func prose(s string) string {
	words := strings.Fields(printable(s))
	var out, run []string
	flush := func() {
		if len(run) > 0 {
			out = append(out, span1(strings.Join(run, " ")))
			run = nil
		}
	}
	for i, w := range words {
		if plainWord(w) && (i > 0 || !startsBlock(w)) {
			flush()
			out = append(out, w)
			continue
		}
		run = append(run, w)
	}
	flush()
	return strings.Join(out, " ")
}

// issueKey is a reference that trackers make a link of: GitHub's long form of
// #1, and keys of Jira, which GitHub and GitLab can be set to know too.
var issueKey = regexp.MustCompile(`(?:[A-Z][A-Z0-9_]+|(?i:gh))-[0-9]`)

// plainWord says whether Markdown leaves a word alone.
func plainWord(w string) bool {
	if strings.Contains(w, "://") || strings.HasPrefix(strings.ToLower(strings.TrimLeft(w, "(\"'")), "www.") {
		return false
	}
	if issueKey.MatchString(w) {
		return false
	}
	colons := 0
	for i, r := range w {
		switch {
		case r == ':':
			colons++
			if colons > 1 || i == 0 { // :emoji:, but not 10:04:05
				if !digitsAround(w, i) {
					return false
				}
			}
		case r > unicode.MaxASCII || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
		case r == '%': // GitLab's milestones, but not 85%
			if i == 0 || w[i-1] < '0' || w[i-1] > '9' {
				return false
			}
		case strings.ContainsRune(`.,;()'"/-+=?…`, r):
		default:
			return false
		}
	}
	return !strings.Contains(w, "---") && !strings.Contains(w, "===")
}

func digitsAround(w string, i int) bool {
	return i > 0 && i+1 < len(w) && w[i-1] >= '0' && w[i-1] <= '9' && w[i+1] >= '0' && w[i+1] <= '9'
}

// startsBlock says whether a line that begins with the word would become a
// list item, a rule, or an order to GitLab or a bot, such as /close.
func startsBlock(w string) bool {
	return strings.HasPrefix(w, "/") || strings.Trim(w, "+-=") == "" || strings.Trim(w, "0123456789") == "." || strings.Trim(w, "0123456789") == ")"
}

// span1 is a code span that its content cannot leave: its fence is longer than
// any run of backticks within.
func span1(s string) string {
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return fence + s + fence
}

// code is text of unknown origin as a code span, also inside a table.
func code(s string) string { return pipes(span1(strings.TrimSpace(printable(s)))) }

// cell is prose inside a table, where a bar ends the cell even in code.
func cell(s string) string { return pipes(prose(s)) }

func pipes(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// fenced is a block of lines that their content cannot leave.
func fenced(lines []string) string {
	body := strings.Join(lines, "\n")
	fence := strings.Repeat("`", max(3, longestRun(body)+1))
	return fence + "text\n" + body + "\n" + fence
}

func longestRun(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}
