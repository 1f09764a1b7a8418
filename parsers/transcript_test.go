package parsers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		{"ops@jump ~ % kubectl drain w5 --timeout=300s", "kubectl drain w5 --timeout=300s", "jump"},
		{"me@mbp logs % ls -l | wc -l", "ls -l | wc -l", "mbp"},
		{"me@mbp ~ %", "", "mbp"},
		{"me@mbp ~ % echo $x # y", "echo $x # y", "mbp"},
		{"worker-1% crictl ps -a", "crictl ps -a", "worker-1"},
		{"➜  ~ kubectl -n prod get pod web-0", "kubectl -n prod get pod web-0", ""},
		{"➜  infra git:(main) ✗ kubectl get pods", "kubectl get pods", ""},
		{"➜  infra git:(fix/x) make", "make", ""},
		{"❯ kubectl get pods -A", "kubectl get pods -A", ""},
		{"❯", "", ""},
		{`PS C:\> kubectl get job -n shop`, "kubectl get job -n shop", ""},
		{`PS C:\Users\me\My Bundles> kubectl.exe get pods | findstr web`, "kubectl.exe get pods | findstr web", ""},
		{"PS /srv/me> kubectl get pods", "kubectl get pods", ""},
		{`[win-2]: PS C:\> Get-Process containerd`, "Get-Process containerd", "win-2"},
		{`PS C:\>`, "", ""},
		{`C:\Users\me>kubectl get pods`, "kubectl get pods", ""},
		{"ubuntu@w-3 ~> crictl pods", "crictl pods", "w-3"},
		{"ubuntu@w-3 /v/log> tail syslog", "tail syslog", "w-3"},
		{"$HOME is not set", "-", ""},
		// Lines of logs and of programs that hold these signs.
		{"disk% used by images", "-", ""},
		{"mem% free", "-", ""},
		{"100% ls", "-", ""},
		{"Filesystem Size Used Avail Use% Mounted on", "-", ""},
		{"ImageGC: 85% of /var/lib is used", "-", ""},
		{"root@db 99 % Full", "-", ""},
		{"user@example.com reached 5 % of the quota", "-", ""},
		{"➜  Local:   http://localhost:3000/", "-", ""},
		{"➜ Installing the chart", "-", ""},
		{"  ➜  ~ kubectl get pods", "-", ""},
		{"❯ Choose a context", "-", ""},
		{"❯ ✔ 3 of 3 checks", "-", ""},
		{"PS aux output follows> see below", "-", ""},
		{"PS C:", "-", ""},
		{`C:\x\y.exe: error > log`, "-", ""},
		{`C:\logs\kubelet.log>Could not open`, "-", ""},
		{"ubuntu@w-3 ~>x", "-", ""},
		{"mail <ops@example.com> bounced", "-", ""},
		{"ops@example.com <ops> bounced", "-", ""},
		{`I0102 03:04:05.000001    1234 kubelet.go:2425] "SyncLoop DELETE" source="api" pods=["a/b"] % ls`, "-", ""},
		{"[4675051.235451] PS C: x> y", "-", ""},
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
	if !transcriptParser.Sniff(f) {
		t.Fatal("not taken for a transcript")
	}
	var got []string
	for _, block := range transcriptBlocks(f) {
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
	b := readWith(t, transcriptParser, f.Path, text)
	if b.Events[0].Message != "$ kubectl -n shop delete pod web-0 --force" || b.Events[3].Message != "# on n3, 4 minutes later" {
		t.Errorf("events %v", b.Events)
	}
	b = timeline.NewBuilder(f.Path)
	if err := commandOutputParser.Parse(&transcriptBlocks(f)[2], b); err != nil || len(b.Absents) != 1 || b.Absents[0].Ref != (timeline.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}) {
		t.Errorf("absent %v, %v", b.Absents, err)
	}
}

