package parsers

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"podautopsy/timeline"
)

// idPlace is a place where an id stands in dumps and logs, whatever its shape.
type idPlace struct {
	before string
	kind   timeline.TokenKind
}

var idPlaces = []idPlace{
	{`"uid":`, timeline.UIDToken},
	{` uid: `, timeline.UIDToken},
	{`podUID=`, timeline.UIDToken},
	{`.pod.uid":`, timeline.UIDToken},
	{`.pod.uid: `, timeline.UIDToken},
	{`/kubelet/pods/`, timeline.UIDToken},
	{`ontainerID":`, timeline.IDToken},
	{`ontainerID: `, timeline.IDToken},
	{`ontainerID=`, timeline.IDToken},
	{`ontainer ID: `, timeline.IDToken},
	{`andboxID=`, timeline.IDToken},
	{`andboxId":`, timeline.IDToken},
	{`andbox_id":`, timeline.IDToken},
	{`ontainer for `, timeline.IDToken},
	{`andbox for `, timeline.IDToken},
}

// starred is how Troubleshoot's redactor writes what it took out.
var starred = regexp.MustCompile(`\*\*\*[A-Za-z0-9_]{3,80}\*\*\*`)

// isMask says whether a redactor's word is the same for everything.
func isMask(word string) bool {
	return !strings.ContainsAny(word, "0123456789") || strings.Contains(word, "HIDDEN") || strings.Contains(word, "REDACTED")
}

// findStandIns looks through the files for what a redactor put in place of ids
// and names; nil if there is nothing.
func findStandIns(members []*Member) *timeline.StandIns {
	tokens := map[string]timeline.TokenKind{}
	masks := map[string]bool{}
	for _, m := range members {
		if len(m.Data) == 0 || looksBinary(m.Data) {
			continue
		}
		for _, place := range idPlaces {
			for rest := m.Data; ; {
				_, after, found := bytes.Cut(rest, []byte(place.before))
				if !found {
					break
				}
				rest = after
				if token := tokenAt(after); token != "" && tokens[token] != timeline.UIDToken {
					tokens[token] = place.kind
				}
			}
		}
		if bytes.Contains(m.Data, []byte("***")) {
			for _, word := range starred.FindAll(m.Data, -1) {
				if isMask(string(word)) {
					masks[string(word)] = true
				} else if _, known := tokens[string(word)]; !known {
					tokens[string(word)] = timeline.NameToken
				}
			}
		}
		const plenty = 100_000 // a hostile bundle's; the rest is read as it stands
		if len(tokens) > plenty {
			break
		}
	}
	words := make([]string, 0, len(masks))
	for mask := range masks {
		words = append(words, mask)
	}
	slices.Sort(words)
	return timeline.NewStandIns(tokens, words)
}

// tokenAt is the token that begins there in place of an id; "" for an id, or
// for what is no token either.
func tokenAt(text []byte) string {
	const longest = 100
	text = bytes.TrimLeft(text[:min(len(text), longest)], ` "'\`)
	if _, id, found := bytes.Cut(text, []byte("://")); found && bytes.IndexAny(text, ` "'\`) != 0 {
		switch string(text[:len(text)-len(id)-len("://")]) {
		case "containerd", "cri-o", "docker":
			text = id
		}
	}
	end := bytes.IndexFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_' && r != '*' && r != '.'
	})
	if end < 5 { // too short to be told from words, or not ended
		return ""
	}
	token := string(text[:end])
	bare := strings.ToLower(strings.Trim(token, "*"))
	letters := strings.ContainsFunc(bare, func(r rune) bool { return r >= 'a' && r <= 'z' })
	if isMask(token) || !letters || isUUID(bare) || isHex(bare) {
		return ""
	}
	return token
}

// useStandIns lets a redacted file be read as if it were whole. What it returns
// gives the facts that were read the file's own words again, and the places
// where those stand.
func (f *File) useStandIns(s *timeline.StandIns) (restore func(*timeline.Builder)) {
	nothing := func(*timeline.Builder) {}
	if s == nil || strings.Contains(f.head(), "\x00") {
		return nothing
	}
	f.Node, f.Command = s.Put(f.Node, f.Path), s.Put(f.Command, f.Path)
	original := f.Text
	if f.Text = s.Put(original, f.Path); f.Text == original {
		return nothing
	}
	return func(b *timeline.Builder) {
		starts := lineStarts(original)
		b.Restore(s.Restore, func(src timeline.Source) timeline.Source {
			if src.Line > 0 && src.Line <= len(starts) {
				src.Offset = starts[src.Line-1]
			}
			return src
		})
	}
}

// lineStarts are the offsets at which the lines of a text begin.
func lineStarts(text string) []int64 {
	starts := []int64{0}
	for i := range len(text) {
		if text[i] == '\n' {
			starts = append(starts, int64(i+1))
		}
	}
	return starts
}
