package redact

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// addresses gives network addresses others of the same length and kind. What
// was in one network is in one network again, and no token is an address that
// the bundle holds.
type addresses struct {
	salt   string
	v4, v6 map[string]string // as written, v6 in lower case
	macs   map[string]string // twelve digits
}

// ipv4At is the end of an IPv4 address that begins there; 0 for none. What
// hangs on a word or a longer number is a version.
func ipv4At(s string, i int) int {
	at := i
	for n := range 4 {
		if n > 0 {
			if at >= len(s) || s[at] != '.' {
				return 0
			}
			at++
		}
		end := at
		for end < len(s) && isDigit(s[end]) && end-at < 4 {
			end++
		}
		if end == at || end-at > 3 || s[at] == '0' && end-at > 1 {
			return 0
		}
		if v, err := strconv.Atoi(s[at:end]); err != nil || v > 255 {
			return 0
		}
		at = end
	}
	if at < len(s) && (isAlnum(s[at]) || s[at] == '.' && at+1 < len(s) && isAlnum(s[at+1])) {
		return 0
	}
	if i > 0 && (s[i-1] == '.' || s[i-1] == '-' || s[i-1] == '+' || s[i-1] == '~') {
		return 0
	}
	return at
}

// ipv6At is the end of an IPv6 address that begins there; 0 for none.
func ipv6At(s string, i int) int {
	if i > 0 && s[i-1] == '.' {
		return 0
	}
	end, colons, double := i, 0, false
	for end < len(s) && end-i < 40 && (isHexByte(s[end]) || s[end] == ':') {
		if s[end] == ':' {
			colons++
			double = double || end+1 < len(s) && s[end+1] == ':'
		}
		end++
	}
	if colons < 2 || !double && colons < 7 || end < len(s) && isAlnum(s[end]) {
		return 0
	}
	for end > i && s[end-1] == ':' && !strings.HasSuffix(s[i:end], "::") {
		end--
	}
	addr, err := netip.ParseAddr(s[i:end])
	if err != nil || !addr.Is6() || !strings.ContainsAny(s[i:end], "0123456789") {
		return 0
	}
	return end
}

// macAt is the end of a MAC address that begins there; 0 for none.
func macAt(s string, i int) int {
	const size = len("00:11:22:33:44:55")
	if i+size > len(s) || i > 0 && s[i-1] == '-' {
		return 0
	}
	sep := s[i+2]
	if sep != ':' && sep != '-' {
		return 0
	}
	letter := sep == ':'
	for n := range size {
		c := s[i+n]
		switch {
		case n%3 == 2 && c != sep, n%3 != 2 && !isHexByte(c):
			return 0
		}
		letter = letter || n%3 != 2 && !isDigit(c) // 01-02-03-04-05-06 is anything
	}
	// A firewall's log writes two of them and a number in one.
	if end := i + size; letter && (end == len(s) || !isAlnum(s[end]) && (sep == ':' || s[end] != sep)) {
		return end
	}
	return 0
}

// staysIPv4 says whether an address is the same everywhere: of no network, of
// the machine itself, of all, a mask, or a public resolver.
func staysIPv4(addr netip.Addr) bool {
	b := addr.As4()
	switch {
	case b[0] == 0, b[0] == 127, b[0] >= 224, b[0] == 169 && b[1] == 254:
		return true
	case b == [4]byte{8, 8, 8, 8}, b == [4]byte{8, 8, 4, 4}, b == [4]byte{1, 1, 1, 1}:
		return true
	}
	return false
}

func staysIPv6(addr netip.Addr) bool {
	return addr.IsUnspecified() || addr.IsLoopback() || addr.IsMulticast() || addr == addr.WithZone("").Prev() || addr.As16() == [16]byte{0xfe, 0x80}
}

// assign finds tokens for all addresses that were seen.
func (a *addresses) assign(v4, v6, macs map[string]bool) {
	a.assignV4(v4)
	for _, text := range sorted(v6) {
		if _, known := a.v6[text]; known {
			continue
		}
		addr, err := netip.ParseAddr(text)
		if err != nil || staysIPv6(addr) {
			continue
		}
		for try := 0; ; try++ {
			token := a.tokenV6(text, try)
			if token != text && !v6[token] || try > 100 {
				a.v6[text] = token
				break
			}
		}
	}
	for _, digits := range sorted(macs) {
		if _, known := a.macs[digits]; known || digits == "000000000000" || digits == "ffffffffffff" {
			continue
		}
		for try := 0; ; try++ {
			token := "02" + hexDerived(a.salt, fmt.Sprint("mac ", digits, try))[:10]
			if !macs[token] {
				a.macs[digits] = token
				break
			}
		}
	}
}

