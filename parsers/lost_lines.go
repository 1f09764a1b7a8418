package parsers

import (
	"strings"

	"podautopsy/timeline"
)

// noteLost notes what journald and rsyslog say of lines that they did not keep.
func noteLost(b *timeline.Builder, e *timeline.Event) {
	kind, of, ok := lostLines(e.Message)
	if ok {
		b.Input.Gaps = append(b.Input.Gaps, timeline.Gap{Kind: kind, Detail: e.Message, Source: e.Source, Of: of})
	}
}

// lostLines reads a logging daemon's word on lines that are missing, and whose
// they were: a component, "" where they may be anybody's.
//
// The texts are those of journald-rate-limit and journald-kmsg (systemd), and
// of ratelimit.c and imuxsock (rsyslog).
func lostLines(message string) (kind timeline.GapKind, of string, ok bool) {
	switch {
	case strings.HasPrefix(message, "Suppressed "):
		_, unit, ok := strings.Cut(message, " messages from ")
		return timeline.GapSuppressed, componentOfUnit(unit), ok
	case strings.HasPrefix(message, "Missed ") && strings.HasSuffix(message, " kernel messages"),
		strings.HasPrefix(message, "/dev/kmsg buffer overrun"):
		return timeline.GapSuppressed, timeline.Kernel, true
	case strings.Contains(message, " messages lost due to rate-limiting"):
		return timeline.GapSuppressed, "", true
	case strings.HasPrefix(message, "imuxsock lost ") && strings.HasSuffix(message, " due to rate-limiting"):
		// A program that writes to /dev/log, which neither kubelet nor runtimes do.
		_, pid, _ := strings.Cut(strings.TrimSuffix(message, " due to rate-limiting"), " from ")
		return timeline.GapSuppressed, pid, pid != ""
	case strings.HasPrefix(message, "Vacuuming done, freed ") && !strings.HasPrefix(message, "Vacuuming done, freed 0B"):
		return timeline.GapRotated, "", true
	}
	return "", "", false
}

// componentOfUnit names the program that a systemd unit runs, which older
// versions write as a path of cgroups. "/" is all units at once.
func componentOfUnit(unit string) string {
	unit = strings.Trim(unit[strings.LastIndexByte(unit, '/')+1:], ". ")
	name, _, _ := strings.Cut(unit, ".service")
	switch name {
	case "k3s", "k3s-agent", "k3s-server", "rke2-agent", "rke2-server", "snap.microk8s.daemon-kubelite", "k0scontroller", "k0sworker":
		return "" // kubelet and runtime speak through one unit
	}
	return componentOf(name, "")
}
