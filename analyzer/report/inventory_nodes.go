package report

import (
	"fmt"
	"strings"

	"podautopsy/analyzer"
)

// nodes says of each node what the bundle has of it, from when to when, and
// what it lacks. Of nodes that it has nothing of, only the names.
func (i *inventory) nodes(opt Options) {
	told, silent := collectedOn(i.bundle.Nodes)
	if len(i.bundle.Nodes) > 0 {
		i.heading("NODES", "")
	}
	for _, n := range told {
		i.node(n, opt)
	}
	if len(silent) == 0 {
		return
	}
	var names []string
	for _, n := range silent[:min(len(silent), fewEnough)] {
		names = append(names, printable(n.Name))
	}
	more := ""
	if n := len(silent) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	i.paragraph("  "+i.marks.bullet+" ", strings.Join(names, ", ")+more+"  nothing was collected on "+them(len(silent)))
}

// collectedOn parts the nodes that something is known of from those that
// nothing was collected on.
func collectedOn(nodes []analyzer.Node) (told, silent []analyzer.Node) {
	for _, n := range nodes {
		if n.Evidence == (analyzer.NodeEvidence{}) && len(n.Logs) == 0 && len(n.Lacks) == 0 {
			silent = append(silent, n)
		} else {
			told = append(told, n)
		}
	}
	return told, silent
}

func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func (i *inventory) node(n analyzer.Node, opt Options) {
	i.paragraph("  "+i.marks.bullet+" ", i.styles.strong.Render(printable(n.Name))+"  "+nodeVersions(n.Versions))
	i.paragraph("    ", nodeEvidence(n.Evidence))
	for _, l := range n.Logs {
		i.log(l)
	}
	if s := skew(n, opt.ASCII); s != "" {
		i.paragraph("    ", s)
	}
	i.lacks("    ", n.Lacks)
}

// log says what the log of a program covers, and where it does not.
func (i *inventory) log(l analyzer.NodeLog) {
	s := i.between(l.From, l.To) + "  " + plural(l.Lines, "line")
	if l.Verbosity != nil {
		s += fmt.Sprintf(", -v=%d or more", *l.Verbosity)
	}
	if len(l.Files) > 1 {
		s += fmt.Sprintf(", in %d files", len(l.Files))
	}
	lead := "    " + pad(printable(l.Component), 11)
	i.paragraph(lead, s)
	for n, h := range l.Holes {
		if n == fewHoles && len(l.Holes) > fewHoles+1 {
			i.paragraph("      ", i.styles.warn.Render(fmt.Sprintf("and %d more holes", len(l.Holes)-n)))
			break
		}
		at := printable(h.File)
		if h.Line != nil {
			at = fmt.Sprintf("%s:%d", at, *h.Line)
		}
		i.paragraph("      ", i.styles.warn.Render("hole "+printable(h.Kind))+" "+i.between(h.From, h.To)+": "+quote(h.Detail)+" ("+at+")")
	}
}

// fewHoles of one log are told one by one.
const fewHoles = 4
