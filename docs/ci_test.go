package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// Our own workflows are YAML, and their scripts are shell; make lint looks
// closer.
func TestWorkflows(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var workflow struct {
			Name        string
			On          any
			Permissions map[string]string
			Jobs        map[string]struct {
				RunsOn string `yaml:"runs-on"`
				Steps  []struct{ Uses, Run string }
			}
		}
		if err := yaml.Unmarshal(data, &workflow); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if workflow.Name == "" || workflow.On == nil || workflow.Permissions["contents"] != "read" || len(workflow.Jobs) == 0 {
			t.Errorf("%s: it has no name, no trigger, no jobs, or more rights than to read", file)
		}
		for name, job := range workflow.Jobs {
			for i, step := range job.Steps {
				if job.RunsOn == "" || (step.Uses == "") == (step.Run == "") {
					t.Errorf("%s: %s: step %d does nothing, or two things", file, name, i)
				}
			}
		}
	}
}

// The workflow that people copy is YAML, and its scripts are shell.
func TestExampleWorkflow(t *testing.T) {
	data, err := os.ReadFile("ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(data), "```yaml\n")
	block, _, found := strings.Cut(block, "```\n")
	if !found {
		t.Fatal("no workflow")
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Name, Run, If string
			} `yaml:"steps"`
		}
	}
	if err := yaml.Unmarshal([]byte(block), &workflow); err != nil {
		t.Fatal(err)
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	summaries := 0
	for _, job := range workflow.Jobs {
		for _, step := range job.Steps {
			if out, err := exec.CommandContext(t.Context(), bash, "-n", "-c", step.Run).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", step.Name, err, out)
			}
			if strings.Contains(step.Run, "podautopsy analyze") && strings.Contains(step.Run, "GITHUB_STEP_SUMMARY") && step.If == "failure()" {
				summaries++
			}
		}
	}
	if summaries != 1 {
		t.Errorf("%d steps write the verdict into the summary", summaries)
	}
}
