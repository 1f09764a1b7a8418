package analyzer

import (
	"fmt"
	"slices"
	"strings"
)

// groupWords are the names that a pattern may give to its groups: what a
// verdict reads, or a cause's texts put in. Any other name would tell nobody
// anything, so it is a mistake; what is only put in brackets needs no name.
var groupWords = []string{
	// Whom and what the line is about; lines about different ones are counted
	// apart.
	"ns", "pod", "pods", "uid", "container", "name", "sandbox", "id", "node",
	"volume", "unique", "attachment", "path", "dev", "driver", "server", "webhook", "unit", "pid", "finalizer",
	// What it says of them.
	"api", "comm", "err", "exit", "grace", "how", "ip", "kind", "message", "object", "reason", "resource", "set", "slice",
	"state", "user", "verb", "version", "what",
}

// groupWord is what a group's name says: alternatives tell the same under names
// that differ by a digit at the end.
func groupWord(name string) string { return strings.TrimRight(name, "0123456789") }

// checkGroups says which names of groups nobody reads, and whether the lines
// that must match show that one catches more than a name.
func (s *Signature) checkGroups() []fault {
	var faults []fault
	for _, key := range s.keys {
		if key != "" && !slices.Contains(groupWords, key) {
			faults = append(faults, fault{"match", 0, fmt.Errorf("group %q is not known; there are %s; what needs no name is (?:...)", key, listed(groupWords))})
		}
	}
	for i, line := range s.Yes {
		groups := s.pattern.FindStringSubmatchIndex(line)
		for n, key := range s.keys {
			if (key != "ns" && key != "pod") || groups == nil || groups[2*n] < 0 {
				continue
			}
			if value := line[groups[2*n]:groups[2*n+1]]; strings.Contains(value, "/") {
				faults = append(faults, fault{"yes", i, fmt.Errorf("group %q catches %s, which is no name alone; (?P<ns>[^/]+)/(?P<pod>[^/]+) takes it apart", key, value)})
			}
		}
	}
	return faults
}
