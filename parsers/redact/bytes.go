package redact

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isHexByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

func lowerByte(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// lower is ASCII's lower case: the length stays.
func lower(s string) string {
	for i := range len(s) {
		if s[i] >= 'A' && s[i] <= 'Z' {
			out := []byte(s)
			for ; i < len(out); i++ {
				out[i] = lowerByte(out[i])
			}
			return string(out)
		}
	}
	return s
}

func upper(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'a' && c <= 'z' {
			out[i] = c - 'a' + 'A'
		}
	}
	return string(out)
}

// wordEnd is where the letters and digits that begin there end.
func wordEnd(s string, i int) int {
	for i < len(s) && isAlnum(s[i]) {
		i++
	}
	return i
}

// escapeEnd is the end of the escape that the letters beginning at i are a part
// of: \n, \x2d, \u003c and %2F look like letters of the word behind them.
func escapeEnd(s string, i int) int {
	if i == 0 {
		return i
	}
	hexAt := func(n int) bool { return i+n <= len(s) && allHex(s[i+n-2:i+n]) }
	switch s[i-1] {
	case '\\':
		switch c := s[i]; {
		case c == 'x' && hexAt(3):
			return i + 3
		case c == 'u' && hexAt(3) && hexAt(5):
			return i + 5
		case c == 'n' || c == 't' || c == 'r' || c == 'b' || c == 'f':
			return i + 1
		}
	case '%':
		if hexAt(2) {
			return i + 2
		}
	case 0x1b, '[': // \x1b[0m
		if i > 1 && s[i-1] == '[' && s[i-2] == 0x1b {
			for end := i; end < len(s) && end < i+12; end++ {
				if s[end] == 'm' {
					return end + 1
				}
			}
		}
	}
	return i
}
