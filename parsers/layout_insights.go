package parsers

import (
	"path"
	"regexp"
	"strings"
)

// insightsLayout is what insights-client makes of one machine for Red Hat Insights,
// named insights-HOST-YYYYMMDDHHMMSS: the outputs of commands, and files under
// their own paths, since 2021 below data/ and with a note about each.
var insightsLayout = Layout{
	Name:  "insights",
	Doc:   "an archive of insights-client, one machine each",
	Marks: [][]string{{"insights_commands/"}, {"insights_archive.txt", "meta_data/"}},
	Place: placeInInsights,
	Index: readInsightsHost,
}

// The time in the name is the machine's or UTC, by the client's version.
var insightsFolder = regexp.MustCompile(`^insights-(.+)-\d{14}`)

func placeInInsights(root, rel string) Place {
	below := rel
	if inner, ok := strings.CutSuffix(root, "data/"); ok && (inner == "" || inner[len(inner)-1] == '/' || inner[len(inner)-1] == '!') {
		root = inner // the machine's notes and files are of one folder
	} else {
		below = strings.TrimPrefix(rel, "data/")
	}
	p := Place{Folder: root, Cut: insightsFilters(below)}
	if m := insightsFolder.FindStringSubmatch(topFolder(root)); m != nil {
		p.Node = m[1]
	}
	switch folder, file := outermost(below); folder {
	case "insights_commands":
		p.Command = sosCommand(file) // the client has that from sos
	case "proc":
		p.Command = "cat /" + below
	}
	return p
}

// insightsFilters says whether the client keeps only those lines of a file that
// one of its rules looks for: what is not there may still have been said.
func insightsFilters(rel string) bool {
	name := path.Base(rel)
	if strings.HasPrefix(rel, "var/log/") {
		return true
	}
	if !strings.HasPrefix(rel, "insights_commands/") {
		return false
	}
	for _, filtered := range []string{"journalctl", "dmesg", "ps_aux", "ps_ef", "lsof", "docker_info"} {
		if strings.HasPrefix(name, filtered) {
			return name != "ps_auxcww"
		}
	}
	return false
}

// readInsightsHost takes the machine's name from the machine itself.
func readInsightsHost(rel string, data []byte, tell func(string, Place)) {
	switch strings.TrimPrefix(rel, "data/") {
	case "insights_commands/hostname", "insights_commands/hostname_-s":
		if name := hostNameIn(data); name != "" {
			tell("", Place{Node: name})
		}
	}
}
