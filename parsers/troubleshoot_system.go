package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// troubleshootSystemParser reads what Troubleshoot asks a host, and the cluster, of
// itself.
var troubleshootSystemParser = Parser{
	Name:  "troubleshoot-system",
	Doc:   "What Troubleshoot asks a system for: hostos_info.json (name and kernel), time.json (zone), systemctl_services.json (states of services), cluster_version.json.",
	Sniff: sniffTroubleshootSystem,
	Parse: parseTroubleshootSystem,
}

func sniffTroubleshootSystem(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	if !strings.HasPrefix(head, "{") && !strings.HasPrefix(head, "[") {
		return false
	}
	keys := topKeys(head)
	switch {
	case keys["name"] && keys["kernelVersion"] && keys["platformVersion"],
		keys["timezone"] && keys["ntp_synchronized"],
		keys["info"] && keys["string"],
		keys["Unit"] && keys["Load"] && keys["Active"] && keys["Sub"]:
		return true
	}
	return false
}

func parseTroubleshootSystem(f *File, b *timeline.Builder) error {
	lines := newLineFinder(f)
	for v := range jsonDocuments(f.Text) {
		if v.cut {
			b.Gap(timeline.GapTruncated, lines.at(v.at).number, "cut off")
			break
		}
		var s struct {
			Name, KernelVersion     string                      // hostos_info.json
			Timezone                string                      // time.json, which the layout reads
			Unit, Load, Active, Sub string                      // systemctl_services.json
			Info                    struct{ GitVersion string } // cluster_version.json
		}
		if err := json.Unmarshal([]byte(v.text), &s); err != nil {
			return fmt.Errorf("the host's system: %w", err)
		}
		switch {
		case s.Name != "" && s.KernelVersion != "":
			b.Host(s.Name)
			keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: s.KernelVersion, Fact: lines.factIn(b, v, "kernelVersion")})
		case s.Info.GitVersion != "":
			keepFact(b, &b.Versions, timeline.NodeVersion{What: timeline.APIServer, Version: s.Info.GitVersion, Fact: lines.factIn(b, v, "info", "gitVersion")})
		case s.Timezone != "":
			b.Input.Records++
		case s.Unit == "●": // the mark of a unit in trouble moves all columns by one
			s.Unit, s.Load, s.Active, s.Sub = s.Load, s.Active, s.Sub, ""
			fallthrough
		case s.Unit != "":
			keepFact(b, &b.Units, timeline.Unit{Name: s.Unit, Load: s.Load, Active: s.Active, Sub: s.Sub, Fact: lines.factIn(b, v, "Unit")})
		}
	}
	if b.Input.Records == 0 {
		return errors.New("nothing of the host's system in it")
	}
	return nil
}
