package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"podautopsy/timeline/literal"
)

// spellings are the ways in which a text may stand in another.
func spellings(text string) []string {
	out := []string{text, lower(text), upper(text), url.QueryEscape(text), base64.StdEncoding.EncodeToString([]byte(text))}
	out[4] = strings.TrimRight(out[4], "=")
	if len(text)%3 != 0 { // the last character also holds what follows
		out[4] = out[4][:len(out[4])-1]
	}
	if escaped, err := json.Marshal(text); err == nil {
		out = append(out, string(escaped[1:len(escaped)-1]))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withSpellings are texts in all their spellings.
func withSpellings(texts []string) []string {
	var out []string
	for _, t := range texts {
		out = append(out, spellings(t)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Watch looks for originals in what is to be given away.
type Watch struct {
	redactor *Redactor
	index    *literal.Index
	long     []string          // spellings, as they are looked for
	of       map[string]string // the original of a spelling
}

// NewWatch looks for everything that the redactor has replaced.
func NewWatch(r *Redactor) *Watch {
	w := &Watch{redactor: r, of: map[string]string{}}
	originals := slices.Clone(r.secrets)
	for _, e := range r.Mapping().Entries {
		originals = append(originals, e.Original)
	}
	for _, o := range originals {
		for _, s := range spellings(o) {
			if len(s) >= literal.Shortest && w.of[s] == "" {
				w.of[s] = o
				w.long = append(w.long, s)
			}
		}
	}
	w.index = literal.New(w.long, "")
	return w
}

// Find says which original a text still holds, and where; "" for none.
func (w *Watch) Find(text string) (original string, at int) {
	check := func(s string) {
		literal.Find(w.index, s, func(n, i int) {
			if original == "" && !w.inOther(s, w.long[n], i) {
				original, at = w.of[w.long[n]], i
			}
		})
	}
	check(text)
	low := lower(text)
	check(low)
	for i := 0; i < len(low) && original == ""; {
		end := wordEnd(low, i)
		if end == i {
			i++
			continue
		}
		if escaped := escapeEnd(low, i); escaped > i {
			i = escaped
			continue
		}
		if size, token := w.redactor.names.at(low, i); size > 0 {
			if token != low[i:i+size] && !w.stays(low, i) {
				return low[i : i+size], i
			}
			end = i + size
		}
		i = end
	}
	return original, at
}

// inOther says whether an original only looks as if it stood there: an address
// in a longer number, a name in a word that stays.
func (w *Watch) inOther(s, found string, i int) bool {
	end := i + len(found)
	const certain = 32 // digits: a shorter number may be a part of another, as of 0x7f96…
	if isID(found) && len(found) < certain && (i > 0 && isAlnum(s[i-1]) || end < len(s) && isAlnum(s[end])) {
		return true
	}
	if numeric := strings.Trim(found, "0123456789.-:") == ""; numeric {
		digit := func(at int) bool { return at >= 0 && at < len(s) && isAlnum(s[at]) }
		return digit(i-1) || digit(end) || i > 1 && s[i-1] == '.' && digit(i-2) || i > 0 && strings.IndexByte("-+~", s[i-1]) >= 0 || end+1 < len(s) && s[end] == '.' && digit(end+1)
	}
	return w.stays(s, i)
}

// stays says whether a place is in a text that is protected.
func (w *Watch) stays(s string, i int) bool {
	from := i
	for from > 0 && (isNameByte(s[from-1]) || s[from-1] == '/' || s[from-1] == '_') && i-from < 253 {
		from--
	}
	for at := from; at <= i; at++ {
		if at > from && isAlnum(s[at-1]) || !isAlnum(s[at]) {
			continue
		}
		if size, _ := w.redactor.names.at(s, at); size > 0 && at+size > i && w.redactor.names.protected[lower(s[at:at+size])] {
			return true
		}
		if end := wordEnd(s, at); end > i && w.redactor.names.isOwn(lower(s[at:end])) {
			return true
		}
	}
	return false
}
