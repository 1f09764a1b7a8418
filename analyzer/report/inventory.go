package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// InventoryText writes what the bundle holds: per node, file by file, and what
// an analysis would miss.
func InventoryText(w io.Writer, doc *analyzer.Document, opt Options) error {
	v, p := newView(doc, opt), newPage(opt)
	b := &doc.Bundle
	c := opt.clock(b.CapturedAt)
	p.masthead(v)
	if doc.Partial {
		p.paragraph("", p.styles.bad.Render("PARTIAL: interrupted before everything was read."))
	}
	p.paragraph("", "layout "+orUnknown(printable(b.Layout))+capturedBy(b))

	if len(b.Nodes) > 0 {
		p.heading("NODES", "")
	}
	for _, n := range b.Nodes {
		p.paragraph("  "+p.marks.bullet+" ", p.styles.strong.Render(printable(n.Name))+"  "+nodeVersions(n.Versions))
		p.paragraph("    ", nodeEvidence(n.Evidence))
		if s := skew(n, opt.ASCII); s != "" {
			p.paragraph("    ", s)
		}
	}
	for _, g := range byNode(b.Inputs) {
		title := "no node"
		if g.node != "" {
			title = "node " + printable(g.node)
		}
		p.heading("INPUTS", fmt.Sprintf("%s, %s", title, plural(len(g.inputs), "file")))
		for _, in := range g.inputs {
			inventoryInput(p, in, c)
		}
	}
	if len(b.Missing) > 0 {
		t := &text{view: v, page: p}
		t.opt.Why = true // an inventory is the place for the whole list
		t.missing(b.Missing)
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	return nil
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func capturedBy(b *analyzer.Bundle) string {
	if b.CapturedAt == nil || b.CapturedAtSource == "" {
		return ""
	}
	return ", capture time from " + printable(b.CapturedAtSource)
}

func nodeVersions(v analyzer.Versions) string {
	return printable("kubelet " + orUnknown(v.Kubelet) + ", runtime " + orUnknown(v.Runtime) + ", kernel " + orUnknown(v.Kernel))
}

func nodeEvidence(e analyzer.NodeEvidence) string {
	var has, lacks []string
	for _, k := range []struct {
		name string
		ok   bool
	}{
		{"kubelet log", e.KubeletLog},
		{"runtime log", e.RuntimeLog},
		{"runtime state", e.RuntimeState},
		{"mounts", e.Mounts},
		{"processes", e.Processes},
	} {
		if k.ok {
			has = append(has, k.name)
		} else {
			lacks = append(lacks, k.name)
		}
	}
	s := "has " + strings.Join(has, ", ")
	if len(has) == 0 {
		s = "has nothing"
	}
	if len(lacks) > 0 {
		s += "; lacks " + strings.Join(lacks, ", ")
	}
	return s
}

// skew is what is known of a node's clock; "" of a node that dated nothing.
func skew(n analyzer.Node, ascii bool) string {
	if n.ClockSkewSeconds == nil {
		s := ""
		if n.ClockSkewAsk != "" {
			s = "clock: unknown beside the API server's; would tell: " + printable(n.ClockSkewAsk)
		}
		if n.ClockSkewApplied && n.ClockSkewSince != nil {
			s = strings.TrimPrefix(s+"; ", "; ") + "set at " + since(n) + ", its times before that are put onto the same clock"
		}
		return s
	}
	s := "clock " + ahead(*n.ClockSkewSeconds) + " from the API server's"
	if n.ClockSkewSpread != nil {
		s += fmt.Sprintf(", %s%.1fs", plusMinus(ascii), *n.ClockSkewSpread)
	}
	if n.ClockSkewSince != nil {
		s += ", since " + since(n)
	}
	if n.ClockSkewApplied {
		s += ", its times are corrected"
	}
	if n.ClockSkewMethod != "" {
		s += "; from " + printable(n.ClockSkewMethod)
	}
	return strings.TrimSpace(s + " " + cited(n.ClockSkewFrom))
}

// since is when a node's clock was last set, by that clock.
func since(n analyzer.Node) string {
	return clock{loc: time.UTC}.full(*n.ClockSkewSince) + " by itself"
}

// nodeInputs is the files of one node, "" for those of none.
type nodeInputs struct {
	node   string
	inputs []analyzer.Input
}

func byNode(inputs []analyzer.Input) []*nodeInputs {
	var out []*nodeInputs
	found := map[string]*nodeInputs{}
	for _, in := range inputs {
		n := value(in.Node)
		g := found[n]
		if g == nil {
			g = &nodeInputs{node: n}
			found[n] = g
			out = append(out, g)
		}
		g.inputs = append(g.inputs, in)
	}
	return out
}

func inventoryInput(p *page, in analyzer.Input, c clock) {
	format := p.styles.warn.Render("not read")
	switch {
	case in.Format != "":
		format = printable(in.Format)
	case in.Unused != "":
		format = p.styles.faint.Render("known, not used: " + printable(in.Unused))
	}
	p.paragraph("  "+p.marks.bullet+" ", printable(in.Path)+"  "+format+"  "+plural(in.Records, "record")+
		p.styles.faint.Render(timeRange(in, c, p.marks.dash)))
	for _, g := range in.Gaps {
		p.paragraph("      ", p.styles.warn.Render(printable(g.Kind))+" "+printable(g.Detail))
	}
}

// timeRange is the first and last time of a file and how its zone is known.
func timeRange(in analyzer.Input, c clock, dash string) string {
	if in.FirstTime == nil || in.LastTime == nil {
		return ""
	}
	s := "  " + c.short(*in.FirstTime, 1) + " " + dash + " " + c.short(*in.LastTime, 1)
	if in.TimeZone.Name != "" {
		s += "  " + printable(in.TimeZone.Name) + " " + printable(in.TimeZone.Known)
		if in.TimeZone.Year != "" && in.TimeZone.Year != given {
			s += ", year " + printable(in.TimeZone.Year)
		}
	}
	return s
}

// InventoryMarkdown writes the same as tables.
func InventoryMarkdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	b := &doc.Bundle
	m := &markdown{view: newView(doc, opt), amount: amounts[0]}
	c := opt.clock(b.CapturedAt)
	m.line("### Bundle inventory")
	m.line("")
	m.line(prose(strings.Join(bundleLine(m.view, opt.clock(nil)), ", ") + ", layout " + orUnknown(b.Layout) + capturedBy(b)))
	if len(b.Nodes) > 0 {
		m.line("")
		m.line("| Node | Versions | Evidence | Clock |")
		m.line("|---|---|---|---|")
		for _, n := range b.Nodes {
			m.row(code(n.Name), cell(nodeVersions(n.Versions)), cell(nodeEvidence(n.Evidence)), cell(skew(n, false)))
		}
	}
	m.line("")
	m.line("| File | Node | Format | Records | Times | Gaps |")
	m.line("|---|---|---|---:|---|---|")
	for _, in := range b.Inputs {
		var gaps []string
		for _, g := range in.Gaps {
			gaps = append(gaps, g.Kind+": "+g.Detail)
		}
		m.row(code(in.Path), cell(value(in.Node)), cell(orUnused(in)), fmt.Sprint(in.Records),
			cell(strings.TrimSpace(timeRange(in, c, "–"))), cell(shorten(quote(strings.Join(gaps, "; ")), m.quote, "…")))
	}
	m.missing(b.Missing)
	return m.flush(w)
}

func orUnused(in analyzer.Input) string {
	if in.Format == "" && in.Unused != "" {
		return "known, not used: " + in.Unused
	}
	return orUnread(in.Format)
}

func orUnread(format string) string {
	if format == "" {
		return "not read"
	}
	return format
}
