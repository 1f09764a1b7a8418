package analyzer

import (
	"slices"
	"strconv"
	"strings"

	"podautopsy/timeline"
)

// describeBundle says what was read: inputs, nodes, and what lacks.
func (s *scene) describeBundle(opt Options, findings []*finding) Bundle {
	b := Bundle{
		Paths: opt.Paths, Layout: s.tl.Layout, CapturedAt: moment(s.tl.CapturedAt), CapturedAtSource: s.tl.CapturedFrom,
		Layouts: []Layout{}, Inputs: []Input{}, Nodes: []Node{}, Lacks: s.apiLacks(), Missing: []Missing{},
	}
	for _, l := range s.tl.Layouts {
		b.Layouts = append(b.Layouts, Layout{Name: l.Name, Root: l.Root, Specimen: l.Specimen})
	}
	if b.Paths == nil {
		b.Paths = []string{}
	}
	for i := range s.tl.Inputs {
		b.Inputs = append(b.Inputs, describeInput(&s.tl.Inputs[i]))
	}
	var names []string
	for name := range s.nodes {
		names = append(names, name)
	}
	slices.Sort(names)
	matters := map[string]bool{}
	for _, f := range findings {
		if f.q.node != nil && f.outcome != Clean && f.outcome != NotDeleting {
			matters[f.q.node.name] = true
		}
	}
	for _, name := range names {
		n := s.nodes[name]
		runtime := n.logs[timeline.Containerd] != nil || n.logs[timeline.CRIO] != nil || n.logs[timeline.Dockerd] != nil
		described := Node{
			Name: name, ClockSkewFrom: []string{}, Logs: n.nodeLogs(), Lacks: s.nodeLacks(n, matters[name]),
			Versions: Versions{Kubelet: n.kubelet, Runtime: n.runtime, Kernel: n.kernel},
			Evidence: NodeEvidence{
				KubeletLog: n.logs[timeline.Kubelet] != nil, RuntimeLog: runtime,
				RuntimeState: n.dumped || len(n.containers) > 0, Mounts: len(n.mounts) > 0, Processes: len(n.processes) > 0,
			},
		}
		s.describeClock(&described)
		b.Nodes = append(b.Nodes, described)
	}
	for _, f := range findings {
		if f.outcome != Stuck && f.outcome != Residue && f.outcome != Inconclusive {
			continue
		}
		for _, m := range f.q.missing(f) {
			if !slices.ContainsFunc(b.Missing, func(x Missing) bool { return x.What == m.What }) {
				b.Missing = append(b.Missing, m)
			}
		}
	}
	return b
}

func describeInput(in *timeline.Input) Input {
	out := Input{
		Path: in.Path, Bytes: in.Bytes, SHA256: in.SHA256, Format: in.Format, Unused: in.Unused, Node: word(in.Node), Records: in.Records,
		FirstTime: moment(in.First), LastTime: moment(in.Last), CapturedAt: moment(in.CapturedAt),
		TimeZone: TimeZone{Name: in.Zone, Known: string(in.ZoneKnown), Year: string(in.YearKnown)},
		Command:  in.Command, Empty: in.Empty, Skimmed: in.Skimmed, Gaps: []Gap{},
	}
	for _, g := range in.Gaps {
		detail := g.Detail
		if g.Source.Line > 0 && !strings.HasPrefix(detail, "line ") {
			detail = "line " + strconv.Itoa(g.Source.Line) + ": " + detail
		}
		out.Gaps = append(out.Gaps, Gap{Kind: string(g.Kind), Detail: detail, Of: g.Of, From: moment(g.From), To: moment(g.To)})
	}
	return out
}
