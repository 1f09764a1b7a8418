package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// troubleshootRunParser reads what Troubleshoot notes of a command that it ran.
var troubleshootRunParser = Parser{
	Name:  "troubleshoot-run",
	Doc:   "Troubleshoot's NAME-info.json: the command behind a host collector's NAME.txt, its exit code and what it complained of.",
	Sniff: sniffTroubleshootRun,
	Parse: parseTroubleshootRun,
}

// runInfoSuffix ends the name of the notes on NAME.txt.
const runInfoSuffix = "-info.json"

func sniffTroubleshootRun(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	if !strings.HasPrefix(head, "{") {
		return false
	}
	keys := topKeys(head)
	return keys["command"] && keys["exitCode"] && keys["error"]
}

// runInfo is Troubleshoot's HostRunInfo, without the environment, which is
// nobody's business.
type runInfo struct {
	Command  string `json:"command"`
	ExitCode string `json:"exitCode"` // "0", "1", "-1" or "signal: killed" after a timeout
	Error    string `json:"error"`    // what the command wrote to its error output
}

func parseTroubleshootRun(f *File, b *timeline.Builder) error {
	lines := newLineFinder(f)
	for v := range jsonDocuments(f.Text) {
		var info runInfo
		if err := json.Unmarshal([]byte(v.text), &info); err != nil {
			return fmt.Errorf("notes on a command: %w", err)
		}
		at := lines.place(v, "command")
		status, ok := decimal(info.ExitCode)
		ran := timeline.Collected{
			Command: withoutShell(info.Command), ExitStatus: status,
			Failed:   !ok || status != 0,
			TimedOut: info.timedOut(),
			Source:   b.Src(at.number, at.offset),
		}
		if name, ok := strings.CutSuffix(f.Path, runInfoSuffix); ok {
			ran.Path = name + ".txt"
		}
		b.Collected = append(b.Collected, ran)
		b.Input.Records++
		complaint := lines.place(v, "error")
		for message := range strings.SplitSeq(info.Error, "\n") {
			if strings.TrimSpace(message) != "" {
				commandEvent(f, b, complaint, timeline.LevelError, message)
			}
		}
		return nil
	}
	return errors.New("no notes on a command")
}

// timedOut says whether Troubleshoot ended the command. It means to write so;
// where Go's own kill was faster, the signal is all that it notes.
func (r runInfo) timedOut() bool {
	return strings.HasPrefix(r.Error, "command timed out after ") || r.ExitCode == "-1" || r.ExitCode == "signal: killed"
}

// withoutShell is the script of "sh -c SCRIPT". Troubleshoot joins arguments
// with blanks and quotes nothing.
func withoutShell(command string) string {
	shell, script, ok := strings.Cut(command, " -c ")
	if !ok {
		return command
	}
	switch shell[strings.LastIndexByte(shell, '/')+1:] {
	case "sh", "bash", "ash", "dash":
		return strings.TrimSpace(script)
	}
	return command
}
