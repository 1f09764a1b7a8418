package parsers

import (
	"bytes"
	"maps"
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
	{`rphaned pod `, timeline.UIDToken},
	{`(UID: `, timeline.UIDToken},
	{`PodSandbox" for `, timeline.UIDToken},
	{`PodSandbox\" for `, timeline.UIDToken},
	{dockerName, timeline.UIDToken},
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
	t := tokens{kinds: map[string]timeline.TokenKind{}, masks: map[string]bool{}}
	var texts [][]byte
	for _, m := range members {
		if m.unmap == nil && len(m.Data) > 0 && !looksBinary(m.Data) {
			texts = append(texts, m.Data)
		}
	}
	const head = 32 << 10
	for _, text := range texts {
		t.find(text[:min(len(text), head)])
	}
	if len(t.kinds) > 0 {
		for _, text := range texts {
			t.dropNames(text[:min(len(text), head)])
		}
	}
	if len(t.kinds) == 0 && len(t.masks) == 0 {
		return nil // a redactor leaves its marks in every file
	}
	for _, text := range texts {
		t.find(text)
	}
	for _, text := range texts {
		t.dropNames(text)
	}
	families := t.families()
	for _, text := range texts {
		for f := range families {
			t.findRelated(text, f, families[f])
		}
	}
	return timeline.NewStandIns(t.kinds, slices.Sorted(maps.Keys(t.masks)))
}

// tokens are what a redactor wrote, as far as they are found.
type tokens struct {
	kinds map[string]timeline.TokenKind
	masks map[string]bool
}

// note takes a token for what its place tells. A hostile bundle holds more
// than anybody needs: the rest is read as it stands.
func (t *tokens) note(token string, kind timeline.TokenKind) {
	const plenty = 100_000
	if known, ok := t.kinds[token]; token != "" && (!ok || known == timeline.NameToken) && len(t.kinds) < plenty {
		t.kinds[token] = kind
	}
}

// find finds the tokens in all places that tell what they are, and those that
// stand between stars.
func (t *tokens) find(text []byte) {
	for _, place := range idPlaces {
		t.findAfter(text, place)
	}
	t.findStarred(text)
}

// dropNames takes those back that are names as well: the UID of an Event's
// Node is the node's name.
func (t *tokens) dropNames(text []byte) {
	for _, before := range [...]string{`ame": `, `ame: `, `ame":`} {
		for at := 0; ; {
			i := bytes.Index(text[at:], []byte(before))
			if i < 0 {
				break
			}
			at += i + len(before)
			if name := tokenAt(text[at:]); name != "" && !strings.HasPrefix(name, "*") {
				delete(t.kinds, name)
			}
		}
	}
}

// findAfter finds the tokens in one kind of place.
func (t *tokens) findAfter(text []byte, place idPlace) {
	before := []byte(place.before)
	for at := 0; ; {
		i := bytes.Index(text[at:], before)
		if i < 0 {
			return
		}
		at += i + len(before)
		if place.before != dockerName {
			t.note(tokenAt(text[at:]), place.kind)
			continue
		}
		if token := tokenAt(uidInDockerName(text[at:])); token != "" {
			t.note(token, place.kind)
			// docker ps begins the row with the container's id.
			row := text[bytes.LastIndexByte(text[:at], '\n')+1:]
			t.note(tokenAt(row), timeline.IDToken)
		}
	}
}

// family is what tokens of one kind have in common around their numbers.
type family struct{ before, after string }

// families are those of which several are known: others of the kind may stand
// in places that tell nothing, such as tables.
func (t *tokens) families() map[family]timeline.TokenKind {
	known, kinds := map[family]int{}, map[family]timeline.TokenKind{}
	for token, kind := range t.kinds {
		if f, ok := familyOf(token); ok && kind != timeline.NameToken {
			if other, mixed := kinds[f]; mixed && other != kind {
				known[f] = -len(t.kinds)
			}
			known[f]++
			kinds[f] = kind
		}
	}
	maps.DeleteFunc(kinds, func(f family, _ timeline.TokenKind) bool { return known[f] < 2 })
	return kinds
}

