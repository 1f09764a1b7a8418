package redact

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// ids gives UIDs and the hexadecimal ids of runtimes others of the same shape.
// Equal beginnings stay equal, so that an id and its short form still belong
// together, without any of them being known.
type ids struct {
	key   [sha256.Size]byte
	known map[string]string // digits in lower case
}

func newIDs(salt string) *ids {
	return &ids{key: sha256.Sum256([]byte("ids " + salt)), known: map[string]string{}}
}

const hexDigits = "0123456789abcdef"

// digits maps hexadecimal digits in lower case: each by all that are before it.
func (x *ids) digits(s string) string {
	if t, ok := x.known[s]; ok {
		return t
	}
	out := make([]byte, len(s))
	state := x.key
	for i := range len(s) {
		state = sha256.Sum256(append(state[:], s[:i]...))
		out[i] = hexDigits[hexValue(s[i])^state[0]&15]
		state = x.key
	}
	x.known[s] = string(out)
	return x.known[s]
}

// keep writes the digits of an id into the places of those of the original,
// whatever stands between them.
func (x *ids) keep(original string) string {
	bare := make([]byte, 0, len(original))
	upper := false
	at := digitPlaces(original)
	for _, i := range at {
		c := original[i]
		upper = upper || c >= 'A' && c <= 'F'
		bare = append(bare, lowerByte(c))
	}
	mapped := x.digits(string(bare))
	if upper {
		mapped = strings.ToUpper(mapped)
	}
	out := []byte(original)
	for n, i := range at {
		out[i] = mapped[n]
	}
	return string(out)
}

// digitPlaces are the places of the hexadecimal digits; those of an escaped
// dash (\x2d) are none.
func digitPlaces(s string) []int {
	var out []int
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' {
			i += len(`x2d`)
			continue
		}
		if isHexByte(s[i]) {
			out = append(out, i)
		}
	}
	return out
}

// uuidAt is the end of a UUID that begins there; 0 for none. systemd and Docker
// write its dashes in their own ways.
func uuidAt(s string, i int) int {
	for _, dash := range [...]string{"-", "_", `\x2d`} {
		at := i
		for n, size := range [...]int{8, 4, 4, 4, 12} {
			if n > 0 {
				if !strings.HasPrefix(s[at:], dash) {
					at = 0
					break
				}
				at += len(dash)
			}
			if at+size > len(s) || !allHex(s[at:at+size]) {
				at = 0
				break
			}
			at += size
		}
		if at > 0 && (at == len(s) || !isAlnum(s[at])) {
			return at
		}
	}
	return 0
}

// shortestID is how short runtimes' tools cut an id.
const shortestID = 12

// isID says whether a word is a hexadecimal id. A number that happens to be
// hexadecimal has no letters.
func isID(word string) bool {
	if len(word) < shortestID {
		return false
	}
	letter, digit := false, false
	for i := range len(word) {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			digit = true
		case c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
			letter = true
		default:
			return false
		}
	}
	return letter && digit
}

// isCatalogID says whether the id that begins there is the number of a known
// message of journald: the same on all machines.
func isCatalogID(s string, i int) bool {
	const far = 16
	return strings.Contains(s[max(0, i-far):i], "MESSAGE_ID")
}

func hexValue(c byte) byte {
	switch {
	case c >= 'a':
		return c - 'a' + 10
	case c >= 'A':
		return c - 'A' + 10
	}
	return c - '0'
}

func allHex(s string) bool {
	for i := range len(s) {
		if !isHexByte(s[i]) {
			return false
		}
	}
	return true
}

// derived is a number that follows from a key and a text.
func derived(key, text string) uint64 {
	sum := sha256.Sum256([]byte(key + "\x00" + text))
	n := uint64(0)
	for _, b := range sum[:8] {
		n = n<<8 | uint64(b)
	}
	return n
}

// hexDerived is the same as hexadecimal digits.
func hexDerived(key, text string) string {
	sum := sha256.Sum256([]byte(key + "\x00" + text))
	return hex.EncodeToString(sum[:])
}
