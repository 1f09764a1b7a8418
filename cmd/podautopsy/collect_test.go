package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"podautopsy/analyzer"
)

// shells are what nodes and laptops have; those that are not here are skipped.
var shells = [][]string{{"dash"}, {"busybox", "sh"}, {"bash", "--posix"}}

// printed is what a command line prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	c := &cli{stdin: &bytes.Buffer{}, stdout: &stdout, stderr: &stderr, env: func(string) string { return "" }, engine: newEngine()}
	if code := c.run(context.Background(), args); code != 0 {
		t.Fatalf("%v: exit code %d: %s", args, code, stderr.String())
	}
	return stdout.String()
}

// scripts are what collect prints for a shell: whole, and each part alone.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, what := range collectors {
		if !strings.HasPrefix(what.text, "#!/bin/sh\n") {
			continue
		}
		all[what.name] = wholeScript(what.text)
		for _, p := range scriptParts(what.text) {
			for _, kind := range p.kinds {
				text, some, err := only(what.text, []string{kind})
				if err != nil || !some {
					t.Fatalf("%s for %q: %v, %v", what.name, kind, some, err)
				}
				all[what.name+" for "+kind] = text
			}
		}
	}
	return all
}

func TestCollectScriptsAreShell(t *testing.T) {
	all := scripts(t)
	for name, text := range all {
		if strings.Contains(text, sourceRun) {
			t.Errorf("%s: run.sh is not in it", name)
		}
		for _, shell := range shells {
			path, err := exec.LookPath(shell[0])
			if err != nil || strings.Contains(name, " for ") && shell[0] != "dash" {
				continue
			}
			cmd := exec.Command(path, append(slices.Clone(shell[1:]), "-n")...)
			cmd.Stdin = strings.NewReader(text)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", name, shell[0], err, out)
			}
		}
	}
	shellcheck, err := exec.LookPath("shellcheck")
	if err != nil {
		t.Skip("shellcheck is not installed")
	}
	for name, text := range all {
		if strings.Contains(name, " for ") {
			continue // parts of what is checked
		}
		cmd := exec.Command(shellcheck, "-s", "sh", "-")
		cmd.Stdin = strings.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}

// Nothing that is printed asks for Secrets, changes anything, or looks below
// the mount of a volume.
func TestCollectOnlyReads(t *testing.T) {
	for _, what := range collectors {
		for line := range strings.Lines(wholeScript(what.text)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "#") {
				continue
			}
			for _, bad := range []string{
				"get secret", "get configmap", "/environ", "kubectl apply", "kubectl delete", "kubectl patch", "kill -USR",
				"crictl rm", "crictl stop", "systemctl start", "systemctl stop", "systemctl restart", "umount ", "du -", "find /var/lib/kubelet", "ls -lR /var/lib/kubelet",
			} {
				if strings.Contains(line, bad) {
					t.Errorf("%s: %q in %s", what.name, bad, line)
				}
			}
		}
	}
}

