package parsers

import (
	"fmt"
	"strings"

	"podautopsy/timeline"
)

// collectorConsoleParser reads what a collecting script said on the terminal.
var collectorConsoleParser = Parser{
	Name:  "collector-console",
	Doc:   "What the EKS and Rancher log collectors say of their work: the steps that timed out and the commands that failed.",
	Sniff: sniffCollectorConsole,
	Parse: parseCollectorConsole,
}

// noKubeconfig is all that the EKS collector's svc.log holds where it had no
// access to the API.
const noKubeconfig = "Unable to find KUBECONFIG"

func sniffCollectorConsole(f *File) bool {
	steps := 0
	for _, s := range f.firstLines(12) {
		if strings.Contains(s, noKubeconfig) {
			return true
		}
		if isEKSStep(s) || isRancherStep(s) {
			if steps++; steps == 2 {
				return true
			}
		}
	}
	return false
}

// isEKSStep reads "Trying to collect kernel logs... ".
func isEKSStep(s string) bool {
	return strings.HasPrefix(s, "Trying to ") && strings.Contains(strings.ToLower(s[:min(len(s), 24)]), "collect") ||
		strings.Contains(s, "This is version ") && strings.Contains(s, "amazon-eks-ami")
}

// isRancherStep reads "2026-11-30 09:59:13: Collecting system info".
func isRancherStep(s string) bool {
	at, n := isoStamp(s)
	if n == 0 || !at.wall {
		return false
	}
	rest, ok := strings.CutPrefix(s[n:], ": ")
	if !ok {
		return false
	}
	for _, lead := range []string{"Created ", "Detecting ", "Setting k8s distro ", "Collecting ", "Distro ", "Finished"} {
		if strings.HasPrefix(rest, lead) {
			return true
		}
	}
	return false
}

// parseCollectorConsole keeps each failure once: kubectl says the same for
// each resource.
func parseCollectorConsole(f *File, b *timeline.Builder) error {
	type failure struct{ line, times int }
	failures := map[string]*failure{}
	var order []string
	for l := range f.lines() {
		b.Input.Records++
		what := consoleFailure(l.text)
		if what == "" {
			continue
		}
		if known := failures[what]; known != nil {
			known.times++
			continue
		}
		const most = 100
		if len(order) == most {
			continue
		}
		failures[what] = &failure{line: l.number, times: 1}
		order = append(order, what)
	}
	for _, what := range order {
		detail := what
		if n := failures[what].times; n > 1 {
			detail += fmt.Sprintf(" (%d times)", n)
		}
		b.Gap(timeline.GapCommandFailed, failures[what].line, detail)
	}
	return nil
}

// consoleFailure is what a line says to have failed, "" for any other line.
func consoleFailure(s string) string {
	if _, what, ok := strings.Cut(s, "Timed out, ignoring "); ok {
		return "timed out: " + prefix(strings.Trim(what, "\" \t"), 200)
	}
	s = strings.Trim(s, "= \t")
	switch {
	case strings.HasPrefix(s, noKubeconfig), kubectlFailed(s), strings.HasSuffix(s, ": command not found"), strings.HasPrefix(s, "[!] "):
		return prefix(s, 200)
	}
	return ""
}
