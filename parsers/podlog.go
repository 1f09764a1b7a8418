package parsers

import (
	"strings"
	"time"

	"podautopsy/timeline"
)

// podLogOf reads from a path whose log it is, where the kubelet's folder stands
// in it: pods/NAMESPACE_POD_UID/CONTAINER/0.log.
func podLogOf(file string) (log timeline.PodLog, ok bool) {
	at := strings.LastIndex(file, "pods/")
	if at < 0 || at > 0 && file[at-1] != '/' && file[at-1] != '!' {
		return log, false
	}
	folder, below, ok := strings.Cut(file[at+len("pods/"):], "/")
	container, name, ok2 := strings.Cut(below, "/")
	parts := strings.Split(folder, "_")
	if !ok || !ok2 || len(parts) != 3 || !isUUID(parts[2]) || container == "" || !isDigit((name + "x")[0]) || strings.Contains(name, "/") {
		return log, false
	}
	log.PodNamespace, log.Pod, log.PodUID, log.Container = parts[0], parts[1], strings.ToLower(parts[2]), container
	return log, true
}

// lastWord is when a log begins and ends, and its last line.
func lastWord(events []timeline.Event) (first, last time.Time, fact timeline.Fact) {
	for i := range events {
		e := &events[i]
		if e.Time.IsZero() || e.Stamp.Wall {
			continue
		}
		if first.IsZero() || e.Time.Before(first) {
			first = e.Time
		}
		if !e.Time.Before(last) {
			last, fact = e.Time, timeline.Fact{Node: e.Node, AsOf: e.Time, Source: e.Source, Text: e.Text}
		}
	}
	return first, last, fact
}
