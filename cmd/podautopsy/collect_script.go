package main

import (
	_ "embed" // what collect prints
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// What collect prints is kept as files that can be read, checked and run as
// they are.
var (
	//go:embed collect/run.sh
	runScript string
	//go:embed collect/cluster.sh
	clusterScript string
	//go:embed collect/node.sh
	nodeScript string
	//go:embed collect/must-gather.sh
	mustGatherScript string
	//go:embed collect/troubleshoot.yaml
	troubleshootSpec string
	//go:embed collect/sos.json
	sosPreset string
)

// sourceRun is how a script takes in run.sh where it lies beside it.
const sourceRun = `. "${0%/*}/run.sh"` + "\n"

// wholeScript is a script in one piece, for a pipe.
func wholeScript(script string) string {
	shared := strings.TrimPrefix(runScript, "# shellcheck shell=sh\n")
	return strings.Replace(script, sourceRun, shared, 1)
}

// part is a piece of a script and what it brings; nil is always needed.
type part struct {
	text  string
	kinds []string
}

// partsMark begins a line that names what the lines below bring.
const partsMark = "#: "

// scriptParts takes a script apart at the lines that say what follows brings.
func scriptParts(script string) []part {
	parts := []part{{}}
	for line := range strings.Lines(script) {
		if names, ok := strings.CutPrefix(line, partsMark); ok {
			p := part{}
			if names = strings.TrimSpace(names); names != "end" {
				p.kinds = strings.Split(names, " + ")
			}
			parts = append(parts, p)
		}
		parts[len(parts)-1].text += line
	}
	return parts
}

// only keeps the parts of a script that bring what is wanted; nil wants all.
// It says whether there are any.
func only(script string, wanted []string) (string, bool, error) {
	var out strings.Builder
	found := wanted == nil
	for _, p := range scriptParts(script) {
		brings := slices.ContainsFunc(p.kinds, func(k string) bool { return slices.Contains(wanted, k) })
		if wanted == nil || p.kinds == nil || brings {
			out.WriteString(p.text)
		}
		found = found || brings
	}
	return wholeScript(out.String()), found, nil
}

// sosPlugins are the plugins of sos that bring what; those of none are taken
// always.
var sosPlugins = map[string][]string{
	"kubernetes": {
		string(timeline.KubeletLog), string(timeline.PodObjects), string(timeline.NodeObjects), string(timeline.APIEvents),
		string(timeline.StorageObjects), "object",
	},
	"containerd":    {string(timeline.RuntimeLog), string(timeline.RuntimeState), "containers", "sandbox"},
	"container_log": {string(timeline.ControllerLogs), "logs"},
	"logs":          {string(timeline.KernelLog)},
	"kernel":        {string(timeline.KernelLog)},
	"systemd":       {string(timeline.KubeletLog), string(timeline.RuntimeLog)},
	"process":       {string(timeline.ProcessList), "cgroup"},
	"filesys":       {string(timeline.MountTable)},
	"networking":    {"netns", "ip", "ports"},
}

// onlyPlugins keeps the plugins of the preset that bring what is wanted.
func onlyPlugins(preset string, wanted []string) (string, bool, error) {
	if wanted == nil {
		return preset, true, nil
	}
	var doc map[string]struct {
		Desc string `json:"desc"`
		Note string `json:"note"`
		Args struct {
			Plugins       []string `json:"only_plugins"`
			Options       []string `json:"plugopts"`
			LogSize       int      `json:"log_size"`
			JournalSize   int      `json:"journal_size"`
			PluginTimeout int      `json:"plugin_timeout"`
		} `json:"args"`
	}
	if err := json.Unmarshal([]byte(preset), &doc); err != nil {
		return "", false, fmt.Errorf("the preset: %w", err)
	}
	found := false
	for name, p := range doc {
		p.Args.Plugins = slices.DeleteFunc(p.Args.Plugins, func(plugin string) bool {
			kinds, ok := sosPlugins[plugin]
			brings := slices.ContainsFunc(kinds, func(k string) bool { return slices.Contains(wanted, k) })
			found = found || brings
			return ok && !brings
		})
		p.Args.Options = slices.DeleteFunc(p.Args.Options, func(option string) bool {
			plugin, _, _ := strings.Cut(option, ".")
			return !slices.Contains(p.Args.Plugins, plugin)
		})
		doc[name] = p
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	return string(data) + "\n", found, err
}
