package parsers

import (
	"cmp"
	"slices"

	"podautopsy/timeline"
)

// found lists the bundles by their roots.
func (b foundBundles) found() []timeline.FoundLayout {
	var list []timeline.FoundLayout
	add := func(root string, l Layout) {
		list = append(list, timeline.FoundLayout{Name: l.Name, Root: root, Specimen: l.Specimen, Fills: l.Fills})
	}
	for root, layout := range b.roots {
		add(root, layout)
	}
	if len(b.loose) > 0 || len(list) == 0 {
		add("", kubectlLayout)
	}
	slices.SortFunc(list, func(x, y timeline.FoundLayout) int {
		return cmp.Or(cmp.Compare(x.Root, y.Root), cmp.Compare(x.Name, y.Name))
	})
	return list
}
