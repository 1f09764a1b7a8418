package docs

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

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
