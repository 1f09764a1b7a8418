package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"podautopsy/analyzer"
)

// InventoryText writes what the bundle holds: what each node has and lacks,
// the gaps, and the files by folder; few of them, or with Options.Files all,
// one by one.
func InventoryText(w io.Writer, doc *analyzer.Document, opt Options) error {
	if opt.Pods {
		return patrolText(w, doc, opt)
	}
	v, p := newView(doc, opt), newPage(opt)
	b := &doc.Bundle
	i := &inventory{page: p, clock: opt.clock(b.CapturedAt), bundle: b}
	p.masthead(v)
	if doc.Partial {
		p.paragraph("", p.styles.bad.Render("PARTIAL: interrupted before everything was read."))
	}
	p.paragraph("", "layout "+orUnknown(printable(b.Layout))+capturedBy(b))
	p.paragraph("", stateLine(b.Inputs))
	i.layouts()
	i.nodes(opt)
	i.apiSide()
	t := &text{view: v, page: p}
	t.opt.Why = true // an inventory is the place for the whole list
	t.missing(beyond(b))
	if opt.Files || len(b.Inputs) <= onePage {
		i.files()
	} else {
		i.gaps()
		i.zones()
		i.folders()
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("writing the inventory: %w", err)
	}
	return nil
}

// inventory writes the parts of an inventory to a page.
type inventory struct {
	*page
	clock  clock
	bundle *analyzer.Bundle
}

// layouts says which collectors made what was read, and of which nobody has
// shown that they are read rightly.
func (i *inventory) layouts() {
	if len(i.bundle.Layouts) == 0 || len(i.bundle.Layouts) == 1 && i.bundle.Layouts[0].Name == "kubectl" {
		return
	}
	i.heading("BUNDLES", "")
	told := map[string]bool{}
	for _, l := range i.bundle.Layouts {
		if told[l.Name] {
			continue
		}
		told[l.Name] = true
		i.paragraph("  "+i.marks.bullet+" ", i.styles.strong.Render(printable(l.Name))+"  "+i.styles.faint.Render(verified(l)))
		n := 0
		for _, other := range i.bundle.Layouts {
			if other.Name != l.Name || other.Root == "" {
				continue
			}
			if n++; n <= fewEnough {
				i.paragraph("    ", printable(other.Root))
			}
		}
		if n > fewEnough {
			i.paragraph("    ", fmt.Sprintf("and %d more", n-fewEnough))
		}
	}
}

// verified says what the reading of a layout rests on.
func verified(l analyzer.Layout) string {
	switch {
	case l.Name == "kubectl":
		return "files are told by their content"
	case l.Specimen == "":
		return "unverified: rests on the collector's source code, not on a bundle that it made"
	}
	return "verified on " + printable(l.Specimen)
}

// apiSide says what is lacking of what the API server tells.
func (i *inventory) apiSide() {
	if len(i.bundle.Lacks) == 0 {
		return
	}
	i.heading("API SERVER", "what the bundle has nothing of")
	i.lacks("  ", i.bundle.Lacks)
}

// lacks lists what is not there, with what brings it.
func (i *inventory) lacks(indent string, list []analyzer.Missing) {
	for _, m := range list {
		line := "lacks " + printable(m.What)
		if m.Would != "" {
			line += "; would " + printable(m.Would)
		}
		i.paragraph(indent+i.marks.bullet+" ", line)
		i.command(m)
	}
}

// command is how to get something: by hand, and by the bundle's collector.
func (i *inventory) command(m analyzer.Missing) {
	for line := range strings.Lines(m.Command) {
		i.verbatim("     $ " + printable(strings.TrimRight(line, "\r\n")))
	}
	if m.Collector == "" {
		return
	}
	command, remark, _ := strings.Cut(printable(m.Collector), " (")
	i.verbatim("    or " + command)
	if remark != "" {
		i.paragraph("       ", "("+remark)
	}
}

// beyond is what verdicts ask for, less what is told with a node or the API
// server already.
func beyond(b *analyzer.Bundle) []analyzer.Missing {
	told := map[string]bool{}
	for _, m := range b.Lacks {
		told[m.Command] = true
	}
	for _, n := range b.Nodes {
		for _, m := range n.Lacks {
			told[m.Command] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(b.Missing), func(m analyzer.Missing) bool { return told[m.Command] })
}

// onePage is how many files are listed one by one where nobody asks for it.
const onePage = 24

// fewEnough is how many of a kind are told one by one.
const fewEnough = 20

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

func orUnread(format string) string {
	if format == "" {
		return "not read"
	}
	return format
}
