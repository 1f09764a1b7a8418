package parsers

import (
	"strings"
	"testing"

	"podautopsy/timeline"
)

func TestSession(t *testing.T) {
	const table = "NAME    READY   STATUS        RESTARTS   AGE\nweb-0   1/1     Terminating   0          3h\n"
	for name, test := range map[string]struct {
		text, at, command string
		blocks            int
	}{
		"script": {
			"Script started on 2026-11-30 09:15:02+01:00 [TERM=\"xterm-256color\" TTY=\"/dev/pts/0\" COLUMNS=\"120\" LINES=\"40\"]\r\n" +
				"\x1b[?2004h\x1b]0;root@cp-1: ~\a\x1b[01;32mroot@cp-1\x1b[00m:\x1b[01;34m~\x1b[00m# kubectl gte\b\b\x1b[Ket pods -n shop\r\n\x1b[?2004l\r" +
				strings.ReplaceAll(table, "\n", "\r\n") +
				"\x1b[?2004h\x1b]0;root@cp-1: ~\aroot@cp-1:~# exit\r\n\x1b[?2004l\rexit\r\n\r\nScript done on 2026-11-30 09:16:00+01:00 [COMMAND_EXIT_CODE=\"0\"]\r\n",
			"2026-11-30T08:15:02Z", "kubectl get pods -n shop", 2,
		},
		"old script": {
			"Script started on Mon Nov 30 09:15:02 2026\n$ kubectl get pods -n shop\n" + table + "\nScript done on Mon Nov 30 09:16:00 2026\n",
			"", "kubectl get pods -n shop", 1,
		},
		"PowerShell": {
			"**********************\r\nPowerShell transcript start\r\nStart time: 20261130091502\r\nUsername: CORP\\me\r\nHost Application: pwsh\r\n**********************\r\n" +
				"Transcript started, output file is C:\\Users\\me\\t.txt\r\nPS C:\\Users\\me> kubectl get pods -n shop\r\n" + strings.ReplaceAll(table, "\n", "\r\n") +
				"PS C:\\Users\\me> Stop-Transcript\r\n**********************\r\nPowerShell transcript end\r\nEnd time: 20261130091600\r\n**********************\r\n",
			"", "kubectl get pods -n shop", 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &File{Path: "typescript", Text: asPrinted(test.text), FirstLine: 1}
			if p := claimedBy(f, All()); p == nil || p.Name != sessionParser.Name {
				t.Fatalf("taken by %v", p)
			}
			blocks := transcriptBlocks(f)
			if len(blocks) != test.blocks || blocks[0].Command != test.command {
				t.Fatalf("blocks: %+v", blocks)
			}
			if strings.ReplaceAll(strings.TrimSpace(blocks[0].Text), "\r", "") != strings.TrimSpace(table) {
				t.Errorf("the command printed %q", blocks[0].Text)
			}
			at := ""
			if !blocks[0].CapturedAt.IsZero() {
				at = blocks[0].CapturedAt.Format("2006-01-02T15:04:05Z07:00")
			}
			if at != test.at {
				t.Errorf("it ran at %s, not %s", at, test.at)
			}
			b := timeline.NewBuilder(f.Path)
			parseFile(f, b, All())
			if len(b.Objects) == 0 {
				t.Error("the table tells of no pod")
			}
		})
	}
}

func FuzzSession(f *testing.F) {
	f.Add("Script started on 2026-11-30 09:15:02+01:00 [X]\r\n$ ls\r\na\r\nScript done on x\r\n")
	f.Add("**********************\r\nStart\r\n**********************\r\nPS C:\\> ls\r\na\r\n**********************\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "typescript", Text: text, FirstLine: 1}
		for _, block := range transcriptBlocks(file) {
			if block.Offset < 0 || block.Offset+int64(len(block.Text)) > int64(len(text)) || text[block.Offset:][:len(block.Text)] != block.Text {
				t.Errorf("a block is said to stand at byte %d", block.Offset)
			}
			if block.Text != "" && block.FirstLine != 1+strings.Count(text[:block.Offset], "\n") {
				t.Errorf("a block is said to begin at line %d", block.FirstLine)
			}
		}
	})
}
