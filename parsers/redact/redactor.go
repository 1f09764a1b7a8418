package redact

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"

	"podautopsy/timeline/literal"
)

// Redactor replaces what was learnt. It is not safe for concurrent use.
type Redactor struct {
	names     *names
	ids       *ids
	addresses *addresses
	emails    map[string]string // in lower case
	secrets   []string
	hidden    *literal.Index // of secrets
	escaped   []string       // addresses, as URLs write them
	unescaped *literal.Index // the same
	escapedTo []string       // their tokens
	glued     *literal.Index // of phrases that may stand inside of a word
	phrases   []string       // the same
	seenIDs   map[string]bool
	salt      string
}

// Text is a text with everything replaced, and as long as it was.
func (r *Redactor) Text(text string) string {
	return r.scan(r.withoutSecrets(conceal(text, nil)), 0)
}

// withoutSecrets takes out secrets that were found elsewhere, and replaces what
// no longer looks like the address that it is.
func (r *Redactor) withoutSecrets(text string) string {
	var out []byte
	literal.Find(r.unescaped, text, func(n, at int) {
		if out == nil {
			out = []byte(text)
		}
		copy(out[at:], r.escapedTo[n])
	})
	literal.Find(r.hidden, text, func(n, at int) {
		if out == nil {
			out = []byte(text)
		}
		for i := range len(r.secrets[n]) {
			out[at+i] = 'x'
		}
	})
	if out == nil {
		return text
	}
	return string(out)
}

// indexAddresses finds addresses in which ":" is escaped.
func (r *Redactor) indexAddresses() {
	tokens := map[string]string{}
	add := func(original, token string) {
		for _, spell := range []func(string) string{url.QueryEscape, func(s string) string { return lower(url.QueryEscape(s)) }, func(s string) string { return upper(url.QueryEscape(s)) }} {
			if from, to := spell(original), spell(token); from != original && len(from) == len(to) {
				tokens[from] = to
			}
		}
	}
	for original, token := range r.addresses.v6 {
		add(original, token)
	}
	for digits, token := range r.addresses.macs {
		add(withColons(digits), withColons(token))
	}
	for from := range tokens {
		r.escaped = append(r.escaped, from)
	}
	slices.Sort(r.escaped)
	for _, from := range r.escaped {
		r.escapedTo = append(r.escapedTo, tokens[from])
	}
	r.unescaped = literal.New(r.escaped, "")
}

// rewriting is one text while it is rewritten.
type rewriting struct {
	*Redactor
	text  string
	out   strings.Builder
	done  int // of the text
	depth int // of what is in base64
}

// put writes a token in place of a part of the text.
func (w *rewriting) put(from, to int, token string) {
	if w.text[from:to] == token {
		return
	}
	w.out.WriteString(w.text[w.done:from])
	w.out.WriteString(token)
	w.done = to
}

func (r *Redactor) scan(text string, depth int) string {
	w := &rewriting{Redactor: r, text: text, depth: depth}
	inside := r.insideWords(text)
	for i := 0; i < len(text); {
		if !isAlnum(text[i]) {
			if text[i] == ':' && i+1 < len(text) && text[i+1] == ':' {
				if end := ipv6At(text, i); end > 0 {
					w.ipv6(i, end)
					i = end
					continue
				}
			}
			i++
			continue
		}
		if end := escapeEnd(text, i); end > i {
			i = end
			continue
		}
		i = w.word(i, &inside)
	}
	if w.done == 0 {
		return text
	}
	w.out.WriteString(text[w.done:])
	return w.out.String()
}

// word rewrites what begins with the word at i, and says where it ends.
func (w *rewriting) word(i int, inside *[]hit) int {
	s := w.text
	end := wordEnd(s, i)
	if to := emailAt(s, i); to > 0 {
		if token, ok := w.emails[lower(s[i:to])]; ok {
			w.put(i, to, token)
			return to
		}
	}
	if to := uuidAt(s, i); to > 0 {
		w.id(i, to)
		return to
	}
	if from := end - 8; from > i && end < len(s) && (s[end] == '-' || s[end] == '_' || s[end] == '\\') {
		if to := uuidAt(s, from); to > 0 { // "pod" and a UID
			w.id(from, to)
			return to
		}
	}
	if from := gluedID(s[i:end]); from > 0 {
		w.id(i+from, end)
		return end
	}
	if size, token := w.names.at(s, i); size > 0 {
		w.put(i, i+size, token)
		return i + size
	}
	if c := s[i]; isHexByte(c) && end-i <= 4 && end < len(s) {
		switch s[end] {
		case '.':
			if to := ipv4At(s, i); to > 0 {
				if token, ok := w.addresses.v4[s[i:to]]; ok {
					w.put(i, to, token)
				}
				return to
			}
		case ':', '-':
			if to := macAt(s, i); to > 0 {
				w.mac(i, to)
				return to
			}
			if to := ipv6At(s, i); to > 0 {
				w.ipv6(i, to)
				return to
			}
		}
	}
	if isID(s[i:end]) {
		if !isCatalogID(s, i) {
			w.id(i, end)
		}
		return end
	}
	if to := w.encoded(i); to > 0 {
		return to
	}
	// Names that have grown together with other letters.
	for len(*inside) > 0 && (*inside)[0].at < i {
		*inside = (*inside)[1:]
	}
	for len(*inside) > 0 && (*inside)[0].at < end && !w.names.isOwn(lower(s[i:end])) {
		h := (*inside)[0]
		*inside = (*inside)[1:]
		phrase := w.phrases[h.phrase]
		if h.at < w.done {
			continue
		}
		token := w.names.tokens[phrase]
		if s[h.at:h.at+len(phrase)] == upper(phrase) {
			token = upper(token)
		}
		w.put(h.at, h.at+len(phrase), token)
		end = max(end, h.at+len(phrase))
	}
	return end
}

