package parsers

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"podautopsy/timeline"
)

// sosManifestParser reads the index that sos keeps of a report.
var sosManifestParser = Parser{
	Name:  "sos-manifest",
	Doc:   "sos_reports/manifest.json: the commands that sos ran with their exit status and times, what it cut or gave up, and the nodes that sos collect went to.",
	Sniff: sniffSosManifest,
	Parse: parseSosManifest,
}

// sosManifestPath is where sos puts it, below the root of the report.
const sosManifestPath = "sos_reports/manifest.json"

func sniffSosManifest(f *File) bool {
	head := strings.TrimLeft(f.head(), " \t\r\n")
	if !strings.HasPrefix(head, "{") {
		return false
	}
	keys := topKeys(head)
	return keys["cmdline"] && keys["components"]
}

// sosCommandRun is what the manifest tells of one command. Since 4.2 it says
// when the command ran, by time.time(), which knows no zones; since 4.1 whether
// its output was cut.
type sosCommandRun struct {
	Exec       string  `json:"exec"`
	Path       *string `json:"filepath"` // null: nothing was written
	Truncated  bool    `json:"truncated"`
	ReturnCode *int    `json:"return_code"` // null: not run
	Start      float64 `json:"start_time"`
	End        float64 `json:"end_time"`
}

func parseSosManifest(f *File, b *timeline.Builder) error {
	m := sosManifest{b: b, lines: newLineFinder(f)}
	m.root, _ = strings.CutSuffix(f.Path, sosManifestPath)
	if m.root == f.Path {
		m.root = f.Path[:strings.LastIndexAny(f.Path, "/!")+1]
	}
	for doc := range jsonDocuments(f.Text) {
		for name, component := range within(doc, "components") {
			switch name {
			case "report":
				for name, plugin := range within(component, "plugins") {
					m.plugin(name, plugin)
				}
			case "collect":
				for name, node := range within(component, "nodes") {
					m.node(name, node)
				}
			}
		}
		if doc.cut {
			b.Gap(timeline.GapTruncated, m.lines.at(len(f.Text)).number, "the manifest ends in the middle")
		}
		break
	}
	if b.Input.Records == 0 {
		return errors.New("no command and no node in the manifest")
	}
	return nil
}

// sosManifest is the reading of one manifest.
type sosManifest struct {
	b     *timeline.Builder
	lines *lineFinder
	root  string // of the report, as its files are named
	hints clockHints
}

// plugin reads what one plugin ran.
func (m *sosManifest) plugin(name string, plugin jsonValue) {
	var begun string
	var timedOut bool
	var limit float64
	var commands jsonValue
	for member := range jsonMembers(plugin.text) {
		raw := plugin.text[member.from:member.to]
		switch member.key {
		case "start_time":
			begun = unquoteJSON(raw)
		case "timeout":
			_ = json.Unmarshal([]byte(raw), &limit) // only for the words
		case "timeout_hit":
			if timedOut = raw == "true"; timedOut {
				m.gap(plugin.at+member.from, fmt.Sprintf("sos gave up its plugin %s%s: what that had not collected is missing", name, afterSeconds(limit)))
			}
		case "commands":
			commands = jsonValue{text: raw, at: plugin.at + member.from}
		}
	}
	first := true
	for c := range commands.elements(0) {
		var run sosCommandRun
		if json.Unmarshal([]byte(c.text), &run) != nil {
			if !c.cut {
				m.b.Gap(timeline.GapNotUnderstood, m.lines.at(c.at).number, "a command in the manifest")
			}
			continue
		}
		m.command(c, run)
		// The plugin notes the time by datetime.now(), which is local, just
		// before its first command by time.time().
		if local, err := time.Parse("2006-01-02 15:04:05.999999", begun); first && err == nil && run.Start > 0 {
			m.hints.note(m.b, local, unixTime(run.Start), "")
		}
		first = false
	}
}

