package parsers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"podautopsy/timeline"
)

// podautopsyCommandsParser reads what our own scripts note of what they ran.
var podautopsyCommandsParser = Parser{
	Name:  "podautopsy-commands",
	Doc:   "commands.tsv of podautopsy collect: each command with its begin, end and exit status, and the file that holds what it printed.",
	Sniff: sniffPodautopsyCommands,
	Parse: parsePodautopsyCommands,
}

// commandsHeading is the first line of commands.tsv.
const commandsHeading = "begin\tend\tstatus\tfile\tsha256\tcommand"

func sniffPodautopsyCommands(f *File) bool {
	first, _, _ := strings.Cut(f.Text, "\n")
	return strings.TrimSuffix(first, "\r") == commandsHeading
}

// commandRan is a row of commands.tsv.
type commandRan struct {
	begun, ended time.Time
	status       int
	file, sha256 string // "" where nothing was kept
	command      string
}

// commandRow reads a row; false of the heading and of what is none.
func commandRow(row string) (commandRan, bool) {
	column := strings.Split(strings.TrimRight(row, "\r\n"), "\t")
	if len(column) != 6 {
		return commandRan{}, false
	}
	begun, badBegin := time.Parse(time.RFC3339Nano, column[0])
	ended, badEnd := time.Parse(time.RFC3339Nano, column[1])
	status, ok := decimal(column[2])
	if badBegin != nil || badEnd != nil || !ok {
		return commandRan{}, false
	}
	ran := commandRan{begun: begun.UTC(), ended: ended.UTC(), status: status, file: column[3], sha256: column[4], command: column[5]}
	if ran.file == "-" {
		ran.file = ""
	}
	return ran, true
}

func parsePodautopsyCommands(f *File, b *timeline.Builder) error {
	root, _ := strings.CutSuffix(f.Path, commandsFile)
	if root == f.Path {
		root = f.Path[:strings.LastIndexAny(f.Path, "/!")+1]
	}
	for l := range f.lines() {
		ran, ok := commandRow(l.text)
		switch {
		case ok:
			noteCommand(b, l, root, ran)
		case l.number > f.FirstLine && strings.TrimSpace(l.text) != "":
			b.Gap(timeline.GapNotUnderstood, l.number, prefix(l.text, maxExcerpt))
		}
	}
	if b.Input.Records == 0 {
		return errors.New("no command in the list")
	}
	return nil
}

// noteCommand notes how one command ended. Of a program that is not there, or
// whose end nobody waited for, nothing is known: not that there is nothing.
func noteCommand(b *timeline.Builder, l line, root string, ran commandRan) {
	b.Input.Records++
	if ran.ended.After(b.Input.CapturedAt) {
		b.Input.CapturedAt = ran.ended
	}
	if ran.file == "" {
		if ran.status != 0 {
			b.Gap(timeline.GapCommandFailed, l.number, fmt.Sprintf("%s: %s, nothing was kept", prefix(ran.command, maxExcerpt), statusWords(ran.status)))
		}
		return
	}
	b.Collected = append(b.Collected, timeline.Collected{
		Path:       root + memberPath(ran.file),
		Command:    prefix(ran.command, maxExcerpt),
		At:         ran.begun,
		ExitStatus: ran.status,
		TimedOut:   ran.status == timedOutStatus,
		Failed:     ran.status != 0 && !answersWithStatus(ran.command, ran.status),
		Source:     b.Src(l.number, l.offset),
	})
}