// Several commands on one line, folders, and shells of other prompts.
func TestBlocksOfSeveralCommands(t *testing.T) {
	const text = `root@kw-02:~# cd /var/lib/cni/networks/cni0 && ls | wc -l
256
root@kw-02:/var/lib/cni/networks/cni0# for i in 10.244.3.*; do echo "$i $(head -1 $i)"; done
10.244.3.2 692c77275ac8e87434b4169539d732e547f4e5cc3fe9c794d911b282c716b01b
root@kw-02:~# date -u; ssh admin@cp-1 date -u
Mon May 19 09:00:03 UTC 2025
Mon May 19 10:30:05 UTC 2025
[root@kw-02 ~]# cd /var/lib
[root@kw-02 lib]# ls kubelet; date
pods
Mon May 19 09:02:00 UTC 2025
[root@kw-02 lib]# exit
me@mbp ~ % date -u && kubectl -n crm get pods
Mon May 19 10:52:00 UTC 2025
NAME     READY   STATUS        RESTARTS   AGE
web-0    1/1     Terminating   0          25h
me@mbp ~ % date -u; hostname
PS C:\> kubectl get pods
`
	f := &File{Path: "session.txt", Text: text, FirstLine: 1}
	if !transcriptParser.Sniff(f) {
		t.Fatal("not taken for a transcript")
	}
	var got []string
	for _, block := range transcriptBlocks(f) {
		if !strings.HasPrefix(f.Text[block.Offset:], block.Text) {
			t.Errorf("%q does not stand at %d", block.Text, block.Offset)
		}
		if n := 1 + strings.Count(f.Text[:block.Offset], "\n"); n != block.FirstLine {
			t.Errorf("%q: line %d, want %d", block.Command, block.FirstLine, n)
		}
		when := "-"
		if !block.CapturedAt.IsZero() {
			when = block.CapturedAt.Format("15:04:05")
		}
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%d", block.Node, block.Dir, block.Command, when, strings.Count(block.Text, "\n")))
	}
	want := []string{
		"kw-02|/var/lib/cni/networks/cni0|cd /var/lib/cni/networks/cni0 && ls | wc -l|-|1",
		"kw-02|/var/lib/cni/networks/cni0|for i in 10.244.3.*; do echo \"$i $(head -1 $i)\"; done|-|1",
		"kw-02||date -u|09:00:03|1",
		"cp-1||ssh admin@cp-1 date -u|09:00:03|1",
		"kw-02|/var/lib|cd /var/lib|09:00:03|0",
		"kw-02|/var/lib|ls kubelet; date|09:00:03|2",
		"kw-02|/var/lib|exit|09:00:03|0",
		"mbp||date -u|10:52:00|1",
		"||kubectl -n crm get pods|10:52:00|2",
		"mbp||date -u; hostname|10:52:00|0",
		"||kubectl get pods|10:52:00|0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	b := readWith(t, transcriptParser, f.Path, text)
	parseBlocks(transcriptParser, f, b, All())
	if len(b.Reservations) != 1 {
		t.Fatalf("reservations %+v", b.Reservations)
	}
	r := b.Reservations[0]
	if r.Network != "cni0" || r.IP != "10.244.3.2" || r.ContainerID != "692c77275ac8e87434b4169539d732e547f4e5cc3fe9c794d911b282c716b01b" || r.Node != "kw-02" || r.Source.Line != 4 {
		t.Errorf("reservation %+v", r)
	}
	for _, p := range b.Paths {
		if strings.HasSuffix(p.Path, "/256") {
			t.Errorf("a count is no file: %+v", p)
		}
	}
	if len(b.Objects) != 1 || !b.Objects[0].AsOf.Equal(time.Date(2025, 5, 19, 10, 52, 0, 0, time.UTC)) {
		t.Errorf("objects %+v", b.Objects)
	}
}

func TestFirstOfSeveral(t *testing.T) {
	for _, test := range []struct {
		command, first, rest string
	}{
		{"date; ls", "date", "ls"},
		{"date -u && ls | wc -l", "date -u", "ls | wc -l"},
		{"ls | wc -l; date", "ls | wc -l; date", ""},
		{`echo "a; b"`, `echo "a; b"`, ""},
		{"for i in 1 2; do date; done", "for i in 1 2; do date; done", ""},
		{"(date; ls)", "(date; ls)", ""},
		{"sleep 5 &", "sleep 5 &", ""},
		{"date;", "date;", ""},
		{"; date", "; date", ""},
	} {
		if first, rest, _ := firstOfSeveral(test.command); first != test.first || rest != test.rest {
			t.Errorf("%q: %q and %q", test.command, first, rest)
		}
	}
}

// Of the real files only transcripts are taken for transcripts.
func TestSniffTranscript(t *testing.T) {
	for path, text := range sharedFiles(t, func(path string) bool { return !strings.Contains(path, "realdata") }) {
		f := &File{Path: path, Text: text}
		if !transcriptParser.Sniff(f) {
			continue
		}
		var commands []string
		for _, block := range transcriptBlocks(f) {
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
	f.Add("a@b ~ % date; cd /x && date -u\nFri Aug  1 17:12:35 UTC 2025\nFri Aug  1 17:12:36 UTC 2025\n➜  d git:(m) ✗ ls\nPS C:\\> dir\na@b ~> ls\n")
	f.Add("date -u; date -u; date\n$ date; date; date\n1754068355\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := &File{Path: "x", Text: text, FirstLine: 3, Offset: 10}
		transcriptParser.Sniff(file)
		b := timeline.NewBuilder(file.Path)
		_ = transcriptParser.Parse(file, b)
		for _, block := range transcriptBlocks(file) {
			if !strings.HasPrefix(text[block.Offset-10:], block.Text) || block.FirstLine != 3+strings.Count(text[:block.Offset-10], "\n") && block.Text != "" {
				t.Fatalf("block %+v is misplaced", block)
			}
			if strings.TrimSpace(block.Text) != "" {
				_ = commandOutputParser.Parse(&block, b)
			}
		}
		checkCited(t, file, b)
	})
}
