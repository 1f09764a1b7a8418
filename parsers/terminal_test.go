package parsers

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAsPrinted(t *testing.T) {
	for name, test := range map[string]struct{ data, want string }{
		"nothing to do": {"NAME  READY\r\nweb-0 1/1\r\n", "NAME  READY\r\nweb-0 1/1\r\n"},
		"colours":       {"\x1b[1;31mE1130\x1b[0m 08:21:33 \x1b[mfailed\n", "E1130 08:21:33 failed\n"},
		"kubecolor":     {"\x1b[97mNAME\x1b[0m\x1b[36m  web-0\x1b[0m\n", "NAME  web-0\n"},
		"prompt with a title and bracketed paste": {
			"\x1b[?2004h\x1b]0;root@worker-1: ~\aroot@worker-1:~# crictl ps\r\n\x1b[?2004l\rCONTAINER  IMAGE\r\n",
			"root@worker-1:~# crictl ps\r\nCONTAINER  IMAGE\r\n",
		},
		"title ended by a string terminator": {"\x1b]2;x\x1b\\$ date\n", "$ date\n"},
		"typing corrected":                   {"$ kubectl gte\b\b\x1b[Ket pods\r\n", "$ kubectl get pods\r\n"},
		"a letter inserted": {
			"$ kubctl get\b\b\b\b\b\b\b\x1b[1@e\x1b[7C pods\r\n", "$ kubectl get pods\r\n",
		},
		"letters deleted":       {"$ kubeectl\b\b\b\b\x1b[1P\x1b[3C get\n", "$ kubectl get\n"},
		"progress":              {"\x1b[K 10%\r 20%\rdone\x1b[K\n", "done\n"},
		"script's line ends":    {"Script started on x\r\n$ ls\r\r\na\r\n", "Script started on x\r\n$ ls\r\na\r\n"},
		"a command wraps":       {"Script started on x\n# kubectl get pods --namespace payments -o wide --context prod \r--watch\n", "Script started on x\n# kubectl get pods --namespace payments -o wide --context prod--watch\n"},
		"a log's own return":    {"2026-11-30T08:21:33Z stdout F \x1b[K10%\r20%\n", "2026-11-30T08:21:33Z stdout F 10%20%\n"},
		"no terminal's return":  {"Nov 30 08:21:33 n1 app: 10%\r20%\nNov 30 08:21:34 n1 app: x\n", "Nov 30 08:21:33 n1 app: 10%\r20%\nNov 30 08:21:34 n1 app: x\n"},
		"old Mac":               {"a\rb\r", "a\nb\n"},
		"hole of a crash":       {"x\n\x00\x00\x00\x00Nov 30 08:21:33 n1 app: \x1b[1mx\n", "x\n\x00\x00\x00\x00Nov 30 08:21:33 n1 app: x\n"},
		"zeros of no log":       {"one\n\x00\x00\x00\x00two\n", "one\ntwo\n"},
		"appended by >>":        {"one\nt\x00w\x00o\x00\n\x00", "one\ntwo\n\x00"},
		"a second file's mark":  {"one\n\ufefftwo\n", "one\ntwo\n"},
		"zero-separated":        {"sleep\x00600\x00", "sleep\x00600\x00"},
		"not UTF-8 after all":   {"\x1b[1m\xff\xfe\x1b[0m\n", "\ufffd\ufffd\n"},
		"sequence cut off":      {"abc\x1b[3\nabc\x1b", "abc\nabc"},
		"longer than a screen":  {"\x1b[1m" + strings.Repeat("0123456789", 1000) + "\n", strings.Repeat("0123456789", 1000) + "\n"},
		"character set and sgr": {"\x1b(B\x1b[mweb\x1b(0\n", "web\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got := asPrinted(test.data)
			if name == "appended by >>" { // the last half letter is of no line
				got, test.want = strings.TrimRight(got, "\x00"), strings.TrimRight(test.want, "\x00")
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func FuzzAsPrinted(f *testing.F) {
	f.Add("\x1b[?2004h\x1b]0;root@worker-1: ~\aroot@worker-1:~# crictl ps\r\n\x1b[?2004l\rCONTAINER  IMAGE\r\n")
	f.Add("Script started on x\r\n$ kubectl gte\b\b\x1b[Ket pods\r\n\x1b[9999C\x1b[999@x\x1b[2K\x1b[1K\n")
	f.Add("one\n\x00\x00two\x00\n\ufeffthree")
	f.Fuzz(func(t *testing.T, text string) {
		got := asPrinted(text)
		if strings.Contains(text, "\n") && strings.Count(got, "\n") != strings.Count(text, "\n") {
			t.Errorf("%d lines became %d", strings.Count(text, "\n"), strings.Count(got, "\n"))
		}
		// A byte that is no UTF-8 becomes three, and a file may draw as many
		// blanks as it has bytes.
		if len(got) > 4*len(text) {
			t.Errorf("%d bytes became %d", len(text), len(got))
		}
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Error("no UTF-8 any more")
		}
		if strings.Contains(text, "\n") && (strings.IndexByte(got, escape) >= 0 || strings.IndexByte(got, '\b') >= 0) {
			t.Error("controls are left")
		}
		// Lines stay what they are where nothing is drawn.
		if !hasControls(text) && strings.Contains(text, "\n") && !strings.HasPrefix(text, scriptStarted) && got != text {
			t.Error("text without controls was changed")
		}
	})
}
