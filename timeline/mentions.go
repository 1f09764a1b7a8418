package timeline

import "strings"

// Mentioned is what a message names, each once, in the order of appearance.
type Mentioned struct {
	UIDs []string  // pod UIDs in the API's form: lower case, with dashes
	IDs  []string  // container or sandbox ids, whole (64) or shortened (12, 13)
	Pods []PodName // pods by name
}

// PodName is a pod named in a message. UID is set where the same form carries
// it, as in name_namespace(uid).
type PodName struct {
	Namespace, Name, UID string
}

// Classes of bytes for the scanner below.
const (
	letterByte = 1 << iota // a letter or digit that is not hexadecimal
	hexByte
	dnsByte // '-' and '.', which names hold besides letters and digits

	wordByte = letterByte | hexByte
	nameByte = wordByte | dnsByte
)

var byteClass = func() (t [256]uint8) {
	for c := '0'; c <= '9'; c++ {
		t[c] = hexByte
	}
	for c := 'a'; c <= 'z'; c++ {
		t[c], t[c-'a'+'A'] = letterByte, letterByte
	}
	for c := 'a'; c <= 'f'; c++ {
		t[c], t[c-'a'+'A'] = hexByte, hexByte
	}
	t['-'], t['.'] = dnsByte, dnsByte
	return t
}()

// Mentions finds the pods, containers and sandboxes that a message names: UIDs
// (also in systemd's slice and mount unit names), runtime ids, pod="ns/name",
// pods=["ns/a" "ns/b"] and name_ns(uid). It reads the text once, and allocates
// only for what it finds.
func Mentions(text string) Mentioned {
	var m Mentioned
	start := 0 // of the word that ends at i
	for i := 0; i <= len(text); i++ {
		if i < len(text) && byteClass[text[i]]&wordByte != 0 {
			continue
		}
		if n := i - start; n >= 8 {
			if uid, end, ok := uidAt(text, start, i); ok {
				m.addUID(uid)
				if pod, ns, ok := nameBefore(text, i-8); ok {
					m.addPod(PodName{ns, pod, uid})
				}
				start, i = end, end-1
				continue
			}
			if (n == 64 || n == 12 || n == 13) && isRuntimeID(text, start, i) {
				m.addID(strings.ToLower(text[start:i]))
			}
		} else if n >= 3 && i < len(text) && text[i] == '=' {
			if w := text[start:i]; w == "pod" || w == "pods" {
				i = m.podList(text, i+1, w == "pods")
			}
		}
		start = i + 1
	}
	return m
}

// uidAt reads a UID whose first group ends at i. The word that starts at start
// may be longer by the "pod" of a cgroup's name.
func uidAt(text string, start, i int) (uid string, end int, ok bool) {
	n := i - start
	if i == len(text) || n != 8 && (n != 11 || text[start:start+3] != "pod") {
		return "", 0, false
	}
	sep := ""
	switch text[i] {
	case '-':
		sep = "-"
	case '_':
		sep = "_"
	case '\\':
		sep = `\x2d`
		if strings.HasPrefix(text[i:], `\\x2d`) { // quoted once more
			sep = `\\x2d`
		}
	default:
		return "", 0, false
	}
	end = i + 4*len(sep) + 4 + 4 + 4 + 12
	if end > len(text) || end < len(text) && byteClass[text[end]]&wordByte != 0 {
		return "", 0, false
	}
	at := i
	var groups [5]string
	groups[0] = text[i-8 : i]
	for g, size := range [...]int{4, 4, 4, 12} {
		if text[at:at+len(sep)] != sep {
			return "", 0, false
		}
		at += len(sep)
		groups[g+1] = text[at : at+size]
		at += size
	}
	for _, g := range groups {
		if !isHex(g) {
			return "", 0, false
		}
	}
	if sep == "-" {
		return strings.ToLower(text[i-8 : end]), end, true
	}
	return strings.ToLower(strings.Join(groups[:], "-")), end, true
}

// nameBefore reads the name and namespace of name_ns( that ends where a UID
// starts.
func nameBefore(text string, uid int) (pod, ns string, ok bool) {
	if uid < 1 || text[uid-1] != '(' {
		return "", "", false
	}
	end := uid - 1
	at := end
	for at > 0 && byteClass[text[at-1]]&nameByte != 0 {
		at--
	}
	if at == end || at == 0 || text[at-1] != '_' {
		return "", "", false
	}
	ns, end = text[at:end], at-1
	for at = end; at > 0 && byteClass[text[at-1]]&nameByte != 0; {
		at--
	}
	return text[at:end], ns, at < end
}

// isRuntimeID tells whether the word is a container's or sandbox's id. Shortened
// ids must hold both digits and letters and stand alone, so that a number, an
// English word or a piece of a name is none; the digest of an image is none
// either.
func isRuntimeID(text string, start, end int) bool {
	if !isHex(text[start:end]) {
		return false
	}
	if end-start == 64 {
		return !strings.HasSuffix(text[:start], "sha256:")
	}
	if start > 0 && text[start-1] == '-' || end < len(text) && text[end] == '-' {
		return false
	}
	digits, letters := false, false
	for _, c := range []byte(text[start:end]) {
		if c <= '9' {
			digits = true
		} else {
			letters = true
		}
	}
	return digits && letters
}

func isHex(s string) bool {
	for i := 0; i < len(s); i++ {
		if byteClass[s[i]] != hexByte {
			return false
		}
	}
	return true
}

// podList reads "ns/name", or several of them in brackets, from i on. It
// returns the index of the last byte it used.
func (m *Mentioned) podList(text string, i int, several bool) int {
	bracket := false
	for i < len(text) {
		switch c := text[i]; {
		case c == '[':
			bracket = true
			i++
		case c == '"' || c == '\\' || bracket && (c == ' ' || c == ','):
			i++
		case byteClass[c]&nameByte != 0:
			at := i
			for i < len(text) && byteClass[text[i]]&nameByte != 0 {
				i++
			}
			ns := text[at:i]
			if i == len(text) || text[i] != '/' {
				return at - 1
			}
			i++
			at = i
			for i < len(text) && byteClass[text[i]]&nameByte != 0 {
				i++
			}
			if at == i {
				return i - 1
			}
			m.addPod(PodName{Namespace: ns, Name: text[at:i]})
			if !several || !bracket {
				return i - 1
			}
		default:
			return i - 1
		}
	}
	return i - 1
}

func (m *Mentioned) addUID(uid string) { m.UIDs = once(m.UIDs, uid) }
func (m *Mentioned) addID(id string)   { m.IDs = once(m.IDs, id) }

func (m *Mentioned) addPod(p PodName) {
	if !Anonymous(p.Namespace) && !Anonymous(p.Name) {
		m.Pods = once(m.Pods, p)
	}
}

func once[T comparable](list []T, v T) []T {
	for _, w := range list {
		if w == v {
			return list
		}
	}
	return append(list, v)
}
