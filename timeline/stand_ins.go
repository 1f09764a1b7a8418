package timeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
)

// TokenKind is what a redactor put a token in place of.
type TokenKind int

// Kinds of tokens.
const (
	NameToken TokenKind = iota // a name, an address, or anything else
	UIDToken                   // the UID of an object
	IDToken                    // a runtime's id of a container or sandbox
)

// StandIns let a redacted bundle be read as if it were whole. A redactor that
// puts the same token in place of the same id keeps who is who, but not the
// shape by which ids are known in the middle of a text. So each token gets a
// stand-in of that shape while the bundle is read, and what is cited or
// concluded is given back in the bundle's own words. A mask that is the same
// for everything identifies nothing: each gets a stand-in of its own.
//
// A nil StandIns is of a bundle that is not redacted.
type StandIns struct {
	put, restore substitution
	masks        []string
}

// masked begins the stand-ins of masks. No part of it is a hexadecimal number
// that could be taken for an id.
const masked = "x-hidden-"

// NewStandIns finds stand-ins for tokens, and for masks that stand for
// anything; nil if there are none.
func NewStandIns(tokens map[string]TokenKind, masks []string) *StandIns {
	if len(tokens) == 0 && len(masks) == 0 {
		return nil
	}
	s := &StandIns{masks: slices.Clone(masks)}
	there, back := map[string]string{}, map[string]string{}
	for token, kind := range tokens {
		standIn := kind.standIn(token)
		there[token], back[standIn] = standIn, token
		if kind == IDToken {
			back[standIn[:shortID]], back[standIn[:shortID+1]] = token, token
		}
		if kind == UIDToken {
			// Docker and systemd write the UID's dashes in their own ways.
			back[strings.ReplaceAll(standIn, "-", "_")] = token
		}
	}
	for _, mask := range masks {
		there[mask] = ""
	}
	s.put, s.restore = newSubstitution(there), newSubstitution(back)
	s.restore.unique = true
	return s
}

// standIn is always the same for a token, in all bundles.
func (k TokenKind) standIn(token string) string {
	sum := sha256.Sum256([]byte(token))
	digits := hex.EncodeToString(sum[:])
	switch k {
	case UIDToken:
		return digits[:8] + "-" + digits[8:12] + "-4" + digits[12:15] + "-a" + digits[15:18] + "-" + digits[18:30]
	case IDToken:
		return digits
	case NameToken:
	}
	return "x-token-" + digits[:10] + "-x"
}

// Put replaces the tokens of a file's text.
func (s *StandIns) Put(text, file string) string {
	if s == nil {
		return text
	}
	nth := 0
	sum := sha256.Sum256([]byte(file))
	return s.put.apply(text, func(token, standIn string) string {
		if standIn != "" {
			return standIn
		}
		nth++
		return fmt.Sprintf("%s%d-%x-%d-x", masked, slices.Index(s.masks, token), sum[:4], nth)
	})
}

// Restore says a text in the bundle's own words.
func (s *StandIns) Restore(text string) string {
	if s == nil || text == "" {
		return text
	}
	text = s.restore.apply(text, func(_, token string) string { return token })
	if !strings.Contains(text, masked) {
		return text
	}
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(text, masked)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		end := strings.Index(rest, "-x")
		which := 0
		if _, err := fmt.Sscanf(rest, "%d-", &which); err != nil || end < 0 || which < 0 || which >= len(s.masks) {
			out.WriteString(masked)
			text = rest
			continue
		}
		out.WriteString(s.masks[which])
		text = rest[end+len("-x"):]
	}
}

// Anonymous says whether a name or id was masked, wholly or in part, so that it
// identifies nothing.
func Anonymous(name string) bool { return strings.Contains(name, masked) }

// substitution replaces words in a text. It looks at each byte once.
type substitution struct {
	to map[string]string
	// unique: no whole word is a piece of anything else, whatever is beside it.
	unique bool
	first  [256]bool
	heads  map[string][]string // words by their first bytes, longest first
}

const headBytes = 4

func newSubstitution(to map[string]string) substitution {
	s := substitution{to: to, heads: map[string][]string{}}
	for word := range to {
		if len(word) < headBytes {
			continue
		}
		s.first[word[0]] = true
		s.heads[word[:headBytes]] = append(s.heads[word[:headBytes]], word)
	}
	for _, words := range s.heads {
		slices.SortFunc(words, func(a, b string) int { return len(b) - len(a) })
	}
	return s
}

func (s *substitution) apply(text string, with func(word, to string) string) string {
	var out strings.Builder
	done := 0
	for i := 0; i+headBytes <= len(text); i++ {
		if !s.first[text[i]] {
			continue
		}
		for _, word := range s.heads[text[i:i+headBytes]] {
			if whole := s.unique && len(word) > shortID+1; !whole && !standsAt(text, i, word) || whole && !strings.HasPrefix(text[i:], word) {
				continue
			}
			out.WriteString(text[done:i])
			out.WriteString(with(word, s.to[word]))
			done = i + len(word)
			i = done - 1
			break
		}
	}
	if done == 0 {
		return text
	}
	out.WriteString(text[done:])
	return out.String()
}

// standsAt says whether the word stands at i as a whole: not as a piece of a
// longer one. Before the UID in a cgroup's name stands "pod".
func standsAt(text string, i int, word string) bool {
	end := i + len(word)
	if !strings.HasPrefix(text[i:], word) {
		return false
	}
	inWord := func(c byte) bool { return byteClass[c]&wordByte != 0 }
	if i > 0 && word[0] != '*' && inWord(text[i-1]) && !strings.HasSuffix(text[:i], "pod") && !strings.HasSuffix(text[:i], `\n`) {
		return false
	}
	return end == len(text) || word[len(word)-1] == '*' || !inWord(text[end])
}