func familyOf(token string) (family, bool) {
	if strings.HasPrefix(token, "***TOKEN_") { // of a type and a hash
		return family{token[:strings.LastIndexByte(token, '_')+1], "***"}, true
	}
	end := strings.LastIndexAny(token, "0123456789") + 1
	start := end
	for start > 0 && isDigit(token[start-1]) {
		start--
	}
	return family{token[:start], token[end:]}, start >= len("x-")
}

// findRelated finds what else of a family there is.
func (t *tokens) findRelated(text []byte, f family, kind timeline.TokenKind) {
	before := []byte(f.before)
	for at := 0; ; {
		i := bytes.Index(text[at:], before)
		if i < 0 {
			return
		}
		at += i
		token := tokenAt(text[at:])
		if other, ok := familyOf(token); ok && other == f {
			t.note(token, kind)
		}
		at += len(before)
	}
}

// findStarred finds what stands between stars.
func (t *tokens) findStarred(text []byte) {
	if !bytes.Contains(text, []byte("***")) {
		return
	}
	for _, word := range starred.FindAll(text, -1) {
		if isMask(string(word)) {
			t.masks[string(word)] = true
		} else {
			t.note(string(word), timeline.NameToken)
		}
	}
}

// dockerName begins the name that Docker's containers get from the kubelet:
// k8s_CONTAINER_POD_NAMESPACE_UID_ATTEMPT.
const dockerName = "k8s_"

// uidInDockerName is the last part but one of the name whose rest begins there.
func uidInDockerName(text []byte) []byte {
	const longest = 600
	text = text[:min(len(text), longest)]
	if end := bytes.IndexAny(text, " \t\r\n\"',"); end >= 0 {
		text = text[:end]
	}
	text = text[:max(0, bytes.LastIndexByte(text, '_'))]
	from := bytes.LastIndexByte(text, '_') + 1
	if stars := []byte("***"); bytes.HasSuffix(text, stars) { // may hold "_" itself
		from = max(0, bytes.LastIndex(text[:len(text)-len(stars)], stars))
	}
	return append(text[from:len(text):len(text)], ' ')
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
	if stars := []byte("***"); bytes.HasPrefix(text, stars) {
		if end = bytes.Index(text[len(stars):], stars); end >= 0 {
			end += 2 * len(stars)
		}
	}
	const short = 5 // or not ended
	if end < short || end < len(text) && isJunk(text[end]) {
		return ""
	}
	token := string(text[:end])
	bare := strings.ToLower(strings.Trim(token, "*"))
	letters := strings.ContainsFunc(bare, func(r rune) bool { return r >= 'a' && r <= 'z' })
	joined := strings.Contains(bare, "_") && token == bare // POD_NAMESPACE
	if isMask(token) || !letters || joined || beginsUUID(strings.TrimRight(bare, ".")) || isHex(strings.TrimPrefix(bare, "0x")) {
		return ""
	}
	return token
}

// isJunk says whether no writer ends a value so: a damaged file cuts an id in
// two, and the half is no token.
func isJunk(c byte) bool {
	return c >= 0x80 || c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\x1b'
}

// beginsUUID says whether s is a UUID, or as much of one as a cut line or a
// narrow column leaves.
func beginsUUID(s string) bool {
	const some = "00000000-0000-0000-0000-000000000000"
	return len(s) > 0 && len(s) <= len(some) && isUUID(s+some[len(s):])
}

// useStandIns lets a redacted file be read as if it were whole. What it returns
// gives the facts that were read the file's own words again, and the places
// where those stand.
func (f *File) useStandIns(s *timeline.StandIns) (restore func(*timeline.Builder)) {
	nothing := func(*timeline.Builder) {}
	if s == nil {
		return nothing
	}
	f.Node, f.Command = s.Put(f.Node, f.Path), s.Put(f.Command, f.Path)
	original := f.Text
	if f.Text = s.Put(original, f.Path); f.Text == original {
		return nothing
	}
	return func(b *timeline.Builder) {
		starts := map[int]int64{}
		whole := File{Text: original, FirstLine: 1, pieces: f.pieces}
		for l := range whole.lines() {
			starts[l.number] = l.offset
		}
		b.Restore(s.Restore, func(src timeline.Source) timeline.Source {
			if start, ok := starts[src.Line]; ok {
				src.Offset = start
			}
			return src
		})
	}
}
