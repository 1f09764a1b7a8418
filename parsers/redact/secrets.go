package redact

import (
	"encoding/base64"
	"strings"
)

// secrets collects what was taken out, so that it is found wherever else it
// stands.
type secrets map[string]bool

// note learns a secret. What is short or a word is found by its place only.
func (s secrets) note(value string) {
	const short = 8
	value = strings.TrimSpace(value)
	if s == nil || len(value) < short || strings.Trim(value, "x") == "" {
		return
	}
	if wordEnd(value, 0) == len(value) && (isNumber(value) || own().words[lower(value)]) {
		return
	}
	if yes, unsure := isSecretKey(value); yes || unsure {
		return // the word for one
	}
	s[value] = true
	if plain, err := base64.StdEncoding.DecodeString(value); err == nil && len(plain) >= short && isText(string(plain)) && !strings.Contains(string(plain), "\n") {
		s[strings.TrimSpace(string(plain))] = true
	}
}

// conceal takes out the secrets that are known by their looks or by where they
// stand. The length of the text stays.
func conceal(text string, found secrets) string {
	out := &blanks{text: text, found: found}
	out.objects()
	out.looks()
	out.keyed()
	return out.String()
}

// blanks is a text in which parts are blanked out.
type blanks struct {
	text  string
	out   []byte // nil: nothing yet
	found secrets
}

func (b *blanks) String() string {
	if b.out == nil {
		return b.text
	}
	return string(b.out)
}

// blank takes out a part of the text. Line ends and escapes stay, so that what
// is around it can still be read.
func (b *blanks) blank(from, to int) {
	if from >= to {
		return
	}
	if b.out == nil {
		b.out = []byte(b.text)
	}
	for i := from; i < to; i++ {
		switch c := b.text[i]; c {
		case '\n', '\r':
		case '\\':
			i++ // and what it escapes
		default:
			b.out[i] = 'x'
		}
	}
}

// secret takes out a part of the text that may stand elsewhere, too.
func (b *blanks) secret(from, to int) {
	if from < to {
		b.found.note(b.text[from:to])
		b.blank(from, to)
	}
}

func isTokenByte(c byte) bool { return isAlnum(c) || c == '-' || c == '_' || c == '.' }

func isBase64Byte(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }

// spanFrom is where the bytes of a kind that begin there end.
func spanFrom(s string, i int, kind func(byte) bool) int {
	for i < len(s) && kind(s[i]) {
		i++
	}
	return i
}

// each calls f behind every place where a text stands.
func each(s, what string, f func(at, end int)) {
	for at := 0; ; {
		i := strings.Index(s[at:], what)
		if i < 0 {
			return
		}
		f(at+i, at+i+len(what))
		at += i + len(what)
	}
}

// knownKeys are what keys of well-known services begin with, and how long what
// follows is at least.
var knownKeys = []struct {
	lead string
	rest int
}{
	{"AKIA", 16},
	{"ASIA", 16},
	{"AIza", 30},
	{"ghp_", 30},
	{"gho_", 30},
	{"ghs_", 30},
	{"ghu_", 30},
	{"github_pat_", 20},
	{"glpat-", 16},
	{"xoxb-", 10},
	{"xoxp-", 10},
	{"xoxa-", 10},
	{"sk_live_", 10},
	{"hvs.", 20},
	{"dckr_pat_", 16},
	{"npm_", 30},
	{"ya29.", 20},
}

// looks takes out what is a secret by its looks.
func (b *blanks) looks() {
	s := b.text
	each(s, "eyJ", func(at, end int) { // a JSON object in base64: a token, or Docker's passwords
		if at > 0 && isAlnum(s[at-1]) {
			return
		}
		to := spanFrom(s, end, isTokenByte)
		switch parts := strings.Split(s[at:to], "."); {
		case len(parts) >= 2 && len(parts[0]) >= 8 && len(parts[1]) >= 8, strings.HasPrefix(s[at:], "eyJhdXRo"):
			for _, p := range parts {
				b.found.note(p)
			}
			b.secret(at, spanFrom(s, to, isBase64Byte))
		}
	})
	each(s, "-----BEGIN ", func(_, end int) {
		const longest = 64 << 10
		body := strings.Index(s[end:min(len(s), end+100)], "-----")
		if body < 0 {
			return
		}
		from := end + body + len("-----")
		to := strings.Index(s[from:min(len(s), from+longest)], "-----END ")
		if to < 0 { // cut off: as far as it looks like one
			to = spanFrom(s, from, func(c byte) bool { return isBase64Byte(c) || c == '\n' || c == '\r' || c == '\\' || c == ' ' }) - from
		}
		for i := from; i < from+to; {
			if s[i] == '\\' {
				i += 2
				continue
			}
			line := spanFrom(s, i, isBase64Byte)
			if line-i >= 16 {
				b.secret(i, line)
			} else {
				b.blank(i, line)
			}
			i = max(line, i+1)
		}
	})
	each(s, "LS0tLS1CRUdJTi", func(at, end int) { // the same in base64
		b.secret(at, spanFrom(s, end, isBase64Byte))
	})
	for _, k := range knownKeys {
		each(s, k.lead, func(at, end int) {
			if to := spanFrom(s, end, isTokenByte); to-end >= k.rest && (at == 0 || !isAlnum(s[at-1])) {
				b.secret(at, to)
			}
		})
	}
	each(s, "://", func(_, end int) {
		to := spanFrom(s, end, func(c byte) bool { return c > ' ' && strings.IndexByte("/\"'`\\<>?#", c) < 0 })
		if at := strings.LastIndexByte(s[end:to], '@'); at >= 0 {
			if colon := strings.IndexByte(s[end:end+at], ':'); colon >= 0 {
				b.secret(end+colon+1, end+at)
				b.blank(end, end+colon)
			}
		}
	})
	for _, scheme := range [...]string{"Bearer ", "bearer ", "Basic "} {
		each(s, scheme, func(at, end int) {
			to := spanFrom(s, end, func(c byte) bool { return isTokenByte(c) || isBase64Byte(c) || c == '~' })
			if to-end >= 8 && (scheme != "Basic " || strings.Contains(lower(s[max(0, at-20):at]), "auth")) && looksRandom(s[end:to]) {
				b.secret(end, to)
			}
		})
	}
}

