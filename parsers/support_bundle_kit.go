package parsers

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"podautopsy/timeline"
)

// supportBundleMetadataParser reads what support-bundle-kit says of its bundle.
var supportBundleMetadataParser = Parser{
	Name:  "support-bundle-metadata",
	Doc:   "support-bundle-kit's metadata.yaml: when the bundle of Harvester or Longhorn was made, of which Kubernetes.",
	Sniff: sniffSupportBundleMetadata,
	Parse: parseSupportBundleMetadata,
}

func sniffSupportBundleMetadata(f *File) bool {
	created, kubernetes := false, false
	for _, s := range f.firstLines(20) {
		switch key, _, _ := strings.Cut(s, ":"); strings.ToLower(key) {
		case "bundlecreatedat":
			created = true
		case "kubernetesversion":
			kubernetes = true
		}
	}
	return created && kubernetes
}

func parseSupportBundleMetadata(f *File, b *timeline.Builder) error {
	for l := range f.lines() {
		key, value, _ := strings.Cut(l.text, ":")
		value = strings.Trim(strings.TrimSpace(value), `"'`)
		switch strings.ToLower(key) {
		case "bundlecreatedat":
			t, err := time.Parse(time.RFC3339, value)
			if err != nil {
				return fmt.Errorf("when the bundle was made: %w", err)
			}
			b.Input.CapturedAt = t.UTC()
			b.Input.Records++
		case "kubernetesversion":
			keepFact(b, &b.Versions, timeline.NodeVersion{What: timeline.APIServer, Version: value, Fact: factAt(f, b, l)})
		}
	}
	if b.Input.Records == 0 {
		return errors.New("it does not tell when the bundle was made")
	}
	return nil
}

// supportBundleErrorsParser reads what support-bundle-kit could not collect.
var supportBundleErrorsParser = Parser{
	Name:  "support-bundle-errors",
	Doc:   "support-bundle-kit's bundleGenerationError.log: the objects and logs that it could not get, and why.",
	Sniff: func(f *File) bool { return f.base() == "bundlegenerationerror.log" && !f.blank() },
	Parse: parseSupportBundleErrors,
}

func parseSupportBundleErrors(f *File, b *timeline.Builder) error {
	const most = 100
	more, from := 0, 0
	for l := range f.lines() {
		s := strings.TrimSpace(l.text)
		// What has no list verb is asked for all the same, in every bundle.
		if s == "" || strings.HasSuffix(s, "does not allow this method on the requested resource") || strings.HasSuffix(s, "could not find the requested resource") {
			continue
		}
		b.Input.Records++
		if b.Input.Records > most {
			if more++; more == 1 {
				from = l.number
			}
			continue
		}
		commandEvent(f, b, l, timeline.LevelError, s)
		b.Gap(timeline.GapCommandFailed, l.number, prefix(s, 300))
	}
	if more > 0 {
		b.Gap(timeline.GapCommandFailed, from, fmt.Sprintf("%d more things could not be collected", more))
	}
	return nil
}

// supportBundleHostParser reads which machine a node's part of the bundle is of.
var supportBundleHostParser = Parser{
	Name:  "support-bundle-host",
	Doc:   "support-bundle-kit's hostinfos/hostinfo: name, release and kernel of a node.",
	Sniff: sniffSupportBundleHost,
	Parse: parseSupportBundleHost,
}

func sniffSupportBundleHost(f *File) bool {
	lines := f.firstLines(3)
	return len(lines) == 3 && strings.TrimSpace(lines[0]) == "hostname :" && strings.TrimSpace(lines[2]) == "os-release :"
}

func parseSupportBundleHost(f *File, b *timeline.Builder) error {
	section := ""
	for l := range f.lines() {
		s := strings.TrimSpace(l.text)
		if head, ok := strings.CutSuffix(s, " :"); ok {
			section = head
			continue
		}
		switch {
		case section == "hostname" && isDNSName(s):
			b.Host(s)
			b.Input.Records++
		case section == "system-info": // the kernel is the node's, the name beside it the collector's pod's
			if _, kernel, ok := unameLine(s); ok {
				keepFact(b, &b.Versions, timeline.NodeVersion{What: "kernel", Version: kernel, Fact: factAt(f, b, l)})
			}
		}
	}
	return nil
}
