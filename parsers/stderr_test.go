package parsers

import (
	"testing"
	"time"

	"podautopsy/timeline"
)

func TestCommandError(t *testing.T) {
	const dial = `time="2026-11-30T09:16:22Z" level=error msg="validate service connection: validate CRI v1 runtime API for endpoint \"unix:///run/containerd/containerd.sock\": rpc error: code = Unavailable desc = connection error"`
	b := readNode(t, commandErrorParser, "", dial+"\n[rc=1]\n")
	checkMessages(t, b, dial)
	if b.Events[0].Time != time.Date(2026, 11, 30, 9, 16, 22, 0, time.UTC) || b.Events[0].Level != timeline.LevelError {
		t.Errorf("the event is %+v", b.Events[0])
	}
	if len(b.Input.Gaps) != 1 || b.Input.Gaps[0].Kind != timeline.GapCommandFailed || b.Input.Gaps[0].Source.Line != 2 {
		t.Errorf("gaps: %+v", b.Input.Gaps)
	}
	for _, text := range []string{
		`FATA[0005] listing containers: rpc error: code = DeadlineExceeded desc = context deadline exceeded`,
		`ctr: failed to dial "/run/containerd/containerd.sock": context deadline exceeded: timed out waiting for server handshake`,
		`ls: cannot access '/var/lib/kubelet/pods/5d7235a9/volumes/x/mount': Transport endpoint is not connected`,
		`umount: /var/lib/kubelet/pods/5d7235a9/mount: target is busy.`, `stat: cannot statx 'x': Stale file handle`,
		`ls: reading directory '/mnt': Input/output error`, `-bash: crictl: command not found`, `bash: line 1: crictl: command not found`,
		`Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?`, `error: timed out`,
		`cat: /proc/77/stack: Permission denied`, `Failed to connect to bus: No such file or directory`,
	} {
		checkMessages(t, readNode(t, commandErrorParser, "", text+"\n"), text)
	}
	b = readNode(t, commandErrorParser, "timeout 60 docker inspect e4cb; echo rc=$?", "rc=124\n")
	checkMessages(t, b, "$ timeout 60 docker inspect e4cb; echo rc=$?: exit status 124")
	for _, text := range []string{
		"Error from server (NotFound): pods \"web-0\" not found", `time="2026-11-30T09:16:22Z" level=error msg="StopPodSandbox failed"`,
		"kubelet: E1130 08:19:51.477262     161 log.go:32] x", "level: error", "pod: web", "status: not mounted yet",
	} {
		if claim := nodeClaim(&File{Path: "file-1", Text: text}); claim != "" {
			t.Errorf("%q is taken by %s", text, claim)
		}
	}
}

func TestGoneProcess(t *testing.T) {
	for text, want := range map[string]int{
		"ls: cannot access '/proc/14260': No such file or directory": 14260, "ls: cannot access /proc/14260: No such file or directory": 14260,
		"cat: /proc/77/wchan: No such file or directory": 77, "bash: kill: (123) - No such process": 123,
		"ls: cannot access '/proc/14260/root/mnt': No such file or directory": 0, "ls: cannot access '/proc/*/x': No such file or directory": 0,
	} {
		b := readNode(t, commandErrorParser, "", text+"\n")
		got := 0
		if len(b.Processes) > 0 && b.Processes[0].Gone {
			got = b.Processes[0].PID
		}
		if got != want {
			t.Errorf("%q: process %d is gone, want %d", text, got, want)
		}
	}
}

func TestInvocations(t *testing.T) {
	for command, want := range map[string][]string{
		"sudo -n timeout 5 /usr/bin/crictl ps -a | grep 'a b'": {"crictl ps -a", "grep a b"},
		"docker inspect x >/dev/null 2>&1; echo rc=$?":         {"docker inspect x >/dev/null 2>&1", "echo rc=$?"},
		"for f in a; do head -1 $f; done":                      {"for f in a", "head -1 $f", "done"},
		"nsenter -t1 -m -- ls /x && TZ=UTC date -u":            {"ls /x", "date -u"},
		"chroot /host crictl pods":                             {"crictl pods"},
		"":                                                     nil,
		"| ; && sudo":                                          nil,
	} {
		var got []string
		for _, v := range invocations(command) {
			s := v[0]
			for _, w := range v[1:] {
				s += " " + w
			}
			got = append(got, s)
		}
		if len(got) != len(want) {
			t.Errorf("%q: %q, want %q", command, got, want)
			continue
		}
		for i := range got {
			if got[i] != want[i] {
				t.Errorf("%q: %q, want %q", command, got, want)
			}
		}
	}
}