// assignV4 gives networks of 16 bits others that no address of the bundle is
// in, and then each byte another of as many digits.
func (a *addresses) assignV4(seen map[string]bool) {
	var all []netip.Addr
	taken := map[string]bool{} // first parts of addresses, of all lengths
	note := func(text string) {
		parts := strings.Split(text, ".")
		for n := 1; n <= len(parts); n++ {
			taken[strings.Join(parts[:n], ".")] = true
		}
	}
	for text := range seen {
		if addr, err := netip.ParseAddr(text); err == nil {
			note(text)
			if _, known := a.v4[text]; !known && !staysIPv4(addr) {
				all = append(all, addr)
			}
		}
	}
	to := map[string]string{} // of first parts
	for original, token := range a.v4 {
		note(original)
		from, into := strings.Split(original, "."), strings.Split(token, ".")
		for n := 1; n <= len(from); n++ {
			to[strings.Join(from[:n], ".")] = strings.Join(into[:n], ".")
		}
	}
	used := map[string]bool{}
	for _, token := range to {
		used[token] = true
	}
	slices.SortFunc(all, netip.Addr.Compare)
	for _, addr := range all {
		parts := strings.Split(addr.String(), ".")
		fresh := false // the token's beginning is that of no address seen
		for n := 1; n <= len(parts); n++ {
			from := strings.Join(parts[:n], ".")
			if token, ok := to[from]; ok {
				fresh = fresh || !taken[token]
				continue
			}
			before := to[strings.Join(parts[:n-1], ".")]
			choice := a.chooseByte(from, before, parts, n-1, func(token string) bool {
				return used[token] || !fresh && n > 1 && taken[token]
			})
			token := strings.TrimPrefix(before+"."+choice, ".")
			to[from], used[token] = token, true
			fresh = fresh || !taken[token]
		}
		a.v4[addr.String()] = to[addr.String()]
	}
}

// chooseByte picks the n-th byte of a token behind what is before it.
func (a *addresses) chooseByte(from, before string, parts []string, n int, avoid func(token string) bool) string {
	original, _ := strconv.Atoi(parts[n])
	low, high := 1, 9
	switch len(parts[n]) {
	case 2:
		low, high = 10, 99
	case 3:
		low, high = 100, 254
	}
	first, _ := strconv.Atoi(parts[0])
	second, _ := strconv.Atoi(parts[1])
	switch private := first == 10 || first == 192 && second == 168 || first == 172 && second >= 16 && second < 32 || first == 100 && second >= 64 && second < 128; {
	case n == 0 && private, n == 1 && private && first == 192:
		return parts[n]
	case n == 1 && first == 172 && private:
		low, high = 16, 31
	case n == 1 && first == 100 && private:
		low, high = max(low, 64), min(high, 127)
	case n == 0:
		high = min(high, 223)
	case original == 0 || original == 255: // a network, or all of it
		if token := before + "." + parts[n]; !avoid(token) {
			return parts[n]
		}
	}
	width := high - low + 1
	start := int(derived(a.salt, "ipv4 "+from) % uint64(width))
	reserved := func(v int) bool {
		return n == 0 && (v == 10 || v == 127 || v == 172 || v == 192 || v == 169 || v == 100)
	}
	for k := range width {
		v := low + (start+k)%width
		if token := strings.TrimPrefix(before+"."+strconv.Itoa(v), "."); !reserved(v) && v != original && !avoid(token) {
			return strconv.Itoa(v)
		}
	}
	for v := 255; v > 0; v-- { // as long as it is another
		if token := strings.TrimPrefix(before+"."+strconv.Itoa(v), "."); !reserved(v) && !avoid(token) {
			return strconv.Itoa(v)
		}
	}
	return strconv.Itoa(cmp.Or((original+1)%255, 1))
}

// tokenV6 keeps how an address is written, and what kind it is: the first group
// of private and link-local ones.
func (a *addresses) tokenV6(text string, try int) string {
	var out strings.Builder
	groups := strings.Split(text, ":")
	for n, g := range groups {
		if n > 0 {
			out.WriteByte(':')
		}
		from := strings.Join(groups[:n+1], ":")
		switch {
		case g == "" || strings.Trim(g, "0") == "":
			out.WriteString(g)
		case n == 0 && (strings.HasPrefix(g, "fe8") || strings.HasPrefix(g, "fd") || strings.HasPrefix(g, "fc") || g == "2001"):
			out.WriteString(g)
		default:
			digits := []byte(hexDerived(a.salt, fmt.Sprint("ipv6 ", from, try))[:min(len(g), 4)])
			if digits[0] == '0' || n == 0 && (digits[0] == 'f' || digits[0] == 'e') {
				digits[0] = '3'
			}
			out.Write(digits)
		}
	}
	return out.String()
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for s := range set {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}
