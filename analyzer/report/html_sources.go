package report

import (
	"fmt"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

// htmlSources is what the report was made from and with: enough to check it.
type htmlSources struct {
	Schema     string
	Signatures string
	Digest     string
	Layout     string
	Paths      []string
	CapturedBy string
	Nodes      []htmlNode
	Inputs     []htmlInput // that are cited
	Others     []htmlInput
	OthersAre  string
	More       string
}

type htmlNode struct {
	Name, Versions, Evidence, Clock string
	From                            []words
}

type htmlInput struct {
	Path, Node, Format, Size, SHA256, Times, Zone string
	Records                                       int
	Gaps                                          []string
}

// sources fills in what was read, how times were understood, and the limits.
func (h *htmlPage) sources() {
	v, b := h.view, &h.view.doc.Bundle
	src := htmlSources{
		Schema: clip(v.doc.Schema, 100), Signatures: fmt.Sprint(v.doc.Tool.Signatures.Count), Digest: clip(v.doc.Tool.Signatures.Digest, 120),
		Layout: orUnknown(clip(b.Layout, 100)), CapturedBy: clip(b.CapturedAtSource, 300),
	}
	for i, p := range b.Paths {
		if i == h.amount.list {
			break
		}
		src.Paths = append(src.Paths, clip(p, 400))
	}
	for i, n := range b.Nodes {
		if i == h.amount.list {
			break
		}
		row := htmlNode{Name: clip(n.Name, 200), Versions: clip(nodeVersions(n.Versions), 300), Evidence: nodeEvidence(n.Evidence), From: h.refs(n.ClockSkewFrom)}
		n.ClockSkewFrom = nil
		row.Clock = clip(skew(n, false), 600)
		src.Nodes = append(src.Nodes, row)
	}
	// The files that the report cites come first: the others only where there
	// is room.
	cited := map[string]bool{}
	for _, e := range h.homes {
		cited[e.File] = true
	}
	inputs := slices.Clone(b.Inputs)
	slices.SortStableFunc(inputs, func(a, b analyzer.Input) int { return rank(cited, a) - rank(cited, b) })
	c := v.opt.clock(b.CapturedAt)
	for i, in := range inputs {
		if i == h.amount.list {
			src.More = fmt.Sprintf("and %d more, which are in the JSON report", len(inputs)-i)
			break
		}
		row := htmlInput{
			Path: clip(in.Path, 600), Node: clip(value(in.Node), 200), Format: orUnread(clip(in.Format, 60)), Size: fmt.Sprintf("%d B", in.Bytes),
			SHA256: clip(in.SHA256, 80), Records: in.Records,
		}
		if in.FirstTime != nil && in.LastTime != nil {
			row.Times = c.short(*in.FirstTime, 1) + " – " + c.short(*in.LastTime, 1)
			row.Zone = strings.TrimSpace(clip(in.TimeZone.Name, 60) + " " + clip(in.TimeZone.Known, 40))
			if in.TimeZone.Year == assumed {
				row.Zone += ", year assumed"
			}
		}
		for j, g := range in.Gaps {
			if j == 6 {
				row.Gaps = append(row.Gaps, fmt.Sprintf("and %d more gaps", len(in.Gaps)-j))
				break
			}
			row.Gaps = append(row.Gaps, clip(g.Kind+": "+g.Detail, 200))
		}
		if cited[in.Path] {
			src.Inputs = append(src.Inputs, row)
		} else {
			src.Others = append(src.Others, row)
		}
	}
	if len(src.Inputs) == 0 {
		src.Inputs, src.Others = src.Others, nil
	}
	src.OthersAre = plural(len(src.Others), "file") + " that the report does not cite"
	h.Sources = src
	for _, l := range limits(v) {
		h.Limits = append(h.Limits, clip(l, 400))
	}
}

func rank(cited map[string]bool, in analyzer.Input) int {
	switch {
	case cited[in.Path]:
		return 0
	case in.Format == "":
		return 2
	}
	return 1
}
