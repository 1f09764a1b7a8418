package parsers

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Names of text encodings, as decodeText returns them.
const (
	encodingUTF8    = "utf-8"
	encodingUTF16LE = "utf-16le" // PowerShell's > writes it
	encodingUTF16BE = "utf-16be"
	encodingWindows = "windows-1252" // and Latin-1, which it contains
	encodingBinary  = "binary"       // the bytes as they are
)

// decodeText turns a file into UTF-8 text without a byte order mark. Lines stay
// lines. Binary files, and journal exports with their length-prefixed fields,
// are left as they are: their parsers count bytes.
func decodeText(data []byte) (text, encoding string) {
	if rest, ok := bytes.CutPrefix(data, []byte("\xef\xbb\xbf")); ok {
		data = rest
	}
	if encoding := utf16Kind(data); encoding != "" {
		return decodeUTF16(data, encoding), encoding
	}
	switch {
	case looksBinary(data):
		return string(data), encodingBinary
	case utf8.Valid(data):
		return string(data), encodingUTF8
	case looksExported(data):
		return string(data), encodingBinary
	case utf8.Valid(withoutCutRunes(data)):
		return strings.ToValidUTF8(string(data), "\ufffd"), encodingUTF8
	default:
		return decodeWindows(data), encodingWindows
	}
}

// withoutCutRunes leaves out what head and tail leave of a character where they
// cut a file of UTF-8.
func withoutCutRunes(data []byte) []byte {
	for range utf8.UTFMax - 1 {
		if len(data) > 0 && !utf8.RuneStart(data[0]) {
			data = data[1:]
		}
	}
	for i := 1; i < utf8.UTFMax && i <= len(data); i++ {
		if tail := data[len(data)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				data = data[:len(data)-i]
			}
			break
		}
	}
	return data
}

// decodeWindows reads as Windows-1252 each byte that is no part of UTF-8. Logs
// mix both, as every program writes its own.
func decodeWindows(data []byte) string {
	var out strings.Builder
	out.Grow(len(data) + len(data)/16)
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			out.WriteRune(charmap.Windows1252.DecodeByte(data[0]))
		} else {
			out.Write(data[:size])
		}
		data = data[size:]
	}
	return out.String()
}

// utf16Kind recognises UTF-16 by its byte order mark, or by the zeros that
// every second byte of mostly Latin text is.
func utf16Kind(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return encodingUTF16LE
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return encodingUTF16BE
	}
	const enough, tooFew = 4096, 16
	head := data[:min(len(data), enough)&^1]
	if len(head) < tooFew || bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	var zeros, controls [2]int
	for i, b := range head {
		if b == 0 {
			zeros[i&1]++
		} else if isControl(b) {
			controls[i&1]++
		}
	}
	pairs := len(head) / 2
	mostly, hardly := func(n int) bool { return n*10 >= pairs*7 }, func(n int) bool { return n*20 <= pairs }
	switch {
	case mostly(zeros[1]) && hardly(zeros[0]) && hardly(controls[0]):
		return encodingUTF16LE
	case mostly(zeros[0]) && hardly(zeros[1]) && hardly(controls[1]):
		return encodingUTF16BE
	default:
		return ""
	}
}

func decodeUTF16(data []byte, encoding string) string {
	order := unicode.LittleEndian
	if encoding == encodingUTF16BE {
		order = unicode.BigEndian
	}
	text, err := unicode.UTF16(order, unicode.UseBOM).NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(text)
}

// looksExported recognises journalctl -o export by the address fields of an
// entry, which need not be the first thing where the beginning was cut off.
func looksExported(data []byte) bool {
	const enough = 64 << 10
	head := data[:min(len(data), enough)]
	for _, field := range []string{"__CURSOR=", "__REALTIME_TIMESTAMP="} {
		if bytes.HasPrefix(head, []byte(field)) || bytes.Contains(head, []byte("\n"+field)) {
			return true
		}
	}
	return false
}

// binaryMagics are of files that collectors pick up and that hold some text.
var binaryMagics = []string{
	"LPKSHHRH",            // journald's own files
	"\x7fELF",             // programs, core dumps
	"\x89PNG\r\n",         // screenshots
	"\xff\xd8\xff",        // JPEG
	"GIF8",                //
	"%PDF-",               //
	"SQLite format 3\x00", //
	"\xd4\xc3\xb2\xa1",    // pcap
	"\x0a\x0d\x0d\x0a",    // pcapng
	"k8s\x00",             // protobuf of the Kubernetes API
}

// looksBinary says whether data is no text in any encoding that decodeText
// reads. Runs of zeros are no sign: a crash leaves them in logs, where the file
// had grown and the data had not been written.
func looksBinary(data []byte) bool {
	for _, magic := range binaryMagics {
		if bytes.HasPrefix(data, []byte(magic)) {
			return true
		}
	}
	if utf16Kind(data) != "" {
		return false
	}
	const enough, hole = 8192, 64
	var sample, zeros, controls int
	for i := 0; i < len(data) && sample < enough; {
		if data[i] == 0 {
			run := len(data) - i - len(bytes.TrimLeft(data[i:], "\x00"))
			if run < hole {
				sample += run
				zeros += run
			}
			i += run
			continue
		}
		if isControl(data[i]) {
			controls++
		}
		sample++
		i++
	}
	// Noise has a tenth of control characters, a command line of /proc has a
	// zero after each argument.
	return (controls*25 > sample || zeros*4 > sample) && !looksExported(data)
}

// isControl says whether a byte has no place in text, terminals' included.
func isControl(b byte) bool {
	if b >= ' ' {
		return b == 0x7f
	}
	switch b {
	case '\t', '\n', '\v', '\f', '\r', '\b', '\a', 0x1b:
		return false
	}
	return true
}