// collected runs a script here, with stand-ins for some programs, and returns
// the folder and the archive that it made.
func collected(t *testing.T, shell []string, script string, standIns map[string]string, args ...string) (folder, archive string) {
	t.Helper()
	path, err := exec.LookPath(shell[0])
	if err != nil {
		t.Skip(shell[0] + " is not installed")
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range standIns {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	folder = filepath.Join(dir, "collected")
	cmd := exec.Command(path, append(append(slices.Clone(shell[1:]), "-s", "--", "-o", folder), args...)...)
	cmd.Stdin = strings.NewReader(script)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder, folder + ".tar.gz"
}

// onBundle is the report on a bundle.
func onBundle(t *testing.T, paths ...string) *analyzer.Document {
	t.Helper()
	doc := &analyzer.Document{}
	if err := json.Unmarshal([]byte(printed(t, append([]string{"analyze", "-o", "json"}, paths...)...)), doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// understood says that every file was read, or is known to be of no use.
func understood(t *testing.T, doc *analyzer.Document) {
	t.Helper()
	if doc.Bundle.Layout != "podautopsy" {
		t.Errorf("layout %q", doc.Bundle.Layout)
	}
	for _, in := range doc.Bundle.Inputs {
		if in.Format == "" && in.Unused == "" && !in.Empty {
			t.Errorf("%s is in no format that is read", in.Path)
		}
		for _, g := range in.Gaps {
			if g.Kind == "not-understood" {
				t.Errorf("%s: %s", in.Path, g.Detail)
			}
		}
	}
}

// The node script runs where there is no Kubernetes, and says so.
func TestCollectNodeWithoutKubernetes(t *testing.T) {
	if _, err := os.Stat("/proc/1/mountinfo"); err != nil {
		t.Skip("the script is for Linux")
	}
	_, err := exec.LookPath("ps") // a bare system has none, and then only those show that are blocked
	processes := err == nil
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			folder, archive := collected(t, shell, printed(t, "collect", "node"), nil)
			sums := exec.Command("sha256sum", "--check", "--quiet", "SHA256SUMS")
			sums.Dir = folder
			if out, err := sums.CombinedOutput(); err != nil {
				t.Errorf("checksums: %v\n%s", err, out)
			}
			commands, err := os.ReadFile(filepath.Join(folder, "commands.tsv"))
			if err != nil {
				t.Fatal(err)
			}
			for _, path := range []string{folder, archive} {
				doc := onBundle(t, path)
				understood(t, doc)
				if len(doc.Subjects) != 0 {
					t.Errorf("%s: %d subjects", path, len(doc.Subjects))
				}
				if len(doc.Bundle.Nodes) != 1 || !doc.Bundle.Nodes[0].Evidence.Mounts || processes && !doc.Bundle.Nodes[0].Evidence.Processes {
					t.Errorf("%s: nodes %+v", path, doc.Bundle.Nodes)
				}
				if strings.Contains(string(commands), "\t127\t-\t-\tcrictl") && doc.Bundle.Nodes[0].Evidence.RuntimeState {
					t.Errorf("%s: a runtime state without crictl", path)
				}
			}
		})
	}
}

// lab is a capture of a pod that runs on after a force delete.
const lab = "../../fixtures/force-delete--container-runs-on/input"

// labStandIns answer as the programs did when the capture was made.
func labStandIns(t *testing.T) map[string]string {
	t.Helper()
	dir, err := filepath.Abs(lab)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"crictl": fmt.Sprintf(`cd %q/node || exit
case "$*" in
*inspectp*) cat crictl-inspectp/*.json ;;
*inspect*) cat crictl-inspect/*.json ;;
*"pods -o json") cat crictl-pods.json ;;
*"ps -a -o json") cat crictl-ps-a.json ;;
*) exit 1 ;;
esac`, dir),
		"journalctl": fmt.Sprintf(`case "$*" in
"-u kubelet "*) cat %[1]q/node/journal-kubelet.json ;;
"-u containerd "*) cat %[1]q/node/journal-containerd.json ;;
esac`, dir),
		"systemctl": fmt.Sprintf(`case "$*" in
list-units*) echo 'UNIT LOAD ACTIVE SUB DESCRIPTION'
  echo '  kubelet.service loaded inactive dead kubelet: The Kubernetes Node Agent' ;;
"show --no-pager kubelet.service") cat %q/node/systemctl-show-kubelet.txt ;;
esac`, dir),
		"ps": fmt.Sprintf("cat %q/node/ps-wchan.txt", dir),
		"cat": fmt.Sprintf(`if [ "$1" = /etc/machine-id ]; then set -- %q/node/machine-id.txt; fi
exec /bin/cat "$@"`, dir),
		"uname": `case $1 in
-n) echo worker-1 ;;
*) echo "Linux worker-1 6.18.44 #1 SMP x86_64 GNU/Linux" ;;
esac`,
		"date": `case $* in
+%N) echo 1 ;;
*) echo 2026-11-30T08:22:55.164772190Z ;;
esac`,
		"kubectl": fmt.Sprintf(`cd %q/cluster || exit
case "$*" in
*" get pods "*custom-columns*) ;;
*" get pods "*) cat pods-managed.yaml ;;
*" get crd "*) exit 1 ;;
*" get "*)
  kind=${*#* get }
  kind=${kind%%%% *}
  cat "${kind%%%%.*}.yaml" ;;
*) exit 1 ;;
esac`, dir),
	}
}