// hit is a place where a phrase stands.
type hit struct{ phrase, at int }

// insideWords finds the long phrases that do not stand by themselves.
func (r *Redactor) insideWords(text string) []hit {
	var out []hit
	low := lower(text)
	literal.Find(r.glued, low, func(n, at int) {
		end := at + len(r.phrases[n])
		if at > 0 && isAlnum(low[at-1]) || end < len(low) && isAlnum(low[end]) {
			out = append(out, hit{n, at})
		}
	})
	sortHits(out)
	return out
}

// gluedID is where an id begins that stands right behind a word, as that of a
// static pod in the name of its cgroup; 0 for none.
func gluedID(word string) int {
	for _, size := range [...]int{64, 32} {
		from := len(word) - size
		if from > 0 && isID(word[from:]) && (word[:from] == "pod" || !isHexByte(word[from-1])) {
			return from
		}
	}
	return 0
}

func (w *rewriting) id(i, end int) {
	w.seenIDs[w.text[i:end]] = true
	w.put(i, end, w.ids.keep(w.text[i:end]))
}

func (w *rewriting) ipv6(i, end int) {
	original := w.text[i:end]
	token, ok := w.addresses.v6[lower(original)]
	if !ok {
		return
	}
	if original == upper(original) {
		token = upper(token)
	}
	w.put(i, end, token)
}

func (w *rewriting) mac(i, end int) {
	original := w.text[i:end]
	digits := lower(strings.NewReplacer(":", "", "-", "").Replace(original))
	token, ok := w.addresses.macs[digits]
	if !ok {
		return
	}
	if original != lower(original) {
		token = upper(token)
	}
	out := []byte(original)
	n := 0
	for at := range out {
		if isHexByte(out[at]) {
			out[at] = token[n]
			n++
		}
	}
	w.put(i, end, string(out))
}

// encoded rewrites text in base64, and says where it ends; 0: there is none.
func (w *rewriting) encoded(i int) int {
	const deepest, shortest = 3, 8
	s := w.text
	to := spanFrom(s, i, func(c byte) bool { return isAlnum(c) || c == '+' || c == '/' })
	encoding := base64.RawStdEncoding
	if to < len(s) && (s[to] == '-' || s[to] == '_') && !strings.ContainsAny(s[i:to], "+/") {
		to = spanFrom(s, i, func(c byte) bool { return isAlnum(c) || c == '-' || c == '_' })
		encoding = base64.RawURLEncoding
	}
	if w.depth >= deepest || to-i < shortest || (to-i)%4 == 1 || !mixedCase(s[i:to]) || i > 0 && (s[i-1] == '/' || s[i-1] == '+') {
		return 0
	}
	plain, err := encoding.DecodeString(s[i:to])
	if err != nil || !isText(string(plain)) {
		return 0
	}
	clean := w.scan(w.withoutSecrets(conceal(string(plain), nil)), w.depth+1)
	if clean == string(plain) {
		return 0
	}
	w.put(i, to, encoding.EncodeToString([]byte(clean)))
	return to
}

// mixedCase says whether a word is as base64 makes them: with large and small
// letters or digits.
func mixedCase(s string) bool {
	small, other := false, false
	for i := range len(s) {
		small = small || s[i] >= 'a' && s[i] <= 'z'
		other = other || s[i] >= 'A' && s[i] <= 'Z' || isDigit(s[i])
	}
	return small && other || other
}

// emailAt is the end of an e-mail address that begins there; 0 for none.
func emailAt(s string, i int) int {
	at := i
	for at < len(s) && (isAlnum(s[at]) || s[at] == '.' || s[at] == '_' || s[at] == '-' || s[at] == '+') && at-i < 64 {
		at++
	}
	switch {
	case at == i || at >= len(s):
		return 0
	case s[at] == '@':
		at++
	case strings.HasPrefix(s[at:], "%40"):
		at += len("%40")
	case strings.HasPrefix(s[at:], `\u0040`):
		at += len(`\u0040`)
	default:
		return 0
	}
	end := spanFrom(s, at, func(c byte) bool { return isAlnum(c) || c == '.' || c == '-' })
	for end > at && !isAlnum(s[end-1]) {
		end--
	}
	dot := strings.LastIndexByte(s[at:end], '.')
	if dot <= 0 || end-at-dot-1 < 2 || strings.ContainsAny(s[at+dot:end], "0123456789") {
		return 0
	}
	if first := s[at:wordEnd(s, at)]; isID(first) || uuidAt(s, at) > 0 {
		return 0 // user-1000@ID.journal
	}
	switch s[at+dot+1 : end] { // getty@tty1.service
	case "service", "socket", "slice", "scope", "mount", "target", "timer", "path", "swap", "device", "journal", "conf", "log", "txt", "gz", "xz", "zst", "json", "yaml", "export":
		return 0
	}
	return end
}
