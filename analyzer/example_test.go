package analyzer_test

import (
	"context"
	"fmt"

	"podautopsy/analyzer"
	"podautopsy/parsers"
)

// The analyzer inside of another program: an operator that looks at what it has
// collected, a portal that looks at what a customer has uploaded. It opens no
// connection, and what it reads is bounded.
func ExampleAnalyze() {
	paths := []string{"../fixtures/finalizer-no-controller/input"}
	tl, err := parsers.Read(context.Background(), paths, nil, parsers.ReadOptions{
		Limits: parsers.Limits{MaxTotalBytes: 64 << 20}, // what is not set has its default
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	doc, err := analyzer.Analyze(tl, analyzer.Options{Paths: paths})
	if err != nil {
		fmt.Println(err)
		return
	}
	evidence := map[string]analyzer.Evidence{}
	for _, e := range doc.Evidence {
		evidence[e.ID] = e
	}
	for _, s := range doc.Subjects {
		fmt.Println(s.Kind, *s.Name, s.Outcome, *s.Cause, s.Confidence)
		e := evidence[s.Causes[0].For[0]]
		fmt.Printf("%s:%d: %s\n", e.File, *e.Line, e.Text)
	}
	// Output:
	// Pod checkout-api-0 stuck finalizer-held high
	// cluster/pods-managed.yaml:13:     - lab.example.com/cleanup
}

// Causes are what a report can name; each explains itself.
func ExampleCauses() {
	causes, err := analyzer.Causes()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range causes {
		if c.ID == "mount-busy" {
			fmt.Println(c.ID, "holds", c.Stage)
		}
	}
	// Output:
	// mount-busy holds volumes-unmounted
}
