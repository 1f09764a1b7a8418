package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"

	"podautopsy/analyzer"
)

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool         `json:"tool"`
		ColumnKind string            `json:"columnKind"`
		Results    []sarifResult     `json:"results"`
		Properties map[string]string `json:"properties"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
		Help  sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Kind         string            `json:"kind"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Related      []sarifLocation   `json:"relatedLocations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		ID       int            `json:"id,omitempty"`
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
		Message  *sarifText     `json:"message,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Start   int       `json:"startLine"`
		End     int       `json:"endLine,omitempty"`
		Snippet sarifText `json:"snippet"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
		Kind string `json:"kind"`
	}
)

// SARIF writes a result for each subject that is stuck, has left something
// behind, or could not be decided; the rules are the causes.
func SARIF(w io.Writer, doc *analyzer.Document, opt Options) error {
	v := newView(doc, opt)
	run := sarifRun{
		Tool:       sarifTool{sarifDriver{Name: cmp.Or(printable(doc.Tool.Name), "podautopsy"), Version: printable(doc.Tool.Version), Rules: []sarifRule{}}},
		ColumnKind: "unicodeCodePoints", Results: []sarifResult{},
		Properties: map[string]string{"report": printable(doc.ReportID), "headline": clip(doc.Summary.Headline, enough)},
	}
	if r := redacted(doc); r != "" {
		run.Properties["redaction"] = r
	}
	for _, s := range v.ranked {
		if s.Outcome != analyzer.Stuck && s.Outcome != analyzer.Residue && s.Outcome != analyzer.Inconclusive {
			continue
		}
		run.Results = append(run.Results, v.sarif(s, &run.Tool.Driver))
	}
	return writeJSON(w, sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0", Runs: []sarifRun{run},
	})
}

func (v *view) sarif(s *analyzer.Subject, driver *sarifDriver) sarifResult {
	rule := cmp.Or(clip(value(s.Cause), enough), clip(s.Outcome, enough))
	at := slices.IndexFunc(driver.Rules, func(r sarifRule) bool { return r.ID == rule })
	if at < 0 {
		at = len(driver.Rules)
		driver.Rules = append(driver.Rules, sarifRule{ID: rule, Short: sarifText{rule}, Help: sarifText{"podautopsy explain " + rule}})
	}
	out := sarifResult{
		RuleID: rule, RuleIndex: at, Kind: "fail", Level: sarifLevel(s),
		Message: sarifText{name(s) + " " + v.oneLine(s)}, Related: []sarifLocation{},
		Fingerprints: map[string]string{"podautopsySubject/v1": fingerprint(s)},
	}
	if s.Outcome == analyzer.Inconclusive {
		out.Kind, out.Level = "open", "none" // SARIF's rule for what is not decided
	}
	logical := []sarifLogical{{Name: name(s), Kind: "resource"}}
	shown, _ := v.shownEvidence(s, mostEvidence)
	for i, e := range shown {
		l := sarifLocation{ID: i + 1, Physical: physical(e), Message: &sarifText{clip(e.ID, enough)}}
		out.Related = append(out.Related, l)
	}
	first := sarifLocation{Logical: logical}
	if len(shown) > 0 {
		first.Physical = physical(shown[0])
	}
	out.Locations = []sarifLocation{first}
	return out
}

func sarifLevel(s *analyzer.Subject) string {
	switch {
	case s.Outcome == analyzer.Stuck && s.Confidence != analyzer.Low:
		return "error"
	case s.Outcome == analyzer.Inconclusive:
		return "none"
	}
	return "warning"
}

// physical is where a piece of evidence stands, as a URI relative to the
// bundle.
func physical(e *analyzer.Evidence) *sarifPhysical {
	parts := strings.Split(path.Clean(strings.TrimLeft(strings.ReplaceAll(e.File, `\`, "/"), "/")), "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(strings.ToValidUTF8(p, "\uFFFD"))
	}
	if strings.Contains(parts[0], ":") { // or it would be a scheme
		parts[0] = strings.ReplaceAll(parts[0], ":", "%3A")
	}
	p := &sarifPhysical{Artifact: sarifArtifact{URI: strings.Join(parts, "/")}}
	if e.Line != nil && *e.Line > 0 {
		p.Region = &sarifRegion{Start: *e.Line, Snippet: sarifText{clip(e.Text, enough)}}
		if e.LastLine != nil && *e.LastLine > *e.Line {
			p.Region.End = *e.LastLine
		}
	}
	return p
}

// fingerprint is the same for the same deletion in every report.
func fingerprint(s *analyzer.Subject) string {
	who := cmp.Or(value(s.UID), name(s))
	if s.Anchor != nil {
		who += "\x00" + stamp(s.Anchor.Time)
	}
	sum := sha256.Sum256([]byte(who + "\x00" + value(s.Cause)))
	return hex.EncodeToString(sum[:16])
}
