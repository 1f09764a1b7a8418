package parsers

import (
	"regexp"
	"strings"
)

// Sosreport is what sos report makes of one machine; its folder is named
// sosreport-HOST[-LABEL][-CASE]-YYYY-MM-DD-RANDOM.
var Sosreport = Layout{
	Name:  "sosreport",
	Doc:   "a report of sos (sosreport), one machine each",
	Marks: [][]string{{"sos_commands/"}, {"sos_reports/"}, {"sos_logs/"}},
	Place: placeInSosreport,
}

var sosreportFolder = regexp.MustCompile(`^sosreport-(.+?)-\d{4}-\d\d-\d\d-\w+`)

func placeInSosreport(root, rel string) Place {
	p := Place{Folder: root}
	if m := sosreportFolder.FindStringSubmatch(topFolder(root)); m != nil {
		p.Node = m[1]
	}
	folder, below := outermost(rel)
	switch folder {
	case "sos_commands":
		p.Command = sosCommand(below[strings.LastIndexByte(below, '/')+1:])
	case "sos_strings": // the end of an output that was too long
		if name, ok := strings.CutSuffix(below[strings.LastIndexByte(below, '/')+1:], ".tailed"); ok {
			p.Command = sosCommand(name)
		}
	case "proc":
		p.Command = "cat /" + rel
	}
	return p
}

// sosCommand undoes the file name that sos makes of a command line, as far as
// that can be undone: all but letters, digits, "-", "." and "/" has become "_",
// and "/" has become ".".
func sosCommand(name string) string {
	words := strings.Split(name, "_")
	command := words[0]
	for i, word := range words[1:] {
		if (word == "true" || word == "false") && strings.HasPrefix(words[i], "--") {
			command += "=" + word
			continue
		}
		command += " " + word
	}
	return command
}
