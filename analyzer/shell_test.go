package analyzer

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// hostile are values that run something or change the command when a shell
// gets them unquoted, or quoted carelessly.
var hostile = []string{
	"a.b/c'; touch PWNED; '", `"; touch PWNED; "`, "$(touch PWNED)", "`touch PWNED`", "${HOME}", "a b", "a;b", "a|b", "a&b", "a>PWNED", "<a",
	`\`, `a\`, `'`, `''`, `'\''`, `"`, "*", "?", "[a]", "~root", "a=~root", "#a", "!a", "{a,b}", "=ls", `a","op":"remove`, "é", "<script>", "a&&b", " ",
}

func TestShellWord(t *testing.T) {
	for value, want := range map[string]string{
		"web-0": "web-0", "system:serviceaccount:a:b": "system:serviceaccount:a:b", "10.0.0.1": "10.0.0.1",
		"/var/lib/kubelet/pods/x/volumes/kubernetes.io~nfs/v": "/var/lib/kubelet/pods/x/volumes/kubernetes.io~nfs/v",
		"": "''", "-rf": "'-rf'", "~a": "'~a'", "a=~b": "'a=~b'", "it's": `'it'\''s'`, "a b": "'a b'",
	} {
		if got := shellWord(value); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh to ask")
	}
	for _, value := range hostile {
		out, err := exec.Command(sh, "-c", "printf '%s|' "+shellWord(value)).CombinedOutput()
		if err != nil || string(out) != value+"|" {
			t.Errorf("%q arrives as %q (%v)", value, out, err)
		}
	}
}

