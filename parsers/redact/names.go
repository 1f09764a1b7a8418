package redact

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// names are the words and phrases that are replaced, and what by.
type names struct {
	tokens  map[string]string // by phrase, in lower case
	classes map[string]Class
	byWord  map[string][]string // phrases by their first word, the longest first
	kept    map[string]Class    // names that are words of Kubernetes
	used    map[string]bool     // tokens, and words of the bundle that look like some
	next    map[Class]int
	// protected are texts that stay as they are wherever they stand: finalizers,
	// names of drivers, what signatures look for.
	protected  map[string]bool
	vocabulary func(word string) bool
}

func newNames(vocabulary func(word string) bool) *names {
	return &names{
		tokens: map[string]string{}, classes: map[string]Class{}, byWord: map[string][]string{}, kept: map[string]Class{},
		used: map[string]bool{}, next: map[Class]int{}, protected: map[string]bool{}, vocabulary: vocabulary,
	}
}

// protect keeps a text from being replaced, in whole or in part.
func (n *names) protect(text string) {
	text = lower(text)
	if text == "" || n.protected[text] {
		return
	}
	n.protected[text] = true
	n.index(text)
}

func (n *names) index(phrase string) {
	start := 0
	for start < len(phrase) && !isAlnum(phrase[start]) {
		start++
	}
	if start > 0 || phrase == "" {
		return // nothing is looked up there
	}
	word := phrase[:wordEnd(phrase, 0)]
	list := append(n.byWord[word], phrase)
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b)) })
	n.byWord[word] = list
}

// set puts a token in place of a phrase.
func (n *names) set(class Class, phrase, token string) {
	if _, known := n.tokens[phrase]; known {
		return
	}
	n.tokens[phrase], n.classes[phrase] = token, class
	n.used[token] = true
	n.index(phrase)
}

// add learns a name. Parts of it that are known already keep their tokens, so
// that what is named after something still is.
func (n *names) add(class Class, name string) {
	name = lower(strings.Trim(name, "-._ "))
	if len(name) < 2 || len(name) > 253 || n.tokens[name] != "" || n.protected[name] || own().names[name] {
		return
	}
	if uuidAt(name, 0) == len(name) || isID(name) || !strings.ContainsFunc(name, isLetter) {
		return // it is replaced as an id or an address
	}
	base := name
	if class == Workload || class == Volume || class == Object {
		base = withoutSuffixes(name)
		if n.isOwn(base) || len(base) < 3 {
			if own().names[base] {
				return
			}
			base = name
		}
	}
	if n.tokens[base] != "" || n.protected[base] || own().names[base] {
		return
	}
	parts, covered := n.uncovered(base)
	if covered {
		for _, p := range parts {
			if !n.isOwn(p) && len(p) > 2 {
				n.replace(class, p)
			}
		}
		return
	}
	if n.isOwn(base) || len(base) < 3 {
		if class != Domain && class != Image && class != Object {
			n.kept[base] = class
		}
		return
	}
	n.replace(class, base)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// isOwn says whether a name is one word, and that of Kubernetes.
func (n *names) isOwn(name string) bool {
	return name == "" || wordEnd(name, 0) == len(name) && (own().words[name] || n.vocabulary(name) || !strings.ContainsFunc(name, isLetter))
}

// replace finds a token for a phrase.
func (n *names) replace(class Class, phrase string) {
	n.set(class, phrase, n.token(class, len(phrase)))
}

// token is the next of a class, of a given length if that leaves room for it.
func (n *names) token(class Class, size int) string {
	long, short := class.lead()
	for {
		n.next[class]++
		number := strconv.Itoa(n.next[class])
		lead := long
		if len(lead)+max(len(number), 2) > size {
			lead = short
		}
		if len(lead)+len(number) > size && size > 1 {
			number = strconv.FormatInt(int64(n.next[class]), 36)
		}
		token := lead + strings.Repeat("0", max(0, size-len(lead)-len(number))) + number
		if !n.used[token] && n.tokens[token] == "" && !n.isOwn(token) {
			return token
		}
	}
}

// uncovered are the parts of a name between phrases that are known, words of
// Kubernetes at their ends left out; covered says whether there are any such.
func (n *names) uncovered(name string) (parts []string, covered bool) {
	from := 0
	rest := func(to int) {
		part := strings.Trim(name[from:to], "-._")
		for part != "" {
			head, tail, found := strings.Cut(part, "-")
			if !n.isOwn(head) {
				break
			}
			if part = tail; !found {
				part = ""
			}
		}
		if part != "" {
			parts = append(parts, part)
		}
	}
	for i := 0; i < len(name); {
		if !isAlnum(name[i]) || i > 0 && isAlnum(name[i-1]) {
			i++
			continue
		}
		phrase, _ := n.at(name, i)
		if phrase == 0 {
			if end := uuidAt(name, i); end > 0 {
				phrase = end - i
			}
		}
		if phrase == 0 {
			i++
			continue
		}
		rest(i)
		covered = true
		i += phrase
		from = i
	}
	rest(len(name))
	return parts, covered
}

// at finds the phrase that stands there, and its token; what is protected has
// itself for one.
func (n *names) at(s string, i int) (size int, token string) {
	end := wordEnd(s, i)
	const longestWord = 253
	if end-i > longestWord {
		return 0, ""
	}
	for _, phrase := range n.byWord[lower(s[i:end])] {
		to := i + len(phrase)
		if to > len(s) || lower(s[i:to]) != phrase || to < len(s) && isAlnum(phrase[len(phrase)-1]) && isAlnum(s[to]) {
			continue
		}
		if n.protected[phrase] {
			return len(phrase), s[i:to]
		}
		token := n.tokens[phrase]
		if s[i:to] == upper(phrase) {
			token = upper(token)
		}
		return len(phrase), token
	}
	return 0, ""
}

// text replaces phrases, and nothing else.
func (n *names) text(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); {
		size, token := 0, ""
		if isAlnum(s[i]) && (i == 0 || !isAlnum(s[i-1])) {
			size, token = n.at(s, i)
		}
		if size == 0 {
			size, token = 1, s[i:i+1]
		}
		out.WriteString(token)
		i += size
	}
	return out.String()
}

// withoutSuffixes is what a name was given before controllers put numbers and
// random letters behind it.
func withoutSuffixes(name string) string {
	random := 0
	for {
		i := strings.LastIndexByte(name, '-')
		if i <= 0 {
			return name
		}
		last := name[i+1:]
		switch {
		case isNumber(last):
		case len(last) == 5 && random == 0 && isRandom(last), len(last) >= 8 && len(last) <= 10 && (isRandom(last) || isHash(last)):
			random++
		default:
			return name
		}
		name = name[:i]
	}
}

func isNumber(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// isRandom says whether a word has only letters that the API server's random
// names are made of.
func isRandom(s string) bool { return strings.Trim(s, "bcdfghjklmnpqrstvwxz2456789") == "" }

func isHash(s string) bool {
	return allHex(s) && strings.ContainsAny(s, "0123456789")
}
