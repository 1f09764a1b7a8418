package parsers

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestDecodeText(t *testing.T) {
	const line = "Nov 30 08:21:33 worker-1 kubelet[612]: Unmounting “data” für den Pod\r\nnext\n"
	utf16 := func(text string, bigEndian bool) string {
		var out strings.Builder
		for _, r := range text { // no test needs surrogates
			if bigEndian {
				out.Write([]byte{byte(r >> 8), byte(r)})
			} else {
				out.Write([]byte{byte(r), byte(r >> 8)})
			}
		}
		return out.String()
	}
	for name, test := range map[string]struct{ data, text, encoding string }{
		"empty":               {"", "", "utf-8"},
		"ascii":               {"a\r\nb\n", "a\r\nb\n", "utf-8"},
		"utf-8":               {line, line, "utf-8"},
		"byte order mark":     {"\xef\xbb\xbf" + line, line, "utf-8"},
		"utf-16le":            {"\xff\xfe" + utf16(line, false), line, "utf-16le"},
		"utf-16be":            {"\xfe\xff" + utf16(line, true), line, "utf-16be"},
		"utf-16le, no mark":   {utf16(line, false), line, "utf-16le"},
		"utf-16be, no mark":   {utf16(line, true), line, "utf-16be"},
		"utf-16 cut":          {"\xff\xfea\x00b", "a\ufffd", "utf-16le"},
		"surrogates":          {"\xff\xfe\x3d\xd8\x00\xde", "😀", "utf-16le"},
		"latin-1":             {"Ger\xe4t nicht verf\xfcgbar\nok\n", "Gerät nicht verfügbar\nok\n", "windows-1252"},
		"windows-1252":        {"\x93data\x94 \x80\n", "“data” €\n", "windows-1252"},
		"mixed":               {"Gerät\nGer\xe4t\n", "Gerät\nGerät\n", "windows-1252"},
		"last letter cut":     {"Gerät nicht verf\xc3", "Gerät nicht verf\ufffd", "utf-8"},
		"first letter cut":    {"\xa4t nicht verfügbar\n", "\ufffdt nicht verfügbar\n", "utf-8"},
		"terminal":            {"\x1b[1mNAME\x1b[0m\a\n", "\x1b[1mNAME\x1b[0m\a\n", "utf-8"},
		"hole of a crash":     {line + strings.Repeat("\x00", 4096) + line, line + strings.Repeat("\x00", 4096) + line, "utf-8"},
		"zero-separated":      {"PATH=/usr/bin:/bin\x00HOME=/root\x00LANG=C.UTF-8\x00", "PATH=/usr/bin:/bin\x00HOME=/root\x00LANG=C.UTF-8\x00", "utf-8"},
		"journal file":        {"LPKSHHRH\x00\x00", "LPKSHHRH\x00\x00", "binary"},
		"program":             {"\x7fELF\x02\x01\x01", "\x7fELF\x02\x01\x01", "binary"},
		"protobuf":            {"\x0a\x02v1\x12\x03Pod\x1a\x00\x22\x04\x08\x01\x10\x02\xff", "\x0a\x02v1\x12\x03Pod\x1a\x00\x22\x04\x08\x01\x10\x02\xff", "binary"},
		"export, head cut":    {"\xff\x01\x02\n\n__CURSOR=s=1\nA=\xff\n", "\xff\x01\x02\n\n__CURSOR=s=1\nA=\xff\n", "binary"},
		"export, binary data": {"__CURSOR=s=1\nMESSAGE\n\x03\x00\x00\x00\x00\x00\x00\x00a\xff\x01\n", "__CURSOR=s=1\nMESSAGE\n\x03\x00\x00\x00\x00\x00\x00\x00a\xff\x01\n", "binary"},
	} {
		t.Run(name, func(t *testing.T) {
			text, encoding := decodeText([]byte(test.data))
			if text != test.text || encoding != test.encoding {
				t.Errorf("got %q in %s, want %q in %s", text, encoding, test.text, test.encoding)
			}
		})
	}
}

// TestDecodeRealFiles: what the captures hold as text is taken as text.
func TestDecodeRealFiles(t *testing.T) {
	kinds := map[string]int{}
	for _, root := range []string{"../../shared/lab", "../../shared/cases", "../../shared/realdata"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			packed := sniffArchive(data[:min(len(data), sniffBytes)]).name != ""
			text, encoding := decodeText(data)
			if packed && encoding == encodingUTF8 {
				return nil // a small tar archive of text
			}
			if packed != (encoding == encodingBinary) && len(data) > 1000 && filepath.Ext(path) != ".journal" {
				t.Logf("%s: packed %v, taken as %s", path, packed, encoding)
			}
			kinds[encoding]++
			switch filepath.Ext(path) {
			case ".log", ".yaml", ".yml", ".json", ".md", ".out", ".txt":
				if encoding == encodingBinary || packed {
					t.Errorf("%s: taken as %s, packed %v", path, encoding, packed)
				}
				if bytes.Count(data, []byte("\n")) != strings.Count(text, "\n") {
					t.Errorf("%s: lines were lost", path)
				}
			case ".journal":
				if encoding != encodingBinary {
					t.Errorf("%s: taken as %s", path, encoding)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(kinds) == 0 {
		t.Skip("no captures beside the repository")
	}
	t.Log(kinds)
}

func FuzzDecodeText(f *testing.F) {
	for _, seed := range []string{
		"", "a\nb", "\xef\xbb\xbfa", "\xff\xfea\x00", "\xfe\xff\x00a", "Ger\xe4t\n", "LPKSHHRH", "__CURSOR=s=1\nMESSAGE\n",
		"a\x00b\x00c\x00d\x00e\x00f\x00g\x00h\x00", strings.Repeat("\x00", 100) + "text",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		text, encoding := decodeText(data)
		switch encoding {
		case encodingBinary:
			if rest := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")); text != string(rest) {
				t.Error("binary data was changed")
			}
			return
		case encodingUTF8, encodingWindows:
			if strings.Count(text, "\n") != bytes.Count(data, []byte("\n")) {
				t.Errorf("%s: lines were lost", encoding)
			}
		}
		if !utf8.ValidString(text) {
			t.Errorf("%s: not UTF-8", encoding)
		}
		if len(text) > 3*len(data) {
			t.Errorf("%s: %d bytes became %d", encoding, len(data), len(text))
		}
	})
}

func BenchmarkDecodeText(b *testing.B) {
	data := bytes.Repeat([]byte("Nov 30 08:21:33 worker-1 kubelet[612]: I1130 08:21:33.123456     612 kubelet.go:2425] \"SyncLoop DELETE\"\n"), 10_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		decodeText(data)
	}
}
