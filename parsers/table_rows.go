package parsers

import (
	"slices"
	"strings"
)

// Rows that have lost their header, or their columns: grep, --no-headers, and
// whatever a mail did to the blanks.

// fieldsOfRow splits a row at single blanks; "3 (5h ago)" is one field.
func fieldsOfRow(text string) []string {
	fields := strings.Fields(text)
	for i := 1; i+1 < len(fields); i++ {
		if fields[i][0] == '(' && fields[i+1] == "ago)" {
			fields[i-1] += " " + fields[i] + " " + fields[i+1]
			fields = slices.Delete(fields, i, i+2)
		}
	}
	return fields
}

// loneRow knows a row of pods or nodes by its shape alone, and says what its
// columns would have been called.
func loneRow(text string) (kind string, g grid, cells []string, ok bool) {
	const longest = 2 << 10
	if len(text) > longest {
		return "", grid{}, nil, false
	}
	f := fieldsOfRow(text)
	switch {
	case len(f) >= 5 && isReadyCount(f[1]) && isPodRest(f[2:]):
		g.names = []string{"NAME", "READY", "STATUS", "RESTARTS", "AGE"}
	case len(f) >= 6 && isReadyCount(f[2]) && isPodRest(f[3:]):
		g.names = []string{"NAMESPACE", "NAME", "READY", "STATUS", "RESTARTS", "AGE"}
	case len(f) >= 5 && isNodeStatus(f[1]) && isVersion(f[4]):
		if _, ok := parseAge(f[3]); !ok {
			return "", grid{}, nil, false
		}
		return "Node", grid{names: []string{"NAME", "STATUS", "ROLES", "AGE", "VERSION"}}, f[:5], true
	default:
		return "", grid{}, nil, false
	}
	if rest := f[len(g.names):]; len(rest) >= 2 { // -o wide
		g.names = append(g.names, "IP", "NODE")
	}
	for _, name := range f[:g.column("READY")] {
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-./") != "" {
			return "", grid{}, nil, false
		}
	}
	return "Pod", g, f[:len(g.names)], true
}

// isReadyCount recognises "1/2".
func isReadyCount(s string) bool {
	ready, all, ok := strings.Cut(s, "/")
	_, a := decimal(ready)
	_, b := decimal(all)
	return ok && a && b && len(s) < 12
}

// isPodRest says whether fields are STATUS, RESTARTS and AGE of a pod.
func isPodRest(f []string) bool {
	if len(f) < 3 || f[0][0] < 'A' || f[0][0] > 'Z' {
		return false
	}
	restarts, _, _ := strings.Cut(f[1], " ")
	_, number := decimal(restarts)
	_, age := parseAge(f[2])
	return number && (age || f[2] == "<unknown>" || f[2] == "<invalid>")
}

func isNodeStatus(s string) bool {
	first, _, _ := strings.Cut(s, ",")
	return first == "Ready" || first == "NotReady" || first == "Unknown"
}

func isVersion(s string) bool {
	return len(s) > 3 && s[0] == 'v' && isDigit(s[1]) && strings.Contains(s, ".")
}

// squeezedHeader reads column names that are one blank apart.
func squeezedHeader(text string) (grid, bool) {
	g := grid{squeezed: true}
	words := strings.Fields(text)
	for i := 0; i < len(words); i++ {
		name := words[i]
		if i+1 < len(words) {
			switch pair := name + " " + words[i+1]; pair {
			case "LAST SEEN", "NOMINATED NODE", "READINESS GATES", "ACCESS MODES", "RECLAIM POLICY", "CREATED AT",
				"MIN AVAILABLE", "MAX UNAVAILABLE", "ALLOWED DISRUPTIONS", "NODE SELECTOR":
				name = pair
				i++
			}
		}
		g.names = append(g.names, name)
	}
	return g, len(g.names) > 2 && g.column("AGE") > 0 && (g.names[0] == "NAME" || g.names[0] == "NAMESPACE")
}