// stems are parts of the words before a secret.
var stems = []string{"assw", "ASSW", "assphrase", "ecret", "ECRET", "oken", "OKEN", "piKey", "pi_key", "pi-key", "PI_KEY", "apikey", "ccessKey", "ccess_key", "ccess-key", "CCESS_KEY", "rivateKey", "rivate_key", "RIVATE_KEY", "ccountKey", "redential", "REDENTIAL"}

// secretKeys end the name of a thing that holds a secret, whatever that looks
// like.
var secretKeys = []string{"password", "passwd", "passphrase", "apikey", "accesskey", "secretkey", "clientsecret", "privatekey", "authtoken", "accesstoken", "refreshtoken", "bearertoken", "idtoken", "sessiontoken", "accountkey", "sharedkey"}

// isSecretKey says whether a name is of a thing that holds a secret; unsure: if
// that looks like one.
func isSecretKey(name string) (yes, unsure bool) {
	name = strings.NewReplacer("_", "", "-", "", ".", "").Replace(lower(name))
	for _, k := range secretKeys {
		if strings.HasSuffix(name, k) {
			return true, false
		}
	}
	for _, k := range [...]string{"token", "secret", "credential", "credentials"} {
		if strings.HasSuffix(name, k) {
			return false, true
		}
	}
	return false, false
}

// keyed takes out what stands behind the name of a secret.
func (b *blanks) keyed() {
	s := b.text
	for _, stem := range stems {
		each(s, stem, func(at, _ int) {
			from := at
			for from > 0 && isTokenByte(s[from-1]) && at-from < 64 {
				from--
			}
			to := spanFrom(s, at, isTokenByte)
			yes, unsure := isSecretKey(s[from:to])
			if !yes && !unsure {
				return
			}
			if i := escapeEnd(s, from); i > from {
				from = i
			}
			flag := strings.HasPrefix(s[from:], "--")
			value, quote := valueBehind(s, to, flag)
			if value < 0 {
				return
			}
			end := valueEnd(s, value, quote)
			if plain := s[value:end]; yes && isSecretValue(plain) || unsure && looksRandom(plain) && len(plain) >= 16 {
				b.secret(value, end)
			}
		})
	}
}

// valueBehind is where the value behind a name begins, -1 for none, and what
// quotes it.
func valueBehind(s string, i int, flag bool) (at int, quote string) {
	i += closingQuote(s, i)
	spaces := spanFrom(s, i, func(c byte) bool { return c == ' ' || c == '\t' })
	switch {
	case spaces < len(s) && (s[spaces] == '=' || s[spaces] == ':'):
		i = spanFrom(s, spaces+1, func(c byte) bool { return c == ' ' || c == '\t' })
	case flag && spaces > i:
		i = spaces
	default:
		return -1, ""
	}
	for _, q := range [...]string{`\\\"`, `\"`, `"`, `'`} {
		if strings.HasPrefix(s[i:], q) {
			return i + len(q), q
		}
	}
	return i, ""
}

func closingQuote(s string, i int) int {
	for _, q := range [...]string{`\\\"`, `\"`, `"`, `'`} {
		if strings.HasPrefix(s[i:], q) {
			return len(q)
		}
	}
	return 0
}

func valueEnd(s string, i int, quote string) int {
	line := i + len(s[i:])
	if n := strings.IndexByte(s[i:], '\n'); n >= 0 {
		line = i + n
	}
	if quote != "" {
		if n := strings.Index(s[i:line], quote); n >= 0 {
			return i + n
		}
		return line
	}
	return min(line, spanFrom(s, i, func(c byte) bool { return c > ' ' && strings.IndexByte("\"'`,;&)}]<", c) < 0 }))
}

// isSecretValue says whether a value is more than a word for none.
func isSecretValue(v string) bool {
	switch lower(v) {
	case "true", "false", "null", "nil", "none", "yes", "no", "<nil>", "required", "invalid", "incorrect", "wrong", "authentication":
		return false
	}
	return len(v) >= 3 && v[0] != '$' && v[0] != '<' && v[0] != '{' && v[0] != '[' && v[0] != '/' && strings.Trim(v, "*x") != ""
}

// looksRandom says whether a word looks like made by a machine: letters and
// digits, and no path or UUID.
func looksRandom(v string) bool {
	return strings.ContainsAny(v, "0123456789") && strings.ContainsFunc(v, isLetter) && !strings.Contains(v, "/") && uuidAt(v, 0) == 0 && strings.Count(v, "-") < 3
}

// isText says whether bytes are text that somebody wrote.
func isText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c >= 0x7f {
			return false
		}
	}
	return s != ""
}
