package parsers

import (
	"fmt"
	"strings"
	"testing"

	"podautopsy/timeline"
)

func TestPrompts(t *testing.T) {
	for _, test := range []struct{ line, command, host string }{
		{"$ kubectl get pod", "kubectl get pod", ""},
		{"# stat -f -c %T /var/lib/kubelet", "stat -f -c %T /var/lib/kubelet", ""},
		{"# rbd showmapped", "rbd showmapped", ""},
		{"#", "", ""},
		{"[root@node-t4kq82xa ~]# uname -r", "uname -r", "node-t4kq82xa"},
		{"root@kn-r2-09:~# ps axo pid,stat | grep -E 'Z|1'", "ps axo pid,stat | grep -E 'Z|1'", "kn-r2-09"},
		{"core@worker-1 ~ $ sudo crictl ps", "sudo crictl ps", "worker-1"},
		{"ubuntu@ip-10-0-0-1:/var/log$ df -h", "df -h", "ip-10-0-0-1"},
		{"sles-7:~ # systemctl status kubelet", "systemctl status kubelet", "sles-7"},
		{"sh-4.4# crictl ps -a", "crictl ps -a", ""},
		{"/ # mount", "mount", ""},
		{"# on n3, 4 minutes later", "-", ""},
		{"# find the process that holds it", "-", ""},
		{"# see /etc/fstab", "-", ""},
		{"## Heading", "-", ""},
		{"#!/bin/sh", "-", ""},
		{"$HOME is not set", "-", ""},
		{"Price: 5 $ each", "-", ""},
		{`mail me@example.com: it costs 5 $ `, "-", ""},
		{"NAME   READY   STATUS", "-", ""},
		{"[4675051.235451] INFO: task jbd2/sdc1-8:453 blocked", "-", ""},
	} {
		p, ok := parsePrompt(test.line)
		got := p.command
		if !ok || !p.isCommand() {
			got, p.host = "-", ""
		}
		if got != test.command || p.host != test.host {
			t.Errorf("%q: command %q on %q, want %q on %q", test.line, got, p.host, test.command, test.host)
		}
	}
}

func TestBlocks(t *testing.T) {
	const text = `stuck since noon
$ kubectl -n shop delete pod web-0 --force
Warning: Immediate deletion does not wait for confirmation.
pod "web-0" force deleted
$ kubectl -n shop get pod web-0
Error from server (NotFound): pods "web-0" not found
$ date -u
Fri Aug  1 17:12:35 UTC 2025
# on n3, 4 minutes later
# grep nfs /proc/mounts
# ps -o pid,stat \
>   -p 31022
    PID STAT
  31022 D
[root@w-4 ~]# ssh w-5 uptime
 17:20:00 up 1 day
`
	f := &File{Path: "session.txt", Text: text, FirstLine: 1}
	if !Transcript.Sniff(f) {
		t.Fatal("not taken for a transcript")
	}
	var got []string
	for _, block := range Blocks(f) {
		if !strings.HasPrefix(f.Text[block.Offset:], block.Text) {
			t.Errorf("%q does not stand at %d", block.Text, block.Offset)
		}
		if n := 1 + strings.Count(f.Text[:block.Offset], "\n"); n != block.FirstLine {
			t.Errorf("%q: line %d, want %d", block.Command, block.FirstLine, n)
		}
		got = append(got, fmt.Sprintf("%s|%s|%t|%d", block.Node, block.Command, block.CapturedAt.IsZero(), strings.Count(block.Text, "\n")))
	}
	want := []string{
		"||true|1",
		"|kubectl -n shop delete pod web-0 --force|true|2",
		"|kubectl -n shop get pod web-0|true|1",
		"|date -u|false|1",
		"n3|grep nfs /proc/mounts|false|0",
		"n3|ps -o pid,stat -p 31022|false|2",
		"w-5|ssh w-5 uptime|false|1",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("blocks\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b := readWith(t, Transcript, f.Path, text)
	if b.Events[0].Message != "$ kubectl -n shop delete pod web-0 --force" || b.Events[3].Message != "# on n3, 4 minutes later" {
		t.Errorf("events %v", b.Events)
	}
	b = timeline.NewBuilder(f.Path)
	if err := CommandOutput.Parse(&Blocks(f)[2], b); err != nil || len(b.Absents) != 1 || b.Absents[0].Ref != (timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}) {
		t.Errorf("absent %v, %v", b.Absents, err)
	}
}

// Of the real files only transcripts are taken for transcripts.
func TestSniffTranscript(t *testing.T) {
	for path, text := range sharedFiles(t, func(path string) bool { return !strings.Contains(path, "realdata") }) {
		f := &File{Path: path, Text: text}
		if !Transcript.Sniff(f) {
			continue
		}
		var commands []string
		for _, block := range Blocks(f) {
			commands = append(commands, block.Command)
		}
		t.Logf("%s: %q", path, commands)
		if strings.Contains(path, "/lab/") {
			t.Errorf("%s was taken for a transcript", path)
		}
	}
}

func FuzzTranscript(f *testing.F) {
	f.Add("$ kubectl get pods\nNAME READY\n# on n3\n[root@a ~]# ssh b\n# date\nFri Aug  1 17:12:35 UTC 2025\n$ x \\\n> y\n")
	f.Add("root@a:~# for f in *; do cat $f; done\n#\nkubectl debug node/x\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "x", Text: text, FirstLine: 3, Offset: 10}
		Transcript.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		_ = Transcript.Parse(file, b)
		for _, block := range Blocks(file) {
			if !strings.HasPrefix(text[block.Offset-10:], block.Text) || block.FirstLine != 3+strings.Count(text[:block.Offset-10], "\n") && block.Text != "" {
				t.Fatalf("block %+v is misplaced", block)
			}
			if strings.TrimSpace(block.Text) != "" {
				_ = CommandOutput.Parse(&block, b)
			}
		}
		checkCited(t, file, b)
	})
}