// Whatever a bundle's names are, a command keeps its form: each name arrives
// as one literal part of the word in which its placeholder stands.
func TestCommandsCarryHostileWords(t *testing.T) {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	for where, template := range commandTemplates(t) {
		if strings.ContainsAny(template, "\n\r") {
			t.Errorf("%s: more than one line", where)
		}
		plain := map[string]string{"finalizer": "MARKfinalizerMARK"}
		for _, m := range variable.FindAllStringSubmatch(template, -1) {
			plain[m[1]] = "MARK" + m[1] + "MARK"
		}
		line, ok := q.commandLine(template, plain)
		if !ok {
			t.Fatalf("%s: left out with plain words", where)
		}
		form := shellTokens(t, line)
		for _, value := range hostile {
			vars := map[string]string{}
			for name := range plain {
				vars[name] = value
			}
			line, ok := q.commandLine(template, vars)
			if outOfFolder := strings.Contains(template, "/{") && strings.Contains(value, "/"); ok == outOfFolder {
				t.Errorf("%s: with %q: %q", where, value, line)
			}
			if !ok {
				continue
			}
			got := shellTokens(t, line)
			want := slices.Clone(form)
			for i := range want {
				if strings.HasPrefix(want[i], `[{"op"`) {
					want[i] = finalizerPatch(value, "")
					checkPatch(t, got[min(i, len(got)-1)], value)
					continue
				}
				for name := range plain {
					want[i] = strings.ReplaceAll(want[i], "MARK"+name+"MARK", value)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s\nis  %q\nnot %q", where, line, got, want)
			}
		}
	}
}

// checkPatch says that a JSON patch tests for the finalizer and does no more
// than to take it off.
func checkPatch(t *testing.T, patch, finalizer string) {
	t.Helper()
	var list []map[string]string
	if err := json.Unmarshal([]byte(patch), &list); err != nil || len(list) != 2 || list[0]["op"] != "test" || list[0]["value"] != finalizer || list[1]["op"] != "remove" || len(list[1]) != 2 {
		t.Errorf("patch for %q: %s (%v)", finalizer, patch, err)
	}
}

func TestCommandsLeaveOutWhatNoneShouldCarry(t *testing.T) {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	for _, c := range []struct{ template, value string }{
		{"kubectl get pod {x}", "a\nb"},
		{"kubectl get pod {x}", "a\x1b[2Jb"},
		{"kubectl get pod {x}", "a\rb"},
		{"kubectl get pod {x}", "a\u202eb"},
		{"kubectl get pod {x}", "a\u2028b"},
		{"kubectl get pod {x}", "a\xffb"},
		{"kubectl get pod {x}", "--all"},
		{"{x} --all", "-a"},
		{"find /pods/{x} -empty", ".."},
		{"find /pods/{x} -empty", "../../etc"},
	} {
		if line, ok := q.commandLine(c.template, map[string]string{"x": c.value}); ok || line != "" {
			t.Errorf("%q: %q", c.value, line)
		}
	}
	if line, ok := q.commandLine("kubectl patch -p {"+takeOff+"}", map[string]string{"finalizer": "a\nb"}); ok {
		t.Errorf("finalizer of two lines: %q", line)
	}
}

func TestCommandKeepsOrdinaryText(t *testing.T) {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	vars := map[string]string{"ns": "shop", "name": "cart-0", "kind": "pod", "finalizer": "example.com/<a&b>"}
	for template, want := range map[string]string{
		"kubectl -n {ns} patch {kind} {name} --type=json -p {" + takeOff + "}": `kubectl -n shop patch pod cart-0 --type=json -p '[{"op":"test","path":"/metadata/finalizers/0","value":"example.com/<a&b>"},{"op":"remove","path":"/metadata/finalizers/0"}]'`,
		"{list} | grep {name}": "crictl ps -a --no-trunc | grep cart-0",
		"{verb|delete} {resource|pods} -n {ns|<namespace>} --as={user|<user>} {uid}": "delete pods -n shop --as=<user> <uid>",
	} {
		if got, ok := q.commandLine(template, vars); !ok || got != want {
			t.Errorf("%s: %s", template, got)
		}
	}
}

// A step whose command is left out says so.
func TestLeftOutIsTold(t *testing.T) {
	q := on(&node{name: "n", logs: map[string]*logSpan{}})
	q.name, q.ns = "cart-0\n# HEAD", "shop$(id)"
	root := q.candidateOf(t, "finalizer-held", RoleRoot, StageFinalizers)
	root.signals = []*signal{{keys: map[string]string{"finalizer": "a.b/c"}}}
	told := 0
	for _, r := range q.remedies(&finding{q: q, outcome: Stuck, candidates: []*candidate{root}, root: root}) {
		if strings.ContainsAny(r.Command, "\n") {
			t.Errorf("a command of two lines: %q", r.Command)
		}
		if strings.HasSuffix(r.Step, leftOut) && r.Command == "" {
			told++
		}
	}
	if told == 0 {
		t.Error("no step tells that its command is left out")
	}
}

func TestClockTimeTellsAnotherDay(t *testing.T) {
	q := on(&node{name: "n"})
	at := time.Date(2026, 3, 10, 11, 51, 40, 0, time.UTC)
	for _, c := range []struct {
		t0, now time.Time
		want    string
	}{
		{at.Add(time.Hour), time.Time{}, "11:51:40"},
		{at.Add(24 * time.Hour), at, "2026-03-10 11:51:40"},
		{time.Time{}, at.Add(time.Hour), "11:51:40"},
		{time.Time{}, at.Add(24 * time.Hour), "2026-03-10 11:51:40"},
	} {
		q.deadline, q.s.now = c.t0, c.now
		if got := q.clockTime(at); got != c.want {
			t.Errorf("T0 %v, newest %v: %s", c.t0, c.now, got)
		}
	}
}

// commandTemplates are all commands that the causes give, by where they stand,
// and those that the program asks for by itself.
func commandTemplates(t *testing.T) map[string]string {
	t.Helper()
	causes, err := Causes()
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{
		"ask for the pod": "kubectl -n {ns} get pod {name} -o yaml --show-managed-fields",
		"ask for the uid": "kubectl get pods -A -o yaml | grep -B30 'uid: '{uid}",
	}
	for _, c := range causes {
		for i := range c.Remedies {
			list[fmt.Sprintf("%s, step %d", c.ID, i+1)] = c.Remedies[i].Command
		}
		for i := range c.Missing {
			list[fmt.Sprintf("%s, missing %d", c.ID, i+1)] = c.Missing[i].Command
		}
	}
	return list
}

// shellTokens cuts a command as a POSIX shell does: words without their
// quotes, and each character that means something to the shell by itself.
func shellTokens(t *testing.T, line string) []string {
	t.Helper()
	var tokens []string
	var word strings.Builder
	in := false
	end := func() {
		if in {
			tokens = append(tokens, word.String())
		}
		word.Reset()
		in = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ':
			end()
		case '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				t.Fatalf("an open quote: %s", line)
			}
			word.WriteString(line[i+1 : i+1+n])
			i, in = i+1+n, true
		case '\\':
			if i+1 == len(line) {
				t.Fatalf("an open escape: %s", line)
			}
			i++
			word.WriteByte(line[i])
			in = true
		case '"':
			t.Fatalf("double quotes, in which a shell still expands: %s", line)
		case ';', '|', '&', '<', '>', '$', '`', '(', ')', '*', '?', '[', ']', '#', '!', '\n':
			end()
			tokens = append(tokens, "shell:"+string(c))
		default:
			word.WriteByte(c)
			in = true
		}
	}
	end()
	return tokens
}
