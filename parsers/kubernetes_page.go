package parsers

import (
	"fmt"
	"strconv"
	"strings"

	"podautopsy/timeline"
)

// page is what a list's metadata says of what is not in it: the API hands out
// long lists in pages, and a page that is saved alone looks like a whole list.
type page struct {
	continues bool  // a token asks for the next one
	remaining int64 // items of the next ones, where the API counts them
	line      int   // where that stands
}

// partial says that items are missing after the page.
func (p page) partial() bool { return p.continues || p.remaining > 0 }

// note notes a field of the list's metadata.
func (p *page) note(key, value string, line int) {
	switch key {
	case "continue":
		p.continues = value != "" && value != "null" && value != "~"
	case "remainingItemCount":
		p.remaining, _ = strconv.ParseInt(value, 10, 64)
	default:
		return
	}
	if p.line == 0 && p.partial() {
		p.line = line
	}
}

// paged marks a list that is only one of several pages.
func (d *dump) paged(l *objectList, p page) {
	if !p.partial() {
		return
	}
	l.lost = true
	missing := "what follows is not in it"
	switch {
	case p.remaining == 1:
		missing = "1 item is not in it"
	case p.remaining > 1:
		missing = fmt.Sprintf("%d items are not in it", p.remaining)
	}
	d.b.Gap(timeline.GapTruncated, p.line, "the list is one page of several; "+missing)
}

// jsonPage reads the metadata of a list.
func (m *manifest) jsonPage(metadata jsonMember) page {
	var p page
	value := m.text[metadata.from:metadata.to]
	for field := range jsonMembers(value) {
		number, _ := m.lineOf(m.at + metadata.from + field.at)
		p.note(field.key, strings.Trim(value[field.from:field.to], `"`), number)
	}
	return p
}

// yamlPage reads the metadata of a list, which begins at in file.Text.
func (m *manifest) yamlPage(at int) page {
	var p page
	text := m.file.Text[at : m.at+len(m.text)]
	// It ends where the next key of the list begins, or the items' dashes.
	end := lineLength(text)
	for end < len(text) && strings.IndexByte(" \t\r\n#", text[end]) >= 0 {
		end += lineLength(text[end:])
	}
	if !strings.Contains(text[:end], "continue") && !strings.Contains(text[:end], "remainingItemCount") {
		return p
	}
	root, err := yamlRoot(text[:end])
	if err != nil {
		return p
	}
	_, metadata := findYAML(root, []string{"metadata"})
	if metadata == nil {
		return p
	}
	first, _ := m.lineOf(at)
	for i := 0; i+1 < len(metadata.Content); i += 2 {
		key, value := metadata.Content[i], metadata.Content[i+1]
		p.note(key.Value, value.Value, first+key.Line-1)
	}
	return p
}
