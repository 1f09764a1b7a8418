package report

import (
	"fmt"
	"regexp"
	"strings"
)

// slack is mrkdwn: no tables, no headings, and no escape for its signs.
type slack struct{}

// slackEntities are the three signs with which Slack writes mentions and links.
var slackEntities = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// bareDomain is what Slack makes a link of, without being asked.
var bareDomain = regexp.MustCompile(`(?i)[a-z0-9]\.[a-z]{2}`)

// text sets words as code that Slack could take for markup, a mention or a
// link.
func (m slack) text(s string) string {
	var out, run []string
	flush := func() {
		if len(run) > 0 {
			out = append(out, m.name(strings.Join(run, " ")))
			run = nil
		}
	}
	for i, w := range strings.Fields(printable(s)) {
		if plainWord(w) && !bareDomain.MatchString(w) && (i > 0 || !startsBlock(w)) {
			flush()
			out = append(out, slackEntities.Replace(w))
			continue
		}
		run = append(run, w)
	}
	flush()
	return strings.Join(out, " ")
}

// name is code. There a backtick cannot be written, so it becomes a quote.
func (slack) name(s string) string {
	s = strings.ReplaceAll(strings.TrimSpace(printable(s)), "`", "'")
	if s == "" {
		return ""
	}
	return "`" + slackEntities.Replace(s) + "`"
}

func (slack) strong(s string) string { return "*" + s + "*" }
func (m slack) title(s string) string {
	return m.strong("Pod autopsy") + " " + strings.TrimPrefix(s, "Pod autopsy: ")
}
func (m slack) heading(s string) string { return m.strong(s) }
func (slack) paragraph(s string) string { return s }
func (slack) facts() string             { return "" }
func (m slack) fact(label, s string) string {
	return m.strong(strings.TrimSuffix(label, "?")+":") + " " + s
}
func (slack) table([]string) string       { return "" }
func (m slack) row(cells []string) string { return m.bullet(joined(cells)) }
func (slack) bullet(s string) string      { return "• " + s }
func (slack) step(n int, s string) string { return fmt.Sprintf("%d. %s", n, s) }
func (slack) under(s string) string       { return "    " + s }
func (slack) box(done bool) string        { return plain{}.box(done) }

// command is not shown where it would have to be changed.
func (m slack) command(lines []string) string {
	for _, l := range lines {
		if strings.Contains(l, "`") {
			return ""
		}
	}
	return m.quotes(lines)
}

func (slack) quotes(lines []string) string {
	return "```\n" + slackEntities.Replace(strings.ReplaceAll(strings.Join(lines, "\n"), "`", "'")) + "\n```"
}

func (m slack) fold(title, body string) string { return m.heading(title) + "\n" + body }

// joined is the cells of a row that say something.
func joined(cells []string) string {
	var out []string
	for _, c := range cells {
		if c != "" {
			out = append(out, c)
		}
	}
	return strings.Join(out, "  ")
}
