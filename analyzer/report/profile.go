package report

import "podautopsy/analyzer"

// Profile is a place that a ticket's text goes to: what markup it renders, and
// how much it takes before it refuses the text or drops it in silence.
type Profile struct {
	Name string // as the user asks for it
	Doc  string // one line for the help text

	// bytes is what a ticket may have: the target's limit less head room. The
	// limits count characters, of which there are never more than bytes.
	bytes int
	// words is how much of one sentence is shown, in bytes.
	words int
	// brief leaves out what a message has no room for.
	brief  bool
	markup markup
}

// Profiles are the targets of a ticket's text; the first is the default.
var Profiles = []Profile{
	// The API refuses more than 65,536 characters.
	{Name: "github", Doc: "an issue, a comment or a step summary", bytes: 60_000, words: 2000, markup: gfm{folds: true}},
	// It takes a megabyte, but nobody reads that.
	{Name: "gitlab", Doc: "an issue or a comment", bytes: 60_000, words: 2000, markup: gfm{folds: true}},
	// 32,767 characters; what is longer has been seen to vanish.
	{Name: "jira", Doc: "wiki markup for a comment or a description", bytes: 30_000, words: 2000, markup: jira{}},
	// A journal field has 4,000 characters by default.
	{Name: "servicenow", Doc: "a work note, with [code] tags", bytes: 3_700, words: 300, brief: true, markup: servicenow{}},
	// A section block has 3,000 characters.
	{Name: "slack", Doc: "a message in mrkdwn", bytes: 2_750, words: 300, brief: true, markup: slack{}},
	// A note is short, an event's summary (the first line) has 1,024 characters.
	{Name: "pagerduty", Doc: "a note, without markup", bytes: 1_900, words: 240, brief: true, markup: plain{}},
	// Bugzilla takes 65,535 characters.
	{Name: "plain", Doc: "mail and everything else, without markup", bytes: 60_000, words: 2000, markup: plain{width: 78}},
}

// profile is the one that was asked for.
func (o Options) profile() Profile {
	for _, p := range Profiles {
		if p.Name == o.Profile {
			return p
		}
	}
	return Profiles[0]
}

// markup is how a target writes what a ticket is made of. Text of unknown
// origin goes through text and name only; the other methods take markup.
type markup interface {
	// text is a sentence in which nothing is markup, a mention or a reference.
	text(s string) string
	// name is an identifier, a path or a command inside a sentence.
	name(s string) string
	strong(s string) string
	title(s string) string
	heading(s string) string
	paragraph(s string) string
	// facts is the lines above rows of label and text.
	facts() string
	fact(label, s string) string
	// table is the lines above rows of cells.
	table(columns []string) string
	row(cells []string) string
	bullet(s string) string
	// box is a mark before something that is done, or to be done.
	box(done bool) string
	step(n int, s string) string
	// under is a line that belongs to a step.
	under(s string) string
	// command is lines to copy that belong to a step or a bullet; "" where the
	// target cannot show them as they are.
	command(lines []string) string
	// quotes is lines of logs that their content cannot leave.
	quotes(lines []string) string
	// fold is a section that is closed until the reader opens it, where the
	// target has such.
	fold(title, body string) string
}

// labelled is a finding that a subject lists by its id.
func labelled(m markup, s *analyzer.Subject, id string, say func(string) string) string {
	l := m.strong(m.text(id))
	if b := cause(s, id); b != "" {
		l += ": " + m.text(say(b))
	}
	return m.bullet(l)
}