// command notes what became of one command's output.
func (m *sosManifest) command(c jsonValue, run sosCommandRun) {
	m.b.Input.Records++
	l := m.lines.place(c, "exec")
	status := 0
	if run.ReturnCode != nil {
		status = *run.ReturnCode
	}
	if end := unixTime(run.End); end.After(m.b.Input.CapturedAt) {
		m.b.Input.CapturedAt = end
	}
	// ethtool fails on most devices, and nobody misses what it did not say.
	missed := status != 0 && sosEvidence(run.Exec)
	if run.Path == nil || *run.Path == "" {
		if missed {
			m.b.Gap(timeline.GapCommandFailed, l.number, fmt.Sprintf("%s: %s, nothing was kept", oneSpace(run.Exec), statusWords(status)))
		}
		return
	}
	m.b.Collected = append(m.b.Collected, timeline.Collected{
		Path:       m.root + memberPath(*run.Path),
		Command:    oneSpace(run.Exec),
		ExitStatus: status,
		At:         unixTime(run.Start),
		TimedOut:   missed && status == timedOutStatus,
		Failed:     missed && !answersWithStatus(run.Exec, status),
		Truncated:  run.Truncated || strings.HasSuffix(*run.Path, sosTail),
		Source:     m.b.Src(l.number, l.offset),
	})
}

// node reads how sos collect fared with one node: it names the report that it
// fetched.
func (m *sosManifest) node(name string, node jsonValue) {
	m.b.Input.Records++
	for member := range jsonMembers(node.text) {
		if member.key == "collected_archive" && unquoteJSON(node.text[member.from:member.to]) != "" {
			return
		}
	}
	if !node.cut {
		m.gap(node.at, fmt.Sprintf("sos collect brought no report of node %s", name))
	}
}

func (m *sosManifest) gap(at int, detail string) {
	m.b.Gap(timeline.GapCommandFailed, m.lines.at(at).number, detail)
}

// within walks the members of the object that v holds under a key.
func within(v jsonValue, key string) func(yield func(string, jsonValue) bool) {
	return func(yield func(string, jsonValue) bool) {
		for outer := range jsonMembers(v.text) {
			if outer.key != key {
				continue
			}
			text := v.text[outer.from:outer.to]
			for inner := range jsonMembers(text) {
				member := jsonValue{text: text[inner.from:inner.to], at: v.at + outer.from + inner.from}
				if !yield(inner.key, member) {
					return
				}
			}
			return
		}
	}
}

// timedOutStatus is what timeout(1), which sos runs its commands under, ends
// with.
const timedOutStatus = 124

// sosTail ends the name of a file of which only the end was kept.
const sosTail = ".tailed"

// answersWithStatus says whether a program's status is its answer, or tells of
// one row among many: a stopped unit is no failure of systemctl.
func answersWithStatus(command string, status int) bool {
	switch ran := firstInvocation(command); ran[0] {
	case "systemctl":
		return status == 3 && slices.Contains(ran, "status")
	case "lsof", "grep", "fuser", "find", "diff":
		return status == 1
	}
	return false
}

// sosEvidence says whether a command's output would tell something of pods or
// of what runs them, so that it is missed.
func sosEvidence(command string) bool {
	switch firstInvocation(command)[0] {
	case "crictl", "ctr", "docker", "kubectl", "oc", "microk8s", "microk8s.kubectl", "journalctl", "systemctl",
		"ps", "mount", "findmnt", "df", "lsof", "dmesg", "date", "hostname":
		return true
	}
	return false
}

// firstInvocation is the first simple command of a line; of none its name is "".
func firstInvocation(command string) invocation {
	if all := invocations(command); len(all) > 0 {
		return all[0]
	}
	return invocation{""}
}

func statusWords(status int) string {
	switch status {
	case timedOutStatus:
		return "it was given up"
	case 126:
		return "it cannot be run"
	case 127:
		return "there is no such program"
	}
	return fmt.Sprintf("it ended with status %d", status)
}

func afterSeconds(limit float64) string {
	if limit <= 0 {
		return ""
	}
	return fmt.Sprintf(" after %g s", limit)
}

// oneSpace closes the gaps that sos leaves between the words of a command.
func oneSpace(command string) string {
	return strings.Join(strings.Fields(prefix(command, maxExcerpt)), " ")
}

// unixTime is a time of Python's time.time(), to the microsecond that it means.
func unixTime(seconds float64) time.Time {
	if !(seconds > 0 && seconds < math.MaxInt32*2) {
		return time.Time{}
	}
	return time.UnixMicro(int64(math.Round(seconds * 1e6))).UTC()
}
