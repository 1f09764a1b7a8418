package report

import (
	"fmt"
	"io"
	"strings"

	"podautopsy/analyzer"
)

// InventoryMarkdown writes the same as tables.
func InventoryMarkdown(w io.Writer, doc *analyzer.Document, opt Options) error {
	if opt.Pods {
		return patrolMarkdown(w, doc, opt)
	}
	b := &doc.Bundle
	opt.Files = opt.Files || len(b.Inputs) <= onePage
	m := &markdown{view: newView(doc, opt), amount: amounts[0]}
	c := opt.clock(b.CapturedAt)
	m.line("### Bundle inventory")
	m.line("")
	m.line(prose(strings.Join(bundleLine(m.view, opt.clock(nil)), ", ") + ", layout " + orUnknown(b.Layout) + capturedBy(b) + ". " + stateLine(b.Inputs) + "."))
	told := map[string]bool{}
	for n, l := range b.Layouts {
		if n == 0 {
			m.line("")
		}
		if !told[l.Name] {
			m.line("- " + prose(l.Name+": "+verified(l)))
		}
		told[l.Name] = true
	}
	m.inventoryNodes(b)
	if len(b.Lacks) > 0 {
		m.section("Lacking from the API server")
		m.lacks(b.Lacks)
	}
	m.missing(beyond(b))
	if kinds, of := gapsByKind(b.Inputs); len(kinds) > 0 {
		m.section("Gaps")
		m.line("| Kind | Where | What |")
		m.line("|---|---|---|")
		for _, kind := range kinds {
			groups := alike(of[kind])
			for n, group := range groups {
				if n == m.rows {
					m.row(cell(kind), cell(fmt.Sprintf("and %d more kinds of it", len(groups)-n)), "")
					break
				}
				g, more := group[0], ""
				if n := len(group) - 1; n > 0 {
					more = fmt.Sprintf(", and %s like it", thousands(n))
				}
				m.row(cell(kind), code(shownPath(b, g.in.Path)), cell(shorten(quote(g.gap.Detail), m.quote, "…")+more))
			}
		}
	}
	m.inventoryFiles(b, c)
	return m.flush(w)
}

func (m *markdown) inventoryNodes(b *analyzer.Bundle) {
	if len(b.Nodes) == 0 {
		return
	}
	m.line("")
	m.line("| Node | Versions | Evidence | Logs | Clock |")
	m.line("|---|---|---|---|---|")
	told, silent := collectedOn(b.Nodes)
	if len(silent) > 0 && len(told) == 0 {
		told, silent = silent[:1], silent[1:]
	}
	for n, node := range told {
		if n == m.rows && !m.opt.Files {
			m.row(cell(fmt.Sprintf("and %d more", len(told)-n)), "", "", "", "")
			break
		}
		var logs []string
		for _, l := range node.Logs {
			s := l.Component
			if l.From != nil && l.To != nil {
				s += " " + m.opt.clock(b.CapturedAt).short(*l.From, 1) + " – " + m.opt.clock(b.CapturedAt).short(*l.To, 1)
			}
			if len(l.Holes) > 0 {
				s += " with " + plural(len(l.Holes), "hole")
			}
			logs = append(logs, s)
		}
		m.row(code(node.Name), cell(nodeVersions(node.Versions)), cell(nodeEvidence(node.Evidence)), cell(strings.Join(logs, "; ")), cell(skew(node, false)))
	}
	if len(silent) > 0 {
		m.row(cell(plural(len(silent), "more node")), "", cell("nothing was collected there"), "", "")
	}
	var lacks []analyzer.Missing
	for _, node := range b.Nodes {
		lacks = append(lacks, node.Lacks...)
	}
	if len(lacks) > 0 {
		m.section("Lacking on nodes")
		m.lacks(lacks)
	}
}

// lacks lists what is not there, with what brings it.
func (m *markdown) lacks(list []analyzer.Missing) {
	for n, x := range list {
		if n == m.rows && !m.opt.Files {
			m.line(fmt.Sprintf("- and %d more", len(list)-n))
			break
		}
		m.line("- " + prose(x.What))
		m.command("  ", x.Command)
		if x.Collector != "" {
			m.line("  or " + code(x.Collector))
		}
	}
}

func (m *markdown) inventoryFiles(b *analyzer.Bundle, c clock) {
	m.section("Files")
	if !m.opt.Files {
		m.line("| Files | Format | Records | Folder |")
		m.line("|---:|---|---:|---|")
		rows := foldersOn(b, m.rows)
		for n, r := range rows {
			if n == 2*m.rows {
				m.row(cell(fmt.Sprintf("and %d more rows", len(rows)-n)), "", "", "")
				break
			}
			m.row(thousands(r.files), cell(r.format), thousands(r.records), code(r.root+r.path))
		}
		return
	}
	m.line("| File | Node | Format | Records | Times |")
	m.line("|---|---|---|---:|---|")
	for n := range b.Inputs {
		in := &b.Inputs[n]
		format := in.Format
		if s := state(in); s != "read" && s != "archive" {
			format = formatWord(in, s)
		}
		m.row(code(in.Path), cell(value(in.Node)), cell(format), fmt.Sprint(in.Records), cell(strings.TrimSpace(timeRange(*in, c, "–"))))
	}
}