// What the scripts bring of a ghost gives the verdict that a capture by hand
// gives, and no environment of a container is in it.
func TestCollectedGhost(t *testing.T) {
	if _, err := os.Stat("/proc/1/mountinfo"); err != nil {
		t.Skip("the script is for Linux")
	}
	for _, shell := range shells {
		t.Run(shell[0], func(t *testing.T) {
			t.Parallel()
			onNode, _ := collected(t, shell, printed(t, "collect", "node"), labStandIns(t))
			onCluster, archive := collected(t, shell, printed(t, "collect", "cluster"), labStandIns(t))
			for _, api := range []string{onCluster, archive} {
				doc := onBundle(t, onNode, api)
				understood(t, doc)
				if len(doc.Subjects) != 1 || doc.Subjects[0].Cause == nil || *doc.Subjects[0].Cause != "ghost-container" || doc.Subjects[0].Confidence != analyzer.High {
					t.Fatalf("%s: %s", api, doc.Summary.Headline)
				}
			}
			inspected, err := os.ReadFile(filepath.Join(onNode, "nodes/worker-1/crictl/inspect.json"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Contains(inspected, []byte(`"CONTAINER_RUNNING"`)) || bytes.Contains(inspected, []byte("env")) || bytes.Contains(inspected, []byte("PATH=")) {
				t.Errorf("inspect.json: %s", inspected)
			}
		})
	}
}

// What timed out or is not there is not collected: it does not mean "none".
func TestCollectedAndFailed(t *testing.T) {
	for name, crictl := range map[string]string{
		"empty answer with an error": `echo '{"containers": [], "items": []}'; exit 1`,
		"hangs":                      "echo '{\"containers\": [], \"items\": []}'; exec sleep 1000",
		"is not there":               "",
		"cut in the middle":          `case "$*" in *"ps -a"*) echo '{"containers": [' ;; *) echo '{"items": [' ;; esac; exit 1`,
		"cut, with a good status":    `case "$*" in *"ps -a"*) echo '{"containers": [' ;; *) echo '{"items": [' ;; esac`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			standIns := labStandIns(t)
			delete(standIns, "crictl")
			if crictl != "" {
				standIns["crictl"] = crictl
			}
			script := strings.ReplaceAll(printed(t, "collect", "node"), " 30 $crictl", " 1 $crictl")
			onNode, _ := collected(t, []string{"sh"}, script, standIns)
			doc := onBundle(t, onNode, filepath.Join(lab, "cluster"))
			for _, n := range doc.Bundle.Nodes {
				if n.Name == "worker-1" && n.Evidence.RuntimeState {
					t.Error("a state of the runtime, from a command that failed")
				}
			}
			for i := range doc.Subjects {
				for _, r := range doc.Subjects[i].Residue {
					if r.State == "clear" && (r.Check == "containers" || r.Check == "sandbox") {
						t.Errorf("%s are clear: %s", r.Check, r.Detail)
					}
				}
			}
		})
	}
}

// A list of the API server that timed out, is cut, or that nobody could ask for
// does not say that it has no such pod; all else is read.
func TestCollectedWithoutPods(t *testing.T) {
	if _, err := os.Stat("/proc/1/mountinfo"); err != nil {
		t.Skip("the script is for Linux")
	}
	for name, c := range map[string]struct {
		pods   string // what kubectl does, asked for the pods
		status string // in commands.tsv
	}{
		"hangs":                       {"echo '{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}'; exec sleep 1000", "124"},
		"empty answer with an error":  {"echo '{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}'; exit 1", "1"},
		"cut in the middle":           {"head -c 500 pods-managed.yaml; exit 1", "1"},
		"cut, with a good status":     {"echo '{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": ['", "0"},
		"nothing, with a good status": {":", "0"},
		"is not there":                {"", "127"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			standIns := labStandIns(t)
			script := printed(t, "collect", "cluster")
			if c.pods == "" {
				script = strings.ReplaceAll(script, "KUBECTL=kubectl\n", "KUBECTL=kubectl-that-is-not-there\n")
			}
			standIns["kubectl"] = strings.Replace(standIns["kubectl"], "cat pods-managed.yaml", c.pods, 1)
			script = strings.Replace(script, `.json" 120 $KUBECTL`, `.json" 2 $KUBECTL`, 1)
			onCluster, archive := collected(t, []string{"sh"}, script, standIns)
			commands, err := os.ReadFile(filepath.Join(onCluster, "commands.tsv"))
			if err != nil {
				t.Fatal(err)
			}
			asked := false
			for row := range strings.Lines(string(commands)) {
				if strings.Contains(row, " get pods ") {
					asked = true
					if column := strings.Split(row, "\t"); column[2] != c.status {
						t.Errorf("status %s, want %s: %s", column[2], c.status, row)
					}
				}
			}
			if !asked {
				t.Errorf("nobody asked for the pods:\n%s", commands)
			}
			for _, api := range []string{onCluster, archive} {
				doc := onBundle(t, filepath.Join(lab, "node"), api)
				if strings.Contains(doc.Summary.Headline, "nothing is left behind") {
					t.Errorf("%s: %s", api, doc.Summary.Headline)
				}
				for i := range doc.Subjects {
					s := &doc.Subjects[i]
					if s.InAPI != nil && !*s.InAPI && s.Confidence == analyzer.High {
						t.Errorf("%s is surely gone from the API: %s", *s.Name, s.Summary)
					}
					if s.Outcome == analyzer.Clean {
						t.Errorf("%s is clean: %s", *s.Name, s.Summary)
					}
					if s.Cause != nil && *s.Cause != "ghost-container" {
						t.Errorf("%s: %s", *s.Name, *s.Cause)
					}
					for _, r := range s.Residue {
						if r.Check == "object" && r.State == analyzer.RowClear {
							for _, id := range r.Evidence {
								for _, e := range doc.Evidence {
									if e.ID == id && strings.HasSuffix(e.File, "cluster/pods.json") {
										t.Errorf("the object is clear by %s: %s", e.File, r.Detail)
									}
								}
							}
						}
					}
				}
			}
		})
	}
}
