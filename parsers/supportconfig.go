package parsers

import (
	"slices"
	"strings"

	"podautopsy/timeline"
)

// supportconfigParser reads the files of SUSE's supportconfig, which Harvester's
// bundles hold of each node.
var supportconfigParser = Parser{
	Name:  "supportconfig",
	Doc:   "The text files of SUSE's supportconfig: outputs of commands and logs under \"#==[ Command ]===#\" and \"#==[ Log File ]===#\".",
	Sniff: sniffSupportconfig,
	Parse: parseSupportconfig,
}

func sniffSupportconfig(f *File) bool {
	for _, s := range f.firstLines(40) {
		if _, ok := supportconfigHeading(s); ok {
			return true
		}
	}
	return false
}

// supportconfigHeading reads "#==[ Log File ]=====================================#".
func supportconfigHeading(s string) (kind string, ok bool) {
	rest, ok := strings.CutPrefix(s, "#==[ ")
	kind, rest, found := strings.Cut(rest, " ]==")
	return kind, ok && found && strings.Trim(rest, "=# ") == ""
}

func parseSupportconfig(f *File, b *timeline.Builder) error {
	var section *File
	kind := ""
	begin := 0 // of the section, in f.Text
	end := func(at int) {
		if section == nil {
			return
		}
		section.Text = f.Text[begin:at]
		readSupportconfig(kind, section, b)
		section = nil
	}
	heading := false // the line above was one
	for l := range f.lines() {
		at := int(l.offset - f.Offset)
		switch k, ok := supportconfigHeading(l.text); {
		case ok:
			end(at)
			kind, heading = k, true
		case heading: // "# /bin/uname -a", "# /var/log/messages - Last 10000 Lines"
			heading = false
			what := strings.TrimPrefix(l.text, "# ")
			next := at + lineLength(f.Text[at:])
			section = &File{Path: f.Path, Node: f.Node, FirstLine: l.number + 1, Offset: f.Offset + int64(next)}
			begin = next
			b.Input.Records++
			if kind == "Command" {
				section.Command = what
			} else if name, count, ok := strings.Cut(what, " - Last "); ok {
				section.Path += "/" + name
				if strings.HasSuffix(count, " Lines") {
					b.Gap(timeline.GapTruncated, l.number, "of "+name+" only the last "+count)
				}
			}
		}
	}
	end(len(f.Text))
	return nil
}

// readSupportconfig reads a section that may tell of a deletion.
func readSupportconfig(kind string, section *File, b *timeline.Builder) {
	if section.blank() {
		return
	}
	logs := []Parser{containerLogParser, journalShortParser, klogParser, logfmtParser, dmesgParser}
	var parsers []Parser
	switch kind {
	case "Log File":
		parsers = logs
	case "Command":
		parsers = slices.Concat(logs, []Parser{crictlJSONParser, crictlTableParser, mountinfoParser, mountsParser, psParser, lsofParser, systemctlParser, dfParser, ipParser, lsParser, dateParser, versionsParser, hostnameParser})
	}
	for _, p := range parsers {
		if !p.Sniff(section) {
			continue
		}
		if err := p.Parse(section, b); err != nil {
			b.Gap(timeline.GapNotUnderstood, section.FirstLine, p.Name+": "+err.Error())
		}
		return
	}
}
